"""Apache Parquet."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl

from synthrelease.data.readers.opening import opened
from synthrelease.data.readers.parquet_tags import check_tags
from synthrelease.data.readers.reader import Rows, as_cells
from synthrelease.data.readers.unpacking import STREAMED_TIMES, refuse_unpacked
from synthrelease.data.source import Source
from synthrelease.errors import DataError

_ROW = "synthrelease row"  # no column of anybody's
_MOST_KNOWN = 1 << 12
_KNOWN: set[tuple[Path, int, int]] = set()  # files that were found to be whole


class Parquet:
    """Reader of Parquet files; columns keep the types they have."""

    name = "parquet"
    formats = ".parquet"
    uses: tuple[str, ...] = ()

    def matches(self, path: Path) -> bool:
        """Whether the name ends in .parquet."""
        return path.name.lower().endswith(".parquet")

    def files(self, source: Source) -> list[Path]:
        """Return the file."""
        return [source.path]

    def column_names(self, source: Source) -> list[str]:
        """Return the schema's names."""
        _check(source.path)
        with opened(source.path) as file:
            try:
                return list(pl.read_parquet_schema(file))
            except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
                raise _broken(source.path) from None

    def read(self, source: Source, columns: list[str]) -> Rows:
        """Return the named columns, and the number of each row from 0, as every Parquet tool counts."""
        frame = _collected(source.path, _scan(source.path).select(columns))
        return frame, np.arange(frame.height)

    def most_cells(self, source: Source) -> int:
        """Return the number of cells of all columns."""
        return self.row_count(source) * len(self.column_names(source))

    def row_count(self, source: Source) -> int:
        """Return the number of rows, from the file's own statistics."""
        return int(_collected(source.path, _scan(source.path).select(pl.len())).item())

    def slices(self, source: Source, columns: list[str], most: int) -> Iterator[Rows]:
        """Yield all rows, so many at a time."""
        for start in range(0, self.row_count(source), most):
            frame = _collected(source.path, _scan(source.path).select(columns).slice(start, most))
            yield frame, np.arange(start, start + frame.height)

    def read_where(self, source: Source, columns: list[str], column: str, values: pl.Series) -> Rows:
        """Return the rows whose cell in a column is one of some values; row groups without them are skipped."""
        numbered = pl.scan_parquet(source.path, glob=False, row_index_name=_ROW)
        dtype = _collected(source.path, _scan(source.path).select(column).head(0)).schema[column]
        chosen = numbered.filter(pl.col(column).is_in(as_cells(values, dtype).implode()))
        frame = _collected(source.path, chosen.select([*columns, _ROW]))
        return frame.select(columns), frame[_ROW].to_numpy().astype(np.int64)

    def place(self, source: Source, line: int) -> str:  # noqa: ARG002  as all formats
        """Name a row."""
        return f"row {line}"


def _scan(path: Path) -> pl.LazyFrame:
    return pl.scan_parquet(path, glob=False)


def _collected(path: Path, query: pl.LazyFrame) -> pl.DataFrame:
    _check(path)
    try:
        return query.collect(engine="streaming")
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise _broken(path) from None


def _check(path: Path) -> None:
    """Refuse a file that the library would stumble over; it then maps the file by its name."""
    with opened(path) as file:
        about = os.fstat(file.fileno())
        try:
            _checked(path, file, about.st_size, about.st_mtime_ns)
        except ValueError:
            raise _broken(path) from None


def _checked(path: Path, file: BinaryIO, size: int, written_ns: int) -> None:
    """Walk over a file's tags, once as long as it stays the same."""
    known = (path, size, written_ns)
    if known not in _KNOWN:
        cells = check_tags(file)
        refuse_unpacked(path, packed=size, unpacked=8 * cells, times=STREAMED_TIMES)
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN.add(known)


def _broken(path: Path) -> DataError:
    return DataError(
        "bad-parquet",
        "the file cannot be read as Parquet",
        where=str(path),
        expected="a complete Parquet file",
        remedy="check that the file was copied completely",
    )
