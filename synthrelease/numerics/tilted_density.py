"""Densities on cells from noisy means of functions: a public base, tilted as far as the means call for it.

p_b ∝ base·exp(Σ_k b_k·φ_k): of all densities with the same means of the functions the one nearest to the base (Kullback–Leibler). b is normal before anything is known, the
means are known with independent normal errors; the most probable b is found for each of several variances of b, and densities are averaged by their Laplace evidence.
Nothing is ever negative, and where noise is large the base is left. The functions may be of any form: cosines, waves on a circle, their products.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.small_products import product

Numbers = NDArray[np.float64]

_SCALES = 2.0 ** np.arange(-6, 5)  # of the variance of b
_EXPECTED, _SPREAD = -4.0, 2.0  # of the logarithm (base 2) of the scale, before anything is known: normal
_STEPS = 60
_LONGEST = 2.0  # of a step, of the logarithm of a cell
_NEAR = 1e-6  # steps that change no logarithm by more are taken as they are
_TINY = 1e-300


@dataclass(frozen=True)
class Tilted:
    """A density, and how much of what its means could be the noise leaves open."""

    density: Numbers  # of sum 1, shape (cells,)
    learnt: float  # share of the prior variance of b that is known, from 0 (all is the base) to 1


def tilted(base: Numbers, functions: Numbers, means: Numbers, variance: Numbers, power: Numbers) -> Tilted:
    """Return the density that noisy means call for, dimensionless.

    Args:
        base: public, of sum 1 and above 0, shape (cells,).
        functions: φ, at the cells, shape (cells, K).
        means: of the functions, noisy, shape (K,).
        variance: of their errors, above 0, shape (K,).
        power: of b, up to a scale, shape (K,).
    """
    fits = [_fit(base, functions, means, variance, scale * power) for scale in _SCALES]
    score = np.array([fit.evidence for fit in fits])
    score -= 0.5 * ((np.log2(_SCALES) - _EXPECTED) / _SPREAD) ** 2
    weight = np.exp(score - score.max())
    weight /= weight.sum()
    density = weight @ np.stack([fit.density for fit in fits])
    learnt = float(weight @ np.array([fit.learnt for fit in fits]))
    return Tilted(density / density.sum(), learnt)


@dataclass(frozen=True)
class _Fit:
    density: Numbers
    evidence: float  # its logarithm
    learnt: float


@dataclass(frozen=True)
class _Problem:
    base: Numbers
    functions: Numbers
    means: Numbers
    variance: Numbers
    power: Numbers

    def at_cells(self, tilt: Numbers) -> Numbers:
        """Σ_k tilt_k·φ_k, shape (cells,): as threads of OpenBLAS would take longer to start than the sum."""
        return np.asarray(np.einsum("ck,k->c", self.functions, tilt))

    def means_of(self, density: Numbers) -> Numbers:
        """The means of the functions, shape (K,)."""
        return np.asarray(np.einsum("c,ck->k", density, self.functions))

    def density(self, tilt: Numbers) -> Numbers:
        logarithm = self.at_cells(tilt)
        density = self.base * np.exp(logarithm - logarithm.max())
        return np.asarray(density / density.sum())

    def loss(self, tilt: Numbers, density: Numbers) -> float:
        missed = self.means - self.means_of(density)
        return float(((missed**2 / self.variance).sum() + (tilt**2 / self.power).sum()) / 2)

    def curvature(self, density: Numbers) -> tuple[Numbers, Numbers]:
        """Covariances of the functions, which are slopes of their means, and the curvature but for the means' own, shape (K, K) each."""
        centred = self.functions - self.means_of(density)
        slopes = product(np.ascontiguousarray(centred.T), density[:, None] * centred)
        return slopes, product(slopes / self.variance, slopes) + np.diag(1 / self.power)


def _fit(base: Numbers, functions: Numbers, means: Numbers, variance: Numbers, power: Numbers) -> _Fit:
    """The most probable tilt, by the steps of Gauss and Newton, damped as Levenberg and Marquardt do."""
    problem = _Problem(base, functions, means, variance, power)
    tilt = np.zeros(means.size)
    density = problem.density(tilt)
    loss, damping = problem.loss(tilt, density), 1e-3
    for _ in range(_STEPS):
        slopes, curvature = problem.curvature(density)
        missed = means - problem.means_of(density)
        gradient = tilt / power - np.einsum("jk,k->j", slopes, missed / variance)
        step = -np.linalg.solve(curvature + damping * np.diag(np.diag(curvature)), gradient)
        change = problem.at_cells(step)
        largest = float(np.ptp(change))
        step *= min(1.0, _LONGEST / max(largest, _TINY))
        tried = problem.density(tilt + step)
        tried_loss = problem.loss(tilt + step, tried)
        if tried_loss <= loss or largest < _NEAR:
            tilt, density, loss, damping = tilt + step, tried, tried_loss, damping / 8
        else:
            damping = min(damping * 8, 1e8)
        if largest < _NEAR**2:
            break
    _, curvature = problem.curvature(density)
    sign, logarithm = np.linalg.slogdet(curvature * power)  # relative to the prior's
    evidence = -loss - 0.5 * logarithm if sign > 0 else -np.inf
    left = np.diag(np.linalg.inv(curvature)) / power
    return _Fit(density, float(evidence), float(np.clip(1 - left, 0, 1).mean()))
