"""Maps on axes of matplotlib: the one way in which figures, exported pictures and `.plot` draw them."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.screen import Screen
from synthrelease.reports.look import Range
from synthrelease.reports.rasters import OPACITY, Map

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage
    from matplotlib.transforms import Bbox

_LEVELS = 6  # of contours, at most
_LABEL = 27  # characters in a line of a colour bar's label
_SLIM = 20  # times as high as wide, a colour bar


@dataclass(frozen=True)
class MapLegend:
    """What a reader needs to know of a map: its screen, its blur, and what its values are."""

    screen: Screen  # with the geometry if that is declared
    blur_px: float | None  # σ_b, in pixels of the screen, if it has one
    quantity: str  # for the colour scale

    def size_px(self, longer_side_px: int) -> tuple[int, int]:
        """Return width and height of a picture that has the screen's form."""
        factor = longer_side_px / max(self.screen.width_px, self.screen.height_px)
        return max(1, round(self.screen.width_px * factor)), max(1, round(self.screen.height_px * factor))


def draw_map(
    axis: Axes,
    cells: Map,
    screen: Screen,
    *,
    ends: Range,
    colours: str,
    stimulus: NDArray[np.uint8] | None = None,
    opacity: float = OPACITY,
) -> AxesImage:
    """Draw a map in pixels of its screen, the origin at the top left; over its stimulus, if that is given, the fainter the smaller the value.

    Args:
        axis: to draw on.
        cells: shape (rows, columns).
        screen: that the map covers.
        ends: the values of the first and the last colour.
        colours: a colour map of matplotlib.
        stimulus: the picture that was looked at, shape (height, width, 3); drawn in grey.
        opacity: of the last colour over the stimulus.
    """
    bottom, top = ends[0], max(ends[1], 1e-300)
    extent = (0, screen.width_px, screen.height_px, 0)
    alpha: float | Map = 1.0
    if stimulus is not None:
        axis.imshow(stimulus.mean(axis=-1), extent=extent, cmap="gray", vmin=0, vmax=255)
        alpha = opacity * np.sqrt(np.clip(cells / top, 0, 1))
    return axis.imshow(
        cells, interpolation="bicubic", extent=extent, cmap=colours, vmin=bottom, vmax=top, alpha=alpha
    )


def draw_contours(axis: Axes, cells: Map, screen: Screen, *, ends: Range, colours: str) -> None:
    """Draw lines of equal value, at round numbers between the ends; of one value only, none."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415  slow to import

    low, high = max(ends[0], float(cells.min())), min(ends[1], float(cells.max()))
    if not high > low:
        return
    levels = [level for level in MaxNLocator(_LEVELS).tick_values(low, high) if low < level < high]
    rows, columns = cells.shape
    x = (np.arange(columns) + 0.5) * screen.width_px / columns
    y = (np.arange(rows) + 0.5) * screen.height_px / rows
    common: dict[str, Any] = {"levels": levels, "zorder": 3}
    # A dark line under each: colours of low values would not be seen on a dark ground.
    axis.contour(x, y, cells, colors="white", linewidths=2.2, alpha=0.7, **common)
    axis.contour(x, y, cells, cmap=colours, vmin=ends[0], vmax=ends[1], linewidths=1.2, **common)


def draw_colour_bar(axis: Axes, image: AxesImage, label: str, *, into: Axes | None = None) -> None:
    """Draw what the colours of a map mean, without what is seen through them: next to its axes and as high as they are, or into others."""
    figure = axis.figure
    bar = figure.colorbar(image, ax=axis) if into is None else figure.colorbar(image, cax=into)
    bar.set_label(label if into is not None else textwrap.fill(label, _LABEL))
    if bar.solids is not None:
        bar.solids.set_alpha(1)
    if into is None:
        bar.ax.set_box_aspect(None)
        bar.ax.set_axes_locator(_beside(axis))


def _beside(axis: Axes) -> Callable[[Any, object], Bbox]:
    """Where a colour bar is: a map seldom has the form of the room that it is given, and the bar would be higher."""
    from matplotlib.transforms import Bbox  # noqa: PLC0415  slow to import

    def place(bar: Any, _renderer: object) -> Bbox:
        axis.apply_aspect()
        box, room = axis.get_position(), axis.get_position(original=True)
        gap = bar.get_position(original=True).x0 - room.x1
        wide, high = axis.figure.bbox.width, axis.figure.bbox.height
        return Bbox.from_bounds(box.x1 + gap, box.y0, box.height * high / wide / _SLIM, box.height)

    return place


def draw_scale_bar(axis: Axes, legend: MapLegend) -> None:
    """Draw a bar of a round number of pixels, and state the blur, in degrees too where the geometry is known."""
    screen = legend.screen
    length = _round_number(screen.width_px / 5)
    y, x = screen.height_px * 0.94, screen.width_px * 0.04
    axis.plot([x, x + length], [y, y], color="white", linewidth=3, solid_capstyle="butt")
    degrees = screen.pixels_per_degree
    lengths = {"": length, "blur σ ": legend.blur_px}
    words = []
    for what, pixels in lengths.items():
        if pixels is not None:
            digits = ".1f" if not what else ".2g"
            words.append(
                f"{what}{pixels:g} px" + ("" if degrees is None else f" = {pixels / degrees:{digits}}°")
            )
    axis.text(
        x,
        y - screen.height_px * 0.025,
        "   ".join(words),
        color="white",
        fontsize=8,
        va="bottom",
        bbox={"facecolor": "black", "alpha": 0.35, "linewidth": 0, "pad": 1.5},
    )


def _round_number(most: float) -> float:
    """The largest number up to `most` that is 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(most))
    return max(step * power for step in (1, 2, 5) if step * power <= most)
