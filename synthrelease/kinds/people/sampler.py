"""Synthetic people of a population that was released, from a public seed: anyone can draw the same again.

z = level + slope of the condition + effect of the condition + residual, a stationary autoregression of order 1 for each feature that
starts anew in each condition; z has unit variance, and a value is the quantile of the released marginal at Φ(z)
(`people.proof.md`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from synthrelease.kinds.people.fitting import Dependence
from synthrelease.numerics.correlation_matrix import with_eigenvalues
from synthrelease.numerics.public_draws import PublicDraws

Numbers = NDArray[np.float64]
_LEAST_REST = 0.3  # of the unit variance, besides effects of conditions
_JITTER = 1e-8
_LEAST_EIGENVALUE = 1e-6


def normal_scores(dependence: Dependence, *, windows: int, seed: int, start: int, stop: int) -> Numbers:
    """Return dimensionless normal numbers of people number `start` … `stop` − 1, shape (people, C, windows, F); each depends on its number and the seed."""
    conditions, features = dependence.effects.shape
    rest = np.clip(1 - (dependence.effects**2).mean(axis=0), _LEAST_REST, 1)
    inside = (1 - dependence.intraclass) * rest
    within = _root(dependence.within)
    persistence = dependence.autocorrelation
    innovation = dependence.within * (1 - np.outer(persistence, persistence))
    renewed = _root(with_eigenvalues(innovation, least=_LEAST_EIGENVALUE))
    draws = _normals(seed, start, stop, (1 + conditions * (1 + windows)) * features)
    level, slopes, residuals = np.split(draws, [features, features * (1 + conditions)], axis=1)
    shape = (stop - start, conditions, features)
    residual = residuals.reshape(stop - start, conditions, windows, features)
    scores = np.empty((stop - start, conditions, windows, features))
    here = residual[:, :, 0] @ within.T
    for t in range(windows):
        scores[:, :, t] = here
        if t + 1 < windows:
            here = persistence * here + residual[:, :, t + 1] @ renewed.T
    scores *= np.sqrt(inside * (1 - dependence.slopes))
    scores += ((slopes.reshape(shape) @ within.T) * np.sqrt(inside * dependence.slopes))[:, :, None]
    scores += ((level @ _root(dependence.between).T) * np.sqrt(dependence.intraclass * rest))[:, None, None]
    return scores + dependence.effects[:, None]


def probabilities(scores: Numbers) -> Numbers:
    """Return the dimensionless Φ of scores, of their shape."""
    return np.asarray(ndtr(scores))


def _root(matrix: Numbers) -> Numbers:
    return np.asarray(np.linalg.cholesky(matrix + _JITTER * np.eye(len(matrix))))


def _normals(seed: int, start: int, stop: int, count: int) -> Numbers:
    """Standard normal numbers, of each person from a stream of their own, shape (people, count)."""
    return np.stack([PublicDraws(seed, person).normal(count) for person in range(start, stop)])
