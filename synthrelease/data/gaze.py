"""Gaze samples or fixations of numbered participants on listed stimuli."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synthrelease.data.arguments import listed, screen_keys
from synthrelease.data.cells import ONLY_LABEL, Code, labels, numbers, renumbered
from synthrelease.data.chosen_rows import EVERY_ROW, ChosenRows
from synthrelease.data.coordinates import PIXELS_FROM_TOP_LEFT, Coordinates
from synthrelease.data.in_memory import InMemoryFrame
from synthrelease.data.losses import Loss, Reason, notes
from synthrelease.data.order import in_time_order
from synthrelease.data.readers.reader import RowFilter
from synthrelease.data.screen import Screen
from synthrelease.data.source import Source
from synthrelease.data.tables import Rows, Table, read_table
from synthrelease.errors import DataError
from synthrelease.numerics.runs import runs

SMALL_PART = "all points lie in the upper left of the screen: check the screen size in the plan"
_ENOUGH_POINTS, _UPPER_LEFT_FRACTION = 500, 0.6  # points; of width and height
STEPS_PER_UNIT, _LONGEST_DURATION = 1_000_000, 1e6
_REMEDY = "remove the repeated rows, or remove `time`: then the order of rows counts"


@dataclass(frozen=True)
class Reach:
    """How far over the screen points reach."""

    points: int = 0  # how many there are
    # the point farthest to the right, or down, as a share of the screen's width, or height
    farthest: float = 0.0

    def joined(self, second: Reach) -> Reach:
        """Return that of the points of both."""
        return Reach(self.points + second.points, max(self.farthest, second.farthest))

    @property
    def notes(self) -> tuple[str, ...]:
        """Say if no point lies in the right or the lower part: the screen may have been smaller than the plan says."""
        return (SMALL_PART,) if self.points >= _ENOUGH_POINTS and self.farthest < _UPPER_LEFT_FRACTION else ()


@dataclass(frozen=True)
class GazeData:
    """Points on the screen; rows of one person and stimulus are in the order they were recorded.

    Attributes:
        screen: the screen.
        stimuli: names of the published stimuli, public.
        people: number of participants in the file, with or without usable rows.
        assigned: who has any row on which stimulus, usable or not, chosen by `only` or not, shape (people, stimuli).
        person: number of each row's person, 0 … people − 1, shape (N,).
        stimulus: number of each row's stimulus, shape (N,).
        x_px: horizontal position, within the screen, shape (N,).
        y_px: vertical position, within the screen, shape (N,).
        time: time stamps, if there is a column of them, shape (N,).
        duration: how long each row counts, in whole steps of a millionth of the column's unit, if there is such a column,
            shape (N,); 0 where it is missing.
        identities: the participants' labels, private.
        losses: what was dropped, for the curator alone.
    """

    screen: Screen
    stimuli: tuple[str, ...]
    people: int
    assigned: NDArray[np.bool_]
    person: NDArray[np.int64]
    stimulus: NDArray[np.int64]
    x_px: NDArray[np.float64]
    y_px: NDArray[np.float64]
    time: NDArray[np.float64] | None = None
    duration: NDArray[np.int64] | None = None
    identities: tuple[str, ...] = ()
    losses: tuple[Loss, ...] = ()

    @property
    def reach(self) -> Reach:
        """How far over the screen the points reach, for the curator alone."""
        if not self.x_px.size:
            return Reach()
        shares = self.x_px.max() / self.screen.width_px, self.y_px.max() / self.screen.height_px
        return Reach(self.x_px.size, float(max(shares)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What was dropped, and what looks like a mistake, in sentences for the curator alone."""
        return (*notes(self.losses), *self.reach.notes)

    @classmethod
    def from_arrays(
        cls,
        *,
        person: ArrayLike,
        stimulus: ArrayLike,
        x_px: ArrayLike,
        y_px: ArrayLike,
        screen: Screen,
        stimuli: Sequence[str],
        time: ArrayLike | None = None,
        duration: ArrayLike | None = None,
        off_screen: str = "error",
    ) -> GazeData:
        """Return gaze of arrays in memory, each of shape (N,), one entry for every row; checked as a file is.

        Args:
            person: labels of participants, text or whole numbers, each a person's own, no place in an array and no rank among others.
            stimulus: labels of stimuli.
            x_px: horizontal position in pixels, NaN where missing.
            y_px: vertical position in pixels, downwards, NaN where missing.
            screen: where 0 ≤ x ≤ width and 0 ≤ y ≤ height.
            stimuli: the public list; rows of others are dropped.
            time: time stamps, in any unit; without them rows count in their order.
            duration: how long each row counts, in any unit, NaN where missing.
            off_screen: "error", or "drop" for rows that lie off the screen.

        Raises:
            DataError: the arrays cannot be used, with place, kind and remedy.
            ArgumentError: the screen is none, or the stimuli are no list.

        Example:
            >>> gaze = GazeData.from_arrays(
            ...     person=["a", "a", "b"],
            ...     stimulus=["1", "1", "1"],
            ...     x_px=[10.0, 20.0, 70.5],
            ...     y_px=[5.0, 6.0, float("nan")],
            ...     screen=Screen(80, 60),
            ...     stimuli=["1"],
            ... )
            >>> gaze.people, gaze.x_px.tolist(), gaze.notes
            (2, [10.0, 20.0], ('1 of 3 rows have no position and were dropped',))
        """
        arrays = {"person": person, "stimulus": stimulus, "x": x_px, "y": y_px}
        arrays |= {} if time is None else {"time": time}
        arrays |= {} if duration is None else {"duration": duration}
        where = "GazeData.from_arrays()"
        names = listed(stimuli, f"{where}.stimuli", example='stimuli=["1001.jpg"]')
        frame = InMemoryFrame.of_arrays(arrays, "arrays")
        return load_gaze(
            Source(Path(frame.name), frame=frame),
            columns={role: role for role in arrays},
            screen=Screen(**screen_keys(screen, f"{where}.screen")),
            stimuli=names,
            off_screen=off_screen,
        )


def load_gaze(
    source: Rows,
    *,
    columns: Mapping[str, str],
    screen: Screen,
    stimuli: Sequence[str] | None = None,
    missing: Sequence[Code] = (),
    coordinates: Coordinates = PIXELS_FROM_TOP_LEFT,
    off_screen: str = "error",
    row_filter: RowFilter | None = None,
    chosen: ChosenRows = EVERY_ROW,
) -> GazeData:
    """Read gaze data.

    Args:
        source: a file, a folder of files, or their rows.
        columns: names of the columns `person`, `x`, `y` and optionally `stimulus`, `time`, `duration`.
        screen: where 0 ≤ x ≤ width and 0 ≤ y ≤ height.
        stimuli: the public list; rows of other stimuli, and of none, are dropped. None takes the list from the data.
        missing: numbers and texts that mark a missing coordinate; such rows, and rows with an empty one, are dropped.
        coordinates: what x and y are; pixels from the top left, unless said otherwise.
        off_screen: "error", or "drop" for rows that lie off the screen.
        row_filter: the rows that are read, of some participants; None reads all.
        chosen: which rows count; those without a valid measurement are dropped.

    Raises:
        DataError, MachineError: the file cannot be used, with place, kind and remedy.
    """
    names = [*columns.values(), *chosen.columns]
    all_rows = read_table(source, names, row_filter=row_filter)
    person_of_row, identities = labels(all_rows, columns["person"])
    table, kept_rows = chosen.kept(all_rows)
    shown, published = _stimuli(all_rows, table, columns.get("stimulus"), stimuli)
    person, stimulus = person_of_row[kept_rows], shown[kept_rows]
    x, y = (numbers(table, columns[axis], missing=missing) for axis in ("x", "y"))
    x_px, y_px = coordinates.pixels(x, y, screen)

    valid = chosen.measured(table, missing=missing)
    has_position = valid & ~(np.isnan(x_px) | np.isnan(y_px))
    on_screen = screen.holds(x_px, y_px)
    if off_screen == "error":
        refuse_off_screen(table, columns, has_position & ~on_screen, screen)
    rows = np.flatnonzero(has_position & on_screen & (stimulus >= 0))
    time = None
    if "time" in columns:
        time = numbers(table, columns["time"], codes_allowed=False)
        groups = (person[rows], stimulus[rows])
        rows = rows[in_time_order(table, columns["time"], groups, time[rows], rows, remedy=_REMEDY)]
        time = time[rows]
    # Where all rows count, in their order, they are not copied.
    keep = rows if time is not None or rows.size < x_px.size else slice(None)
    duration = _durations(table, columns["duration"], missing)[keep] if "duration" in columns else None
    return GazeData(
        screen=screen,
        stimuli=published,
        people=len(identities),
        assigned=_assignment(person_of_row, shown, (len(identities), len(published))),
        person=person[keep],
        stimulus=stimulus[keep],
        x_px=x_px[keep],
        y_px=y_px[keep],
        time=time,
        duration=duration,
        identities=tuple(identities),
        losses=_losses(person_of_row.size, valid, has_position, on_screen, stimulus >= 0),
    )


def _stimuli(
    all_rows: Table, counted: Table, column: str | None, listed: Sequence[str] | None
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """The number of every row's stimulus, −1 where that is not published, and the published stimuli; without a column all rows are of one."""
    if column is None:
        return np.zeros(all_rows.frame.height, dtype=np.int64), (ONLY_LABEL,)
    if listed is None:
        labels(counted, column)  # rows that count must have one
    shown, names = labels(all_rows, column, empty_allowed=True)
    published = tuple(names if listed is None else listed)
    return renumbered(shown, names, published), published


def _assignment(
    person: NDArray[np.int64], stimulus: NDArray[np.int64], shape: tuple[int, int]
) -> NDArray[np.bool_]:
    """Who has any row of which published stimulus, shape (people, stimuli)."""
    assigned = np.zeros(shape, dtype=np.bool_)
    first, _ = runs(person * (shape[1] + 1) + stimulus)
    published = first[stimulus[first] >= 0]
    assigned[person[published], stimulus[published]] = True
    return assigned


def refuse_off_screen(
    table: Table, columns: Mapping[str, str], outside: NDArray[np.bool_], screen: Screen
) -> None:
    """Refuse a table of which a row lies off the screen.

    Args:
        table: the rows.
        columns: names of the columns `x` and `y`.
        outside: whether a row does, shape (N,).
        screen: for the message.

    Raises:
        DataError: one does.
    """
    rows = np.flatnonzero(outside)
    if rows.size:
        raise DataError(
            "point-off-screen",
            "a point lies off the screen",
            where=table.places(rows, columns["x"], beside=columns["y"]),
            expected=f"x from 0 to {screen.width_px} px, y from 0 to {screen.height_px} px",
            remedy='correct `screen`, `coordinates` or `origin`, add a missing code, or drop such rows: off_screen = "drop"',
        )


def _durations(table: Table, column: str, missing: Sequence[Code]) -> NDArray[np.int64]:
    """Durations in whole steps, 0 where missing."""
    values = numbers(table, column, missing=missing)
    invalid = np.flatnonzero((values < 0) | (values >= _LONGEST_DURATION))
    if invalid.size:
        raise DataError(
            "bad-duration",
            "a duration is not possible",
            where=table.places(invalid, column),
            expected=f"0 to {_LONGEST_DURATION:g}, in any unit",
            remedy="correct the cell, or add the code to `missing`",
        )
    return np.rint(np.nan_to_num(values) * STEPS_PER_UNIT).astype(np.int64)


def _losses(
    rows: int,
    valid: NDArray[np.bool_],
    has_position: NDArray[np.bool_],
    on_screen: NDArray[np.bool_],
    listed: NDArray[np.bool_],
) -> tuple[Loss, ...]:
    chosen = has_position.size
    left_out = Loss(rows - chosen, rows, "are not selected by `only` in the plan", Reason.CHOSEN)
    counts = (
        (int((~valid).sum()), "are not `valid` and were dropped", Reason.DROPPED),
        (int((valid & ~has_position).sum()), "have no position and were dropped", Reason.DROPPED),
        (int((has_position & ~on_screen).sum()), "lie off the screen and were dropped", Reason.DROPPED),
        (
            int((~listed).sum()),
            "belong to stimuli that the plan does not list and were dropped",
            Reason.CHOSEN,
        ),
    )
    return (left_out, *(Loss(count, chosen, what, reason) for count, what, reason in counts))
