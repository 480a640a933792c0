"""Cao, Yoshikawa, Xiao & Xiong 2017, "Quantifying differential privacy under temporal correlations".

The recursions worked out by hand for chains of two states, the closed form of Theorem 5, and the definition itself:
for small chains all outputs of all steps are written down, with their probabilities given the state of one step.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from synthrelease.dp.temporal_leakage import reversed_transitions, temporal_leakage

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

ONE_WAY = [[0.8, 0.2], [0.0, 1.0]]
MOVING = [[0.8, 0.2], [0.1, 0.9]]
# Turns one way more often than the other, 0 → 1 → 2 → 0: what comes is not like what was.
TURNING = np.array([[0.4, 0.6, 0.0], [0.3, 0.3, 0.4], [0.4, 0.4, 0.2]])


# --- values


def test_cao2017_strongest_correlation_adds_all_steps_up() -> None:
    found = temporal_leakage(np.eye(2), np.full(10, 0.1))
    np.testing.assert_allclose(found.backward, 0.1 * np.arange(1, 11), rtol=1e-14)
    np.testing.assert_allclose(found.forward, 0.1 * np.arange(10, 0, -1), rtol=1e-14)
    np.testing.assert_allclose(found.total, 1.0, rtol=1e-14)


def test_cao2017_no_correlation_adds_nothing() -> None:
    np.testing.assert_array_equal(temporal_leakage(np.full((2, 2), 0.5), np.full(10, 0.1)).total, 0.1)


def test_cao2017_moderate_correlation_one_way() -> None:
    """The best set is {0} of rows 0 and 1: BPL_t = ln(1 + 0.8(e^BPL_{t−1} − 1)) + 0.1."""
    found = temporal_leakage(ONE_WAY, np.full(10, 0.1))
    by_hand = [0.1]
    for _ in range(9):
        by_hand.append(math.log1p(0.8 * math.expm1(by_hand[-1])) + 0.1)
    np.testing.assert_allclose(found.backward, by_hand, rtol=1e-14)
    np.testing.assert_allclose(found.forward, by_hand[::-1], rtol=1e-14)
    np.testing.assert_allclose(found.total, np.add(by_hand, by_hand[::-1]) - 0.1, rtol=1e-14)
    np.testing.assert_allclose(found.backward[[0, 1, 2, 9]], [0.1, 0.1808, 0.2471, 0.4964], atol=5e-5)


def test_cao2017_moderate_correlation_both_ways() -> None:
    """{0} of rows 0 and 1, q = 0.8 and d = 0.1; the other way, {1} with q = 0.9 and d = 0.2 is less."""
    found = temporal_leakage(MOVING, np.full(10, 0.1)).backward
    by_hand = [0.1]
    for _ in range(9):
        x = math.expm1(by_hand[-1])
        assert (1 + 0.8 * x) / (1 + 0.1 * x) > (1 + 0.9 * x) / (1 + 0.2 * x)
        by_hand.append(math.log((1 + 0.8 * x) / (1 + 0.1 * x)) + 0.1)
    np.testing.assert_allclose(found, by_hand, rtol=1e-14)
    assert found[9] == pytest.approx(0.3317, abs=5e-5)


# --- Theorem 5


def theorem_5(q: float, d: float, epsilon: float) -> float:
    """As printed, for one q and d."""
    e = math.exp(epsilon)
    if d != 0:
        return math.log((math.sqrt(4 * d * e * (1 - q) + (d + q * e - 1) ** 2) + d + q * e - 1) / (2 * d))
    if q != 1 and epsilon < math.log(1 / q):
        return math.log((1 - q) * e / (1 - q * e))
    return math.inf


def last(rows: object, epsilon: float, steps: int = 10_000) -> float:
    """Backward leakage at the end of a long series of equal ε."""
    return float(temporal_leakage(rows, np.full(steps, epsilon)).backward[-1])  # type: ignore[arg-type]


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.15, 0.22])
def test_cao2017_theorem_5_closed_form_of_the_supremum(epsilon: float) -> None:
    assert last(ONE_WAY, epsilon) == pytest.approx(
        max(theorem_5(0.8, 0.0, epsilon), theorem_5(1.0, 0.2, epsilon)), rel=1e-11
    )


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.15, 0.22, 0.23, 1.0, 3.0])
def test_cao2017_theorem_5_closed_form_of_the_supremum_both_ways(epsilon: float) -> None:
    assert last(MOVING, epsilon) == pytest.approx(
        max(theorem_5(0.8, 0.1, epsilon), theorem_5(0.9, 0.2, epsilon)), rel=1e-11
    )


def test_cao2017_theorem_5_a_supremum_exists_below_ln_1_over_q_only() -> None:
    """ln(1/0.8) = 0.2231."""
    assert last(ONE_WAY, 0.15) == pytest.approx(1.1922, abs=5e-5)
    assert last(MOVING, 0.23) == pytest.approx(0.7923, abs=5e-5)
    assert theorem_5(0.8, 0.0, 0.23) == math.inf
    assert last(ONE_WAY, 0.23) > last(ONE_WAY, 0.23, 5000) + 5000 * (0.23 + math.log(0.8)) * 0.9


def test_cao2017_theorem_5_needs_the_largest_of_all_prefixes() -> None:
    """The prefix that is best for the first step is not the one that decides about the limit."""
    rows = np.array([[0.1, 0.5, 0.4], [0.001, 0.2, 0.799], [0.05, 0.35, 0.6]])
    first, rare = theorem_5(0.6, 0.201, 3.0), theorem_5(0.1, 0.001, 3.0)
    assert rare > 1.2 * first
    assert last(rows, 3.0, 500) == pytest.approx(rare, rel=1e-12)


# --- the definition


def subsets(states: int) -> list[Numbers]:
    """All sets of states but the empty one and the whole, as indicators."""
    return [np.array(s) for s in itertools.product((0.0, 1.0), repeat=states) if 0 < sum(s) < states]


def answers(asked: Numbers, epsilon: float) -> Numbers:
    """Randomised response to "is the state in the set": Pr(answer | state), shape (2, states); ε-private."""
    yes = np.where(asked > 0, math.exp(epsilon), 1.0) / (1 + math.exp(epsilon))
    return np.array([yes, 1 - yes])


def told(law: Numbers, questions: tuple[Numbers, ...], epsilons: list[float], step: int) -> float:
    """max over all answers and two states of step `step` of ln Pr(answers | one) − ln Pr(answers | other).

    law: Pr(l_1 … l_T), one axis a step.
    """
    steps = law.ndim
    given = law.sum(axis=tuple(a for a in range(steps) if a != step))
    worst = 0.0
    for answered in itertools.product((0, 1), repeat=steps):
        weighed = law
        for t, (asked, epsilon) in enumerate(zip(questions, epsilons, strict=True)):
            along = np.ones(steps, dtype=int)
            along[t] = -1
            weighed = weighed * answers(asked, epsilon)[answered[t]].reshape(along)
        likelihood = weighed.sum(axis=tuple(a for a in range(steps) if a != step)) / given
        worst = max(worst, math.log(likelihood.max() / likelihood.min()))
    return worst


def stationary(rows: Numbers) -> Numbers:
    return np.asarray(np.linalg.matrix_power(rows, 4096)[0])


def test_cao2017_definition_of_backward_and_forward_leakage_by_writing_all_outputs_down() -> None:
    """Two steps, three states: for the worst of all questions the bound is attained, and only by the right matrix."""
    epsilons = [0.7, 0.4]
    law = stationary(TURNING)[:, None] * TURNING
    worst = [
        max(told(law, questions, epsilons, step) for questions in itertools.product(subsets(3), repeat=2))
        for step in (0, 1)
    ]
    found = temporal_leakage(TURNING, epsilons, backward=reversed_transitions(TURNING))
    assert [found.forward[0], found.backward[1]] == pytest.approx(worst, rel=1e-12)
    assert found.total.tolist() == pytest.approx(worst, rel=1e-12)
    # With one matrix for both directions, more would be told of the later step than the bound says.
    assert temporal_leakage(TURNING, epsilons).total[1] < worst[1] - 0.06


def test_cao2017_definition_of_total_leakage_bounds_all_outputs_of_a_longer_chain() -> None:
    epsilons = [0.7, 0.4, 0.9]
    law = stationary(TURNING)[:, None, None] * TURNING[:, :, None] * TURNING
    found = temporal_leakage(TURNING, epsilons, backward=reversed_transitions(TURNING)).total
    for step in range(3):
        worst = max(
            told(law, questions, epsilons, step) for questions in itertools.product(subsets(3), repeat=3)
        )
        assert 1.2 * epsilons[step] < worst <= found[step] * (1 + 1e-12)


def test_cao2017_two_states_attain_the_bound_at_every_step() -> None:
    rows, epsilons = np.array(MOVING), [0.3, 0.8, 0.2, 0.5, 0.4]
    law = stationary(rows)
    for _ in range(4):
        law = law[..., None] * rows
    found = temporal_leakage(rows, epsilons).total
    asked = (np.array([1.0, 0.0]),) * 5
    for step in range(5):
        assert told(law, asked, epsilons, step) == pytest.approx(found[step], rel=1e-12)
