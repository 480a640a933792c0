"""Points that fill a cube evenly: expectations are taken over them, without anything random.

Kronecker's sequence: the i-th point has the fractional parts of i·√p, p = 2, 3, 5, …, the primes. It is uniformly distributed in the cube
(Weyl 1916), because the roots of primes and 1 are linearly independent over the rational numbers.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray


@functools.lru_cache(maxsize=16)
def even_points(count: int, dimensions: int) -> NDArray[np.float64]:
    """Return that many points as shares of the cube's sides, above 0 and below 1, shape (count, dimensions)."""
    points = np.outer(np.arange(1, count + 1), np.sqrt(_primes(dimensions))) % 1.0
    points.flags.writeable = False
    return points


def _primes(count: int) -> NDArray[np.int64]:
    """The first primes, shape (count,); the n-th is below n·(ln n + ln ln n) from the sixth on (Rosser & Schoenfeld 1962)."""
    n = max(count, 6)
    limit = int(n * (np.log(n) + np.log(np.log(n)))) + 1
    is_prime = np.ones(limit + 1, dtype=np.bool_)
    is_prime[:2] = False
    for number in range(2, int(limit**0.5) + 1):
        if is_prime[number]:
            is_prime[number * number :: number] = False
    return np.flatnonzero(is_prime)[:count]
