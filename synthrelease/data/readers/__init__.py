"""One file per format, and the registry that finds the right one by the file's name.

A reader is an object with `matches(path)`, `column_names(path, separator)`, `read(path, columns, separator)`
and `place(line)`, the name of a row's place as its file's own tools would count it. For tables larger than memory it
has `row_count(path)`, `slices` and `read_where`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.data.readers import delimited, parquet
from synthrelease.errors import DataError


class Reader(Protocol):
    """What a format must be able to do."""

    formats: str

    def matches(self, path: Path) -> bool:
        """Whether the file's name is of this format."""
        ...

    def column_names(self, path: Path, separator: str | None) -> list[str]:
        """Return the names of all columns, reading nothing else."""
        ...

    def read(
        self, path: Path, columns: list[str], separator: str | None
    ) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """Return the named columns (text, or numbers where the format has types) and the place of each row."""
        ...

    def place(self, line: int) -> str:
        """Name a place that `read` returned, for an error message."""
        ...

    def row_count(self, path: Path) -> int | None:
        """Return about how many rows there are, reading no cell; None if they certainly fit into memory."""
        ...

    def slices(
        self, path: Path, columns: list[str], separator: str | None, most: int
    ) -> Iterator[tuple[pl.DataFrame, NDArray[np.int64]]]:
        """Yield all rows in their order, at most so many at a time, as `read` does."""
        ...

    def read_where(
        self, path: Path, columns: list[str], separator: str | None, column: str, values: pl.Series
    ) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """Return the rows whose cell in a column is one of some values, as `read` does; memory grows with those rows."""
        ...


READERS: tuple[Reader, ...] = (delimited.Delimited(), parquet.Parquet())


def reader_for(path: Path) -> Reader:
    """Return the reader of a file's format; DataError if there is none."""
    for reader in READERS:
        if reader.matches(path):
            return reader
    raise DataError(
        "no reader for this kind of file",
        where=str(path),
        found=f"a name ending in '{''.join(path.suffixes[-2:])}'",
        expected="; ".join(reader.formats for reader in READERS),
    )
