"""What a format must be able to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.data.source import Source

Rows = tuple[pl.DataFrame, NDArray[np.int64]]  # some columns, and the place of each row


def as_cells(values: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Return those of some cells that a column of a type can hold, in that type: files of a folder may hold a column in several."""
    if values.dtype == dtype or not (values.dtype.is_numeric() and dtype.is_numeric()):
        return values
    cells = values.cast(dtype, strict=False)
    return cells.filter(cells.cast(values.dtype, strict=False) == values)


def joined(pieces: Sequence[Rows]) -> Rows:
    """Return pieces of rows as one."""
    if len(pieces) == 1:
        return pieces[0]
    return pl.concat(frame for frame, _ in pieces), np.concatenate([lines for _, lines in pieces])


def chosen_rows(pieces: Iterable[Rows], columns: list[str], column: str, values: pl.Series) -> Rows:
    """Return some columns of the rows whose cell in a column is one of some values."""
    chosen = []
    for frame, lines in pieces:
        cells = as_cells(values, frame[column].dtype).implode()
        wanted = frame[column].is_in(cells).fill_null(value=False)
        chosen.append((frame.filter(wanted).select(columns), lines[wanted.to_numpy()]))
    return joined(chosen)


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

    def read(self, source: Source, columns: list[str]) -> Rows:
        """Return the named columns (text, or numbers where the format has types) and the place of each row."""
        ...

    def place(self, source: Source, line: int) -> str:
        """Name a place that `read` returned as the file's own tools would count it, for an error message."""
        ...

    def most_cells(self, source: Source) -> int:
        """Return how many cells there can be at most, from what the file system or the file's own head says."""
        ...

    def row_count(self, source: Source) -> int:
        """Return about how many rows there are, reading no cell."""
        ...

    def slices(self, source: Source, columns: list[str], most: int) -> Iterator[Rows]:
        """Yield all rows in their order, at most so many at a time, as `read` does."""
        ...

    def read_where(self, source: Source, columns: list[str], column: str, values: pl.Series) -> Rows:
        """Return the rows whose cell in a column is one of some values, as `read` does; memory grows with those rows."""
        ...
