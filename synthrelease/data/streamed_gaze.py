"""Gaze data larger than memory: the same as `Gaze`, in parts that each hold some people whole.

Bounding a person's contribution takes all of their rows at once, so a part is a set of people, not a stretch of the file.
A file that is sorted by person is read once in all; any other once for every part, each time keeping only its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from synthrelease.data.gaze import Gaze, load_gaze
from synthrelease.data.screen import Screen
from synthrelease.data.tables import label_texts, read_slices, row_count

Progress = Callable[[int, int], None]
PART_ROWS = 1 << 22  # about 0.7 GiB while a part is read


@dataclass(frozen=True)
class StreamedGaze:
    """Gaze data on disk.

    Attributes:
        screen: the screen.
        stimuli: names of the published stimuli, public.
        people: number of people in the file.
        cells: of each part, the cells of the column of people that stand for its people.
        load: (cells) → those people's data.
        progress: called with (part, parts) before each is read.
        told: what was dropped, part by part, for the curator alone; complete once all parts have been read.
    """

    screen: Screen
    stimuli: tuple[str, ...]
    people: int
    cells: tuple[pl.Series, ...]
    load: Callable[[pl.Series], Gaze]
    progress: Progress
    told: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def parts(self) -> Iterator[Gaze]:
        """Yield the data of some people after the other's."""
        for number, cells in enumerate(self.cells):
            self.progress(number, len(self.cells))
            part = self.load(cells)
            self.told[number] = part.notes
            yield part

    @property
    def notes(self) -> tuple[str, ...]:
        """What was dropped in the parts that have been read."""
        return tuple(
            f"part {number + 1} of {len(self.cells)}: {note}"
            for number, notes in self.told.items()
            for note in notes
        )


def open_gaze(
    path: Path,
    *,
    columns: Mapping[str, str],
    screen: Screen,
    most_rows: int = PART_ROWS,
    progress: Progress = lambda _part, _parts: None,
    **options: Any,
) -> Gaze | StreamedGaze:
    """Return gaze data: in memory if the file is small or of a format that is read as a whole, else in parts.

    Args:
        path: the file.
        columns: as for `load_gaze`.
        screen: likewise.
        most_rows: rows of a part; one person alone may have more.
        progress: called with (part, parts) before each part is read.
        options: of `load_gaze`; `stimuli` is needed for data in parts, which do not know each other's.

    Raises:
        DataError, MachineError: the file cannot be used.
    """
    rows = row_count(path)
    if rows is None or rows <= most_rows:
        return load_gaze(path, columns=columns, screen=screen, **options)
    cells = _people_in_parts(path, columns["person"], most_rows)
    people = len({text for part in cells for text in label_texts(part)})
    load = partial(_load, path=path, columns=columns, screen=screen, options=options)
    return StreamedGaze(screen, tuple(options["stimuli"]), people, cells, load, progress)


def _load(
    people: pl.Series, *, path: Path, columns: Mapping[str, str], screen: Screen, options: Mapping[str, Any]
) -> Gaze:
    return load_gaze(path, columns=columns, screen=screen, people=people, **options)


def _people_in_parts(path: Path, column: str, most_rows: int) -> tuple[pl.Series, ...]:
    """The distinct cells of a column of people, in parts that stand for at most so many rows.

    Cells that are written differently and mean one person stay together.
    """
    counted = pl.concat(
        table.frame.group_by(column, maintain_order=True).len()
        for table in read_slices(path, [column], most=most_rows)
    )
    cells = counted.group_by(column, maintain_order=True).agg(pl.col("len").sum())
    person = label_texts(cells[column]).alias("person")
    rows_of = cells.with_columns(person).group_by("person", maintain_order=True).agg(pl.col("len").sum())
    part, filled, part_of = 0, 0, {}
    for name, rows in rows_of.iter_rows():
        if filled and filled + rows > most_rows:
            part, filled = part + 1, 0
        part_of[name] = part
        filled += rows
    number = pl.Series([part_of[name] for name in person.to_list()])
    return tuple(cells[column].filter(number == p) for p in range(part + 1))
