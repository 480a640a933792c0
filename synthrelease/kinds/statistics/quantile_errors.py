"""How far a released quantile is from the exact one, in the unit of the feature: from public parameters and public shapes.

Where the exact quantile lies depends on the data, and by how much a wrong rank moves it, too: that is private. So it is computed for
data like each of the public shapes. Data that are sparser around the quantile than all of these, or lie in two heaps, may be further off.

The distribution of what permute-and-flip chooses is exact. It is that of the best of utilities with exponential noise (Ding, Kifer, Steinke et
al. 2021, https://arxiv.org/abs/2105.07260): candidate i of loss l_i, in units of the noise, is best with probability

    e_i · ∫ Π_{j≠i} (1 − w·e_j) dw over 0 < w < 1,    e_j = exp(−l_j), the least loss being 0.

All steps are continuous in what they depend on, so that every machine gets the same but for rounding.
"""

from __future__ import annotations

import functools
import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.error_bounds import INTERVAL
from synthrelease.kinds.statistics.shapes import Shape

Numbers = NDArray[np.float64]

_NODES = 256  # of the integral, at equal steps of log w
_MOST_INTERVALS = 512  # that are distinguished: of more, neighbours count as equally good


def distance(p: Fraction, *, people: float, rate: float, steps: int) -> float:
    """Return the distance that a quantile keeps within in 95 of 100 releases, for each of the shapes, as a share of the bounds' width, 1 at most.

    Args:
        p: of the quantile.
        people: who have a value, more than 0.
        rate: ε/(2Δ) of the choice, per unit of utility.
        steps: K, how many intervals there are to choose from.
    """
    found = []
    for shape in Shape:
        error, probability = _errors(shape, p, people, rate, steps)
        order = np.argsort(error, kind="stable")
        # Between two intervals' distances, so that nothing jumps.
        found.append(float(np.interp(INTERVAL, np.cumsum(probability[order]), error[order])))
    # And half an interval, which the exact quantile may be off its middle.
    return min(1.0, max(found) + 0.5 / min(steps, _MOST_INTERVALS))


def mean_error(shape: Shape, p: Fraction, *, people: float, rate: float, steps: int) -> float:
    """Return the mean distance of a quantile of people of a shape from the exact one, as a share of the bounds' width; arguments as of `distance`."""
    error, probability = _errors(shape, p, people, rate, steps)
    return float(probability @ error)


def probabilities(losses: Numbers, *, copies: float = 1.0) -> Numbers:
    """Return how likely permute-and-flip chooses each candidate or one of its copies, probabilities, shape (candidates,).

    Args:
        losses: of each, rate · (best utility − utility), dimensionless, the least being 0, shape (candidates,).
        copies: how many equal candidates each stands for.
    """
    unique, which, count = np.unique(losses, return_inverse=True, return_counts=True)
    weight = np.exp(-unique)
    # Nearly all of the integral lies where w · Σ e_j is of the order of 1; far below, all products are 1.
    logarithm = math.log(copies * len(losses)) + 30.0
    w = np.exp(-logarithm * (np.arange(_NODES) + 0.5) / _NODES)
    factors = np.log1p(-np.outer(w, weight))
    others = copies * (factors @ count)[:, None] - factors
    each = weight * (w @ np.exp(others))
    return np.asarray(each[which] / (each @ count))


@functools.lru_cache(maxsize=256)
def _errors(shape: Shape, p: Fraction, people: float, rate: float, steps: int) -> tuple[Numbers, Numbers]:
    """Distance of every interval's middle from the shape's quantile, and how likely it is chosen, each of shape (K,)."""
    intervals = min(steps, _MOST_INTERVALS)
    edges = np.linspace(0.0, 1.0, intervals + 1)
    below = people * shape.below(edges)
    too_many = np.maximum(below[:-1] - float(p) * people, (people - below[1:]) - float(1 - p) * people)
    losses = rate * p.denominator * np.maximum(too_many, 0.0)
    error = np.abs((edges[:-1] + edges[1:]) / 2 - shape.quantile(float(p)))
    return error, probabilities(losses - losses.min(), copies=steps / intervals)
