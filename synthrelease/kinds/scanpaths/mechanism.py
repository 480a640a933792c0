"""Synthetic scanpaths: what is kept of participants' fixations, and the two rounds. Claim: `scanpaths.proof.md`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.gaze import GazeData
from synthrelease.data.losses import Loss, Reason
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import Event
from synthrelease.kinds.adaptive import AdaptiveMechanism, Release
from synthrelease.kinds.contributions import Rows
from synthrelease.kinds.counted_rows import MICROSECONDS, counted_rows, durations_us
from synthrelease.kinds.dataset import Array
from synthrelease.kinds.expectation import Expectation
from synthrelease.kinds.heatmap.expected import spectral_correlation, viewers_needed
from synthrelease.kinds.heatmap.map_sums import Looks, clipped_sums
from synthrelease.kinds.heatmap.public_maps import PUBLIC_MAP
from synthrelease.kinds.measured import measured_rows
from synthrelease.kinds.parameters import deviation_of
from synthrelease.kinds.scanpaths.chain_fits import DENSITY
from synthrelease.kinds.scanpaths.datasets import NOISY_DYNAMICS, NOISY_MAPS
from synthrelease.kinds.scanpaths.dynamics import LENGTH
from synthrelease.kinds.scanpaths.fixations import Fixations
from synthrelease.kinds.scanpaths.geometry import level_steps
from synthrelease.kinds.scanpaths.public import ScanpathParameters
from synthrelease.kinds.scanpaths.vectors import Measured, deviations
from synthrelease.kinds.values import Values
from synthrelease.number_words import percent
from synthrelease.numerics.binning import integer_shares
from synthrelease.numerics.runs import runs
from synthrelease.numerics.spectrum import WEIGHT, positions

Integers = NDArray[np.int64]

_MOST_FIXATIONS = WEIGHT // 2  # of a person on a stimulus: each then has a weight of two steps at least
_GOOD = 0.7  # a correlation of maps at which scanpaths are about the stimuli


@dataclass(frozen=True, kw_only=True)
class SyntheticScanpaths(AdaptiveMechanism[ScanpathParameters]):
    """Two adaptive rounds, each a noisy sum of one clipped vector of each person: of maps, and of how eyes move."""

    duration_unit: str  # of the input
    public_maps: NDArray[np.int32] | None = None  # coefficients in steps, shape (S, K)

    @property
    def row_bytes(self) -> int:
        """How much memory each row of a part takes while it is reduced to whole numbers."""
        return 120

    def collect(self, data: GazeData) -> Rows:
        """Return of some people's fixations the stimulus, the steps of their place and how long they took in microseconds, by person, stimulus and time."""
        row = self._counted(data)
        places = (
            positions(values[row] / side)
            for values, side in (
                (data.x_px, data.screen.width_px),
                (data.y_px, data.screen.height_px),
            )
        )
        block = np.stack([data.stimulus[row], *places, durations_us(data, self.duration_unit)[row]], axis=1)
        return Rows(((data.person[row], block),))

    def _counted(self, data: GazeData) -> Integers:
        """Rows that count: fixations that take time and begin within the viewing time, on at most M stimuli of a person."""
        p = self.parameters
        row = counted_rows(data, max_stimuli=p.max_stimuli_per_person, max_samples=_MOST_FIXATIONS)
        duration = durations_us(data, self.duration_unit)
        row = row[duration[row] > 0]
        if not row.size:
            return row
        first, count = runs(data.person[row] * len(p.stimuli) + data.stimulus[row])
        if data.time is not None:
            seconds = MICROSECONDS[self.duration_unit] / 1_000_000
            onset_s = (data.time[row] - np.repeat(data.time[row[first]], count)) * seconds
        else:
            total = np.cumsum(duration[row])
            before = total - duration[row]
            onset_s = (before - np.repeat(before[first], count)) / 1_000_000
        return row[onset_s < p.viewing_time_s]

    def measured(self, data: GazeData) -> dict[str, int]:
        """Return how many rows are of any use."""
        return measured_rows(data, weighted=True, window=None)

    def losses(self, data: GazeData) -> tuple[Loss, ...]:
        """Return how many fixations begin after the viewing time, or are of stimuli on which a person does not count."""
        rows = len(data.person)
        return (
            Loss(
                rows - len(self._counted(data)),
                rows,
                "begin after the viewing time, take no time, or are on stimuli beyond `max_stimuli_per_person`",
                Reason.CHOSEN,
            ),
        )

    @property
    def public_arrays(self) -> Mapping[str, Array]:
        """The public maps, if maps start from any."""
        return {} if self.public_maps is None else {PUBLIC_MAP: self.public_maps}

    def rounds(self, collected: Rows, event: Event, released: Release) -> dict[str, Array]:
        """Return what is released of maps, and then of movements with the levels of the released maps."""
        p = self.parameters
        fixations = self.fixations(collected)
        maps = clipped_sums([_looks(fixations)], p.of_maps.form, len(p.stimuli), joint=True)
        drawn: dict[str, Array] = {NOISY_MAPS: released(NOISY_MAPS, maps)}
        density = Values(p, event, {**self.public_arrays, **drawn}).array(DENSITY)
        prior = p.dynamics_prior
        measured = Measured(prior.coordinates, p.viewing_time_s, prior.means)
        levels, second = level_steps(density.astype(np.float64)), p.second_round(deviation_of(event))
        sums = np.zeros(LENGTH, dtype=np.int64)
        for part in fixations.parts():  # people without a fixation add nothing
            sums += second.contributions(deviations(part, measured, levels)).sum(axis=0)
        drawn[NOISY_DYNAMICS] = released(NOISY_DYNAMICS, sums)
        return drawn

    def fixations(self, collected: Rows) -> Fixations:
        """Return the fixations that people contribute: private."""
        person, block = collected.whole()
        stimulus, x, y, duration = block.astype(np.int64).T
        people = self.parameters.people
        if people is None:  # those beyond the last one with a row add nothing
            people = int(person.max(initial=-1)) + 1
        screen = self.parameters.screen
        return Fixations(person, stimulus, x, y, duration, people, screen.height_px / screen.width_px)

    def prediction(self, event: Event, budget: Budget | None, people: int | None) -> tuple[str, str]:
        """Return the correlation of maps to expect, how much of movements stays unknown, and how many people it takes for scanpaths that are about the stimuli."""
        maps, *blocks = self.expected(event, budget, people or 1)
        of_maps, deviation = self.parameters.of_maps, deviation_of(event)
        at = partial(spectral_correlation, of_maps, of_maps.viewing, deviation=deviation)
        unknown = ", ".join(f"{one.subject} {percent(one.best)} to {percent(one.worst)}" for one in blocks)
        error = (
            f"CC {maps.best:.2f} of maps with the exact ones (no data: {maps.without_data:.2f}); of what public data leave open about movements, so much stays open if participants look "
            f"otherwise than people in these, or nearly like them: {unknown}"
        )
        return error, viewers_needed(of_maps.viewing, lambda viewers: at(people=viewers), good=_GOOD)

    def expected(self, event: Event, budget: Budget | None, people: float) -> tuple[Expectation, ...]:  # noqa: ARG002
        """Return the correlation of maps to expect with so many participants, and how much of movements is learnt."""
        return self.parameters.expected(event, people, self.neighbours)


def _looks(fixations: Fixations) -> Looks:
    ones = np.ones_like(fixations.person)
    places = np.stack([fixations.y, fixations.x])
    return Looks(fixations.person, fixations.stimulus, places, integer_shares(fixations.trial, ones, WEIGHT))
