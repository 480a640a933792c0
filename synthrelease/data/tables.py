"""Tables: the columns a plan names, as checked arrays; errors that name places and never cells."""

from __future__ import annotations

import difflib
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.data.one_type import refuse_mixed_types
from synthrelease.data.readers import Piece, Reader, reader_for
from synthrelease.data.readers.reader import ALL_ROWS, Where, united
from synthrelease.data.source import Source
from synthrelease.errors import DataError

_PLAIN_LABEL = r"^[^\p{C}\p{Zl}\p{Zp}]{1,200}$"
MOST_COLUMNS = 10_000  # the widest tables of the field have some hundred
_SMALL_BYTES = 1 << 29  # of a table that is read at once, so that a few long cells fill no memory
_WRITABLE = (pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Null)  # types with a plain text form
_DECIMAL_COMMA = r"^[-+]?\d+,\d+([eE][-+]?\d+)?$"
_COMMA_REMEDY = (
    "export the file with a decimal point; or read it in Python, pl.read_csv(…, decimal_comma=True), and give the frame: "
    "build(plan, frames={…})"
)
_LIKE_DATA = re.compile(
    r"\s*([-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?|n/?a|nan|null|none|[-+]?inf|)\s*", re.IGNORECASE
)
_COMMA = re.compile(r"[-+]?[\d.]*,[\d.,]*([eE][-+]?\d+)?")  # 3,5 and 1.234,5 and 1,234.5

_INT64 = float(1 << 63)

Code = float | str  # marks a missing value


@dataclass(frozen=True)
class Table:
    """Some columns of a source, with the means to name a place in it."""

    source: Source
    frame: pl.DataFrame
    lines: NDArray[np.int64]
    reader: Reader

    def place(self, row: int, column: str) -> str:
        """Name a row and a column for an error message."""
        place = self.reader.place(self.source, int(self.lines[row]))
        return f"{self.source.path}, {place}, column '{column}'"


Rows = Source | Path | Table  # to be read, or read already


def read_table(source: Rows, columns: Sequence[str], *, where: tuple[str, pl.Series] | None = None) -> Table:
    """Read the named columns of a source.

    Args:
        source: a file, a folder of files, or rows that were read from one, which have these columns.
        columns: their names.
        where: a column, and the cells of it whose rows are wanted; None wants all.

    Raises:
        DataError: no such file, an unknown or broken format, a missing column, no rows.
        MachineError: the file may not be read.
    """
    if isinstance(source, Table):
        return source
    source = Source.of(source)
    reader = _checked_reader(source, columns)
    wanted = None if where is None else Where(*where)
    return _joined(
        source, reader, list(reader.slices(source, list(dict.fromkeys(columns)), ALL_ROWS, wanted))
    )


def read_slices(source: Rows, columns: Sequence[str], *, most: int) -> Iterator[Table]:
    """Yield the named columns in tables of at most so many rows.

    Errors as `read_table`.
    """
    if isinstance(source, Table):
        yield source
        return
    source = Source.of(source)
    reader = _checked_reader(source, columns)
    pieces: list[Piece] = []
    rows = 0
    for piece in reader.slices(source, list(dict.fromkeys(columns)), most):
        if pieces and rows + piece[0].height > most:
            yield _joined(source, reader, pieces)
            pieces, rows = [], 0
        pieces.append(piece)
        rows += piece[0].height
    yield _joined(source, reader, pieces)


def read_if_small(source: Source, columns: Sequence[str], *, most_rows: int) -> Table | None:
    """Return the named columns of a source that has at most so many rows, in one pass; None for a larger one.

    Errors as `read_table`.
    """
    reader = _checked_reader(source, columns)
    pieces: list[Piece] = []
    rows = size = 0
    for piece in reader.slices(source, list(dict.fromkeys(columns)), most_rows + 1):
        rows += piece[0].height
        size += int(piece[0].estimated_size())
        if rows > most_rows or size > _SMALL_BYTES:
            return None
        pieces.append(piece)
    return _joined(source, reader, pieces)


def path_of(source: Rows) -> Path:
    """Return where rows are, or were read from, for messages."""
    return (
        source
        if isinstance(source, Path)
        else source.source.path
        if isinstance(source, Table)
        else source.path
    )


def _joined(source: Source, reader: Reader, pieces: Sequence[Piece]) -> Table:
    """Pieces of rows as one table; DataError if there is no row, or a column is not of one type."""
    pieces = [piece for piece in pieces if piece[0].height]
    if not pieces:
        raise _no_rows(source)

    def place(number: int) -> str:
        return f"{source.path}, {reader.place(source, int(pieces[number][1][0]))}"

    for column in pieces[0][0].columns:
        refuse_mixed_types(
            column,
            [frame[column] for frame, _ in pieces],
            place,
            remedy="write it as one type in all files, or read them as inputs of their own, with a `pattern` each",
        )
    if len(pieces) > 1:  # a column without a single cell has any type
        pieces = [
            (frame.with_columns(map(_untyped, _empty_columns(frame))), lines) for frame, lines in pieces
        ]
    return Table(source, *united(pieces), reader)


def _empty_columns(frame: pl.DataFrame) -> list[str]:
    return [series.name for series in frame if series.null_count() == series.len()]


def _untyped(column: str) -> pl.Expr:
    return pl.lit(None).alias(column)


def _no_rows(source: Source) -> DataError:
    folder = source.pattern or source.format or source.path.is_dir()
    what = "frame has" if source.frame else "files of the folder have" if folder else "file has"
    named = source.header or source.frame
    return DataError(
        "no-rows",
        f"the {what} no rows",
        where=str(source.path),
        expected="at least one row" if named else "at least one row under the header",
        remedy="see whether a filter took all of them out"
        if source.frame
        else "check that it was written to its end, and by the right export",
    )


def refuse_missing_columns(source: Source, columns: Sequence[str]) -> None:
    """Refuse a source that has not all of some columns; reads their names alone.

    Raises:
        DataError, MachineError: one is missing, or the source cannot be used.
    """
    _checked_reader(source, columns)


def _checked_reader(source: Source, columns: Sequence[str]) -> Reader:
    """The reader of a source that has these columns."""
    reader = reader_for(source)
    present = reader.column_names(source)
    for column in columns:
        if column not in present:
            raise _missing_column(source, column, present)
    if len(present) > MOST_COLUMNS:
        raise DataError(
            "too-many-columns",
            "the table has too many columns",
            where=str(source.path),
            found=f"{len(present)} columns",
            expected=f"at most {MOST_COLUMNS}",
            remedy="check the separator, or leave columns out",
        )
    often = Counter(present)
    twice = [number for number, name in enumerate(present) if often[name] > 1]
    if twice:
        if not source.header and any(_LIKE_DATA.fullmatch(name) for name in present):
            raise _no_header(source.path, "two columns have the same name")
        first = present[twice[0]]
        other = present.index(first, twice[0] + 1)
        raise DataError(
            "duplicate-column",
            "two columns have the same name",
            where=f"{source.path}, column '{first}'" if first in columns else str(source.path),
            found=f"columns {twice[0] + 1} and {other + 1} of {len(present)}",
            expected="names of their own",
            remedy="rename one in the plan" if source.header else "rename one in the header",
        )
    return reader


def labels(table: Table, column: str, *, empty_allowed: bool = False) -> tuple[NDArray[np.int64], list[str]]:
    """Return each row's label as a number, and the distinct labels in natural order.

    A label is the text of its own cell, without surrounding blanks; a whole number in a column of floats is
    written as an integer. No other cell has a say in it.

    Args:
        table: the table.
        column: name of the column.
        empty_allowed: number rows without a label −1, rather than refuse them.

    Raises:
        DataError: a cell is empty, or the column holds neither text nor numbers.
    """
    cells = table.frame[column]
    distinct = cells.unique()
    texts = column_texts(table, column, distinct).fill_null("")
    if (~texts.str.contains(_PLAIN_LABEL) & ((texts != "") | (not empty_allowed))).any():
        raise _bad_label(table, column, empty_allowed=empty_allowed)
    names = in_natural_order(set(texts.to_list()) - {""})
    number_of = {"": -1, **{name: number for number, name in enumerate(names)}}
    numbers = cells.replace_strict(
        distinct, [number_of[text] for text in texts.to_list()], return_dtype=pl.Int64
    )
    return numbers.cast(pl.Int64).to_numpy(), names  # of no rows, the type would be another


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
            remedy="complete these rows, or leave them out; or list the labels that are released: rows without a stimulus or a recording may then stay",
        )
    odd = ~text.str.contains(_PLAIN_LABEL) & ~empty
    return DataError(
        "bad-label",
        "a label cannot be one",
        where=table.place(int(odd.arg_true()[0]), column),
        found="a line break or another control character, or more than 200 characters",
        expected="a short text on one line",
        remedy="look for a quote that opens in one row and closes in another",
    )


def categories(
    table: Table, column: str, listed: Sequence[str], *, missing: Sequence[Code] = ()
) -> NDArray[np.int64]:
    """Return the position of each row's label in a public list, −1 where the cell is empty or a missing code.

    Raises:
        DataError: a label is not in the list, or the column holds neither text nor numbers.
    """
    text = column_texts(table, column, table.frame[column])
    known = text.replace_strict(list(listed), list(range(len(listed))), default=None, return_dtype=pl.Int64)
    empty = (text.is_null() | (text == "")).fill_null(value=True).to_numpy()
    code = text.cast(pl.Float64, strict=False)
    empty |= _coded(code.fill_null(math.nan).to_numpy(), missing) & code.is_not_null().to_numpy()
    empty |= text.is_in(_texts(missing)).fill_null(value=False).to_numpy()
    strange = np.flatnonzero(known.is_null().to_numpy() & ~empty)
    if strange.size:
        more = f" (and {strange.size - 1} more)" if strange.size > 1 else ""
        raise DataError(
            "unlisted-category",
            "a label is not in the list of categories",
            where=table.place(int(strange[0]), column) + more,
            found="another label",
            expected=f"one of the {len(listed)} labels in that list, or an empty cell",
            remedy="complete the list, or correct the cell",
        )
    return known.fill_null(-1).to_numpy()


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
    """Return a column of numbers, NaN where the cell is empty or holds a declared missing code.

    Args:
        table: the table.
        column: name of the column.
        missing: numbers and texts that mark a missing value; NaN and infinities among them.
        codes_allowed: whether declaring a missing code would help, for the message.

    Raises:
        DataError: a cell is no number, or NaN or infinite without being declared missing.
    """
    series = table.frame[column]
    if series.dtype == pl.String:
        series = series.str.strip_chars()
        series = series.set((series == "") | series.is_in(_texts(missing)), None)
        cast = series.cast(pl.Float64, strict=False)
        stray = (cast.is_null() & series.is_not_null()).to_numpy()
        commas = stray & series.str.contains(_DECIMAL_COMMA).fill_null(value=False).to_numpy()
        _refuse(table, column, commas, "decimal-comma", found="a decimal comma", remedy=_COMMA_REMEDY)
        _refuse(table, column, stray, "bad-number", found="text", missing="the text" if codes_allowed else "")
    elif series.dtype.is_numeric() or series.dtype == pl.Null:
        cast = series.cast(pl.Float64)
    else:
        raise _wrong_type(table, column, series, "numbers")
    empty = cast.is_null().to_numpy()
    values = cast.fill_null(math.nan).to_numpy().astype(np.float64)
    coded = _coded(values, missing)
    unusable = {
        "nan": ("nan", "NaN", np.isnan(values) & ~empty),
        "inf": ("infinite-number", "an infinite number", values == math.inf),
        "-inf": ("infinite-number", "an infinite number", values == -math.inf),
    }
    for written, (code, found, bad) in unusable.items():
        _refuse(table, column, bad & ~coded, code, found=found, missing=written if codes_allowed else "")
    return np.where(coded, math.nan, values)


def _coded(values: NDArray[np.float64], missing: Sequence[Code]) -> NDArray[np.bool_]:
    """Which values are missing codes."""
    codes = [float(code) for code in missing if not isinstance(code, str)]
    found: NDArray[np.bool_] = np.isin(values, [code for code in codes if not math.isnan(code)])
    return found | np.isnan(values) if any(math.isnan(code) for code in codes) else found


def _texts(missing: Sequence[Code]) -> list[str]:
    return [code.strip() for code in missing if isinstance(code, str)]


def label_texts(series: pl.Series) -> pl.Series:
    """Return cells of labels as text: without surrounding blanks, whole numbers without a decimal point.

    The text follows from what a number is, and not from the type it is held in: where files are put together, somebody else's may
    decide that.

    Raises:
        TypeError: cells of this type have no plain text form.
    """
    if series.dtype.is_float():
        number = pl.col(series.name).cast(pl.Float64).fill_nan(None)
        whole = (number == number.round()) & (number.abs() < _INT64)
        text = (
            pl.when(whole)
            .then(number.cast(pl.Int64, strict=False).cast(pl.String))
            .otherwise(number.cast(pl.String))
        )
        return series.to_frame().select(text)[series.name]
    dated = series.dtype.is_temporal() and series.dtype != pl.Duration
    if series.dtype.is_integer() or dated or series.dtype in _WRITABLE:
        return series.cast(pl.String).str.strip_chars()
    raise TypeError(f"Expected text or whole numbers, found {series.dtype}")


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


def _missing_column(source: Source, column: str, present: Sequence[str]) -> DataError:
    path = source.path
    # What is called a header may be data: only a name close to the wanted one is repeated.
    named = present[:-1] if present[-1:] == [""] else present  # lines that end with a comma
    if any(_LIKE_DATA.fullmatch(name) for name in named):
        return _no_header(path, f"there is no column '{column}'")
    near = difflib.get_close_matches(column, present, n=1, cutoff=0.5)
    return DataError(
        "unknown-column",
        f"there is no column '{column}'",
        where=str(path),
        found=f"{len(present)} columns of other names",
        remedy=f"did you mean '{near[0]}'?" if near else "correct the name under the input's `columns`",
    )


def _no_header(path: Path, problem: str) -> DataError:
    return DataError(
        "no-header",
        problem,
        where=str(path),
        found="numbers or empty cells in the first line: the file seems to have no header",
        expected="the names of the columns in the first line",
        remedy='add a header line, or name the columns in the input: header = ["person", …]',
    )


def _refuse(
    table: Table,
    column: str,
    bad: NDArray[np.bool_],
    code: str,
    *,
    found: str,
    missing: str = "",
    remedy: str = "",
) -> None:
    rows = np.flatnonzero(bad)
    if rows.size:
        more = f" (and {rows.size - 1} more)" if rows.size > 1 else ""
        remedy = remedy or (
            f"add {missing} to the input's list `missing` if it marks missing data"
            if missing
            else "correct the cell"
        )
        if found == "text" and _COMMA.fullmatch(str(table.frame[column][int(rows[0])]).strip()):
            code, found, remedy = (
                "comma-in-number",
                "text: a number with a comma",
                "write a point for a decimal comma, and nothing between thousands",
            )
        raise DataError(
            code,
            "a cell is not a number that can be used",
            where=table.place(int(rows[0]), column) + more,
            found=found,
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
