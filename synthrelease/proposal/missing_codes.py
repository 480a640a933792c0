"""What marks a missing value in some columns: texts and numbers that trackers and tools write for nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

TEXTS = ("n/a", "N/A", "NA", "NaN", "nan", "NULL", "null", "None", "none", "#N/A", ".", "-", "--")
NUMBERS = (-1.0, -9999.0, -999.0, -32767.0, -32768.0, -1e8)
_LEAST = 2  # so often, at least
_ZERO_SHARE = 0.01  # of rows in which x and y are both exactly 0: nobody looks at one corner that often


def missing_codes(
    frame: pl.DataFrame, columns: Sequence[str], *, pair: tuple[str, str] | None = None
) -> list[float | str]:
    """Return the codes that stand in some columns, in a fixed order.

    A number is one where it is the only value below 0, or far below all others. A zero is one where both coordinates of a point are 0 too often.

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
        for code in NUMBERS:
            others = finite[finite != code]
            if np.count_nonzero(finite == code) >= _LEAST and others.size and _apart(code, others):
                numbers.add(code)
    if pair is not None and _zero_pairs(frame, pair) > _ZERO_SHARE:
        numbers.add(0.0)
    return [
        *(code for code in (*NUMBERS, 0.0) if code in numbers),
        *(text for text in TEXTS if text in texts),
    ]


def _apart(code: float, others: np.ndarray) -> bool:
    """Whether nothing else is near a code."""
    return bool(others.min() >= 0 if code == -1 else others.min() > code / 2)


def _zero_pairs(frame: pl.DataFrame, pair: tuple[str, str]) -> float:
    x, y = (frame[column].cast(pl.Float64, strict=False) for column in pair)
    both = ((x == 0) & (y == 0)).fill_null(value=False)
    return float(both.sum()) / max(1, both.len())
