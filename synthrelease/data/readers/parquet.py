"""Apache Parquet."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
import polars as pl

from synthrelease.data.readers.opening import library_faults_as, opened
from synthrelease.data.readers.parquet_pages import (
    MOST_CHUNKS,
    MOST_FOOT_BYTES,
    Chunk,
    TooLargeFootError,
    read_foot,
    unpacked_bytes,
)
from synthrelease.data.readers.reader import Piece, RowFilter, SingleFile, as_cells, sliced
from synthrelease.data.readers.unpacking import STREAMED_TIMES, most_unpacked, refuse_unpacked
from synthrelease.data.source import Source
from synthrelease.errors import DataError

_ROW = "synthrelease row"  # a name that no file has
_BROKEN = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)


class Parquet(SingleFile):
    """Reader of Parquet files; columns keep the types they have."""

    name = "parquet"
    formats = ".parquet"
    endings = (".parquet",)
    uses: tuple[str, ...] = ()

    def column_names(self, source: Source) -> list[str]:
        """Return the schema's names."""
        return list(_size(source.path)[1])

    def slices(
        self, source: Source, columns: list[str], most_rows: int, row_filter: RowFilter | None = None
    ) -> Iterator[Piece]:
        """Yield the named columns, and the number of each row from 0, as every Parquet tool counts; row groups without wanted rows are skipped."""
        path = source.path
        begin, end = 0, _size(path)[0]
        if row_filter is not None:
            if row_filter.stretch is None:
                yield from sliced(_filtered(path, columns, row_filter), most_rows)
                return
            begin, end = row_filter.stretch
        for start in range(begin, end, most_rows):
            frame = _collected(path, columns, _scan(path).slice(start, min(most_rows, end - start)))
            yield frame, np.arange(start, start + frame.height)

    def place(self, source: Source, line: int) -> str:  # noqa: ARG002  as all formats
        """Name a row."""
        return f"row {line}"

    def counts(self, source: Source, column: str) -> bool:  # noqa: ARG002  as all formats
        """Whether cells are places: all are in the file."""
        return False


def _filtered(path: Path, columns: list[str], row_filter: RowFilter) -> Piece:
    numbered = pl.scan_parquet(path, glob=False, row_index_name=_ROW)
    dtype = _collected(path, [row_filter.column], _scan(path).head(0)).schema[row_filter.column]
    selected = numbered.filter(pl.col(row_filter.column).is_in(as_cells(row_filter.values, dtype).implode()))
    _refuse_large(path, frozenset([*columns, row_filter.column]), *_stamp(path))
    frame = _collected(path, [*columns, _ROW], selected)
    return frame.select(columns), frame[_ROW].to_numpy().astype(np.int64)


def _scan(path: Path) -> pl.LazyFrame:
    return pl.scan_parquet(path, glob=False)


def _collected(path: Path, columns: list[str], query: pl.LazyFrame) -> pl.DataFrame:
    _refuse_large(path, frozenset(columns) - {_ROW}, *_stamp(path))
    try:
        frame = query.select(columns).collect(engine="streaming")
        letters = sum(map(_letters, frame))
    except _BROKEN:
        raise _broken(path) from None
    refuse_unpacked(path, packed_bytes=path.stat().st_size, unpacked_bytes=letters, times=STREAMED_TIMES)
    return frame


def _letters(series: pl.Series) -> int:
    """How many bytes the texts of a column have: many cells may share one long text, until it is looked at."""
    if series.dtype == pl.String:
        return int(series.str.len_bytes().sum())
    if series.dtype in (pl.Categorical, pl.Enum):
        counts = series.alias("text").value_counts(name="rows")
        return int((counts["text"].cast(pl.String).str.len_bytes() * counts["rows"].cast(pl.Int64)).sum())
    return 0


def _size(path: Path) -> tuple[int, tuple[str, ...]]:
    """The number of rows and the names of the columns, from the file's foot; the library then maps the file by its name."""
    return _known_size(path, *_stamp(path))


def _stamp(path: Path) -> tuple[int, int]:
    """Size and time of a file: another one differs in one of them."""
    with opened(path) as file:
        status = os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns


@lru_cache(maxsize=1 << 12)
def _known_size(path: Path, size: int, written_ns: int) -> tuple[int, tuple[str, ...]]:
    _chunks(path, size, written_ns)
    try:
        columns = tuple(_scan(path).collect_schema().names())
        rows = int(_scan(path).select(pl.len()).collect().item())
    except _BROKEN:
        raise _broken(path) from None
    refuse_unpacked(path, packed_bytes=size, unpacked_bytes=8 * rows * len(columns), times=STREAMED_TIMES)
    return rows, columns


@lru_cache(maxsize=1)
def _chunks(path: Path, size: int, written_ns: int) -> dict[str, list[Chunk]]:  # noqa: ARG001  of the file's stamp
    with opened(path) as file, library_faults_as(_broken(path)):
        try:
            return read_foot(file)
        except TooLargeFootError:
            raise DataError(
                "too-many-objects",
                "the file holds too many columns, or too many groups of rows",
                where=str(path),
                expected=f"at most {MOST_CHUNKS} columns of groups of rows, and {MOST_FOOT_BYTES >> 20} MiB that describe them",
                remedy="write larger groups of rows (row_group_size=…), or only the columns that a plan names",
            ) from None


@lru_cache(maxsize=1 << 12)
def _refuse_large(path: Path, columns: frozenset[str], size: int, written_ns: int) -> None:
    """Refuse columns that come to more than tables do."""
    foot = _chunks(path, size, written_ns)
    with opened(path) as file, library_faults_as(_broken(path)):
        chunks = [chunk for column in columns for chunk in foot[column]]
        total = unpacked_bytes(file, chunks, most_unpacked(size, STREAMED_TIMES))
    refuse_unpacked(path, packed_bytes=size, unpacked_bytes=total, times=STREAMED_TIMES)


def _broken(path: Path) -> DataError:
    return DataError(
        "bad-parquet",
        "the file cannot be read as Parquet",
        where=str(path),
        expected="a complete Parquet file",
        remedy="check that the file was copied completely",
    )
