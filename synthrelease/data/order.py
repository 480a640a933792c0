"""Putting the rows of a recording in the order of their time stamps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.tables import Table
from synthrelease.errors import DataError
from synthrelease.numerics.runs import sorted_rows


def in_time_order(
    table: Table,
    column: str,
    groups: Sequence[NDArray[np.int64]],
    time: NDArray[np.float64],
    rows: NDArray[np.int64],
    *,
    remedy: str,
) -> NDArray[np.int64]:
    """Return the permutation that sorts rows by `groups`, the first leading, and by time within a group.

    Args:
        table: for the places in error messages.
        column: name of the time column.
        groups: what makes a recording, such as person and stimulus, each of shape (N,).
        time: time stamps, shape (N,).
        rows: the rows' numbers in the file, shape (N,).
        remedy: what to do about a time stamp that occurs twice.

    Raises:
        DataError: a time stamp is missing, or occurs twice in one recording.
    """
    if np.isnan(time).any():
        raise DataError(
            "missing-time",
            "a time stamp is missing",
            where=table.place(int(rows[np.flatnonzero(np.isnan(time))[0]]), column),
            found="an empty cell",
            expected="a number in every row",
            remedy="fill in the cell, remove its row, or remove `time`: then the order of rows counts",
        )
    number = np.zeros_like(rows)
    for group in groups:
        lowest = int(group.min(initial=0))
        number = number * (int(group.max(initial=0)) - lowest + 1) + (group - lowest)
    order = sorted_rows(number)
    step = np.diff(time[order])
    within = np.diff(number[order]) == 0
    if (within & (step <= 0)).any():
        order = np.lexsort((time, number))
        step = np.diff(time[order])
    same = within & (step == 0)
    if same.any():
        repeated = rows[order[np.flatnonzero(same) + 1]]
        raise DataError(
            "duplicate-time",
            "a time stamp occurs twice in one recording",
            where=table.places(repeated, column),
            expected="increasing times within one person's recording",
            remedy=remedy,
        )
    return order
