"""Derived values are stored on a grid that machines agree on, exactly representable in 32 bits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthrelease.maths.stored import grid, stored


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.lists(st.floats(-1e30, 1e30, allow_subnormal=False), min_size=1, max_size=20))
def test_values_are_multiples_of_the_grid_and_near_the_exact_ones(values: list[float]) -> None:
    exact = np.array(values)
    found = stored(exact).astype(np.float64)
    step = grid(exact)
    assert (np.rint(found / step) * step == found).all()
    assert (np.abs(found - exact) <= step / 2).all()
    assert not (np.signbit(found) & (found == 0)).any()
    if exact.any():
        assert step <= max(2.0**-21 * float(np.abs(exact).max()), 2.0**-122)


def test_what_two_machines_differ_by_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    exact = rng.normal(size=100_000)
    other = exact + 1e-12 * rng.normal(size=exact.size)
    assert (stored(exact) != stored(other)).mean() < 1e-4


def test_the_grid_at_and_below_a_power_of_two() -> None:
    assert grid(np.array([1.0])) == 2.0**-21
    assert grid(np.array([math.nextafter(1.0, 0)])) == 2.0**-22
    assert stored(np.array([math.nextafter(1.0, 0)]))[0] == 1.0
    assert stored(np.zeros(3)).tolist() == [0, 0, 0]
    assert stored(np.zeros(0)).size == 0


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_has_no_grid(bad: float) -> None:
    assert math.isnan(grid(np.array([1.0, bad])))
