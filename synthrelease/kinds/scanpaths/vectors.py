"""A person's vector: how the mean of the blocks' functions over their events differs from what is expected, bit for bit a function of their rows alone.

Places on coordinates are steps, functions of them public tables of whole numbers, and the weights of a person's events whole numbers that
sum to W: sums over events are exact in any order; what is divided afterwards is so element by element (`scanpaths.proof.md`, 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from synthrelease.kinds.scanpaths.blocks import (
    DURATIONS,
    ORDER,
    SACCADES,
    SIZE,
    STARTS,
    TRIALS,
    TURNS,
    Block,
    Circle,
    Cosines,
    class_of,
    places,
)
from synthrelease.kinds.scanpaths.coordinates import STEPS, Coordinate
from synthrelease.kinds.scanpaths.fixations import Fixations

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]

WEIGHT = 1 << 21  # W, of a person's events of a block
_EXACT_BITS = 53 - 21  # of a product of functions: its weighted sums are then exact in 64-bit floats
_MICROSECONDS = 1_000_000


@dataclass(frozen=True)
class Measured:
    """What vectors are made of besides rows, all public: coordinates, seconds, and dimensionless means."""

    coordinates: Mapping[str, Coordinate]
    seconds: float  # T, that a stimulus is shown for
    means: Numbers  # what every number is expected to be, shape (SIZE,)


def deviations(fixations: Fixations, measured: Measured, levels: Integers) -> Numbers:
    """Return how far people's numbers are from what is expected, dimensionless, shape (people, SIZE); 0 of people without a fixation.

    Every trial of a person counts the same, and every event of a trial; a trial without an event of a block counts as what is expected.

    Args:
        fixations: of people.
        measured: what is public.
        levels: step of the level of the released map at each cell of every stimulus, shape (S, rows, columns).
    """
    out = np.zeros((fixations.people, SIZE))
    trials = _Trials(fixations)
    here = places()
    for block, events, steps in _events(fixations, measured, levels):
        sums, present = trials.sums(block, events, steps)
        expected = measured.means[here[block.name]].reshape(block.classes, -1)
        missed = sums / WEIGHT - present[..., None] / WEIGHT * expected
        out[:, here[block.name]] = missed.reshape(fixations.people, -1)
    return out


@dataclass(frozen=True)
class _Events:
    """Events of a block: the trial of each, increasing, and its class."""

    trial: Integers
    group: Integers | None = None


def _events(
    fixations: Fixations, measured: Measured, levels: Integers
) -> list[tuple[Block, _Events, list[Integers]]]:
    """Of every block its events, and the step of each on every coordinate."""
    known = measured.coordinates
    to, second = fixations.saccades, fixations.second_saccades
    first, counts = fixations.first, fixations.counts
    low, high = (known["rate_per_s"].steps((counts + half) / measured.seconds) for half in (-0.5, 0.5))
    fixated = np.minimum(fixations.total_us / (measured.seconds * _MICROSECONDS), 1.0)
    _, rows, columns = levels.shape
    level = levels[fixations.stimulus, fixations.y * rows // STEPS, fixations.x * columns // STEPS]
    all_trials = np.arange(first.size)
    return [
        (
            SACCADES,
            _Events(fixations.trial[to]),
            [known["amplitude"].steps(fixations.amplitude), known["direction"].steps(fixations.direction)],
        ),
        (
            TURNS,
            _Events(fixations.trial[to[second]]),
            [known["ratio"].steps(fixations.ratio), known["turn"].steps(fixations.turn)],
        ),
        (
            DURATIONS,
            _Events(fixations.trial),
            [known["duration_ms"].steps(fixations.duration_us / 1000)],
        ),
        (TRIALS, _Events(all_trials), [(low + high) // 2, known["fixated_share"].steps(fixated)]),
        (
            STARTS,
            _Events(all_trials),
            [
                known["first_x"].steps((fixations.x[first] + 0.5) / STEPS),
                known["first_y"].steps((fixations.y[first] + 0.5) / STEPS),
            ],
        ),
        (ORDER, _Events(fixations.trial, class_of(fixations.ordinal)), [level]),
    ]


class _Trials:
    """Weights of people's trials, and sums over events."""

    def __init__(self, fixations: Fixations) -> None:
        self._people = fixations.people
        self._person = fixations.person[fixations.first]
        self._weight = np.zeros(self._person.size, dtype=np.int64)
        if self._person.size:
            self._weight = _even_shares(self._person, np.full(self._person.size, WEIGHT))

    def sums(self, block: Block, events: _Events, steps: list[Integers]) -> tuple[Numbers, Numbers]:
        """Return weighted sums of the functions of a block over a person's events, shape (people, classes, functions), and of the weights, shape (people, classes)."""
        sums = np.zeros((self._people * block.classes, block.functions_size))
        present = np.zeros(self._people * block.classes)
        if not events.trial.size:
            return sums.reshape(self._people, block.classes, -1), present.reshape(self._people, -1)
        group = np.zeros_like(events.trial) if events.group is None else events.group
        # Classes of a trial follow one another: fixations are in the order of time.
        weight = _even_shares(events.trial * block.classes + group, self._weight[events.trial])
        owner = self._person[events.trial] * block.classes + group
        np.add.at(present, owner, weight)
        values = _products(block, steps)[:, 1:]
        order = np.argsort(owner, kind="stable")
        first = np.flatnonzero(np.r_[True, np.diff(owner[order]) > 0])
        sums[owner[order[first]]] = np.add.reduceat(values[order] * weight[order, None], first, axis=0)
        bits = _bits(block)
        return (
            (sums / 2.0 ** (len(block.functions) * bits)).reshape(self._people, block.classes, -1),
            present.reshape(self._people, -1),
        )


def _even_shares(owner: Integers, total: Integers) -> Integers:
    """Shares of an owner's total, the same for each of its entries but for 1; owners in increasing order, totals the same for all of an owner's."""
    first = np.flatnonzero(np.r_[True, np.diff(owner) > 0])
    counts = np.diff(np.append(first, owner.size))
    rank = np.arange(owner.size) - np.repeat(first, counts)
    number = np.repeat(counts, counts)
    return np.asarray(total // number + (rank < total % number))


def _bits(block: Block) -> int:
    return int(_EXACT_BITS / len(block.functions) - 0.5)  # a function is at most √2


def _products(block: Block, steps: list[Integers]) -> Numbers:
    """Products of whole functions at the events' steps, shape (events, functions)."""
    out = np.ones((steps[0].size, 1))
    for functions, step in zip(block.functions, steps, strict=True):
        values = _table(functions, _bits(block))[step]
        out = (out[:, :, None] * values[:, None, :]).reshape(step.size, -1)
    return out


@lru_cache(maxsize=16)
def _table(functions: Cosines | Circle, bits: int) -> Numbers:
    """Functions at the middles of all steps in units of 2^−bits, as whole numbers, shape (STEPS, functions): public."""
    return np.rint(functions.at((np.arange(STEPS) + 0.5) / STEPS) * 2.0**bits)
