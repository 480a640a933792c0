"""Private quantiles of people's means: an interval of a public grid, chosen by permute-and-flip, drawn exactly.

Claim: `statistics.proof.md`. Minimum and maximum are not offered: a quantile near 0 or 1 is what can be had of them.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import FeatureData
from synthrelease.dp.noise.choice import private_choice
from synthrelease.dp.noise.entropy import SecureRandom
from synthrelease.kinds.statistics.grouped_rows import cell, people_in_order
from synthrelease.numerics.statistics import fraction
from synthrelease.numerics.steps import HALF_RANGE


def choose(
    counts: NDArray[np.int64], name: str, *, sensitivity: int, epsilon: float, random: SecureRandom
) -> NDArray[np.int32]:
    """Return the number of the interval chosen for every feature, of every group if there are any.

    Args:
        counts: of all people, `people_per_interval`, shape (…, K).
        name: of the quantile.
        sensitivity: Δ of its utilities.
        epsilon: of each choice.
        random: where the choices come from.
    """
    chosen = np.empty(counts.shape[:-1], dtype=np.int32)
    for place in np.ndindex(chosen.shape):
        utility = utilities(counts[place], fraction(name))
        chosen[place] = private_choice(utility, sensitivity=sensitivity, epsilon=epsilon, random=random)
    return chosen


def best_intervals(counts: NDArray[np.int64], name: str) -> NDArray[np.int32]:
    """Return the numbers of the intervals where a quantile truly lies, of the shape that `choose` returns: private, for who evaluates a release."""
    best = np.empty(counts.shape[:-1], dtype=np.int32)
    for place in np.ndindex(best.shape):
        utility = np.array(utilities(counts[place], fraction(name)))
        ties = np.flatnonzero(utility == utility.max())
        best[place] = ties[ties.size // 2]
    return best


def people_per_interval(
    data: FeatureData, group: NDArray[np.int64], *, groups: int, steps: int
) -> NDArray[np.int64]:
    """Return how many people's means lie in each of K = `steps` intervals, shape (groups, features, K): [low, next), the last closed.

    `group` of each row, −1 for none, shape (N,).
    """
    out = np.zeros((groups, len(data.features), steps), dtype=np.int64)
    for rows, group_of_row in people_in_order(data, group):
        for f in range(len(data.features)):
            counted = cell(rows, f, group_of_row, groups)
            above = counted.mean_steps(data.limits(f)) + HALF_RANGE
            number = np.minimum(above * steps // (2 * HALF_RANGE), steps - 1)
            place = counted.group * steps + number
            out[:, f] += np.bincount(place, minlength=groups * steps).reshape(groups, steps)
    return out


def utilities(counts: NDArray[np.int64], p: Fraction) -> list[int]:
    """Return −max(0, b·below − a·n, b·above − (b − a)·n), integers, of every interval, p = a/b, of n people: counts, shape (K,).

    0 where a p-quantile lies: at most p·n people below, and at most (1 − p)·n above. Else b times the people too many.
    """
    n = int(counts.sum())
    below = np.concatenate([[0], np.cumsum(counts)]).tolist()
    a, b = p.numerator, p.denominator
    return [
        -max(0, b * low - a * n, b * (n - up_to) - (b - a) * n) for low, up_to in itertools.pairwise(below)
    ]
