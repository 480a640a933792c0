"""Populations D and E of the studies of synthetic people: no shares, weights, priors or thresholds of the model were chosen on them.

Both were written once, from what is public of such features, before the model was first run on them, and not changed by what it did. They have what neither
the model nor populations A and B have, which tuning has seen. Nothing here is private.

Where numbers of D come from: fixations in reading take 200 to 250 ms and saccades about 2°, and 10 to 15 % of them are regressions (Rayner 1998, Psychological Bulletin
124); adults read about 240 words a minute (Brysbaert 2019, Journal of Memory and Language 109); minds wander in 20 to 40 % of probes, more as time goes on (Smallwood & Schooler
2015, Annual Review of Psychology 66). Durations and rates of people are skewed to the right, proportions lie in [0, 1], people differ most in their pupils.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import stats
from scipy.special import ndtr

from studies._people import Array, People, Public

_GRID = np.linspace(-6, 6, 6001)  # of normal scores: quantiles of some distributions are slow
_SEED_D, _SEED_E = 41, 43  # of what a population is, not of its people


@dataclass(frozen=True)
class _Feature:
    name: str
    low: float
    high: float
    distribution: Any  # of values whose scores have a variance of 1, frozen, of scipy.stats
    share: float  # of the variance between people
    persistence: float  # of the residuals, from a window to the next
    step: float | None = None

    def shown(self, scores: Array) -> Array:
        quantiles = self.distribution.ppf(ndtr(_GRID))
        if self.step is None:
            return np.clip(np.interp(scores, _GRID, quantiles), self.low, self.high)
        places = np.clip(np.searchsorted(_GRID, scores), 0, len(_GRID) - 1)
        return np.clip(np.round(quantiles[places] / self.step) * self.step, self.low, self.high)


def _public(
    features: tuple[_Feature, ...], conditions: tuple[str, ...], windows: int, most_windows: int
) -> dict[str, Any]:
    return {
        "names": tuple(one.name for one in features),
        "conditions": conditions,
        "low": np.array([one.low for one in features], dtype=float),
        "high": np.array([one.high for one in features], dtype=float),
        "steps": tuple(one.step for one in features),
        "windows": windows,
        "most_windows": most_windows,
    }


_READING = (
    _Feature("fixation_ms", 80, 600, stats.lognorm(0.25, scale=225), 0.55, 0.3),
    _Feature("saccade_deg", 0, 10, stats.gamma(4, scale=0.6), 0.5, 0.25),
    _Feature("regressions", 0, 1, stats.beta(2, 13), 0.35, 0.15),
    _Feature("words_per_minute", 0, 900, stats.lognorm(0.4, scale=240), 0.5, 0.45),
    _Feature("pupil_mm", 1.5, 8, stats.norm(3.6, 0.7), 0.8, 0.85),
    _Feature("blinks_per_minute", 0, 60, stats.gamma(1.1, scale=7), 0.6, 0.35),
    _Feature("dispersion_deg", 0, 3, stats.lognorm(0.5, scale=0.45), 0.4, 0.2),
    _Feature("off_task", 0, 1, stats.bernoulli(0.3), 0.25, 0.3, step=1),
)


class Readers(Public):
    """Population D: people who read, in quiet and in noise, with a window for each half minute.

    8 features, 2 conditions, 40 to 60 windows. Log-normal, gamma and beta marginals and a binary feature; fatigue: features drift over a condition, in each person
    by another amount; correlations within people of one condition are not those of the other; about a fifth of people stop early, those whose minds wander more often.
    """

    _noise = np.array([0.3, -0.1, 0.3, -0.35, 0.2, 0.0, 0.25, 0.35])  # effect in scores
    _drift = np.array([0.2, 0.0, 0.15, -0.2, -0.5, 0.6, 0.2, 0.6])  # over 50 windows
    _drift_spread, _slope = 0.4, 0.2
    _stopping, _stopping_off_task = -1.0, 0.5

    def __init__(self) -> None:
        super().__init__(**_public(_READING, ("quiet", "noise"), windows=50, most_windows=60))
        random = np.random.default_rng(_SEED_D)
        self._between = random.normal(0, 0.6, (8, 2))
        self._within = [random.normal(0, 0.6, (8, 2)) for _ in self.conditions]

    def draw(self, people: int, seed: int) -> People:
        """Return so many of them."""
        random = np.random.default_rng(seed)
        share = np.array([one.share for one in _READING])
        level = _factors((people,), self._between, random)
        shape = (people, self.most_windows)
        residual = np.stack(
            [_autoregression(shape, loadings, _READING, random) for loadings in self._within], axis=1
        )
        slope = self._slope * random.normal(size=(people, 2, 8))
        effect = np.stack([np.zeros(8), self._noise])
        tiring = self._drift * (1 + random.normal(size=(people, 1)))
        tiring = tiring + self._drift_spread * random.normal(size=(people, 8))
        time = (np.arange(self.most_windows) - 25) / 50
        scores = (np.sqrt(share) * level)[:, None, None] + np.sqrt(1 - share) * residual
        scores += (slope + effect)[:, :, None] + tiring[:, None, None] * time[:, None]
        chance = ndtr(self._stopping + self._stopping_off_task * level[:, -1])
        stops = random.random(people) < chance
        length = random.integers(40, 61, size=(people, 2))
        length[stops] = random.integers(8, 40, size=(int(stops.sum()), 2))
        return _people(scores, _READING, np.arange(self.most_windows) < length[..., None])


_SEARCHING = (
    *(_Feature(f"dwell_{k}", 0, 1, stats.beta(1 + k / 4, 6), 0.4, 0.2) for k in range(1, 7)),
    # Near the ceiling: 20 to 45 % of windows without an error.
    *(_Feature(f"accuracy_{k}", 0, 1, stats.norm(0.86 + 0.02 * k, 0.2), 0.5, 0.1) for k in range(1, 5)),
    *(_Feature(f"latency_{k}_s", 0, 5, stats.lognorm(0.45, scale=0.5 * k), 0.45, 0.2) for k in range(1, 5)),
    *(_Feature(f"targets_{k}", 0, 25, stats.poisson(2 + 2 * k), 0.35, 0.1, step=1) for k in range(1, 4)),
    *(_Feature(f"dilation_{k}_mm", -1.5, 1.5, stats.norm(0.1, 0.25), 0.6, 0.5) for k in range(1, 4)),
)
_SOMETIMES = (4, 5, 10, 11, 12, 13)  # dwell_5, dwell_6 and all latencies: an area may not be looked at


class Searchers(Public):
    """Population E: experts and novices who search, in six levels of difficulty.

    20 features, 6 conditions, 3 to 5 windows. Two clusters of people, with other levels, other correlations and other effects; ceiling effects in four features; six features
    are missing in 20 % of windows, in some people more often; people's residuals differ in their scale by a factor of 1.6 (one standard deviation).
    """

    _novices, _scale, _difficulty, _slope = 0.4, 0.5, 0.12, 0.25
    _missing, _missing_spread = 0.2, 0.5

    def __init__(self) -> None:
        conditions = tuple(f"level_{c}" for c in range(1, 7))
        super().__init__(**_public(_SEARCHING, conditions, windows=4, most_windows=5))
        random = np.random.default_rng(_SEED_E)
        features = len(_SEARCHING)
        self._mean = np.stack([np.zeros(features), random.choice([-0.9, 0, 0.9], features)])
        self._between = [random.normal(0, 0.5, (features, 3)) for _ in range(2)]
        self._within = [random.normal(0, 0.5, (features, 2)) for _ in range(2)]
        self._effect = self._difficulty * random.normal(size=features) * np.array([[1], [2]])

    def draw(self, people: int, seed: int) -> People:
        """Return so many of them."""
        random = np.random.default_rng(seed)
        features, conditions = len(self.names), len(self.conditions)
        share = np.array([one.share for one in _SEARCHING])
        cluster = (random.random(people) < self._novices).astype(int)
        level = np.empty((people, features))
        residual = np.empty((people, conditions, self.most_windows, features))
        for number in range(2):
            alike = np.flatnonzero(cluster == number)
            level[alike] = _factors((alike.size,), self._between[number], random)
            shape = (alike.size, conditions, self.most_windows)
            residual[alike] = _autoregression(shape, self._within[number], _SEARCHING, random)
        scale = np.exp(self._scale * random.normal(size=people) - self._scale**2 / 2)
        difficulty = np.arange(conditions)[:, None] - (conditions - 1) / 2
        scores = (np.sqrt(share) * level + self._mean[cluster])[:, None, None]
        scores = scores + np.sqrt(1 - share) * residual * scale[:, None, None, None]
        slope = self._slope * random.normal(size=(people, conditions, features))
        scores += (slope + difficulty * self._effect[cluster][:, None])[:, :, None]
        length = random.integers(3, 6, size=(people, conditions))
        found = _people(scores, _SEARCHING, np.arange(self.most_windows) < length[..., None])
        spread = np.sqrt(1 + self._missing_spread**2)
        chance = ndtr(
            stats.norm.ppf(self._missing) * spread + self._missing_spread * random.normal(size=people)
        )
        for f in _SOMETIMES:
            lost = random.random(found.there.shape) < chance[:, None, None]
            found.values[..., f][lost] = np.nan
        return found


def _factors(shape: tuple[int, ...], loadings: Array, random: Generator) -> Array:
    """Normal numbers of variance 1 with the correlations of a factor model, shape (…, features)."""
    features, factors = loadings.shape
    common = random.normal(size=(*shape, factors)) @ loadings.T
    numbers = common + 0.7 * random.normal(size=(*shape, features))
    return np.asarray(numbers / np.sqrt((loadings**2).sum(axis=1) + 0.49))


def _autoregression(
    shape: tuple[int, ...], loadings: Array, features: tuple[_Feature, ...], random: Generator
) -> Array:
    """The same, over windows, which are the last axis of `shape`."""
    stays = np.array([one.persistence for one in features])
    result = np.empty((*shape, len(features)))
    here = _factors(shape[:-1], loadings, random)
    for t in range(shape[-1]):
        result[..., t, :] = here
        here = stays * here + np.sqrt(1 - stays**2) * _factors(shape[:-1], loadings, random)
    return result


def _people(scores: Array, features: tuple[_Feature, ...], there: Array) -> People:
    values = np.stack([one.shown(scores[..., f]) for f, one in enumerate(features)], axis=-1)
    values[~there] = np.nan
    return People(values, there)
