"""Private shares of areas of interest: where people dwell and between which areas they go, by one noise vector.

Claim: `areas.proof.md`. On each stimulus a person divides W shares among the areas, and W among the transitions,
however long they looked: so all are one integer vector, and one scale of noise serves them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.areas import PlacedAreas
from synthrelease.data.gaze import GazeData
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import DiscreteLaplace, Event, noise_of
from synthrelease.kinds.areas.public import AreasParameters
from synthrelease.kinds.contributions import Sums
from synthrelease.kinds.counted_rows import counted_rows
from synthrelease.kinds.measured import measured_rows
from synthrelease.kinds.mechanism import UNBOUNDED, Mechanism
from synthrelease.kinds.stimuli import DURATION, SAMPLES
from synthrelease.numerics.binning import integer_shares
from synthrelease.numerics.runs import runs
from synthrelease.numerics.steps import HALF_RANGE

_LARGEST_BITS = 47  # of a person's weights on a stimulus, added up: times W they fit into 62
_GOOD_ERROR = 0.05  # of a share, at 95 %


@dataclass(frozen=True, kw_only=True)
class AreaShares(Mechanism[AreasParameters]):
    """Shares of areas, and of transitions between them, with one noise for all."""

    areas: PlacedAreas  # as the parameters have them, with their label images

    def collect(self, data: GazeData) -> Sums:
        """Return the sum of these people's shares, of dwelling, shape (S, A), and of transitions, shape (S, A, A).

        Work grows with the rows, not with people × areas.
        """
        p = self.parameters
        stimuli, number = len(p.stimuli), len(p.areas)
        row = counted_rows(data, max_stimuli=p.max_stimuli_per_person, max_samples=None)
        if p.weight == DURATION:
            assert data.duration is not None
            row = row[data.duration[row] > 0]
        map_of = data.person[row] * stimuli + data.stimulus[row]  # in increasing order
        area = self.areas.locate(data)[row]
        weight = np.ones(row.size, dtype=np.int64) if p.weight == SAMPLES else _weights(data, row, map_of)
        dwell = np.zeros((stimuli, number), dtype=np.int64)
        _add_shares(dwell, map_of, area, weight)
        if not p.transitions:
            return Sums({"dwell/noisy": dwell})
        moves = np.zeros((stimuli, number * number), dtype=np.int64)
        departure = np.flatnonzero((map_of[1:] == map_of[:-1]) & (area[1:] != area[:-1]))
        between = area[departure] * number + area[departure + 1]
        _add_shares(moves, map_of[departure], between, np.ones(departure.size, dtype=np.int64))
        return Sums({"dwell/noisy": dwell, "transitions/noisy": moves.reshape(stimuli, number, number)})

    def measured(self, data: GazeData) -> dict[str, int]:
        """Return how many rows are of any use."""
        return measured_rows(data, weighted=self.parameters.weight == DURATION)

    @property
    def largest_integer(self) -> int:
        """W for each person: who has rows on a stimulus follows from labels only."""
        people = self.parameters.people
        return UNBOUNDED if people is None else people * HALF_RANGE

    def prediction(
        self,
        event: Event,
        budget: Budget | None,  # noqa: ARG002  for others
        people: int | None,
    ) -> tuple[str, str]:
        """Return the 95 % error of a share, and how many people on a stimulus make it five points."""
        noise = noise_of(event)
        assert noise is not None
        # P(|Laplace| > b·ln 20) = P(|normal| > 1.96·σ) = 1/20
        reach = noise.scale * (math.log(20) if isinstance(noise, DiscreteLaplace) else 1.959964)
        reach_people = reach / HALF_RANGE  # in people
        needed = (
            f"{math.ceil(reach_people / _GOOD_ERROR)} on each stimulus for proportions ± 5 percentage points"
        )
        viewers = self.parameters.viewers
        if people is None:
            return f"95 %, before shrinking: proportions ± {reach_people:.3g} participants' viewing", needed
        if reach_people > (people if viewers is None else max(viewers)):
            return "proportions are noise: ± more than 100 percentage points (95 %)", needed
        if viewers is None:
            return (
                f"95 %, before shrinking: proportions ± {100 * reach_people / people:.3g} percentage points where all participants look",
                needed,
            )
        fewest, most = max(min(viewers), 1), max(*viewers, 1)
        error = f"95 %, before shrinking: proportions ± {100 * reach_people / most:.3g}"
        if reach_people > fewest:
            return f"{error} percentage points (of {most} participants); of {fewest} they are noise", needed
        if fewest < most:
            error += f" (of {most} participants) to ± {100 * reach_people / fewest:.3g} (of {fewest})"
        return f"{error} percentage points", needed


def _add_shares(
    totals: NDArray[np.int64], map_of: NDArray[np.int64], cell: NDArray[np.int64], weight: NDArray[np.int64]
) -> None:
    """Add every person's W shares among the cells of a stimulus to its totals, shape (stimuli, cells).

    `map_of` numbers a person on a stimulus: person · stimuli + stimulus.
    """
    stimuli, cells = totals.shape
    key, entry = np.unique(map_of * cells + cell, return_inverse=True)
    counts = np.zeros(key.size, dtype=np.int64)
    np.add.at(counts, entry, weight)
    owner, place = np.divmod(key, cells)
    np.add.at(totals, (owner % stimuli, place), integer_shares(owner, counts, HALF_RANGE))


def _weights(gaze: GazeData, row: NDArray[np.int64], map_of: NDArray[np.int64]) -> NDArray[np.int64]:
    """Durations as whole numbers that sum to less than 2⁴⁷ for a person on a stimulus.

    Halved as often as the person's longest row there, times their number, calls for: their own rows decide.
    """
    assert gaze.duration is not None
    duration = gaze.duration[row]
    if not row.size:
        return duration
    first, rows = runs(map_of)
    bits = np.frexp(np.maximum.reduceat(duration, first) * rows.astype(np.float64))[1]
    halved: NDArray[np.int64] = duration >> np.repeat(np.maximum(bits - _LARGEST_BITS, 0), rows).astype(
        np.int64
    )
    return halved
