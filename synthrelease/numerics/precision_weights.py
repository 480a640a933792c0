"""How much of a budget each coordinate of a vector gets: weights that leave the least risk after shrinkage.

A coordinate with weight w is known with variance ν/w². Shrunk towards its prior of variance P, what is left is P·ν/(P·w² + ν). With
q = w², the sum of what is left, each times its importance a, is convex; under Σ q·s² = 1, where s² is the expected square of a
person's coordinate, its least is at q = √(a·ν/(λ·s²)) − ν/P where that is positive, else 0 (Lagrange, with one λ for all; in the
manner of the matrix mechanism, Li et al. 2015, whose workload here is the risk after shrinkage).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
_FLOOR = 1e-3  # of the budget: shared evenly, so that every coordinate has a variance that is finite


def precision_weights(
    *, squares: Numbers, prior: Numbers, importance: Numbers, count: Numbers, noise: float
) -> tuple[Numbers, float]:
    """Return weights w with Σ count·w²·squares = 1, shape (G,), and the share of the prior's risk that is left.

    Args:
        squares: s², the expected square of a person's coordinate in each group, > 0, shape (G,).
        prior: P, the variance of the mean over people before anything is known, > 0, shape (G,).
        importance: a of a coordinate, > 0, shape (G,).
        count: of coordinates in a group, shape (G,).
        noise: ν, the variance of the noise of a mean of weight 1.
    """
    gain = np.sqrt(importance * noise / squares)
    order = np.argsort(-prior * gain / noise, kind="stable")
    # √λ if the first so many groups in this order have a weight.
    root = np.cumsum((count * squares * gain)[order]) / (
        1 + noise * np.cumsum((count * squares / prior)[order])
    )
    has_weight = (prior * gain / noise)[order] > root
    last = int(np.flatnonzero(has_weight)[-1])
    squared = np.maximum(gain / root[last] - noise / prior, 0.0)
    squared = (1 - _FLOOR) * squared / (count * squares * squared).sum() + _FLOOR / (count * squares).sum()
    left = count * importance * prior * noise / (prior * squared + noise)
    return np.sqrt(squared), float(left.sum() / (count * importance * prior).sum())
