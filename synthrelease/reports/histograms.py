"""Histograms of a report: where bars and whiskers stand in the drawing."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synthrelease.reports.axis_ticks import ticks
from synthrelease.reports.exhibits import Bar, HistogramExhibit, Tick

_MOST = 160  # bars; more are thinner than a pixel of a phone
_GAP = 0.12  # between bars, of their width


def histogram(
    values: ArrayLike,
    *,
    title: str,
    x: tuple[Tick, ...],
    x_label: str,
    y_label: str,
    alt: str,
    note: str = "",
    intervals: ArrayLike | None = None,
    outline: ArrayLike | None = None,
) -> HistogramExhibit:
    """Return a drawing of bars; of more than 160 neighbours are added up.

    Args:
        values: height of each, shape (n,), n ≥ 1; negative ones hang below the line.
        title: what is counted.
        x: edges of the bins, as `axis_ticks` makes them.
        x_label: what is counted, with its unit.
        y_label: what bars are.
        alt: what it shows.
        note: below.
        intervals: lower and upper end of each value's error bar, shape (n, 2).
        outline: what else is counted in the same bins, drawn as a line over the bars, shape (n,).
    """
    heights = np.asarray(values, dtype=np.float64)
    ends = None if intervals is None else np.asarray(intervals, dtype=np.float64)
    outline_heights = None if outline is None else np.asarray(outline, dtype=np.float64)
    bins_per_bar = -(-len(heights) // _MOST)
    if bins_per_bar > 1:
        first = np.arange(0, len(heights), bins_per_bar)
        heights, ends = np.add.reduceat(heights, first), None
        outline_heights = None if outline_heights is None else np.add.reduceat(outline_heights, first)
        note = f"{note} Each bar is of {bins_per_bar} neighbouring bins.".strip()
    all_heights: NDArray[np.float64] = np.concatenate(
        [array.ravel() for array in (heights, ends, outline_heights) if array is not None]
    )
    most, least = max(0.0, float(all_heights.max())), min(0.0, float(all_heights.min()))
    scale = HistogramExhibit.height / ((most - least) or 1.0)
    bin_width = HistogramExhibit.width / len(heights)

    def y_of(value: float) -> float:
        return round((most - value) * scale, 2)

    bars = []
    for number, height in enumerate(heights.tolist()):
        top, bottom = y_of(max(height, 0.0)), y_of(min(height, 0.0))
        whisker = None if ends is None else (y_of(float(ends[number, 1])), y_of(float(ends[number, 0])))
        left, width = round((number + _GAP / 2) * bin_width, 2), round((1 - _GAP) * bin_width, 2)
        bars.append(Bar(left, top, width, round(bottom - top, 2), whisker))
    steps = [] if outline_heights is None else [y_of(value) for value in outline_heights.tolist()]
    path = "".join(
        f"{'V' if i else 'M0 '}{y:g}H{round((i + 1) * bin_width, 2):g}" for i, y in enumerate(steps)
    )
    y = tuple(Tick(round(1 - tick.place, 4), tick.text) for tick in ticks(least, most))
    return HistogramExhibit(title, tuple(bars), y_of(0.0), x, y, x_label, y_label, alt, note, path)
