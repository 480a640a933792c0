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
from synthrelease.data.readers.reader import Piece, Where, sliced, with_column
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

    def slices(
        self, source: Source, columns: list[str], most: int, where: Where | None = None
    ) -> Iterator[Piece]:
        """Yield the named columns, and the numbers of the rows."""
        frame = self._kept(source).select(with_column(columns, where))
        rows = frame, np.arange(frame.height)
        yield from sliced(rows if where is None else where.chosen(rows, columns), most)

    def _kept(self, source: Source) -> pl.DataFrame:
        with opened(source.path) as file:
            about = os.fstat(file.fileno())
        return _table(self, source, about.st_size, about.st_mtime_ns)


@lru_cache(maxsize=1)
def _table(reader: Whole, source: Source, size: int, written_ns: int) -> pl.DataFrame:  # noqa: ARG001  another file is another table
    return reader.table(source)
