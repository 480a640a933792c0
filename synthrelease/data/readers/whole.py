"""Formats whose files can only be read whole: what they have in common once a file has become a table."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import polars as pl

from synthrelease.data.readers.opening import opened
from synthrelease.data.readers.parsed import parsed_once
from synthrelease.data.readers.reader import Piece, RowFilter, SingleFile, sliced, with_column
from synthrelease.data.source import Source


class WholeFile(SingleFile, ABC):
    """A format that says how its files become tables; the last table is cached, since it is used several times in turn."""

    name: str
    formats: str
    uses: tuple[str, ...]
    slow = False  # to parse, so that all processes of a command share what one of them has parsed

    @abstractmethod
    def table(self, source: Source) -> pl.DataFrame:
        """Read a file.

        Raises:
            DataError: it cannot be read, or is not what the source says.
        """

    @abstractmethod
    def place(self, source: Source, line: int) -> str:
        """Name row number `line` of the table as the file's own tools would find it."""

    @abstractmethod
    def counts(self, source: Source, column: str) -> bool:
        """Whether the cells of a column are in no file, but counted: places, which depend on what else the file holds."""

    def column_names(self, source: Source) -> list[str]:
        """Return the table's names."""
        return self._kept(source).columns

    def slices(
        self, source: Source, columns: list[str], most_rows: int, row_filter: RowFilter | None = None
    ) -> Iterator[Piece]:
        """Yield the named columns, and the numbers of the rows."""
        frame = self._kept(source).select(with_column(columns, row_filter))
        rows = frame, np.arange(frame.height)
        yield from sliced(rows if row_filter is None else row_filter.chosen(rows, columns), most_rows)

    def _kept(self, source: Source) -> pl.DataFrame:
        with opened(source.path) as file:
            status = os.fstat(file.fileno())
        return _table(self, source, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=1)
def _table(reader: WholeFile, source: Source, size: int, written_ns: int) -> pl.DataFrame:
    # A file of another size or time is another table.
    if not reader.slow:
        return reader.table(source)
    return parsed_once(f"{reader.name} {source} {size} {written_ns}", lambda: reader.table(source))
