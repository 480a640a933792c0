"""Series of one public length without gaps, filled from the same person's own values (why that is no leak: `signals.proof.md`)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sized
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import FeatureData

HOLD, CENTRE = "hold", "centre"
_BLOCK_STEPS = 1 << 20  # of all series together that are made at once: a few tens of MB


def blocks(data: FeatureData, length: int) -> Iterator[FeatureData]:
    """Yield the data of some people after the other, all of whose rows are there, in the order of their numbers.

    Args:
        data: rows of all people.
        length: n, steps of a series: how many people fit into a block depends on nothing else of theirs.
    """
    values_per_person = length * len(data.recordings) * len(data.features)
    most = max(1, _BLOCK_STEPS // max(values_per_person, 1))
    order = np.argsort(data.person, kind="stable")
    starts = np.searchsorted(data.person[order], np.arange(0, data.people + most, most))
    for number, (start, stop) in enumerate(itertools.pairwise(starts)):
        rows, first = order[start:stop], number * most
        yield replace(
            data,
            people=min(most, data.people - first),
            person=data.person[rows] - first,
            recording=data.recording[rows],
            values=data.values[rows],
        )


def copied_bytes(features: Sized) -> int:
    """Return how much memory each row takes in blocks: its values of the output's features, and once more by people."""
    return 16 * len(features)


def completed_series(
    data: FeatureData, length: int, *, completion: str = HOLD
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_]]:
    """Return series of `length` steps without gaps, and which person × recording each belongs to.

    Longer series are cut. A gap holds the series' last value before it; a gap at the start takes the first value there
    is. What a shorter series lacks holds its last value, or lies at the centre of the bounds; so does a series without
    any value. Everything is filled from the same person's own series.

    Args:
        data: rows of all people, in the order of time.
        length: n, public.
        completion: "hold" or "centre", for what a shorter series lacks.

    Returns:
        Group numbers person·recordings + recording, shape (G,), values, shape (G, n, F), and whether the person has any
        value of the feature there, shape (G, F).
    """
    number = data.person * len(data.recordings) + data.recording
    order = np.argsort(number, kind="stable")
    group, start, size = np.unique(number[order], return_index=True, return_counts=True)
    step = np.arange(order.size) - np.repeat(start, size)
    within = step < length
    filled = np.full((group.size, length, len(data.features)), np.nan)
    filled[np.repeat(np.arange(group.size), size)[within], step[within]] = data.values[order[within]]

    measured = np.isfinite(filled)
    at = np.where(measured, np.arange(length)[None, :, None], -1)
    last = np.maximum.accumulate(at, axis=1)
    first = np.argmax(measured, axis=1, keepdims=True)
    source = np.where(last >= 0, last, first)
    filled = np.take_along_axis(filled, source, axis=1)
    if completion == CENTRE:
        filled[np.arange(length) >= size[:, None]] = np.nan
    centre = data.bounds.mean(axis=1)
    has_values = np.logical_or.reduce(measured, axis=1)
    return group, np.where(np.isnan(filled), centre, filled), has_values
