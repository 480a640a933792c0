"""The nearest histogram, against the conditions that only the nearest one meets, and against many others."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthrelease.numerics import simplex
from synthrelease.numerics.simplex import onto_simplex, onto_simplex_from

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


# --- the same from a guess


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


starts = st.one_of(st.floats(), st.floats(-10, 10), st.sampled_from([0.0, math.inf, -math.inf, math.nan]))


@given(counts=st.one_of(small, large), total=totals, start=starts)
def test_from_any_start_it_is_the_exact_one(counts: list[int], total: int, start: float) -> None:
    scale = max(total, *(abs(c) for c in counts))
    exact = [float(x) for x in nearest(counts, total)]
    found, lowered_by = onto_simplex_from(start, np.array(counts, dtype=np.float64), total)
    np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-14 * scale)
    np.testing.assert_array_equal(found, np.maximum(np.array(counts) - lowered_by, 0.0))


@pytest.mark.parametrize("size", [1, 2, 5, 4800])
@pytest.mark.parametrize("spread", [1e-9, 1e-4, 1.0, 1e3])
def test_the_conditions_hold_from_any_start(size: int, spread: float) -> None:
    """Karush, Kuhn & Tucker, to rounding errors of the values and of the total."""
    rng = np.random.default_rng(size)
    for shape in ((size,), (size, 3), (2, size, 2)):
        values = rng.normal(size=shape) * spread
        care = 1e-14 * max(1.0, float(np.abs(values).max()))
        right = onto_simplex_from(0.0, values, 1.0)[1]
        for start in (right, right - 1e-6, right + 1e-6, values.min(), values.max(), -1e300, 1e300, math.nan):
            before = values.copy()
            x, lowered_by = onto_simplex_from(float(start), values, 1.0)
            np.testing.assert_array_equal(values, before)
            assert x.shape == shape
            assert (x >= 0).all()
            assert abs(x.sum() - 1.0) <= 1e-14 + size * care
            assert abs(lowered_by - right) <= care
            assert np.abs((values - x)[x > 0] - lowered_by).max() <= care
            assert (values[x == 0] <= lowered_by).all()


def test_a_good_guess_takes_two_passes_and_no_sort(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).normal(size=5000) * 1e-3
    exact, right = onto_simplex_from(0.0, values, 1.0)
    monkeypatch.setattr(simplex, "_lowered_by", None)
    monkeypatch.setattr(simplex, "_MOST_PASSES", 2)
    found, again = onto_simplex_from(right, values, 1.0)
    np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-16)
    assert again == pytest.approx(right, rel=1e-12)


def test_the_passes_end_long_before_the_sort_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even from the far end, and of values whose logarithms are even: each step leaves a share of them behind."""
    monkeypatch.setattr(simplex, "_lowered_by", None)
    rng = np.random.default_rng(1)
    for values in (rng.normal(size=5000), np.logspace(-12, 2, 5000), -np.logspace(-12, 2, 5000), np.zeros(9)):
        found, _ = onto_simplex_from(-math.inf, values, 1.0)
        np.testing.assert_allclose(found, sorted_one(values, 1.0), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("passes", [0, 1, 2])
def test_where_the_passes_do_not_end_a_sort_does_it(passes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simplex, "_MOST_PASSES", passes)
    values = np.random.default_rng(2).normal(size=(30, 40))
    found, lowered_by = onto_simplex_from(0.0, values, 1.0)
    np.testing.assert_allclose(found, sorted_one(values, 1.0), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found, np.maximum(values - lowered_by, 0.0), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("start", [0.0, 1e17, math.inf])
def test_a_total_that_rounding_swallows_goes_to_the_largest(start: float) -> None:
    """1 beside 10¹⁷: no number lies between the largest and the largest less the total."""
    for values, exact in (
        ([1e17, 3.0], [1.0, 0.0]),
        ([1e17, -1e17, 1e17], [0.5, 0.0, 0.5]),
        ([-1e300, 1e300], [0.0, 1.0]),
    ):
        assert onto_simplex_from(start, np.array(values), 1.0)[0].tolist() == exact
