"""Public distributions that people's means are taken to have, where it is asked how accurate statistics are: what the data are like is private.

Means are spread evenly over the bounds, or normal with a standard deviation of a twelfth of their width (measured on ten features of
ier2023_vr_pupil: 0.05 to 0.10), around an eighth, the middle or seven eighths of it. No mathematics besides.
"""

from __future__ import annotations

import functools
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

Numbers = NDArray[np.float64]

_SPREAD = 1 / 12  # standard deviation of people's means, of the bounds' width


class Shape(Enum):
    """What people's means may be like: the mean of a normal distribution, as a share of the bounds' width, or None for evenly spread ones."""

    EVEN = None
    LOW = 0.125
    MIDDLE = 0.5
    HIGH = 0.875

    @functools.lru_cache(maxsize=64)
    def values(self, people: int) -> Numbers:
        """Return so many means as shares of the bounds' width, at the quantiles of the shape, shape (people,)."""
        values = self.quantile((np.arange(people) + 0.5) / people)
        values.flags.writeable = False
        return values

    def quantile(self, p: ArrayLike) -> Numbers:
        """Return the p-quantiles as shares of the bounds' width, of the same shape."""
        ranks = np.asarray(p, dtype=np.float64)
        return ranks if self.value is None else np.clip(self.value + _SPREAD * ndtri(ranks), 0.0, 1.0)

    def below(self, places: Numbers) -> Numbers:
        """Return the share of people below each place, of the same shape, from 0 to 1: those beyond the bounds are at their ends, all below the last."""
        if self.value is None:
            return places
        return np.array([0.0, *ndtr((places[1:-1] - self.value) / _SPREAD), 1.0])
