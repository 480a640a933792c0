"""Temporal leakage against every subset of columns, in rational numbers."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import MPContext
from refusals import bad_argument

from synthrelease.dp.temporal_leakage import reversed_transitions, temporal_leakage

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

MOVING = [[0.8, 0.2], [0.1, 0.9]]

_mp = MPContext()
_mp.dps = 400  # e^700 has 304 digits before the point


@st.composite
def matrices(draw: st.DrawFn, most: int = 5) -> list[list[Fraction]]:
    """Rows of whole numbers over their sum; zeros, equal rows and wide ranges are frequent."""
    n = draw(st.integers(1, most))
    weight = st.sampled_from([0, 0, 1, 1, 2, 3, 7, 50, 10**6, 10**12])
    rows = draw(st.lists(st.lists(weight, min_size=n, max_size=n).filter(any), min_size=n, max_size=n))
    return [[Fraction(w, sum(row)) for w in row] for row in rows]


def floats(rows: list[list[Fraction]]) -> Numbers:
    return np.array([[float(p) for p in row] for row in rows])


def by_all_subsets(rows: list[list[Fraction]], alpha: float) -> float:
    """L(α) from its definition: all pairs of rows, all subsets of columns."""
    x = _mp.expm1(_mp.mpf(alpha))
    n, best = len(rows), _mp.mpf(1)
    for q, d in itertools.permutations(rows, 2):
        for size in range(n + 1):
            for columns in itertools.combinations(range(n), size):
                top, bottom = (
                    1 + x * _mp.mpf(total.numerator) / total.denominator
                    for total in (sum((row[j] for j in columns), Fraction(0)) for row in (q, d))
                )
                best = max(best, top / bottom)
    return float(_mp.log(best))


def increase(rows: Numbers | list[list[float]], alpha: float) -> float:
    """L(α): a second step that spends nothing tells that much."""
    return float(temporal_leakage(rows, [alpha, 0.0]).backward[1])


# --- one step: L(α)


@given(
    matrices(),
    st.one_of(st.sampled_from([0.0, 1e-300, 1e-12, 1e-3, 0.1, 1.0, 30.0, 690.0]), st.floats(0, 600)),
)
def test_the_increase_is_the_largest_over_all_subsets(rows: list[list[Fraction]], alpha: float) -> None:
    assert increase(floats(rows), alpha) == pytest.approx(
        by_all_subsets(rows, alpha), rel=1e-12, abs=2e-15 * alpha
    )


def test_columns_that_one_row_never_takes_come_first_however_rare() -> None:
    """Of 10⁻¹⁵ : 0 and 1 − 10⁻¹⁵ : 1, only the first column grows without end."""
    rows = [[1e-15, 1 - 1e-15], [0.0, 1.0]]
    assert increase(rows, 200.0) == pytest.approx(200 + math.log(1e-15), rel=1e-14)
    assert increase(rows, 1e4) == pytest.approx(1e4 + math.log(1e-15), rel=1e-14)


def test_the_best_prefix_depends_on_what_was_told_before() -> None:
    """{0} has the larger ratio and {0, 1} the larger difference: at small α the difference counts, at large the ratio."""
    rows = [[0.1, 0.5, 0.4], [0.001, 0.2, 0.799], [0.05, 0.35, 0.6]]
    assert increase(rows, 1e-6) == pytest.approx(1e-6 * (0.6 - 0.201), rel=1e-5)
    assert increase(rows, 100.0) == pytest.approx(math.log(0.1 / 0.001), rel=1e-12)


# --- the recursions


@given(matrices(3), matrices(3), st.lists(st.floats(0, 5), min_size=1, max_size=5))
def test_the_recursions_as_they_are_written(
    forward: list[list[Fraction]], backward: list[list[Fraction]], epsilons: list[float]
) -> None:
    if len(forward) != len(backward):
        backward = forward
    steps = len(epsilons)
    bpl, fpl = [0.0] * steps, [0.0] * steps
    for t in range(steps):
        bpl[t] = (by_all_subsets(backward, bpl[t - 1]) if t else 0.0) + epsilons[t]
    for t in reversed(range(steps)):
        fpl[t] = (by_all_subsets(forward, fpl[t + 1]) if t + 1 < steps else 0.0) + epsilons[t]
    found = temporal_leakage(floats(forward), epsilons, backward=floats(backward))
    np.testing.assert_allclose(found.backward, bpl, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(found.forward, fpl, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(found.total, np.add(bpl, fpl) - epsilons, rtol=1e-11, atol=1e-14)


def test_the_same_matrix_serves_both_directions_if_none_is_given() -> None:
    rows, epsilons = np.random.default_rng(0).dirichlet(np.ones(4), 4), [0.3, 0.1, 0.7]
    one, two = temporal_leakage(rows, epsilons), temporal_leakage(rows, epsilons, backward=rows)
    for name in ("backward", "forward", "total"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


@given(matrices(), st.lists(st.floats(0, 5), min_size=1, max_size=6))
def test_never_less_than_the_step_and_never_more_than_all_steps(
    rows: list[list[Fraction]], epsilons: list[float]
) -> None:
    """The guarantee of the whole series, Σ ε, holds whatever the chain."""
    found = temporal_leakage(floats(rows), epsilons)
    assert (found.total >= np.array(epsilons) - 1e-12).all()
    assert (found.total <= sum(epsilons) + 1e-12).all()


def test_equal_rows_tell_nothing_more_to_the_last_bit() -> None:
    row = np.random.default_rng(1).dirichlet(np.ones(7))
    epsilons = np.random.default_rng(2).uniform(0, 2, 50)
    found = temporal_leakage(np.tile(row, (7, 1)), epsilons)
    np.testing.assert_array_equal(found.backward, epsilons)
    np.testing.assert_array_equal(found.forward, epsilons)
    np.testing.assert_array_equal(found.total, epsilons)


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 7.0])
def test_states_that_never_change_tell_the_sum(epsilon: float) -> None:
    """10 000 steps: as near as adding them one by one, and a few bits."""
    steps = 10_000
    found = temporal_leakage(np.eye(3), np.full(steps, epsilon))
    np.testing.assert_allclose(found.backward, epsilon * np.arange(1, steps + 1), rtol=1e-12)
    np.testing.assert_allclose(found.total, steps * epsilon, rtol=1e-12)


def test_a_step_that_spends_nothing_is_told_by_the_others() -> None:
    found = temporal_leakage(np.eye(2), [0.0, 1.0, 0.0])
    np.testing.assert_allclose(found.total, 1.0, rtol=1e-15)
    assert found.backward[0] == found.forward[2] == 0.0


def test_one_state_has_nothing_to_tell() -> None:
    assert temporal_leakage([[1.0]], [0.5, 0.5]).total.tolist() == [0.5, 0.5]


def test_rows_of_rounded_decimals_are_made_to_sum_to_1() -> None:
    """Six times 0.1666666667 is 1 + 2·10⁻¹⁰, and 0.1666666666 less than 1: disjoint rows tell just what was told."""
    for decimal in (0.1666666667, 0.1666666666):
        rows = np.kron(np.eye(2), np.full((6, 6), decimal))
        assert temporal_leakage(rows, np.full(100, 0.5)).backward[-1] == pytest.approx(50.0, rel=1e-14)


# --- the backward correlation


def test_reversal_by_hand() -> None:
    """A ring that turns one way turns the other way in reverse: π is uniform."""
    ring = [[0.1, 0.9, 0.0], [0.0, 0.1, 0.9], [0.9, 0.0, 0.1]]
    np.testing.assert_allclose(reversed_transitions(ring), np.transpose(ring), rtol=1e-15)
    np.testing.assert_allclose(reversed_transitions(MOVING), MOVING, rtol=1e-15)
    np.testing.assert_array_equal(reversed_transitions([[1.0]]), [[1.0]])


@pytest.mark.parametrize("seed", range(5))
def test_reversal_gives_the_joint_probabilities_of_the_stationary_chain(seed: int) -> None:
    rows = np.random.default_rng(seed).dirichlet(np.full(6, 0.3), 6)
    pi = np.linalg.matrix_power(rows, 2**20)[0]
    back = reversed_transitions(rows)
    np.testing.assert_allclose(pi[:, None] * back, (pi[:, None] * rows).T, atol=1e-14)
    np.testing.assert_allclose(reversed_transitions(back), rows, rtol=1e-11)


def test_classes_that_never_meet_are_reversed_each_by_itself() -> None:
    """Whatever the share of the classes; states of a class need not stand together."""
    order = [0, 3, 1, 5, 2, 4]
    ring = np.array([[0.1, 0.9, 0.0], [0.0, 0.1, 0.9], [0.9, 0.0, 0.1]])
    rows = np.kron(np.eye(2), ring)[np.ix_(order, order)]
    np.testing.assert_allclose(reversed_transitions(rows), rows.T, rtol=1e-14)
    np.testing.assert_array_equal(reversed_transitions(np.eye(4)), np.eye(4))


def test_rare_states_keep_their_digits() -> None:
    """A line of states, each a million times rarer than the last: reversible, so the reverse is the chain."""
    n, down = 20, 1e-6
    rows = np.diag(np.full(n - 1, 0.5), -1) + np.diag(np.full(n - 1, down), 1)
    rows += np.diag(1 - rows.sum(axis=1))
    np.testing.assert_allclose(reversed_transitions(rows), rows, rtol=1e-12)


@pytest.mark.parametrize("rows", [[[0.8, 0.2], [0.0, 1.0]], [[0.0, 1, 0], [0, 0.5, 0.5], [0, 0.5, 0.5]]])
def test_of_a_state_that_is_left_for_good_nothing_follows(rows: list[list[float]]) -> None:
    with bad_argument(ValueError, "transitions", 0):
        reversed_transitions(rows)


# --- refusals


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        ([[1.0, 0.0]], ("square", "(1, 2)")),
        ([1.0], ("square", "(1,)")),
        (np.empty((0, 0)), ("square", "(0, 0)")),
        ([[0.5, 0.5], [0.5, 0.4]], ("sum", 1, "1e-09", 0.9)),
        ([[0.5, 0.5 + 2e-9], [0.5, 0.5]], ("sum", 0, "1e-09", 0.5 + 2e-9 + 0.5)),
        ([[0.5, 0.5], [1.5, -0.5]], (1, -0.5)),
        ([[0.5, 0.5], [math.nan, 1.0]], (1, 0, "nan")),
        ([[math.inf, 0.5], [0.5, 0.5]], (0, "inf")),
    ],
)
def test_a_matrix_that_is_none_is_named(rows: object, named: tuple[object, ...]) -> None:
    with bad_argument(ValueError, "transitions", *named):
        temporal_leakage(rows, [0.1])  # type: ignore[arg-type]
    with bad_argument(ValueError, "backward", *named):
        temporal_leakage(np.eye(2), [0.1], backward=rows)  # type: ignore[arg-type]
    with bad_argument(ValueError, "transitions", *named):
        reversed_transitions(rows)  # type: ignore[arg-type]


def test_matrices_of_two_shapes_are_refused() -> None:
    with bad_argument(ValueError, "backward", "transitions", "(2, 2)", "(3, 3)"):
        temporal_leakage(np.eye(2), [0.1], backward=np.eye(3))


@pytest.mark.parametrize("epsilon", [-0.1, math.nan, math.inf])
def test_an_epsilon_that_is_none_is_named(epsilon: float) -> None:
    with bad_argument(ValueError, "epsilons", epsilon):
        temporal_leakage(MOVING, [0.1, epsilon])


@pytest.mark.parametrize("epsilons", [[], 0.1, [[0.1]]])
def test_epsilons_are_one_list(epsilons: object) -> None:
    with bad_argument(ValueError, "epsilons", np.shape(epsilons)):
        temporal_leakage(MOVING, epsilons)  # type: ignore[arg-type]
