"""The integer grid between public bounds: cut toward zero, never beyond, value by value."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from synthrelease.numerics.steps import HALF_RANGE, centre_and_step, half_diagonal, to_steps

BOUNDS = [(0.0, 1.0), (-1.0, 1.0), (2.0, 8.0), (0.1, 0.7), (-1e6, -999_000.0), (1e-9, 3e-9), (0.0, 1e12)]


def one(value: float, low: float, high: float) -> int:
    return int(to_steps(np.array([[value]]), np.array([[low, high]]))[0, 0])


@pytest.mark.parametrize(("low", "high"), BOUNDS)
def test_the_centre_is_zero_and_the_bounds_are_half_the_range_away(low: float, high: float) -> None:
    centre, step = centre_and_step(low, high)
    assert centre == (low + high) / 2
    assert step == (high - low) / 65536
    assert one(centre, low, high) == 0
    assert one(low, low, high) in (-HALF_RANGE, -HALF_RANGE + 1)  # the quotient may round below the last step
    assert one(high, low, high) in (HALF_RANGE, HALF_RANGE - 1)


def test_dyadic_bounds_are_reached_exactly() -> None:
    assert one(0.0, 0.0, 1.0) == -HALF_RANGE
    assert one(1.0, 0.0, 1.0) == HALF_RANGE
    assert one(-3.0, -4.0, 4.0) == -HALF_RANGE * 3 // 4


@given(bounds=st.sampled_from(BOUNDS), part=st.floats(-0.1, 1.1))
def test_values_are_cut_toward_zero_within_the_range(bounds: tuple[float, float], part: float) -> None:
    low, high = bounds
    value = low + part * (high - low)
    steps = one(value, low, high)
    assert -HALF_RANGE <= steps <= HALF_RANGE
    centre, step = (Fraction(x) for x in centre_and_step(low, high))
    exact = max(min((Fraction(value) - centre) / step, HALF_RANGE), -HALF_RANGE)
    near = round(exact)
    if abs(exact - near) < Fraction(1, 10**9):  # there the float quotient may fall on either side
        assert steps in (near - 1, near, near + 1)
    else:
        assert steps == int(exact)  # int cuts toward zero


@given(bounds=st.sampled_from(BOUNDS), steps=st.integers(-HALF_RANGE, HALF_RANGE))
def test_the_way_back_and_there_again_loses_at_most_a_step(bounds: tuple[float, float], steps: int) -> None:
    centre, step = centre_and_step(*bounds)
    again = one(centre + step * steps, *bounds)
    assert abs(again) in (abs(steps), abs(steps) - 1)


@pytest.mark.parametrize(
    ("part", "expected"),
    [(0.49, 0), (0.51, 0), (0.99, 0), (1.0, 1), (1.99, 1), (-0.99, 0), (-1.0, -1), (-1.99, -1)],
)
def test_rounding_is_toward_zero_on_both_sides(part: float, expected: int) -> None:
    assert one(part, -HALF_RANGE, HALF_RANGE) == expected


@given(
    low=st.floats(-1e9, 1e9),
    width=st.floats(1e-3, 1e9),
    value=st.floats(allow_nan=False, allow_infinity=False, width=64),
)
def test_nothing_leaves_the_range_whatever_the_bounds(low: float, width: float, value: float) -> None:
    high = low + width
    assume(high > low)
    # a quotient may be infinite and is then clipped; np.trunc and np.clip carry infinities without a warning
    assume(abs(value) < 1e290)
    steps = one(value, low, high)
    assert -HALF_RANGE <= steps <= HALF_RANGE
    if value >= high + width:
        assert steps == HALF_RANGE
    if value <= low - width:
        assert steps == -HALF_RANGE


def test_a_value_depends_on_nothing_beside_it() -> None:
    rng = np.random.default_rng(0)
    bounds = np.array(BOUNDS)
    values = rng.uniform(bounds[:, 0], bounds[:, 1], (41, 3, len(BOUNDS)))
    together = to_steps(values, bounds)
    assert together.dtype == np.int64
    assert together.shape == values.shape
    for i, j, f in np.ndindex(values.shape):
        assert together[i, j, f] == one(values[i, j, f], *BOUNDS[f])
    order = rng.permutation(41)
    np.testing.assert_array_equal(to_steps(values[order], bounds), together[order])


def test_order_is_kept() -> None:
    values = np.linspace(1.9, 8.1, 5001)[:, None]
    steps = to_steps(values, np.array([[2.0, 8.0]]))[:, 0]
    assert (np.diff(steps) >= 0).all()
    assert steps[0] == -HALF_RANGE
    assert steps[-1] == HALF_RANGE


def test_half_the_diagonal_is_the_least_radius_that_holds_every_series_of_steps() -> None:
    assert half_diagonal(1) == HALF_RANGE
    assert half_diagonal(4) == 2 * HALF_RANGE
    for length in (1, 2, 3, 4, 5, 99, 100, 101, 1000, 1_000_000):
        radius = half_diagonal(length)
        assert (radius - 1) ** 2 < length * HALF_RANGE**2 <= radius**2
