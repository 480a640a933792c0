"""Apache Parquet."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from synthrelease.errors import DataError


class Parquet:
    """Reader of Parquet files; columns keep the types they have."""

    formats = ".parquet"

    def matches(self, path: Path) -> bool:
        """Whether the name ends in .parquet."""
        return path.name.lower().endswith(".parquet")

    def column_names(self, path: Path, separator: str | None) -> list[str]:  # noqa: ARG002
        """Return the schema's names."""
        try:
            return list(pl.read_parquet_schema(path))
        except (pl.exceptions.PolarsError, OSError):
            raise _broken(path) from None

    def read(self, path: Path, columns: list[str], separator: str | None) -> pl.DataFrame:  # noqa: ARG002
        """Return the named columns."""
        try:
            return pl.read_parquet(path, columns=columns).select(columns)
        except (pl.exceptions.PolarsError, OSError):
            raise _broken(path) from None

    def line(self, row: int) -> str:
        """Rows are counted from 0, as every Parquet tool does."""
        return f"row {row}"


def _broken(path: Path) -> DataError:
    return DataError(
        "the file cannot be read as Parquet",
        where=str(path),
        expected="a complete Parquet file",
        remedy="check that the file was copied completely",
    )
