"""Ground truth of synthetic scanpaths: participants' trials, by maps, movements, durations, numbers of fixations and what predicts the next one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.event import Event, RoundedGaussian
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.arrays import Arrays, Labels
from synthrelease.evaluation.ground_truth.ground_truth import NO_DATA, ComparedKind, scores_of_half
from synthrelease.evaluation.metrics.judged_scanpaths import Judged, fixations_of, scores
from synthrelease.evaluation.result import Measure, Scores
from synthrelease.evaluation.scanpath_attacks import scanpath_attacks
from synthrelease.kinds.contributions import Rows
from synthrelease.kinds.mechanism import Collector
from synthrelease.kinds.scanpath_form import SCANPATHS
from synthrelease.kinds.scanpaths.fixations import Fixations
from synthrelease.kinds.scanpaths.mechanism import SyntheticScanpaths
from synthrelease.kinds.values import Values
from synthrelease.reports.exhibits import Exhibit
from synthrelease.reports.population_plates import Distribution, distributions_plate

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
    Measure(
        "NSS",
        float("inf"),
        "mean of participants' standardised map where scanpaths fixate: half of the participants show what can be reached",
    ),
    Measure(
        "first fixations",
        0.0,
        "divergence of where trials begin, in 6 × 4 parts of the screen (Jensen–Shannon, bits)",
    ),
    Measure(
        "order",
        0.0,
        "the same of how dense the participants' map is at the first, second, third, … fixation, on average",
    ),
    Measure("amplitudes, px", 0.0, "Wasserstein distance of amplitudes, in pixels"),
    Measure("directions, °", 0.0, "Wasserstein distance of directions, on the circle, in degrees"),
    Measure("turns, °", 0.0, "Wasserstein distance of changes of direction, in degrees"),
    Measure("durations, ms", 0.0, "Wasserstein distance of durations, in milliseconds"),
    Measure("numbers, fixations", 0.0, "Wasserstein distance of numbers of fixations of a trial"),
    Measure(
        "first fixations, px",
        0.0,
        "Wasserstein distance of where trials begin, in pixels, on average across and down",
    ),
    Measure(
        "order, levels",
        0.0,
        "Wasserstein distance of how dense the participants' map is at fixations, from 0 to 1",
    ),
    Measure("returns", 0.0, "error of the proportion of fixations that return to where the last but one was"),
    Measure(
        "ScanMatch",
        1.0,
        "similarity to participants' scanpaths on the same stimulus, as a proportion of participants' own",
    ),
    Measure("MultiMatch shape", 1.0, "similarity of saccades to those of participants on the same stimulus"),
    Measure("MultiMatch direction", 1.0, "the same of their directions"),
    Measure("MultiMatch length", 1.0, "the same of their lengths"),
    Measure("MultiMatch position", 1.0, "the same of the places of fixations"),
    Measure("MultiMatch duration", 1.0, "the same of the durations of fixations"),
)
_JUDGED = 7
ITEM = "all stimuli"
_HALVES, _FEWEST = 3, 4
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
        return {ITEM: scores(self._judged(released), self._truth)}

    def half(self, random: SecureRandom) -> dict[str, Scores]:
        """Return the same of a random half of the participants, against the other half, on average."""
        people = np.unique(self.fixations.person)
        if people.size < _FEWEST:
            return {}
        found = []
        for _ in range(_HALVES):
            order = people[random.permutation(people.size)]
            halves = (_of_people(self.fixations, part) for part in np.array_split(order, 2))
            one, other = (Judged(half, self.mechanism.parameters) for half in halves)
            found.append(scores(one, other))
        return {ITEM: tuple(np.mean(found, axis=0).tolist())}

    def without_data(self, released: Arrays) -> Mapping[str, Arrays]:
        """Return scanpaths of a release of noise alone."""
        if (self.mechanism.parameters.stimuli[0], SCANPATHS) not in released:
            return {NO_DATA: {}}
        return {NO_DATA: self._assumed}

    @cached_property
    def _assumed(self) -> Arrays:
        mechanism, p = self.mechanism, self.mechanism.parameters
        largest = float(p.most_counts(RoundedGaussian(1.0, 1.0, 1)) or 2**45)
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
        exact, shown = self._truth.spreads, self._judged(released).spreads
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

    @cached_property
    def _truth(self) -> Judged:
        return Judged(self.fixations, self.mechanism.parameters)

    def _judged(self, released: Arrays) -> Judged:
        """Scanpaths as fixations of as many people as there are scanpaths of a stimulus."""
        p = self.mechanism.parameters
        values = np.stack(
            [np.asarray(released[stimulus, SCANPATHS], dtype=np.float64) for stimulus in p.stimuli]
        )
        return Judged(fixations_of(values, p.screen), p)


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
    attacks=scanpath_attacks,
    remarks=(
        "Baseline of no data: scanpaths of the public prior maps and of other people's movements.",
        "Half of the participants: one random half against the other, without protection, which is what sampling alone costs.",
        "The second round depends on what the first one released: the strongest attack is on the rounds as this release made them.",
        "Scanpaths follow from the noisy sums and a public seed, so no attack on them does better than the strongest attack on the sums; none is a participant's, so that there is no one to re-identify.",
    ),
)
