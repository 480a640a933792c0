"""Statistics."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from synthrelease.maths import derived
from synthrelease.mechanisms import statistics
from synthrelease.mechanisms.statistics import StatisticsParameters
from variants.features import FeaturesVariant
from variants.people import ADD_REMOVE, ATTAINED, LAPLACE, REPLACE, Person
from variants.variant import Variant

if TYPE_CHECKING:
    from variants.people import Arrays, Integers


@dataclass(frozen=True, eq=False)
class StatisticsVariant(FeaturesVariant):
    def exact(self, people: Sequence[Person], order: int | None = None) -> Integers:
        p = self.of(len(people))
        data = self.data(people, order)
        parts = [statistics.contributions(s, data, p).sum(axis=0).ravel() for s in p.statistics]
        return np.concatenate(parts)

    def release(self, people: Sequence[Person], random: Any) -> tuple[Arrays, Any]:
        return statistics.release(self.data(people), self.of(len(people)), self.budget, random=random)

    def calibrate(self, people: int) -> Any:
        return statistics.calibrate(self.of(people), self.budget)

    def expected(self, values: Arrays, people: int) -> dict[tuple[str, ...], Any]:
        out = {}
        for (name, feature, what), array in values.items():
            if what == "noised":
                low, high = self.limits[int(feature.split()[-1])]
                out[name, feature, "value"] = derived.statistic(
                    name, array, bounds=(float(low), float(high)), people=self.of(people).people
                )
        return out

    def equivalent(self, person: Person) -> Person:
        """Every row twice, in the opposite order, values beyond the bounds further out."""
        rows = np.repeat(person.rows[::-1], 2, axis=0)
        rows[:, 1:] = np.where(np.abs(rows[:, 1:]) > 1, 3 * rows[:, 1:], rows[:, 1:])
        return Person(rows)

    def wide(self) -> Variant:
        features = 300 // sum(map(self.parameters.size, self.parameters.statistics)) + 1
        return replace(self, parameters=replace(self.parameters, features=features), features=features)


def all_statistics() -> list[Variant]:
    out: list[Variant] = []
    names = ("count", "mean", "histogram")
    for neighbours, which in itertools.product((REPLACE, ADD_REMOVE), (*((n,) for n in names), names)):
        people = 1 if neighbours is REPLACE else None
        parameters = StatisticsParameters(which, 2, 6, neighbours, people)
        # Who is counted now was not there before, and had no mean and no shares to move: together the
        # bounds of the three are not attained, 4 of 6 in L1 and 6 of 10 in squared L2.
        attained = 2 / 3 if which == names and neighbours is REPLACE else ATTAINED
        name = f"statistics-{'+'.join(which)}-{neighbours}"
        out.append(StatisticsVariant(name, LAPLACE, parameters, attained=attained))
    return out
