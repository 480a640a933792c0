"""Tables: the columns a plan names, as checked arrays; errors that name places and never cells."""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.data.readers import Reader, reader_for
from synthrelease.errors import DataError, MachineError


@dataclass(frozen=True)
class Table:
    """Some columns of a file, with the means to name a place in it."""

    path: Path
    frame: pl.DataFrame
    reader: Reader

    def place(self, row: int, column: str) -> str:
        """Name a row and a column for an error message."""
        return f"{self.path}, {self.reader.line(row)}, column '{column}'"


def read_table(path: Path, columns: Sequence[str], *, separator: str | None = None) -> Table:
    """Read the named columns of a file.

    Raises:
        DataError: no such file, a directory, an unknown or broken format, a missing column, no rows.
        MachineError: the file may not be read.
    """
    reader = _openable(path)
    present = reader.column_names(path, separator)
    for column in columns:
        if column not in present:
            raise _missing_column(path, column, present)
    frame = reader.read(path, list(dict.fromkeys(columns)), separator)
    if frame.is_empty():
        raise DataError("the file has no rows", where=str(path), expected="at least one row under the header")
    return Table(path, frame, reader)


def labels(table: Table, column: str) -> tuple[NDArray[np.int64], list[str]]:
    """Return each row's label as a number, and the distinct labels in natural order.

    A label is the text of its own cell, without surrounding blanks; a whole number in a column of floats is
    written as an integer. No other cell has a say in it.

    Raises:
        DataError: a cell is empty.
    """
    series = table.frame[column]
    text = series.cast(pl.String).str.strip_chars()
    if series.dtype.is_float():
        text = text.str.strip_suffix(".0")
    empty = text.is_null() | (text == "")
    if empty.any():
        raise DataError(
            "a label is missing",
            where=table.place(int(empty.arg_true()[0]), column),
            found="an empty cell",
            expected="a label in every row",
            remedy="drop these rows, or complete them, before the release",
        )
    names = sorted(text.unique().to_list(), key=_natural)
    numbers = text.replace_strict(names, list(range(len(names))), return_dtype=pl.Int64)
    return numbers.to_numpy(), names


def numbers(table: Table, column: str, *, missing: Sequence[float] = ()) -> NDArray[np.float64]:
    """Return a column of numbers, NaN where the cell is empty or holds a declared missing code.

    Raises:
        DataError: a cell is no number, or NaN or infinite without being declared missing.
    """
    series = table.frame[column]
    if series.dtype == pl.String:
        series = series.str.strip_chars()
        series = series.set(series == "", None)
        cast = series.cast(pl.Float64, strict=False)
        _refuse(
            table,
            column,
            (cast.is_null() & series.is_not_null()).to_numpy(),
            found="text",
            expected="a number",
        )
    elif series.dtype.is_numeric():
        cast = series.cast(pl.Float64)
    else:
        raise DataError(
            "the column does not hold numbers",
            where=f"{table.path}, column '{column}'",
            found=f"the type {series.dtype}",
            expected="integers or floating-point numbers",
        )
    empty = cast.is_null().to_numpy()
    values = cast.fill_null(math.nan).to_numpy().astype(np.float64)
    coded = np.isin(values, [code for code in missing if not math.isnan(code)])
    if not any(math.isnan(code) for code in missing):
        _refuse(
            table,
            column,
            np.isnan(values) & ~empty,
            found="NaN",
            expected="a number, or an empty cell if missing",
            code="nan",
        )
    _refuse(
        table,
        column,
        np.isinf(values) & ~coded,
        found="an infinite number",
        expected="a finite number",
        code="inf",
    )
    return np.where(coded, math.nan, values)


def _missing_column(path: Path, column: str, present: Sequence[str]) -> DataError:
    # The first line of a file without header is data: only a name close to the wanted one is repeated.
    if any(_natural(name)[0] == 0 for name in present):
        found = "a first line that holds numbers: the file seems to have no header"
        return DataError(
            f"there is no column '{column}'", where=str(path), found=found, remedy="add a header line"
        )
    near = difflib.get_close_matches(column, present, n=1, cutoff=0.5)
    return DataError(
        f"there is no column '{column}'",
        where=str(path),
        found=f"{len(present)} columns of other names",
        remedy=f"did you mean '{near[0]}'?" if near else "correct the name under the input's `columns`",
    )


def _refuse(
    table: Table, column: str, bad: NDArray[np.bool_], *, found: str, expected: str, code: str = ""
) -> None:
    rows = np.flatnonzero(bad)
    if rows.size:
        more = f" (and {rows.size - 1} more)" if rows.size > 1 else ""
        remedy = "correct the cell, or declare its code in the input's list `missing`"
        raise DataError(
            "a cell is not a number that can be used",
            where=table.place(int(rows[0]), column) + more,
            found=found,
            expected=expected,
            remedy=f"add {code} to the input's list `missing` if it marks missing data" if code else remedy,
        )


def _openable(path: Path) -> Reader:
    if path.is_dir():
        raise DataError(
            "the path is a folder",
            where=str(path),
            expected="one file",
            remedy="name the file; folders of files are not offered in this version",
        )
    try:
        with path.open("rb"):
            pass
    except FileNotFoundError:
        raise DataError(
            "there is no such file", where=str(path), remedy="paths in a plan are relative to the plan"
        ) from None
    except PermissionError:
        raise MachineError(
            "the file may not be read", where=str(path), remedy="check its permissions"
        ) from None
    return reader_for(path)


def _natural(label: str) -> tuple[int, float, str]:
    try:
        number = float(label)
    except ValueError:
        return (1, 0.0, label)
    return (0, number, label) if math.isfinite(number) else (1, 0.0, label)
