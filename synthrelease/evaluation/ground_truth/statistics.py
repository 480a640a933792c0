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
from synthrelease.evaluation.scores import best_without_data
from synthrelease.evaluation.usefulness import usefulness
from synthrelease.files.labels import quoted
from synthrelease.kinds.contributions import Sums
from synthrelease.kinds.mechanism import Collector
from synthrelease.kinds.parameters import Feature
from synthrelease.kinds.statistics.expected import guess, name_in_words
from synthrelease.kinds.statistics.mechanism import StatisticsMechanism
from synthrelease.kinds.statistics.noisy import NOISY_STATISTICS, value
from synthrelease.kinds.statistics.shapes import Shape
from synthrelease.number_words import short
from synthrelease.numerics.binning import equal_width_edges
from synthrelease.numerics.statistics import (
    COUNT,
    HISTOGRAM,
    VARIANCE,
    StatisticUnit,
    quantile,
    quantile_value,
)
from synthrelease.reports.axis_ticks import edge_ticks
from synthrelease.reports.exhibits import Exhibit, HistogramExhibit, TableCell, TableExhibit
from synthrelease.reports.histograms import histogram
from synthrelease.reports.views import name_with_unit

Place = tuple[str, ...]

MEASURES = (
    Measure(
        "error",
        0.0,
        "as a fraction of the possible range; of a histogram, total variation",
    ),
    Measure("in released interval", 1.0, "whether the released interval contains the exact value"),
)
_ROWS = 60  # of a table


@dataclass(frozen=True)
class StatisticsTruth:
    """True statistics, and what they are measured by."""

    mechanism: StatisticsMechanism
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
            measured[_item(place)] = (float(error) / self._range(place), inside)
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
        return {_item(place): f"{name_in_words(place[0])} of {place[-1]}" for place in self.values}

    def exhibits(self, released: Arrays, event: Event) -> Sequence[Exhibit]:  # noqa: ARG002  as all kinds
        """Return a table of all statistics, true and released, with their errors, and histograms of both."""
        present = [place for place in self.values if (*place, "value") in released]
        histograms = [self._histogram(released, place) for place in present if place[0] == HISTOGRAM]
        return [self._table(released, present), *histograms] if present else []

    def _table(self, released: Arrays, places: list[Place]) -> TableExhibit:
        """A row for each statistic of each feature, in each group: what it is, what was released, and what is better without data."""
        errors = self.of(released)
        guesses = {method: self.of(guess) for method, guess in self.without_data(released).items()}
        first = self.measures[0]
        parts = {part.part: part for part in usefulness(errors, guesses, (first,), self.part_of)}
        columns: dict[str, list[str]] = {}
        for place in places[:_ROWS]:
            statistic, *group, _ = place
            item = _item(place)
            part = parts[self.part_of(item)]
            guess = best_without_data(first, {how: scores[item][0] for how, scores in guesses.items()})
            exact, shown, interval = self._cells(released, place)
            row = {
                "statistic": name_in_words(statistic),
                "feature": self._feature_name(place),
                "group": "".join(group),
                "exact (private)": exact,
                "released": shown,
                "released interval (95 %)": interval,
                "error": short(errors[item][0], 3),
                "no data": "" if guess is None else short(guess[1], 3),
                "useful?": "yes" if part.is_useful else "no",
            }
            for column, text in row.items():
                columns.setdefault(column, []).append(text)
        # Nothing is in a group, or has an interval, where no row has.
        head = [column for column, texts in columns.items() if any(texts)]
        rows = [
            (heading, tuple(map(TableCell, cells)))
            for heading, *cells in zip(*(columns[column] for column in head), strict=True)
        ]
        notes = [
            f"Error: {first.meaning}. No data: the same of the best guess without data.",
            "Useful: whether a statistic of a feature is closer than a guess, over all groups."
            if "group" in head
            else "Useful: whether it is closer than that.",
        ]
        if len(places) > _ROWS:
            notes.append(f"The first {_ROWS} of {len(places)}.")
        return TableExhibit("Exact and released values", tuple(head), tuple(rows), " ".join(notes))

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

    def _feature_name(self, place: Place) -> str:
        """A feature with the unit of its statistic."""
        feature = self._feature(place)
        if place[0] == COUNT:
            return feature.shown_name
        return name_with_unit(feature, power="²" * (place[0] == VARIANCE))

    def _feature(self, place: Sequence[str]) -> Feature:
        features = self.mechanism.parameters.features
        return next(feature for feature in features if feature.name == place[-1])

    def _cells(self, released: Arrays, place: Place) -> tuple[str, str, str]:
        """The true value, the released one and its interval; a histogram has its figure."""
        if place[0] == HISTOGRAM:
            return "figure", "figure", "figure"
        ends = released.get((*place, "interval"))
        interval = "" if ends is None else " to ".join(short(float(end)) for end in ends[0])
        exact, shown = (short(float(value[0])) for value in (self.values[place], released[*place, "value"]))
        return exact, shown, interval

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


def _item(place: Place) -> str:
    """What results call a statistic of a feature, in a group if there are any."""
    statistic, *rest = place
    return ", ".join([name_in_words(statistic), *rest])


def truth_collector(mechanism: StatisticsMechanism) -> Collector:
    """Return what takes people's aggregates, in all their groups."""
    return _unbounded(mechanism).collect


def ground_truth(mechanism: StatisticsMechanism, collected: Sums, people: int) -> StatisticsTruth:
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


def labels(mechanism: StatisticsMechanism) -> list[list[Place]]:
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


def _unbounded(mechanism: StatisticsMechanism) -> StatisticsMechanism:
    p = mechanism.parameters
    uncapped = replace(
        p, people=None, max_groups_per_person=len(p.groups or [1]), everyone_in_every_group=False
    )
    return replace(mechanism, parameters=uncapped)
