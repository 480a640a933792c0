"""The lecture notes on the Laplace mechanism: average weight, bounds [30, 150], ε = 0.1."""

from __future__ import annotations

import math

import numpy as np
import pytest

from synthrelease.maths.steps import centre_and_step
from synthrelease.privacy import DiscreteLaplace, laplace_scale
from synthrelease.privacy.accounting import compose
from synthrelease.privacy.guarantee import Neighbours, PureDP
from synthrelease.privacy.sensitivity import statistics

EPSILON = 0.1
LOW_KG, HIGH_KG = 30.0, 150.0
STEP_KG = centre_and_step(LOW_KG, HIGH_KG)[1]
STEPS = statistics(["mean"], features=1, neighbours=Neighbours.REPLACE_ONE).l1


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
    promise = compose([event], delta=0.0)
    assert isinstance(promise, PureDP)
    assert promise.epsilon == pytest.approx(EPSILON, rel=1.01e-5)
