"""Populations made from a few real people: smoothed bootstrap. Nothing here is private."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from scipy.linalg import solve_discrete_lyapunov
from scipy.special import ndtr, ndtri

from studies._people import Array, People, Public

_SMOOTH = 0.5


class Smoothed(Public):
    """Smoothed bootstrap of real people.

    A person has a level, slopes of conditions, and residuals of a vector autoregression with a dependence, a scale and quantiles of
    their own; marginals are those of the real people.

    Args:
        real: of windows without missing features; a condition that a person lacks gets the slope of another one of theirs.
        public: what is public of them.
        shift: how much the population differs from theirs: features are shifted and rescaled by about that many standard deviations,
            effects of conditions permuted, and people are more alike in their dependence.
        seed: of that difference.
    """

    def __init__(self, real: People, public: Public, *, shift: float = 0.0, seed: int = 0) -> None:
        super().__init__(**vars(public))
        self._real = real
        people = len(real.values)
        count = real.there.sum(axis=(1, 2))
        weight = np.repeat(1 / count, count) / people
        scores = np.full_like(real.values, np.nan)
        self._quantiles = []
        for f in range(real.values.shape[-1]):
            values = real.values[..., f][real.there]
            order = np.argsort(values, kind="stable")
            below = np.cumsum(weight[order])
            distinct, first = np.unique(values[order], return_index=True)
            last = np.append(first[1:], len(values)) - 1
            middle = (below[last] + np.append(0, below[last[:-1]])) / 2
            inside = np.clip(middle, 1e-3, 1 - 1e-3)
            scores[..., f][real.there] = ndtri(np.interp(values, distinct, inside))
            self._quantiles.append((middle, distinct))
        self._lengths = real.there.sum(axis=2)
        missing = self._lengths == 0
        levels = np.nansum(scores, axis=2) / np.maximum(self._lengths, 1)[..., None]
        levels[missing] = np.nan
        self._level = np.nanmean(levels, axis=1)
        self._effect = np.nanmean(levels - self._level[:, None], axis=0)
        self._slope = _completed(levels - self._level[:, None] - self._effect, missing)
        self._residuals = [_Residuals(scores[i] - levels[i][:, None], real.there[i]) for i in range(people)]
        self._dynamics = _dynamics(self._residuals)
        self._stretch, self._shift = np.ones(len(self.names)), np.zeros(len(self.names))
        if shift:
            random = np.random.default_rng(seed)
            self._shift = shift * random.normal(size=len(self.names))
            self._stretch = np.exp(0.5 * shift * random.normal(size=len(self.names)))
            self._effect = self._effect[random.permutation(len(self.conditions))]
            for one in self._residuals:
                one.correlation = 0.8 * one.correlation + 0.2 * np.eye(len(self.names))

    def draw(self, people: int, seed: int) -> People:
        """Return so many of them."""
        random = np.random.default_rng(seed)
        real, features, conditions = len(self._level), len(self.names), len(self.conditions)
        keep = np.sqrt(1 - _SMOOTH**2)
        roots = [
            np.linalg.cholesky(np.cov(values.reshape(-1, features).T) + 1e-6 * np.eye(features))
            for values in (self._level, self._slope)
        ]
        length = self._lengths[random.integers(real, size=people)]
        there = np.arange(self.most_windows) < length[..., None]
        like, other = random.integers(real, size=people), random.integers(real, size=people)
        centre = self._level.mean(axis=0)
        level = centre + keep * (self._level[like] - centre)
        level += _SMOOTH * random.normal(size=(people, features)) @ roots[0].T
        slope = keep * self._slope[other][:, random.permutation(conditions)]
        slope += _SMOOTH * random.normal(size=slope.shape) @ roots[1].T
        scale = np.exp(0.15 * random.normal(size=(people, features)))
        residual = np.empty((people, conditions, self.most_windows, features))
        for number, (one, dynamics) in enumerate(zip(self._residuals, self._dynamics, strict=True)):
            alike = np.flatnonzero(like == number)
            if alike.size:
                residual[alike] = one.draw((alike.size, *residual.shape[1:]), dynamics, random)
        scores = level[:, None, None] + slope[:, :, None] + self._effect[None, :, None]
        scores = (scores + residual * scale[:, None, None]) * self._stretch + self._shift
        values = np.empty_like(scores)
        for f, (middle, distinct) in enumerate(self._quantiles):
            values[..., f] = np.interp(ndtr(scores[..., f]), middle, distinct)
            step = self.steps[f]
            if step is not None:
                values[..., f] = np.round(values[..., f] / step) * step
        values = np.clip(values, self.low, self.high)
        values[~there] = np.nan
        return People(values, there)


def _completed(slopes: Array, missing: Array) -> Array:
    """Slopes of conditions, where they are missing those of other conditions of the person: `draw` permutes them anyway."""
    if not missing.any():
        return slopes
    random = np.random.default_rng(0)
    for i, c in np.argwhere(missing):
        slopes[i, c] = slopes[i, random.choice(np.flatnonzero(~missing[i]))]
    # Of mean 0 in each condition: else another permutation would be another population.
    return np.asarray(slopes - slopes.mean(axis=0))


class _Residuals:
    """A person's residuals about their levels: correlation, products of successive ones, quantiles."""

    def __init__(self, residual: Array, there: Array) -> None:
        rows = residual[there]
        ranks = np.argsort(np.argsort(rows, axis=0), axis=0)
        normal = ndtri((ranks + 0.5) / len(rows))
        whole = np.full(residual.shape, np.nan)
        whole[there] = normal
        features = rows.shape[1]
        earlier, later = whole[:, :-1].reshape(-1, features), whole[:, 1:].reshape(-1, features)
        both = ~np.isnan(earlier[:, 0]) & ~np.isnan(later[:, 0])
        self.correlation = 0.9 * np.corrcoef(normal.T) + 0.1 * np.eye(features)
        self.lagged = later[both].T @ earlier[both] / both.sum()
        self._quantiles = np.sort(rows, axis=0)

    def draw(self, shape: tuple[int, int, int, int], dynamics: Array, random: Generator) -> Array:
        """Return residuals of people, shape (people, conditions, windows, features)."""
        people, conditions, windows, features = shape
        innovation = self.correlation - dynamics @ self.correlation @ dynamics.T
        values, vectors = np.linalg.eigh((innovation + innovation.T) / 2)
        root = vectors * np.sqrt(np.clip(values, 0.01, None))
        stationary = solve_discrete_lyapunov(dynamics, root @ root.T)
        start = (people, conditions, features)
        here = random.normal(size=start) @ np.linalg.cholesky(stationary).T
        normal = np.empty(shape)
        for t in range(windows):
            normal[:, :, t] = here / np.sqrt(np.diag(stationary))
            here = here @ dynamics.T + random.normal(size=start) @ root.T
        places = (np.arange(len(self._quantiles)) + 0.5) / len(self._quantiles)
        for f in range(features):
            normal[..., f] = np.interp(ndtr(normal[..., f]), places, self._quantiles[:, f])
        return normal


def _dynamics(residuals: list[_Residuals]) -> list[Array]:
    """Each person's matrix of the autoregression, drawn to that of all, and stable."""
    features = len(residuals[0].correlation)
    lagged = np.mean([one.lagged for one in residuals], axis=0)
    common = np.mean([one.correlation for one in residuals], axis=0)
    all_alike = lagged @ np.linalg.inv(common + 0.1 * np.eye(features))
    matrices = []
    for one in residuals:
        own = one.lagged @ np.linalg.inv(one.correlation + 0.3 * np.eye(features))
        matrix = 0.4 * own + 0.6 * all_alike + 0.25 * np.eye(features)
        matrices.append(matrix * min(1, 0.92 / np.abs(np.linalg.eigvals(matrix)).max()))
    return matrices
