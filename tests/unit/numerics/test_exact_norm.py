"""The squared norm of integers is exact, whatever their size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthrelease.numerics.exact_norm import from_limbs, squared_norm, to_limbs

integers = st.lists(st.integers(-(2**63) + 1, 2**63 - 1) | st.integers(-5, 5), max_size=20)


@given(numbers=integers)
def test_it_is_that_of_integers_of_any_size(numbers: list[int]) -> None:
    assert squared_norm(np.array(numbers, dtype=np.int64)) == sum(n * n for n in numbers)


@pytest.mark.parametrize("number", [2**21 - 1, -(2**21) + 1, 2**21, -(2**21), 2**42, -(2**42) - 1, 2**62])
def test_at_the_ends_of_limbs_and_of_blocks(number: int) -> None:
    many = np.full((3, 400_001), number)
    assert squared_norm(many) == many.size * number * number


@given(numbers=st.lists(st.integers(0, 2**186 - 1), min_size=1, max_size=5))
def test_limbs_add_up(numbers: list[int]) -> None:
    summed = np.sum([to_limbs(n) for n in numbers], axis=0)
    assert from_limbs(summed) == sum(numbers)
    assert to_limbs(numbers[0]).dtype == np.int64
    assert to_limbs(numbers[0]).max() < 2**31
