"""How far a released quantile may be from the exact one, in the unit of the feature: from public parameters and public shapes.

Where the exact quantile lies depends on the data, and by how much a wrong rank moves it, too: that is private. So the distance is that
of data like the public shapes (`expected.Shape`), of which the least kind decides. Data that are sparser
around the quantile than all of these, or lie in two heaps, may be further off.

It is computed for the exponential mechanism, whose weights are sums of known terms: permute-and-flip misses by no more, stochastically in
utility (McKenna & Sheldon 2020, Theorem 2). All steps are continuous in what they depend on, so that every machine gets the same but for rounding.
"""

from __future__ import annotations

import functools
from fractions import Fraction
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.error_bounds import INTERVAL
from synthrelease.kinds.statistics.expected import SPREAD, Shape

Numbers = NDArray[np.float64]


@functools.lru_cache(maxsize=256)
def distance(p: Fraction, *, people: float, rate: float, steps: int) -> float:
    """Return the distance that a quantile keeps within in 95 of 100 releases, as a share of the bounds' width, 1 at most.

    Args:
        p: of the quantile.
        people: who have a value, more than 0.
        rate: ε/(2Δ) of the choice: the weight of an interval is exp(rate · utility).
        steps: K, how many intervals there are to choose from.
    """
    return min(1.0, max(_of_shape(shape, p, people, rate, steps) for shape in Shape))


def _of_shape(shape: Shape, p: Fraction, people: float, rate: float, steps: int) -> float:
    edges = np.linspace(0.0, 1.0, steps + 1)
    below = people * _cumulative(shape, edges)
    too_many = np.maximum(below[:-1] - float(p) * people, (people - below[1:]) - float(1 - p) * people)
    loss = rate * p.denominator * np.maximum(too_many, 0.0)
    weight = np.exp(loss.min() - loss)
    error = np.abs((edges[:-1] + edges[1:]) / 2 - _quantile(shape, float(p)))
    order = np.argsort(error, kind="stable")
    covered = np.cumsum(weight[order]) / weight.sum()
    # Between two intervals' distances, so that nothing jumps; and half an interval, which the exact one may be off its middle.
    return float(np.interp(INTERVAL, covered, error[order])) + 0.5 / steps


def _cumulative(shape: Shape, at: Numbers) -> Numbers:
    """The share of people below each place between 0 and 1; those beyond are at the ends, of which the upper is in the last interval."""
    if shape.value is None:
        return at
    normal = NormalDist(shape.value, SPREAD)
    inside = [normal.cdf(place) for place in at.tolist()]
    return np.array([0.0, *inside[1:-1], 1.0])


def _quantile(shape: Shape, p: float) -> float:
    return p if shape.value is None else min(max(NormalDist(shape.value, SPREAD).inv_cdf(p), 0.0), 1.0)
