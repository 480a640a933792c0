"""Pages that answer in a real browser: values under the pointer and by keyboard, opacity, frames, curtains, sorted tables."""

from __future__ import annotations

import dataclasses
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import invented_evaluation
import numpy as np
import pytest
from browsed import photographs
from goldens import figures
from pages import golden
from PIL import Image

import synthrelease
from synthrelease.data.screen import Screen
from synthrelease.evaluation.private_page import write_private_page
from synthrelease.reports.compared_maps import ComparedMap
from synthrelease.reports.exhibits import TableCell, TableExhibit
from synthrelease.reports.map_axes import MapLegend

ROWS, COLUMNS = 12, 16
NUMBERS = (
    "3",
    "\N{MINUS SIGN}20",
    "1.5 × 10⁻⁵",
    "12\N{NARROW NO-BREAK SPACE}345",
    "10²",
    "–",
    "∞",
    "7 ± 2",
    "50 %",
)
IN_ORDER = [
    "\N{MINUS SIGN}20",
    "1.5 × 10⁻⁵",
    "3",
    "7 ± 2",
    "50 %",
    "10²",
    "12\N{NARROW NO-BREAK SPACE}345",
    "∞",
    "–",
]


def exact() -> np.ndarray:
    rows, columns = np.mgrid[0:ROWS, 0:COLUMNS]
    return np.exp(-((rows - 4) ** 2 + (columns - 9) ** 2) / 12)


def released() -> np.ndarray:
    return exact() + np.linspace(-0.1, 0.1, ROWS * COLUMNS).reshape(ROWS, COLUMNS)


HALF_WIDTH = np.linspace(0.2, 0.5, ROWS * COLUMNS).reshape(ROWS, COLUMNS)


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A private page with a map over a photograph, a dynamic one, and a table of numbers in every spelling."""
    folder = tmp_path_factory.mktemp("compared")
    legend = MapLegend(Screen(160, 120), None, "density")
    frames = np.stack([exact(), exact() / 2, exact() / 4])
    still = ComparedMap("garden", exact(), released(), HALF_WIDTH, legend)
    moving = ComparedMap("other", frames, frames + 0.1, None, legend, window=(0.0, 3.0))
    rows = tuple((f"row {n}", (TableCell(text),)) for n, text in enumerate(NUMBERS, start=1))
    table = TableExhibit("Numbers", ("row", "number"), rows)
    bare = invented_evaluation.evaluation("plain")
    output = dataclasses.replace(bare.outputs[0], exhibits=(still, moving, table))
    target = folder / "page.html"
    write_private_page(dataclasses.replace(bare, outputs=(output,)), target, stimuli=photographs(folder))
    return target


@pytest.fixture
def seen(visit, compared) -> Iterator[Any]:
    """That page, which stays silent and alone whatever is done with it."""
    with visit(compared) as opened:
        yield opened
        assert opened.messages == []
        assert opened.requests == []


def point(page: Any, field: Any, across: float, down: float) -> None:
    """Move the pointer over a field."""
    field.scroll_into_view_if_needed()
    box = field.bounding_box()
    page.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"])


def numbers(text: str) -> list[float]:
    return figures(text.replace("\N{MINUS SIGN}", "-").replace("95 %", ""))


def readings(plate: Any) -> list[str]:
    return [one.inner_text() for one in plate.locator(".reading").all()]


@pytest.mark.quick("seeded.TEST-SEED-maps")
@pytest.mark.parametrize(
    ("name", "output", "uncertain"),
    [
        pytest.param(*case, id="-".join(case[:2]))
        for case in (
            ("seeded.TEST-SEED", "maps", False),
            ("heatmaps", "joint", True),
            ("heatmaps", "capped", False),
        )
    ],
)
def test_a_map_says_the_released_value_under_the_pointer(visit, pages, name, output, uncertain):
    arrays = synthrelease.open_bundle(golden(name), allow_test_seed=True)[output]
    cells = arrays["heatmap"][0]
    rows, columns = cells.shape
    with visit(pages(name)) as seen:
        plate = seen.page.locator(f"#output-{output} .plate").first
        field = plate.locator(".field").first
        for row, column in ((0, 0), (1, columns - 1), (rows - 2, 2), (rows - 1, columns - 1)):
            point(seen.page, field, (column + 0.4) / columns, (row + 0.6) / rows)
            _, _, value, *half_width = numbers(plate.locator(".reading").first.inner_text())
            assert value == pytest.approx(float(cells[row, column]), abs=0.01 * float(np.ptp(cells)))
            assert len(half_width) == uncertain
            if uncertain:
                deviation = arrays["uncertainty"][0][row, column]
                assert half_width[0] == pytest.approx(1.96 * float(deviation), rel=0.05)
                assert readings(plate)[1] == readings(plate)[0], "its ± is of the same places"
        assert seen.messages == []


@pytest.mark.quick("seeded.TEST-SEED-signals")
@pytest.mark.parametrize(
    ("name", "output"),
    [
        pytest.param(*case, id="-".join(case))
        for case in (("seeded.TEST-SEED", "signals"), ("signals", "person"))
    ],
)
def test_a_curve_says_the_released_value_by_keyboard(visit, pages, name, output):
    bundle = synthrelease.open_bundle(golden(name), allow_test_seed=True)
    curves = bundle[output]["values"][:, 0]
    with visit(pages(name)) as seen:
        plate = seen.page.locator(f"#output-{output} .plate").first
        plate.locator(".probe").focus()
        reading = plate.locator(".reading")
        assert reading.get_attribute("aria-live") == "polite"
        for _ in range(len(curves[0])):
            seen.page.keyboard.press("ArrowLeft")
        for number, curve in enumerate(curves):
            for step in range(0, 6, 5):
                said = numbers(reading.inner_text().rpartition(":")[2])
                assert f" {step}," in reading.inner_text()
                assert said[0] == pytest.approx(float(curve[step]), abs=2e-3 * float(np.ptp(curves)))
                assert said[1] > 0, number
                seen.page.keyboard.press("Shift+ArrowRight")
            for key in ("Shift+ArrowLeft", "Shift+ArrowLeft", "ArrowDown"):
                seen.page.keyboard.press(key)


def test_a_cross_on_one_map_is_a_cross_on_all(seen):
    plate = seen.page.locator(".plate").first
    hint = readings(plate)
    assert hint[0]
    assert hint[1:] == ["", ""]
    point(seen.page, plate.locator(".field").nth(2), 5.5 / COLUMNS, 7.5 / ROWS)
    place = {text.partition(":")[0] for text in readings(plate)}
    assert [numbers(one) for one in place] == [[55, 75]]
    (truth,), (value, half_width), (difference,) = (numbers(text)[2:] for text in readings(plate))
    assert truth == pytest.approx(exact()[7, 5], abs=0.005)
    assert value == pytest.approx(released()[7, 5], abs=0.006)
    assert half_width == pytest.approx(HALF_WIDTH[7, 5], abs=0.002)
    assert difference == pytest.approx((released() - exact())[7, 5], abs=0.002)
    seen.page.mouse.move(0, 0)
    assert readings(plate) == hint


@pytest.mark.thorough
def test_the_keyboard_moves_a_cross(seen):
    plate = seen.page.locator(".plate").first
    plate.locator(".probe").first.focus()
    reading = plate.locator(".reading").first
    assert numbers(reading.inner_text())[:2] == [95, 45], "it begins at the largest"
    for key, place in (
        ("ArrowLeft", [85, 45]),
        ("ArrowDown", [85, 55]),
        ("Shift+ArrowRight", [135, 55]),
        ("Home", [95, 45]),
    ):
        seen.page.keyboard.press(key)
        assert numbers(reading.inner_text())[:2] == place
    for _ in range(ROWS):
        seen.page.keyboard.press("ArrowUp")
    assert numbers(reading.inner_text())[:2] == [95, 5], "it stays on the map"
    seen.page.keyboard.press("Tab")
    assert "95 " not in reading.inner_text() or plate.locator(".crossed").count()


@pytest.mark.thorough
def test_frames_are_seen_one_at_a_time_and_played(seen):
    page, plate = seen.page, seen.page.locator(".plate").nth(1)
    shown = plate.locator(".panel").first.locator(".frame")
    assert [one.is_visible() for one in shown.all()] == [True] * 3
    slider = plate.locator(".frames input")
    assert not slider.is_visible()
    plate.locator(".one").click()
    assert [one.is_visible() for one in shown.all()] == [True, False, False]
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert [one.is_visible() for one in shown.all()] == [False, True, False]
    assert slider.get_attribute("aria-valuetext") == "t = 1.5"
    plate.locator(".probe:visible").first.focus()
    before = numbers(plate.locator(".reading").first.inner_text())
    page.keyboard.press("PageDown")
    after = numbers(plate.locator(".reading").first.inner_text())
    assert [one.is_visible() for one in shown.all()] == [False, False, True]
    assert after[:2] == before[:2]
    assert after[2] == pytest.approx(before[2] / 2, abs=0.01)
    page.clock.install()
    page.emulate_media(reduced_motion="reduce")
    assert not plate.locator(".play").is_visible()
    page.emulate_media(reduced_motion="no-preference")
    plate.locator(".play").click()
    page.clock.run_for(800)
    assert [one.is_visible() for one in shown.all()] == [True, False, False]
    page.emulate_media(reduced_motion="reduce")
    plate.locator(".play[aria-pressed=false]").wait_for(state="attached")  # the page hears of it later
    page.clock.run_for(3000)
    assert [one.is_visible() for one in shown.all()] == [True, False, False], "it has stopped"
    page.emulate_media(media="print")
    assert [one.is_visible() for one in shown.all()] == [True] * 3


def ends(pixels: bytes, where: slice) -> np.ndarray:
    """A part of the columns of a picture."""
    image = np.asarray(Image.open(io.BytesIO(pixels)).convert("RGB")).astype(int)
    return image[:, round(where.start * image.shape[1]) : round(where.stop * image.shape[1])]


def is_nearer(pixels: bytes, other: bytes, *, than: bytes, where: slice) -> bool:
    """Whether a part of a picture is that of another: pictures stand on fractions of pixels, so a little differs."""
    drawn, wanted, unwanted = (ends(one, where) for one in (pixels, other, than))
    return bool(np.abs(drawn - wanted).mean() < 0.2 * np.abs(drawn - unwanted).mean())


@pytest.mark.thorough
def test_a_curtain_parts_exact_from_released(seen):
    """By pointer and by keyboard; what is left of its edge is exact, what is right of it released."""
    page, plate = seen.page, seen.page.locator(".plate").nth(1)
    page.add_style_tag(content=".probe { display: none !important; }")
    left, right = (plate.locator(".panel").nth(n).locator(".field:not(.veil)").first for n in (0, 1))
    truth, noisy = left.screenshot(), right.screenshot()
    parts = slice(0.05, 0.35), slice(0.65, 0.95)
    assert all((ends(truth, part) != ends(noisy, part)).any() for part in parts)
    plate.locator(".drawn").click()
    heading = plate.locator(".heading").first.inner_text()
    assert heading == "exact (private) | released"
    veiled = left.screenshot()
    assert (ends(veiled, parts[0]) == ends(truth, parts[0])).all()
    assert is_nearer(veiled, noisy, than=truth, where=parts[1])
    edge = plate.locator(".curtain input")
    edge.focus()
    page.keyboard.press("End")
    assert edge.get_attribute("aria-valuetext") == "exact (private) 100 %, released 0 %"
    assert (ends(left.screenshot(), parts[1]) == ends(truth, parts[1])).all()
    point(page, left, 0.5, 0.5)
    page.mouse.down()
    point(page, left, 0.02, 0.5)
    page.mouse.up()
    assert int(edge.input_value()) == pytest.approx(2, abs=1)
    assert is_nearer(left.screenshot(), noisy, than=truth, where=parts[0])
    plate.locator(".drawn").click()
    assert (left.screenshot(), plate.locator(".heading").first.inner_text()) == (truth, "exact (private)")


@pytest.mark.thorough
def test_a_map_is_faded_over_its_photograph(seen):
    plates = seen.page.locator(".plate")
    assert plates.nth(1).locator(".opacity").count() == 0, "there is no photograph under it"
    slider, layers = plates.first.locator(".opacity input"), plates.first.locator(".over > img")
    opacity = "all => [...new Set(all.map(one => getComputedStyle(one).opacity))]"
    assert layers.evaluate_all(opacity) == ["1"]
    slider.focus()
    seen.page.keyboard.press("Home")
    assert layers.evaluate_all(opacity) == ["0"]
    assert plates.first.locator(".field:not(.over) > img").evaluate_all(opacity) == ["1"]


def test_tables_are_sorted_as_numbers(seen):
    scroll = seen.page.get_by_label("Table: Numbers")
    cells, head = scroll.locator("td"), scroll.locator("th[scope=col]").nth(1)
    assert cells.all_inner_texts() == list(NUMBERS)
    sort = scroll.get_by_role("button", name="number")
    sort.focus()
    seen.page.keyboard.press("Enter")
    assert (cells.all_inner_texts(), head.get_attribute("aria-sort")) == (IN_ORDER, "ascending")
    head.click()
    assert cells.all_inner_texts() == [*IN_ORDER[-2::-1], "–"], "what is no number stays last"
    assert head.get_attribute("aria-sort") == "descending"
    sort.click()
    assert (cells.all_inner_texts(), head.get_attribute("aria-sort")) == (list(NUMBERS), None)
    scroll.locator(".sort").first.click()
    scroll.locator(".sort").first.click()
    names = scroll.locator("tbody th").all_inner_texts()
    assert [int(re.findall(r"\d+", name)[0]) for name in names] == list(range(9, 0, -1))


@pytest.mark.thorough
def test_axe_finds_nothing_in_what_was_opened(seen, violations):
    page = seen.page
    for button in (".drawn", ".one", ".sort"):
        for one in page.locator(button).all():
            if one.is_visible():
                one.click()
    page.locator(".probe").first.focus()
    for width, scheme in ((400, "dark"), (1400, "light")):
        seen.resized(width, scheme)
        assert violations(seen) == {}, (width, scheme)
