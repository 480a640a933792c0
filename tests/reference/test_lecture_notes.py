"""The lecture notes on the Laplace mechanism: average weight, bounds [30, 150], ε = 0.1."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from goldens import check_text

import synthrelease
from synthrelease.building.design import make_design
from synthrelease.building.preview import as_text, preview
from synthrelease.dp.accounting import compose
from synthrelease.dp.calibration import laplace_scale
from synthrelease.dp.event import DiscreteLaplace
from synthrelease.dp.guarantee import Neighbours, PureDP
from synthrelease.dp.sensitivity import quantile_utility
from synthrelease.kinds.statistics.sensitivity import sensitivity
from synthrelease.numerics.statistics import StatisticUnit
from synthrelease.numerics.steps import centre_and_step
from synthrelease.plan.plan import load_plan

EPSILON = 0.1
LOW_KG, HIGH_KG = 30.0, 150.0
STEP_KG = centre_and_step(LOW_KG, HIGH_KG)[1]
UNIT = StatisticUnit((LOW_KG, HIGH_KG), people=4)
STEPS = sensitivity(["mean"], units=[UNIT], neighbours=Neighbours.REPLACE_ONE).l1


PLAN = """
[release]
name = "weights"
version = "1"
title = "Weights"
[privacy]
epsilon = 0.1
[inputs.people]
kind = "features"
path = "weights.csv"
columns = { person = "name" }
[inputs.people.bounds]
weight_kg = [30, 150]
[[outputs]]
name = "average"
kind = "statistics"
input = "people"
statistics = ["mean"]
"""
FOUR = {"Alice": 40, "Bob": 60, "Charles": 80, "Doe": 60}


def plan(folder: Path, people: int) -> Path:
    """The notes' table, or one of a thousand people of whom nothing is said but that there are so many."""
    weights = FOUR if people == 4 else {f"person {i}": 30 + i % 121 for i in range(people)}
    (folder / "weights.csv").write_text(
        "\n".join(["name,weight_kg", *(f"{who},{kg}" for who, kg in weights.items())])
    )
    (folder / "plan.toml").write_text(PLAN)
    return folder / "plan.toml"


def viewed(folder: Path, people: int) -> dict[str, Any]:
    return preview(make_design(load_plan(plan(folder, people))))


def sensitivity_kg(people: int) -> float:
    """GS of the average weight."""
    return STEPS * STEP_KG / people


def noise() -> DiscreteLaplace:
    """The noise that is added to the sum of weights, in steps."""
    return DiscreteLaplace(STEPS, laplace_scale(EPSILON, sensitivity=STEPS), 1)


def beyond(deviations: float) -> float:
    """P(|noise| ≥ this many standard deviations), summed over the exact probabilities of whole kilograms."""
    event = DiscreteLaplace(120, laplace_scale(EPSILON, sensitivity=120), 1)
    first = math.ceil(deviations * event.standard_deviation)
    weights = np.exp(-np.arange(math.ceil(40 * event.scale)) / event.scale)
    return 2 * float(weights[first:].sum() / (2 * weights.sum() - weights[0]))


@pytest.mark.parametrize(("people", "moved", "b"), [(4, 30.0, 300.0), (1000, 0.12, 1.2)])
def test_lecture_notes_sensitivity_and_scale_of_the_average_weight(
    people: int, moved: float, b: float
) -> None:
    assert sensitivity_kg(people) == pytest.approx(moved, rel=1e-14)
    assert noise().scale * STEP_KG / people == pytest.approx(b, rel=1e-14)


def test_lecture_notes_scale_of_whole_kilograms_by_hand() -> None:
    assert laplace_scale(EPSILON, sensitivity=30) == 300.0
    assert laplace_scale(EPSILON, sensitivity=120) / 1000 == pytest.approx(1.2, rel=1e-14)


def test_lecture_notes_standard_deviation_is_root_2_b() -> None:
    """1.697 kg with 1000 people: variance 2b² (of the discrete noise, less a millionth of a millionth)."""
    deviation = noise().standard_deviation * STEP_KG / 1000
    assert deviation == pytest.approx(1.697, abs=5e-4)
    assert deviation == pytest.approx(math.sqrt(2) * 1.2, rel=1e-10)


def test_lecture_notes_exact_tail_at_two_standard_deviations_is_0_0591() -> None:
    assert math.exp(-2 * math.sqrt(2)) == pytest.approx(0.0591, abs=5e-5)
    assert beyond(2.0) == pytest.approx(0.0591, abs=1e-4)


def test_lecture_notes_chebyshev_at_two_standard_deviations_is_a_quarter_and_not_three_quarters() -> None:
    """The notes print "no larger than 3/4": that is what the *inside* has at least."""
    chebyshev = 1 / 2**2
    assert beyond(2.0) <= chebyshev
    assert 1 - beyond(2.0) >= 1 - chebyshev == 0.75
    # A bound of 3/4 would already hold at 2/√3 deviations: it is not Chebyshev's at two.
    assert (2 / math.sqrt(3)) ** -2 == pytest.approx(0.75)
    # And Chebyshev's is the best possible: ±2 with probability 1/8 each, else 0, has deviation 1.
    assert math.sqrt(2 * 2**2 / 8) == 1.0
    assert chebyshev == 2 / 8


@pytest.mark.parametrize("deviations", [1.0, 1.5, 2.0, 3.0, 5.0])
def test_lecture_notes_exact_tail_is_the_exponential_everywhere(deviations: float) -> None:
    assert beyond(deviations) == pytest.approx(math.exp(-deviations * math.sqrt(2)), rel=2e-3)
    assert beyond(deviations) <= 1 / deviations**2


def test_lecture_notes_theorem_with_the_exponential_and_not_one_plus_epsilon() -> None:
    """The ratio of probabilities reaches e^ε, which is above the notes' 1 + ε: that is no bound."""
    event = noise()
    ratio = math.exp(STEPS / event.scale)
    assert ratio == pytest.approx(math.exp(EPSILON), rel=1e-12)
    assert ratio > 1 + EPSILON
    assert math.exp(-STEPS / event.scale) > 1 - EPSILON
    guarantee = compose([event], delta=0.0)
    assert isinstance(guarantee, PureDP)
    assert guarantee.epsilon == pytest.approx(EPSILON, rel=1.01e-5)


@pytest.mark.parametrize(
    ("people", "printed"),
    [(4, ["300", "424.3", "898.7", "1897"]), (1000, ["1.2", "1.697", "3.595", "7.589"])],
)
def test_lecture_notes_both_cases_are_what_preview_prints(
    tmp_path: Path, people: int, printed: list[str]
) -> None:
    """Scale, standard deviation, what 95 % keep within, and Chebyshev's bound of that; in kilograms."""
    view = viewed(tmp_path, people)
    head, row = view["outputs"][0]["errors"]
    assert "weight_kg" in row[0]
    assert row[1:] == printed
    check_text("preview/errors-of-a-mean", "\n".join(head))
    b = float(printed[0])
    assert float(printed[2]) == pytest.approx(b * math.log(20), rel=2e-4)
    assert float(printed[3]) == pytest.approx(math.sqrt(2) * b * math.sqrt(20), rel=2e-4)
    text = as_text(view)
    assert all(number in text for number in printed)


def test_lecture_notes_preview_has_the_exact_tail_beside_chebyshev_s_quarter(tmp_path: Path) -> None:
    (tail,) = (output["beyond_deviations"] for output in viewed(tmp_path, 1000)["outputs"])
    assert tail == {"deviations": 2, "probability": pytest.approx(0.0591, abs=5e-5), "chebyshev": 0.25}


def test_lecture_notes_the_average_of_the_table_is_published_with_its_interval(tmp_path: Path) -> None:
    """60 kg, and noise of scale 300: what is published tells next to nothing, and its interval says so."""
    built = synthrelease.build(plan(tmp_path, 4), tmp_path / "r.h5", test_seed=1)
    output = synthrelease.open_bundle(built.path, allow_test_seed=True)["average"]
    (published,), ((low, high),) = output["mean/value"], output["mean/interval"]
    assert (high - low) / 2 == pytest.approx(898.7, abs=0.05)
    assert published == pytest.approx((low + high) / 2, abs=1e-3)
    assert published != pytest.approx(60, abs=1e-3)
    exact = float(output["mean/noisy"][0, 0]) * STEP_KG / 4 + 90
    assert published == pytest.approx(exact, abs=1e-3)


@pytest.mark.parametrize("name", ["minimum", "maximum"])
def test_lecture_notes_open_question_minimum_and_maximum(name: str) -> None:
    """The sensitivity is the whole range whatever n is; of a quantile's rank it is one person."""
    of = {"minimum": min, "maximum": max}[name]
    for people in (4, 1000):
        others = [HIGH_KG if name == "minimum" else LOW_KG] * (people - 1)
        assert abs(of([*others, LOW_KG]) - of([*others, HIGH_KG])) == HIGH_KG - LOW_KG
        assert quantile_utility(Fraction(1, 20), moving=False, neighbours=Neighbours.REPLACE_ONE) / 20 == 1
