"""A column read from several files must have one type: a common supertype can change the labels of all participants."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from synthrelease.errors import DataError

LARGEST_EXACT = 1 << 53  # whole numbers up to it are exact in fractions' 64 bits


def refuse_mixed_types(
    column: str, pieces: Sequence[pl.Series], place: Callable[[int], str], *, remedy: str
) -> None:
    """Refuse a column that is text in one piece and dates in the next, or whole numbers that fractions in another would round.

    Numeric types may be mixed, since a number is the same in each of them. A piece without a single cell fits any type.

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
        first, first_type = filled[0][0], filled[0][1].dtype
        if _kind(series.dtype) != _kind(first_type):
            raise DataError(
                "mixed-types",
                "a column has several types",
                where=f"{place(number)}, column '{column}'",
                found=_type_in_words(series.dtype),
                expected=f"{_type_in_words(first_type)}, as in {place(first)}",
                remedy=remedy,
            )
    if not any(series.dtype.is_float() for _, series in filled):
        return
    for number, series in filled:
        ends = (series.min(), series.max()) if series.dtype.is_integer() else ()
        if any(isinstance(end, int) and abs(end) > LARGEST_EXACT for end in ends):
            raise DataError(
                "integers-too-large",
                "whole numbers are too large for a column with fractions",
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


def _type_in_words(dtype: pl.DataType) -> str:
    kind = _kind(dtype)
    return kind if kind in ("numbers", "text") else f"the type {type(dtype).__name__}"
