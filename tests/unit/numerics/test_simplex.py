"""The nearest histogram, against the conditions that only the nearest one meets, and against many others."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthrelease.numerics.simplex import onto_simplex

totals = st.sampled_from([1, 2, 7, 32768, 10 * 32768, 2**40])
small = st.lists(st.integers(-5, 12), min_size=1, max_size=7)
large = st.lists(st.integers(-(2**45), 2**45), min_size=1, max_size=40)


def nearest(counts: list[int], total: int) -> list[Fraction]:
    """By trying every set of entries that may stay above 0, in exact fractions.

    The sets to try are those of the largest entries: a smaller one never stays where a larger one goes.
    """
    falling = sorted(counts, reverse=True)
    for kept in range(len(counts), 0, -1):
        lowered_by = Fraction(sum(falling[:kept]) - total, kept)
        if falling[kept - 1] > lowered_by:
            return [max(Fraction(0), c - lowered_by) for c in counts]
    raise AssertionError("the largest entry alone always fits")


@given(counts=st.one_of(small, large), total=totals)
def test_it_is_the_exact_one_to_the_last_digits(counts: list[int], total: int) -> None:
    scale = max(total, *(abs(c) for c in counts))
    found = onto_simplex(np.array(counts), total)
    np.testing.assert_allclose(
        found, [float(x) for x in nearest(counts, total)], rtol=1e-12, atol=1e-11 * scale
    )


@given(counts=st.one_of(small, large), total=totals)
def test_the_conditions_of_the_nearest_point_hold(counts: list[int], total: int) -> None:
    """Karush, Kuhn & Tucker: x ≥ 0, Σx = total, x = c − λ where x > 0, and c ≤ λ where x = 0."""
    scale = max(total, *(abs(c) for c in counts))
    x, c = onto_simplex(np.array(counts), total), np.array(counts, dtype=np.float64)
    assert (x >= 0).all()
    assert abs(x.sum() - total) <= 1e-9 * scale
    lowered_by = (c - x)[x > 0]
    assert lowered_by.size
    assert np.ptp(lowered_by) <= 1e-9 * scale
    assert (c[x == 0] <= lowered_by.max() + 1e-9 * scale).all()


@given(counts=small, total=st.sampled_from([1, 2, 7]), data=st.data())
def test_no_other_histogram_is_nearer(counts: list[int], total: int, data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(0, 9), min_size=len(counts), max_size=len(counts)).filter(any))
    other = np.array(weights) / sum(weights) * total
    x = onto_simplex(np.array(counts), total)
    assert np.linalg.norm(x - counts) <= np.linalg.norm(other - counts) + 1e-9


@given(counts=small, total=totals, shift=st.integers(-20, 20))
def test_a_constant_added_to_all_changes_nothing(counts: list[int], total: int, shift: int) -> None:
    """The sum of the noise is not believed: the total is known."""
    plain, shifted = onto_simplex(np.array(counts), total), onto_simplex(np.array(counts) + shift, total)
    np.testing.assert_allclose(shifted, plain, rtol=1e-12, atol=1e-10 * total)


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.float64])
def test_a_histogram_is_its_own_nearest_and_keeps_its_shape(kind: type[np.number]) -> None:
    counts = np.arange(24, dtype=kind).reshape(2, 3, 4)
    before = counts.copy()
    found = onto_simplex(counts, float(counts.sum()))
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, before)
    np.testing.assert_array_equal(counts, before)


def test_small_noise_vanishes_and_the_large_entries_share_the_rest() -> None:
    """10 people: 12 and 5 are lowered by 3.5 each; what noise put elsewhere goes."""
    assert onto_simplex(np.array([12, -3, 1, 5, 0]), 10).tolist() == [8.5, 0, 0, 1.5, 0]


def test_where_all_entries_are_equal_they_share_alike() -> None:
    for entry in (-(10**9), 0, 3, 10**9):
        np.testing.assert_allclose(onto_simplex(np.full(5, entry), 10), [2.0] * 5, rtol=1e-12)


def sorted_one(counts: np.ndarray, total: float) -> np.ndarray:
    """What released shares and records were made with: not a bit of it may change."""
    flat = counts.astype(np.float64).ravel()
    falling = np.sort(flat)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, flat.size + 1)
    lowered_by = excess[np.flatnonzero(falling > excess)[-1]]
    return np.maximum(flat - lowered_by, 0.0).reshape(counts.shape)


@given(counts=st.one_of(small, large), total=totals)
def test_the_sorted_one_is_the_same_bit_for_bit(counts: list[int], total: int) -> None:
    for values in (np.array(counts), np.array(counts) / 7):
        assert onto_simplex(values, total).tobytes() == sorted_one(values, total).tobytes()
