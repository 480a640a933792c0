"""The public samplers: shapes, types, signs, and what they refuse. Their distribution: tests/statistical."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from refusals import bad_argument

from synthrelease.dp.noise import SecureRandom, discrete_laplace, rounded_gaussian

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

samplers = pytest.mark.parametrize("sampler", [rounded_gaussian, discrete_laplace])


class Constant:
    """Every word is the same."""

    def __init__(self, word: int) -> None:
        self.word = word

    def words(self, count: int) -> NDArray[np.uint64]:
        return np.full(count, self.word, dtype=np.uint64)


@samplers
@pytest.mark.parametrize("size", [0, 1, 5, 32_768, 32_769, (), (0,), (3, 0, 2), (2, 3), (7, 1, 5)])
def test_the_result_has_the_shape_asked_for_and_is_a_64_bit_integer(
    sampler: Callable[..., NDArray[np.int64]], size: int | tuple[int, ...]
) -> None:
    drawn = sampler(2.5, size, random=SecureRandom())
    assert drawn.dtype == np.int64
    assert drawn.shape == ((size,) if isinstance(size, int) else size)
    drawn += 1  # the caller may add the noise in place


@samplers
def test_a_shape_is_only_a_shape(sampler: Callable[..., NDArray[np.int64]]) -> None:
    flat = sampler(40.0, 60_000, random=SecureRandom.for_tests(0))
    shaped = sampler(40.0, (200, 3, 100), random=SecureRandom.for_tests(0))
    np.testing.assert_array_equal(shaped, flat.reshape(200, 3, 100))


@samplers
def test_the_lowest_bit_is_the_sign_and_zero_has_none(sampler: Callable[..., NDArray[np.int64]]) -> None:
    for t in (2**40, 2**50, 2**59, 2**61 + 12345, 3 * 2**61):
        positive = sampler(7.3, 3, random=Constant(t << 1))
        negative = sampler(7.3, 3, random=Constant(t << 1 | 1))
        assert positive.tolist() == (-negative).tolist()
        assert positive[0] > 0
    for word in (2**64 - 1, 2**64 - 2):  # u next to its largest value
        assert sampler(7.3, 2, random=Constant(word)).tolist() == [0, 0]


@samplers
def test_more_upper_tail_probability_is_less_magnitude(sampler: Callable[..., NDArray[np.int64]]) -> None:
    drawn = [int(sampler(1e4, 1, random=Constant(t << 1))[0]) for t in range(2**56, 2**63, 2**57)]
    assert drawn == sorted(drawn, reverse=True)
    assert len(set(drawn)) > 60


def test_the_quartile_of_the_gaussian_and_the_median_of_the_laplace_magnitude() -> None:
    # u = ¼: Q⁻¹(¼) = 0.6744897…; u = ½: b·ln 2 with the factor 2/(1 + q), nearly 1 here
    assert rounded_gaussian(1e6, 1, random=Constant(2**63)).tolist() == [674490]
    assert discrete_laplace(1e6, 1, random=Constant(2**63)).tolist() == [693147]


@samplers
@pytest.mark.parametrize(
    "scale",
    [
        0.0,
        -0.0,
        5e-324,
        2.0**-20 * (1 - 2**-53),
        -1.0,
        math.nan,
        math.inf,
        -math.inf,
        2.0**40 * (1 + 2**-52),
        1e300,
    ],
)
def test_a_scale_out_of_range_is_named_with_its_value(
    sampler: Callable[..., NDArray[np.int64]], scale: float
) -> None:
    name = "sigma" if sampler is rounded_gaussian else "scale"
    with bad_argument(ValueError, "2**-20", "2**40", f"{name}={scale}"):
        sampler(scale, 1, random=SecureRandom())


@samplers
@pytest.mark.parametrize("scale", [2.0**-20, 1e-5, 1, 2**40, 2.0**40, np.float64(3.5)])
def test_the_ends_of_the_range_and_other_kinds_of_number_are_accepted(
    sampler: Callable[..., NDArray[np.int64]], scale: float
) -> None:
    drawn = sampler(scale, 100, random=SecureRandom.for_tests(0))
    assert np.abs(drawn).max() < 50 * scale + 1
    if scale < 1e-4:
        assert not drawn.any()
