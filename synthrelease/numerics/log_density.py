"""Densities on equal bins from noisy cosine coefficients: the most probable log-density, averaged over how smooth it is.

A density p = softmax(η) on M bins has coefficients c_k, the mean of √2·cos(πku), which are known with independent normal errors. The prior of η is normal round η₀ with precision a·D₁ᵀD₁ + l·D₃ᵀD₃, D_r the differences of order r: for a large l that is a cut normal density.
Over a grid of (a, l) estimates are averaged by their Laplace evidence, to which features lend each other strength. η₀ is 0, a uniform density; where other
people's densities are known, theirs, as it is and blurred, stand next to it and are believed more.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
_FIRST = (0.01, 0.05, 0.3)  # a
_THIRD = (0.1, 1.0, 10.0, 100.0, 1e3, 1e4)  # l
_BLURRED_FIRST, _BLURRED_THIRD = (0.03, 0.3, 3.0), (0.1, 10.0, 1000.0)  # about others' blurred density
_SHARP_FIRST, _SHARP_THIRD = (3.0, 30.0, 300.0), (0.1, 1000.0)  # about others' density
_BLUR_BINS, _SPREAD_PEOPLE = (
    2.5,
    8.0,
)  # standard deviation of the blur; so many even ones are among the others
_BELIEF_UNIFORM, _BELIEF_BLURRED = -1.5, -0.7  # logarithm of how far it is believed, next to others' density
_RIDGE = 1e-6
_LENT = 1.5  # of the mean evidence over features: how much they lend each other
_MOST_STEPS = 60
_LARGEST_STEP = 3.0  # of a log-density in one iteration
_PRECISE = 1e-10  # of the last step: far below what is stored


@dataclass(frozen=True)
class Densities:
    """Densities of some features, and how well their coefficients are known; dimensionless."""

    density: Numbers  # shape (F, M), of sum 1
    variance: Numbers  # of their coefficients, shape (F, K)


def cosines(orders: int, bins: int) -> Numbers:
    """Return the dimensionless mean of √2·cos(πku) over each of M equal bins of [0, 1], k = 1 … K, shape (K, M)."""
    order, middles = np.arange(1, orders + 1)[:, None], (np.arange(bins) + 0.5) / bins
    table: Numbers = np.sqrt(2) * np.cos(np.pi * order * middles) * np.sinc(order / (2 * bins))
    return table


@dataclass(frozen=True)
class Others:
    """Densities of other people, who are known; dimensionless."""

    density: Numbers  # shape (F, M), of sum 1
    people: int

    def log_density(self, *, blurred: bool) -> Numbers:
        """Return its logarithm, dimensionless, with some even people among them, shape (F, M)."""
        density, bins = self.density, self.density.shape[1]
        if blurred:
            place = np.arange(bins)
            weight = np.exp(-0.5 * ((place[:, None] - place) / _BLUR_BINS) ** 2)
            density = density @ (weight / weight.sum(axis=1, keepdims=True)).T
            density = density / density.sum(axis=1, keepdims=True)
        return np.asarray(
            np.log((self.people * density + _SPREAD_PEOPLE / bins) / (self.people + _SPREAD_PEOPLE))
        )


@dataclass(frozen=True)
class _Prior:
    """Of log-densities: about which, how far from it, and how far it is believed."""

    centre: Numbers  # shape (F, M)
    first: float
    third: float
    belief: float = 0.0

    @property
    def penalty(self) -> Numbers:
        bins = self.centre.shape[1]
        first, third = (_differences(order, bins) for order in (1, 3))
        return np.asarray(self.first * first.T @ first + self.third * third.T @ third + _RIDGE * np.eye(bins))


def _priors(uniform: Numbers, others: Others | None) -> list[_Prior]:
    grid = list(itertools.product(_FIRST, _THIRD))
    if others is None:
        return [_Prior(uniform, *levels) for levels in grid]
    sharp, blurred = (others.log_density(blurred=is_blurred) for is_blurred in (False, True))
    return [
        *(_Prior(uniform, *levels, _BELIEF_UNIFORM) for levels in grid[::2]),
        *(_Prior(blurred, *at, _BELIEF_BLURRED) for at in itertools.product(_BLURRED_FIRST, _BLURRED_THIRD)),
        *(_Prior(sharp, *at) for at in itertools.product(_SHARP_FIRST, _SHARP_THIRD)),
    ]


def densities(coefficients: Numbers, variance: Numbers, bins: int, others: Others | None = None) -> Densities:
    """Return the dimensionless densities that coefficients and the variance of their errors call for, both of shape (F, K).

    Args:
        coefficients: of the densities, noisy, dimensionless, shape (F, K).
        variance: of their errors, shape (F, K).
        bins: M.
        others: other people, to whom these may be alike.
    """
    known = _Known(coefficients, variance, cosines(coefficients.shape[1], bins))
    priors = _priors(np.zeros((len(coefficients), bins)), others)
    fits = [known.most_probable(prior) for prior in priors]
    density, evidence, spread = (np.stack(arrays) for arrays in zip(*fits, strict=True))
    score = evidence + _LENT * (evidence - evidence.max(axis=0)).mean(axis=1, keepdims=True)
    score += np.array([prior.belief for prior in priors])[:, None]
    weight = np.exp(score - score.max(axis=0))
    weight /= weight.sum(axis=0)
    mean = (weight[..., None] * density).sum(axis=0)
    mean /= mean.sum(axis=1, keepdims=True)
    apart = (density @ known.table.T - mean @ known.table.T) ** 2
    return Densities(mean, (weight[..., None] * (spread + apart)).sum(axis=0))


def _differences(order: int, bins: int) -> Numbers:
    return np.diff(np.eye(bins), n=order, axis=0)


@dataclass(frozen=True)
class _Known:
    """Coefficients of some features, shape (F, K), the variance of their errors, and what a density's coefficients are, shape (K, M)."""

    coefficients: Numbers
    variance: Numbers
    table: Numbers

    def most_probable(self, prior: _Prior) -> tuple[Numbers, Numbers, Numbers]:
        """Return the density of every feature, shape (F, M), its log evidence, shape (F,), and the variance of its coefficients, shape (F, K)."""
        features, bins = len(self.coefficients), self.table.shape[1]
        centre, penalty = prior.centre, prior.penalty
        eta, damping = centre.copy(), np.full(features, 1e-3)
        density, loss = self._loss(eta, centre, penalty)
        active = np.ones(features, dtype=np.bool_)
        for _ in range(_MOST_STEPS):
            gradient, curvature, _ = self._curvature(density, eta - centre, penalty)
            diagonal = np.einsum("fmm->fm", curvature)[:, None, :] * np.eye(bins)
            damped = curvature + damping[:, None, None] * diagonal
            step = -np.linalg.solve(damped, gradient[..., None])[..., 0]
            largest = np.abs(step).max(axis=1)
            step *= np.minimum(1.0, _LARGEST_STEP / np.maximum(largest, 1e-300))[:, None]
            tried_density, tried = self._loss(eta + step, centre, penalty)
            is_better = active & (tried <= loss)
            eta[is_better] += step[is_better]
            density[is_better], loss[is_better] = tried_density[is_better], tried[is_better]
            damping = np.where(is_better, damping / 8, np.minimum(damping * 8, 1e8))
            # A step that is no better although it hardly moves is rounding at the least.
            active &= largest > _PRECISE
            if not active.any():
                break
        _, curvature, slopes = self._curvature(density, eta - centre, penalty)
        evidence = -loss - 0.5 * np.linalg.slogdet(curvature)[1] + 0.5 * np.linalg.slogdet(penalty)[1]
        spread = np.einsum("fkm,fmk->fk", slopes, np.linalg.solve(curvature, np.swapaxes(slopes, 1, 2)))
        return density, evidence, spread

    def _loss(self, eta: Numbers, centre: Numbers, penalty: Numbers) -> tuple[Numbers, Numbers]:
        density = np.exp(eta - eta.max(axis=1, keepdims=True))
        density /= density.sum(axis=1, keepdims=True)
        missed = self.coefficients - density @ self.table.T
        loss: Numbers = 0.5 * (missed**2 / self.variance).sum(axis=1)
        away = eta - centre
        return density, loss + 0.5 * ((away @ penalty) * away).sum(axis=1)

    def _curvature(
        self, density: Numbers, away: Numbers, penalty: Numbers
    ) -> tuple[Numbers, Numbers, Numbers]:
        """Gradient, shape (F, M), Gauss–Newton curvature, shape (F, M, M), and slopes of the coefficients, shape (F, K, M)."""
        mean = density @ self.table.T
        slopes = density[:, None, :] * (self.table - mean[..., None])
        weighted = slopes / self.variance[..., None]
        gradient = away @ penalty - np.einsum("fkm,fk->fm", weighted, self.coefficients - mean)
        return gradient, np.swapaxes(slopes, 1, 2) @ weighted + penalty, slopes
