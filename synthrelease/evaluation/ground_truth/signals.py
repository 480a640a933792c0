"""Ground truth of signals: each person's series, completed as the plan says, and without noise, clip or cut-off.

Of mean signals the truth is the mean over the people who have the series, less each person's baseline where the release is of
changes. Individual series are released in random order: they are compared in the order that fits best, which flatters
them, because it finds some correlation in noise only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.cells import is_unnamed
from synthrelease.data.features import FeatureData
from synthrelease.dp.error_bounds import interval_deviations
from synthrelease.dp.event import Event, noise_of
from synthrelease.evaluation.arrays import Arrays
from synthrelease.evaluation.ground_truth.ground_truth import ComparedKind
from synthrelease.evaluation.metrics.signals import nmse, relative_mse, series_correlation
from synthrelease.evaluation.result import Measure, Scores
from synthrelease.kinds.contributions import Rows, Sums
from synthrelease.kinds.mechanism import Collector
from synthrelease.kinds.parameters import Feature
from synthrelease.kinds.signals.coefficients import CoefficientSignals
from synthrelease.kinds.signals.completed_series import completed_series
from synthrelease.kinds.signals.expected import SHAPE_SHOWS
from synthrelease.kinds.signals.spectral import SpectralSignals
from synthrelease.numerics.spectral_signals import NO_BASELINE, OF_PERSON
from synthrelease.reports.compared_signals import compared_signals
from synthrelease.reports.exhibits import Exhibit
from synthrelease.reports.views import feature_quantity

Series = NDArray[np.float64]
SignalsMechanism = SpectralSignals | CoefficientSignals

MEASURES = (
    Measure(
        "correlation",
        1.0,
        "Pearson's correlation over time with the exact series; 0 is chance",
        margin=SHAPE_SHOWS,
    ),
    Measure(
        "MSE/variance",
        0.0,
        "squared error divided by the variance of the exact series; its mean would score 1",
        middle=True,
    ),
    Measure(
        "NMSE",
        0.0,
        "squared error divided by the product of both means (Bozkir et al. 2021); not informative if means are large, not defined if one is 0",
        middle=True,
    ),
)

# A mean that is a smaller share of the bounds than this is 0 but for rounding: what is divided by it is a number of that rounding.
_NO_MEAN = 1e-6

# In noise only the order that fits best finds some correlation.
MEASURES_OF_EACH = (
    Measure(
        "correlation",
        1.0,
        "Pearson's correlation over time with the exact series, in the order of participants that fits best; chance is above 0",
        margin=SHAPE_SHOWS,
    ),
    *MEASURES[1:],
)


@dataclass(frozen=True)
class SignalTruth:
    """True courses, and what they are measured by."""

    output: SignalsMechanism  # with all its public parameters
    # the truth, shape (R, F, n) of mean signals, (people, R, F, n) of individual series; NaN where missing
    series: Series
    noun: str = "recording and feature"

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Of mean series, or of individual ones."""
        return MEASURES if self.series.ndim == 3 else MEASURES_OF_EACH

    def of(self, released: Arrays) -> dict[str, Scores]:
        """Return the measures of every recording's every feature that someone has."""
        measured: dict[str, Scores] = {}
        for (recording, feature), shown in self._in_order(released).items():
            truth = self.truth(recording, feature)
            complete = np.isfinite(truth).all(axis=-1)
            if not complete.any():
                continue
            pair = (shown[complete], truth[complete]) if truth.ndim > 1 else (shown, truth)
            measured[f"{name}, {feature}" if (name := self._name(recording)) else feature] = (
                float(np.mean(series_correlation(*pair))),
                float(np.mean(relative_mse(*pair))),
                self._nmse(feature, *pair),
            )
        return measured

    def _nmse(self, feature: str, released: Series, truth: Series) -> float:
        """NMSE, the mean over the series whose means are not 0; NaN if there is none, as of changes from a series' own mean."""
        low, high = self._feature(feature).bounds
        means = np.minimum(np.abs(released.mean(axis=-1)), np.abs(truth.mean(axis=-1)))
        defined = means > _NO_MEAN * (high - low)
        return float(np.mean(nmse(released[defined], truth[defined]))) if defined.any() else math.nan

    def without_data(self, released: Arrays) -> Mapping[str, Arrays]:
        """Return a flat line in the middle of the bounds, or at no change."""
        flat: Arrays = {}
        for (recording, feature, dataset), array in _labelled(released):
            if dataset == "values":
                level = 0.0 if _of_changes(self.output) else sum(self._feature(feature).bounds) / 2
                flat[recording, feature, dataset] = np.full(array.shape, level)
        return {"baseline: flat line": flat}

    def part_of(self, item: str) -> str:  # noqa: ARG002
        """Return that all items are judged together."""
        return ""

    def exhibits(self, released: Arrays, event: Event) -> Sequence[Exhibit]:
        """Return for every feature the true and the released mean series; of individual series, the mean of both."""
        shown, noise = self._in_order(released), noise_of(event)
        bands = {
            (r, f): interval_deviations(noise) * np.asarray(array, dtype=np.float64)
            for (r, f, dataset), array in _labelled(released)
            if dataset == "uncertainty" and noise is not None and not self.output.parameters.is_each
        }
        features = list(dict.fromkeys(feature for _, feature in shown))
        return [
            compared_signals(
                {self._name(r): _mean(self.truth(r, f)) for r, f in shown if f == feature},
                {self._name(r): _mean(series) for (r, f), series in shown.items() if f == feature},
                {self._name(r): bands[r, f] for r, f in shown if f == feature and (r, f) in bands},
                title=self._feature(feature).shown_name,
                steps=self.output.parameters.steps,
                y_label=feature_quantity(self._feature(feature), self.output.parameters.quantity),
            )
            for feature in features
        ]

    def truth(self, recording: str, feature: str) -> Series:
        """Return the true course of a feature in a recording, shape (n,), or of each person, shape (people, n)."""
        output = self.output
        series: Series = self.series[
            ...,
            output.parameters.recordings.index(recording),
            output.parameters.feature_names.index(feature),
            :,
        ]
        return series

    def _name(self, recording: str) -> str:
        """What people call a recording; "" for the only one, which no column names."""
        return "" if is_unnamed(self.output.parameters.recordings) else recording

    def _feature(self, name: str) -> Feature:
        p = self.output.parameters
        return p.features[p.feature_names.index(name)]

    def _in_order(self, released: Arrays) -> dict[tuple[str, str], Series]:
        """Released values; individual series in the order that fits the true ones best, all series of a person together."""
        values = {
            (recording, feature): np.asarray(array, dtype=np.float64)
            for (recording, feature, dataset), array in _labelled(released)
            if dataset == "values"
        }
        if self.series.ndim == 3 or not values:
            return values
        from scipy.optimize import linear_sum_assignment  # noqa: PLC0415  slow to import

        people = len(self.series)
        distance = np.zeros((people, people))
        for (recording, feature), series in values.items():
            low, high = self._feature(feature).bounds
            truth = np.nan_to_num(self.truth(recording, feature), nan=(low + high) / 2) / (high - low)
            scaled = series / (high - low)
            distance += (truth**2).sum(1)[:, None] + (scaled**2).sum(1) - 2 * truth @ scaled.T
        order = linear_sum_assignment(distance)[1]
        return {labels: series[order] for labels, series in values.items()}


def truth_collector(output: SignalsMechanism) -> Collector:
    """Return what takes people's series."""
    return partial(_series, output=output)


def ground_truth(output: SignalsMechanism, collected: Sums | Rows, people: int) -> SignalTruth:  # noqa: ARG001  as all kinds
    """Return what the output is compared with."""
    if isinstance(collected, Rows):
        return SignalTruth(output, collected.whole()[1])
    present = collected["people"][..., None].astype(np.float64)
    total = collected["series"].astype(np.float64)
    return SignalTruth(output, np.divide(total, present, out=np.full(total.shape, np.nan), where=present > 0))


def labels(output: SignalsMechanism) -> list[list[tuple[str, ...]]]:
    """Return the arrays that are judged; individual series all at once, since they share one order."""
    return [
        [
            (r, f, dataset)
            for r in output.parameters.recordings
            for f in output.parameters.feature_names
            for dataset in ("values", "uncertainty")
        ]
    ]


SIGNALS = ComparedKind(truth_collector, ground_truth, labels)


def _series(data: FeatureData, *, output: SignalsMechanism) -> Sums | Rows:
    """Sums of people's series and how many there are; or the individual series."""
    data, recordings, length = (
        data.only(output.parameters.feature_names),
        len(data.recordings),
        output.parameters.length,
    )
    group, completed, is_recorded = completed_series(data, length, completion=output.parameters.completion)
    series = np.full((data.people * recordings, len(data.features), length), np.nan)
    series[group] = np.where(is_recorded[:, :, None], np.moveaxis(completed, 1, 2), np.nan)
    by_person = series.reshape(data.people, recordings, len(data.features), length)
    if output.parameters.is_each:
        return Rows(((np.arange(data.people), by_person),))
    if isinstance(output, SpectralSignals):
        by_person = by_person - _baseline(by_person, output)
    counted = np.isfinite(by_person[..., 0])
    return Sums({"series": np.nansum(by_person, axis=0), "people": counted.sum(axis=0)})


def _baseline(series: Series, output: SpectralSignals) -> Series:
    """Each person's baseline, of the shape of one step."""
    form = output.parameters.form
    if form.baseline == NO_BASELINE:
        return np.zeros((*series.shape[:-1], 1))
    level: Series = series[..., : form.levelled_steps].mean(axis=-1, keepdims=True)
    if form.baseline != OF_PERSON:
        return level
    has_level = np.isfinite(level)
    mean: Series = np.nansum(level, axis=1, keepdims=True) / np.maximum(
        has_level.sum(axis=1, keepdims=True), 1
    )
    return mean


def _of_changes(output: SignalsMechanism) -> bool:
    return isinstance(output, SpectralSignals) and output.parameters.form.baseline != NO_BASELINE


def _mean(series: Series) -> Series:
    if series.ndim == 1:
        return series
    complete = np.isfinite(series).all(axis=1)
    mean: Series = series[complete].mean(axis=0) if complete.any() else np.full(series.shape[1], np.nan)
    return mean


def _labelled(released: Arrays) -> list[tuple[tuple[str, str, str], NDArray[np.generic]]]:
    return [((labels[0], labels[1], labels[2]), array) for labels, array in released.items()]
