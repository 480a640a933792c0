"""The pictures of docs/explanation: they draw what they are given and compute nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from studies._gallery_figures import _BLUE, _DPI, _INK, _PT, _RED, _WIDTH_IN, Numbers, _plain, _save
from synthrelease.reports.rasters import VALUE_COLOURS

_SIDE = 0.75  # height of a map over its width


class Panel(NamedTuple):
    """One map.

    Attributes:
        label: above it.
        cells: shape (rows, columns), drawn from 0 to its own maximum.
        points: horizontal and vertical places to mark, in pixels of a screen of 800 × 600; or none.
    """

    label: str
    cells: Numbers
    points: tuple[Numbers, Numbers] | None = None


def draw_panels(panels: Sequence[Panel], path: Path) -> None:
    """Maps, two in a row, each scaled to its own maximum."""
    rows = -(-len(panels) // 2)
    wide, label = _WIDTH_IN / 2, 0.26
    tall = rows * (label + (wide - 0.08) * _SIDE + 0.06)
    figure = Figure(figsize=(_WIDTH_IN, tall), dpi=_DPI)
    for number, panel in enumerate(panels):
        row, column = divmod(number, 2)
        top = tall - row * tall / rows
        left = column * wide + 0.04
        figure.text(
            left / _WIDTH_IN,
            (top - label + 0.07) / tall,
            panel.label,
            fontsize=_PT,
            fontweight="bold",
            color=_INK,
        )
        high = (wide - 0.08) * _SIDE
        axis = figure.add_axes(
            (left / _WIDTH_IN, (top - label - high) / tall, (wide - 0.08) / _WIDTH_IN, high / tall)
        )
        # The brightest thousandth is cut off, so that a single peak does not darken all else.
        most = float(np.quantile(panel.cells, 0.999))
        axis.imshow(
            np.clip(panel.cells, 0, most),
            cmap=VALUE_COLOURS,
            vmin=0,
            vmax=most,
            extent=(0, 800, 600, 0),
            aspect="auto",
        )
        if panel.points is not None:
            axis.plot(*panel.points, "+", markersize=3.5, color="white", markeredgewidth=0.5)
        axis.set(xlim=(0, 800), ylim=(600, 0))
        axis.set_axis_off()
    _save(figure, path, maps=True)


def draw_guesses(
    epsilons: Sequence[float],
    pure: Sequence[float],
    gaussian: Sequence[float],
    marked: Mapping[float, float],
    path: Path,
) -> None:
    """How often the best guess between two is right, against ε."""
    figure = Figure(figsize=(_WIDTH_IN, 3.6), dpi=_DPI, layout="constrained")
    axis = figure.subplots()
    axis.semilogx(epsilons, 100 * np.array(pure), "-", color=_INK, linewidth=2)
    axis.semilogx(epsilons, 100 * np.array(gaussian), "--", color=_BLUE, linewidth=2)
    axis.axhline(50, color=_RED, linestyle=":", linewidth=1.5)
    for epsilon, guess in marked.items():
        axis.plot(epsilon, 100 * guess, "o", color=_INK, markersize=5)
        axis.annotate(
            f"{100 * guess:.0f} %",
            (epsilon, 100 * guess),
            textcoords="offset points",
            xytext=(-5, 5),
            ha="right",
            fontsize=_PT,
            color=_INK,
        )
    axis.text(9.8, 51, "guessing without the release", fontsize=_PT, color=_INK, ha="right")
    axis.text(
        0.105,
        93,
        "solid: the most that ε allows\ndashed: Gaussian noise, δ = 10⁻⁶",
        fontsize=_PT,
        color=_INK,
        va="center",
    )
    ticks = [0.1, 0.2, 0.5, 1, 2, 5, 10]
    axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.minorticks_off()
    axis.set(xlabel="ε of one person", ylabel="best guess is right, %", ylim=(48, 101.5), xlim=(0.1, 10))
    axis.xaxis.label.set_fontsize(_PT)
    axis.yaxis.label.set_fontsize(_PT)
    _plain(axis)
    _save(figure, path)
