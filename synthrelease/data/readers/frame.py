"""Rows that a Python program holds, read as those of a file are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from synthrelease.data.held import Held
from synthrelease.data.readers.reader import Rows
from synthrelease.data.source import Source
from synthrelease.errors import DataError


class Frame:
    """Reader of frames in memory; columns keep the types they have, and nothing is written to disk."""

    name = "frame"
    formats = "a frame in memory"
    uses: tuple[str, ...] = ()

    def matches(self, path: Path) -> bool:  # noqa: ARG002  as all formats
        """No file is one."""
        return False

    def files(self, source: Source) -> list[Path]:  # noqa: ARG002  as all formats
        """Return no file."""
        return []

    def column_names(self, source: Source) -> list[str]:
        """Return the frame's names."""
        return _held(source).frame.columns

    def read(self, source: Source, columns: list[str]) -> Rows:
        """Return the named columns, and the number of each row from 0, as Python counts."""
        frame = _chosen(source, columns)
        return frame, np.arange(frame.height)

    def most_cells(self, source: Source) -> int:
        """Return the number of cells of all columns."""
        frame = _held(source).frame
        return frame.height * frame.width

    def row_count(self, source: Source) -> int:
        """Return the number of rows."""
        return _held(source).frame.height

    def slices(self, source: Source, columns: list[str], most: int) -> Iterator[Rows]:
        """Yield all rows, so many at a time; none is copied."""
        frame, rows = self.read(source, columns)
        for start in range(0, frame.height, most):
            yield frame.slice(start, most), rows[start : start + most]

    def read_where(self, source: Source, columns: list[str], column: str, values: pl.Series) -> Rows:
        """Return the rows whose cell in a column is one of some values."""
        wanted = _chosen(source, [column])[column].is_in(values.implode()).fill_null(value=False)
        return _chosen(source, columns).filter(wanted), np.flatnonzero(wanted.to_numpy())

    def place(self, source: Source, line: int) -> str:  # noqa: ARG002  as all formats
        """Name a row."""
        return f"row {line}"


def _held(source: Source) -> Held:
    if source.frame is None:
        raise ValueError("Expected a source with a frame, found one of a file")
    return source.frame


def _chosen(source: Source, columns: list[str]) -> pl.DataFrame:
    frame = _held(source).frame.select(columns)
    for series in frame:
        if series.dtype == pl.Object or series.dtype.is_nested():
            raise DataError(
                "not-plain-cells",
                "the column cannot be used",
                where=f"{source.path}, column '{series.name}'",
                found="Python objects, or lists that are no coordinates",
                expected="text or numbers in every row",
                remedy="make one column of each thing that a plan names",
            )
    return frame
