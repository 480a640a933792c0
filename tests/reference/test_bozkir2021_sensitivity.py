"""Bozkir et al. 2021, Section 3 and Equations 8–15: sensitivities of Fourier coefficients and of differences.

Their λ = √n·√k·Δ₂/ε is for NumPy's unnormalised transform; ours is λ = √K·Δ₂/ε on the orthonormal real basis with
K real coefficients. Both are attained by a series that is written down here.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from refusals import bad_argument

from synthrelease.dp.calibration import laplace_scale
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.sensitivity import boxed_series, clipped_coefficients
from synthrelease.numerics.fourier import basis, coefficient_count, inverse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

SHAPES = [
    (n, k)
    for n in (2, 3, 4, 5, 8, 9, 16, 31, 130)
    for k in sorted({1, 2, n // 4 + 1, n // 2, n // 2 + 1})
    if 1 <= k <= n // 2 + 1
]
shapes = pytest.mark.parametrize(("n", "k"), SHAPES)


def unnormalised(n: int, k: int) -> Numbers:
    """Rows of NumPy's rfft as real numbers: DC, Re and Im of frequencies 1 … k − 1."""
    spectrum = np.fft.rfft(np.eye(n), axis=1)[:, :k].T
    rows = [spectrum[0].real]
    for f in range(1, k):
        rows.append(spectrum[f].real)
        if 2 * f != n:
            rows.append(spectrum[f].imag)
    return np.array(rows)


def largest_l1(rows: Numbers) -> float:
    """max ‖rows·x‖₁ over ‖x‖₂ = 1: the longest of all signed sums of the rows."""
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=len(rows))))
    return float(np.linalg.norm(signs @ rows, axis=1).max())


# --- the basis


@shapes
def test_the_basis_is_orthonormal(n: int, k: int) -> None:
    rows = basis(n, k)
    np.testing.assert_allclose(rows @ rows.T, np.eye(len(rows)), atol=1e-13)


@shapes
def test_the_basis_spans_the_lowest_frequencies_of_numpys_transform(n: int, k: int) -> None:
    rows, theirs = basis(n, k), unnormalised(n, k)
    assert rows.shape == theirs.shape
    np.testing.assert_allclose(theirs @ rows.T @ rows, theirs, atol=1e-10)
    series = np.random.default_rng(n).normal(size=n)
    spectrum = np.fft.rfft(series)
    spectrum[k:] = 0
    np.testing.assert_allclose(inverse(rows @ series, n, k), np.fft.irfft(spectrum, n), atol=1e-12)


@shapes
def test_k_frequencies_are_2k_less_1_coefficients_and_one_less_with_nyquist(n: int, k: int) -> None:
    expected = 2 * k - 1 - (2 * (k - 1) == n)
    assert coefficient_count(n, k) == expected == len(basis(n, k))


@pytest.mark.parametrize("n", [2, 3, 8, 9, 130])
def test_all_frequencies_are_as_many_coefficients_as_steps(n: int) -> None:
    assert coefficient_count(n, n // 2 + 1) == n
    for k in (0, -1, n // 2 + 2):
        with bad_argument(ValueError, "frequencies", n // 2 + 1, k):
            coefficient_count(n, k)


# --- λ = √K·Δ₂/ε


@shapes
def test_bozkir2021_eq_8_on_the_orthonormal_basis_root_k_times_l2_is_attained(n: int, k: int) -> None:
    """x = (Δ₂/√K)·(sum of all rows): its norm is Δ₂, its coefficients are all Δ₂/√K."""
    rows, moved = basis(n, k), 3.7
    K = len(rows)
    series = moved / math.sqrt(K) * rows.sum(axis=0)
    assert np.linalg.norm(series) == pytest.approx(moved, rel=1e-12)
    assert np.abs(rows @ series).sum() == pytest.approx(math.sqrt(K) * moved, rel=1e-12)


@shapes
def test_bozkir2021_eq_8_on_the_orthonormal_basis_no_series_moves_further(n: int, k: int) -> None:
    rows = basis(n, k)
    series = np.random.default_rng(k).normal(size=(300, n))
    series /= np.linalg.norm(series, axis=1, keepdims=True)
    assert np.abs(series @ rows.T).sum(axis=1).max() <= math.sqrt(len(rows)) * (1 + 1e-12)
    if len(rows) <= 11:
        assert largest_l1(rows) == pytest.approx(math.sqrt(len(rows)), rel=1e-12)


@shapes
@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_bozkir2021_eq_8_is_the_sensitivity_that_noise_is_calibrated_to(
    n: int, k: int, neighbours: Neighbours
) -> None:
    K, radius, epsilon = coefficient_count(n, k), 1_000_000, 0.5
    moved = radius * (2 if neighbours is Neighbours.REPLACE_ONE else 1)
    stated = clipped_coefficients(count=K, radius=radius, neighbours=neighbours)
    assert stated.l2 == moved
    assert stated.l1 == math.floor(math.sqrt(K) * moved)
    scale = laplace_scale(epsilon, sensitivity=stated.l1)
    assert scale == pytest.approx(math.sqrt(K) * moved / epsilon, rel=1e-6)


# --- λ = √n·√k·Δ₂/ε, unnormalised


@pytest.mark.parametrize(
    ("n", "k"), [(4, 2), (5, 3), (8, 1), (8, 2), (8, 4), (9, 3), (16, 4), (32, 5), (33, 5)]
)
def test_bozkir2021_eq_8_to_15_unnormalised_root_nk_is_attained(n: int, k: int) -> None:
    """Each conjugate pair noised once: the L1 sensitivity over real and imaginary parts is √(nk)·Δ₂."""
    assert 2 * (k - 1) < n
    assert largest_l1(unnormalised(n, k)) == pytest.approx(math.sqrt(n * k), rel=1e-12)


@pytest.mark.parametrize(("n", "k"), [(8, 2), (16, 4), (33, 5)])
def test_bozkir2021_rastogi_nath_2010_scale_lacks_the_root_of_n(n: int, k: int) -> None:
    assert largest_l1(unnormalised(n, k)) > 2 * math.sqrt(k)


@pytest.mark.parametrize(("n", "k"), [(8, 2), (16, 4), (33, 5)])
def test_bozkir2021_noising_both_members_of_a_pair_costs_root_4_less_3_over_k_more(n: int, k: int) -> None:
    rows = unnormalised(n, k)
    both = np.concatenate([rows[:1], 2 * rows[1:]])
    assert largest_l1(both) == pytest.approx(math.sqrt(n * k) * math.sqrt(4 - 3 / k), rel=1e-12)


# --- Nyquist


@pytest.mark.parametrize("n", [2, 4, 8, 10])
def test_the_nyquist_coefficient_is_one_and_real(n: int) -> None:
    rows = basis(n, n // 2 + 1)
    np.testing.assert_allclose(rows[-1], (-1.0) ** np.arange(n) / math.sqrt(n), atol=1e-13)
    assert largest_l1(rows) == pytest.approx(math.sqrt(n), rel=1e-12)


# --- sensitivity from public bounds, and differencing


def differences(series: Numbers) -> Numbers:
    """First differences inside a chunk, the first value kept (DCFPA)."""
    return np.diff(series, axis=-1, prepend=0.0)


def all_corners(L: int, low: float, high: float) -> Numbers:
    return np.array(list(itertools.product((low, high), repeat=L)))


@pytest.mark.parametrize("L", range(1, 9))
@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-2.5, 4.0)])
def test_bozkir2021_differencing_raises_the_sensitivities_of_a_bounded_chunk(
    L: int, low: float, high: float
) -> None:
    """Δ₂ = (hi − lo)·√(4L − 3) and Δ₁ = (hi − lo)·(2L − 1), from every pair of corners."""
    corners = differences(all_corners(L, low, high))
    moved = corners[:, None, :] - corners[None, :, :]
    width = high - low
    assert np.abs(moved).sum(axis=2).max() == pytest.approx(width * (2 * L - 1), rel=1e-12)
    assert np.linalg.norm(moved, axis=2).max() == pytest.approx(width * math.sqrt(4 * L - 3), rel=1e-12)
    inside = np.random.default_rng(L).uniform(low, high, (200, L))
    between = differences(inside)[:, None, :] - corners[None, :, :]
    assert np.abs(between).sum(axis=2).max() <= width * (2 * L - 1) * (1 + 1e-12)
    assert np.linalg.norm(between, axis=2).max() <= width * math.sqrt(4 * L - 3) * (1 + 1e-12)


@pytest.mark.parametrize("L", range(1, 9))
def test_bozkir2021_without_differencing_a_bounded_series_moves_less(L: int) -> None:
    """Δ₂ = (hi − lo)·√n and Δ₁ = (hi − lo)·n: here in steps of the box [−4, 4]."""
    corners = all_corners(L, -4, 4)
    moved = corners[:, None, :] - corners[None, :, :]
    stated = boxed_series(steps=L, bound=4, neighbours=Neighbours.REPLACE_ONE)
    assert stated.l1 == np.abs(moved).sum(axis=2).max() == 8 * L
    assert stated.l2_squared == (moved**2).sum(axis=2).max() == 64 * L
    if L > 1:
        assert stated.l2 < 8 * math.sqrt(4 * L - 3)


def test_bozkir2021_algorithm_1_line_3_does_not_invert_the_difference_and_the_running_sum_does() -> None:
    series = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
    d = differences(series)
    np.testing.assert_allclose(np.cumsum(d), series)
    printed = d + np.concatenate([[0.0], d[:-1]])  # X̃_t = D̃_t + D̃_(t−1)
    assert np.abs(printed - series).max() > 1
