"""The events of a run. Each sample gets the event with onset ≤ t < onset + duration; of several, the one that began last."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.data.readers.bids_dataset import NO_LABEL
from synthrelease.data.readers.delimited import Delimited
from synthrelease.data.readers.reader import ALL_ROWS, united
from synthrelease.data.source import Source
from synthrelease.errors import DataError

_TEXT = Delimited()


@dataclass(frozen=True)
class Events:
    """Which label holds when."""

    edges_s: NDArray[np.float64]  # where an event begins or ends, increasing, shape (E,)
    number_of: NDArray[np.int64]  # of the label before, between and after the edges, shape (E + 1,)
    texts: pl.Series  # the labels; the last one is "n/a"

    @classmethod
    def of(cls, path: Path, column: str) -> Events:
        """Read a column of a file of events.

        Raises:
            DataError: it cannot be read, an event has no onset or no duration, or two begin at once.
            MachineError: it may not be read.
        """
        source = Source(path)
        names = _TEXT.column_names(source)
        if column not in names:
            return cls(np.zeros(0), np.zeros(1, dtype=np.int64), pl.Series([NO_LABEL]))
        for needed in ("onset", "duration"):
            if needed not in names:
                raise DataError(
                    "missing-column",
                    f"there is no column '{needed}'",
                    where=str(path),
                    expected="onset, duration, and what was there",
                    remedy="add it, in seconds: BIDS requires it",
                )
        pieces = _TEXT.slices(source, ["onset", "duration", column], ALL_ROWS)
        frame, lines = united(list(pieces))
        texts = frame[column].fill_null("").str.strip_chars()
        labelled = ~texts.is_in(["", NO_LABEL]).to_numpy()
        texts, lines = texts.filter(labelled), lines[labelled]
        onset_s, duration_s = (
            numbers_of(path, name, frame[name].filter(labelled), lines, needed=True)
            for name in ("onset", "duration")
        )
        below = np.flatnonzero(duration_s < 0)
        if below.size:
            raise DataError(
                "negative-duration",
                "an event has a negative duration",
                where=f"{path}, line {lines[below[0]]}",
                expected="seconds, 0 or more",
                remedy="correct it, or leave the event out",
            )
        onset_s, end_s = _rounded(onset_s), _rounded(onset_s + duration_s)
        order = np.argsort(onset_s, kind="stable")
        _refuse_twins(
            path,
            column,
            onset_s=onset_s[order],
            duration_s=duration_s[order],
            texts=texts[order].to_list(),
            lines=lines[order],
        )
        edges_s = np.unique(np.concatenate([onset_s, end_s]))
        number_of = np.full(edges_s.size + 1, texts.len())
        starts, ends = np.searchsorted(edges_s, onset_s), np.searchsorted(edges_s, end_s)
        for event in order:
            number_of[starts[event] + 1 : ends[event] + 1] = event
        return cls(edges_s, number_of, pl.Series([*texts.to_list(), NO_LABEL], dtype=pl.String))

    def at(self, time_s: NDArray[np.float64]) -> pl.Series:
        """Return the label that holds at each time in s; "n/a" where none does, or the time is NaN."""
        # NaN lies beyond the last edge.
        holding = np.searchsorted(self.edges_s, _rounded(time_s), side="right")
        return self.texts.gather(self.number_of[holding])


def numbers_of(
    path: Path, column: str, cells: pl.Series, lines: NDArray[np.int64], *, needed: bool = False
) -> NDArray[np.float64]:
    """Return cells as numbers, NaN where they are empty or "n/a".

    Raises:
        DataError: one is neither, or is needed.
    """
    texts = cells.fill_null("").str.strip_chars()
    empty = texts.is_in(["", NO_LABEL])
    values = texts.cast(pl.Float64, strict=False)
    invalid = (values.is_null() | ~values.is_finite().fill_null(value=False)) & (~empty | needed)
    if invalid.any():
        first = int(invalid.arg_true()[0])
        raise DataError(
            "missing-number" if empty[first] else "bad-number",
            "a cell is not a number that can be used",
            where=f"{path}, line {lines[first]}, column '{column}'",
            found="an empty cell or n/a" if empty[first] else "text, NaN or an infinite number",
            expected="a finite number" + ("" if needed else ', or "n/a"'),
            remedy="write it, or leave the event out (an event of no length: 0)"
            if needed
            else "correct the cell",
        )
    return values.fill_null(math.nan).to_numpy()


def _refuse_twins(
    path: Path,
    column: str,
    *,
    onset_s: NDArray[np.float64],
    duration_s: NDArray[np.float64],
    texts: Sequence[str],
    lines: NDArray[np.int64],
) -> None:
    """Events of different labels that begin at once: neither began last. They are in the order of onsets."""
    lasting = np.flatnonzero(duration_s > 0)
    for first, second in pairwise(lasting.tolist()):
        if onset_s[first] == onset_s[second] and texts[first] != texts[second]:
            raise DataError(
                "events-at-same-time",
                f"two events of different '{column}' begin at the same time",
                where=f"{path}, lines {lines[first]} and {lines[second]}",
                expected="one at a time",
                remedy="leave one of them out",
            )


def _rounded(seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Whole nanoseconds, so that a sample at the very end of an event is beyond it however its time was computed."""
    return np.round(seconds, 9)
