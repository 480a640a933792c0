"""Apache Parquet."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.data.readers.opening import opened
from synthrelease.errors import DataError


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
        with opened(path):
            pass  # a clear message if it cannot be; the library then maps the file by its name
        try:
            frame = pl.read_parquet(path, columns=columns, glob=False).select(columns)
        except (pl.exceptions.PolarsError, OSError):
            raise _broken(path) from None
        return frame, np.arange(frame.height)

    def place(self, line: int) -> str:
        """Name a row."""
        return f"row {line}"


def _broken(path: Path) -> DataError:
    return DataError(
        "the file cannot be read as Parquet",
        where=str(path),
        expected="a complete Parquet file",
        remedy="check that the file was copied completely",
    )
