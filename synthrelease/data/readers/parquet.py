"""Apache Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.data.readers.opening import opened
from synthrelease.errors import DataError

_ROW = "synthrelease row"  # no column of anybody's


class Parquet:
    """Reader of Parquet files; columns keep the types they have."""

    formats = ".parquet"

    def matches(self, path: Path) -> bool:
        """Whether the name ends in .parquet."""
        return path.name.lower().endswith(".parquet")

    def column_names(self, path: Path, separator: str | None) -> list[str]:  # noqa: ARG002
        """Return the schema's names."""
        with opened(path) as file:
            try:
                return list(pl.read_parquet_schema(file))
            except pl.exceptions.PolarsError:
                raise _broken(path) from None

    def read(
        self,
        path: Path,
        columns: list[str],
        separator: str | None,  # noqa: ARG002
    ) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """Return the named columns, and the number of each row from 0, as every Parquet tool counts."""
        frame = _collected(path, _scan(path).select(columns))
        return frame, np.arange(frame.height)

    def row_count(self, path: Path) -> int:
        """Return the number of rows, from the file's own statistics."""
        return int(_collected(path, _scan(path).select(pl.len())).item())

    def slices(
        self,
        path: Path,
        columns: list[str],
        separator: str | None,  # noqa: ARG002
        most: int,
    ) -> Iterator[tuple[pl.DataFrame, NDArray[np.int64]]]:
        """Yield all rows, so many at a time."""
        for start in range(0, self.row_count(path), most):
            frame = _collected(path, _scan(path).select(columns).slice(start, most))
            yield frame, np.arange(start, start + frame.height)

    def read_where(
        self,
        path: Path,
        columns: list[str],
        separator: str | None,  # noqa: ARG002
        column: str,
        values: pl.Series,
    ) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """Return the rows whose cell in a column is one of some values; row groups without them are skipped."""
        numbered = pl.scan_parquet(path, glob=False, row_index_name=_ROW)
        chosen = numbered.filter(pl.col(column).is_in(values.implode()))
        frame = _collected(path, chosen.select([*columns, _ROW]))
        return frame.select(columns), frame[_ROW].to_numpy().astype(np.int64)

    def place(self, line: int) -> str:
        """Name a row."""
        return f"row {line}"


def _scan(path: Path) -> pl.LazyFrame:
    return pl.scan_parquet(path, glob=False)


def _collected(path: Path, query: pl.LazyFrame) -> pl.DataFrame:
    with opened(path):
        pass  # a clear message if it cannot be; the library then maps the file by its name
    try:
        return query.collect(engine="streaming")
    except (pl.exceptions.PolarsError, OSError):
        raise _broken(path) from None


def _broken(path: Path) -> DataError:
    return DataError(
        "the file cannot be read as Parquet",
        where=str(path),
        expected="a complete Parquet file",
        remedy="check that the file was copied completely",
    )
