"""Noise is added to every integer, each its own, however many blocks they are drawn in."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian
from synthrelease.dp.noise import SecureRandom, addition, discrete_laplace, rounded_gaussian
from synthrelease.dp.noise.addition import add_noise
from synthrelease.errors import PlanError

GAUSSIAN, LAPLACE = RoundedGaussian(1, 40.0, 1), DiscreteLaplace(1, 40.0, 1)


@pytest.mark.parametrize("event", [GAUSSIAN, LAPLACE], ids=["gaussian", "laplace"])
@pytest.mark.parametrize("size", [0, 1, addition._INTEGERS, 2 * addition._INTEGERS + 5])
def test_it_is_the_noise_of_one_draw(event: RoundedGaussian | DiscreteLaplace, size: int) -> None:
    exact = np.arange(size, dtype=np.int64)
    sample = rounded_gaussian if event is GAUSSIAN else discrete_laplace
    expected = exact + sample(40.0, size, random=SecureRandom.for_tests(1))
    found = add_noise(exact, event, largest=1 << 20, random=SecureRandom.for_tests(1))
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(exact, np.arange(size))  # what is collected stays as it is


@pytest.mark.parametrize(("largest", "kind"), [(2**31 - 4002, np.int32), (2**31 - 4000, np.int64)])
def test_shape_stays_and_the_type_follows_from_public_bounds(largest: int, kind: type[np.generic]) -> None:
    for value in (0, -largest):
        exact = np.full((3, 2, 5), value)
        found = add_noise(exact, GAUSSIAN, largest=largest, random=SecureRandom.for_tests(2))
        assert (found.shape, found.dtype) == ((3, 2, 5), kind)
        assert (np.abs(found.astype(np.float64) - value) < 400).all()


def test_what_is_not_in_the_order_of_memory_gets_its_own_noise() -> None:
    exact = np.arange(12, dtype=np.int64).reshape(3, 4)
    one = add_noise(exact, GAUSSIAN, largest=12, random=SecureRandom.for_tests(3))
    turned = add_noise(np.asfortranarray(exact), GAUSSIAN, largest=12, random=SecureRandom.for_tests(3))
    np.testing.assert_array_equal(one, turned)


def test_what_could_leave_64_bits_is_refused() -> None:
    with refused(PlanError, "integer-overflow"):
        add_noise(np.zeros(1, dtype=np.int64), GAUSSIAN, largest=2**62, random=SecureRandom.for_tests(4))
