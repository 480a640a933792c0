"""Figures of maps, in the colours of `rasters`."""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from synthrelease.reports.look import Range, legible
from synthrelease.reports.map_axes import MapLegend, draw_colour_bar, draw_map, draw_scale_bar
from synthrelease.reports.rasters import SPREAD_COLOURS, VALUE_COLOURS, Map, map_pixels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

Pixels = NDArray[np.uint8]
_PANEL_IN, _MAP_IN = 7.2, 5.75  # width of a map with its scale, and of the map only
_FRAMES = 12  # of a strip; more are too small to see


def map_figure(
    cells: Map,
    legend: MapLegend,
    *,
    title: str,
    caption: str = "",
    half_width: Map | None = None,
    stimulus: Pixels | None = None,
) -> Figure:
    """Draw a heatmap, alone or over its stimulus, with its ± below it if that is given.

    Args:
        cells: shape (rows, columns); what is negative is noise, and is drawn as nothing.
        legend: of the map.
        title: above.
        caption: below.
        half_width: ± of every cell (95 %), in the same unit.
        stimulus: the picture that was looked at, shape (height, width, 3).
    """
    from matplotlib.figure import Figure  # noqa: PLC0415  slow to import

    shown = np.clip(cells, 0, None)
    drawn = [(shown, VALUE_COLOURS, legend.quantity, (0.0, float(shown.max())))]
    if half_width is not None:
        drawn.append(
            (
                half_width,
                SPREAD_COLOURS,
                f"± {legend.quantity} (95 %)",
                legible(float(half_width.min()), float(half_width.max())),
            )
        )
    # Placed by hand: a layout that is solved for takes longer than all the drawing, and there may be a thousand maps.
    map_in = _MAP_IN * legend.screen.height_px / legend.screen.width_px
    caption_lines = _filled(caption, _PANEL_IN)
    below_in = 0.25 + 0.15 * len(caption_lines.splitlines()) if caption_lines else 0.15
    between_in = 0.35  # for the heading of the panel below
    above_in = 0.75 if len(drawn) > 1 else 0.5
    width_in = _PANEL_IN
    height_in = below_in + map_in * len(drawn) + between_in * (len(drawn) - 1) + above_in
    figure = Figure(figsize=(width_in, height_in), dpi=120)

    def axes_at(panel: int, x_in: float, width: float, height: float) -> Axes:
        """Axes that begin so far from the left, in the middle of the height of a panel."""
        y_in = below_in + (len(drawn) - 1 - panel) * (map_in + between_in) + (map_in - height) / 2
        return figure.add_axes((x_in / width_in, y_in / height_in, width / width_in, height / height_in))

    headings = ("released", "± of each place (95 %), on a scale of its own")
    for panel, (values, colours, label, ends) in enumerate(drawn):
        axis = axes_at(panel, 0.15, _MAP_IN, map_in)
        bar = axes_at(panel, 0.3 + _MAP_IN, 0.18, 0.8 * map_in)
        under = stimulus if panel == 0 else None
        image = _show(axis, values, legend, ends=ends, colours=colours, stimulus=under)
        if under is None:
            _replace(image, axis, values, ends, colours)
        draw_colour_bar(axis, image, label, into=bar)
        if panel == 0:
            draw_scale_bar(axis, legend)
        if len(drawn) > 1:
            axis.set_title(headings[panel], fontsize=10)
    figure.suptitle(title, fontsize=12, parse_math=False, y=1 - 0.12 / height_in, va="top")
    if caption_lines:
        figure.supxlabel(caption_lines, fontsize=8, y=0.1 / height_in, va="bottom", parse_math=False)
    return figure


def strip_figure(
    frames: Map,
    legend: MapLegend,
    *,
    times: NDArray[np.float64],
    title: str,
    caption: str = "",
    stimulus: Pixels | None = None,
) -> Figure:
    """Draw a dynamic heatmap as a strip of at most 12 frames, evenly spaced, all on one scale.

    Args:
        frames: shape (frames, rows, columns).
        legend: of the map.
        times: the middle of every frame, shape (frames,).
        title: above.
        caption: below.
        stimulus: the picture that was looked at, shape (height, width, 3).
    """
    from matplotlib.figure import Figure  # noqa: PLC0415  slow to import

    chosen = shown_frames(len(frames))
    across = min(3, len(chosen))
    down = -(-len(chosen) // across)
    ratio = legend.screen.height_px / legend.screen.width_px
    figure = Figure(
        figsize=(3.1 * across + 0.8, (3.1 * ratio + 0.35) * down + 0.9), dpi=120, layout="constrained"
    )
    axes = np.atleast_1d(figure.subplots(down, across)).ravel()
    shown = np.clip(frames, 0, None)
    ends = (0.0, float(shown.max()))
    for axis, number in zip(axes, chosen, strict=False):
        middle = float(times[number])
        image = _show(axis, shown[number], legend, ends=ends, colours=VALUE_COLOURS, stimulus=stimulus)
        axis.set_title(f"t = {middle:.4g}", fontsize=11)
    for axis in axes[len(chosen) :]:
        axis.set_visible(False)
    draw_scale_bar(axes[0], legend)
    bar = figure.colorbar(image, ax=axes.tolist(), shrink=0.7)
    bar.set_label(legend.quantity)
    figure.suptitle(title, fontsize=12, parse_math=False)
    if caption:
        caption_lines = _filled(caption, 0.8 * figure.get_figwidth())  # of larger letters
        figure.supxlabel(caption_lines, fontsize=10, parse_math=False)
    return figure


def comparison_figure(
    rows: Mapping[str, Mapping[str, Map]], legend: MapLegend, *, title: str, caption: str
) -> Figure:
    """Draw maps as a table of pictures, each scaled to its own maximum.

    Args:
        rows: maps of shape (rows, columns), by label of the row and title of the column.
        legend: of the maps.
        title: above everything.
        caption: below everything.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415  slow to import

    columns: Sequence[str] = list(next(iter(rows.values())))
    figure = Figure(figsize=(3.7 * len(columns) + 1.2, 2.6 * len(rows) + 0.9), dpi=120, layout="compressed")
    axes = figure.subplots(len(rows), len(columns), squeeze=False)
    for r, (label, maps) in enumerate(rows.items()):
        for c, column in enumerate(columns):
            axis = axes[r][c]
            shown = np.clip(maps[column], 0, None)
            relative = shown / max(float(shown.max()), 1e-300)
            image = _show(axis, relative, legend, ends=(0.0, 1.0), colours=VALUE_COLOURS)
            if r == 0:
                axis.set_title(column, fontsize=11, parse_math=False)
            if c == 0:
                axis.set_ylabel(label, fontsize=11, parse_math=False)
    draw_scale_bar(axes[0][0], legend)
    bar = figure.colorbar(image, ax=axes, shrink=0.7, ticks=[0, 1])
    bar.ax.set_yticklabels(["none", "most"])
    bar.set_label("attention, relative to the map's maximum")
    figure.suptitle(title, fontsize=13, parse_math=False)
    figure.supxlabel(caption, fontsize=9)
    return figure


def shown_frames(frames: int) -> list[int]:
    """Return the numbers of the frames that a strip shows: the first, the last, and some evenly between, 12 at most."""
    return sorted({round(number) for number in np.linspace(0, frames - 1, min(_FRAMES, frames)).tolist()})


def _filled(text: str, width_in: float) -> str:
    """Text in lines that a figure has room for at 8 points: a guarantee is not cut off at the edge."""
    return "\n".join(textwrap.fill(line, int(15 * width_in)) for line in text.split("\n"))


def save_png(figure: Figure, path: Path) -> None:
    """Write a PNG that is the same for the same picture."""
    with path.open("wb") as file:
        write_png(figure, file)


def write_png(figure: Figure, file: BinaryIO) -> tuple[int, int]:
    """Write such a PNG to an open file, and return its width and height. Drawn once, where `savefig` draws twice."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415  slow to import
    from PIL import Image  # noqa: PLC0415  slow to import

    canvas = FigureCanvasAgg(figure)
    with warnings.catch_warnings():
        # A script that the font lacks stands as boxes; pages and READMEs have the label.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        canvas.draw()  # type: ignore[no-untyped-call]
    image = Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3])  # type: ignore[no-untyped-call]  # the ground of a figure is opaque
    image.save(file, "PNG", compress_level=4)
    return image.size


def _show(
    axis: Axes, cells: Map, legend: MapLegend, *, ends: Range, colours: str, stimulus: Pixels | None = None
) -> AxesImage:
    """A map without numbers on its axes."""
    image = draw_map(axis, cells, legend.screen, ends=ends, colours=colours, stimulus=stimulus)
    axis.set_xticks([])
    axis.set_yticks([])
    return image


def _replace(image: AxesImage, axis: Axes, cells: Map, ends: Range, colours: str) -> None:
    """Put ready pixels in the place of a map whose size in the picture is known: they take half the time of matplotlib's."""
    size = axis.get_window_extent()
    wide, high = round(size.width), round(size.height)
    bottom, top = ends[0], max(ends[1], 1e-300)
    pixels = map_pixels(cells, bottom=bottom, top=top, colours=colours, width_px=wide, height_px=high)
    image.set_visible(False)
    axis.imshow(pixels, extent=image.get_extent(), interpolation="nearest")
