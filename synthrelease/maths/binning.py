"""Equal-width bins on public edges, and the way back."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray


def equal_width_edges(low: float, high: float, bins: int) -> NDArray[np.float64]:
    """Return the `bins` + 1 edges of equal-width bins over [low, high]."""
    return np.linspace(low, high, bins + 1)


def bin_numbers(values: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the number of the bin each value falls in.

    Bins are [edge, next edge); values at or beyond the ends belong to the first and the last bin.
    """
    inner = edges[1:-1]
    return np.searchsorted(inner, values, side="right").astype(np.int64)


def spread_within(
    numbers: NDArray[np.int64], edges: NDArray[np.float64], fraction: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return a value inside each bin, at `fraction` ∈ [0, 1) of its width, never at the next edge."""
    low, high = edges[numbers], edges[numbers + 1]
    inside = low + fraction * (high - low)
    return np.minimum(inside, np.nextafter(high, low))


def public_fractions(name: str, count: int) -> NDArray[np.float64]:
    """Return `count` numbers from [0, 1) that look random and that anyone can compute from `name`.

    They spread synthetic values within their bins: nothing else can then be hidden there. (SplitMix64 of the row's
    number, offset by the SHA-256 of the name.)
    """
    offset = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")
    z = (np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)) + np.uint64(offset)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def integer_shares(counts: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """Return each row of counts scaled to integers that sum to `total`, by largest remainder.

    Rows without counts stay zero. Ties go to the lower column. A row's result depends on that row alone.

    Args:
        counts: not negative, shape (N, B); total·count below 2⁶².
        total: W, the sum of every row that has counts.
    """
    sums = counts.sum(axis=1, keepdims=True)
    divisor = np.maximum(sums, 1)
    scaled = counts * total
    shares: NDArray[np.int64] = scaled // divisor
    missing = np.where(sums[:, 0] > 0, total - shares.sum(axis=1), 0)
    # A stable sort of the negative remainders puts the largest first and keeps ties in column order.
    rank = np.argsort(np.argsort(-(scaled % divisor), axis=1, kind="stable"), axis=1, kind="stable")
    shares += rank < missing[:, None]
    return shares
