"""Names at the ends of lines, in place of a legend: nothing has to be matched by colour."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

TEXT_PT = 9.5
_INK = "#222222"
_WIDTH = 18  # characters of a name before it is broken
_ROW = 1.75  # height of a row in letters, were the axes as high as the picture


def name_ends(figure: Figure, axis: Axes, lines: Mapping[str, Line2D]) -> None:
    """Write the name of each line right of the axes, as near to its end as the other names let it, and lead to it.

    Names keep the order of the ends; among the places where none touches another, those with the least sum of squared
    distances are taken (isotonic regression of the heights less the names below). More names than the axes have
    room for go on above them. A line without points has no name, nor has one that is called "".

    Args:
        figure: whose layout makes room for the names.
        axis: whose limits are final, or follow from what is drawn.
        lines: by name, the lines of `axis`.
    """
    from scipy.optimize import isotonic_regression  # noqa: PLC0415  slow to import, and only lines with names need it

    axis.get_ylim()  # settles the limits
    to_axes = axis.transData + axis.transAxes.inverted()
    ends = []
    for name, line in lines.items():
        points = np.asarray(line.get_xydata(), dtype=np.float64)
        finite = points[np.isfinite(points).all(axis=1)]
        if name and len(finite):
            ends.append((*to_axes.transform(finite[-1]).tolist(), broken(name, _WIDTH, lines=3), line))
    if not ends:
        return
    ends.sort(key=lambda end: end[1])
    row = _ROW * TEXT_PT / 72 / figure.get_figheight()
    high = row * np.array([1.3 + name.count("\n") for _, _, name, _ in ends])
    stacked = np.cumsum(high) - high / 2  # where they would stand one upon the other
    at = isotonic_regression(np.array([end[1] for end in ends]) - stacked).x
    at = np.clip(at, 0, max(0, 1 - high.sum())) + stacked
    for (x, y, name, line), height in zip(ends, at.tolist(), strict=True):
        lead = {"arrowstyle": "-", "color": line.get_color(), "linewidth": 0.8, "shrinkA": 1, "shrinkB": 3}
        axis.annotate(
            name,
            xy=(x, y),
            xytext=(1.06, height),
            xycoords="axes fraction",
            textcoords="axes fraction",
            fontsize=TEXT_PT,
            color=_INK,
            va="center",
            linespacing=1.0,
            parse_math=False,
            arrowprops={**lead, "relpos": (0, 0.5)},
        )


def broken(text: str, width: int, *, lines: int) -> str:
    """Return a text in at most so many lines of so many characters, … for what has no room."""
    return textwrap.fill(text, width, max_lines=lines, placeholder=" …")
