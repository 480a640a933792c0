"""What marks a missing value in some columns: texts and numbers that trackers and tools write for nothing."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence

import numpy as np
import polars as pl

from synthrelease.proposal.roles import plain_name

TEXTS = (
    "n/a",
    "N/A",
    "NA",
    "NaN",
    "nan",
    "NULL",
    "null",
    "None",
    "none",
    "#N/A",
    ".",
    "-",
    "--",
    "-nan(ind)",
    "nan(ind)",
)
NUMBERS = (-1.0, -9999.0, -999.0, -32767.0, -32768.0, -1e8, -sys.float_info.max)  # the last is EyeLogic's
_LEAST = 2  # so often, at least
_SIZES = re.compile(r"pupil|diameter")  # that nothing living has none of
_FAR = 0.3  # of the median of all others: nearer than that to 0 nothing is, where 0 is no measurement
_ZERO_SHARE = 0.01  # of rows in which x and y are both exactly 0: nobody looks at one corner that often


def missing_codes(
    frame: pl.DataFrame, columns: Sequence[str], *, pair: tuple[str, str] | None = None
) -> list[float | str]:
    """Return the codes that stand in some columns, in a fixed order.

    A number is one where it is the only value below 0, or far below all others. A zero is one where both coordinates of a point are 0 too often,
    or where it is far below all others in columns of pupils, and is in no other one.

    Args:
        frame: some rows.
        columns: of numbers.
        pair: the columns of x and y.
    """
    texts: set[str] = set()
    numbers: set[float] = set()
    for column in columns:
        cells = frame[column]
        if cells.dtype == pl.String:
            stripped = cells.str.strip_chars()
            texts |= {text for text in TEXTS if int((stripped == text).sum()) >= _LEAST}
        values = cells.cast(pl.Float64, strict=False).drop_nulls().to_numpy()
        finite = values[np.isfinite(values)]
        if cells.dtype.is_float() and bool(cells.is_nan().any()):
            numbers.add(math.nan)
        for code in NUMBERS:
            others = finite[finite != code]
            if np.count_nonzero(finite == code) >= _LEAST and others.size and _apart(code, others):
                numbers.add(code)
    empty, ordinary = empty_zeros(frame, columns) if pair is None else ([], [])
    if (empty and not ordinary) or (pair is not None and _zero_pairs(frame, pair) > _ZERO_SHARE):
        numbers.add(0.0)
    return [
        *(code for code in (*NUMBERS, 0.0, math.nan) if code in numbers),
        *(text for text in TEXTS if text in texts),
    ]


def empty_zeros(frame: pl.DataFrame, columns: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the columns of pupils in which 0 seems to be no measurement, and the columns in which it seems to be one.

    Args:
        frame: some rows.
        columns: of numbers.
    """
    empty: list[str] = []
    ordinary: list[str] = []
    for column in columns:
        values = frame[column].cast(pl.Float64, strict=False).drop_nulls().to_numpy()
        values = values[np.isfinite(values) & ~np.isin(values, NUMBERS)]
        others = values[values != 0]
        if others.size == values.size:
            continue
        apart = (
            others.size and values.size - others.size >= _LEAST and others.min() > _FAR * np.median(others)
        )
        (empty if apart and _SIZES.search(plain_name(column)) else ordinary).append(column)
    return empty, ordinary


def _apart(code: float, others: np.ndarray) -> bool:
    """Whether nothing else is near a code."""
    return bool(others.min() >= 0 if code == -1 else others.min() > code / 2)


def _zero_pairs(frame: pl.DataFrame, pair: tuple[str, str]) -> float:
    x, y = (frame[column].cast(pl.Float64, strict=False) for column in pair)
    both = ((x == 0) & (y == 0)).fill_null(value=False)
    return float(both.sum()) / max(1, both.len())
