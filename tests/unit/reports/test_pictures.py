"""Pictures: every map of a bundle is drawn, over its stimulus where there is one, with a scale that is true."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from goldens import figures
from PIL import Image
from refusals import refused

import synthrelease
from synthrelease.bundle import reseal
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.cli import main
from synthrelease.data.screen import Screen
from synthrelease.errors import DataError, MachineError
from synthrelease.reports import pictures
from synthrelease.reports.figures import comparison_figure, map_figure, save_png, strip_figure
from synthrelease.reports.map_axes import MapLegend
from synthrelease.reports.pictures import draw

LOOK = MapLegend(Screen(800, 600), 24.0, "times even attention")
PLAN = """
[release]
name = "study"
version = "1"
title = "A study"
[privacy]
epsilon = 3.0
delta = 1e-4
[inputs.gaze]
kind = "gaze"
path = "gaze.parquet"
columns = { person = "who", stimulus = "image", x = "x", y = "y", time = "t" }
screen = { width_px = 80, height_px = 60, width_mm = 200, distance_mm = 500 }
stimuli = ["sea", "a/b"]
assume_public = ["assignment"]
[[outputs]]
name = "still"
kind = "heatmap"
input = "gaze"
blur_px = 8
[[outputs]]
name = "moving"
kind = "heatmap"
input = "gaze"
blur_px = 12
window = [0, 10]
blur_time = 3
frames = 5
[[outputs]]
name = "cells"
kind = "heatmap"
input = "gaze"
mechanism = "laplace"
width_px = 8
height_px = 6
blur_px = 8
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    rng = np.random.default_rng(0)
    pl.DataFrame(
        {
            "who": np.repeat(np.arange(20), 30),
            "image": np.tile(np.repeat(["sea", "a/b"], 15), 20),
            "x": rng.uniform(0, 80, 600),
            "y": rng.uniform(0, 60, 600),
            "t": np.tile(np.linspace(0, 10, 15), 40),
        }
    ).write_parquet(folder / "gaze.parquet")
    (folder / "plan.toml").write_text(PLAN)
    return synthrelease.build(folder / "plan.toml", folder / "study.h5").path


@pytest.mark.thorough
def test_every_map_is_drawn_once(bundle: Path, tmp_path: Path) -> None:
    drawn = list(draw(synthrelease.open_bundle(bundle), tmp_path / "new" / "folder"))
    expected = {
        f"{output}-{stimulus}.png" for output in ("still", "moving", "cells") for stimulus in ("sea", "a-b")
    }
    assert {path.name for path in drawn} == expected
    for path in drawn:
        with Image.open(path) as image:
            assert min(image.size) > 300


@pytest.mark.thorough
def test_the_stimulus_shows_through(bundle: Path, tmp_path: Path) -> None:
    Image.fromarray(np.full((60, 80, 3), 255, dtype=np.uint8)).save(tmp_path / "sea.png")
    opened = synthrelease.open_bundle(bundle)
    alone = {p.name: p.read_bytes() for p in draw(opened, tmp_path / "alone")}
    over = {p.name: p.read_bytes() for p in draw(opened, tmp_path / "over", stimuli=tmp_path)}
    changed = {name for name in alone if alone[name] != over[name]}
    assert changed == {"still-sea.png", "moving-sea.png", "cells-sea.png"}
    assert {p.name: p.read_bytes() for p in draw(opened, tmp_path / "again")} == alone


def test_a_picture_that_is_none_is_named(bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "sea.jpg").write_bytes(b"no picture")
    with refused(DataError, "bad-stimulus-picture", where=tmp_path / "sea.jpg"):
        list(draw(synthrelease.open_bundle(bundle), tmp_path / "out", stimuli=tmp_path))


def test_a_folder_that_cannot_be_made_is_the_machines_fault(bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with refused(MachineError, "cannot-write", where=tmp_path / "file" / "folder"):
        list(draw(synthrelease.open_bundle(bundle), tmp_path / "file" / "folder"))


@pytest.mark.thorough
def test_a_stimulus_cannot_lead_out_of_the_folder(bundle: Path, tmp_path: Path) -> None:
    """The bundle has a stimulus a/b; were its name a path, a/b.png below the folder would be drawn."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.png").write_bytes(b"no picture")
    drawn = list(draw(synthrelease.open_bundle(bundle), tmp_path / "out", stimuli=tmp_path))
    assert len(drawn) == 6


def test_a_changed_bundle_is_not_exported(bundle: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed.h5"
    changed.write_bytes(bundle.read_bytes())
    with h5py.File(changed, "r+") as file:
        file["/outputs/still/heatmap"][0, 0, 0] += 1
    reseal(changed)
    command = ["export", str(changed), "--to", "png", "-o", str(tmp_path / "pictures"), "--json"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 1
    findings = json.loads(done.stdout)["error"]["findings"]
    assert [(one["code"], one["where"]) for one in findings] == [("derived", "/outputs/still/heatmap")]
    assert not (tmp_path / "pictures").exists()


@pytest.mark.thorough
def test_pictures_of_a_test_seed_say_so(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeded = synthrelease.build(bundle.parent / "plan.toml", tmp_path / "s.h5", test_seed=1).path
    told: list[str] = []
    honest = pictures.map_figure
    monkeypatch.setattr(pictures, "map_figure", lambda *a, **k: told.append(k["caption"]) or honest(*a, **k))
    done = CliRunner().invoke(main, ["export", str(seeded), "--to", "png", "-o", str(tmp_path / "pictures")])
    assert done.exit_code == 0
    assert told
    assert all(TEST_SEED_WORDS in caption for caption in told)


@pytest.mark.parametrize("name", ["$\\foo$", "a$b$c", "100 % _x_^2"])
def test_a_title_is_text_and_no_formula(name: str, tmp_path: Path) -> None:
    save_png(map_figure(np.ones((6, 8)), LOOK, title=name), tmp_path / "one.png")
    save_png(
        comparison_figure({"row": {name: np.ones((6, 8))}}, LOOK, title=name, caption=""),
        tmp_path / "two.png",
    )


@pytest.mark.thorough
def test_export_on_the_command_line(bundle: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["export", str(bundle), "--to", "png", "-o", str(tmp_path / "pictures")])
    assert done.exit_code == 0, done.output
    _, found, rest = done.output.partition("png")
    assert found
    assert figures(rest)[0] == 8
    assert len(list((tmp_path / "pictures").glob("*.png"))) == 6
    assert CliRunner().invoke(main, ["export", str(bundle), "--to", "svg", "-o", "x"]).exit_code == 2


def texts(figure: Any) -> list[str]:
    return [t.get_text() for axis in figure.axes for t in axis.texts]


def test_the_scale_is_of_the_screen_in_pixels_and_in_degrees_where_the_geometry_is_known() -> None:
    cells = np.ones((6, 8))
    (told,) = texts(map_figure(cells, LOOK, title=""))
    assert figures(told) == [100, 24]
    assert told.count("px") == 2
    # At 573 mm a millimetre is a tenth of a degree: 800 px on 400 mm are 20 px a degree.
    declared = Screen(800, 600, 400.0, 1000 / (2 * math.tan(math.radians(0.5))) / 100)
    assert declared.pixels_per_degree == pytest.approx(20.0)
    legend = MapLegend(declared, 24.0, "")
    (told,) = texts(map_figure(cells, legend, title=""))
    assert figures(told) == [100, 5.0, 24, 1.2]
    assert told.count("°") == 2


def test_a_strip_shows_the_middles_of_its_frames_on_one_scale() -> None:
    frames = np.arange(40.0)[:, None, None] * np.ones((6, 8))
    figure = strip_figure(frames, LOOK, times=np.arange(50.0, 4000.0, 100.0), title="")
    titles = [axis.get_title() for axis in figure.axes if axis.get_title()]
    assert len(titles) == 12
    assert (titles[0], titles[-1]) == ("t = 50", "t = 3950")
    limits = {image.get_clim() for axis in figure.axes for image in axis.images}
    assert limits == {(0.0, 39.0)}


def test_negative_cells_are_drawn_as_nothing() -> None:
    figure = map_figure(np.array([[-5.0, 1.0], [2.0, 0.0]]), LOOK, title="")
    assert figure.axes[0].images[0].get_array().min() == 0.0
