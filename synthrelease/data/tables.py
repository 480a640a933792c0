"""Tables: the columns that a plan names, as checked arrays; errors name places and never cells."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.data.one_type import refuse_mixed_types
from synthrelease.data.readers import Piece, Reader, reader_for
from synthrelease.data.readers.reader import ALL_ROWS, RowFilter, refuse_wide, united
from synthrelease.data.source import Source
from synthrelease.errors import DataError

_SMALL_BYTES = 1 << 29  # of a table that is read at once, so that a few long cells fill no memory
IN_THE_PLAN = "compare `columns` in the plan with the names of the file's columns"
_LIKE_DATA = re.compile(
    r"\s*([-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?|n/?a|nan|null|none|[-+]?inf|)\s*", re.IGNORECASE
)


@dataclass(frozen=True)
class Table:
    """Some columns of a source, with the means to name a place in it."""

    source: Source
    frame: pl.DataFrame
    lines: NDArray[np.int64]
    reader: Reader

    def place(self, row: int, column: str) -> str:
        """Name a row and a column for an error message."""
        place = self.reader.place(self.source, int(self.lines[row]))
        return f"{self.source.path}, {place}, column '{column}'"

    def places(self, rows: NDArray[np.int64], column: str, *, beside: str = "") -> str:
        """Name the first of some rows, its column and an optional second column, and say how many more rows there are."""
        more = f" (and {rows.size - 1} more)" if rows.size > 1 else ""
        return self.place(int(rows[0]), column) + (f" or '{beside}'" if beside else "") + more


Rows = Source | Path | Table  # to be read, or read already


def read_table(source: Rows, columns: Sequence[str], *, row_filter: RowFilter | None = None) -> Table:
    """Read the named columns of a source.

    Args:
        source: a file, a folder of files, or rows that were read from one, which have these columns.
        columns: their names.
        row_filter: the rows that are wanted; None wants all.

    Raises:
        DataError: no such file, an unknown or broken format, a missing column, no rows.
        MachineError: the file may not be read.
    """
    if isinstance(source, Table):
        return source
    source = Source.of(source)
    reader = _checked_reader(source, columns)
    return _joined(
        source, reader, list(reader.slices(source, list(dict.fromkeys(columns)), ALL_ROWS, row_filter))
    )


def read_slices(source: Rows, columns: Sequence[str], *, most_rows: int) -> Iterator[Table]:
    """Yield the named columns in tables of at most so many rows.

    Errors as `read_table`.
    """
    if isinstance(source, Table):
        yield source
        return
    source = Source.of(source)
    reader = _checked_reader(source, columns)
    pieces: list[Piece] = []
    rows = 0
    for piece in reader.slices(source, list(dict.fromkeys(columns)), most_rows):
        if pieces and rows + piece[0].height > most_rows:
            yield _joined(source, reader, pieces)
            pieces, rows = [], 0
        pieces.append(piece)
        rows += piece[0].height
    yield _joined(source, reader, pieces)


def read_if_small(source: Source, columns: Sequence[str], *, most_rows: int) -> Table | None:
    """Return the named columns of a source that has at most so many rows, in one pass; None for a larger one.

    Errors as `read_table`.
    """
    reader = _checked_reader(source, columns)
    pieces: list[Piece] = []
    rows = size = 0
    for piece in reader.slices(source, list(dict.fromkeys(columns)), most_rows + 1):
        rows += piece[0].height
        size += int(piece[0].estimated_size())
        if rows > most_rows or size > _SMALL_BYTES:
            return None
        pieces.append(piece)
    return _joined(source, reader, pieces)


def path_of(source: Rows) -> Path:
    """Return where rows are, or were read from, for messages."""
    return Source.of(source.source if isinstance(source, Table) else source).path


def _joined(source: Source, reader: Reader, pieces: Sequence[Piece]) -> Table:
    """Pieces of rows as one table; DataError if there is no row, or a column is not of one type."""
    pieces = [piece for piece in pieces if piece[0].height]
    if not pieces:
        raise _no_rows(source)

    def place(number: int) -> str:
        return f"{source.path}, {reader.place(source, int(pieces[number][1][0]))}"

    for column in pieces[0][0].columns:
        refuse_mixed_types(
            column,
            [frame[column] for frame, _ in pieces],
            place,
            remedy="write it as one type in all files, or read them as inputs of their own, with a `pattern` each",
        )
    if len(pieces) > 1:  # a column without a single cell has any type
        pieces = [(frame.with_columns(untyped(frame)), lines) for frame, lines in pieces]
    return Table(source, *united(pieces), reader)


def untyped(frame: pl.DataFrame) -> list[pl.Expr]:
    """Return the columns without a single cell, as columns of no type."""
    return [pl.lit(None).alias(series.name) for series in frame if series.null_count() == series.len()]


def _no_rows(source: Source) -> DataError:
    folder = source.pattern or source.format or source.path.is_dir()
    subject = "frame has" if source.frame else "files of the folder have" if folder else "file has"
    has_own_names = source.header or source.frame
    return DataError(
        "no-rows",
        f"the {subject} no rows",
        where=str(source.path),
        expected="at least one row" if has_own_names else "at least one row under the header",
        remedy="check whether a filter removed all rows"
        if source.frame
        else "check that the export completed and is the right one",
    )


def refuse_missing_columns(source: Source, columns: Sequence[str], *, remedy: str = IN_THE_PLAN) -> None:
    """Refuse a source that lacks a column; reads only the names of columns.

    Args:
        source: the table.
        columns: that it must have.
        remedy: what to do about a name that is like none of the table's; by default, of names in a plan.

    Raises:
        DataError, MachineError: one is missing, or the source cannot be used.
    """
    _checked_reader(source, columns, remedy=remedy)


def _checked_reader(source: Source, columns: Sequence[str], *, remedy: str = IN_THE_PLAN) -> Reader:
    """The reader of a source that has these columns."""
    reader = reader_for(source)
    present = reader.column_names(source)
    for column in columns:
        if column not in present:
            is_folder = source.pattern and not source.format
            path = reader.files(source)[0] if is_folder else source.path
            raise _missing_column(path, column, present, remedy)
    refuse_wide(source, len(present))
    counts = Counter(present)
    duplicates = [number for number, name in enumerate(present) if counts[name] > 1]
    if duplicates:
        if not source.header and any(_LIKE_DATA.fullmatch(name) for name in present):
            raise _no_header(source.path, "two columns have the same name")
        first = present[duplicates[0]]
        second = present.index(first, duplicates[0] + 1)
        raise DataError(
            "duplicate-column",
            "two columns have the same name",
            where=f"{source.path}, column '{first}'" if first in columns else str(source.path),
            found=f"columns {duplicates[0] + 1} and {second + 1} of {len(present)}",
            expected="different names",
            remedy="rename one in the plan" if source.header else "rename one in the header",
        )
    return reader


def _missing_column(path: Path, column: str, present: Sequence[str], remedy: str) -> DataError:
    # What is called a header may be data: only a name close to the wanted one is repeated.
    names = present[:-1] if present[-1:] == [""] else present  # lines that end with a comma
    if any(_LIKE_DATA.fullmatch(name) for name in names):
        return _no_header(path, f"there is no column '{column}'")
    near = difflib.get_close_matches(column, present, n=1, cutoff=0.5)
    return DataError(
        "unknown-column",
        f"there is no column '{column}'",
        where=str(path),
        found=f"{len(present)} columns with other names",
        remedy=f"did you mean '{near[0]}'?" if near else remedy,
    )


def _no_header(path: Path, problem: str) -> DataError:
    return DataError(
        "no-header",
        problem,
        where=str(path),
        found="numbers or empty cells in the first line, so it seems to be no header",
        remedy='add a header line, or name the columns in the plan: header = ["person", …]',
    )
