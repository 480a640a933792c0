"""The integer grid of a bounded feature: 2·HALF_RANGE steps between its public bounds, 0 at their middle."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

HALF_RANGE = 2**15


def centre_and_step(low: float, high: float) -> tuple[float, float]:
    """Return the middle of the public bounds and the size of a step, in the feature's unit."""
    return (low + high) / 2, (high - low) / (2 * HALF_RANGE)


def half_diagonal(length: int) -> int:
    """Return half the diagonal of a box of `length` sides of 2·HALF_RANGE steps, rounded up."""
    return math.isqrt(HALF_RANGE * HALF_RANGE * length - 1) + 1


def to_steps(values: NDArray[np.float64], bounds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return values (last axis: features) in steps, cut toward zero, within ±`HALF_RANGE`.

    Element by element: a value's result depends on nothing else.

    Args:
        values: in the features' units, finite, shape (…, F).
        bounds: lower and upper bound of each feature, shape (F, 2).
    """
    centre = (bounds[:, 0] + bounds[:, 1]) / 2
    step = (bounds[:, 1] - bounds[:, 0]) / (2 * HALF_RANGE)
    cut = values - centre
    cut /= step
    np.clip(np.trunc(cut, out=cut), -HALF_RANGE, HALF_RANGE, out=cut)
    return cut.astype(np.int64)
