"""What a format must be able to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.data.source import Source
from synthrelease.errors import DataError

Piece = tuple[pl.DataFrame, NDArray[np.int64]]  # some columns, and the place of each row
ALL_ROWS = (1 << 32) - 2  # that a frame can have
_MOST_COLUMNS = 10_000  # the widest tables of the field have some hundred


def as_cells(values: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Return those of some cells that a column of a type can hold, in that type: files of a folder may hold a column in several."""
    if values.dtype == dtype or not (values.dtype.is_numeric() and dtype.is_numeric()):
        return values
    cells = values.cast(dtype, strict=False)
    return cells.filter(cells.cast(values.dtype, strict=False) == values)


class RowFilter(NamedTuple):
    """The rows that are wanted: those whose cell in a column is one of some values."""

    column: str
    values: pl.Series
    # if these are all rows of one stretch of a file: the place of the first, and of the one after the last
    stretch: tuple[int, int] | None = None

    def chosen(self, rows: Piece, columns: Sequence[str]) -> Piece:
        """Return some columns of those among some rows."""
        frame, lines = rows
        cells = as_cells(self.values, frame[self.column].dtype).implode()
        selected = frame[self.column].is_in(cells).fill_null(value=False)
        return frame.filter(selected).select(columns), lines[selected.to_numpy()]


def with_column(columns: Sequence[str], row_filter: RowFilter | None) -> list[str]:
    """Return the columns to read for some columns of the rows that are wanted."""
    return list(dict.fromkeys(columns if row_filter is None else [*columns, row_filter.column]))


def united(pieces: Sequence[Piece]) -> Piece:
    """Return pieces as one."""
    if len(pieces) == 1:
        return pieces[0]
    frame = pl.concat((frame for frame, _ in pieces), how="vertical_relaxed")
    return frame, np.concatenate([lines for _, lines in pieces])


def sliced(rows: Piece, most_rows: int) -> Iterator[Piece]:
    """Yield rows, at most so many at a time; of no rows, one piece without any."""
    frame, lines = rows
    for start in range(0, max(1, frame.height), most_rows):
        yield frame.slice(start, most_rows), lines[start : start + most_rows]


class SingleFile:
    """What formats have in common whose rows are in one file."""

    endings: tuple[str, ...] = ()  # of their names, in lower case

    def matches(self, path: Path) -> bool:
        """Whether the name of a file ends like this format."""
        return path.name.lower().endswith(self.endings)

    def files(self, source: Source) -> list[Path]:
        """Return the file."""
        return [source.path]


class Reader(Protocol):
    """A format. It opens files through `opening.opened`, and no message of its errors repeats a cell.

    Attributes:
        name: as `format` in a plan has it.
        formats: what its files are called, in words.
        uses: the keys of an input that say how to read it, of those that not every format has a use for.
    """

    name: str
    formats: str
    uses: tuple[str, ...]

    def matches(self, path: Path) -> bool:
        """Whether a file's name is of this format."""
        ...

    def files(self, source: Source) -> list[Path]:
        """Return all files that rows are in."""
        ...

    def column_names(self, source: Source) -> list[str]:
        """Return the names of all columns, reading nothing else."""
        ...

    def slices(
        self, source: Source, columns: list[str], most_rows: int, row_filter: RowFilter | None = None
    ) -> Iterator[Piece]:
        """Yield the named columns (text, or numbers where the format has types) and the place of each row.

        In the order of rows, at most so many at a time: all of them, or those that are wanted; memory grows with these.
        """
        ...

    def place(self, source: Source, line: int) -> str:
        """Name a place that `slices` yielded as the file's own tools would count it, for an error message."""
        ...

    def counts(self, source: Source, column: str) -> bool:
        """Whether the cells of a column are in no file: the reader counts places, which others have as soon as someone else is taken out of it."""
        ...


def refuse_wide(source: Source, columns: int) -> None:
    """Refuse a table of more columns than are read.

    Raises:
        DataError: it is.
    """
    if columns > _MOST_COLUMNS:
        raise DataError(
            "too-many-columns",
            "the table has too many columns",
            where=str(source.path),
            found=f"{columns} columns",
            expected=f"at most {_MOST_COLUMNS}",
            remedy="check the separator, or leave columns out",
        )
