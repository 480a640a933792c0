"""Raw samples of gaze: where an eye was, when, and when that is not known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.data.cells import Code, labels, numbers
from synthrelease.data.chosen_rows import EVERY_ROW, ChosenRows
from synthrelease.data.coordinates import PIXELS_FROM_TOP_LEFT, Coordinates
from synthrelease.data.gaze import refuse_off_screen
from synthrelease.data.in_memory import InMemoryFrame
from synthrelease.data.order import in_time_order
from synthrelease.data.readers.reader import RowFilter
from synthrelease.data.screen import Screen
from synthrelease.data.source import Source
from synthrelease.data.tables import Rows, Table, read_table
from synthrelease.errors import DataError

NS_PER_UNIT = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
_LONGEST_NS = 1e17  # three years: a wrong unit
_REMEDY = (
    "drop the repeated rows; keep the column that distinguishes recordings of one person and stimulus; "
    "or export times with more digits"
)


@dataclass(frozen=True)
class Samples:
    """Samples, recording by recording, each in the order of time; those without a position are there, too."""

    screen: Screen  # with its width and distance in mm
    # person, stimulus, and the columns that are kept, of every recording: a row each, private
    labels: pl.DataFrame
    # number of each sample's recording, a row of `labels`, not decreasing, shape (N,)
    recording: NDArray[np.int64]
    time_ns: NDArray[np.int64]  # since the recording's first sample, shape (N,)
    x_px: NDArray[np.float64]  # across, NaN where there is none or off the screen, shape (N,)
    y_px: NDArray[np.float64]  # down, likewise, shape (N,)
    away: NDArray[np.bool_]  # whether there was a position, and off the screen, shape (N,)
    # NaN where there is none, shape (N,); None if no column of pupils was named
    pupil: NDArray[np.float64] | None
    # of each sample in the source, for error messages, shape (N,)
    place: NDArray[np.int64] = field(repr=False)
    table: Table = field(repr=False)  # the source
    time_column: str  # its name
    people: int  # that have any row in the source, whether or not it counts

    def where(self, sample: int) -> str:
        """Name the place of a sample, without any label, for an error message."""
        return self.table.place(int(self.place[sample]), self.time_column)


def load_samples(
    source: Rows | pl.DataFrame,
    *,
    columns: Mapping[str, str],
    screen: Screen,
    time_unit: str = "ms",
    stimuli: Sequence[str] | None = None,
    missing: Sequence[Code] = (),
    coordinates: Coordinates = PIXELS_FROM_TOP_LEFT,
    off_screen: str = "error",
    pupil: str | None = None,
    keep: Sequence[str] = (),
    row_filter: RowFilter | None = None,
    chosen: ChosenRows = EVERY_ROW,
) -> Samples:
    """Read samples.

    Args:
        source: a file, a folder of files, their rows, or a frame in memory.
        columns: names of the columns `person`, `stimulus`, `x`, `y` and `time`.
        screen: with its width and distance in mm.
        time_unit: of the time stamps: "s", "ms", "us" or "ns".
        stimuli: the public list; rows of other stimuli are dropped. None takes all.
        missing: numbers and texts that mark a missing coordinate or pupil.
        coordinates: what x and y are; pixels from the top left, unless said otherwise.
        off_screen: "error", or "drop" for samples off the screen: they count as missing, and never as a blink.
        pupil: the column of pupils; what is not above 0 is missing, as trackers write it.
        keep: columns of labels that distinguish recordings, and go into the tables.
        row_filter: the rows that are read, of some people; None reads all.
        chosen: which rows count; those without a valid measurement have no position.

    Raises:
        DataError, MachineError: the source cannot be used, with place, kind and remedy.
    """
    if isinstance(source, pl.DataFrame):
        source = Source(Path("frame"), frame=InMemoryFrame.of(source, "frame"))
    read_columns = [*columns.values(), *keep, *([pupil] if pupil else []), *chosen.columns]
    all_rows = read_table(source, read_columns, row_filter=row_filter)
    table, _ = chosen.kept(all_rows)
    group_columns = {
        "person": columns["person"],
        "stimulus": columns["stimulus"],
        **{name: name for name in keep},
    }
    groups = {
        name: labels(table, column, empty_allowed=stimuli is not None and name == "stimulus")
        for name, column in group_columns.items()
    }
    time = numbers(table, columns["time"], codes_allowed=False)
    rows, first = _in_order(table, columns["time"], time, groups, stimuli)
    recording, heads = np.cumsum(first) - 1, rows[first]
    valid = chosen.measured(table, missing=missing)
    x_px, y_px, away = _positions(
        table, columns, screen, coordinates, missing=missing, valid=valid, off_screen=off_screen
    )
    return Samples(
        screen=screen,
        labels=_labels_at(heads, groups),
        recording=recording,
        time_ns=_nanoseconds(table, columns["time"], time[rows] - time[heads][recording], rows, time_unit),
        x_px=x_px[rows],
        y_px=y_px[rows],
        away=away[rows],
        pupil=None if pupil is None else np.where(valid, _pupil(table, pupil, missing), np.nan)[rows],
        place=rows,
        table=table,
        time_column=columns["time"],
        people=len(labels(all_rows, columns["person"])[1]),
    )


_Groups = Mapping[str, tuple[NDArray[np.int64], list[str]]]  # number of each row's label, and the labels


def _labels_at(rows: NDArray[np.int64], groups: _Groups) -> pl.DataFrame:
    texts = {
        name: np.array(names, dtype=object)[numbered[rows]].tolist()
        for name, (numbered, names) in groups.items()
    }
    return pl.DataFrame(texts, schema=dict.fromkeys(groups, pl.String))


def _in_order(
    table: Table,
    column: str,
    time: NDArray[np.float64],
    groups: _Groups,
    stimuli: Sequence[str] | None,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The rows that count, by recording and time, and which of them are the first of their recording."""
    rows = np.arange(len(table.frame))
    if stimuli is not None:
        numbered, names = groups["stimulus"]
        rows = rows[np.array([*(name in stimuli for name in names), False])[numbered]]
    numbers_of = [numbered for numbered, _ in groups.values()]
    order = in_time_order(
        table, column, [numbered[rows] for numbered in numbers_of], time[rows], rows, remedy=_REMEDY
    )
    rows = rows[order]
    first = np.ones(rows.size, dtype=np.bool_)
    first[1:] = np.any([np.diff(numbered[rows]) != 0 for numbered in numbers_of], axis=0)
    return rows, first


def _positions(
    table: Table,
    columns: Mapping[str, str],
    screen: Screen,
    coordinates: Coordinates,
    *,
    missing: Sequence[Code],
    valid: NDArray[np.bool_],
    off_screen: str,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Pixels of every row, NaN where there are none on the screen, and whether there are some off it."""
    x, y = (numbers(table, columns[axis], missing=missing) for axis in ("x", "y"))
    x_px, y_px = coordinates.pixels(x, y, screen)
    has_position = valid & ~(np.isnan(x_px) | np.isnan(y_px))
    away = has_position & ~screen.holds(x_px, y_px)
    if off_screen == "error":
        refuse_off_screen(table, columns, away, screen)
    usable = has_position & ~away
    return np.where(usable, x_px, np.nan), np.where(usable, y_px, np.nan), away


def _nanoseconds(
    table: Table, column: str, time: NDArray[np.float64], rows: NDArray[np.int64], unit: str
) -> NDArray[np.int64]:
    nanoseconds = time * NS_PER_UNIT[unit]
    long = np.flatnonzero(nanoseconds > _LONGEST_NS)
    if long.size:
        raise DataError(
            "bad-time-unit",
            "a recording lasts for years",
            where=table.place(int(rows[long[0]]), column),
            found=f"time stamps taken as {unit}",
            remedy="give their unit: --time-unit",
        )
    return np.rint(nanoseconds).astype(np.int64)


def _pupil(table: Table, column: str, missing: Sequence[Code]) -> NDArray[np.float64]:
    values = numbers(table, column, missing=missing)
    return np.where(values > 0, values, np.nan)
