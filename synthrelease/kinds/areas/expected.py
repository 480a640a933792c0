"""How far released proportions are expected to be from the exact ones: released again and again from public, invented ones.

What the data are like is private: all proportions of a stimulus' areas are taken to be equally likely, as the estimate takes them (`areas.proof.md`).
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.derived import ShareShrinkage

_DRAWS = 256  # the error is known to about a twentieth
_SEED = 32


@functools.lru_cache(maxsize=256)
def total_variation(areas: int, deviation: float, *, is_laplace: bool) -> tuple[float, float]:
    """Return the mean total variation of shrunk proportions, and of equal ones, from the exact ones.

    Args:
        areas: of a stimulus, elsewhere among them.
        deviation: standard deviation of the noise in a proportion.
        is_laplace: whether the noise is Laplace, and not Gaussian.
    """
    random = np.random.default_rng(_SEED)
    exact = random.dirichlet(np.ones(areas), size=_DRAWS)
    draw = random.laplace if is_laplace else random.normal
    noisy = exact + draw(scale=deviation / np.sqrt(1 + is_laplace), size=exact.shape)
    shrinkage = ShareShrinkage(np.ones(areas, dtype=np.bool_), deviation)
    released = np.array([shrinkage.shares(one) for one in noisy])
    return _distance(released, exact), _distance(np.full(exact.shape, 1 / areas), exact)


def _distance(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return float(np.abs(one - other).sum(axis=1).mean()) / 2
