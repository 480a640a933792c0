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


def exact_images(
    vectors: NDArray[np.int64], matrix: NDArray[np.float64], *, norm: float
) -> NDArray[np.int64]:
    """Return vectors · matrixᵀ, cut toward zero to integers; each row of it depends on that row of `vectors` alone, bit for bit.

    Before it is cut, an image is off by less than `image_error` in norm.

    Args:
        vectors: integers, L2 norm of each row at most `norm`, shape (…, K).
        matrix: shape (n, K).
        norm: a public bound.

    Returns:
        Shape (…, n).
    """
    bits = _bits_of_images(matrix, norm)
    exact = vectors.astype(np.float64) @ np.rint(np.ldexp(matrix, bits)).T
    return np.trunc(np.ldexp(exact, -bits)).astype(np.int64)


def image_error(matrix: NDArray[np.float64], norm: float) -> float:
    """Return a bound of the L2 norm of what rounding a matrix, shape (n, K), adds to an image: twice half a unit of its last bit in every entry."""
    return math.ldexp(norm * math.sqrt(matrix.size), -_bits_of_images(matrix, norm))


def _bits_of_images(matrix: NDArray[np.float64], norm: float) -> int:
    """Σ |z·g| ≤ ‖z‖·‖g‖ (Cauchy and Schwarz): with so many bits of g every product and every sum stays below 2⁵³."""
    rows = float(np.sqrt((matrix**2).sum(axis=1)).max(initial=0.0)) + math.sqrt(matrix.shape[1])
    return 52 - math.ceil(norm * rows + 1).bit_length()
