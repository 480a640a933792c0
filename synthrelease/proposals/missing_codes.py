"""What marks a missing value in some columns: texts and numbers that trackers and tools write for nothing."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.data.cells import Code
from synthrelease.proposals.roles import plain_name

TEXTS = (
    *("n/a", "N/A", "NA", "NaN", "nan", "NULL", "null", "None", "none"),
    *("#N/A", ".", "-", "--", "-nan(ind)", "nan(ind)"),
)
NUMBERS = (
    -1.0,
    -9999.0,
    -999.0,
    -99.0,
    -32767.0,
    -32768.0,
    -1e8,
    -sys.float_info.max,
)  # the last is EyeLogic's
_FEWEST_OCCURRENCES = 2  # so often, at least
_SIZES = re.compile(r"pupil|diameter")  # that nothing living has none of
_FAR_FROM_ZERO = (
    0.3  # of the median of all others: nearer than that to 0 nothing is, where 0 is no measurement
)
_ZERO_FRACTION = 0.01  # of rows in which x and y are both exactly 0: no one looks at one corner that often


def missing_codes(
    frame: pl.DataFrame, columns: Sequence[str], *, pair: tuple[str, str] | None = None
) -> list[Code]:
    """Return the codes that occur in some columns, in a fixed order.

    A number is one where it is the only value below 0, or far below all others. A zero is one where both coordinates of a point are 0 too often,
    or where it is far below all others in columns of pupils, and is in no other one.

    Args:
        frame: some rows.
        columns: of numbers.
        pair: the columns of x and y.
    """
    codes: set[Code] = set()
    with_nan = False
    for column in columns:
        cells = frame[column]
        if cells.dtype == pl.String:
            stripped = cells.str.strip_chars()
            codes |= {text for text in TEXTS if int((stripped == text).sum()) >= _FEWEST_OCCURRENCES}
        with_nan = with_nan or (cells.dtype.is_float() and bool(cells.is_nan().any()))
        values = finite_values(cells)
        codes |= {code for code in NUMBERS if _is_code(code, values)}
    empty, ordinary = empty_zeros(frame, columns) if pair is None else ([], [])
    if (empty and not ordinary) or (pair is not None and _zero_pairs(frame, pair) > _ZERO_FRACTION):
        codes.add(0.0)
    numbers = [code for code in (*NUMBERS, 0.0) if code in codes]
    return [*numbers, *([math.nan] if with_nan else []), *(text for text in TEXTS if text in codes)]


def empty_zeros(frame: pl.DataFrame, columns: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the columns of pupils in which 0 seems to be no measurement, and the columns in which it seems to be one.

    Args:
        frame: some rows.
        columns: of numbers.
    """
    empty: list[str] = []
    ordinary: list[str] = []
    for column in columns:
        values = finite_values(frame[column])
        values = values[~np.isin(values, NUMBERS)]
        nonzero = values[values != 0]
        zeros = values.size - nonzero.size
        if zeros:
            apart = (
                nonzero.size
                and zeros >= _FEWEST_OCCURRENCES
                and nonzero.min() > _FAR_FROM_ZERO * np.median(nonzero)
            )
            (empty if apart and _SIZES.search(plain_name(column)) else ordinary).append(column)
    return empty, ordinary


def finite_values(cells: pl.Series) -> NDArray[np.float64]:
    """Return the finite numbers among cells."""
    numbers = cells.cast(pl.Float64, strict=False)
    return numbers.filter(numbers.is_finite()).to_numpy()


def _is_code(code: float, values: NDArray[np.float64]) -> bool:
    """Whether a number occurs often enough, and no other value is near it."""
    rest = values[values != code]
    if values.size - rest.size < _FEWEST_OCCURRENCES or not rest.size:
        return False
    return bool(rest.min() >= 0 if code == -1 else rest.min() > code / 2)


def _zero_pairs(frame: pl.DataFrame, pair: tuple[str, str]) -> float:
    x, y = (frame[column].cast(pl.Float64, strict=False) for column in pair)
    both = ((x == 0) & (y == 0)).fill_null(value=False)
    return float(both.sum()) / max(1, both.len())
