"""Ground truth of synthetic scanpaths: participants' trials, by maps, movements, durations, numbers of fixations and what predicts the next one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.event import Event, RoundedGaussian
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.arrays import Arrays, Labels
from synthrelease.evaluation.ground_truth.ground_truth import NO_DATA, ComparedKind, scores_of_half
from synthrelease.evaluation.metrics import scanpaths as metrics
from synthrelease.evaluation.metrics.maps import correlation
from synthrelease.evaluation.result import Measure, Scores
from synthrelease.kinds.contributions import Rows
from synthrelease.kinds.mechanism import Collector
from synthrelease.kinds.scanpath_form import SCANPATHS
from synthrelease.kinds.scanpaths.coordinates import STEPS
from synthrelease.kinds.scanpaths.fixations import Fixations
from synthrelease.kinds.scanpaths.mechanism import SyntheticScanpaths
from synthrelease.kinds.values import Values
from synthrelease.numerics.blur import blurred
from synthrelease.numerics.public_draws import PublicDraws
from synthrelease.report.exhibits import Exhibit
from synthrelease.report.population_plates import Distribution, distributions_plate

Numbers = NDArray[np.float64]

_MARGIN = 0.005  # of a divergence: by less a release can be better than no data by luck of its scanpaths
_MAP_MARGIN = 0.03

MEASURES = (
    Measure(
        "maps", 1.0, "correlation of scanpaths' blurred fixations with participants' (CC)", margin=_MAP_MARGIN
    ),
    Measure("amplitudes", 0.0, "divergence of amplitudes of saccades (Jensen–Shannon, bits)", margin=_MARGIN),
    Measure("directions", 0.0, "the same of their directions", margin=_MARGIN),
    Measure("turns", 0.0, "the same of changes of direction from saccade to saccade", margin=_MARGIN),
    Measure("durations", 0.0, "the same of durations of fixations", margin=_MARGIN),
    Measure("numbers", 0.0, "the same of numbers of fixations of a trial", margin=_MARGIN),
    Measure(
        "next fixation",
        0.0,
        "bits per fixation that a model of the next fixation predicts participants worse by, if it learnt from scanpaths and not from participants",
        margin=0.05,
    ),
    Measure("returns", 0.0, "error of the proportion of fixations that return to where the last but one was"),
    Measure("amplitudes, px", 0.0, "Wasserstein distance of amplitudes, in pixels"),
    Measure("durations, ms", 0.0, "Wasserstein distance of durations, in milliseconds"),
    Measure(
        "ScanMatch",
        1.0,
        "similarity to participants' scanpaths on the same stimulus, as a proportion of participants' own",
    ),
)
_JUDGED = 7
_DIVERGENCES = ("amplitude", "direction", "turn", "duration_ms", "fixations")
ITEM = "all stimuli"
_HALVES, _FEWEST = 3, 4
_PAIRS = 12  # of scanpaths that are aligned, of each stimulus, on at most so many stimuli
_ALIGNED = 20
_NOISE = 1e6  # times everything that people can add up to: nothing is learnt from it


@dataclass(frozen=True)
class ScanpathTruth:
    """Participants' trials, and how to measure scanpaths against them."""

    mechanism: SyntheticScanpaths  # of the output
    fixations: Fixations  # of all participants
    noun: str = "output"
    measures: tuple[Measure, ...] = MEASURES

    def of(self, released: Arrays) -> dict[str, Scores]:
        """Return the measures of all scanpaths."""
        if (self.mechanism.parameters.stimuli[0], SCANPATHS) not in released:
            return {}
        return {ITEM: self._scores(self._released(released), self.fixations)}

    def half(self, random: SecureRandom) -> dict[str, Scores]:
        """Return the same of a random half of the participants, against the other half, on average."""
        people = np.unique(self.fixations.person)
        if people.size < _FEWEST:
            return {}
        scores = []
        for _ in range(_HALVES):
            order = people[random.permutation(people.size)]
            one, other = (_of_people(self.fixations, part) for part in np.array_split(order, 2))
            scores.append(self._scores(one, other))
        return {ITEM: tuple(np.mean(scores, axis=0).tolist())}

    def without_data(self, released: Arrays) -> Mapping[str, Arrays]:
        """Return scanpaths of a release of noise alone."""
        if (self.mechanism.parameters.stimuli[0], SCANPATHS) not in released:
            return {NO_DATA: {}}
        return {NO_DATA: self._assumed}

    @cached_property
    def _assumed(self) -> Arrays:
        mechanism, p = self.mechanism, self.mechanism.parameters
        largest = float(p.most_counts(RoundedGaussian(1.0, 1.0, 1))[0] or 2**45)
        nothing = {dataset.path: np.zeros(dataset.shape, dtype=np.int64) for dataset in mechanism.noisy}
        event = RoundedGaussian(1.0, _NOISE * largest, sum(array.size for array in nothing.values()))
        values = Values(p, event, {**mechanism.public_arrays, **nothing})
        drawn = values.array(SCANPATHS)
        return {(stimulus, SCANPATHS): drawn[number] for number, stimulus in enumerate(p.stimuli)}

    def part_of(self, item: str) -> str:  # noqa: ARG002
        """Return that all items are judged together."""
        return ""

    def exhibits(self, released: Arrays, event: Event) -> Sequence[Exhibit]:  # noqa: ARG002  as all kinds
        """Return distributions of movements, exact and released: no participant's scanpath is shown."""
        exact, shown = (metrics.spreads(one) for one in (self.fixations, self._released(released)))
        width = self.mechanism.parameters.screen.width_px
        distributions = [
            Distribution(label, edges, shown[name].share(edges / scale), exact[name].share(edges / scale))
            for name, label, edges, scale in (
                ("amplitude", "amplitude of saccades (px)", np.linspace(0, width, 31), width),
                ("duration_ms", "duration of fixations (ms)", np.linspace(0, 1000, 26), 1.0),
                ("turn", "change of direction (half turns)", np.linspace(0, 1, 13), 1.0),
                ("fixations", "fixations of a trial", np.arange(0.5, self._most + 1), 1.0),
            )
        ]
        return [distributions_plate(distributions, title="Movements and fixations")]

    @property
    def _most(self) -> int:
        return int(10 * self.mechanism.parameters.viewing_time_s)

    def _scores(self, scanpaths: Fixations, truth: Fixations) -> Scores:
        one, other = (metrics.spreads(fixations) for fixations in (scanpaths, truth))
        divergences = [metrics.divergence(one[name], other[name], name) for name in _DIVERGENCES]
        width = self.mechanism.parameters.screen.width_px
        lost = metrics.NextFixation(truth).bits(truth) - metrics.NextFixation(scanpaths).bits(truth)
        among = self._aligned(truth, truth)
        return (
            float(np.nanmean(list(self._correlations(scanpaths, truth)))),
            *divergences,
            lost,
            abs(one["returns"].mean - other["returns"].mean),
            width * metrics.distance(one["amplitude"], other["amplitude"]),
            metrics.distance(one["duration_ms"], other["duration_ms"]),
            self._aligned(scanpaths, truth) / among if among else float("nan"),
        )

    def _correlations(self, scanpaths: Fixations, truth: Fixations) -> Iterator[float]:
        for stimulus in range(len(self.mechanism.parameters.stimuli)):
            one, other = (self._map(fixations, stimulus) for fixations in (scanpaths, truth))
            yield correlation(one, other) if one.any() and other.any() else float("nan")

    def _map(self, fixations: Fixations, stimulus: int) -> Numbers:
        """Where fixations are on a stimulus, every trial weighing the same, blurred as the release's maps are."""
        p, cells = self.mechanism.parameters, self.mechanism.parameters.geometry
        here = np.flatnonzero(fixations.stimulus == stimulus)
        weight = 1 / fixations.counts[fixations.trial[here]]
        cell = (
            fixations.y[here] * cells.rows // STEPS * cells.columns
            + fixations.x[here] * cells.columns // STEPS
        )
        counts = np.bincount(cell, weight, cells.cells).reshape(cells.rows, cells.columns)
        size = p.screen.width_px, p.screen.height_px
        return np.asarray(blurred(counts, blur_px=p.blur_px, screen_px=size))

    def _aligned(self, one: Fixations, other: Fixations) -> float:
        """The mean similarity of scanpaths of two sets on the same stimulus, never of one with itself."""
        random = PublicDraws(0)  # decides which pairs are looked at
        stimuli = range(len(self.mechanism.parameters.stimuli))[:_ALIGNED]
        found = []
        for stimulus in stimuli:
            trials = [
                np.flatnonzero(fixations.stimulus[fixations.first] == stimulus) for fixations in (one, other)
            ]
            if min(map(len, trials)) < 2:
                continue
            for _ in range(_PAIRS):
                first, second = (int(some[random.integers(0, some.size)[0]]) for some in trials)
                if one is other and first == second:
                    continue
                pair = _letters(one, first), _letters(other, second)
                found.append(metrics.scan_match(*pair, one.proportions))
        return float(np.mean(found)) if found else float("nan")

    def _released(self, released: Arrays) -> Fixations:
        """Scanpaths as fixations of as many people as there are scanpaths of a stimulus."""
        p = self.mechanism.parameters
        values = np.stack(
            [np.asarray(released[stimulus, SCANPATHS], dtype=np.float64) for stimulus in p.stimuli]
        )
        number, stimulus, fixation = np.nonzero(np.swapaxes(values[..., 3], 0, 1))
        rows = values[stimulus, number, fixation]
        x, y = (
            np.minimum((rows[:, axis] * (STEPS / side)).astype(np.int64), STEPS - 1)
            for axis, side in enumerate((p.screen.width_px, p.screen.height_px))
        )
        duration = np.rint(rows[:, 3] * 1000).astype(np.int64)
        return Fixations(number, stimulus, x, y, duration, p.scanpaths, self.fixations.proportions)


def _letters(fixations: Fixations, trial: int) -> metrics.Letters:
    rows = slice(fixations.first[trial], fixations.first[trial] + fixations.counts[trial])
    return metrics.letters(
        (fixations.x[rows] + 0.5) / STEPS,
        (fixations.y[rows] + 0.5) / STEPS,
        fixations.duration_us[rows] / 1000,
    )


def _of_people(fixations: Fixations, people: NDArray[np.int64]) -> Fixations:
    kept = np.isin(fixations.person, people)
    return Fixations(
        fixations.person[kept],
        fixations.stimulus[kept],
        fixations.x[kept],
        fixations.y[kept],
        fixations.duration_us[kept],
        fixations.people,
        fixations.proportions,
    )


def _truth_collector(mechanism: SyntheticScanpaths) -> Collector:
    """Return what takes people's fixations."""
    return mechanism.collect


def _ground_truth(mechanism: SyntheticScanpaths, collected: Rows, people: int) -> ScanpathTruth:  # noqa: ARG001  as all kinds
    return ScanpathTruth(mechanism, mechanism.fixations(collected))


def _labels(mechanism: SyntheticScanpaths) -> Sequence[Sequence[Labels]]:
    """All in one group."""
    return [[(stimulus, SCANPATHS) for stimulus in mechanism.parameters.stimuli]]


SCANPATHS_COMPARED = ComparedKind(
    _truth_collector,
    _ground_truth,
    _labels,
    judged=_JUDGED,
    draws=2,  # each takes as long as a build
    with_data=scores_of_half,
    remarks=(
        "Baseline of no data: scanpaths of the public prior maps and of other people's movements.",
        "Half of the participants: one random half against the other, without protection, which is what sampling alone costs.",
        "The second round depends on what the first one released: the strongest attack is on the rounds as this release made them.",
        "Scanpaths follow from the noisy sums and a public seed, so no attack on them does better than the strongest attack on the sums.",
    ),
)
