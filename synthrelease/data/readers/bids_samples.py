"""The samples of a recording, with columns from the events of its run.

BIDS counts onsets in seconds from the first data point of the task; `StartTime` is where on that clock the recording begins, and timestamps are
the device's own, with any zero. So

    t = StartTime + (timestamp − first timestamp of the file) · unit of the timestamps in s.

Where the events' sidecar names a column of the samples as its `OnsetSource`, onsets are on that column's clock, and t = cell · unit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.data.readers.bids_dataset import NO_LABEL
from synthrelease.data.readers.bids_events import Events, numbers_of
from synthrelease.data.readers.delimited import Delimited
from synthrelease.data.readers.reader import Piece, RowFilter, with_column
from synthrelease.data.source import Source
from synthrelease.errors import DataError

EVENT_COLUMNS = {"stimulus": "stim_file", "trial_type": "trial_type"}  # columns of samples, and of events
_LARGEST_MISFIT = 10  # between what timestamps and the sampling frequency say of the time between samples
_LOOKED_AT = 1000  # rows


@dataclass(frozen=True)
class SampleSource(Source):
    """A file of samples, with what is needed to find their events."""

    events: Path | None = None  # the run's `_events.tsv`; None if it has none
    event_columns: tuple[str, ...] = ()  # keys of `EVENT_COLUMNS` that the events have
    clock: str = "timestamp"  # the column of timestamps
    unit_s: float | None = None  # of the clock, in s; None if the sidecar does not say
    start_s: float | None = 0.0  # of the first sample, on the events' clock; None if both have the same
    frequency_hz: float = math.nan
    sidecar: str = field(default="", compare=False)  # for messages


class BidsSamples(Delimited):
    """Reader of one file of samples, whose names are in its sidecar."""

    name = "samples"
    formats = "_physio.tsv.gz"
    endings = ()  # no file is known by its name alone
    uses: tuple[str, ...] = ("header",)

    def column_names(self, source: Source) -> list[str]:
        """Return the names in the sidecar, and those that come from events."""
        return [*source.header, *_sample_source(source).event_columns]

    def slices(
        self, source: Source, columns: list[str], most_rows: int, row_filter: RowFilter | None = None
    ) -> Iterator[Piece]:
        """Yield the named columns as text, and the line of each row."""
        needed = with_column(columns, row_filter)
        recording = _sample_source(source)
        in_file = [column for column in needed if column not in recording.event_columns]
        if len(in_file) < len(needed) and recording.clock not in in_file:
            in_file.append(recording.clock)
        rows_of_file = super().slices(source, in_file, most_rows)
        for rows in map(_event_adder(recording, needed), rows_of_file):
            yield rows if row_filter is None else row_filter.chosen(rows, columns)


def _sample_source(source: Source) -> SampleSource:
    assert isinstance(source, SampleSource)
    return source


def _event_adder(recording: SampleSource, columns: list[str]) -> Callable[[Piece], Piece]:
    """Return a function that adds the columns from events to rows of a file, read with its clock; the events are read once."""
    event_columns = [column for column in columns if column in recording.event_columns]
    path = recording.events
    events = (
        {name: Events.of(path, EVENT_COLUMNS[name]) for name in event_columns} if path is not None else {}
    )
    first_stamp = _first(recording) if events else math.nan

    def with_events(rows: Piece) -> Piece:
        frame, lines = rows
        _refuse_header(recording, frame, lines)
        if events:
            time_s = _times(recording, frame, lines, first_stamp)
            cells = [events[name].at(time_s).alias(name) for name in event_columns]
        else:
            nothing = pl.repeat(NO_LABEL, frame.height, dtype=pl.String, eager=True)
            cells = [nothing.alias(name) for name in event_columns]
        return frame.with_columns(cells).select(columns), lines

    return with_events


def _refuse_header(recording: SampleSource, frame: pl.DataFrame, lines: NDArray[np.int64]) -> None:
    if lines.size and lines[0] == 1 and any((frame[name][0] or "").strip() == name for name in frame.columns):
        raise DataError(
            "unexpected-header",
            "the file has a header line",
            where=f"{recording.path}, line 1",
            expected="samples only: the names of the columns are in the sidecar",
            remedy="take the line out",
        )


def _times(
    recording: SampleSource, frame: pl.DataFrame, lines: NDArray[np.int64], first_stamp: float
) -> NDArray[np.float64]:
    """When each sample was, in s on the clock of the events; NaN where that is missing."""
    cells = numbers_of(recording.path, recording.clock, frame[recording.clock], lines)
    assert recording.unit_s is not None
    if recording.start_s is None:
        return cells * recording.unit_s
    return (cells - first_stamp) * recording.unit_s + recording.start_s


def _first(recording: SampleSource) -> float:
    """The first timestamp, once timestamps have been found to fit the sampling frequency."""
    if recording.unit_s is None:
        raise DataError(
            "unknown-clock",
            f"no unit of '{recording.clock}' is known, so no sample can be found an event",
            where=recording.sidecar,
            expected='"Units": "s", "ms", "us" or "ns"',
            remedy=f"add the unit to '{recording.clock}' in the sidecar",
        )
    frame, lines = next(Delimited().slices(recording, [recording.clock], _LOOKED_AT))
    _refuse_header(recording, frame, lines)
    cells = numbers_of(recording.path, recording.clock, frame[recording.clock], lines)
    if math.isnan(cells[0]):
        raise DataError(
            "no-first-time",
            "the first sample has no timestamp",
            where=f"{recording.path}, line 1, column '{recording.clock}'",
            expected="a number: all events are counted from it",
            remedy="drop the rows before the first timestamp, and correct StartTime",
        )
    steps_between = np.diff(cells[~np.isnan(cells)])
    samples_per_step = (
        float(np.median(steps_between)) * recording.unit_s * recording.frequency_hz
        if steps_between.size
        else 1.0
    )
    if not 1 / _LARGEST_MISFIT <= samples_per_step <= _LARGEST_MISFIT:
        raise DataError(
            "times-do-not-fit-rate",
            "the timestamps do not fit the sampling frequency",
            where=str(recording.path),
            found=f"timestamps that are not near 1/SamplingFrequency apart, or do not increase, in the unit of '{recording.clock}'",
            expected="the unit in which timestamps are, and SamplingFrequency in Hz",
            remedy=f"correct Units of '{recording.clock}', or SamplingFrequency, in {recording.sidecar}",
        )
    return float(cells[0])
