"""Shares of areas, against their formula in exact fractions, and what holds of every share."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from synthrelease.numerics.derived import ShareShrinkage, dwell_normalization, transition_normalization

W = 32768
noisy_shares = st.one_of(
    npst.arrays(np.int32, st.integers(2, 9), elements=st.integers(-(2**31), 2**31 - 1)),
    npst.arrays(np.int64, st.integers(2, 9), elements=st.integers(-(2**62), 2**62)),
)
matrices = st.integers(2, 6).flatmap(
    lambda n: npst.arrays(np.int64, (n, n), elements=st.integers(-(10**7), 10**7))
)
viewers = st.one_of(st.none(), st.integers(0, 10**6))
deviations = st.sampled_from([0.0, 1e5, 1e12])


def nearest(counts: list[Fraction]) -> list[float]:
    """The point of the simplex nearest to `counts`: of all supports the one whose conditions hold."""
    order = sorted(counts, reverse=True)
    for size in range(len(counts), 0, -1):
        lowered = (sum(order[:size]) - 1) / size
        if order[size - 1] > lowered:
            return [float(max(c - lowered, 0)) for c in counts]
    raise AssertionError


def dwell_shares(noisy: np.ndarray, viewers: int | None, deviation: float = 0.0) -> np.ndarray:
    divisor = dwell_normalization(noisy, viewers=viewers)
    return ShareShrinkage(np.ones(noisy.shape, dtype=np.bool_), deviation / divisor).shares(noisy / divisor)


def transition_shares(noisy: np.ndarray, viewers: int | None, deviation: float = 0.0) -> np.ndarray:
    divisor = transition_normalization(noisy, viewers=viewers)
    return ShareShrinkage(~np.eye(len(noisy), dtype=np.bool_), deviation / divisor).shares(noisy / divisor)


def test_with_public_viewers_the_noised_shares_are_divided_by_their_number() -> None:
    noisy = np.array([3 * W, W // 2, -W, 4 * W])
    expected = nearest([Fraction(int(z), 10 * W) for z in noisy])
    np.testing.assert_allclose(dwell_shares(noisy, viewers=10), expected, rtol=1e-14)


def test_shares_that_sum_to_the_viewers_and_are_positive_stay() -> None:
    noisy = np.array([W, 2 * W, 7 * W])
    np.testing.assert_allclose(dwell_shares(noisy, viewers=10), [0.1, 0.2, 0.7], rtol=1e-14)
    np.testing.assert_allclose(dwell_shares(noisy, viewers=None), [0.1, 0.2, 0.7], rtol=1e-14)


def test_without_they_are_divided_by_their_sum_and_that_is_a_person_at_least() -> None:
    noisy = np.array([5 * W, -W, 2 * W])
    expected = nearest([Fraction(int(z), 6 * W) for z in noisy])
    np.testing.assert_allclose(dwell_shares(noisy, viewers=None), expected, rtol=1e-14, atol=1e-16)
    little = np.array([W // 2, -W // 4, 0])
    expected = nearest([Fraction(int(z), W) for z in little])
    np.testing.assert_allclose(dwell_shares(little, viewers=None), expected, rtol=1e-14, atol=1e-16)


def test_no_one_who_may_look_is_as_one_who_does() -> None:
    noisy = np.array([2 * W, W, -W])
    np.testing.assert_array_equal(dwell_shares(noisy, viewers=0), dwell_shares(noisy, viewers=1))


@pytest.mark.parametrize(
    ("count", "mass"),
    [(None, Fraction(6)), (10, Fraction(6)), (4, Fraction(4))],
    ids=["no viewers", "more viewers than transitions", "fewer viewers than noisy transitions"],
)
def test_transitions_are_divided_by_their_own_sum_and_at_most_by_the_viewers(
    count: int | None, mass: Fraction
) -> None:
    noisy = np.array([[90 * W, 3 * W, W], [W, -70 * W, 2 * W], [-2 * W, W, 5 * W]])
    shares = transition_shares(noisy, viewers=count)
    apart = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
    expected = nearest([Fraction(int(noisy[cell]), W) / mass for cell in apart])
    np.testing.assert_allclose([shares[cell] for cell in apart], expected, rtol=1e-14)
    assert (np.diag(shares) == 0).all()


@given(noisy_shares, viewers, deviations)
def test_dwell_shares_are_shares(noisy: np.ndarray, count: int | None, deviation: float) -> None:
    shares = dwell_shares(noisy, viewers=count, deviation=deviation)
    assert shares.shape == noisy.shape
    assert (shares >= 0).all()
    largest = max(1.0, float(np.abs(noisy).max()) / W)
    assert abs(shares.sum() - 1) <= 1e-14 * largest
    assert (np.diff(shares[np.argsort(noisy, kind="stable")]) >= 0).all()


@given(matrices, viewers, deviations)
def test_transition_shares_are_shares_off_the_diagonal(
    noisy: np.ndarray, count: int | None, deviation: float
) -> None:
    shares = transition_shares(noisy, viewers=count, deviation=deviation)
    assert shares.shape == noisy.shape
    assert (shares >= 0).all()
    assert abs(shares.sum() - 1) < 1e-10
    other = noisy + 10**6 * np.eye(len(noisy), dtype=np.int64)
    np.testing.assert_array_equal(transition_shares(other, viewers=count, deviation=deviation), shares)
