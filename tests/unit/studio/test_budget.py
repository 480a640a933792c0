"""What a budget buys, at every position of the slider; and pictures that have the accuracy that they state."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest
from studio_project import PAID_PLAN, PLAN, Browser, project

import synthrelease.api
from synthrelease.building.builder import build
from synthrelease.dp.guarantee import Neighbours
from synthrelease.errors import PolicyError
from synthrelease.kinds.expectation import CORRELATION, ERROR, MAP_CORRELATION, UNKNOWN, VARIATION
from synthrelease.ledgers import Ledger
from synthrelease.plan.plan import load_plan
from synthrelease.studio import budget, simulated
from synthrelease.studio.budget import HIGHEST, LOWEST, POSITIONS, Budgets, changes, nearest_position


def test_positions_are_in_order_and_reach_both_ends() -> None:
    assert POSITIONS[0] == LOWEST
    assert POSITIONS[-1] == HIGHEST
    assert list(POSITIONS) == sorted(set(POSITIONS))
    assert POSITIONS[nearest_position(1.01)] == pytest.approx(1.0, rel=0.1)


def test_figures_are_those_of_preview(tmp_path: Path) -> None:
    here = project(tmp_path)
    view = Budgets(here).at()
    shown = synthrelease.api.preview(here.plan)
    assert view.preview is not None
    assert json.dumps(view.preview["outputs"]) == json.dumps(shown["outputs"])
    assert view.preview["guarantee"] == shown["guarantee"]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 7.0])
def test_figures_of_another_budget_are_those_of_the_plan_with_it(tmp_path: Path, epsilon: float) -> None:
    own = PLAN + 'epsilon = 1.5\n[[outputs]]\nname = "more"\nkind = "heatmap"\ninput = "gaze"\n'
    here = project(tmp_path, own)
    view = Budgets(here).at(epsilon)
    browser = Browser(here)
    browser.change("/budget", epsilon=str(epsilon))
    shown = synthrelease.api.preview(here.plan)
    assert shown["outputs"][0]["epsilon"] == pytest.approx(0.75 * epsilon)
    assert view.preview is not None
    assert json.dumps(view.preview["outputs"]) == json.dumps(shown["outputs"])


def test_labels_are_read_once_for_a_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[object] = []
    facts = budget.public_facts
    monkeypatch.setattr(budget, "public_facts", lambda plan: reads.append(plan) or facts(plan))
    here = project(tmp_path)
    budgets = Budgets(here)
    for epsilon in (1.0, 2.0, 1.0):
        budgets.at(epsilon)
    assert len(reads) == 1
    here.plan.write_text(PLAN.replace('"Small"', '"Other"'))
    budgets.at(1.0)
    assert len(reads) == 2
    assert budgets.is_known()
    with (here.folder / "gaze.csv").open("a") as file:
        file.write("P99,s,sky,1,1\n")
    assert not budgets.is_known()
    budgets.at(1.0)
    assert len(reads) == 3


def test_a_budget_for_which_there_is_no_release_is_explained(tmp_path: Path) -> None:
    plan = PLAN.replace('kind = "heatmap"', 'kind = "heatmap"\nmechanism = "laplace"').replace(
        "delta = 1e-6\n", ""
    )
    view = Budgets(project(tmp_path, plan)).at(0.1)
    assert view.problem is None or isinstance(view.problem, PolicyError)


THREE = (
    PLAN.replace("epsilon = 2.0", "epsilon = 3.0")
    + "epsilon = 2.0\n"
    + '[[outputs]]\nname = "more"\nkind = "heatmap"\ninput = "gaze"\n'
    + '[[outputs]]\nname = "last"\nkind = "heatmap"\ninput = "gaze"\nepsilon = 0.5\n'
)


def test_outputs_with_a_budget_of_their_own_keep_their_part(tmp_path: Path) -> None:
    plan = load_plan(project(tmp_path, THREE).plan)
    made = changes(plan, 0.1, {"more": 0.25, "last": 0.9})
    assert made == {
        ("privacy", "epsilon"): 0.1,
        ("outputs", 0, "epsilon"): pytest.approx(0.0666666, abs=1e-6),
        ("outputs", 1, "share"): 0.25,
        ("outputs", 2, "epsilon"): pytest.approx(0.0166666, abs=1e-6),
    }
    assert made["outputs", 0, "epsilon"] + made["outputs", 2, "epsilon"] <= 2.5 / 3 * 0.1  # type: ignore[operator]


def test_shares_that_are_tried_are_those_of_the_plan_that_is_written(tmp_path: Path) -> None:
    two = PLAN + '[[outputs]]\nname = "more"\nkind = "heatmap"\ninput = "gaze"\n'
    here = project(tmp_path, two)
    browser = Browser(here)
    equal = Budgets(here).at().preview
    tried = Budgets(here).at(1.25, {"more": 0.25}).preview
    asked = {"position": "3", "epsilon": "1.25", "share maps": "", "share more": "25"}
    shown = browser.ask(f"/budget/view?{urlencode(asked)}")
    assert shown.status == 200
    browser.change("/budget", **asked)
    assert here.plan_text().count("share = 0.25") == 1  # type: ignore[union-attr]
    written = synthrelease.api.preview(here.plan)
    assert tried is not None
    assert equal is not None
    assert json.dumps(tried["outputs"]) == json.dumps(written["outputs"])
    small, large = (
        row["epsilon"] for row in sorted(written["outputs"], key=lambda row: row["name"] != "more")
    )
    assert small < large / 2 < equal["outputs"][0]["epsilon"]
    browser.change("/budget", **{**asked, "share more": ""})
    assert "share" not in here.plan_text()  # type: ignore[operator]


@pytest.mark.parametrize("asked", [{"position": "no number"}, {"share maps": "much"}, {"share maps": "150"}])
def test_what_is_no_budget_is_explained(tmp_path: Path, asked: dict[str, str]) -> None:
    browser = Browser(project(tmp_path))
    shown = browser.ask(
        f"/budget/view?{urlencode({'position': '3', **asked})}", more=[("hx-request", "true")]
    )
    assert shown.status in (200, 422)
    assert "problem" in shown.text


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.5321, 0.9, 1.0])
def test_a_simulated_map_has_the_correlation_that_it_states(correlation: float) -> None:
    exact, guess = simulated._exact_map(), simulated._centre()
    made = simulated.with_correlation(exact, correlation, guess, simulated._noise(exact.shape, 1.6))
    assert np.corrcoef(made.ravel(), exact.ravel())[0, 1] == pytest.approx(correlation, abs=1e-9)


@pytest.mark.parametrize("variation", [0.0, 0.01, 0.2, 0.5])
def test_a_simulated_distribution_has_the_variation_that_it_states(variation: float) -> None:
    exact = simulated._exact_distribution()
    made = simulated.with_variation(exact, variation)
    assert np.abs(made - exact).sum() / 2 == pytest.approx(variation, abs=1e-9)
    assert made.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("measure", [MAP_CORRELATION, CORRELATION, VARIATION, UNKNOWN])
def test_measures_of_shapes_have_pictures(measure: str) -> None:
    for accuracy in (-0.1, 0.0, 0.4, 1.0, 1.2):
        made = simulated.picture(measure, accuracy)
        assert made is not None
        assert made.source or made.released
    assert simulated.picture(measure, math.nan) is None


def test_numbers_have_none() -> None:
    assert simulated.picture(ERROR, 0.5) is None


def test_a_release_page_comes_first_and_what_to_expect_later(tmp_path: Path) -> None:
    here = project(tmp_path)
    browser = Browser(here)
    first = browser.ask("/release").text
    assert 'class="expected"' not in first  # not a sentence: markup
    assert first.count('hx-get="/release" hx-trigger="load"') == 1  # not a sentence: markup
    asked = browser.ask("/release", more=[("hx-request", "true")]).text
    for text in (asked, browser.ask("/release").text):
        assert 'class="expected"' in text  # not a sentence: markup
        assert 'hx-trigger="load"' not in text
    here.plan.write_text(PLAN.replace("2.0", "3.0"))
    assert 'class="expected"' not in browser.ask("/release").text  # not a sentence: markup


OWN = (
    PLAN.replace("epsilon = 2.0", "epsilon = 1.25")
    + '[[outputs]]\nname = "more"\nkind = "heatmap"\ninput = "gaze"\n'
)


def test_dividing_otherwise_leaves_an_epsilon_that_is_no_position_of_the_slider(tmp_path: Path) -> None:
    browser = Browser(project(tmp_path, OWN))
    position = nearest_position(1.25)
    assert POSITIONS[position] != 1.25
    browser.change(
        "/budget", **{"position": str(position), "epsilon": "", "share maps": "30", "share more": ""}
    )
    text = browser.project.plan_text() or ""
    assert "epsilon = 1.25" in text
    assert text.count("share = ") == 1
    browser.change(
        "/budget", **{"position": str(position + 1), "epsilon": "", "share maps": "30", "share more": ""}
    )
    assert f"epsilon = {POSITIONS[position + 1]}" in (browser.project.plan_text() or "")


@pytest.mark.parametrize(
    ("asked", "is_written"),
    [({}, True), ({"epsilon": "1.25"}, True), ({"epsilon": "1.3"}, False), ({"share maps": "10"}, False)],
)
def test_what_is_tried_out_only_is_called_so(
    tmp_path: Path, asked: dict[str, str], *, is_written: bool
) -> None:
    browser = Browser(project(tmp_path, OWN))
    here = {
        "position": str(nearest_position(1.25)),
        "epsilon": "",
        "share maps": "",
        "share more": "",
        **asked,
    }
    assert ("tried" not in browser.ask(f"/budget/view?{urlencode(here)}").text) == is_written


@pytest.mark.parametrize("epsilon", ["0", "-1"])
def test_an_epsilon_is_positive(tmp_path: Path, epsilon: str) -> None:
    browser = Browser(project(tmp_path))
    assert browser.change("/budget", position="3", epsilon=epsilon).status == 422
    assert browser.project.plan_text() == PLAN


@pytest.mark.parametrize("share", ["0", "-5", "1e9"])
def test_a_share_that_is_none_is_a_message(tmp_path: Path, share: str) -> None:
    browser = Browser(project(tmp_path, OWN))
    asked = urlencode({"position": "9", "share maps": share})
    answer = browser.ask(f"/budget/view?{asked}", more=[("hx-request", "true")])
    assert answer.status in (200, 422)
    assert "problem" in answer.text


def paid(folder: Path, granted: float) -> Browser:
    """A project whose ledger another release has charged."""
    browser = Browser(project(folder, PAID_PLAN))
    ledger = Ledger(folder / "ledger.sqlite")
    ledger.grant("study", granted, 1e-5, Neighbours.REPLACE_ONE)
    return browser


def charged(folder: Path) -> None:
    """Charge the ledger of a project by another one, as the same plan under another version."""
    other = folder / "other.toml"
    other.write_text(PAID_PLAN.replace('"1.0.0"', '"0.9.0"'))
    build(other, folder / "other.h5", force=True)


def test_figures_of_the_ledger_are_those_of_now(tmp_path: Path) -> None:
    """Whoever charged it since the plan was read."""
    browser = paid(tmp_path, 10.0)
    figures = []
    for _ in range(2):
        card = browser.ask("/build").text.partition('name="digest"')[2].partition('name="yes"')[0]
        sentence = card.rpartition("<p>")[2]  # of the cost
        figures.append([float(number) for number in re.findall(r"\d+(?:\.\d+)?", sentence)][:2])
        expected = synthrelease.api.preview(browser.project.plan)["ledger"]
        assert figures[-1] == [pytest.approx(expected[key], rel=5e-3) for key in ("here", "after")]
        charged(tmp_path)
    assert figures[0] != figures[1]


@pytest.mark.parametrize("at", ["/budget", "/budget/view?position=40"])
def test_over_the_limit_epsilon_can_be_lowered_to_the_largest_that_fits(tmp_path: Path, at: str) -> None:
    browser = paid(tmp_path, 2.5)
    charged(tmp_path)
    answer = browser.ask(at)
    assert answer.status == 200
    assert 'class="problem" role="alert"' in answer.text  # not a sentence: markup
    assert ('id="position"' in browser.ask("/budget").text) is True  # not a sentence: markup
    (largest,) = re.findall(r"\[privacy\] to ([\d.]+),", answer.text)
    for epsilon, fits in ((float(largest), True), (float(largest) + 0.01, False)):
        view = browser.ask(f"/budget/view?position=40&epsilon={epsilon:g}")
        assert ('class="problem"' not in view.text) is fits  # not a sentence: markup
    browser.change("/budget", position="3", epsilon=largest)
    assert 'name="yes"' in browser.ask("/build").text  # not a sentence: markup
