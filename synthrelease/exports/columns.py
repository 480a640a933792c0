"""Columns of labels, and names for columns that stand beside others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray


def spread(labels: Sequence[str], numbers: NDArray[np.integer] | pl.Series) -> pl.Series:
    """Return the label of each number: a column of texts that takes no more room than it must."""
    return pl.Series(labels, dtype=pl.String).gather(numbers)


def beside(name: str, ending: str, taken: Iterable[str]) -> str:
    """Return a name for a column that stands beside another one: `size_bin`, or `size_bin_` if there is a `size_bin`."""
    found, others = f"{name}_{ending}", set(taken)
    while found in others:
        found += "_"
    return found
