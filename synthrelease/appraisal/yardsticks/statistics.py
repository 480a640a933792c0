"""What statistics are held against: the same ones without noise, of all people in all their groups."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from synthrelease.appraisal.appraised import Measure, Values
from synthrelease.appraisal.yardsticks.yardstick import Kind
from synthrelease.kinds.collected import Sums
from synthrelease.maths.statistics import (
    COUNT,
    HISTOGRAM,
    SUM,
    VARIANCE,
    StatisticUnit,
    quantile,
    quantile_value,
    value,
)
from synthrelease.mechanisms.quantiles import best_intervals
from synthrelease.mechanisms.statistics import INTERVALS, StatisticsParameters, collect
from synthrelease.outputs.resolved import Arrays, Collector, Derivation, OfFeatures
from synthrelease.outputs.statistics import StatisticsOutput
from synthrelease.privacy.event import Event
from synthrelease.report.exhibits import Cell, Exhibit, Table
from synthrelease.number_words import short

Place = tuple[str, ...]

MEASURES = (
    Measure(
        "error",
        0.0,
        "distance from the truth, as a part of what the bounds leave it; of a histogram, total variation",
    ),
    Measure("in its interval", 1.0, "whether the published interval holds the truth"),
)
_ROWS = 60  # of a table


@dataclass(frozen=True)
class Statistics:
    """True statistics, and what they are measured by.

    Attributes:
        output: with all its public parameters.
        values: the truth, by statistic, group if there is any, and feature.
    """

    output: StatisticsOutput
    values: Mapping[Place, NDArray[np.float64]]
    noun: str = "statistic"
    measures: tuple[Measure, ...] = MEASURES

    def of(self, released: Arrays) -> dict[str, Values]:
        """Return the measures of every statistic."""
        found: dict[str, Values] = {}
        for place, truth in self.values.items():
            if (*place, "value") not in released:
                continue
            own = np.asarray(released[*place, "value"], dtype=np.float64)
            error = np.abs(own - truth).sum() / 2 if place[0] == HISTOGRAM else np.abs(own - truth).max()
            ends, inside = released.get((*place, "interval")), math.nan
            if ends is not None:
                low, high = np.asarray(ends, dtype=np.float64).T
                inside = float(((low <= truth) & (truth <= high)).mean())
            found[", ".join(place)] = (float(error) / self._range(place), inside)
        return found

    def without_data(self, released: Arrays) -> Mapping[str, Arrays]:
        """Return what the bounds alone say: their middle, evenly spread values, everybody counted."""
        guess: Arrays = {}
        people = float(self._people)
        for *place, what in released:
            if what == "value":
                low, high = self.output.bounds[place[-1]]
                middle, shape = (low + high) / 2, released[*place, what].shape
                told = {SUM: middle * people, COUNT: people, VARIANCE: (high - low) ** 2 / 12}
                level = told.get(place[0], middle)
                if place[0] == HISTOGRAM:
                    level = (1.0 if self._divisor is not None else people) / shape[0]
                guess[*place, what] = np.full(shape, level)
        return {"no data: what the bounds say": guess}

    def exhibits(self, released: Arrays) -> Sequence[Exhibit]:
        """Return a table of the single numbers, true and released."""
        rows = [
            (", ".join(place), tuple(map(Cell, (short(float(truth[0])), *self._told(released, place)))))
            for place, truth in self.values.items()
            if place[0] != HISTOGRAM and (*place, "value") in released
        ]
        if not rows:
            return []
        head: tuple[str, ...] = ("statistic", "true, private", "released", "its interval")
        if not any(cells[-1].text for _, cells in rows):  # of quantiles alone
            head, rows = head[:-1], [(name, cells[:-1]) for name, cells in rows]
        note = f"The first {_ROWS} of {len(rows)}." if len(rows) > _ROWS else ""
        return [Table("True and released values", head, tuple(rows[:_ROWS]), note)]

    def _told(self, released: Arrays, place: Place) -> tuple[str, str]:
        own, ends = float(released[*place, "value"][0]), released.get((*place, "interval"))
        return short(own), "" if ends is None else " to ".join(short(float(end)) for end in ends[0])

    @property
    def _people(self) -> int:
        """How many there are, which under add-remove-one this page alone may tell."""
        return self.output.parameters.people or self.output.facts.people

    @property
    def _divisor(self) -> int | None:
        return self.output.parameters.unit((0.0, 1.0)).divisor

    def _range(self, place: Place) -> float:
        """What the bounds leave a statistic."""
        low, high = self.output.bounds[place[-1]]
        people = float(self._people)
        ranges = {SUM: max(abs(low), abs(high)) * people, COUNT: people, VARIANCE: ((high - low) / 2) ** 2}
        ranges[HISTOGRAM] = 1.0 if self._divisor is not None else people
        return ranges.get(place[0], high - low)


def truth(output: StatisticsOutput) -> Collector:
    """Return what takes people's aggregates, in all their groups."""
    return OfFeatures(tuple(output.bounds), partial(collect, parameters=_unbounded(output.parameters)))


def yardstick(output: StatisticsOutput, collected: Sums) -> Statistics:
    """Return what the output is held against."""
    p, values = output.parameters, {}
    chosen = _choices(collected, p)
    for name, g, (f, feature) in itertools.product(
        p.statistics, range(len(p.groups) or 1), enumerate(output.bounds)
    ):
        bounds = output.bounds[feature]
        if quantile(name) is not None:
            own = quantile_value(chosen[name][g, f], bounds, p.quantile_steps)
        else:  # over those who have a value
            divided = p.unit(bounds) if name == HISTOGRAM else StatisticUnit(bounds, None, True)
            own = value(name, collected[name][g, f], divided)
        values[name, *p.groups[g : g + 1], feature] = own
    return Statistics(output, values)


def exact(output: StatisticsOutput, collected: Sums, event: Event) -> list[Derivation]:
    """Return what makes the release without noise, with intervals of noise all the same."""
    p = output.parameters
    return output.derivations(
        {**{name: collected[name] for name in p.noised}, **_choices(collected, p)}, event
    )


def labels(output: StatisticsOutput) -> list[list[Place]]:
    """Return the arrays that are judged, statistic by statistic."""
    p = output.parameters
    return [
        [
            (name, *p.groups[g : g + 1], feature, what)
            for g in range(len(p.groups) or 1)
            for feature in output.bounds
            for what in (("value",) if quantile(name) is not None else ("value", "interval"))
        ]
        for name in p.statistics
    ]


STATISTICS = Kind(truth, yardstick, exact, labels)


def _unbounded(p: StatisticsParameters) -> StatisticsParameters:
    return replace(p, people=None, max_groups=len(p.groups) or 1)


def _choices(collected: Sums, p: StatisticsParameters) -> dict[str, NDArray[np.int32]]:
    """The interval of every quantile, where it truly lies."""
    return best_intervals(collected[INTERVALS], p.quantiles) if p.quantiles.names else {}
