"""Ground truth of statistics: the same ones without noise, of all people in all their groups."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.event import Event
from synthrelease.evaluation.arrays import Arrays
from synthrelease.evaluation.ground_truth.ground_truth import ComparedKind
from synthrelease.evaluation.result import Measure, Scores
from synthrelease.kinds.contributions import Sums
from synthrelease.kinds.dataset import quoted
from synthrelease.kinds.mechanism import Collector
from synthrelease.kinds.parameters import Feature
from synthrelease.kinds.statistics.expected import guess, name_in_words
from synthrelease.kinds.statistics.mechanism import Statistics
from synthrelease.kinds.statistics.noisy import NOISY_STATISTICS, value
from synthrelease.kinds.statistics.shapes import Shape
from synthrelease.number_words import short
from synthrelease.numerics.binning import equal_width_edges
from synthrelease.numerics.statistics import HISTOGRAM, StatisticUnit, quantile, quantile_value
from synthrelease.report.axis_ticks import edge_ticks
from synthrelease.report.exhibits import Exhibit, HistogramExhibit, TableCell, TableExhibit
from synthrelease.report.histograms import histogram
from synthrelease.report.views import name_with_unit

Place = tuple[str, ...]

MEASURES = (
    Measure(
        "error",
        0.0,
        "error, as a fraction of the possible range; of a histogram, total variation",
    ),
    Measure("in released interval", 1.0, "whether the released interval contains the exact value"),
)
_ROWS = 60  # of a table


@dataclass(frozen=True)
class StatisticsTruth:
    """True statistics, and what they are measured by."""

    mechanism: Statistics
    values: Mapping[Place, NDArray[np.float64]]  # the truth, by statistic, group if there is any, and feature
    people: int  # which under add-remove-one only this report may show
    noun: str = "statistic"
    measures: tuple[Measure, ...] = MEASURES

    def of(self, released: Arrays) -> dict[str, Scores]:
        """Return the measures of every statistic."""
        measured: dict[str, Scores] = {}
        for place, truth in self.values.items():
            if (*place, "value") not in released:
                continue
            shown = np.asarray(released[*place, "value"], dtype=np.float64)
            error = np.abs(shown - truth).sum() / 2 if place[0] == HISTOGRAM else np.abs(shown - truth).max()
            ends, inside = released.get((*place, "interval")), math.nan
            if ends is not None:
                low, high = np.asarray(ends, dtype=np.float64).T
                inside = float(((low <= truth) & (truth <= high)).mean())
            measured[", ".join(place)] = (float(error) / self._range(place), inside)
        return measured

    def without_data(self, released: Arrays) -> Mapping[str, Arrays]:
        """Return what follows from the bounds, if values are spread evenly between them, or lie close to their middle."""
        places = [tuple(place) for *place, dataset in released if dataset == "value"]
        return {
            f"baseline: {words}": {(*place, "value"): self._guess(place, shape) for place in places}
            for words, shape in (
                ("values spread over the bounds", Shape.EVEN),
                ("values near their midpoint", Shape.MIDDLE),
            )
        }

    def _guess(self, place: Place, shape: Shape) -> NDArray[np.float64]:
        p = self.mechanism.parameters
        unit = next(p.unit(feature) for feature in p.features if feature.name == place[-1])
        return guess(place[0], shape, unit, float(self.people), p.bins)

    def part_of(self, item: str) -> str:
        """Return the statistic and the feature: of another feature, or another statistic, errors are of another scale."""
        return self._parts[item]

    @cached_property
    def _parts(self) -> dict[str, str]:
        return {", ".join(place): f"{name_in_words(place[0])} of {place[-1]}" for place in self.values}

    def exhibits(self, released: Arrays, event: Event) -> Sequence[Exhibit]:  # noqa: ARG002  as all kinds
        """Return a table of the single numbers, true and released, and histograms of both."""
        present = [place for place in self.values if (*place, "value") in released]
        histograms = [self._histogram(released, place) for place in present if place[0] == HISTOGRAM]
        rows = [
            (self._name(place), self._cells(released, place)) for place in present if place[0] != HISTOGRAM
        ]
        return [*self._table(rows), *histograms]

    def _table(self, rows: list[tuple[str, tuple[TableCell, ...]]]) -> list[Exhibit]:
        if not rows:
            return []
        head: tuple[str, ...] = ("statistic", "exact (private)", "released", "released interval (95 %)")
        if not any(cells[-1].text for _, cells in rows):  # of quantiles only
            head, rows = head[:-1], [(name, cells[:-1]) for name, cells in rows]
        note = f"The first {_ROWS} of {len(rows)}." if len(rows) > _ROWS else ""
        return [TableExhibit("Exact and released values", head, tuple(rows[:_ROWS]), note)]

    def _histogram(self, released: Arrays, place: Place) -> HistogramExhibit:
        """The released histogram with its interval, and the exact one as a line."""
        p, feature = self.mechanism.parameters, self._feature(place)
        shown, truth = np.asarray(released[*place, "value"], dtype=np.float64), self.values[place]
        shares = p.people is not None and p.groups is None
        distance = float(np.abs(shown - truth).sum() / 2)
        unit = "proportion of participants" if shares else "number of participants"
        alt = f"{self._name(place)}: bars of the released {unit} in {p.bins} bins, and a line of the exact one. "
        return histogram(
            shown,
            title=self._name(place),
            x=edge_ticks(equal_width_edges(*feature.bounds, p.bins)),
            x_label=name_with_unit(feature),
            y_label=unit,
            alt=f"{alt}Half of the sum of differences: {short(distance, 3)}.",
            note="Bars: released. Whiskers: 95 % noise interval. Line: exact (private).",
            intervals=released.get((*place, "interval")),
            outline=truth,
        )

    def _name(self, place: Place) -> str:
        """A statistic of a feature, in a group if there are any."""
        statistic, *group, _ = place
        return ", ".join([f"{name_in_words(statistic)} of {name_with_unit(self._feature(place))}", *group])

    def _feature(self, place: Sequence[str]) -> Feature:
        features = self.mechanism.parameters.features
        return next(feature for feature in features if feature.name == place[-1])

    def _cells(self, released: Arrays, place: Place) -> tuple[TableCell, ...]:
        """The true value, the released one and its interval."""
        ends = released.get((*place, "interval"))
        interval = "" if ends is None else " to ".join(short(float(end)) for end in ends[0])
        values = self.values[place], released[*place, "value"]
        return (*(TableCell(short(float(value[0]))) for value in values), TableCell(interval))

    @property
    def _divisor(self) -> int | None:
        p = self.mechanism.parameters
        return None if p.has_quotients else p.people

    def _bounds(self, place: Sequence[str]) -> tuple[float, float]:
        return self._feature(place).bounds

    def _range(self, place: Place) -> float:
        """What the bounds leave a statistic."""
        low, high = self._bounds(place)
        if quantile(place[0]) is not None:
            return high - low
        return NOISY_STATISTICS[place[0]].width((low, high), float(self.people), self._divisor)


def truth_collector(mechanism: Statistics) -> Collector:
    """Return what takes people's aggregates, in all their groups."""
    return _unbounded(mechanism).collect


def ground_truth(mechanism: Statistics, collected: Sums, people: int) -> StatisticsTruth:
    """Return what the output is compared with."""
    p, values = mechanism.parameters, {}
    exact = _unbounded(mechanism).exact(collected)
    for name, (g, group), (f, feature) in itertools.product(
        p.statistics, enumerate(p.groups or [None]), enumerate(p.features)
    ):
        index = (f,) if group is None else (g, f)
        if quantile(name) is not None:
            chosen = np.array([exact[f"{quoted(name)}/chosen"][index]])
            value_of = quantile_value(chosen, feature.bounds, p.quantile_steps)
        else:  # over those who have a value
            divided = p.unit(feature) if name == HISTOGRAM else StatisticUnit(feature.bounds, None, True)
            value_of = value(name, exact[f"{name}/noisy"][index], divided)
        values[name, *([] if group is None else [group]), feature.name] = value_of
    return StatisticsTruth(mechanism, values, people)


def labels(mechanism: Statistics) -> list[list[Place]]:
    """Return the arrays that are judged, statistic by statistic."""
    p = mechanism.parameters
    places = [
        (*([] if group is None else [group]), feature.name)
        for group in p.groups or [None]
        for feature in p.features
    ]
    return [
        [
            (name, *place, dataset)
            for place in places
            for dataset in ("value", "interval")
            if dataset == "value" or quantile(name) is None or p.quantile_intervals
        ]
        for name in p.statistics
    ]


STATISTICS = ComparedKind(truth_collector, ground_truth, labels, is_shrunk=False)


def _unbounded(mechanism: Statistics) -> Statistics:
    p = mechanism.parameters
    uncapped = replace(
        p, people=None, max_groups_per_person=len(p.groups or [1]), everyone_in_every_group=False
    )
    return replace(mechanism, parameters=uncapped)
