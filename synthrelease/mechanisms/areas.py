"""Private shares of areas of interest: where people dwell and between which areas they go, by one noise vector.

Claim: `areas.proof.md`. On each stimulus a person divides W shares among the areas, and W among the transitions,
however long they looked: so all are one integer vector, and one scale of noise serves them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.areas import Areas
from synthrelease.data.gaze import Gaze
from synthrelease.maths.binning import integer_shares
from synthrelease.maths.derived import dwell_shares, transition_shares
from synthrelease.maths.steps import HALF_RANGE
from synthrelease.maths.stored import stored
from synthrelease.mechanisms.collected import Sums
from synthrelease.mechanisms.counted_rows import counted_rows
from synthrelease.noise.addition import noised
from synthrelease.noise.entropy import WordSource
from synthrelease.privacy.budget import Budget, calibrated
from synthrelease.privacy.event import DiscreteLaplace, RoundedGaussian
from synthrelease.privacy.guarantee import Neighbours
from synthrelease.privacy.sensitivity import Sensitivity, area_shares

SAMPLES, DURATION = "samples", "duration"
_LARGEST_BITS = 47  # of a person's weights on a stimulus, added up: times W they fit into 62


@dataclass(frozen=True)
class AreaParameters:
    """The public parameters of an areas output.

    Attributes:
        areas: the areas.
        stimuli: S, number of published stimuli.
        transitions: whether transitions between areas are released too.
        weight: "samples", which all count alike, or "duration".
        noise: "laplace" or "gaussian".
        max_stimuli: M, on how many stimuli a person may count.
        viewers: how many people count on each stimulus, if the assignment is public; else None.
        assignment_public: whether who saw which stimulus is public.
        neighbours: the neighbouring relation.
        people: n, public under replace-one; None under add-remove-one.
    """

    areas: Areas
    stimuli: int
    transitions: bool
    weight: str
    noise: str
    max_stimuli: int
    viewers: tuple[int, ...] | None
    assignment_public: bool
    neighbours: Neighbours
    people: int | None

    @property
    def size(self) -> int:
        """Return how many integers one stimulus has: A + 1 areas, and perhaps (A + 1)² transitions."""
        number = len(self.areas.names)
        return number + number * number * self.transitions

    def sensitivity(self) -> Sensitivity:
        """Return the sensitivity of the shares of all stimuli together."""
        return area_shares(
            stimuli=self.stimuli,
            max_stimuli=self.max_stimuli,
            transitions=self.transitions,
            neighbours=self.neighbours,
        )


def calibrate(parameters: AreaParameters, budget: Budget) -> RoundedGaussian | DiscreteLaplace:
    """Return the event of the output."""
    count = parameters.stimuli * parameters.size
    return calibrated(parameters.noise, parameters.sensitivity(), budget, count=count)


def release(
    gaze: Gaze, parameters: AreaParameters, budget: Budget, *, random: WordSource
) -> tuple[dict[tuple[str, ...], NDArray[np.generic]], RoundedGaussian | DiscreteLaplace]:
    """Return, for every stimulus, the noised shares and the nearest shares that are possible.

    Args:
        gaze: points of all people.
        parameters: the public parameters.
        budget: ε and δ of the whole output, for a person.
        random: where the noise comes from.

    Returns:
        Under (stimulus, "dwell", name) arrays of shape (A+1,), and with transitions under (stimulus, "transitions", name) arrays
        of shape (A+1, A+1), from row to column; name is "noised" or "shares". And the event.
    """
    noisy, event = draw(collect(gaze, parameters), parameters, budget, random=random)
    return shares_of(noisy, gaze.stimuli, parameters), event


def collect(gaze: Gaze, parameters: AreaParameters) -> Sums:
    """Return what some people contribute."""
    return Sums({"shares": contributions(gaze, parameters)})


def draw(
    collected: Sums, parameters: AreaParameters, budget: Budget, *, random: WordSource
) -> tuple[NDArray[np.int64], RoundedGaussian | DiscreteLaplace]:
    """Return everybody's shares with noise, shape (S, size), and the event."""
    event = calibrate(parameters, budget)
    largest = 2**45 if parameters.people is None else parameters.people * HALF_RANGE
    return noised(collected["shares"], event, largest=largest, random=random), event


def shares_of(
    noisy: NDArray[np.integer], stimuli: Sequence[str], parameters: AreaParameters
) -> dict[tuple[str, ...], NDArray[np.generic]]:
    """Return the arrays of a release that has these noised integers, shape (S, size)."""
    p = parameters
    number = len(p.areas.names)
    values: dict[tuple[str, ...], NDArray[np.generic]] = {}
    for s, stimulus in enumerate(stimuli):
        viewers = None if p.viewers is None else p.viewers[s]
        dwell = noisy[s, :number]
        values[stimulus, "dwell", "noised"] = dwell
        values[stimulus, "dwell", "shares"] = stored(dwell_shares(dwell, viewers=viewers))
        if p.transitions:
            between = noisy[s, number:].reshape(number, number)
            values[stimulus, "transitions", "noised"] = between
            values[stimulus, "transitions", "shares"] = stored(transition_shares(between, viewers=viewers))
    return values


def contributions(gaze: Gaze, parameters: AreaParameters) -> NDArray[np.int64]:
    """Return the sum of these people's shares: dwell, then transitions row by row, shape (stimuli, size).

    All of their rows are there. Work grows with the rows, not with people × areas.
    """
    p = parameters
    totals = np.zeros((p.stimuli, p.size), dtype=np.int64)
    number = len(p.areas.names)
    row = counted_rows(gaze, max_stimuli=p.max_stimuli, max_samples=None)
    if p.weight == DURATION:
        assert gaze.duration is not None
        row = row[gaze.duration[row] > 0]
    map_of = gaze.person[row] * p.stimuli + gaze.stimulus[row]  # in increasing order
    area = p.areas.locate(gaze)[row]
    weight = np.ones(row.size, dtype=np.int64) if p.weight == SAMPLES else _weights(gaze, row, map_of)
    _add_shares(totals[:, :number], map_of, area, weight)
    if p.transitions:
        here = np.flatnonzero((map_of[1:] == map_of[:-1]) & (area[1:] != area[:-1]))
        between = area[here] * number + area[here + 1]
        _add_shares(totals[:, number:], map_of[here], between, np.ones(here.size, dtype=np.int64))
    return totals


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


def _weights(gaze: Gaze, row: NDArray[np.int64], map_of: NDArray[np.int64]) -> NDArray[np.int64]:
    """Durations as whole numbers that sum to less than 2⁴⁷ for a person on a stimulus.

    Halved as often as the person's longest row there, times their number, calls for: their own rows decide.
    """
    assert gaze.duration is not None
    duration = gaze.duration[row]
    if not row.size:
        return duration
    first = np.flatnonzero(np.r_[True, map_of[1:] != map_of[:-1]])
    rows = np.diff(np.append(first, row.size))
    bits = np.frexp(np.maximum.reduceat(duration, first) * rows.astype(np.float64))[1]
    halved: NDArray[np.int64] = duration >> np.repeat(np.maximum(bits - _LARGEST_BITS, 0), rows).astype(
        np.int64
    )
    return halved
