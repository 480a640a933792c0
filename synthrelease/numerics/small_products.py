"""Matrix products in pieces so small that OpenBLAS does each on one thread.

Many products in a row would wait for threads longer than they take, above all on a busy machine; and how many threads there
are would decide in which order numbers are added.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_AT_ONCE = 1 << 18  # multiply-adds of one product, from which on OpenBLAS may use threads
# Of a piece: with fewer it is slower, and with one it would be a vector, which has a limit of its own.
_LEAST_ROWS = 8


def product(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return left @ right of 64-bit floats, shapes (N, K) and (K, M), some rows and columns at a time, in pieces of nearly one size."""
    (rows, inner), columns = left.shape, right.shape[1]
    out: NDArray[np.float64]
    if rows * right.size <= MOST_AT_ONCE:
        out = np.matmul(left, right)
        return out
    out = np.empty((rows, columns))
    for across in _pieces(columns, MOST_AT_ONCE // (inner * _LEAST_ROWS)):
        strip = right[:, across]
        for down in _pieces(rows, MOST_AT_ONCE // strip.size):
            np.matmul(left[down], strip, out=out[down, across])
    return out


def _pieces(length: int, most: int) -> list[slice]:
    count = -(-length // max(1, most))
    return [slice(length * i // count, length * (i + 1) // count) for i in range(count)]
