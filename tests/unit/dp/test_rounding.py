"""Rounding in one direction, against fractions."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthrelease.dp.rounding import float_down, float_up, root_up, round_up


def log_even(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(math.exp)


numbers = st.one_of(st.floats(1e-300, 1e300), log_even(1e-12, 1e12), st.floats(0.001, 100))


@given(numbers, st.integers(1, 12))
def test_rounding_up_never_goes_below_and_not_far_above(value: float, digits: int) -> None:
    rounded = round_up(value, digits)
    assert value <= rounded
    assert Fraction(rounded) < Fraction(value) * (1 + Fraction(10) ** (1 - digits)) * (
        1 + Fraction(1, 10**14)
    )
    assert len(Decimal(repr(rounded)).normalize().as_tuple().digits) <= digits


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        (0.0, 6, 0.0),
        (1.0, 6, 1.0),
        (3.0, 1, 3.0),
        (0.125, 3, 0.125),
        (1.2345678, 6, 1.23457),
        (1.2345601, 6, 1.23457),
        (1.23456, 4, 1.235),
        (99.99999, 4, 100.0),
        (1.0000000000000002, 6, 1.00001),
        (0.9999999999999999, 6, 1.0),
        (123456.5, 3, 124000.0),
        (0.00012341, 4, 0.0001235),
        (5e-324, 6, 5e-324),
    ],
)
def test_rounding_up_by_hand(value: float, digits: int, expected: float) -> None:
    assert round_up(value, digits) == expected


@pytest.mark.parametrize("value", [0.1, 0.2, 1.1, 0.333334])
def test_rounding_up_leaves_a_number_of_few_digits_alone(value: float) -> None:
    assert round_up(value, 6) == value


@given(st.fractions(min_value=-(10**9), max_value=10**9))
def test_the_nearest_doubles_on_either_side(value: Fraction) -> None:
    below, above = float_down(value), float_up(value)
    assert Fraction(below) <= value <= Fraction(above)
    assert above in {below, math.nextafter(below, math.inf)}


@given(st.one_of(st.integers(0, 2**60), st.integers(0, 2**500), st.integers(0, 2**200).map(lambda n: n * n)))
def test_the_root_is_the_least_double_that_is_not_below(squared: int) -> None:
    root = root_up(squared)
    assert Fraction(root) ** 2 >= squared
    if squared:
        assert Fraction(math.nextafter(root, 0.0)) ** 2 < squared


def test_the_root_around_squares() -> None:
    for whole in [*range(1, 300), 2**26, 2**26 + 1, 94906265, 2**40 + 3]:
        assert root_up(whole * whole) == whole
        assert root_up(whole * whole + 1) > whole
        assert root_up(whole * whole - 1) <= whole
    assert root_up(2) == math.sqrt(2)  # the nearest double of √2 is above it
    assert root_up(3) == math.nextafter(math.sqrt(3), 2)  # the nearest double of √3 is below it


@pytest.mark.parametrize("exponent", [-700, -350, -320, -308, -200, -1, 0, 1, 200, 300])
def test_the_root_of_a_number_of_any_size_is_rounded_up_at_once(exponent: int) -> None:
    """In floating point the square of a small ratio is 0, and from there no number of steps leads to its root."""
    squared = Fraction(3) * Fraction(10) ** exponent if exponent < 0 else Fraction(3 * 10**exponent)
    root = root_up(squared)
    assert Fraction(root) ** 2 >= squared
    assert root == 5e-324 or Fraction(math.nextafter(root, 0.0)) ** 2 < squared


def test_the_root_of_nothing() -> None:
    assert root_up(Fraction(0)) == 0.0
