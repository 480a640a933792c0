"""Public distributions that people's means are taken to have, where it is asked how accurate statistics are: what the data are like is private.

Means are spread evenly over the bounds, or normal with a standard deviation of a twelfth of their width (measured on ten features of
ier2023_vr_pupil: 0.05 to 0.10), around an eighth, the middle or seven eighths of it. No mathematics besides.
"""

from __future__ import annotations

import functools
from enum import Enum
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

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
        ranks = (np.arange(people) + 0.5) / people
        values = ranks if self.value is None else np.array([self.quantile(rank) for rank in ranks.tolist()])
        values.flags.writeable = False
        return values

    def quantile(self, p: float) -> float:
        """Return the p-quantile as a share of the bounds' width."""
        return p if self.value is None else min(max(self._normal.inv_cdf(p), 0.0), 1.0)

    def below(self, places: Numbers) -> Numbers:
        """Return the share of people below each place, of the same shape, from 0 to 1: those beyond the bounds are at their ends, all below the last."""
        if self.value is None:
            return places
        inside = [self._normal.cdf(place) for place in places[1:-1].tolist()]
        return np.array([0.0, *inside, 1.0])

    @property
    def _normal(self) -> NormalDist:
        assert self.value is not None
        return NormalDist(self.value, _SPREAD)
