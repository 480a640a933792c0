"""Ground truth of synthetic people: the participants, by distributions, correlations, differences between people, order in time and contrasts.

Every participant weighs the same, with all of their windows, however many; values are cut to the public bounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.event import Event, RoundedGaussian
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.arrays import Arrays, Labels
from synthrelease.evaluation.ground_truth.ground_truth import NO_DATA, ComparedKind, scores_of_half
from synthrelease.evaluation.metrics.people import PeopleRows, PeopleSummary, errors, summary
from synthrelease.evaluation.result import Measure, Scores
from synthrelease.kinds.contributions import Rows
from synthrelease.kinds.mechanism import Collector
from synthrelease.kinds.people.design import RADIUS
from synthrelease.kinds.people.form import CONTRASTS
from synthrelease.kinds.people.mechanism import SyntheticPeople
from synthrelease.kinds.people.pilot import Pilot
from synthrelease.kinds.people.public import DENSITY, PEOPLE, PeopleParameters
from synthrelease.kinds.people.vectors import LEVELS, MISSING, Windows, dependence
from synthrelease.kinds.values import Values
from synthrelease.reports.exhibits import Exhibit
from synthrelease.reports.plates import few_records_plate
from synthrelease.reports.population_plates import (
    EXACT,
    Distribution,
    contrasts_table,
    correlations_plate,
    distributions_plate,
)
from synthrelease.reports.views import feature_quantity, name_with_unit

Numbers = NDArray[np.float64]

_MARGIN = 0.02  # by less than that a release can be better than no data by luck of its people
MEASURES = (
    Measure(
        "marginal distributions",
        0.0,
        "proportion of a feature's values that is in a wrong twentieth of the public bounds (total variation)",
        margin=_MARGIN,
    ),
    Measure(
        "pairs of features",
        0.0,
        "the same of two features at once, in 8 × 8 parts of the bounds",
        margin=_MARGIN,
    ),
    Measure(
        "correlations",
        0.0,
        "error of the correlations of a feature with the others (root mean square)",
        squared=True,
        margin=_MARGIN,
    ),
    Measure(
        "intraclass correlations",
        0.0,
        "error of the proportion of variance that is between people",
        margin=_MARGIN,
    ),
    Measure(
        "autocorrelations",
        0.0,
        "error of the correlation of successive windows about a person's mean",
        margin=_MARGIN,
    ),
    Measure(
        "contrasts of recordings",
        0.0,
        "error of differences of recordings from the first, in standard deviations (root mean square)",
        squared=True,
        margin=_MARGIN,
    ),
    Measure(
        "intervals of contrasts",
        1.0,
        "proportion of the released 95 % intervals of contrasts that hold the exact contrast",
    ),
)
_JUDGED = 6
PILOT = "baseline: pilot alone"
_HALVES = 5
_FEWEST = 4  # participants, of whom halves are compared
_NOISE = 1e6  # times everything that people can add up to: nothing is learnt from it
_SHOWN, _COLUMNS = 4, 2  # synthetic people over time, and of how many features


@dataclass(frozen=True)
class PeopleTruth:
    """The participants' windows, and how to measure synthetic people against them."""

    mechanism: SyntheticPeople  # of the output
    rows: PeopleRows  # of all windows
    levels: NDArray[np.int64]  # of their values, `MISSING` where there is none, shape (N, F)
    noun: str = "feature"
    measures: tuple[Measure, ...] = MEASURES

    @cached_property
    def summary(self) -> PeopleSummary:
        """What people are compared by."""
        return summary(self.rows)

    def of(self, released: Arrays) -> dict[str, Scores]:
        """Return the measures of every feature, of people and, if they are there, of intervals."""
        places = (PEOPLE,)
        if places not in released:
            return {}
        inside = self._inside(released)
        return self._scores(self._rows(released), inside)

    def half(self, random: SecureRandom) -> dict[str, Scores]:
        """Return the same of random halves of the participants, on average.

        The mean of a half misses that of all by as much as the mean of all misses that of the population they are a sample of: so it is what
        sampling alone costs.
        """
        people = np.unique(self.rows.person)
        if people.size < _FEWEST:
            return {}
        scores = []
        for _ in range(_HALVES):
            half = people[random.permutation(people.size)[: people.size // 2]]
            scores.append(list(self._scores(self.rows.of_people(half)).values()))
        mean = np.array(scores).mean(axis=0).tolist()
        return {name: tuple(of_feature) for name, of_feature in zip(self._names, mean, strict=True)}

    def without_data(self, released: Arrays) -> Mapping[str, Arrays]:
        """Return people of a release of noise alone, and those of a pilot if the release starts from one."""
        if (PEOPLE,) not in released:
            return {NO_DATA: {}}
        pilot = self.mechanism.parameters.pilot
        baselines: dict[str, Arrays] = {NO_DATA: {(PEOPLE,): self._assumed}}
        if pilot is not None:
            baselines[PILOT] = {(PEOPLE,): self._of_pilot(pilot)}
        return baselines

    @cached_property
    def _assumed(self) -> NDArray[np.generic]:
        """People as the model assumes them where sums say nothing."""
        return self._of_noise(replace(self.mechanism.parameters, pilot=None)).array(PEOPLE)

    def _of_pilot(self, pilot: Pilot) -> NDArray[np.generic]:
        """People of the pilot's distributions and dependence."""
        p = self.mechanism.parameters
        values = self._of_noise(p)
        dependence = [values.array(path) for path in p.population_paths[1:]]
        population = p.population(pilot.others.density, dependence)
        return population.sample(people=p.synthetic_people, seed=p.sampling_seed)

    def _of_noise(self, p: PeopleParameters) -> Values:
        """A release of sums of 0 with noise that leaves nothing of them."""
        noise = _NOISE * RADIUS * (p.people or 1)
        nothing = {dataset.path: np.zeros(dataset.shape, dtype=np.int64) for dataset in self.mechanism.noisy}
        event = RoundedGaussian(2.0 * RADIUS, noise, sum(array.size for array in nothing.values()))
        return Values(p, event, nothing)

    def part_of(self, item: str) -> str:  # noqa: ARG002
        """Return that all items are judged together."""
        return ""

    def exhibits(self, released: Arrays, event: Event) -> Sequence[Exhibit]:  # noqa: ARG002  as all kinds
        """Return contrasts, distributions and correlations, exact and released, and a few synthetic people over time: no participant's windows are shown."""
        p = self.mechanism.parameters
        names = [feature.shown_name for feature in p.features]
        people = summary(self._rows(released))
        exhibits: list[Exhibit] = []
        if len(p.recordings) > 1:
            value, interval = self._contrasts(released)
            exhibits.append(
                contrasts_table(
                    value,
                    interval,
                    title=f"Differences from {p.recordings[0]}, in standard deviations",
                    groups=list(p.recordings[1:]),
                    names=names,
                    exact=self._exact_contrasts(self._density(released)),
                )
            )
        exhibits += [
            distributions_plate(self._distributions(released), title="Distributions of features"),
            correlations_plate(
                {EXACT: self.summary.correlation, "released": people.correlation},
                names,
                title="Correlations of values",
            ),
        ]
        values = np.asarray(released[PEOPLE,], dtype=np.float64)
        exhibits += [
            few_records_plate(
                values[:_SHOWN, 0, :, f],
                of=len(values),
                noun="person",
                title=f"{feature.shown_name}, {p.recordings[0]}",
                x_label="window",
                y_label=feature_quantity(feature, "synthetic value in the unit of the feature"),
            )
            for f, feature in enumerate(p.features[:_COLUMNS])
        ]
        return exhibits

    def _distributions(self, released: Arrays) -> list[Distribution]:
        """Of the released densities, and of participants in the same cells: the bins, or of a feature of few values those."""
        p, weight = self.mechanism.parameters, 1.0 / np.bincount(self.rows.person)[self.rows.person]
        distributions = []
        for f, (scale, density) in enumerate(zip(p.scales, self._density(released), strict=True)):
            cells = p.bins if scale.points is None else min(scale.points, p.bins)
            below = np.concatenate([[0.0], np.cumsum(density)])
            places = np.linspace(0, 1, cells + 1)
            probability = np.diff(np.interp(places, np.linspace(0, 1, p.bins + 1), below))
            here = self.levels[:, f] != MISSING
            counts = np.bincount(self.levels[here, f] * cells // LEVELS, weight[here], cells)
            exact: Numbers = counts / max(float(counts.sum()), np.finfo(np.float64).tiny)
            edges = scale.low + (scale.high - scale.low) * places
            distributions.append(Distribution(name_with_unit(p.features[f]), edges, probability, exact))
        return distributions

    def _scores(self, rows: PeopleRows, inside: Numbers | None = None) -> dict[str, Scores]:
        """All measures of every feature, of rows; `inside` is the last."""
        found = errors(summary(rows), self.summary)
        last = np.full(len(self._names), np.nan) if inside is None else inside
        table = np.stack([*found, last], axis=1).tolist()
        return {name: tuple(of_feature) for name, of_feature in zip(self._names, table, strict=True)}

    def _rows(self, released: Arrays) -> PeopleRows:
        scales = self.mechanism.parameters.scales
        low, high = (np.array([getattr(scale, end) for scale in scales]) for end in ("low", "high"))
        values = np.asarray(released[PEOPLE,], dtype=np.float64)
        return PeopleRows.of_array(np.clip((values - low) / (high - low), 0.0, 1.0))

    @property
    def _names(self) -> list[str]:
        return [feature.name for feature in self.mechanism.parameters.features]

    def _density(self, released: Arrays) -> Numbers:
        return np.stack(
            [np.asarray(released[(name, *DENSITY.split("/"))], dtype=np.float64) for name in self._names]
        )

    def _contrasts(self, released: Arrays) -> tuple[Numbers, Numbers]:
        """Released contrasts, shape (C − 1, F), and their intervals, shape (C − 1, F, 2)."""
        recordings = self.mechanism.parameters.recordings[1:]
        value, interval = (
            np.stack(
                [
                    [
                        np.asarray(released[recording, name, CONTRASTS, part], dtype=np.float64)
                        for name in self._names
                    ]
                    for recording in recordings
                ]
            )
            for part in ("value", "interval")
        )
        return value.reshape(len(recordings), -1), interval

    def _inside(self, released: Arrays) -> Numbers | None:
        """For each feature, which share of the intervals holds the exact contrast, shape (F,); None where there are none."""
        p = self.mechanism.parameters
        if len(p.recordings) < 2 or (p.recordings[1], self._names[0], CONTRASTS, "interval") not in released:
            return None
        _, interval = self._contrasts(released)
        exact = self._exact_contrasts(self._density(released))
        return np.asarray(((interval[..., 0] <= exact) & (exact <= interval[..., 1])).mean(axis=0))

    def _exact_contrasts(self, density: Numbers) -> Numbers:
        """Contrasts of all participants by the released scores, unclipped, shape (C − 1, F)."""
        p = self.mechanism.parameters
        tables = [scale.score_table(of_feature) for scale, of_feature in zip(p.scales, density, strict=True)]
        present = self.levels != MISSING
        scores = np.stack([table[level] for table, level in zip(tables, self.levels.T, strict=True)], axis=1)
        windows = Windows(self.rows.person, self.rows.recording, p.people or 0)
        vectors = dependence(windows, np.where(present, scores, 0), present, p.form)[
            :, p.form.places[CONTRASTS]
        ]
        has_rows = np.bincount(self.rows.person, minlength=len(vectors)) > 0
        # People without a row have no contrasts, and not contrasts of 0.
        mean = vectors[has_rows].sum(axis=0) / max(int(has_rows.sum()), 1)
        return np.asarray(p.form.differences @ mean.reshape(len(p.recordings) - 1, -1))


def _truth_collector(mechanism: SyntheticPeople) -> Collector:
    """Return what takes people's windows, however many."""
    return replace(
        mechanism, parameters=replace(mechanism.parameters, max_windows=np.iinfo(np.int64).max)
    ).collect


def _ground_truth(mechanism: SyntheticPeople, collected: Rows, people: int) -> PeopleTruth:  # noqa: ARG001  as all kinds
    person, block = collected.whole()
    levels = block[:, 1:].astype(np.int64)
    places = np.where(levels == MISSING, np.nan, (levels + 0.5) / LEVELS)
    recordings = len(mechanism.parameters.recordings)
    return PeopleTruth(
        mechanism, PeopleRows(places, person, block[:, 0].astype(np.int64), recordings), levels
    )


def _labels(mechanism: SyntheticPeople) -> Sequence[Sequence[Labels]]:
    """All in one group."""
    p = mechanism.parameters
    names = [feature.name for feature in p.features]
    densities = [(name, *DENSITY.split("/")) for name in names]
    contrasts = [
        (recording, name, CONTRASTS, part)
        for recording in p.recordings[1:]
        for name in names
        for part in ("value", "interval")
    ]
    return [[(PEOPLE,), *densities, *contrasts]]


PEOPLE_COMPARED = ComparedKind(
    _truth_collector,
    _ground_truth,
    _labels,
    judged=_JUDGED,
    draws=2,  # each takes as long as a build
    with_data=scores_of_half,
    remarks=(
        "Baseline of no data: people as the model assumes them where nothing is released.",
        "Baseline of the pilot alone, where there is one: people of its distributions and its dependence, without participants.",
        "Half of the participants: errors of random halves of them without protection, which is what sampling alone costs.",
        "Later rounds depend on what earlier ones released: the strongest attack is on the rounds as this release made them.",
        "Synthetic people follow from the noisy sums and a public seed, so no attack on them does better than the strongest attack on the sums.",
    ),
)
