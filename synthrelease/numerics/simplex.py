"""The nearest histogram to noisy counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def onto_simplex(counts: NDArray[np.number], total: float) -> NDArray[np.float64]:
    """Return the array of the same shape nearest to `counts` in L2 whose entries are not negative and sum to `total` > 0.

    All entries are lowered (or raised) by the same amount, and cut off at 0 (Duchi et al. 2008, Figure 1): where
    counts of a known number of people carry noise, the small ones, which are noise, vanish.
    """
    flat = counts.astype(np.float64).ravel()
    nearest: NDArray[np.float64] = np.maximum(flat - _lowered_by(flat, total), 0.0).reshape(counts.shape)
    return nearest


def _lowered_by(flat: NDArray[np.float64], total: float) -> float:
    falling = np.sort(flat)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, flat.size + 1)
    return float(excess[np.flatnonzero(falling > excess)[-1]])
