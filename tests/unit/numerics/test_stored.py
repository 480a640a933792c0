"""Derived values are stored on a grid that machines agree on, exactly representable in 32 bits."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthrelease.numerics import stored as stored_module
from synthrelease.numerics.stored import are_stored_multiples, grid, is_stored_form, stored, stored_multiples


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


@given(
    st.lists(
        st.lists(st.floats(-1e20, 1e20, allow_subnormal=False), min_size=3, max_size=3),
        min_size=1,
        max_size=6,
    )
)
def test_rows_with_grids_of_their_own_are_stored_as_each_alone(values: list[list[float]]) -> None:
    exact = np.array(values)
    found = stored(exact, by_rows=True)
    assert found.tobytes() == np.concatenate([stored(row) for row in exact]).tobytes()
    assert grid(exact, by_rows=True).tolist() == [float(grid(row)[0]) for row in exact]
    assert is_stored_form(found, exact, care=1e-12, by_rows=True)


@pytest.mark.quick(but=["16385-1000"])
@pytest.mark.parametrize("rows", [1, 2, 1000])
@pytest.mark.parametrize("columns", [1, 3, stored_module._BLOCK + 1])
def test_one_value_of_a_row_beside_its_grid_is_seen_whatever_the_others_are(rows: int, columns: int) -> None:
    exact = np.random.default_rng(1).normal(size=(rows, columns)) * np.logspace(0, 9, rows)[:, None]
    found = stored(exact, by_rows=True)
    for row in {0, rows // 2, rows - 1}:
        changed = found.copy()
        changed[row, columns // 2] += np.float32(grid(exact[row])[0])
        assert is_stored_form(found, exact, care=1e-12, by_rows=True)
        assert not is_stored_form(changed, exact, care=1e-12, by_rows=True)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_has_no_grid(bad: float) -> None:
    assert math.isnan(grid(np.array([1.0, bad])).item())


# --- what is stored, recognised


SIZE = 2 * stored_module._BLOCK + 3


def told(array: np.ndarray, exact: np.ndarray, *, care: float = 1e-12) -> bool:
    return is_stored_form(array, exact, care=care)


@pytest.mark.parametrize("shape", [(0,), (1,), (3, 5), (SIZE,)])
@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_what_is_stored_is_recognised(shape: tuple[int, ...], scale: float) -> None:
    exact = scale * np.random.default_rng(1).normal(size=shape)
    assert told(stored(exact), exact)
    assert told(stored(np.zeros(shape)), np.zeros(shape))


@pytest.mark.parametrize("place", [0, 1, stored_module._BLOCK - 1, stored_module._BLOCK, SIZE - 1])
def test_one_value_of_another_form_is_found_wherever_it_is(place: int) -> None:
    exact = np.random.default_rng(2).uniform(-1, 1, SIZE)
    exact[1], exact[2] = 0.99, 0.0
    step = grid(exact).item()
    for change in (step, -step, step / 4, 1e-30, math.nan, math.inf, -math.inf):
        array = stored(exact)
        array[place] += np.float32(change)
        if array[place] != stored(exact)[place]:
            assert not told(array, exact), change
    array = stored(exact)
    exact[place] = array[place] = 0.0
    assert told(array, exact)
    array[place] = -0.0
    assert not told(array, exact)


def test_machines_may_differ_by_their_care_and_no_more() -> None:
    exact = np.array([1.5, 1.0, 0.25])
    half = grid(exact).item() / 2
    array = stored(exact)
    for off, care, alike in ((0.99, 1e-12, True), (1.01, 1e-12, False), (1.01, 1e-7, True)):
        assert told(array, exact + off * half * np.array([0, 1, 0]), care=care) is alike


@pytest.mark.parametrize("by_rows", [False, True])
def test_machines_may_be_on_two_sides_of_a_power_of_two(by_rows: bool) -> None:  # noqa: FBT001
    """The grid is twice as coarse beyond it: values are told that one machine would never round so."""
    values = np.random.default_rng(5).uniform(-1, 1, (3, 500))
    below, above = (np.concatenate([values, np.full((3, 1), 1 + sign * 1e-13)], axis=1) for sign in (-1, 1))
    assert (grid(below, by_rows=by_rows) < grid(above, by_rows=by_rows)).all()
    for here, there in ((below, above), (above, below)):
        assert is_stored_form(stored(there, by_rows=by_rows), here, care=1e-12, by_rows=by_rows)
        assert not is_stored_form(stored(there, by_rows=by_rows), here, care=1e-15, by_rows=by_rows)


def test_nothing_is_stored_of_what_is_not_finite() -> None:
    exact = np.array([1.0, math.nan])
    assert not told(np.array([1.0, math.nan], dtype=np.float32), exact)
    assert not told(np.array([1.0, 0.0], dtype=np.float32), exact)


def test_multiples_of_public_steps_are_the_same_numbers_wherever_they_stand() -> None:
    steps = np.array([0.1, 2.0**-20, 1.0])
    exact = np.array([[0.30000000000000004, 0.7, 3.0], [0.1 * 14 + 1e-13, -0.7, 1e5], [-0.04, 0.0, 0.0]])
    shown = stored_multiples(exact, steps)
    assert shown[:, 0].tolist() == [np.float32(0.3), np.float32(1.4), 0.0]
    assert not np.signbit(shown[2, 0])
    assert np.abs(shown[:, 1] - exact[:, 1]).max() <= 2.0**-21
    assert are_stored_multiples(shown, exact, steps, care=1e-7)
    for place, value in itertools.product(np.ndindex(shown.shape), (np.nan, np.inf, -0.0, 0.05)):
        changed = shown.copy()
        changed[place] = value
        assert not are_stored_multiples(changed, exact, steps, care=1e-7)
        nearest = shown.copy()
        nearest[place] = np.nextafter(nearest[place], np.float32(9))
        assert not are_stored_multiples(nearest, exact, steps, care=1e-7)
