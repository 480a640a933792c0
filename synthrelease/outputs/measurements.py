"""How many measurements an output has anything of: none, and noise alone would be paid for. For the curator alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import Features
from synthrelease.data.gaze import Gaze

ROWS = "rows"  # of gaze, and of records

Measured = dict[str, int]
Measure = Callable[[Any], Measured]


def measure(output: Any) -> Measure:
    """Return what counts the measurements of some people that an output uses: by feature, or rows.

    Args:
        output: with all its public parameters; nothing but these goes along.
    """
    options = output.spec.options
    match output.spec.kind:
        case "heatmap" | "areas":
            window = tuple(map(float, options["window"])) if "window" in options else None
            return partial(_of_gaze, weighted=options.get("weight") == "duration", window=window)
        case "signals" | "statistics":
            return partial(_of_features, names=tuple(output.bounds), by=options.get("by"))
        case "records":
            names = tuple(attribute.name for attribute in output.parameters.attributes)
            return partial(_of_records, names=names, complete=options["missing"] == "drop")
    raise ValueError(f"Expected a known kind of output, found {output.spec.kind}")


def _of_gaze(data: Gaze, *, weighted: bool, window: tuple[float, ...] | None) -> Measured:
    """Rows that have a weight, and lie in the time that is shown."""
    counting = np.ones(data.person.size, dtype=np.bool_)
    if weighted and data.duration is not None:
        counting &= data.duration > 0
    if window is not None and data.time is not None:
        counting &= (data.time >= window[0]) & (data.time <= window[1])
    return {ROWS: int(counting.sum())}


def _of_features(data: Features, *, names: tuple[str, ...], by: str | None) -> Measured:
    """Values of each feature, of rows that have a group."""
    grouped = slice(None) if by is None else data.column(by) >= 0
    return {name: int(_there(data.column(name)[grouped]).sum()) for name in names}


def _of_records(data: Features, *, names: tuple[str, ...], complete: bool) -> Measured:
    """Rows of which a record can be made: those that have all attributes, or any."""
    there = np.stack([_there(data.column(name)) for name in names])
    return {ROWS: int((there.all(axis=0) if complete else there.any(axis=0)).sum())}


def _there(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether a value is there: −1 stands for no label."""
    there: NDArray[np.bool_] = ~np.isnan(column) if column.dtype.kind == "f" else column >= 0
    return there
