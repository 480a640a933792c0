"""Bins on public edges: where they end, that the way back stays inside, and shares that sum exactly."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from synthrelease.numerics.binning import (
    bin_numbers,
    equal_width_bins,
    equal_width_edges,
    integer_shares,
    shares_of_people,
    spread_within,
)
from synthrelease.numerics.steps import HALF_RANGE

if TYPE_CHECKING:
    from numpy.typing import NDArray


BOUNDS = [(0.0, 1.0), (2.0, 8.0), (-3.0, -1.0), (0.1, 0.7), (-1e-9, 1e-9), (0.0, 1e12), (-1e300, 1e300)]
ALMOST_ONE = 1 - 2.0**-53

bounds_ = pytest.mark.parametrize("bounds", BOUNDS)
bins_ = pytest.mark.parametrize("bins", [1, 2, 3, 10, 30, 997])


# --- edges and bins


@bounds_
@bins_
def test_bins_of_equal_width_are_computed_as_they_are_searched_for(
    bounds: tuple[float, float], bins: int
) -> None:
    low, high = bounds
    edges = equal_width_edges(low, high, bins)
    beside = [np.nextafter(edges, side * np.inf) for side in (-1, 1)]
    random = np.random.default_rng(bins).uniform(0, 1, 1000) * (high / 2 - low / 2) * 2 + low
    values = np.concatenate([edges, *beside, random, [-np.inf, np.inf, -1.7e308, 1.7e308, 0.0, -0.0]])
    assert equal_width_bins(values, low, high, bins).tolist() == bin_numbers(values, edges).tolist()


@bounds_
@bins_
def test_edges_run_from_bound_to_bound_in_equal_steps(bounds: tuple[float, float], bins: int) -> None:
    low, high = bounds
    edges = equal_width_edges(low, high, bins)
    assert edges.shape == (bins + 1,)
    assert edges[0] == low
    assert edges[-1] == high
    assert (np.diff(edges) > 0).all()
    for number, edge in enumerate(edges):
        exact = Fraction(low) + (Fraction(high) - Fraction(low)) * number / bins
        assert edge == pytest.approx(float(exact), rel=1e-12, abs=1e-15 * (high / 2 - low / 2))


@bounds_
@bins_
def test_a_bin_takes_its_lower_edge_and_the_last_its_upper_too(
    bounds: tuple[float, float], bins: int
) -> None:
    edges = equal_width_edges(*bounds, bins)
    assert bin_numbers(edges[:-1], edges).tolist() == list(range(bins))
    below = np.nextafter(edges[1:], -np.inf)
    assert bin_numbers(below, edges).tolist() == list(range(bins))
    assert bin_numbers(edges[-1:], edges).tolist() == [bins - 1]


@bounds_
@bins_
def test_values_beyond_the_ends_belong_to_the_end_bins(bounds: tuple[float, float], bins: int) -> None:
    edges = equal_width_edges(*bounds, bins)
    low, high = bounds
    beyond = [np.nextafter(low, -np.inf), low - 1, -1.7e308, -np.inf]
    assert bin_numbers(np.array(beyond), edges).tolist() == [0] * 4
    beyond = [np.nextafter(high, np.inf), high + 1, 1.7e308, np.inf]
    assert bin_numbers(np.array(beyond), edges).tolist() == [bins - 1] * 4


@given(
    bounds=st.sampled_from(BOUNDS),
    bins=st.integers(1, 40),
    parts=st.lists(st.floats(-0.2, 1.2), min_size=1, max_size=8),
)
def test_a_value_lies_in_the_one_bin_whose_edges_enclose_it(
    bounds: tuple[float, float], bins: int, parts: list[float]
) -> None:
    low, high = bounds
    edges = equal_width_edges(low, high, bins)
    values = np.array([low * (1 - part) + high * part for part in parts])
    numbers = bin_numbers(values, edges)
    assert numbers.dtype == np.int64
    for value, number in zip(values, numbers, strict=True):
        enclosing = [b for b in range(bins) if edges[b] <= value < edges[b + 1]]
        assert [number] == (enclosing or [0 if value < low else bins - 1])
        assert bin_numbers(np.array([value]), edges)[0] == number  # of itself alone


# --- the way back


@given(
    bounds=st.sampled_from(BOUNDS[:-1]),
    bins=st.integers(1, 40),
    data=st.data(),
)
def test_a_value_spread_within_a_bin_stays_there(
    bounds: tuple[float, float], bins: int, data: st.DataObject
) -> None:
    edges = equal_width_edges(*bounds, bins)
    fraction = st.one_of(st.floats(0, ALMOST_ONE), st.sampled_from([0.0, 0.5, ALMOST_ONE]))
    fractions = data.draw(st.lists(fraction, min_size=bins, max_size=bins))
    numbers = np.arange(bins)
    values = spread_within(numbers, edges, np.array(fractions))
    assert (edges[:-1] <= values).all()
    assert (values < edges[1:]).all()
    np.testing.assert_array_equal(bin_numbers(values, edges), numbers)
    exact = edges[:-1] + np.array(fractions) * np.diff(edges)
    np.testing.assert_allclose(values, exact, rtol=1e-12, atol=1e-15 * (bounds[1] - bounds[0]))


def test_the_next_edge_is_not_reached_even_in_bins_a_few_floats_wide() -> None:
    for floats_a_bin in (1, 2, 3, 4):
        for low in (1.0, 0.5, -1.0, 4097.3):
            edges = np.array([low + n * floats_a_bin * np.spacing(abs(low)) for n in range(6)])
            for fraction in (0.0, 0.3, 0.5, 0.75, ALMOST_ONE):
                values = spread_within(np.arange(5), edges, np.full(5, fraction))
                np.testing.assert_array_equal(bin_numbers(values, edges), np.arange(5))
                assert (values < edges[1:]).all()


def test_the_control_without_the_limit_the_next_edge_is_reached() -> None:
    edges = equal_width_edges(2.0, 8.0, 997)
    reached = edges[:-1] + ALMOST_ONE * np.diff(edges)
    assert (reached >= edges[1:]).any()
    values = spread_within(np.arange(997), edges, np.full(997, ALMOST_ONE))
    assert (values < edges[1:]).all()


def test_the_last_bin_does_not_reach_its_upper_bound_either() -> None:
    edges = equal_width_edges(0.0, 1.0, 4)
    assert spread_within(np.array([3]), edges, np.array([ALMOST_ONE]))[0] < 1.0
    assert spread_within(np.array([3, 0, 3]), edges, np.array([0.5, 0.5, 0.0])).tolist() == [
        0.875,
        0.125,
        0.75,
    ]


# --- shares


def largest_remainder(counts: list[int], total: int) -> list[int]:
    """Hamilton's method in exact fractions: whole quotas, then one each for the largest remainders."""
    if sum(counts) == 0:
        return [0] * len(counts)
    quotas = [Fraction(count * total, sum(counts)) for count in counts]
    shares = [math.floor(quota) for quota in quotas]
    by_remainder = sorted(range(len(counts)), key=lambda b: (shares[b] - quotas[b], b))
    for b in by_remainder[: total - sum(shares)]:
        shares[b] += 1
    return shares


def shares_of_rows(counts: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """Each row an owner, each column with a count an entry."""
    owner, column = np.nonzero(counts)
    out = np.zeros_like(counts)
    out[owner, column] = integer_shares(owner, counts[owner, column], total)
    return out


rows_of_counts = st.integers(1, 7).flatmap(
    lambda columns: st.lists(
        st.lists(
            st.one_of(st.integers(0, 4), st.integers(0, 10**6)),
            min_size=columns,
            max_size=columns,
        ),
        min_size=1,
        max_size=5,
    )
)


@given(rows=rows_of_counts, total=st.one_of(st.integers(0, 12), st.just(HALF_RANGE)))
@example(rows=[[1, 1, 1]], total=1)
@example(rows=[[1, 1, 1], [0, 0, 0], [0, 1, 1]], total=5)
@example(rows=[[3, 3, 3, 3, 1]], total=HALF_RANGE)
@example(rows=[[2**40, 1, 2**40]], total=2**20)
def test_shares_are_those_of_the_largest_remainder(rows: list[list[int]], total: int) -> None:
    counts = np.array(rows, dtype=np.int64)
    shares = shares_of_rows(counts, total)
    assert shares.dtype == np.int64
    assert shares.tolist() == [largest_remainder(row, total) for row in rows]
    for row, shared in zip(rows, shares.tolist(), strict=True):
        assert sum(shared) == (total if any(row) else 0)
        # within a unit of the exact share, and nothing for an empty column
        for count, share in zip(row, shared, strict=True):
            assert abs(share * sum(row) - count * total) < max(sum(row), 1)
            assert share == 0 or count > 0
    np.testing.assert_array_equal(counts, rows)


@given(rows=rows_of_counts, data=st.data())
def test_a_row_of_shares_depends_on_that_row_alone(rows: list[list[int]], data: st.DataObject) -> None:
    counts = np.array(rows, dtype=np.int64)
    together = shares_of_rows(counts, HALF_RANGE)
    for row, expected in zip(counts, together, strict=True):
        np.testing.assert_array_equal(shares_of_rows(row[None], HALF_RANGE)[0], expected)
    order = data.draw(st.permutations(range(len(rows))))
    np.testing.assert_array_equal(shares_of_rows(counts[order], HALF_RANGE), together[order])


@pytest.mark.parametrize(
    ("counts", "total", "shares"),
    [
        ([1, 1, 1, 1], 2, [1, 1, 0, 0]),
        ([1, 1, 1], 4, [2, 1, 1]),
        ([0, 5, 0, 5], 1, [0, 1, 0, 0]),
        ([2, 1, 1], 2, [1, 1, 0]),
        ([1, 1, 2], 2, [1, 0, 1]),
        ([3, 1, 1, 3], 3, [1, 1, 0, 1]),  # remainders 1/8, 3/8, 3/8, 1/8: the larger first, then the lower
        ([7], 3, [3]),
        ([0, 0, 0], 9, [0, 0, 0]),
        ([4, 9], 0, [0, 0]),
    ],
)
def test_ties_go_to_the_lower_column(counts: list[int], total: int, shares: list[int]) -> None:
    assert shares_of_rows(np.array([counts]), total).tolist() == [shares]


def wide_counts() -> NDArray[np.int64]:
    rng = np.random.default_rng(0)
    return rng.integers(0, 4, (300, 200)) * rng.integers(0, 2, (300, 1))


def test_many_ties_in_wide_rows_are_broken_alike() -> None:
    counts = wide_counts()  # beyond the length at which an unstable sort keeps ties in order by luck
    expected = [largest_remainder(row, HALF_RANGE) for row in counts.tolist()]
    assert shares_of_rows(counts, HALF_RANGE).tolist() == expected


def test_a_row_weighs_the_total_or_nothing() -> None:
    """What `shares` of dp/sensitivity.py relies on."""
    shares = shares_of_rows(wide_counts(), HALF_RANGE)
    assert set(np.abs(shares).sum(axis=1).tolist()) <= {0, HALF_RANGE}
    assert shares.min() == 0


def test_no_one_has_no_shares() -> None:
    empty = np.zeros(0, dtype=np.int64)
    assert integer_shares(empty, empty, 5).size == 0
    assert [part.size for part in shares_of_people(empty, empty, 3, 5)] == [0, 0, 0]


@given(
    rows=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), min_size=1, max_size=30), data=st.data()
)
def test_people_share_what_their_rows_are_counted_in(
    rows: list[tuple[int, int]], data: st.DataObject
) -> None:
    shuffled = np.array(data.draw(st.permutations(rows)))
    person, cell, share = shares_of_people(shuffled[:, 0], shuffled[:, 1], 6, HALF_RANGE)
    found = {(p, c): s for p, c, s in zip(person.tolist(), cell.tolist(), share.tolist(), strict=True)}
    expected = {
        (p, c): s
        for p in {p for p, _ in rows}
        for c, s in enumerate(largest_remainder([rows.count((p, c)) for c in range(6)], HALF_RANGE))
        if rows.count((p, c))
    }
    assert found == expected
    assert len(found) == len(person)


def test_bins_may_be_as_narrow_as_numbers_are() -> None:
    """There the width is so small that 1 over it is infinite, and 0 times that no number."""
    low, high = 0.0, 1e-310
    values = np.linspace(low, high, 9)
    numbers = equal_width_bins(values, low, high, 4)
    np.testing.assert_array_equal(numbers, bin_numbers(values, equal_width_edges(low, high, 4)))
