"""Power curves: at the plan's ε and participants they are the preview, elsewhere they go the way they must, and nothing private is in them."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import layouts
import made
import made_people
import made_scanpaths
import pytest

from synthrelease.building.design import Design, make_design
from synthrelease.building.power import PowerCurve, power_curves
from synthrelease.building.power_charts import power_chart
from synthrelease.building.preview import preview
from synthrelease.dp.budget import Budget
from synthrelease.numerics.spectral import SpectralForm
from synthrelease.plan.plan import load_plan

EPSILONS = (0.5, 1.0, 2.0)
PEOPLE = (3, 10, 60, 200, 1000, 20_000)


@pytest.fixture(scope="module")
def designs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Design]:
    names = ("maps", "series", "statistics", "areas")
    return {
        name: make_design(load_plan(layouts.STUDIES[name](tmp_path_factory.mktemp(name)))) for name in names
    }


@pytest.mark.parametrize("name", ["maps", "series", "statistics", "areas"])
def test_here_a_curve_is_what_the_preview_says(designs: dict[str, Design], name: str) -> None:
    design = designs[name]
    rows = {row["name"]: row for row in preview(design)["outputs"]}
    for output in design.outputs:
        budget, row = output.budget, rows[output.name]
        assert budget is not None
        curves = power_curves(design, output, [budget.epsilon], [row["people"]])
        subjects = [subject for curve in curves for subject in curve.subjects]
        assert sorted(subjects) == sorted(one["subject"] for one in row["expected"])
        for curve in curves:
            ((line,), (people,)) = curve.lines, curve.people
            assert (line.epsilon, people, curve.here) == (budget.epsilon, row["people"], row["people"])
            (one,) = line.expected
            (said,) = (said for said in row["expected"] if said["subject"] == one.subject)
            assert {key: said[key] for key in ("best", "worst", "without_data")} == {
                key: getattr(one, key) for key in ("best", "worst", "without_data")
            }


def not_worse(curve: PowerCurve, one: float, other: float, slack: float = 1e-9) -> bool:
    return other >= one - slack if curve.first.higher_is_better else other <= one + slack


@pytest.mark.parametrize("name", ["maps", "series"])
def test_more_participants_and_more_epsilon_are_never_worse(designs: dict[str, Design], name: str) -> None:
    design = designs[name]
    for output in design.outputs:
        (curve,) = power_curves(design, output, EPSILONS, PEOPLE)
        assert len(curve.lines) == len({*EPSILONS, curve.lines[curve.planned].epsilon})
        for end in ("best", "worst"):
            by_line = [curve.values(line, end) for line in curve.lines]
            for values in by_line:
                assert all(not_worse(curve, *pair) for pair in itertools.pairwise(values))
                assert not_worse(curve, values[0], values[-1], -0.05), "and many are better than three"
            assert by_line[0] != by_line[-1]
            for fewer, more in itertools.pairwise(by_line):
                assert all(not_worse(curve, *pair) for pair in zip(fewer, more, strict=True))


def test_viewers_of_a_stimulus_grow_with_the_participants() -> None:
    form = SpectralForm((0.1, 0.1), (4, 4), 1.25, 0.35)
    viewers = {"people": 40, "viewers": (40, 10), "assignment_public": True}
    p = made.spectral(stimuli=2, form=form, max_stimuli=2, **viewers).parameters
    assert p.with_people(400).public_viewers == (400, 100)
    assert p.with_people(40) == p
    alone = replace(p, people=None, viewers=None)
    assert alone.with_people(400) == alone


@pytest.mark.parametrize(
    ("mechanism", "budget"),
    [
        (made_people.mechanism(), made_people.BUDGET),
        (made_scanpaths.mechanism(), made_scanpaths.BUDGET),
    ],
    ids=["people", "scanpaths"],
)
def test_people_and_scanpaths_of_more_participants_are_better(mechanism, budget: Budget) -> None:
    event = mechanism.calibrate(budget)
    few, many = (mechanism.with_people(n).expected(event, budget, n) for n in (100, 100_000))
    assert [one.subject for one in few] == [one.subject for one in many]
    assert all(
        (after.worst > before.worst) == before.higher_is_better
        for before, after in zip(few, many, strict=True)
    )


def test_an_epsilon_for_which_there_is_no_output_is_left_out(designs: dict[str, Design]) -> None:
    design = designs["maps"]
    paper = next(output for output in design.outputs if output.mechanism.parameters.name == "gaussian")
    parameters = replace(
        paper.mechanism.parameters, calibration="liu2019", max_samples_per_stimulus=None, rows=10, columns=10
    )
    assert paper.budget is not None
    budget = Budget(0.1, 1e-3)
    mechanism = replace(paper.mechanism, parameters=parameters)
    output = replace(paper, mechanism=mechanism, budget=budget, event=mechanism.calibrate(budget))
    (curve,) = power_curves(design, output, [50.0])
    assert [line.epsilon for line in curve.lines] == [0.1]


def test_a_private_number_of_participants_is_in_no_curve(tmp_path: Path) -> None:
    curves = []
    for folder, people in ((tmp_path / "a", "abcdefg"), (tmp_path / "b", "abcd")):
        folder.mkdir()
        rows = "".join(f"{who},{size}\n" for who in people for size in (3, 4))
        (folder / "pupil.csv").write_text(f"who,pupil_mm\n{rows}")
        (folder / "plan.toml").write_text(
            '[release]\nname = "p"\nversion = "1"\ntitle = "P"\n'
            '[privacy]\nepsilon = 1.0\nneighbours = "add-remove-one"\n'
            '[inputs.pupil]\nkind = "features"\npath = "pupil.csv"\ncolumns = { person = "who" }\nbounds = { pupil_mm = [1.5, 8.0] }\n'
            '[[outputs]]\nname = "s"\nkind = "statistics"\ninput = "pupil"\nstatistics = ["count"]\n'
        )
        design = make_design(load_plan(folder / "plan.toml"))
        curves.append(power_curves(design, design.outputs[0]))
    assert curves[0] == curves[1]
    (curve,) = curves[0]
    assert curve.here is None
    assert power_chart(curve).marks == ()


def test_a_chart_has_the_numbers_of_its_curve(designs: dict[str, Design]) -> None:
    design = designs["maps"]
    (curve,) = power_curves(design, design.outputs[0])
    chart = power_chart(curve)
    assert [line.tone for line in chart.lines] == ["band", "limit", "less", "main", "more"]
    assert chart.table is not None
    assert [name for name, _ in chart.table.rows] == ["6", "13", "28", "60", "129", "278", "600"]
    (mark,) = chart.marks
    at = curve.people.index(60)
    assert mark.x == pytest.approx(0.5)  # from a tenth to ten times as many
    assert mark.y == pytest.approx(1 - curve.values(curve.lines[1], "worst")[at])
    assert f"{mark.x * chart.width:.2f} {mark.y * chart.height:.2f}" in chart.lines[3].path


def test_features_whose_errors_are_the_same_share_of_their_bounds_are_one_chart(
    designs: dict[str, Design],
) -> None:
    design = designs["statistics"]
    curves = power_curves(design, design.outputs[0], people=[30, 60])
    by_subjects = {curve.subjects: curve for curve in curves}
    assert by_subjects["mean of left_mm", "mean of speed"].is_share
    alone = {curve.subjects[0] for curve in curves if len(curve.subjects) == 1}
    sums = {f"sum of {feature}" for feature in ("left_mm", "speed")}
    assert alone == sums  # how far 0 is from the bounds differs
