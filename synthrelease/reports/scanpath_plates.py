"""Scanpaths over their stimulus, and distributions next to those of public data."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.screen import Screen
from synthrelease.kinds.distribution import ShownDistribution
from synthrelease.number_words import several, short
from synthrelease.reports.exhibits import Panel, Picture, Plate, TableCell, TableExhibit
from synthrelease.reports.figure_style import CAPTION_PT, COLOURS, new_figure
from synthrelease.reports.figures import write_png
from synthrelease.reports.look import Look
from synthrelease.reports.rasters import data_uri
from synthrelease.reports.value_axes import draw_steps

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Numbers = NDArray[np.float64]

_DRAWN, _ACROSS = 4, 2  # scanpaths of a stimulus
_WIDTH_IN, _TITLE_IN, _GAP_IN = 5.0, 0.22, 0.08
_PLOT_IN, _NUMBER_IN = 0.8, 0.3
_LARGEST_PT = 15.0  # of a circle, for the longest fixation
_LIGHT = 0.45  # how strongly a photograph is drawn
_TITLE_PT = 9.0


def scanpaths_plate(fixations: Numbers, *, stimulus: str, screen: Screen, of: int, look: Look) -> Plate:
    """Return the first few scanpaths of a stimulus, each on the photograph or an empty screen.

    Args:
        fixations: x and y in pixels, onset and duration in milliseconds, all 0 where there is none, shape (scanpaths, fixations, 4).
        stimulus: its name.
        screen: that it was shown on.
        of: how many scanpaths there are.
        look: with photographs.
    """
    shown = [path[path[:, 3] > 0] for path in fixations[:_DRAWN]]
    figure = _paths_figure(shown, screen, look.photographs.pixels(stimulus))
    lengths = ", ".join(
        f"{len(path)} fixations in {short(float(path[-1, 2] + path[-1, 3]) / 1000, 2)} s" for path in shown
    )
    alt = f"{several(len(shown), 'synthetic scanpath')} on stimulus {stimulus}: {lengths}."
    caption = (
        f"The first {len(shown)} of {several(of, 'synthetic scanpath')}, which are not participants'. Circles: fixations, numbered in their order, the larger the longer; the longest "
        f"takes {max(float(path[:, 3].max()) for path in shown):.0f} ms."
    )
    return Plate(f"Scanpaths on stimulus {stimulus}", (_panel(figure, alt),), caption)


def _paths_figure(paths: Sequence[Numbers], screen: Screen, photograph: NDArray[np.uint8] | None) -> Figure:
    across = min(_ACROSS, len(paths))
    down = -(-len(paths) // across)
    panel_in = (_WIDTH_IN - _GAP_IN * (across - 1)) / across
    high_in = panel_in * screen.height_px / screen.width_px
    height_in = down * (high_in + _TITLE_IN)
    figure = new_figure("", "", height_in=height_in)
    figure.set_layout_engine("none")  # placed by hand, as all panels have the screen's form
    longest = max(float(path[:, 3].max()) for path in paths)
    for number, path in enumerate(paths):
        row, column = divmod(number, across)
        axis = figure.add_axes(
            (
                column * (panel_in + _GAP_IN) / _WIDTH_IN,
                1 - ((row + 1) * (high_in + _TITLE_IN)) / height_in,
                panel_in / _WIDTH_IN,
                high_in / height_in,
            )
        )
        draw_scanpath(axis, path, screen, longest=longest, stimulus=photograph)
        axis.set(xticks=[], yticks=[])
        axis.set_title(f"scanpath {number + 1}", fontsize=_TITLE_PT, pad=3)
    return figure


def draw_scanpath(
    axis: Axes, path: Numbers, screen: Screen, *, longest: float, stimulus: NDArray[np.uint8] | None = None
) -> None:
    """Draw fixations as circles, numbered in their order, in pixels of the screen from its top left.

    Args:
        axis: to draw on.
        path: x and y in pixels, onset and duration in milliseconds, shape (fixations, 4).
        screen: that it is on.
        longest: the duration of the largest circle.
        stimulus: the picture below, shape (height, width, 3); drawn in light grey.
    """
    width, height = screen.width_px, screen.height_px
    if stimulus is not None:
        grey = stimulus.mean(axis=-1)
        axis.imshow(
            grey, cmap="gray", vmin=0, vmax=255, extent=(0, width, height, 0), alpha=_LIGHT, aspect="auto"
        )
    colour = COLOURS[1]
    axis.plot(path[:, 0], path[:, 1], color=colour, linewidth=1.0, zorder=2)
    sizes = _LARGEST_PT**2 * path[:, 3] / longest
    axis.scatter(path[:, 0], path[:, 1], s=sizes, color=colour, alpha=0.55, linewidths=0, zorder=3)
    for number, (x, y) in enumerate(path[:, :2], start=1):
        axis.annotate(
            str(number), (x, y), fontsize=CAPTION_PT - 1.5, ha="center", va="center", zorder=4, color="black"
        )
    axis.set(xlim=(0, width), ylim=(height, 0))
    axis.spines[:].set_color("#BBBBBB")


def movements_plate(distributions: Sequence[ShownDistribution]) -> Plate:
    """Return distributions as bars, with those without data as lines."""
    rows, words = [], []
    for one in distributions:
        middle, before = (_median(one.edges, shares) for shares in (one.released, one.without_data))
        apart = short(float(np.abs(one.released - one.without_data).sum() / 2), 2)
        rows.append((one.name, tuple(map(TableCell, (short(middle, 3), short(before, 3), apart)))))
        words.append(f"{one.name}, median {short(middle, 3)}")
    head = ("distribution", "median", "median without data", "total variation distance")
    alt = f"Histograms: {'; '.join(words)}."
    caption = (
        "Bars: released. Line: other people in public data, which is what would be released without any data."
    )
    table = TableExhibit("Movements and fixations", head, tuple(rows))
    return Plate("Movements and fixations", (_panel(_movements_figure(distributions), alt),), caption, table)


def _movements_figure(distributions: Sequence[ShownDistribution]) -> Figure:
    down = -(-len(distributions) // 2)
    row_in = _TITLE_IN + _PLOT_IN + _NUMBER_IN
    figure = new_figure("", "", height_in=row_in * down)
    figure.set_layout_engine("none")
    for number, one in enumerate(distributions):
        row, column = divmod(number, 2)
        bottom = 1 - (row * row_in + _TITLE_IN + _PLOT_IN) / (row_in * down)
        axis = figure.add_axes((0.03 + 0.5 * column, bottom, 0.44, _PLOT_IN / (row_in * down)))
        widths = np.diff(one.edges)  # of bins that are as wide as public data call for
        draw_steps(axis, one.edges, one.released / widths, other=one.without_data / widths)
        axis.set_yticks([])
        axis.set_xlim(0, _shown_end(one))
        axis.locator_params(axis="x", nbins=5)
        axis.set_title(one.name, fontsize=_TITLE_PT, parse_math=False)
    return figure


def _shown_end(one: ShownDistribution) -> float:
    """Where 99 % of both are below, as long tails would leave no room."""
    shares = np.append(0.0, np.cumsum(one.released + one.without_data) / 2)
    return float(np.interp(0.99, shares, one.edges))


def _median(edges: Numbers, shares: Numbers) -> float:
    up_to = np.append(0.0, np.cumsum(shares) / shares.sum())
    return float(np.interp(0.5, up_to, edges))


def _panel(figure: Figure, alt: str) -> Panel:
    file = io.BytesIO()
    width, height = write_png(figure, file)
    return Panel("", (Picture(data_uri(file.getvalue()), width, height, alt),))
