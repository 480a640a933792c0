"""Lists in the cells of a text: each is a time series, and becomes rows of its own, next to repeated copies of the other cells.

As people write them: `[0.1, 0.2]`, `0.1 0.2`, `(1; 2)`, and NumPy's `[1 2 3]` over several lines. An empty list is one row without a value, so that its
participant still has a row.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from synthrelease.data.readers.reader import Piece
from synthrelease.data.source import Source
from synthrelease.errors import DataError

_BRACKETS = " \t\r\n[](){}"


def unpacked_lists(rows: Piece, source: Source) -> Piece:
    """Return rows with a row for every element of their lists; the lists of one row have one length.

    Args:
        rows: of a text, with all columns of `source.lists`.
        source: says which columns hold lists.

    Raises:
        DataError: the lists of a row have several lengths, are cut off, or hold lists themselves.
    """
    frame, lines = rows
    names = list(source.lists)
    _refuse(rows, source, pl.any_horizontal(pl.col(names).str.contains("...", literal=True)), "cut-off-list")
    inner = pl.col(names).str.strip_chars(_BRACKETS)
    _refuse(rows, source, pl.any_horizontal(inner.str.contains(r"[\[\](){}]")), "nested-list")
    texts = inner.str.replace_all(r"[\s,;]+", " ").str.strip_chars()
    lists = frame.with_columns(texts.replace("", None).str.split(" "))
    lengths = lists.select(pl.col(names).list.len().fill_null(0))
    first = lengths[names[0]]
    differ = pl.any_horizontal([pl.lit(lengths[name] != first) for name in names])
    _refuse(rows, source, differ, "list-lengths-differ")
    repeats = np.maximum(first.to_numpy(), 1)
    return lists.explode(names), np.repeat(lines, repeats)


def refuse_missing_lists(source: Source, columns: Sequence[str]) -> None:
    """Refuse a source whose `lists` names a column that is not there; DataError."""
    missing = [name for name in source.lists if name not in columns]
    if missing:
        raise DataError(
            "unknown-column",
            f"there is no column '{missing[0]}'",
            where=str(source.path),
            found=f"{len(columns)} columns with other names",
            expected="the columns of the input's `lists`",
            remedy="correct `lists` in the plan",
        )


_WRONG = {
    "cut-off-list": (
        "a list is cut off",
        "three dots, where NumPy or pandas left elements out",
        "all elements of the list",
        "write it anew, all of it: json.dumps(x.tolist())",
    ),
    "nested-list": (
        "a list holds other lists",
        "brackets within brackets",
        "a list of numbers, such as [0.1, 0.2]",
        "write a column for each of the inner lists, or leave the column out of the input's `lists`",
    ),
    "list-lengths-differ": (
        "the lists of one row have different lengths",
        "lists of several lengths",
        "one length in all columns of the input's `lists`",
        "correct the row; or leave columns of another length out of `lists`",
    ),
}


def _refuse(rows: Piece, source: Source, is_wrong: pl.Expr, code: str) -> None:
    frame, lines = rows
    wrong = frame.select(is_wrong.fill_null(value=False).alias("wrong"))["wrong"].arg_true()
    if wrong.len():
        problem, content, expected, remedy = _WRONG[code]
        more = f" (and {wrong.len() - 1} more)" if wrong.len() > 1 else ""
        raise DataError(
            code,
            problem,
            where=f"{source.path}, line {lines[wrong[0]]}{more}, columns {_named(source.lists)}",
            found=content,
            expected=expected,
            remedy=remedy,
        )


def _named(columns: Sequence[str]) -> str:
    return " and ".join(f"'{column}'" for column in columns)
