"""Columns that are put together from several files must be of one type: what two types have in common can change everybody's labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from synthrelease.errors import DataError

_EXACT = 1 << 53  # whole numbers up to it are exact in fractions' 64 bits


def refuse_mixed_types(
    column: str, pieces: Sequence[pl.Series], place: Callable[[int], str], *, remedy: str
) -> None:
    """Refuse a column that is text in one piece and dates in the next, or whole numbers that fractions in another would round.

    Numbers of several types may stand together: whichever they are held in, they are the same numbers. Pieces without a single cell have any type.

    Args:
        column: its name.
        pieces: of the column.
        place: names the place of a piece, by its number.
        remedy: how to write the column as one type.

    Raises:
        DataError: it is of several types.
    """
    filled = [(number, series) for number, series in enumerate(pieces) if series.null_count() < series.len()]
    for number, series in filled[1:]:
        first, known = filled[0][0], filled[0][1].dtype
        if _kind(series.dtype) != _kind(known):
            raise DataError(
                "mixed-types",
                "a column is of several types",
                where=f"{place(number)}, column '{column}'",
                found=_shown(series.dtype),
                expected=f"{_shown(known)}, as in {place(first)}",
                remedy=remedy,
            )
    if not any(series.dtype.is_float() for _, series in filled):
        return
    for number, series in filled:
        ends = (series.min(), series.max()) if series.dtype.is_integer() else ()
        if any(isinstance(end, int) and abs(end) > _EXACT for end in ends):
            raise DataError(
                "integers-too-large",
                "whole numbers are too large to stand beside fractions",
                where=f"{place(number)}, column '{column}'",
                found="whole numbers here, and fractions elsewhere",
                expected="one type",
                remedy=remedy,
            )


def _kind(dtype: pl.DataType) -> str:
    if dtype.is_numeric():
        return "numbers"
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        return "text"
    return str(dtype)


def _shown(dtype: pl.DataType) -> str:
    kind = _kind(dtype)
    return kind if kind in ("numbers", "text") else f"the type {type(dtype).__name__}"
