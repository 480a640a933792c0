"""Scores of values by released marginals, and values of normal numbers: a table for each feature.

A value is known as one of `LEVELS` equal parts of its range. Its score is the value less the marginal's mean, in the marginal's
standard deviations, cut at ± `MOST_SCORE` (`people.proof.md`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from synthrelease.kinds.parameters import Feature
from synthrelease.kinds.people.form import MOST_SCORE, SCORE_STEPS
from synthrelease.kinds.people.vectors import LEVELS, MISSING
from synthrelease.numerics.stored import grid

Numbers = NDArray[np.float64]
MOST_POINTS = 1024  # of a discrete feature: one with more is as good as continuous
MOST_STEPS = 1 << 22  # from 0 to the farthest value
_LEAST_DEVIATION = 1e-3  # of the range: where nearly all values are equal, scores stay small
_ROUNDS = 12  # of standardizing and cutting tails
_NOWHERE = 1e-9  # probability of a bin, at least: so that quantiles increase


@dataclass(frozen=True)
class Scale:
    """The public range of a feature; of a discrete one with half a step more at both ends, so that its values are middles of equal cells."""

    low: float
    high: float
    points: int | None = None  # that a discrete feature can have
    step: float | None = None  # between them

    @classmethod
    def of(cls, feature: Feature, step: float | None) -> Scale:
        """Return that of a feature, which is discrete if it has a step: then its values are the multiples of it within its bounds."""
        if step is None:
            return cls(feature.low, feature.high)
        first, last = math.ceil(feature.low / step - 1e-9), math.floor(feature.high / step + 1e-9)
        return cls((first - 0.5) * step, (last + 0.5) * step, last - first + 1, step)

    @property
    def is_lattice(self) -> bool:
        """Whether a discrete feature has some values, not too many, and 32 bits distinguish them."""
        if self.step is None or self.points is None or not 2 <= self.points <= MOST_POINTS:
            return False
        return max(-self.low, self.high) <= MOST_STEPS * self.step

    @property
    def resolution(self) -> float:
        """The step that values are shown in, in the feature's unit: that of a discrete feature, or 2⁻²² of the power of two above the bounds."""
        if self.step is not None:
            return self.step
        return float(grid(np.array([self.low, self.high]))[0])

    def levels(self, values: Numbers) -> NDArray[np.int64]:
        """Return the levels of values in the feature's unit, `MISSING` where they are missing, of their shape."""
        place = np.clip((values - self.low) / (self.high - self.low), 0, 1)
        if self.points is not None:
            place = (np.minimum(np.floor(place * self.points), self.points - 1) + 0.5) / self.points
        levels = np.minimum(np.floor(place * LEVELS), LEVELS - 1)
        return np.where(np.isnan(levels), MISSING, np.nan_to_num(levels)).astype(np.int64)

    def score_table(self, density: Numbers) -> NDArray[np.int64]:
        """Return the score of every level, in steps, shape (`LEVELS`,): values of mean 0 and variance 1 under the marginal, but for their tails."""
        below = self._ends(_cumulative(density))
        mass = np.diff(below)
        middles = (np.arange(LEVELS) + 0.5) / LEVELS
        cell = np.minimum((middles * len(mass)).astype(np.int64), len(mass) - 1)
        weight = (mass / np.bincount(cell, minlength=len(mass)))[cell]
        place = middles if self.points is None else (cell + 0.5) / len(mass)
        scores = place
        for _ in range(_ROUNDS):
            mean = (weight * scores).sum()
            deviation = np.sqrt((weight * (scores - mean) ** 2).sum())
            scores = np.clip((scores - mean) / max(deviation, _LEAST_DEVIATION), -MOST_SCORE, MOST_SCORE)
        return np.asarray(np.rint(scores * SCORE_STEPS).astype(np.int64))

    def scores_of_normal(self, normal: Numbers, density: Numbers) -> Numbers:
        """Return the scores, dimensionless, of the values that a marginal has at Φ of normal numbers, of their shape."""
        values = self.values(ndtr(normal), density)
        return np.asarray(self.score_table(density)[self.levels(values)] / SCORE_STEPS)

    def values(self, probability: Numbers, density: Numbers) -> Numbers:
        """Return the quantiles of a marginal at probabilities in (0, 1), in the feature's unit, of their shape."""
        below = _cumulative(density + _NOWHERE)
        width = self.high - self.low
        if self.points is None:
            return np.interp(probability, below, self.low + width * np.linspace(0, 1, len(below)))
        cell = np.searchsorted(self._ends(below)[1:-1], probability, side="right")
        return np.asarray(self.low + width * (cell + 0.5) / self.points)

    def _ends(self, below: Numbers) -> Numbers:
        """Probability below each end of the bins, or of the cells of a discrete feature."""
        if self.points is None:
            return below
        return np.interp(np.linspace(0, 1, self.points + 1), np.linspace(0, 1, len(below)), below)


def _cumulative(density: Numbers) -> Numbers:
    below = np.concatenate([[0.0], np.cumsum(density)])
    return np.asarray(below / below[-1])
