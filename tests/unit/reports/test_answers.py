"""What pages say under the pointer: the released values, rounded no coarser than their picture, and the one script that says them."""

from __future__ import annotations

import base64
import html
import io
import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import golden, golden_page
from PIL import Image

import synthrelease
from synthrelease.data.screen import Screen
from synthrelease.reports.figure_style import COLOURS
from synthrelease.reports.figures import write_png
from synthrelease.reports.page import _data, script
from synthrelease.reports.readings import Levels, chart_readings, grid_readings
from synthrelease.reports.signal_figures import signals_figure

SCREEN = Screen(640, 480)
NAME = "seeded.TEST-SEED"  # a map without stated uncertainty, and a curve with one


def numbers(levels: dict[str, Any], count: int) -> np.ndarray:
    """What a page has as levels."""
    if not levels["levels"]:
        return np.full(count, levels["low"])
    raw = np.frombuffer(base64.b64decode(levels["levels"]), dtype=f"<u{levels['width']}").astype(float)
    none = 256 ** levels["width"] - 1
    raw[raw == none] = np.nan
    return levels["low"] + raw / (none - 1) * (levels["high"] - levels["low"])


def as_json(levels: Levels) -> dict[str, Any]:
    return json.loads(_data(levels))


def readings_of(name: str) -> list[dict[str, Any]]:
    """All that a page has, in its order."""
    stated = re.findall(r'data-readings="([^"]*)"', golden_page(name).source)
    return [json.loads(html.unescape(one)) for one in stated if one]


FLOATS = st.floats(-1e9, 1e9) | st.just(float("nan"))


@given(values=st.lists(FLOATS, min_size=1, max_size=40), width=st.sampled_from([1, 2]))
def test_levels_are_within_half_a_step(values, width):
    values = np.array(values)
    read = numbers(as_json(Levels.of(values, width)), len(values))
    finite = np.isfinite(values)
    if finite.any():
        low, high = values[finite].min(), values[finite].max()
        half_step = (high - low) / (256**width - 2) / 2
        assert np.abs(read[finite] - values[finite]).max() <= half_step + 1e-5 * np.abs(values[finite]).max()
        assert np.isnan(read[~finite]).all()


@pytest.mark.parametrize("shape", [(3, 4), (48, 64), (49, 65), (200, 130)])
def test_a_large_map_is_read_at_places_that_it_has(shape):
    cells = np.random.default_rng(1).normal(size=shape)
    read = json.loads(_data(grid_readings(cells, np.abs(cells), screen=SCREEN)))
    assert read["columns"] <= 64
    assert read["rows"] <= 48
    found, half_width = (
        numbers(read[key], read["rows"] * read["columns"]) for key in ("values", "half_width")
    )
    for number, (value, spread) in enumerate(zip(found, half_width, strict=True)):
        down, across = (
            read[axis][0] + read[axis][1] * place
            for axis, place in zip(("down", "across"), divmod(number, read["columns"]), strict=True)
        )
        row, column = down * shape[0] - 0.5, across * shape[1] - 0.5
        assert row == pytest.approx(round(row), abs=1e-3)
        cell = cells[round(row), round(column)]
        assert value == pytest.approx(cell, abs=(cells.max() - cells.min()) / 254)
        assert spread == pytest.approx(abs(cell), abs=np.abs(cells).max() / 254)


@pytest.mark.quick(but=["1", "6"])
@pytest.mark.parametrize("count", [1, 2, 6])
def test_curves_are_where_they_are_drawn(count):
    x = np.linspace(2.0, 9.0, 30)
    curves = {f"curve {n}": (np.sin(x + n), np.full(30, 0.01)) for n in range(count)}
    figure = signals_figure(curves, x=x, title="", y_label="y", x_label="x", caption=None)
    file = io.BytesIO()
    write_png(figure, file)
    pixels = np.asarray(Image.open(file).convert("RGB")).astype(int)
    high, wide, _ = pixels.shape
    read = json.loads(_data(chart_readings(figure, curves, x=x, x_label="x")))
    for number, curve in enumerate(read["curves"]):
        left, top, width, height, x0, x1, y0, y1 = read["axes"][curve["axes"]]
        steps, values = numbers(read["x"], 30), numbers(curve["values"], 30)
        colour = [int(COLOURS[number if count <= 4 else 0][at : at + 2], 16) for at in (1, 3, 5)]
        for step, value in list(zip(steps, values, strict=True))[3:-3:4]:
            across = round((left + width * (step - x0) / (x1 - x0)) * wide)
            down = round((top + height * (1 - (value - y0) / (y1 - y0))) * high)
            around = pixels[down - 2 : down + 3, across - 2 : across + 3].reshape(-1, 3)
            # Where two lines cross the later one is above.
            drawn = (
                [colour] if count == 1 else [[int(c[at : at + 2], 16) for at in (1, 3, 5)] for c in COLOURS]
            )
            assert min(np.abs(around - one).sum(axis=1).min() for one in drawn) < 60


def test_a_page_has_the_released_values_and_no_others():
    bundle = synthrelease.open_bundle(golden(NAME), allow_test_seed=True)
    first, *_, last = readings_of(NAME)
    released = {"maps": bundle["maps"]["heatmap"][0], "signals": bundle["signals"]["values"][0, 0]}
    cells = released["maps"]
    assert cells.min() < 0, "negative ones are drawn as nothing, and said as they are"
    step = float(cells.max() - cells.min()) / 254
    assert numbers(first["values"], cells.size) == pytest.approx(cells.ravel(), abs=0.51 * step)
    assert first["half_width"] is None
    (curve,) = last["curves"]
    signal = released["signals"].ravel()
    assert numbers(curve["values"], signal.size) == pytest.approx(signal, abs=float(1e-4 * np.ptp(signal)))
    assert numbers(curve["half_width"], 1)[0] > 0
    assert not any(
        one.get("is_exact") or any(c["is_exact"] for c in one.get("curves", ())) for one in (first, last)
    )


def test_the_script_is_small_and_asks_for_nothing():
    source = str(script().source)
    assert len(source.encode("utf-8")) <= 15_000
    assert "</script" not in source.lower()
    assert "<!--" not in source
    assert "synthrelease" not in source
    for word in (
        "eval",
        "Function(",
        "innerHTML",
        "insertAdjacentHTML",
        "document.write",
        "fetch",
        "XMLHttp",
        "import",
        "localStorage",
        "http",
    ):
        assert word not in source, word


def test_names_in_readings_are_text():
    title = 'a\N{RIGHT-TO-LEFT OVERRIDE}b</script>\N{LINE SEPARATOR}"'
    figure = signals_figure(
        {"": ([1.0, 2.0], [0.0, 0.0])}, x=[0.0, 1.0], title="", y_label="y", x_label="x", caption=None
    )
    readings = chart_readings(figure, {title: ([1.0, 2.0], [0.0, 0.0])}, x=[0.0, 1.0], x_label="x")
    text = _data(readings)
    assert text.isascii()
    (curve,) = json.loads(text)["curves"]
    assert curve["name"] == 'a\\u202eb</script>\\u2028"'
    assert curve["half_width"] is None, "no ± is none that is 0"
