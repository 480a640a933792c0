"""Integers times an orthonormal basis, exact in every order of addition.

A batched matrix product of floats gives last bits that depend on who else is in the batch. Here the basis is rounded to
integers with so few bits that every product and every sum stays below 2⁵³: the result is exact, hence the same in any
batch, at the speed of the library's matrix product.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def exact_product(series: NDArray[np.int64], rows: NDArray[np.float64], *, bound: int) -> NDArray[np.int64]:
    """Return series · rowsᵀ, cut toward zero to integers; each row of it depends on that row of `series` alone, bit for bit.

    Args:
        series: integers in [−bound, bound], shape (…, n).
        rows: orthonormal, no entry beyond √(2/n), shape (K, n).
        bound: largest magnitude of an entry of `series`.

    Returns:
        Coefficients in the unit of the series, shape (…, K).

    Raises:
        ValueError: the series is too long or too large for products that are exact and not coarse.
    """
    bits = bits_of(rows.shape[1], bound)
    rounded = np.rint(np.ldexp(rows, bits))
    exact = series.astype(np.float64) @ rounded.T
    return np.trunc(np.ldexp(exact, -bits)).astype(np.int64)


def bits_of(length: int, bound: int) -> int:
    """Return to how many bits after the point a basis is rounded.

    Σ |x·c| ≤ bound·n·√(2/n): with so many bits of c every product and every sum stays below 2⁵³.

    Raises:
        ValueError: fewer than 12, or n·bound itself is too large.
    """
    bits = 52 - bound.bit_length() - math.isqrt(2 * length).bit_length()
    if bits < 12 or bound * length >= 2**51:
        raise ValueError(f"a series of {length} steps within ±{bound} is too long for exact products")
    return bits
