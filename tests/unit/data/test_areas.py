"""Areas: which of them a point lies in, edges and holes and all; and what is refused with place, kind and remedy."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from goldens import check_text, figures
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.path import Path as Outline
from PIL import Image
from refusals import refused

from synthrelease.data import picture
from synthrelease.data.area_reading import read_areas
from synthrelease.data.area_shapes import ELSEWHERE
from synthrelease.data.areas import PlacedAreas
from synthrelease.data.gaze import GazeData
from synthrelease.data.label_image import read_label_image
from synthrelease.data.screen import Screen
from synthrelease.errors import MachineError, PlanError
from synthrelease.files import reading

SCREEN = Screen(80, 60)
STIMULI = ("sea", "sky")
PLACE = "plan: outputs[0]"
LEFT = {"rectangle": [0, 0, 40, 60]}
SQUARE = [[10, 10], [30, 10], [30, 30], [10, 30]]


def read(given: Any, folder: Path = Path(), label_image: str | None = None) -> PlacedAreas:
    return read_areas(
        given,
        label_image=label_image,
        folder=folder,
        screen=SCREEN,
        stimuli=STIMULI,
        where=PLACE,
    )


def looks(points: Any, stimulus: int = 0) -> GazeData:
    at = np.array(points, dtype=np.float64).reshape(-1, 2)
    n = len(at)
    assigned = np.ones((1, 2), dtype=np.bool_)
    number = np.full(n, stimulus, dtype=np.int64)
    return GazeData(SCREEN, STIMULI, 1, assigned, np.zeros(n, dtype=np.int64), number, at[:, 0], at[:, 1])


def located(areas: PlacedAreas, *points: tuple[float, float], stimulus: int = 0) -> list[str]:
    return [areas.names[number] for number in areas.locate(looks(points, stimulus))]


# Points


def test_left_and_top_edge_belong_to_a_rectangle_right_and_bottom_do_not() -> None:
    areas = read({"box": {"rectangle": [10, 20, 30, 40]}})
    inside = [(10, 20), (29.999, 39.999), (10, 39.5), (20, 20)]
    outside = [(30, 20), (10, 40), (30, 40), (9.999, 30), (20, 19.999)]
    assert located(areas, *inside) == ["box"] * 4
    assert located(areas, *outside) == [ELSEWHERE] * 5


@pytest.mark.parametrize(
    "body",
    [
        {"rectangle": [40, 30, 80, 60]},
        {"polygon": [[40, 30], [80, 30], [80, 60], [40, 60]]},
        {"polygon": [[40, 60], [80, 60], [80, 30], [40, 30]]},
    ],
)
def test_the_screens_right_and_bottom_edge_belong_to_what_reaches_them(body: dict[str, Any]) -> None:
    areas = read({"corner": body})
    assert located(areas, (80, 60), (80, 30), (40, 60), (40, 30)) == ["corner"] * 4
    assert located(areas, (39.9, 60), (80, 29.9)) == [ELSEWHERE] * 2


@pytest.mark.parametrize("corners", [SQUARE, SQUARE[::-1], SQUARE[2:] + SQUARE[:2], [*SQUARE, SQUARE[0]]])
def test_the_edges_of_a_polygon_do_not_depend_on_how_it_was_drawn(corners: list[list[int]]) -> None:
    areas = read({"box": {"polygon": corners}})
    same = read({"box": {"rectangle": [10, 10, 30, 30]}})
    points = list(itertools.product((9, 10, 20, 30, 31), repeat=2))
    assert located(areas, *points) == located(same, *points)


def test_the_first_of_overlapping_areas_counts() -> None:
    small, large = {"rectangle": [10, 10, 20, 20]}, {"rectangle": [0, 0, 40, 40]}
    point, beside = (15, 15), (30, 30)
    assert located(read({"small": small, "large": large}), point, beside) == ["small", "large"]
    assert located(read({"large": large, "small": small}), point, beside) == ["large", "large"]


def test_what_a_polygon_goes_around_twice_is_a_hole() -> None:
    """An outer and an inner ring in one line, the inner one in either direction; even-odd, whatever the direction."""
    outer, inner = [[0, 0], [40, 0], [40, 40], [0, 40]], [[10, 10], [30, 10], [30, 30], [10, 30]]
    for ring in (inner, inner[::-1]):
        corners = [*outer, outer[0], ring[0], *ring[1:], ring[0]]
        areas = read({"frame": {"polygon": corners}})
        assert located(areas, (5, 20), (35, 20), (20, 20)) == ["frame", "frame", ELSEWHERE]


number = st.integers(0, 60)
corner = st.tuples(number, number).map(list)


@given(st.lists(corner, min_size=3, max_size=8, unique_by=tuple))
def test_a_polygon_holds_what_matplotlib_says_it_holds(corners: list[list[int]]) -> None:
    """Off the edges, where matplotlib's answer depends on the direction of the line."""
    points = np.random.default_rng(len(corners)).uniform(0, 60, (300, 2))
    ours = read({"it": {"polygon": corners}}).locate(looks(points)) == 0
    theirs = Outline([*corners, corners[0]], closed=True).contains_points(points)
    np.testing.assert_array_equal(ours, theirs)


@given(corner, corner, st.lists(st.tuples(st.floats(0, 60), st.floats(0, 60)), min_size=1, max_size=30))
def test_neighbours_with_a_common_edge_share_no_point_and_leave_none_out(
    one: list[int], other: list[int], points: list[tuple[float, float]]
) -> None:
    """A square cut in two along a line from its upper to its lower edge, drawn down by one and up by the other."""
    x, end = one[0], other[0]
    left = read({"it": {"polygon": [[0, 0], [x, 0], [end, 60], [0, 60]]}}) if x or end else None
    right = read({"it": {"polygon": [[60, 0], [60, 60], [end, 60], [x, 0]]}}) if x < 60 or end < 60 else None
    line = [(x + t * (end - x) / 60, float(t)) for t in range(60)]
    gaze = looks([(min(a, 59.9), min(b, 59.9)) for a, b in [*points, *line]])
    held = [areas.locate(gaze) == 0 for areas in (left, right) if areas is not None]
    np.testing.assert_array_equal(np.sum(held, axis=0), 1)


def test_an_area_of_some_stimuli_is_nowhere_on_others() -> None:
    areas = read({"left": {**LEFT, "stimuli": ["sky"]}, "all": {"rectangle": [0, 0, 80, 30]}})
    assert located(areas, (5, 5), (5, 50)) == ["all", ELSEWHERE]
    assert located(areas, (5, 5), (5, 50), stimulus=1) == ["left", "left"]


def test_no_one_looked() -> None:
    assert read({"left": LEFT}).locate(looks([])).shape == (0,)


# Label images


def labels_of(folder: Path, name: str, pixels: Any, mode: str | None = None) -> Path:
    image = Image.fromarray(np.array(pixels))
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    (image if mode is None else image.convert(mode)).save(path)
    return path


def test_a_label_image_of_another_size_covers_the_screen(tmp_path: Path) -> None:
    labels_of(tmp_path, "labels/sea.png", np.array([[1, 2], [0, 3]], dtype=np.uint8))
    labels_of(tmp_path, "labels/sky.png", np.array([[3, 3, 1, 0]], dtype=np.uint8))
    given = {"three": {"label": 3}, "one": {"label": 1}, "two": {"label": 2, "stimuli": ["sea"]}}
    areas = read(given, tmp_path, "labels/{stimulus}.png")
    corners = [(0, 0), (40, 0), (39.9, 30), (80, 60), (80, 0), (0, 60)]
    assert located(areas, *corners) == ["one", "two", ELSEWHERE, "three", "two", ELSEWHERE]
    strip = [(0, 60), (39.9, 3), (40, 3), (59.9, 0), (60, 0), (80, 60)]
    assert located(areas, *strip, stimulus=1) == ["three", "three", "one", "one", ELSEWHERE, ELSEWHERE]


def test_labels_stand_beside_other_shapes_and_only_images_that_are_needed_are_read(tmp_path: Path) -> None:
    labels_of(tmp_path, "sea.png", np.full((3, 4), 300, dtype=np.uint16))
    given = {"left": LEFT, "boat": {"label": 300, "stimuli": ["sea"]}}
    areas = read(given, tmp_path, "{stimulus}.png")
    assert located(areas, (5, 5), (50, 5)) == ["left", "boat"]
    assert located(areas, (5, 5), (50, 5), stimulus=1) == ["left", ELSEWHERE]


def test_one_label_image_may_be_that_of_all_stimuli(tmp_path: Path) -> None:
    labels_of(tmp_path, "all.png", np.array([[1, 0]], dtype=np.uint8))
    areas = read({"left": {"label": 1}}, tmp_path, "all.png")
    assert located(areas, (5, 5)) == located(areas, (5, 5), stimulus=1) == ["left"]
    assert areas.images["sea"] is areas.images["sky"]


@pytest.mark.parametrize("mode", ["1", "L", "P", "I;16"])
def test_every_png_of_one_number_a_pixel_is_a_label_image(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "it.png"
    image = Image.new(mode, (2, 1))
    image.putpixel((1, 0), 1)
    image.save(path)
    assert read_label_image(path).astype(bool).tolist() == [[False, True]]
    assert read_label_image(path).dtype.kind in "iu"


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "LA"])
def test_colours_are_no_labels(tmp_path: Path, mode: str) -> None:
    path = labels_of(tmp_path, "sea.png", np.ones((2, 2), dtype=np.uint8), mode)
    with refused(PlanError, "label-image-in-colour") as caught:
        read_label_image(path)
    assert (caught.value.where, caught.value.found, caught.value.exit_code) == (str(path), f"mode {mode}", 3)


def damaged(folder: Path, kind: str) -> Path:
    path = labels_of(folder, "it.png", np.random.default_rng(1).integers(0, 9, (50, 50)).astype(np.uint8))
    whole = path.read_bytes()
    content = {
        "empty": b"",
        "text": b"labels",
        "cut": whole[: len(whole) // 2],
        "header alone": whole[:33],
        "garbled": whole[:60] + bytes(200) + whole[260:],
    }
    path.write_bytes(content[kind])
    return path


@pytest.mark.parametrize("kind", ["empty", "text", "cut", "header alone", "garbled"])
def test_a_damaged_image_is_refused(tmp_path: Path, kind: str) -> None:
    path = damaged(tmp_path, kind)
    with refused(PlanError, "bad-label-image", where=path, names=["PNG"]):
        read_label_image(path)


@pytest.mark.parametrize("name", ["it.bmp", "it.jpg", "it.tif"])
def test_an_image_that_is_no_png_is_refused(tmp_path: Path, name: str) -> None:
    path = labels_of(tmp_path, name, np.ones((2, 2), dtype=np.uint8)).rename(tmp_path / "it.png")
    with refused(PlanError, "bad-label-image", where=path, names=["PNG"]):
        read_label_image(path)


@pytest.mark.parametrize("path", ["no.png", "folder", "a\0b.png"])
def test_an_image_that_is_not_there_is_refused(tmp_path: Path, path: str) -> None:
    (tmp_path / "folder").mkdir()
    with refused(PlanError, "bad-label-image"):
        read_label_image(tmp_path / path)


def test_files_that_may_not_be_read_are_the_machines_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(path: Path, *_args: Any, **_options: Any) -> Any:
        raise PermissionError(13, "Permission denied", str(path))

    for module in (picture, reading):
        monkeypatch.setattr(module, "open_regular", forbidden)
    for name, use in (
        ("it.png", lambda: read_label_image(tmp_path / "it.png")),
        ("a.toml", lambda: read("a.toml", tmp_path)),
    ):
        with refused(MachineError, "cannot-read") as caught:
            use()
        assert caught.value.where == str(tmp_path / name)
        assert caught.value.exit_code == 6


@pytest.mark.parametrize(
    ("given", "images"),
    [
        ({"boat": {"label": 9, "stimuli": ["sea"]}}, {"sea": [1, 2]}),
        ({"boat": {"label": 2, "stimuli": ["sea", "sky"]}}, {"sky": [1]}),
        ({"boat": {"label": 9}}, {"sea": [1, 2], "sky": [1]}),
    ],
)
def test_a_label_that_is_not_in_the_image_is_refused(
    tmp_path: Path, given: Any, images: dict[str, list[int]]
) -> None:
    labels_of(tmp_path, "sea.png", np.array([[1, 2]], dtype=np.uint8))
    labels_of(tmp_path, "sky.png", np.array([[1, 1]], dtype=np.uint8))
    with refused(PlanError, "label-not-in-image") as caught:
        read(given, tmp_path, "{stimulus}.png")
    assert caught.value.where == f"{PLACE}: areas.boat"
    parts = caught.value.found.split("; ")
    assert [figures(part) for part in parts] == list(images.values())
    assert all(name in part for name, part in zip(images, parts, strict=True))
    read({"boat": {"label": 2}}, tmp_path, "{stimulus}.png")  # of one image at least


def test_labels_and_label_images_go_together() -> None:
    with refused(PlanError, "area-label-without-image", where=PLACE) as caught:
        read({"boat": {"label": 1}})
    assert "label_image" in caught.value.expected
    with refused(PlanError, "image-without-area-label", where=PLACE):
        read({"left": LEFT}, label_image="labels/{stimulus}.png")


# Tables


@pytest.mark.parametrize(
    ("body", "place", "code"),
    [
        ({"rectangle": [0, 0, 40]}, ".rectangle", "bad-shape"),
        ({"rectangle": [0, 0, 40, "60"]}, ".rectangle", "bad-shape"),
        ({"rectangle": [0, 0, 40, True]}, ".rectangle", "bad-shape"),
        ({"rectangle": "left"}, ".rectangle", "bad-shape"),
        ({"rectangle": [40, 0, 0, 60]}, ".rectangle", "bad-shape"),
        ({"rectangle": [0, 60, 40, 0]}, ".rectangle", "bad-shape"),
        ({"rectangle": [0, 0, 0, 60]}, ".rectangle", "bad-shape"),
        ({"rectangle": [0, 0, float("nan"), 60]}, ".rectangle", "bad-shape"),
        ({"rectangle": [0, 0, float("inf"), 60]}, ".rectangle", "bad-shape"),
        ({"rectangle": [0, 0, 81, 60]}, ".rectangle", "corner-off-screen"),
        ({"rectangle": [-1, 0, 40, 60]}, ".rectangle", "corner-off-screen"),
        ({"rectangle": [0, 0, 10**400, 60]}, ".rectangle", "corner-off-screen"),
        ({"polygon": SQUARE[:2]}, ".polygon", "bad-shape"),
        ({"polygon": [SQUARE[0], SQUARE[1], SQUARE[0]]}, ".polygon", "bad-shape"),
        ({"polygon": []}, ".polygon", "bad-shape"),
        ({"polygon": 3}, ".polygon", "bad-shape"),
        ({"polygon": [*SQUARE, [1, 2, 3]]}, ".polygon", "bad-shape"),
        ({"polygon": [*SQUARE, 4]}, ".polygon", "bad-shape"),
        ({"polygon": [*SQUARE, [1, None]]}, ".polygon", "bad-shape"),
        ({"polygon": [*SQUARE, [1, 60.5]]}, ".polygon", "corner-off-screen"),
        ({"polygon": [[1, 1]] * 10_001}, ".polygon", "bad-shape"),
        ({"label": 0}, ".label", "bad-shape"),
        ({"label": 1.0}, ".label", "bad-shape"),
        ({"label": True}, ".label", "bad-shape"),
        ({"label": "1"}, ".label", "bad-shape"),
        ({"label": 2**31}, ".label", "bad-shape"),
        ({}, "", "not-one-shape"),
        ({"stimuli": ["sea"]}, "", "not-one-shape"),
        ({**LEFT, "label": 1}, "", "not-one-shape"),
        ({**LEFT, "colour": "red"}, "", "unknown-area-key"),
        ([0, 0, 40, 60], "", "area-not-table"),
        ("left", "", "area-not-table"),
        ({**LEFT, "stimuli": "sea"}, ".stimuli", "bad-area-stimuli"),
        ({**LEFT, "stimuli": []}, ".stimuli", "bad-area-stimuli"),
        ({**LEFT, "stimuli": [1]}, ".stimuli", "bad-area-stimuli"),
        ({**LEFT, "stimuli": ["see"]}, ".stimuli", "unknown-area-stimulus"),
        ({**LEFT, "stimuli": ["sea", "sea"]}, ".stimuli", "duplicate-area-stimulus"),
    ],
    ids=str,
)
def test_what_is_no_area_is_refused_at_its_place(body: Any, place: str, code: str) -> None:
    with pytest.raises(PlanError) as caught:
        read({"left": LEFT, "bad": body}, label_image=None)
    error = caught.value
    assert error.code == code
    assert error.where == f"{PLACE}: areas.bad{place}"
    assert error.exit_code == 3
    assert error.expected


def test_what_a_shape_should_be_is_said() -> None:
    errors = []
    for body in ({"rectangle": [40, 0, 0, 60]}, {"polygon": SQUARE[:2]}, {"label": 0}, {"colour": "red"}):
        with pytest.raises(PlanError) as caught:
            read({"bad": body}, label_image=None)
        errors.append(str(caught.value))
    check_text("messages/areas", "\n\n".join(errors))


def test_what_is_named_wrongly_is_named_in_the_message() -> None:
    for body, name in (({**LEFT, "colour": "red"}, "'colour'"), ({**LEFT, "stimuli": ["see"]}, "'see'")):
        with pytest.raises(PlanError) as caught:
            read({"bad": body}, label_image=None)
        assert name in caught.value.problem


@pytest.mark.parametrize("name", ["", "two\nlines", "x" * 201, ELSEWHERE, "\ud800"])
def test_a_name_that_is_not_possible_is_refused(name: str) -> None:
    with refused(PlanError, "reserved-area-name" if name == ELSEWHERE else "bad-area-name") as caught:
        read({name: LEFT})
    assert caught.value.where == f"{PLACE}: areas"
    assert caught.value.expected


def test_no_areas_and_too_many_are_refused() -> None:
    with refused(PlanError, "no-areas"):
        read({})
    with refused(PlanError, "too-many-areas") as caught:
        read({f"a{i}": LEFT for i in range(1001)})
    assert figures(caught.value.found) == [1001]
    assert len(read({f"a{i}": LEFT for i in range(1000)}).names) == 1001


# Files


def test_a_file_of_either_language_is_the_table(tmp_path: Path) -> None:
    (tmp_path / "areas.toml").write_text(
        '[left]\nrectangle = [0, 0, 40, 60]\n["the sun"]\npolygon = [[50, 0], [80, 0], [80, 30]]\nstimuli = ["sky"]\n'
    )
    table = {"left": LEFT, "the sun": {"polygon": [[50, 0], [80, 0], [80, 30]], "stimuli": ["sky"]}}
    (tmp_path / "areas.json").write_text(json.dumps(table))
    inline = read(table).areas
    assert read("areas.toml", tmp_path).areas == inline
    assert read("areas.json", tmp_path).areas == inline
    assert [area.name for area in inline] == [*table]


@pytest.mark.parametrize(
    ("name", "content", "code", "named"),
    [
        ("areas.toml", b"left = ", "bad-syntax", "TOML"),
        ("areas.toml", b"left = {label = 1}\nleft = {label = 2}", "bad-syntax", "TOML"),
        ("areas.toml", b"\xff\xfe", "not-utf8", "UTF-8"),
        ("areas.toml", b"", "no-areas", ""),
        ("areas.json", b"{", "bad-syntax", "JSON"),
        ("areas.json", b"[1]", "no-area-table", ""),
        ("areas.json", b'{"left": {"label": 1}, "left": {"label": 2}}', "bad-syntax", "'left'"),
        ("areas.json", b'{"left": ' + b"[" * 200_000, "bad-syntax", "JSON"),
        ("areas.json", b'{"left": ' + b"9" * 5000 + b"}", "bad-syntax", "JSON"),
        ("areas.json", b'{"left": {"label": NaN}}', "bad-shape", "areas.json.left.label"),
        ("areas.json", b'{"left": {"rectangle": [0, 0, 1e999, 9]}}', "bad-shape", ".left.rectangle"),
        ("areas.toml", b"left = {rectangle = [0, 0, 40, 2026-01-01]}", "bad-shape", ".left.rectangle"),
    ],
)
def test_a_file_that_is_no_table_of_areas_is_refused(
    tmp_path: Path, name: str, content: bytes, code: str, named: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with refused(PlanError, code) as caught:
        read(name, tmp_path)
    assert caught.value.where.startswith(str(tmp_path / name))
    assert named in str(caught.value)
    assert caught.value.expected


@pytest.mark.parametrize(
    ("name", "code"), [("no.toml", "no-such-file"), ("folder", "path-is-folder"), ("a\0b", "bad-path")]
)
def test_a_file_that_is_not_there_is_refused(tmp_path: Path, name: str, code: str) -> None:
    (tmp_path / "folder").mkdir()
    with refused(PlanError, code, where=repr(str(tmp_path / name))[1:-1]):
        read(name, tmp_path)
