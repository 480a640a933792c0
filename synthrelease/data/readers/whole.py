"""Formats whose files can only be read whole: what they have in common once a file has become a table."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
import polars as pl

from synthrelease.data.readers.opening import opened
from synthrelease.data.readers.reader import Rows, chosen_rows
from synthrelease.data.source import Source


class Whole(ABC):
    """A format that says how its files become tables; the last one is kept, since several things are asked of it in turn.

    Attributes:
        name: as `format` in a plan has it.
        formats: what its files are called, in words.
        endings: of their names, in lower case.
        uses: the keys of an input that say how to read it.
    """

    name: str
    formats: str
    uses: tuple[str, ...]
    endings: tuple[str, ...] = ()

    @abstractmethod
    def table(self, source: Source) -> pl.DataFrame:
        """Read a file.

        Raises:
            DataError: it cannot be read, or is not what the source says.
        """

    @abstractmethod
    def place(self, source: Source, line: int) -> str:
        """Name row number `line` of the table as the file's own tools would find it."""

    def matches(self, path: Path) -> bool:
        """Whether a file's name is of this format."""
        return bool(self.endings) and path.name.lower().endswith(self.endings)

    def files(self, source: Source) -> list[Path]:
        """Return the file."""
        return [source.path]

    def column_names(self, source: Source) -> list[str]:
        """Return the table's names."""
        return self._kept(source).columns

    def read(self, source: Source, columns: list[str]) -> Rows:
        """Return the named columns, and the numbers of the rows."""
        frame = self._kept(source).select(columns)
        return frame, np.arange(frame.height)

    def most_cells(self, source: Source) -> int:
        """Return how many there are."""
        frame = self._kept(source)
        return frame.height * frame.width

    def row_count(self, source: Source) -> int:
        """Return how many there are."""
        return self._kept(source).height

    def slices(self, source: Source, columns: list[str], most: int) -> Iterator[Rows]:
        """Yield all rows, so many at a time."""
        frame, lines = self.read(source, columns)
        for start in range(0, frame.height, most):
            yield frame.slice(start, most), lines[start : start + most]

    def read_where(self, source: Source, columns: list[str], column: str, values: pl.Series) -> Rows:
        """Return the rows whose cell in a column is one of some values."""
        rows = self.read(source, list(dict.fromkeys([*columns, column])))
        return chosen_rows([rows], columns, column, values)

    def _kept(self, source: Source) -> pl.DataFrame:
        with opened(source.path) as file:
            about = os.fstat(file.fileno())
        return _table(self, source, about.st_size, about.st_mtime_ns)


@lru_cache(maxsize=1)
def _table(reader: Whole, source: Source, size: int, written_ns: int) -> pl.DataFrame:  # noqa: ARG001  another file is another table
    return reader.table(source)
