"""Histograms of a page: where bars and whiskers stand in the drawing."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synthrelease.report.exhibits import Bar, HistogramExhibit

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
    outline: ArrayLike | None = None,
) -> HistogramExhibit:
    """Return a drawing of bars; of more than 160 neighbours are added up.

    Args:
        values: height of each, shape (n,), n ≥ 1; negative ones hang below the line.
        title: what is counted.
        low: left end of the axis.
        high: right end.
        alt: what it shows.
        note: below.
        intervals: lower and upper end of each value's error bar, shape (n, 2).
        outline: what else is counted in the same bins, drawn as a line over the bars, shape (n,).
    """
    heights = np.asarray(values, dtype=np.float64)
    ends = None if intervals is None else np.asarray(intervals, dtype=np.float64)
    line = None if outline is None else np.asarray(outline, dtype=np.float64)
    together = -(-len(heights) // _MOST)
    if together > 1:
        first = np.arange(0, len(heights), together)
        heights, ends = np.add.reduceat(heights, first), None
        line = None if line is None else np.add.reduceat(line, first)
        note = f"{note} Each bar is of {together} neighbouring bins.".strip()
    drawn = [heights, *(other.ravel() for other in (ends, line) if other is not None)]
    reach: NDArray[np.float64] = np.concatenate(drawn)
    most, least = max(0.0, float(reach.max())), min(0.0, float(reach.min()))
    unit = HistogramExhibit.height / ((most - least) or 1.0)
    each = HistogramExhibit.width / len(heights)

    def at(value: float) -> float:
        return round((most - value) * unit, 2)

    bars = []
    for number, height in enumerate(heights.tolist()):
        top, bottom = at(max(height, 0.0)), at(min(height, 0.0))
        whisker = None if ends is None else (at(float(ends[number, 1])), at(float(ends[number, 0])))
        left, width = round((number + _GAP / 2) * each, 2), round((1 - _GAP) * each, 2)
        bars.append(Bar(left, top, width, round(bottom - top, 2), whisker))
    steps = [] if line is None else [at(value) for value in line.tolist()]
    path = "".join(f"{'V' if i else 'M0 '}{y:g}H{round((i + 1) * each, 2):g}" for i, y in enumerate(steps))
    return HistogramExhibit(title, tuple(bars), at(0.0), low, high, alt, note, path)
