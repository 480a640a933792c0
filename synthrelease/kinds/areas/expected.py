"""How far released proportions are expected to be from the exact ones: released again and again from public, invented ones.

What the data are like is private: all proportions of a stimulus' areas are taken to be equally likely, as the estimate takes them (`areas.proof.md`).
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from synthrelease.numerics.derived import ShareShrinkage
from synthrelease.numerics.even_points import even_points

_DRAWS = 256  # the error is known to about a twentieth


@functools.lru_cache(maxsize=256)
def total_variation(areas: int, deviation: float, *, is_laplace: bool) -> tuple[float, float]:
    """Return the mean total variation of shrunk proportions, and of equal ones, from the exact ones.

    Args:
        areas: of a stimulus, elsewhere among them.
        deviation: standard deviation of the noise in a proportion.
        is_laplace: whether the noise is Laplace, and not Gaussian.
    """
    points = even_points(_DRAWS, 2 * areas)
    weights = -np.log(points[:, :areas])
    exact = weights / weights.sum(axis=1, keepdims=True)
    noise = points[:, areas:]
    if is_laplace:
        standard = np.sign(noise - 0.5) * -np.log1p(-np.abs(2 * noise - 1)) / np.sqrt(2)
    else:
        standard = ndtri(noise)
    noisy = exact + deviation * standard
    shrinkage = ShareShrinkage(np.ones(areas, dtype=np.bool_), deviation)
    released = np.array([shrinkage.shares(one) for one in noisy])
    return _distance(released, exact), _distance(np.full(exact.shape, 1 / areas), exact)


def _distance(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return float(np.abs(one - other).sum(axis=1).mean()) / 2
