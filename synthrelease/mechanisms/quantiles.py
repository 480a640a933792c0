"""Private quantiles of people's means: an interval of a public grid, chosen by permute-and-flip, drawn exactly.

Claim: `statistics.proof.md`. Minimum and maximum are not offered: a quantile near 0 or 1 is what can be had of them.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import Features
from synthrelease.errors import PolicyError
from synthrelease.maths.statistics import quantile
from synthrelease.maths.steps import HALF_RANGE
from synthrelease.mechanisms.grouped_rows import cell, steps_of
from synthrelease.noise.choice import private_choice
from synthrelease.noise.entropy import SecureRandom
from synthrelease.privacy.budget import LEAST_EPSILON
from synthrelease.privacy.event import Event, PrivateChoice
from synthrelease.privacy.guarantee import Neighbours
from synthrelease.privacy.rank_error import rank_error
from synthrelease.privacy.sensitivity import quantile_utility


@dataclass(frozen=True)
class QuantileParameters:
    """The public parameters of all quantiles of an output.

    Attributes:
        names: "quantile:p", each for every feature and group.
        features: number of features.
        steps: K, intervals of equal width between the bounds of a feature.
        groups: G, at least 1.
        max_groups: M, in how many of them a person counts.
        neighbours: the neighbouring relation.
    """

    names: tuple[str, ...]
    features: int
    steps: int
    groups: int
    max_groups: int
    neighbours: Neighbours

    @property
    def choices(self) -> int:
        """How many choices one person is exposed to: in M groups, or in twice as many that then count half."""
        return len(self.names) * self.features * min(self.max_groups, self.groups)

    def sensitivity(self, name: str) -> int:
        """Return Δ of the utilities of a quantile."""
        return quantile_utility(_p(name), moving=self.max_groups < self.groups, neighbours=self.neighbours)

    def rank_error(self, name: str, epsilon: float, *, probability: float) -> float:
        """Return how many people the rank of what is chosen misses its target by at most: `privacy.rank_error`."""
        return rank_error(
            _p(name),
            epsilon=epsilon,
            steps=self.steps,
            moving=self.max_groups < self.groups,
            neighbours=self.neighbours,
            probability=probability,
        )


def calibrate(parameters: QuantileParameters, epsilon: float) -> list[Event]:
    """Return the choices that one person is exposed to.

    Raises:
        PolicyError: ε of a choice is too small to mean anything.
    """
    if not parameters.choices:
        return []
    if epsilon < LEAST_EPSILON:
        raise PolicyError(
            "budget-too-small",
            "the budget is too small for so many quantiles",
            found=f"ε = {epsilon:g} for each of {parameters.choices}",
            expected=f"ε of at least {LEAST_EPSILON:g} for each",
            remedy="release fewer of them, of fewer features or groups",
        )
    return [PrivateChoice(epsilon, parameters.steps)] * parameters.choices


def choose(
    counts: NDArray[np.int64], parameters: QuantileParameters, epsilon: float, *, random: SecureRandom
) -> dict[str, NDArray[np.int32]]:
    """Return the numbers of the intervals chosen for every quantile, shape (groups, features, 1).

    Args:
        counts: of everybody, `people_per_interval`.
        parameters: the public parameters.
        epsilon: of each choice.
        random: where the choices come from.
    """
    found = {}
    for name in parameters.names:
        chosen = np.empty((*counts.shape[:2], 1), dtype=np.int32)
        for place in np.ndindex(counts.shape[:2]):
            chosen[place] = private_choice(
                utilities(counts[place], _p(name)),
                sensitivity=parameters.sensitivity(name),
                epsilon=epsilon,
                random=random,
            )
        found[name] = chosen
    return found


def best_intervals(counts: NDArray[np.int64], parameters: QuantileParameters) -> dict[str, NDArray[np.int32]]:
    """Return the intervals where the quantiles truly lie, whole numbers of the shape that `choose` returns: private, for who evaluates a release."""
    found = {}
    for name in parameters.names:
        best = np.empty((*counts.shape[:2], 1), dtype=np.int32)
        for place in np.ndindex(counts.shape[:2]):
            told = np.array(utilities(counts[place], _p(name)))
            ties = np.flatnonzero(told == told.max())
            best[place] = ties[ties.size // 2]
        found[name] = best
    return found


def people_per_interval(
    data: Features, group: NDArray[np.int64], parameters: QuantileParameters
) -> NDArray[np.int64]:
    """Return how many people's means lie in each interval, shape (groups, features, K): [low, next), the last closed."""
    p = parameters
    out = np.zeros((p.groups, p.features, p.steps), dtype=np.int64)
    for f in range(p.features):
        own = cell(data, f, group, p.groups)
        above = own.means(steps_of(own, data, f)) + HALF_RANGE
        number = np.minimum(above * p.steps // (2 * HALF_RANGE), p.steps - 1)
        np.add.at(out[:, f], (own.group, number), 1)
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


def _p(name: str) -> Fraction:
    p = quantile(name)
    if p is None or not 0 < p < 1:
        raise ValueError("Expected quantile:p with 0 < p < 1, found another statistic")
    return p
