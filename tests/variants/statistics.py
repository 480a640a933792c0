"""Statistics."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from wanted import Statistics

from synthrelease.data.features import RECORDING
from synthrelease.dp.budget import Budget
from synthrelease.dp.error_bounds import reach
from synthrelease.kinds.statistics import noisy
from synthrelease.numerics.statistics import StatisticUnit
from variants.features import LIMITS, FeaturesVariant
from variants.people import ADD_REMOVE, ATTAINED, BUDGET, GAUSSIAN, LAPLACE, REPLACE, Person
from variants.variant import Variant

if TYPE_CHECKING:
    from variants.people import Arrays

EVERY = tuple(noisy.NOISY_STATISTICS)
# Of the bounds, from their middle: opposite 1 the moments of a variance are furthest in L1 at −1/4, in L2 at (√½ − 1)/2.
FAR_IN_L1, FAR_IN_L2 = -0.25, (0.5**0.5 - 1) / 2


@dataclass(frozen=True, eq=False)
class StatisticsVariant(FeaturesVariant):
    def expected(self, values: Arrays, people: int) -> dict[tuple[str, ...], Any]:
        out = {}
        for (name, *labels, what), array in values.items():
            if what == "noisy":
                low, high = self.limits[int(labels[-1].split()[-1])]
                p = self.of(people)
                unit = StatisticUnit((float(low), float(high)), p.people, p.by is not None, p.everyone)
                far = reach(self.event(people), together=noisy.together(name, unit))
                out[name, *labels, "value"] = noisy.value(name, array, unit)
                out[name, *labels, "interval"] = noisy.interval(name, array, unit, reach=far)
                if name == "histogram":
                    edges = np.linspace(low, high, p.bins + 1)
                    out[name, *labels, "edge"] = np.column_stack([edges[:-1], edges[1:]])
        return out

    def made_adversaries(self) -> list[Person]:
        """First those with a row in some groups, of values that are far apart or missing; then those of all features."""
        g, m = self.recordings, min(self.parameters.max_groups, self.recordings)
        some = {tuple(range(m)), tuple(range(g - m, g)), (0,), (g - 1,), tuple(range(g))}
        values = [-1.0, 1.0, np.nan, FAR_IN_L1, FAR_IN_L2]
        rows = [np.array([u]) for u in itertools.product(values, repeat=min(self.features, 2))]
        alone = [
            self.person(np.resize(row, (1, self.features)), f"{row.ravel()} in {groups}", groups)
            for groups in sorted(some)
            for row in rows
        ]
        far = [
            self.person(
                np.array([[u], [1.0]]).repeat(self.features, 1), "another in one group", range(g - m, g)
            )
            for u in (FAR_IN_L1, FAR_IN_L2)
        ]
        for person in far:  # one value in the first of the groups, another in all others
            person.rows[:, 1:] = np.where(person.rows[:, :1] == g - m, person.rows[:1, 1:], 1.0)
        return [*alone, *far, *super().made_adversaries()]

    def equivalent(self, person: Person) -> Person:
        """Every row twice, in the opposite order, values beyond the bounds further out."""
        rows = np.repeat(person.rows[::-1], 2, axis=0)
        rows[:, 1:] = np.where(np.abs(rows[:, 1:]) > 1, 3 * rows[:, 1:], rows[:, 1:])
        return Person(rows)

    def wide(self) -> Variant:
        p = self.parameters
        features = 300 // (sum(map(p.size, p.statistics)) * max(1, len(p.groups))) + 1
        return replace(self, parameters=replace(p, bounds=limits(features)), features=features)


def limits(features: int) -> tuple[tuple[float, float], ...]:
    """The bounds of so many features."""
    return tuple((float(low), float(high)) for low, high in np.resize(LIMITS, (features, 2)))


def statistics_variant(
    name: str,
    which: tuple[str, ...],
    *,
    noise: str = LAPLACE,
    neighbours: Any = REPLACE,
    groups: tuple[int, int] | None = None,
    everyone: bool = False,
    features: int = 2,
    bins: int = 6,
    budget: Budget = BUDGET,
    attained: float = ATTAINED,
) -> Variant:
    """A variant in so many recordings of so many as groups: `groups` = (M, G)."""
    most, number = groups or (1, 2)
    parameters = Statistics(
        which,
        limits(features),
        bins,
        neighbours,
        1 if neighbours is REPLACE else None,
        noise,
        by=None if groups is None else RECORDING,
        groups=() if groups is None else tuple(f"recording {r}" for r in range(number)),
        max_groups=most,
        everyone=everyone,
    )
    shape = {"features": features, "recordings": number, "attained": attained}
    return StatisticsVariant(name, noise, parameters, budget, **shape)


def all_statistics() -> list[Variant]:
    out: list[Variant] = []
    alone = tuple((name,) for name in EVERY)
    for neighbours, which in itertools.product((REPLACE, ADD_REMOVE), (*alone, ("count", "mean"), EVERY)):
        name = f"statistics-%s-{'+'.join(which)}-{neighbours}"
        # One statistic alone is moved as far as can be, but for the rounding of squares; together, counts and sums are moved
        # by who leaves, means by who stays.
        attained = 0.99 if len(which) == 1 else 0.93 if which == EVERY else ATTAINED
        kinds = (LAPLACE, GAUSSIAN) if which == EVERY else (LAPLACE,)
        common = {"neighbours": neighbours, "attained": attained}
        out += [statistics_variant(name % kind, which, noise=kind, **common) for kind in kinds]
        for most in (1, 2, 3) if which in (("mean",), ("variance",), EVERY) else (1,):
            in_groups = common | {"groups": (most, 3)}
            kinds = (LAPLACE, GAUSSIAN) if (which, most) == (EVERY, 1) else (LAPLACE,)
            out += [
                statistics_variant(f"{name % kind}-M{most}of3", which, noise=kind, **in_groups)
                for kind in kinds
            ]
    for which in (("mean",), ("variance",), ("count", "variance"), EVERY):
        kinds = (LAPLACE, GAUSSIAN) if which == EVERY else (LAPLACE,)
        declared = {"groups": (3, 3), "everyone": True, "attained": 0.93 if which == EVERY else 0.99}
        out += [
            statistics_variant(f"statistics-{kind}-{'+'.join(which)}-everyone", which, noise=kind, **declared)
            for kind in kinds
        ]
    return out


def all_quantiles() -> list[Variant]:
    """Of both relations, of all people, and in M of G groups."""
    which = ("quantile:0.5", "quantile:0.1")
    kinds = itertools.product((REPLACE, ADD_REMOVE), (None, (1, 3), (2, 3), (3, 3)))
    return [
        statistics_variant(
            f"quantiles-{neighbours}{'' if groups is None else f'-M{groups[0]}of{groups[1]}'}",
            which,
            neighbours=neighbours,
            groups=groups,
        )
        for neighbours, groups in kinds
    ]
