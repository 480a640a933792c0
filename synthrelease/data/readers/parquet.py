"""Apache Parquet."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
import polars as pl

from synthrelease.data.readers.opening import library_faults_as, opened
from synthrelease.data.readers.parquet_pages import unpacked_bytes
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
            frame = _collected(path, _scan(path).select(columns).slice(start, min(most_rows, end - start)))
            yield frame, np.arange(start, start + frame.height)

    def place(self, source: Source, line: int) -> str:  # noqa: ARG002  as all formats
        """Name a row."""
        return f"row {line}"

    def counts(self, source: Source, column: str) -> bool:  # noqa: ARG002  as all formats
        """Whether cells are places: all are in the file."""
        return False


def _filtered(path: Path, columns: list[str], row_filter: RowFilter) -> Piece:
    numbered = pl.scan_parquet(path, glob=False, row_index_name=_ROW)
    dtype = _collected(path, _scan(path).select(row_filter.column).head(0)).schema[row_filter.column]
    selected = numbered.filter(pl.col(row_filter.column).is_in(as_cells(row_filter.values, dtype).implode()))
    frame = _collected(path, selected.select([*columns, _ROW]))
    return frame.select(columns), frame[_ROW].to_numpy().astype(np.int64)


def _scan(path: Path) -> pl.LazyFrame:
    return pl.scan_parquet(path, glob=False)


def _collected(path: Path, query: pl.LazyFrame) -> pl.DataFrame:
    _size(path)
    try:
        frame = query.collect(engine="streaming")
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
    with opened(path) as file:
        status = os.fstat(file.fileno())
    return _known_size(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=1 << 12)
def _known_size(path: Path, size: int, written_ns: int) -> tuple[int, tuple[str, ...]]:  # noqa: ARG001  another file has another size
    with opened(path) as file, library_faults_as(_broken(path)):
        total = unpacked_bytes(file, most_unpacked(size, STREAMED_TIMES))
    refuse_unpacked(path, packed_bytes=size, unpacked_bytes=total, times=STREAMED_TIMES)
    try:
        columns = tuple(_scan(path).collect_schema().names())
        rows = int(_scan(path).select(pl.len()).collect().item())
    except _BROKEN:
        raise _broken(path) from None
    refuse_unpacked(path, packed_bytes=size, unpacked_bytes=8 * rows * len(columns), times=STREAMED_TIMES)
    return rows, columns


def _broken(path: Path) -> DataError:
    return DataError(
        "bad-parquet",
        "the file cannot be read as Parquet",
        where=str(path),
        expected="a complete Parquet file",
        remedy="check that the file was copied completely",
    )
