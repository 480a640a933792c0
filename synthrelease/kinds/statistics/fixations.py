"""Statistics of fixations: from the fixations of each trial to the rows that statistics are of.

Claim: `statistics.proof.md`. A trial is a person on a stimulus. It has one row, which follows from that person's rows only, so everything
that holds of statistics of features holds of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.areas import PlacedAreas
from synthrelease.data.cells import ONLY_LABEL
from synthrelease.data.features import FeatureData
from synthrelease.data.gaze import STEPS_PER_UNIT, GazeData
from synthrelease.data.losses import Loss, Reason
from synthrelease.kinds.counted_rows import counting_pairs
from synthrelease.kinds.measured import measured_rows
from synthrelease.kinds.statistics.mechanism import StatisticsMechanism
from synthrelease.kinds.statistics.public_fixations import (
    FIXATION_COUNT,
    FIXATION_DURATION,
    STIMULUS,
    TOTAL_DURATION,
    FixationParameters,
    feature_name,
)


@dataclass(frozen=True, kw_only=True)
class FixationStatistics(StatisticsMechanism):
    """Statistics of fixations, with one noise for all, and quantiles that are chosen."""

    parameters: FixationParameters
    areas: PlacedAreas | None  # as the parameters have them, with their label images

    def table(self, data: GazeData) -> FeatureData:
        """Return a row for each trial that counts: by stimulus, at most M of each person."""
        trials, bounds = self._trials(data), self._bounds
        return FeatureData(
            features=self._names,
            bounds=bounds,
            recordings=(ONLY_LABEL,),
            people=data.people,
            person=trials.person,
            recording=np.zeros_like(trials.person),
            values=np.clip(self._measures(trials), *bounds.T),
            categorical=(STIMULUS,),
            labels=trials.stimulus[:, None],
            identities=data.identities,
        )

    def measured(self, data: GazeData) -> dict[str, int]:
        """Return how many fixations there are."""
        return measured_rows(data, weighted=True)

    def losses(self, data: GazeData) -> tuple[Loss, ...]:
        """Return how many measures of trials are clipped to their bounds, and how many are missing that the plan declares to be there."""
        values = self._measures(self._trials(data))
        low, high = self._bounds.T
        clipped = ((values < low) | (values > high)).sum(axis=0).tolist()
        present = (~np.isnan(values)).sum(axis=0).tolist()
        clipping = (
            Loss(count, total, "were clipped to its bounds", Reason.CLIPPED, name)
            for count, total, name in zip(clipped, present, self._names, strict=True)
        )
        return (*super().losses(data), *clipping)

    @property
    def _bounds(self) -> NDArray[np.float64]:
        return np.array([feature.bounds for feature in self.parameters.features])

    def _trials(self, data: GazeData) -> Trials:
        p = self.parameters
        most = len(p.stimuli) if p.groups is None else p.max_groups_per_person
        return Trials.of(data, counting_pairs(data, most), self.areas)

    def _measures(self, trials: Trials) -> NDArray[np.float64]:
        """Return the features of the output, before they are clipped."""
        measured = trials.measured(None if self.areas is None else self.areas.names[:-1])
        return np.stack([measured[name] for name in self._names], axis=1)


@dataclass(frozen=True)
class Trials:
    """Trials that count, in increasing order of people and stimuli, with their fixations in each area, or in all."""

    person: NDArray[np.int64]  # of each trial, shape (T,)
    stimulus: NDArray[np.int64]  # of each trial, shape (T,)
    count: NDArray[np.int64]  # of fixations, shape (T, A)
    duration: NDArray[np.int64]  # of all of them, in steps of a duration, shape (T, A)

    @classmethod
    def of(cls, gaze: GazeData, counting: NDArray[np.bool_], areas: PlacedAreas | None) -> Trials:
        """Return the trials of some people.

        A fixation is a row with a duration above 0. Durations are added as integers, in any order; they would have to be longer than 10⁶
        units in nine million rows of one trial to overflow.

        Args:
            gaze: the rows; with durations.
            counting: which trials count, shape (people, stimuli).
            areas: those to count in; None for the whole screen.
        """
        assert gaze.duration is not None
        person, stimulus = np.nonzero(counting)
        area = np.zeros_like(gaze.person) if areas is None else areas.locate(gaze)
        size = 1 if areas is None else len(areas.areas)
        row = np.flatnonzero(counting[gaze.person, gaze.stimulus] & (gaze.duration > 0) & (area < size))
        stimuli = counting.shape[1]
        trial = np.searchsorted(person * stimuli + stimulus, gaze.person[row] * stimuli + gaze.stimulus[row])
        count, duration = (np.zeros((person.size, size), dtype=np.int64) for _ in range(2))
        np.add.at(count, (trial, area[row]), 1)
        np.add.at(duration, (trial, area[row]), gaze.duration[row])
        return cls(person, stimulus, count, duration)

    def measured(self, areas: tuple[str, ...] | None) -> dict[str, NDArray[np.float64]]:
        """Return all measures by the names of features, shape (T,) each, durations in the unit of the input; NaN for the mean duration of no fixation."""
        total = self.duration / STEPS_PER_UNIT
        mean = np.where(self.count > 0, total / np.maximum(self.count, 1), np.nan)
        measures = {
            FIXATION_COUNT: self.count.astype(np.float64),
            FIXATION_DURATION: mean,
            TOTAL_DURATION: total,
        }
        return {
            feature_name(measure, area): values[:, number]
            for measure, values in measures.items()
            for number, area in enumerate([None] if areas is None else areas)
        }
