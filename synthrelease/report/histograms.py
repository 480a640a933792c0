"""Histograms of a page: where bars and whiskers stand in the drawing."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synthrelease.report.exhibits import Bar, Histogram

_MOST = 160  # bars; more are thinner than a pixel of a phone
_GAP = 0.12  # between bars, of their width


def histogram(
    values: ArrayLike,
    *,
    title: str,
    low: str,
    high: str,
    alt: str,
    note: str = "",
    intervals: ArrayLike | None = None,
) -> Histogram:
    """Return a drawing of bars; of more than 160 neighbours are added up.

    Args:
        values: height of each, shape (n,), n ≥ 1; negative ones hang below the line.
        title: what is counted.
        low: left end of the axis.
        high: right end.
        alt: what it shows.
        note: below.
        intervals: lower and upper end of each value's error bar, shape (n, 2).
    """
    heights = np.asarray(values, dtype=np.float64)
    ends = None if intervals is None else np.asarray(intervals, dtype=np.float64)
    together = -(-len(heights) // _MOST)
    if together > 1:
        heights, ends = np.add.reduceat(heights, np.arange(0, len(heights), together)), None
        note = f"{note} Each bar is of {together} neighbouring bins.".strip()
    reach: NDArray[np.float64] = heights if ends is None else np.concatenate([heights, ends.ravel()])
    most, least = max(0.0, float(reach.max())), min(0.0, float(reach.min()))
    unit = Histogram.height / ((most - least) or 1.0)
    each = Histogram.width / len(heights)

    def at(value: float) -> float:
        return round((most - value) * unit, 2)

    bars = []
    for number, height in enumerate(heights.tolist()):
        top, bottom = at(max(height, 0.0)), at(min(height, 0.0))
        whisker = None if ends is None else (at(float(ends[number, 1])), at(float(ends[number, 0])))
        left, width = round((number + _GAP / 2) * each, 2), round((1 - _GAP) * each, 2)
        bars.append(Bar(left, top, width, round(bottom - top, 2), whisker))
    return Histogram(title, tuple(bars), at(0.0), low, high, alt, note)
