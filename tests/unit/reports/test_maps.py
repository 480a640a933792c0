"""Maps on pages: over photographs, on one scale or their own, with axes, and lines around what differs from the average."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path

import numpy as np
import pytest
import refusals
from goldens import figures
from invented_study import write_heatmaps_study
from pages import golden, golden_page
from PIL import Image

import synthrelease
from synthrelease.cli import main
from synthrelease.data.screen import Screen
from synthrelease.errors import DataError
from synthrelease.reports.axis_ticks import ticks
from synthrelease.reports.look import Look, joined
from synthrelease.reports.map_axes import MapLegend
from synthrelease.reports.map_frames import Difference, frame_of
from synthrelease.reports.map_panels import Colouring, Frame, map_panel
from synthrelease.reports.page import script
from synthrelease.reports.photographs import Photographs
from synthrelease.reports.plates import _still
from synthrelease.reports.rasters import map_png
from synthrelease.reports.views import MapView

LAID_UNDER, OVER = "--photograph: url", 'class="field over"'
LEGEND = MapLegend(Screen(80, 60), None, "density")
PHOTOGRAPH = re.compile(rf"{LAID_UNDER}\(data:image/jpeg;base64,([^)]*)\)")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of maps of the stimuli "garden" and "a/b", with a test seed."""
    folder = tmp_path_factory.mktemp("maps")
    return synthrelease.build(write_heatmaps_study(folder), folder / "r.h5", test_seed=2).path


@pytest.fixture
def photographs(tmp_path: Path) -> Path:
    """A folder with a photograph of one of them."""
    folder = tmp_path / "SECRET_FOLDER"
    folder.mkdir()
    Image.new("RGB", (1600, 1200), (200, 40, 90)).save(folder / "garden.png")
    Image.new("RGB", (10, 10)).save(folder / "other.jpg")
    return folder


def page_of(bundle: Path, target: Path, **options: Path) -> str:
    synthrelease.report(bundle, target, force=True, **options)
    return target.read_text("utf-8")


def test_maps_lie_over_the_photographs_that_there_are(
    bundle: Path, photographs: Path, tmp_path: Path
) -> None:
    page = page_of(bundle, tmp_path / "r.html", stimuli=photographs)
    embedded = PHOTOGRAPH.findall(page)
    assert embedded
    with Image.open(io.BytesIO(base64.b64decode(embedded[0]))) as image:
        assert image.size == (800, 600)
    # Of every map over it, and of no other.
    plates = page.split("<figure ")[1:]
    assert {"garden" in plate for plate in plates if OVER in plate} == {True}
    assert any(OVER not in plate and "a/b" in plate for plate in plates)


def test_no_path_is_on_a_page_and_it_says_what_is_not_of_the_bundle(
    bundle: Path, photographs: Path, tmp_path: Path
) -> None:
    page, without = (
        page_of(bundle, tmp_path / f"{n}.html", **options)
        for n, options in enumerate(({"stimuli": photographs}, {}))
    )
    assert "SECRET_FOLDER" not in page
    assert str(tmp_path) not in page
    footer, plain = (text.partition("<footer")[2].partition("</footer>")[0] for text in (page, without))
    assert footer != plain
    assert LAID_UNDER not in without


def test_stimuli_without_a_photograph_are_named_and_files_without_a_stimulus_are_not(
    bundle: Path, photographs: Path, tmp_path: Path
) -> None:
    Image.new("RGB", (80, 60)).save(photographs / "elsewhere.png")
    manifest = synthrelease.open_bundle(bundle, allow_test_seed=True).manifest
    stimuli = manifest["outputs"][0]["mechanism"]["parameters"]["stimuli"]
    (warning,) = synthrelease.report(bundle, tmp_path / "r.html", stimuli=photographs).warnings
    assert {name for name in (*stimuli, "elsewhere") if name in warning} == {*stimuli} - {"garden"}
    assert synthrelease.report(bundle, tmp_path / "s.html").warnings == ()
    many = [f"of {n}" for n in range(30)]
    assert Photographs(photographs).lacking([*many, "garden", many[0]]) == many


def test_a_folder_without_a_stimulus_is_refused(bundle: Path, photographs: Path, tmp_path: Path) -> None:
    (photographs / "garden.png").unlink()
    with refusals.refused(DataError, "no-stimulus-picture", where=str(photographs)):
        synthrelease.report(bundle, tmp_path / "r.html", stimuli=photographs)
    assert not (tmp_path / "r.html").exists()


def test_a_photograph_that_cannot_be_read_is_refused(bundle: Path, photographs: Path, tmp_path: Path) -> None:
    (photographs / "garden.png").write_bytes(b"no picture")
    with refusals.refused(DataError, "bad-stimulus-picture", where="garden.png"):
        synthrelease.report(bundle, tmp_path / "r.html", stimuli=photographs)


@pytest.mark.thorough
def test_the_command_takes_them(bundle: Path, photographs: Path, tmp_path: Path) -> None:
    from click.testing import CliRunner

    target = tmp_path / "r.html"
    result = CliRunner().invoke(
        main, ["report", str(bundle), "-o", str(target), "--stimuli", str(photographs)]
    )
    assert result.exit_code == 0, result.output
    assert LAID_UNDER in target.read_text("utf-8")


@pytest.mark.parametrize("name", ["heatmaps", "unknown-number", "seeded.TEST-SEED"])
def test_that_all_of_a_map_is_uncertain_is_said_from_the_released_normalization(name: str) -> None:
    bundle = synthrelease.open_bundle(golden(name), allow_test_seed=True)
    captions = golden_page(name).texts("p", "caption")
    expected = []
    for output in bundle.manifest["outputs"]:
        if output["mechanism"]["name"] == "spectral" and output["kind"] == "heatmap":
            for mean, deviation in np.asarray(bundle[output["name"]]["normalization"]):
                expected.append(round(100 * deviation / mean))
    assert all(percentage > 25 for percentage in expected)
    said = [caption for caption in captions if any(f" {number} %" in caption for number in set(expected))]
    assert len(said) == len(expected)


@pytest.mark.parametrize(("error", "is_said"), [(0.0, False), (0.25, False), (0.26, True)])
def test_a_little_uncertainty_of_the_normalization_is_not_said(error: float, *, is_said: bool) -> None:
    view = MapView("a", "stimulus a", np.ones((2, 2)), None, LEGEND, None, error)
    caption = _still(view, Look()).caption
    assert (26 in figures(caption)) is is_said


def test_a_label_does_not_lead_out_of_the_folder(photographs: Path) -> None:
    inside = photographs / "inside"
    inside.mkdir()
    assert Photographs(inside).pixels("../garden") is None
    assert Photographs(photographs).pixels("garden") is not None


def test_a_veil_hides_nothing_where_nothing_is() -> None:
    cells = np.array([[0.0, 1.0], [0.25, 0.0]])
    common = {"top": 1.0, "colours": "inferno", "width_px": 2, "height_px": 2}
    for veil in (True, False):
        with Image.open(io.BytesIO(map_png(cells, veil=veil, **common))) as image:
            opacity = np.asarray(image.convert("RGBA"))[..., 3]
        if veil:
            assert opacity[0, 0] == 0
            assert 0 < opacity[1, 0] < opacity[0, 1] < 255
        else:
            assert (opacity == 255).all()


LEGEND = MapLegend(Screen(80, 60), None, "density")


def panel(top: float, look: Look):
    cells = np.linspace(0, top, 48).reshape(6, 8)
    colouring = Colouring("inferno", "density", (0.0, top))
    return map_panel("", [Frame(cells, "a map")], colouring, legend=LEGEND, longer_px=80, look=look)


def test_all_maps_share_a_scale_and_each_has_its_own() -> None:
    look = Look(ranges=joined([("density", (0.0, 2.0)), ("density", (0.0, 10.0)), ("others", (0.0, 99.0))]))
    small, large = panel(2.0, look), panel(10.0, look)
    assert small.scale.high == large.scale.high == "10"
    assert small.own_scale.high == "2"
    assert small.pictures[0].own != small.pictures[0].source
    # What fills the scale shows no more on its own.
    assert large.own_scale is None
    assert large.pictures[0].own == ""
    # Alone, a map has the scale of its own.
    assert panel(2.0, Look()).scale.high == "2"


@pytest.mark.thorough
def test_the_page_has_a_switch_where_scales_differ(bundle: Path, tmp_path: Path) -> None:
    page = page_of(bundle, tmp_path / "r.html")
    assert page.count('class="own-scale"') == page.count('class="switch"') >= 1
    assert page.count('class="on-own"') >= 1
    assert "own-scale" not in script().source, "styles follow the switch"


@pytest.mark.parametrize(("low", "high"), [(0, 800), (0, 1), (-3.2, 4.1), (1.29, 3.61), (0, 9.43), (0, 1e-7)])
def test_ticks_are_round_numbers_at_their_places(low: float, high: float) -> None:
    marks = ticks(low, high)
    assert 2 <= len(marks) <= 7
    numbers = [low + mark.place * (high - low) for mark in marks]
    for mark, number in zip(marks, numbers, strict=True):
        assert 0 <= mark.place <= 1
        if "10" not in mark.text or high > 1:
            assert float(mark.text.replace("\N{MINUS SIGN}", "-")) == pytest.approx(
                number, abs=2e-4 * (high - low)
            )


def test_axes_are_in_degrees_where_the_geometry_is_declared() -> None:
    screen = Screen(1000, 500, 300.0, 600.0)
    half = 500 / screen.pixels_per_degree
    frame = frame_of(screen)
    middle = next(tick for tick in frame.x if tick.text == "0")
    assert middle.place == 0.5
    ten = next(tick for tick in frame.x if tick.text == "10")
    assert ten.place == pytest.approx(0.5 + 10 / (2 * half), abs=1e-3)
    # Upwards: the larger number stands nearer to the top.
    places = {float(tick.text.replace("\N{MINUS SIGN}", "-")): tick.place for tick in frame.y}
    assert places[max(places)] < places[min(places)]
    pixels = frame_of(Screen(1000, 500))
    assert pixels.y[0].text == "0"
    assert pixels.y[-1].place == 1


def test_lines_are_around_what_differs_by_more_than_its_plus_minus() -> None:
    cells = np.ones((20, 30))
    cells[5:9, 10:16] = 9.0
    cells[12:18, 20:28] = 0.0
    difference = Difference.of(cells, np.full(cells.shape, 0.5))
    outlines = difference.outlines
    assert (difference.more > 0).sum() == 24
    assert (difference.less > 0).sum() == 48
    numbers = np.array(re.findall(r"[\d.]+ [\d.]+", outlines.more))
    points = np.array([list(map(float, pair.split())) for pair in numbers])
    assert points[:, 0].min() >= 9.5
    assert points[:, 0].max() <= 16.5
    assert outlines.less
    wide = Difference.of(cells, np.full(cells.shape, 10.0)).outlines
    assert (wide.more, wide.less) == ("", "")
