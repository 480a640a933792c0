"""The nearest histogram to noisy counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_MOST_PASSES = 50  # two or three are usual


def onto_simplex(counts: NDArray[np.number], total: float) -> NDArray[np.float64]:
    """Return the array of the same shape nearest to `counts` in L2 whose entries are not negative and sum to `total` > 0.

    All entries are lowered (or raised) by the same amount, and cut off at 0 (Duchi et al. 2008, Figure 1): where
    counts of a known number of people carry noise, the small ones, which are noise, vanish.
    """
    flat = counts.astype(np.float64).ravel()
    nearest: NDArray[np.float64] = np.maximum(flat - _lowered_by(flat, total), 0.0).reshape(counts.shape)
    return nearest


def onto_simplex_from(
    start: float, values: NDArray[np.float64], total: float
) -> tuple[NDArray[np.float64], float]:
    """Return what `onto_simplex` does, but for rounding, and by how much all were lowered; fast where `start` is near that.

    Newton's method for λ in Σ max(x − λ, 0) = total: λ ← λ + (Σ max(x − λ, 0) − total)/#{x > λ}. The sum is convex and made
    of straight pieces, so that from the second step on λ only grows; and where the entries above it stay the same, it
    is exact (Condat 2016, Section 2, of Michelot 1986, https://doi.org/10.1007/s10107-015-0946-6).

    Args:
        start: a guess of λ.
        values: x, counts or shares, of any shape, which is that of the result.
        total: > 0.
    """
    # λ lies between these: from farther off the steps would be exact, but not to the last digits.
    largest = float(values.max())
    lowered_by = start if largest - total <= start < largest else largest - total
    above = 0
    lowered = np.empty_like(values)
    for _ in range(_MOST_PASSES):
        np.subtract(values, lowered_by, out=lowered)
        np.maximum(lowered, 0.0, out=lowered)
        now_above = int(np.count_nonzero(lowered > 0))  # of floats alone it is slower
        if now_above == above > 0:
            return lowered, lowered_by
        if not now_above:  # the total is lost in the rounding of the largest
            break
        above = now_above
        lowered_by += (float(lowered.sum()) - total) / above
    np.subtract(values, largest, out=lowered)  # nothing near the largest is lost then
    beyond = _lowered_by(lowered.ravel(), total)
    lowered -= beyond
    return np.maximum(lowered, 0.0, out=lowered), largest + beyond


def _lowered_by(flat: NDArray[np.float64], total: float) -> float:
    falling = np.sort(flat)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, flat.size + 1)
    return float(excess[np.flatnonzero(falling > excess)[-1]])
