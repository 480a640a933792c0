"""Rows that a Python program holds, read as those of a file are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from synthrelease.data.readers.reader import Piece, RowFilter, with_column
from synthrelease.data.readers.whole import WholeFile
from synthrelease.data.source import Source
from synthrelease.errors import DataError


class Frame(WholeFile):
    """Reader of frames in memory; columns keep the types they have, rows are counted from 0, and nothing is written to disk."""

    name = "frame"
    formats = "a frame in memory"
    uses: tuple[str, ...] = ()

    def table(self, source: Source) -> pl.DataFrame:
        """Return the frame."""
        if source.frame is None:
            raise ValueError("Expected a source with a frame, found one of a file")
        return source.frame.frame

    def files(self, source: Source) -> list[Path]:  # noqa: ARG002  as all formats
        """Return no file."""
        return []

    def slices(
        self, source: Source, columns: list[str], most_rows: int, row_filter: RowFilter | None = None
    ) -> Iterator[Piece]:
        """Yield the named columns, and the number of each row.

        Raises:
            DataError: one of them has no plain cells.
        """
        for series in self.table(source).select(with_column(columns, row_filter)):
            if series.dtype == pl.Object or series.dtype.is_nested():
                raise DataError(
                    "not-plain-cells",
                    "the column cannot be used",
                    where=f"{source.path}, column '{series.name}'",
                    found="Python objects, or lists that are no coordinates",
                    expected="text or numbers in every row",
                    remedy="make one column of each thing that a plan names",
                )
        yield from super().slices(source, columns, most_rows, row_filter)

    def place(self, source: Source, line: int) -> str:  # noqa: ARG002  as all formats
        """Name a row."""
        return f"row {line}"

    def counts(self, source: Source, column: str) -> bool:  # noqa: ARG002  as all formats
        """Whether cells are places: all are in the frame."""
        return False

    def _kept(self, source: Source) -> pl.DataFrame:
        return self.table(source)
