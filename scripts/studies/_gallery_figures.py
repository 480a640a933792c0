"""The pictures of docs/evidence/gallery.md: they draw what they are given and compute nothing.

All are five inches wide with letters of nine points or more, so that they can be read at 400 pixels too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

from synthrelease.reports.rasters import VALUE_COLOURS

Numbers = NDArray[np.float64]

_WIDTH_IN, _DPI, _MAPS_DPI = 5.0, 180, 140
_INK, _BLUE, _RED, _GREY = "#222222", "#0072B2", "#D55E00", "#BBBBBB"
_PT = 9.5
_SHADES = 128  # of a picture of maps


class Row(NamedTuple):
    """A row of maps.

    Attributes:
        label: above them.
        maps: one for each image.
        correlations: CC with the exact map, written under each; none for the exact ones.
    """

    label: str
    maps: Sequence[Numbers]
    correlations: Sequence[float] = ()


def draw_maps(images: Sequence[str], rows: Sequence[Row], path: Path) -> None:
    """Maps as a table of pictures, each scaled to its own maximum."""
    across = len(images)
    wide = (_WIDTH_IN - 0.1) / across
    high = wide * 0.75
    label, under, above = 0.24, 0.2, 0.24
    tall = above + sum(high + label + under * bool(row.correlations) for row in rows) + 0.05
    figure = Figure(figsize=(_WIDTH_IN, tall), dpi=_MAPS_DPI)
    at = tall - above
    for number, image in enumerate(images):
        figure.text(
            _middle(number, wide), (at + 0.06) / tall, f"image {image}", ha="center", fontsize=_PT, color=_INK
        )
    for row in rows:
        figure.text(
            0.06 / _WIDTH_IN,
            (at - label + 0.07) / tall,
            row.label,
            fontsize=_PT,
            fontweight="bold",
            color=_INK,
        )
        at -= label + high
        for number, cells in enumerate(row.maps):
            left = 0.05 + number * wide + 0.02
            place = (left / _WIDTH_IN, at / tall, (wide - 0.04) / _WIDTH_IN, high / tall)
            axis = figure.add_axes(place)
            axis.imshow(
                np.clip(cells, 0, None), cmap=VALUE_COLOURS, vmin=0, interpolation="bilinear", aspect="auto"
            )
            axis.set_axis_off()
        if row.correlations:
            at -= under
            for number, value in enumerate(row.correlations):
                figure.text(
                    _middle(number, wide),
                    (at + 0.05) / tall,
                    f"CC {value:.2f}".replace("-", "−"),
                    ha="center",
                    fontsize=_PT,
                    color=_INK,
                )
    _save(figure, path, maps=True)


def draw_histograms(features: Mapping[str, tuple[Numbers, Mapping[str, Numbers]]], path: Path) -> None:
    """For each feature: shares of the bins, real as grey bars, others as steps; `features` maps it to edges and shares by name."""
    figure = Figure(figsize=(_WIDTH_IN, 2.1 * len(features) + 0.4), dpi=_DPI, layout="constrained")
    axes = figure.subplots(len(features), 1, squeeze=False)[:, 0]
    for axis, (feature, (edges, shares)) in zip(axes, features.items(), strict=True):
        (real, bars), *others = shares.items()
        axis.bar(edges[:-1], bars, np.diff(edges), align="edge", color=_GREY, label=real)
        for (name, steps), colour, dash in zip(others, (_BLUE, _RED, _INK), ("-", "--", ":"), strict=False):
            axis.stairs(steps, edges, color=colour, linestyle=dash, linewidth=1.8, label=name)
        axis.set_xlabel(feature, fontsize=_PT)
        _plain(axis)
    axes[len(axes) // 2].set_ylabel("share of all records", fontsize=_PT)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2, fontsize=_PT, frameon=False)
    _save(figure, path)


def draw_shares(
    names: Sequence[str], panels: Mapping[str, Mapping[str, Numbers]], errors: Mapping[str, float], path: Path
) -> None:
    """Dwell shares of areas: the first of each panel as bars, others as marks with two standard deviations of their noise."""
    figure = Figure(figsize=(_WIDTH_IN, 2.9 * len(panels) + 0.4), dpi=_DPI, layout="constrained")
    axes = figure.subplots(len(panels), 1, sharey=True, squeeze=False)[:, 0]
    place = np.arange(len(names))
    for axis, (title, shares) in zip(axes, panels.items(), strict=True):
        (exact, bars), *others = shares.items()
        axis.bar(place, 100 * bars, color=_GREY, label=exact)
        for number, ((name, points), colour, mark) in enumerate(
            zip(others, (_RED, _BLUE), ("s", "o"), strict=False)
        ):
            moved = place + 0.32 * (number - (len(others) - 1) / 2)
            spread = 200 * errors[name]
            axis.errorbar(
                moved, 100 * points, spread, fmt=mark, color=colour, markersize=4.5, linewidth=1.3, label=name
            )
        axis.set_title(title, fontsize=_PT + 0.5)
        axis.set_xticks(place, names, rotation=35, ha="right", rotation_mode="anchor")
        axis.set_ylim(bottom=0)
        axis.set_ylabel("% of attention", fontsize=_PT)
        _plain(axis)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), fontsize=_PT, frameon=False)
    _save(figure, path)


def draw_noise(counts: Numbers, values: Numbers, expected: Numbers, spread: Numbers, path: Path) -> None:
    """How often integers were drawn, and should have been, and the difference in standard deviations."""
    figure = Figure(figsize=(_WIDTH_IN, 4.2), dpi=_DPI, layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    upper.bar(values, counts, width=1.0, color=_GREY, label="drawn")
    upper.plot(values, expected, color=_BLUE, linewidth=1.6, label="exact")
    upper.set_ylabel("times", fontsize=_PT)
    upper.legend(fontsize=_PT, frameon=False)
    lower.axhspan(-2, 2, color="0.92")
    lower.plot(values, (counts - expected) / spread, ".", color=_RED, markersize=3.5)
    lower.set_ylim(-4.5, 4.5)
    lower.set_ylabel("drawn − exact,\nstandard dev.", fontsize=_PT)
    lower.set_xlabel("noise, in steps of the grid", fontsize=_PT)
    for axis in (upper, lower):
        _plain(axis)
    _save(figure, path)


def _middle(number: int, wide: float) -> float:
    return (0.05 + (number + 0.5) * wide) / _WIDTH_IN


def _plain(axis: Axes) -> None:
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(labelsize=_PT)


def _save(figure: Figure, path: Path, *, maps: bool = False) -> None:
    """Write a PNG of few colours: of maps those of the scale, and greys for letters."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    whole = Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3])
    if maps:
        scale = colormaps[VALUE_COLOURS](np.linspace(0, 1, _SHADES - 16))[:, :3]
        greys = np.repeat(np.linspace(0, 1, 16)[:, None], 3, axis=1)
        palette = Image.new("P", (1, 1))
        palette.putpalette(np.rint(255 * np.concatenate([scale, greys])).astype(np.uint8).tobytes())
        few = whole.quantize(palette=palette, dither=Image.Dither.NONE)
    else:
        few = whole.quantize(64, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(path, "PNG", optimize=True)
