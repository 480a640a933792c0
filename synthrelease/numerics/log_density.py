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
_FIRST = (0.3, 0.05, 0.01)  # a
_THIRD = (1e4, 1e3, 100.0, 10.0, 1.0, 0.1)  # l
_BLURRED_FIRST, _BLURRED_THIRD = (3.0, 0.3, 0.03), (1000.0, 10.0, 0.1)  # about others' blurred density
_SHARP_FIRST, _SHARP_THIRD = (300.0, 30.0, 3.0), (1000.0, 0.1)  # about others' density
_BLUR_BINS = 2.5  # standard deviation of the blur
_SPREAD_PEOPLE = 8.0  # so many even ones are among the others
_BELIEF_UNIFORM, _BELIEF_BLURRED = -1.5, -0.7  # logarithm of how far it is believed, next to others' density
_LENT = 1.5  # of the mean evidence over features: how much they lend each other
_MOST_STEPS = 300
# Of a log-density in one iteration:
_LARGEST_STEP = 3.0
_NEWTON = 0.3  # after a smaller step the next one is Newton's; and after so many steps
_FAR_STEPS = 40
_NEAR = 1e-5  # smaller steps are taken as they are
_PRECISE = 1e-9  # the last step: what is left of it is about its square


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
    """Of rises of log-densities from bin to bin: about which, how far from it, and how far it is believed."""

    centre: Numbers  # shape (F, M − 1)
    first: float
    third: float
    belief: float = 0.0

    @property
    def penalty(self) -> Numbers:
        """Precision of rises, shape (M − 1, M − 1)."""
        count = self.centre.shape[1]
        bends = np.diff(np.eye(count), n=2, axis=0)
        return np.asarray(self.first * np.eye(count) + self.third * bends.T @ bends)


def _priors(uniform: Numbers, others: Others | None) -> list[_Prior]:
    grid = list(itertools.product(_FIRST, _THIRD))
    if others is None:
        return [_Prior(uniform, *levels) for levels in grid]
    sharp, blurred = (np.diff(others.log_density(blurred=is_blurred)) for is_blurred in (False, True))
    return [
        *(_Prior(uniform, *levels, _BELIEF_UNIFORM) for levels in grid[1::2]),
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
    priors = _priors(np.zeros((len(coefficients), bins - 1)), others)
    fits = [known.most_probable(prior) for prior in priors]
    density, evidence, spread = (
        np.stack([getattr(fit, name) for fit in fits]) for name in ("density", "evidence", "spread")
    )
    score = evidence + _LENT * (evidence - evidence.max(axis=0)).mean(axis=1, keepdims=True)
    score += np.array([prior.belief for prior in priors])[:, None]
    weight = np.exp(score - score.max(axis=0))
    weight /= weight.sum(axis=0)
    mean = (weight[..., None] * density).sum(axis=0)
    mean /= mean.sum(axis=1, keepdims=True)
    apart = (density @ known.table.T - mean @ known.table.T) ** 2
    return Densities(mean, (weight[..., None] * (spread + apart)).sum(axis=0))


def _log_densities(rises: Numbers) -> Numbers:
    """Of rises, but for a constant of each, shape (F, M)."""
    return np.pad(np.cumsum(rises, axis=1), ((0, 0), (1, 0)))


def _log_determinant(matrix: Numbers) -> Numbers:
    """Of positive definite matrices, shape (…)."""
    diagonal = np.diagonal(np.linalg.cholesky(matrix), axis1=-2, axis2=-1)
    return np.asarray(2 * np.log(diagonal).sum(axis=-1))


@dataclass(frozen=True)
class _Fit:
    rises: Numbers  # shape (F, M − 1)
    density: Numbers  # shape (F, M)
    evidence: Numbers  # its logarithm, shape (F,)
    spread: Numbers  # variance of coefficients, shape (F, K)


@dataclass(frozen=True)
class _Step:
    """Of an iteration: by how much rises change, whether that is better, and the largest change of a log-density that was tried."""

    taken: Numbers  # shape (F, M − 1)
    is_better: NDArray[np.bool_]
    largest: Numbers  # shape (F,)


@dataclass(frozen=True)
class _Known:
    """Coefficients of some features, shape (F, K), the variance of their errors, and what a density's coefficients are, shape (K, M)."""

    coefficients: Numbers
    variance: Numbers
    table: Numbers

    def most_probable(self, prior: _Prior) -> _Fit:
        """Return the most probable density of every feature, dimensionless.

        Far from it steps are those of Gauss and Newton, as Newton's may end where nearly everything is in one bin; near it they are Newton's, which converge.
        """
        centre, penalty = prior.centre, prior.penalty
        rises, is_near = centre.copy(), np.zeros(len(centre), dtype=np.bool_)
        active, damping = np.arange(len(rises)), np.full(len(rises), 1e-3)
        for number in range(_MOST_STEPS):
            is_newton = is_near[active] | (number >= _FAR_STEPS)
            step = self._some(active).step(
                rises[active], centre[active], penalty, damping=damping, is_newton=is_newton
            )
            rises[active] += step.taken
            damping = np.where(step.is_better, damping / 8, np.minimum(damping * 8, 1e8))
            is_near[active] = step.largest < _NEWTON
            goes_on = step.largest > _PRECISE
            active, damping = active[goes_on], damping[goes_on]
            if not active.size:
                break
        density, loss = self._loss(rises, centre, penalty)
        _, curvature, slopes = self._curvature(density, rises - centre, penalty)
        evidence = -loss - 0.5 * _log_determinant(curvature) + 0.5 * _log_determinant(penalty)
        spread = np.einsum("fkm,fmk->fk", slopes, np.linalg.solve(curvature, np.swapaxes(slopes, 1, 2)))
        return _Fit(rises, density, evidence, spread)

    def _some(self, features: NDArray[np.int64]) -> _Known:
        return _Known(self.coefficients[features], self.variance[features], self.table)

    def step(
        self,
        rises: Numbers,
        centre: Numbers,
        penalty: Numbers,
        *,
        damping: Numbers,
        is_newton: NDArray[np.bool_],
    ) -> _Step:
        """Return a step of Newton, or of Gauss and Newton, damped as Levenberg and Marquardt do, and taken where it is better; dimensionless."""
        density, loss = self._loss(rises, centre, penalty)
        gradient, curvature, _ = self._curvature(density, rises - centre, penalty)
        diagonal = np.einsum("fmm->fm", curvature)[:, None, :] * np.eye(rises.shape[1])
        damped = (
            curvature - is_newton[:, None, None] * self._bend(density) + damping[:, None, None] * diagonal
        )
        step = -np.linalg.solve(damped, gradient[..., None])[..., 0]
        largest = np.ptp(_log_densities(step), axis=1)
        step *= np.minimum(1.0, _LARGEST_STEP / np.maximum(largest, 1e-300))[:, None]
        _, tried = self._loss(rises + step, centre, penalty)
        # Near the end losses differ by rounding only: a step that is refused for that would leave half of the digits to chance.
        is_better = (tried <= loss) | (largest < _NEAR)
        return _Step(np.where(is_better[:, None], step, 0.0), is_better, largest)

    @property
    def _summed(self) -> Numbers:
        """What log-densities are of rises, shape (M, M − 1)."""
        bins = self.table.shape[1]
        return np.tri(bins, bins - 1, -1)

    def _bend(self, density: Numbers) -> Numbers:
        """What Gauss–Newton's curvature lacks of the loss's: coefficients times their second derivatives, shape (F, M − 1, M − 1)."""
        mean, summed = density @ self.table.T, self._summed
        missed = (self.coefficients - mean) / self.variance
        pull = density * (missed @ self.table - (mean * missed).sum(axis=1, keepdims=True))
        cross = (density @ summed)[:, :, None] * (pull @ summed)[:, None, :]
        return np.asarray(summed.T @ (pull[:, :, None] * summed) - cross - np.swapaxes(cross, 1, 2))

    def _loss(self, rises: Numbers, centre: Numbers, penalty: Numbers) -> tuple[Numbers, Numbers]:
        eta = _log_densities(rises)
        density = np.exp(eta - eta.max(axis=1, keepdims=True))
        density /= density.sum(axis=1, keepdims=True)
        missed = self.coefficients - density @ self.table.T
        loss: Numbers = 0.5 * (missed**2 / self.variance).sum(axis=1)
        away = rises - centre
        return density, loss + 0.5 * ((away @ penalty) * away).sum(axis=1)

    def _curvature(
        self, density: Numbers, away: Numbers, penalty: Numbers
    ) -> tuple[Numbers, Numbers, Numbers]:
        """Gradient, shape (F, M − 1), Gauss–Newton curvature, shape (F, M − 1, M − 1), and slopes of the coefficients, shape (F, K, M − 1)."""
        mean = density @ self.table.T
        slopes = (density[:, None, :] * (self.table - mean[..., None])) @ self._summed
        weighted = slopes / self.variance[..., None]
        gradient = away @ penalty - np.einsum("fkm,fk->fm", weighted, self.coefficients - mean)
        return gradient, np.swapaxes(slopes, 1, 2) @ weighted + penalty, slopes
