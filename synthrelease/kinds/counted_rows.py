"""Which rows of a person count: a choice that looks at no other person's rows (`cells.proof.md`)."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.gaze import STEPS_PER_UNIT, GazeData
from synthrelease.numerics.runs import rows_of_runs, runs, stable_order

MICROSECONDS = {"s": 1_000_000, "ms": 1000}  # of a unit of time


def durations_us(gaze: GazeData, unit: str) -> NDArray[np.int64]:
    """Return how long each row lasts in whole microseconds, shape (N,); `unit` is that of the input, "s" or "ms"."""
    assert gaze.duration is not None
    return gaze.duration * MICROSECONDS[unit] // STEPS_PER_UNIT


def counted_rows(gaze: GazeData, *, max_stimuli: int, max_samples: int | None) -> NDArray[np.int64]:
    """Return the rows that count: of each person at most M stimuli, of each of those at most T samples.

    Both are evenly spaced ones, in the public order of stimuli and in the order of the samples. Where in the list the first
    one stands depends on the person's label: if all were shown the same, they count on different ones. Rows of one person
    and stimulus stand together in the result, people and their stimuli in increasing order. Row numbers, shape (rows that count,).
    """
    pair = gaze.person * len(gaze.stimuli) + gaze.stimulus
    first, rows = runs(pair)  # rows of a pair mostly stand together
    pair = pair[first]
    counts = counting_pairs(gaze, max_stimuli).ravel()[pair]
    pair, first, rows = pair[counts], first[counts], rows[counts]
    order = stable_order(pair)
    row = rows_of_runs(first[order], rows[order])
    if max_samples is None or not row.size:
        return row
    start, _ = runs(pair[order])
    size = np.add.reduceat(rows[order], start)
    if size.max() <= max_samples:
        return row
    rank = np.arange(row.size) - np.repeat(np.cumsum(size) - size, size)
    kept: NDArray[np.int64] = row[_evenly_spaced(rank, np.repeat(size, size), max_samples)]
    return kept


def counting_pairs(gaze: GazeData, max_stimuli: int) -> NDArray[np.bool_]:
    """Return which person counts on which stimulus, at most M of each; whether or not they have a usable row there, shape (people, stimuli)."""
    return evenly_chosen(gaze.assigned, max_stimuli, _turns(gaze))


def evenly_chosen(
    assigned: NDArray[np.bool_], most: int, turns: NDArray[np.int64] | None = None
) -> NDArray[np.bool_]:
    """Return which of their stimuli each person counts on: at most `most`, evenly spaced in the public list.

    The choice is a function of the person's own set of stimuli and label: it looks at no other person and at no gaze.

    Args:
        assigned: who has rows on what, shape (people, stimuli).
        most: M.
        turns: by how many places each person's list is turned before the choice, shape (people,).
    """
    size = assigned.sum(axis=1, keepdims=True)
    rank = np.cumsum(assigned, axis=1) - 1
    if turns is not None:
        rank = (rank + turns[:, None]) % np.maximum(size, 1)
    return assigned & _evenly_spaced(rank, size, most)


def _turns(gaze: GazeData) -> NDArray[np.int64] | None:
    """A number from each person's own label, as good as random."""
    if not gaze.identities:
        return None
    digests = (hashlib.sha256(label.encode()).digest()[:4] for label in gaze.identities)
    return np.array([int.from_bytes(digest, "little") for digest in digests], dtype=np.int64)


def _evenly_spaced(rank: NDArray[np.int64], size: NDArray[np.int64], most: int) -> NDArray[np.bool_]:
    """Whether rank r of `size` is chosen: ⌊(r+1)·most/size + ½⌋ steps up there, `most` times in all."""
    twice = 2 * np.maximum(size, 1)
    steps = (2 * (rank + 1) * most + size) // twice - (2 * rank * most + size) // twice
    chosen: NDArray[np.bool_] = (size <= most) | (steps > 0)
    return chosen
