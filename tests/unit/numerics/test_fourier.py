"""The Fourier basis, and its product with integers: equal to the last bit for everyone.

The oracle rounds a basis of 60 digits and multiplies in Python's integers. Nothing is compared with a tolerance
where the claim is exactness.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import MPContext
from refusals import bad_argument

from synthrelease.numerics.fourier import basis, coefficient_count, integer_coefficients, inverse
from synthrelease.numerics.steps import HALF_RANGE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

LENGTHS = [1, 2, 3, 4, 5, 8, 9, 16, 31, 32, 100, 127]
LONGEST = 1_000_000  # the longest series that a plan allows

_mp = MPContext()
_mp.prec = 200


def bits_of(length: int, bound: int) -> int:
    """Bits after the point of the rounded basis: 52 less those of the bound and of √(2n), rounded up."""
    return 52 - bound.bit_length() - math.isqrt(2 * length).bit_length()


@functools.cache
def rounded_basis(length: int, frequencies: int, bits: int) -> list[list[int]]:
    """The basis from its definition, in 60 digits, times 2^bits, rounded to integers."""
    rows = []
    for f in range(frequencies):
        alone = f == 0 or 2 * f == length
        scale = _mp.sqrt(_mp.mpf(1 if alone else 2) / length)
        for wave in (_mp.cospi,) if alone else (_mp.cospi, _mp.sinpi):
            row = [_mp.ldexp(scale * wave(_mp.mpf(2 * f * t) / length), bits) for t in range(length)]
            rows.append([int(_mp.nint(value)) for value in row])
    return rows


def exact_coefficients(series: list[int], frequencies: int, *, bound: int) -> list[int]:
    """What `integer_coefficients` claims, in Python's integers: the product, cut toward zero."""
    bits = bits_of(len(series), bound)
    products = [
        sum(a * b for a, b in zip(series, row, strict=True))
        for row in rounded_basis(len(series), frequencies, bits)
    ]
    return [(abs(p) >> bits) * (1 if p >= 0 else -1) for p in products]


def some_series(people: int, length: int, *, bound: int = HALF_RANGE, seed: int = 0) -> Integers:
    """Noise, constants (whose coefficients lie next to integers), waves and signs, within ±bound."""
    rng = np.random.default_rng((seed, people, length))
    series = rng.integers(-bound, bound + 1, (people, length))
    t = np.arange(length)
    series[1::4] = rng.integers(-bound, bound + 1, (len(series[1::4]), 1))
    for row in series[2::4]:
        row[:] = np.rint(bound * np.cos(2 * np.pi * rng.integers(length) * t / length))
    series[3::4] = bound * rng.choice([-1, 1], series[3::4].shape)
    return series


# --- the basis


@pytest.mark.parametrize("length", LENGTHS)
def test_rows_are_orthonormal_with_and_without_the_nyquist_frequency(length: int) -> None:
    for frequencies in range(1, length // 2 + 2):
        rows = basis(length, frequencies)
        count = coefficient_count(length, frequencies)
        assert rows.shape == (count, length)
        np.testing.assert_allclose(rows @ rows.T, np.eye(count), atol=1e-14 * length)


@pytest.mark.parametrize("length", LENGTHS)
def test_rows_are_the_lowest_frequencies_in_order(length: int) -> None:
    """Row by row against the definition in 60 digits; NumPy's sine errs by less than 1e-15."""
    frequencies = length // 2 + 1
    expected = [[math.ldexp(v, -48) for v in row] for row in rounded_basis(length, frequencies, 48)]
    np.testing.assert_allclose(basis(length, frequencies), expected, rtol=0, atol=4e-15)
    for fewer in range(1, frequencies):
        np.testing.assert_array_equal(
            basis(length, fewer), basis(length, frequencies)[: coefficient_count(length, fewer)]
        )


@pytest.mark.parametrize(
    ("length", "frequencies", "count"),
    [(1, 1, 1), (2, 1, 1), (2, 2, 2), (3, 2, 3), (4, 2, 3), (4, 3, 4), (9, 5, 9), (10, 5, 9), (10, 6, 10)],
)
def test_the_nyquist_frequency_has_one_row_and_the_others_two(
    length: int, frequencies: int, count: int
) -> None:
    assert coefficient_count(length, frequencies) == count
    if 2 * (frequencies - 1) == length:
        signs = np.where(np.arange(length) % 2, -1, 1)
        np.testing.assert_allclose(basis(length, frequencies)[-1], signs / math.sqrt(length), rtol=1e-14)


@pytest.mark.parametrize(("length", "frequencies"), [(10, 0), (10, -1), (10, 7), (9, 6), (1, 2)])
def test_frequencies_that_do_not_exist_are_refused(length: int, frequencies: int) -> None:
    with bad_argument(ValueError, "frequencies", length // 2 + 1, frequencies):
        coefficient_count(length, frequencies)
    with bad_argument(ValueError, "frequencies"):
        basis(length, frequencies)
    with bad_argument(ValueError, "frequencies"):
        integer_coefficients(np.zeros((1, length), dtype=np.int64), frequencies, bound=1)


# --- exact products


@pytest.mark.parametrize("bound", [1, 2, 7, 1000, HALF_RANGE - 1, HALF_RANGE, 2**20])
@pytest.mark.parametrize("length", [1, 2, 3, 9, 16, 25, 100])
def test_coefficients_are_the_integer_product_with_the_rounded_basis(length: int, bound: int) -> None:
    frequencies = length // 2 + 1
    series = some_series(12, length, bound=bound)
    found = integer_coefficients(series, frequencies, bound=bound)
    assert found.dtype == np.int64
    assert found.tolist() == [exact_coefficients(row, frequencies, bound=bound) for row in series.tolist()]


@pytest.mark.quick(but=["10000-2", "4000-4"])
@pytest.mark.parametrize(("length", "frequencies"), [(1024, 9), (2048, 5), (4000, 4), (10_000, 2)])
def test_coefficients_of_long_series_are_exact_too(length: int, frequencies: int) -> None:
    series = some_series(4, length)
    found = integer_coefficients(series, frequencies, bound=HALF_RANGE).tolist()
    assert found == [exact_coefficients(row, frequencies, bound=HALF_RANGE) for row in series.tolist()]


@given(data=st.data())
def test_coefficients_are_exact_for_any_series(data: st.DataObject) -> None:
    length = data.draw(st.integers(1, 12))
    bound = data.draw(st.integers(1, 2**33))
    frequencies = data.draw(st.integers(1, length // 2 + 1))
    one = st.lists(st.integers(-bound, bound), min_size=length, max_size=length)
    series = data.draw(st.lists(one, min_size=1, max_size=4))
    found = integer_coefficients(np.array(series, dtype=np.int64), frequencies, bound=bound)
    assert found.tolist() == [exact_coefficients(row, frequencies, bound=bound) for row in series]


@pytest.mark.parametrize(("length", "frequencies"), [(16, 9), (100, 51), (625, 20), (900, 3)])
def test_a_row_is_the_same_to_the_bit_in_every_batch_and_place(length: int, frequencies: int) -> None:
    """The squares among the lengths put the coefficient of a constant series next to an integer."""
    series = some_series(70, length)
    alone = np.concatenate([integer_coefficients(row[None], frequencies, bound=HALF_RANGE) for row in series])
    for size in (2, 3, 5, 8, 17, 64, 70):
        for start in range(0, len(series), size):
            batch = slice(start, start + size)
            together = integer_coefficients(series[batch], frequencies, bound=HALF_RANGE)
            np.testing.assert_array_equal(together, alone[batch])
    rng = np.random.default_rng(1)
    for _ in range(5):
        order = rng.permutation(len(series))
        shuffled = integer_coefficients(series[order], frequencies, bound=HALF_RANGE)
        np.testing.assert_array_equal(shuffled, alone[order])
    turned = integer_coefficients(np.asfortranarray(series), frequencies, bound=HALF_RANGE)
    np.testing.assert_array_equal(turned, alone)
    strided = integer_coefficients(np.repeat(series, 2, axis=1)[::2, ::2], frequencies, bound=HALF_RANGE)
    np.testing.assert_array_equal(strided, alone[::2])


def test_a_row_does_not_depend_on_the_values_of_others() -> None:
    mine = some_series(1, 256, seed=5)
    for filling in (0, HALF_RANGE, -HALF_RANGE):
        batch = np.full((33, 256), filling, dtype=np.int64)
        batch[20] = mine
        found = integer_coefficients(batch, 129, bound=HALF_RANGE)[20]
        assert found.tolist() == integer_coefficients(mine, 129, bound=HALF_RANGE)[0].tolist()


def test_the_control_a_product_of_floats_is_not_the_product_of_integers() -> None:
    """A product with the unrounded basis, cut to integers, is told apart by the tests above."""
    series = some_series(40, 900)
    floats = np.trunc(series.astype(np.float64) @ basis(900, 3).T).astype(np.int64)
    assert not np.array_equal(floats, integer_coefficients(series, 3, bound=HALF_RANGE))


def test_the_largest_sums_stay_below_two_to_the_53() -> None:
    """The worst series of all, signs of the row itself, for every frequency."""
    for length in (1, 2, 3, 7, 255, 256, 1023):
        frequencies = min(length // 2 + 1, 6)
        bits = bits_of(length, HALF_RANGE)
        for row in rounded_basis(length, frequencies, bits):
            assert HALF_RANGE * sum(map(abs, row)) < 2**53
        worst = HALF_RANGE * np.sign(basis(length, frequencies)).astype(np.int64)
        found = integer_coefficients(worst, frequencies, bound=HALF_RANGE)
        expected = [exact_coefficients(row, frequencies, bound=HALF_RANGE) for row in worst.tolist()]
        assert found.tolist() == expected


@pytest.mark.parametrize("length", [10, 256, 1000, 1024, 2000])
def test_cutting_loses_less_than_one_step_and_rounding_the_basis_no_more_than_its_bound(length: int) -> None:
    frequencies = min(length // 2 + 1, 30)
    series = some_series(60, length)
    floats = series.astype(np.float64) @ basis(length, frequencies).T
    found = integer_coefficients(series, frequencies, bound=HALF_RANGE)
    of_the_basis = length * HALF_RANGE * 2.0 ** -(bits_of(length, HALF_RANGE) + 1)
    assert of_the_basis < 1
    assert np.abs(found - floats).max() < 1 + of_the_basis
    assert np.abs(found - np.trunc(floats)).max() <= 1


@pytest.mark.parametrize("length", [10, 256, 1000, 1024, 2000])
def test_coefficients_are_cut_toward_zero(length: int) -> None:
    frequencies = min(length // 2 + 1, 30)
    series = some_series(60, length)
    found = integer_coefficients(series, frequencies, bound=HALF_RANGE)
    np.testing.assert_array_equal(integer_coefficients(-series, frequencies, bound=HALF_RANGE), -found)
    noise = np.random.default_rng(3).integers(-HALF_RANGE, HALF_RANGE + 1, (60, length))
    found = integer_coefficients(noise, frequencies, bound=HALF_RANGE)
    outward = np.abs(found) - np.abs(noise.astype(np.float64) @ basis(length, frequencies).T)
    assert outward.max() < length * HALF_RANGE * 2.0 ** -(bits_of(length, HALF_RANGE) + 1)
    assert outward.mean() == pytest.approx(-0.5, abs=0.15)


@pytest.mark.parametrize("length", [20_000, LONGEST])
def test_rounding_the_basis_costs_less_than_one_step_for_every_series_that_a_plan_allows(length: int) -> None:
    series = np.full((1, length), HALF_RANGE, dtype=np.int64)
    found = integer_coefficients(series, 1, bound=HALF_RANGE)
    lost = abs(float(found[0, 0]) - HALF_RANGE * math.sqrt(length))
    assert lost < 2 + 0.5 * math.sqrt(length) * (length > 100_000)  # half a step of the series at a million


@pytest.mark.parametrize(
    ("length", "largest"),
    [(1, 2**39 - 1), (3, 2**38 - 1), (4, 2**38 - 1), (1000, 2**34 - 1), (1023, 2**34 - 1), (8192, 2**32 - 1)],
)
def test_a_series_too_long_for_exact_products_is_refused(length: int, largest: int) -> None:
    """Bound and √(2·length) may take 40 bits together; the message names both."""
    series = np.full((1, length), largest, dtype=np.int64)
    found = integer_coefficients(series, 1, bound=largest)
    assert found.tolist() == [exact_coefficients(series[0].tolist(), 1, bound=largest)]
    with bad_argument(ValueError, length, largest + 1):
        integer_coefficients(series, 1, bound=largest + 1)


def test_a_series_of_millions_of_steps_is_refused_before_it_is_multiplied() -> None:
    with bad_argument(ValueError, 2**40, HALF_RANGE):
        integer_coefficients(np.empty((0, 2**40), dtype=np.int64), 1, bound=HALF_RANGE)


def test_no_one_gives_no_rows() -> None:
    assert integer_coefficients(np.empty((0, 10), dtype=np.int64), 3, bound=5).shape == (0, 5)


def test_the_series_themselves_are_left_alone() -> None:
    series = some_series(5, 20)
    before = series.copy()
    integer_coefficients(series, 4, bound=HALF_RANGE)
    np.testing.assert_array_equal(series, before)


# --- the way back


@pytest.mark.parametrize("length", LENGTHS)
def test_the_inverse_of_all_coefficients_is_the_series(length: int) -> None:
    series = some_series(8, length).astype(np.float64)
    frequencies = length // 2 + 1
    coefficients = series @ basis(length, frequencies).T
    np.testing.assert_allclose(inverse(coefficients, length, frequencies), series, atol=1e-7)


@pytest.mark.parametrize("length", [1, 2, 9, 16, 100, 127])
def test_the_inverse_of_integer_coefficients_is_the_series_but_for_the_cut(length: int) -> None:
    series = some_series(8, length)
    frequencies = length // 2 + 1
    found = integer_coefficients(series, frequencies, bound=HALF_RANGE)
    back = inverse(found.astype(np.float64), length, frequencies)
    lost = np.sqrt(((back - series) ** 2).sum(axis=1))
    assert lost.max() <= 1.1 * math.sqrt(length)  # less than one step in each orthonormal coordinate


def test_fewer_coefficients_give_the_nearest_series_of_those_frequencies() -> None:
    series = some_series(6, 40).astype(np.float64)
    coefficients = series @ basis(40, 6).T
    near = inverse(coefficients, 40, 6)
    np.testing.assert_allclose(near @ basis(40, 6).T, coefficients, atol=1e-7)
    spectrum = np.fft.rfft(series, axis=1)
    spectrum[:, 6:] = 0
    np.testing.assert_allclose(near, np.fft.irfft(spectrum, 40, axis=1), atol=1e-7)


def test_the_inverse_keeps_the_axes_before_the_last() -> None:
    coefficients = np.random.default_rng(0).normal(size=(2, 3, 5))
    back = inverse(coefficients, 12, 3)
    assert back.shape == (2, 3, 12)
    np.testing.assert_allclose(back[1, 2], inverse(coefficients[1, 2], 12, 3), rtol=1e-12)


@pytest.mark.parametrize(("length", "frequencies", "count"), [(10, 6, 9), (10, 6, 11), (10, 3, 4), (9, 5, 1)])
def test_another_number_of_coefficients_is_refused(length: int, frequencies: int, count: int) -> None:
    with bad_argument(ValueError, coefficient_count(length, frequencies), "coefficients", count):
        inverse(np.zeros((2, count)), length, frequencies)


@pytest.mark.parametrize("length", LENGTHS)
def test_the_inverse_is_the_product_with_the_basis(length: int) -> None:
    for frequencies in range(1, length // 2 + 2):
        coefficients = np.random.default_rng(frequencies).normal(
            size=(3, coefficient_count(length, frequencies))
        )
        expected = coefficients @ basis(length, frequencies)
        np.testing.assert_allclose(inverse(coefficients, length, frequencies), expected, rtol=0, atol=1e-12)
