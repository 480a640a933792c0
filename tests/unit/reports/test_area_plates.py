"""Areas drawn on their stimulus, in both reports, and tables that fit a phone."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from invented_study import write_areas_study
from PIL import Image

import synthrelease
from synthrelease.data.screen import Screen
from synthrelease.evaluation.evaluate import evaluate
from synthrelease.evaluation.private_page import write_private_page
from synthrelease.kinds.public_area import PublicArea
from synthrelease.reports.area_plates import DrawnAreas
from synthrelease.reports.look import Look
from synthrelease.reports.page import _code, _css_text


def test_corners_of_every_shape() -> None:
    rectangle = PublicArea("r", "rectangle", ((10.0, 20.0), (30.0, 50.0)), None, None)
    assert rectangle.corners == ((10, 20), (30, 20), (30, 50), (10, 50))
    triangle = ((0.0, 0.0), (4.0, 0.0), (2.0, 3.0))
    assert PublicArea("p", "polygon", triangle, None, None).corners == triangle
    assert PublicArea("l", "label", None, 3, None).corners == ()
    assert PublicArea("elsewhere", None, None, None, None).corners == ()


def test_the_first_area_hides_those_after_it_and_the_largest_share_is_deepest() -> None:
    corners = {"first": ((0, 0), (50, 0), (50, 50)), "second": ((0, 0), (80, 0), (80, 60))}
    drawn = DrawnAreas("sea", Screen(100, 50), corners, {"released": {"first": 0.2, "second": 0.4}})
    (panel,) = drawn.plate(Look()).panels
    below, above = panel.pictures[0].shapes
    assert (below.name, above.name) == ("second", "first")
    assert (below.weight, above.weight) == (1.0, 0.5)
    assert above.place == (0.25, 0.5)
    assert above.points == "0,0 50,0 50,50"
    assert all(word in panel.pictures[0].alt for word in ("sea", "first", "second"))


def test_no_name_hides_another_and_the_first_stays_on_its_area() -> None:
    """Rows of 15 px are 15/203 of a picture that is 270 px wide; names that have room stay where they are."""
    nested = {f"area {n}": ((50 - n, 50 - n), (50 + n, 50 - n), (50 + n, 50 + n)) for n in range(1, 7)}
    corners = {**nested, "alone": ((80, 0), (100, 0), (100, 10))}
    drawn = DrawnAreas("sea", Screen(100, 75), corners, {"released": dict.fromkeys(corners, 0.1)})
    (panel,) = drawn.plate(Look()).panels
    place = {shape.name: shape.place for shape in panel.pictures[0].shapes}
    assert place["area 1"] == (0.5, pytest.approx(50 / 75))
    assert place["alone"] == (0.9, pytest.approx(5 / 75))
    assert {x for x, _ in place.values()} == {0.5, 0.9}
    heights = sorted(place[name][1] for name in nested)
    assert min(after - before for before, after in itertools.pairwise(heights)) >= 15 / 203
    assert 0 <= heights[0] < heights[-1] <= 1


@pytest.mark.thorough
def test_both_reports_draw_areas_over_the_photograph(tmp_path: Path) -> None:
    plan = write_areas_study(tmp_path)
    bundle = synthrelease.build(plan, tmp_path / "r.h5", test_seed=5).path
    stimulus = synthrelease.open_bundle(bundle, allow_test_seed=True).manifest["outputs"][0]["mechanism"][
        "parameters"
    ]["stimuli"][0]
    Image.new("RGB", (80, 60), (9, 99, 9)).save(tmp_path / f"{stimulus}.png")
    synthrelease.report(bundle, tmp_path / "public.html", stimuli=tmp_path)
    write_private_page(evaluate(plan, bundle), tmp_path / "private.html", stimuli=tmp_path)
    for name, panels in (("public", 1), ("private", 2)):
        page = (tmp_path / f"{name}.html").read_text("utf-8")
        over = [plate for plate in page.split("<figure ") if "--photograph" in plate and "<polygon" in plate]
        assert over
        assert {plate.count('class="shapes"') for plate in over} == {panels}


@pytest.mark.parametrize(
    "text", ["p, corrected", "a'b\\", '"></style><b>', "x\ny", "é … \N{RIGHT-TO-LEFT OVERRIDE}"]
)
def test_no_name_of_a_column_ends_its_text_in_a_style(text: str) -> None:
    quoted = str(_css_text(text))
    assert re.fullmatch(r"'(?:[A-Za-z0-9]|\\[0-9a-f]+ )*'", quoted)
    read = re.sub(r"\\([0-9a-f]+) ", lambda match: chr(int(match[1], 16)), quoted[1:-1])
    assert read.startswith(text[:1])
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in read


def test_a_space_that_does_not_break_stays_one_in_a_style() -> None:
    assert _css_text("ε\N{NO-BREAK SPACE}= 2") == r"'\3b5 \a0 \3d \20 2'"


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("the `uncertainty` is", "the <code>uncertainty</code> is"),
        ("one ` only", "one ` only"),
        ("`<b>` & `a", "<code>&lt;b&gt;</code> &amp; `a"),
        ("\N{RIGHT-TO-LEFT OVERRIDE}`x`", "\\u202e<code>x</code>"),
    ],
)
def test_what_stands_between_backticks_is_code_and_no_more_markup(sentence: str, shown: str) -> None:
    assert str(_code(sentence)) == shown
