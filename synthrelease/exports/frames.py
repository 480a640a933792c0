"""Tables of a release as frames of pandas, made without pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from synthrelease.exports.arrays import missing_library
from synthrelease.exports.table import Column, ExportTable, OutputSource
from synthrelease.exports.tables import tables_of_output
from synthrelease.reports.file_names import FileNames

if TYPE_CHECKING:
    import pandas as pd


def frames_of(source: OutputSource) -> pd.DataFrame | dict[str, pd.DataFrame]:
    """Return an output's table, or its tables by name: `ReadableBundle.to_pandas`."""
    try:
        import pandas  # noqa: F401, ICN001, PLC0415  an extra; asked for before anything is read
    except ImportError:
        raise missing_library("pandas") from None
    frames = {table.name: _frame(table, source) for table in tables_of_output(source, FileNames())}
    return next(iter(frames.values())) if len(frames) == 1 else frames


def _frame(table: ExportTable, source: OutputSource) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415  an extra

    frame = pd.DataFrame({column.name: _cells(column, table.frame[column.name]) for column in table.columns})
    attrs = {
        **source.about,
        "title": table.title,
        "description": table.description,
        "guarantee": table.guarantee,
        "units": {column.name: column.unit for column in table.columns if column.unit},
        "columns": {column.name: column.description for column in table.columns},
    }
    frame.attrs = dict(attrs.items())  # in pandas' types, keys need not be texts
    return frame


def _cells(column: Column, values: pl.Series) -> Any:
    import pandas as pd  # noqa: PLC0415  an extra

    if column.labels:
        labels = list(dict.fromkeys(column.labels))
        numbers = values.replace_strict(labels, range(len(labels)), default=-1, return_dtype=pl.Int32)
        return pd.Categorical.from_codes(numbers.fill_null(-1).to_numpy(), categories=pd.Index(labels))
    if column.kind == "string":
        return values.to_list()
    if column.kind == "integer" and column.missing:
        return pd.arrays.IntegerArray(
            values.fill_null(0).to_numpy().copy(), values.is_null().to_numpy().copy()
        )
    return values.to_numpy().copy()  # what is missing is NaN, and nothing of polars is held on to
