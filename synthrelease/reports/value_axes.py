"""Numbers on axes of matplotlib: points and bars with intervals, steps of histograms, matrices; in the colours of `figure_style`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.reports.figure_style import COLOURS, plain
from synthrelease.reports.look import Range
from synthrelease.reports.rasters import VALUE_COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

Numbers = NDArray[np.float64]
SIGNED_COLOURS = "RdBu_r"  # of what is below and above 0: blue and red
_FILL = 0.45  # opacity of bars, so that their intervals are seen
_TICKS = 30  # labels along an axis; of more, every so many


def draw_points(axis: Axes, names: Sequence[str], values: Numbers, ends: Numbers | None) -> None:
    """Draw a row for each value, the first at the top: a point, and its interval as a line.

    Args:
        axis: to draw on.
        names: of the rows.
        values: shape (n,).
        ends: lower and upper end of each interval, NaN where there is none, shape (n, 2); None if there are none at all.
    """
    rows = np.arange(len(values))
    if ends is not None:
        axis.hlines(rows, ends[:, 0], ends[:, 1], color=COLOURS[0], linewidth=2.5, alpha=_FILL)
    axis.plot(values, rows, "o", color=COLOURS[0], markersize=5)
    _name_rows(axis, names)


def draw_bars(axis: Axes, names: Sequence[str], values: Numbers, half_width: Numbers | None) -> None:
    """Draw a bar for each value, the first at the top, with its ± if there is one.

    Args:
        axis: to draw on.
        names: of the bars.
        values: shape (n,).
        half_width: ± of each (95 %), shape (n,).
    """
    whiskers: dict[str, Any] = {"xerr": half_width, "error_kw": {"linewidth": 1.2}, "capsize": 2.5}
    rows = np.arange(len(values))
    axis.barh(rows, values, height=0.7, color=_faded(), **({} if half_width is None else whiskers))
    _name_rows(axis, names)


def draw_histogram(axis: Axes, edges: Numbers, values: Numbers, ends: Numbers | None) -> None:
    """Draw steps, and in the middle of each its interval.

    Args:
        axis: to draw on.
        edges: of the bins, shape (n + 1,).
        values: shape (n,).
        ends: lower and upper end of each interval, shape (n, 2).
    """
    draw_steps(axis, edges, values)
    if ends is not None:
        middles = (edges[:-1] + edges[1:]) / 2
        axis.vlines(middles, ends[:, 0], ends[:, 1], color=COLOURS[6], linewidth=1.2)


def draw_steps(axis: Axes, edges: Numbers, values: Numbers, *, other: Numbers | None = None) -> None:
    """Draw a histogram as filled steps, and what it is compared with as a line.

    Args:
        axis: to draw on.
        edges: of the bins, shape (n + 1,).
        values: shape (n,).
        other: in the same bins, shape (n,).
    """
    axis.stairs(values, edges, fill=True, color=COLOURS[0], alpha=_FILL)
    if other is not None:
        axis.stairs(other, edges, color=COLOURS[6], linewidth=1.0)
    plain(axis)
    axis.margins(x=0)


def draw_matrix(axis: Axes, matrix: Numbers, *, ends: Range) -> AxesImage:
    """Draw a matrix as squares of colour, its first row at the top: blue and red if the scale has both signs.

    Args:
        axis: to draw on.
        matrix: shape (rows, columns); NaN is left blank.
        ends: the values of the first and the last colour.
    """
    colours = SIGNED_COLOURS if ends[0] < 0 else VALUE_COLOURS
    return axis.imshow(matrix, cmap=colours, vmin=ends[0], vmax=ends[1], interpolation="nearest")


def name_places(axis: Axes, rows: Sequence[str], columns: Sequence[str]) -> None:
    """Write what rows and columns of a matrix are; of many, every so many."""
    for numbers, names, turned in ((axis.set_yticks, rows, 0), (axis.set_xticks, columns, 45)):
        shown = range(0, len(names), -(-len(names) // _TICKS))
        side: dict[str, Any] = (
            {"rotation": turned, "ha": "right", "rotation_mode": "anchor"} if turned else {}
        )
        numbers(list(shown), [names[n] for n in shown], parse_math=False, **side)


def _name_rows(axis: Axes, names: Sequence[str]) -> None:
    plain(axis)
    axis.grid(visible=False, axis="y")
    shown = range(0, len(names), -(-len(names) // _TICKS))
    axis.set_yticks(list(shown), [names[n] for n in shown], parse_math=False)
    axis.set_ylim(len(names) - 0.5, -0.5)


def _faded() -> tuple[float, ...]:
    from matplotlib.colors import to_rgba  # noqa: PLC0415  slow to import

    return to_rgba(COLOURS[0], _FILL)
