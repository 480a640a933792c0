"""How many measurements an output has anything of: none means that the budget would buy nothing but noise. Only for the curator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import FeatureData
from synthrelease.data.gaze import GazeData

ROWS = "rows"  # of gaze, and of records

Measured = dict[str, int]


def measured_rows(data: GazeData, *, weighted: bool, window: tuple[float, float] | None = None) -> Measured:
    """Return how many rows have a weight, and lie in the time that is shown."""
    counting = np.ones(data.person.size, dtype=np.bool_)
    if weighted and data.duration is not None:
        counting &= data.duration > 0
    if window is not None and data.time is not None:
        counting &= (data.time >= window[0]) & (data.time <= window[1])
    return {ROWS: int(counting.sum())}


def measured_values(data: FeatureData, names: Sequence[str], *, by: str | None = None) -> Measured:
    """Return how many values there are of each feature, of rows that have a group."""
    grouped = slice(None) if by is None else data.column(by) >= 0
    return {name: int(_there(data.column(name)[grouped]).sum()) for name in names}


def measured_records(data: FeatureData, names: Sequence[str], *, complete: bool) -> Measured:
    """Return of how many rows a record can be made: those that have all attributes, or any."""
    present = np.stack([_there(data.column(name)) for name in names])
    return {ROWS: int((present.all(axis=0) if complete else present.any(axis=0)).sum())}


def _there(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether a value is there: −1 stands for no label."""
    present: NDArray[np.bool_] = ~np.isnan(column) if column.dtype.kind == "f" else column >= 0
    return present
