"""Cells of a column as labels, categories or numbers; errors name places and never cells."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.data.tables import Table
from synthrelease.errors import DataError

_PLAIN_LABEL = r"^[^\p{C}\p{Zl}\p{Zp}]{1,200}$"
_WRITABLE = (pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Null)  # types with a plain text form
_DECIMAL_COMMA = r"^[-+]?\d+,\d+([eE][-+]?\d+)?$"
_COMMA_REMEDY = (
    "export the file with a decimal point; or read it in Python, pl.read_csv(…, decimal_comma=True), and give the frame: "
    "build(plan, frames={…})"
)
# What a text that is no number may be: the code, what was found, and what to do.
_FORMS_OF_TEXT = {
    re.compile(r"[-+]?[\d.]*,[\d.,]*([eE][-+]?\d+)?"): (  # 3,5 and 1.234,5 and 1,234.5
        "comma-in-number",
        "text: a number with a comma",
        "write a point for a decimal comma, and nothing between thousands",
    ),
    re.compile(r"[\[(].*[\])]", re.DOTALL): (
        "list-in-cell",
        "text: a list",
        "name the column in the input's `lists`: each element then becomes a row",
    ),
}

_INT64 = float(1 << 63)
_LOOKED_AT = 1 << 12  # rows of a column, to see whether equal cells stand together

Code = float | str  # marks a missing value
ONLY_LABEL = "all"  # of the only stimulus or recording, where no column says which


def is_unnamed(labels: Iterable[object]) -> bool:
    """Return whether there is one stimulus or recording, which no column names: words leave it out."""
    return [str(label) for label in labels] == [ONLY_LABEL]


def labels(table: Table, column: str, *, empty_allowed: bool = False) -> tuple[NDArray[np.int64], list[str]]:
    """Return each row's label as a number, and the distinct labels in natural order.

    A label is the text of its own cell, without surrounding blanks; a whole number in a column of floats is
    written as an integer. It depends on no other cell.

    Args:
        table: the table.
        column: name of the column.
        empty_allowed: number rows without a label −1, rather than refuse them.

    Raises:
        DataError: a cell is empty, or the column holds neither text nor numbers.
    """
    numbers, rows, names = label_runs(table, column, empty_allowed=empty_allowed)
    return numbers if numbers.size == table.frame.height else np.repeat(numbers, rows), names


def label_runs(
    table: Table, column: str, *, empty_allowed: bool = False
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str]]:
    """Return the labels of `labels` by stretches of equal cells, which rows of one label mostly are: the number, how many rows, and the distinct labels.

    Arguments and errors as of `labels`.
    """
    cells, rows = table.frame[column], None
    first = cells.head(_LOOKED_AT)
    if 2 * first.rle().len() < first.len():  # else runs would take more memory than rows
        runs = cells.rle().struct.unnest()
        cells, rows = runs["value"].alias(column), runs["len"].to_numpy().astype(np.int64)
    distinct = cells.unique()
    texts = column_texts(table, column, distinct).fill_null("")
    if (~texts.str.contains(_PLAIN_LABEL) & ((texts != "") | (not empty_allowed))).any():
        raise _bad_label(table, column, empty_allowed=empty_allowed)
    names = in_natural_order(set(texts.to_list()) - {""})
    number_of = {"": -1, **{name: number for number, name in enumerate(names)}}
    numbers = cells.replace_strict(
        distinct, [number_of[text] for text in texts.to_list()], return_dtype=pl.Int64
    )
    of_runs = numbers.cast(pl.Int64).to_numpy()  # of no rows, the type would be another
    return of_runs, np.ones(of_runs.size, dtype=np.int64) if rows is None else rows, names


def renumbered(numbers: NDArray[np.int64], names: Sequence[str], listed: Sequence[str]) -> NDArray[np.int64]:
    """Return numbers of labels in `names` as their positions in a public list, −1 for rows with another label, or with none (numbered −1)."""
    position = {name: number for number, name in enumerate(listed)}
    # Rows without a label are numbered −1, which is the last.
    return np.array([*(position.get(name, -1) for name in names), -1], dtype=np.int64)[numbers]


def _bad_label(table: Table, column: str, *, empty_allowed: bool) -> DataError:
    """What is wrong with the first cell that is no label."""
    text = column_texts(table, column, table.frame[column]).fill_null("")
    empty = text == ""
    if empty.any() and not empty_allowed:
        return DataError(
            "missing-label",
            "a label is missing",
            where=table.place(int(empty.arg_true()[0]), column),
            found="an empty cell",
            expected="a label in every row",
            remedy="fill in the label, or remove these rows",
        )
    unusable = ~text.str.contains(_PLAIN_LABEL) & ~empty
    return DataError(
        "bad-label",
        "a label is not valid",
        where=table.place(int(unusable.arg_true()[0]), column),
        found="a line break or another control character, or more than 200 characters",
        expected="a short text on one line",
        remedy="look for a quote that is opened in one row and closed in another",
    )


def categories(
    table: Table, column: str, listed: Sequence[str], *, missing: Sequence[Code] = ()
) -> NDArray[np.int64]:
    """Return the position of each row's label in a public list, −1 where the cell is empty or a missing code.

    Raises:
        DataError: a label is not in the list, or the column holds neither text nor numbers.
    """
    text = column_texts(table, column, table.frame[column])
    position = text.replace_strict(
        list(listed), list(range(len(listed))), default=None, return_dtype=pl.Int64
    )
    empty = (text.is_null() | (text == "")).fill_null(value=True).to_numpy()
    code = text.cast(pl.Float64, strict=False)
    empty |= _coded(code.fill_null(math.nan).to_numpy(), missing) & code.is_not_null().to_numpy()
    empty |= text.is_in(_texts(missing)).fill_null(value=False).to_numpy()
    unlisted = np.flatnonzero(position.is_null().to_numpy() & ~empty)
    if unlisted.size:
        raise DataError(
            "unlisted-category",
            "a label is not in the list of categories",
            where=table.places(unlisted, column),
            found="another label",
            expected=f"one of the {len(listed)} labels in that list, or an empty cell",
            remedy="add the label to the list, or correct the cell",
        )
    return position.fill_null(-1).to_numpy()


def labels_among(table: Table, column: str, listed: Sequence[str]) -> NDArray[np.bool_]:
    """Return which rows have one of some labels; an empty cell is none.

    Raises:
        DataError: the column holds neither text nor numbers.
    """
    text = column_texts(table, column, table.frame[column])
    return text.is_in(list(listed)).fill_null(value=False).to_numpy()


def numbers(
    table: Table, column: str, *, missing: Sequence[Code] = (), codes_allowed: bool = True
) -> NDArray[np.float64]:
    """Return a column of numbers, which may not be written to, NaN where the cell is empty or holds a declared missing code.

    Args:
        table: the table.
        column: name of the column.
        missing: numbers and texts that mark a missing value; NaN and infinities among them.
        codes_allowed: whether declaring a missing code would help, for the message.

    Raises:
        DataError: a cell is no number, or NaN or infinite without being declared missing.
    """
    cast = _as_numbers(table, column, missing, codes_allowed=codes_allowed)
    values = (
        (cast.fill_null(math.nan) if cast.null_count() else cast).to_numpy().astype(np.float64, copy=False)
    )
    if not _has_numbers(missing) and np.isfinite(values).all():
        return values
    empty = cast.is_null().to_numpy()
    coded = _coded(values, missing)
    unusable = {
        "nan": ("nan", "NaN", np.isnan(values) & ~empty),
        "inf": ("infinite-number", "an infinite number", values == math.inf),
        "-inf": ("infinite-number", "an infinite number", values == -math.inf),
    }
    for written, (code, content, invalid) in unusable.items():
        _refuse(
            table, column, invalid & ~coded, code, content=content, missing=written if codes_allowed else ""
        )
    return np.where(coded, math.nan, values)


def _as_numbers(table: Table, column: str, missing: Sequence[Code], *, codes_allowed: bool) -> pl.Series:
    """A column cast to numbers, null where the cell is empty or a text that marks a missing value; its texts are gone when it is returned."""
    series = table.frame[column]
    if series.dtype == pl.String:
        series = series.str.strip_chars()
        series = series.set((series == "") | series.is_in(_texts(missing)), None)
        cast = series.cast(pl.Float64, strict=False)
        stray = (cast.is_null() & series.is_not_null()).to_numpy()
        commas = stray & series.str.contains(_DECIMAL_COMMA).fill_null(value=False).to_numpy()
        _refuse(table, column, commas, "decimal-comma", content="a decimal comma", remedy=_COMMA_REMEDY)
        _refuse(
            table, column, stray, "bad-number", content="text", missing="the text" if codes_allowed else ""
        )
        return cast
    if series.dtype.is_numeric() or series.dtype == pl.Null:
        return series.cast(pl.Float64)
    raise _wrong_type(table, column, series, "numbers")


def _has_numbers(missing: Sequence[Code]) -> bool:
    return not all(isinstance(code, str) for code in missing)


def _coded(values: NDArray[np.float64], missing: Sequence[Code]) -> NDArray[np.bool_]:
    """Which values are missing codes."""
    codes = [float(code) for code in missing if not isinstance(code, str)]
    is_code: NDArray[np.bool_] = np.isin(values, [code for code in codes if not math.isnan(code)])
    return is_code | np.isnan(values) if any(math.isnan(code) for code in codes) else is_code


def _texts(missing: Sequence[Code]) -> list[str]:
    return [code.strip() for code in missing if isinstance(code, str)]


def label_texts(series: pl.Series) -> pl.Series:
    """Return cells of labels as text: without surrounding blanks, whole numbers without a decimal point.

    The text depends on the number, not on its type: where several files are read as one table, another person's file may decide the type.

    Raises:
        TypeError: cells of this type have no plain text form.
    """
    if series.dtype.is_float():
        number = pl.col(series.name).cast(pl.Float64).fill_nan(None)
        is_whole = (number == number.round()) & (number.abs() < _INT64)
        text = (
            pl.when(is_whole)
            .then(number.cast(pl.Int64, strict=False).cast(pl.String))
            .otherwise(number.cast(pl.String))
        )
        return series.to_frame().select(text)[series.name]
    if has_label_texts(series.dtype):
        return series.cast(pl.String).str.strip_chars()
    raise TypeError(f"Expected text or whole numbers, found {series.dtype}")


def has_label_texts(dtype: pl.DataType) -> bool:
    """Return whether cells of a type have a plain text form, so that they can be labels."""
    dated = dtype.is_temporal() and dtype != pl.Duration
    return dtype.is_float() or dtype.is_integer() or dated or dtype in _WRITABLE


def column_texts(table: Table, column: str, cells: pl.Series) -> pl.Series:
    """Return some cells of a column as text; DataError if its type has none."""
    try:
        return label_texts(cells)
    except TypeError:
        raise _wrong_type(table, column, cells, "text or whole numbers") from None


def _wrong_type(table: Table, column: str, series: pl.Series, expected: str) -> DataError:
    return DataError(
        "bad-column",
        "the column cannot be used",
        where=f"{table.source.path}, column '{column}'",
        found=f"the type {type(series.dtype).__name__}",
        expected=expected,
        remedy=f"write it as {expected}, or name another column",
    )


def _refuse(
    table: Table,
    column: str,
    invalid: NDArray[np.bool_],
    code: str,
    *,
    content: str,
    missing: str = "",
    remedy: str = "",
) -> None:
    rows = np.flatnonzero(invalid)
    if rows.size:
        remedy = remedy or (
            f"add {missing} to the input's list `missing` if it marks missing data"
            if missing
            else "correct the cell"
        )
        if content == "text":
            cell = str(table.frame[column][int(rows[0])]).strip()
            form = next((words for form, words in _FORMS_OF_TEXT.items() if form.fullmatch(cell)), None)
            code, content, remedy = form or (code, content, remedy)
        raise DataError(
            code,
            "a cell is not a number",
            where=table.places(rows, column),
            found=content,
            expected="a finite number, or an empty cell if it is missing",
            remedy=remedy,
        )


def in_natural_order(names: Iterable[str]) -> list[str]:
    """Return labels with numbers first, by size, then texts by their letters."""
    return sorted(names, key=_natural)


def _natural(label: str) -> tuple[int, float, str]:
    try:
        number = float(label)
    except ValueError:
        return (1, 0.0, label)
    return (0, number, label) if math.isfinite(number) else (1, 0.0, label)
