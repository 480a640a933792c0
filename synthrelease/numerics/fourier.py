"""The orthonormal real Fourier basis, applied exactly to integers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft

from synthrelease.numerics.exact_product import bits_of, exact_product

_SHORT = 256  # steps, for which a matrix product is faster


def coefficient_count(length: int, frequencies: int) -> int:
    """Return K, the real coefficients of the `frequencies` lowest frequencies of a series of `length` steps.

    K = 2k − 1 (the constant and k − 1 pairs), one less when the Nyquist frequency is among them.
    """
    if not 1 <= frequencies <= length // 2 + 1:
        raise ValueError(f"Expected 1 <= frequencies <= {length // 2 + 1}, found {frequencies}")
    return min(2 * frequencies - 1, length)


def basis(length: int, frequencies: int) -> NDArray[np.float64]:
    """Return the orthonormal rows [constant, cos₁, sin₁, cos₂, sin₂, …], dimensionless, shape (K, length).

    Row f: √(2/n)·cos(2πft/n) and √(2/n)·sin(2πft/n); √(1/n) for the constant and the Nyquist frequency.
    """
    count = coefficient_count(length, frequencies)
    t = np.arange(length)
    rows = np.empty((count, length))
    rows[0] = math.sqrt(1.0 / length)
    for row in range(1, count):
        f = (row + 1) // 2
        angle = 2.0 * math.pi * ((f * t) % length) / length
        if 2 * f == length:
            rows[row] = math.sqrt(1.0 / length) * np.cos(angle)
        else:
            rows[row] = math.sqrt(2.0 / length) * (np.cos(angle) if row % 2 else np.sin(angle))
    return rows


def integer_coefficients(series: NDArray[np.int64], frequencies: int, *, bound: int) -> NDArray[np.int64]:
    """Return Fourier coefficients of integer series, cut toward zero to integers, exactly reproducible.

    Args:
        series: integers in [−bound, bound], shape (…, n).
        frequencies: k, how many frequencies to keep.
        bound: largest magnitude of an entry.

    Returns:
        Coefficients in the unit of the series, shape (…, K); see `exact_product`.
    """
    bits_of(series.shape[-1], bound)  # refuses what is too long before a basis of its size is made
    return exact_product(series, basis(series.shape[-1], frequencies), bound=bound)


def inverse(coefficients: NDArray[np.float64], length: int, frequencies: int) -> NDArray[np.float64]:
    """Return the series of `length` steps with the given coefficients; shape (…, K) → (…, length).

    Short series by a matrix product; long ones by the fast transform, whose memory stays linear even if a hostile file
    asks for a million coefficients.
    """
    count = coefficient_count(length, frequencies)
    if coefficients.shape[-1] != count:
        raise ValueError(f"Expected {count} coefficients, found {coefficients.shape[-1]}")
    if length <= _SHORT:
        product: NDArray[np.float64] = coefficients @ basis(length, frequencies)
        return product
    spectrum = np.zeros((*coefficients.shape[:-1], length // 2 + 1), dtype=np.complex128)
    spectrum[..., 0] = coefficients[..., 0]
    pairs = (count - 1) // 2
    spectrum[..., 1 : pairs + 1] = (
        coefficients[..., 1 : 2 * pairs : 2] - 1j * coefficients[..., 2::2]
    ) / math.sqrt(2)
    if count % 2 == 0:
        spectrum[..., -1] = coefficients[..., -1]
    series: NDArray[np.float64] = irfft(spectrum, n=length, axis=-1, norm="ortho")
    return series
