"""Quantiles: which intervals were drawn, in all groups that one person is in, or comes to."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from variants.statistics import StatisticsVariant, statistics_variant

from auditing.bound import Rates, rates
from auditing.choices import law
from auditing.probes import Claim
from synthrelease.dp.budget import Budget
from synthrelease.kinds.statistics import quantiles
from synthrelease.kinds.statistics.grouped_rows import counted_groups
from synthrelease.numerics.statistics import fraction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from variants.people import Person

    from synthrelease.dp.noise import SecureRandom

    Numbers = NDArray[np.float64]

NAME, STEPS = "quantile:0.1", 4
_BUDGET = Budget(4.0)
_CLAIM = Claim(_BUDGET.epsilon)


@dataclass(frozen=True, eq=False)
class QuantileProbe:
    """A low quantile in two groups, of which a person counts in one: who changes groups moves both.

    Attributes:
        variant: its public parameters.
        utilities: of every interval, in either group, under the one and the other dataset.
    """

    variant: StatisticsVariant
    utilities: tuple[list[list[int]], list[list[int]]]
    name: str = "quantiles-M1of2"
    claim: Claim = _CLAIM

    @property
    def epsilon(self) -> float:
        """ε of each choice."""
        return float(self.variant.mechanism(1).split(self.variant.budget)[0])

    @property
    def told(self) -> list[Numbers]:
        """How far each interval speaks for the one dataset, in either group."""
        one, other = (
            [np.log(law(u, sensitivity=_sensitivity(self.variant), epsilon=self.epsilon)) for u in side]
            for side in self.utilities
        )
        return [a - b for a, b in zip(one, other, strict=True)]

    @property
    def reach(self) -> float:
        """Which part of ε some output gives away, whatever its probability."""
        low, high = (sum(float(end(told)) for told in self.told) for end in (np.min, np.max))
        return max(high, -low) / self.claim.epsilon

    def rates(self, runs: int, random: SecureRandom) -> Rates:
        """Draw so often on either side, as `quantiles.choose` does."""
        found = []
        for side in self.utilities:
            total = np.zeros(runs)
            for utilities, told in zip(side, self.told, strict=True):
                drawn = [
                    quantiles.private_choice(
                        utilities,
                        sensitivity=_sensitivity(self.variant),
                        epsilon=self.epsilon,
                        random=random,
                    )
                    for _ in range(runs)
                ]
                total += told[drawn]
            found.append(total)
        return rates(*found, self.claim.thresholds)


@cache
def quantile_probe() -> QuantileProbe:
    """Return the probe of that pair which gives most away: beside any small crowd, of any two who may replace each other."""
    variant = _variant()
    people = _people(variant)
    probes = []
    for beside, (one, other) in itertools.product(_crowds(people), itertools.permutations(people, 2)):
        both = tuple(_utilities(variant, [*beside, person]) for person in (one, other))
        probes.append(QuantileProbe(variant, (both[0], both[1])))
    return max(probes, key=lambda probe: probe.reach)


def quantile_utilities_moved() -> tuple[int, int]:
    """Return how far one person moves the utilities of all groups, added up, and what is accounted for."""
    variant = _variant()
    people = _people(variant)
    moved = 0
    for beside in _crowds(people):
        found = np.array([_utilities(variant, [*beside, one]) for one in people])
        for one, other in itertools.combinations(found, 2):
            moved = max(moved, int(np.abs(one - other).max(axis=1).sum()))
    return moved, _sensitivity(variant) * len(variant.mechanism(1).parameters.choices())


def _variant() -> StatisticsVariant:
    made = statistics_variant("quantiles-M1of2", (NAME,), features=1, groups=(1, 2))
    assert isinstance(made, StatisticsVariant)
    return replace(made, parameters=replace(made.parameters, quantile_steps=STEPS), budget=_BUDGET)


def _sensitivity(variant: StatisticsVariant) -> int:
    mechanism = variant.mechanism(1)
    return int(mechanism.parameters.quantile_sensitivity(NAME, mechanism.neighbours))


def _crowds(people: Sequence[Person]) -> list[list[Person]]:
    """One of each, or none."""
    return [
        [person for person, times in zip(people[1:], numbers, strict=True) for _ in range(times)]
        for numbers in itertools.product((0, 1), repeat=len(people) - 1)
    ]


def _people(variant: StatisticsVariant) -> list[Person]:
    """No one, and one at either end of the bounds in either group."""
    absent = replace(variant.adversaries()[0], rows=np.empty((0, 2)))
    ends = [variant.person(np.array([[u]]), f"{u} in {g}", (g,)) for u in (-1.0, 1.0) for g in (0, 1)]
    return [absent, *ends]


def _utilities(variant: StatisticsVariant, people: Sequence[Person]) -> list[list[int]]:
    data, p = variant.data(people), variant.parameters
    groups = len(p.groups)
    group = counted_groups(data, by=p.by, groups=groups, max_groups=p.max_groups)
    counts = quantiles.people_per_interval(data, group, groups=groups, steps=p.quantile_steps)
    return [quantiles.utilities(of_group[0], fraction(NAME)) for of_group in counts]
