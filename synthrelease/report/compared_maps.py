"""An exact map next to the released one, and their difference: only for the private report."""

from __future__ import annotations

import numpy as np

from synthrelease.number_words import short
from synthrelease.report.exhibits import Panel, Picture, Plate, Scale
from synthrelease.report.figures import MapLegend, shown_frames
from synthrelease.report.rasters import VALUE_COLOURS, Map, data_uri, map_png, scale

DIFFERENCE_COLOURS = "RdBu_r"  # blue: released less than there was; red: more
_PX, _FRAME_PX, _FRAMES = 400, 160, 6


def compared_map(
    true_map: Map,
    released: Map,
    legend: MapLegend,
    *,
    title: str,
    window: tuple[float, float] | None = None,
    caption: str = "",
) -> Plate:
    """Return the exact map, the released one on the same scale, and the difference.

    Args:
        true_map: shape (rows, columns), or (frames, rows, columns).
        released: the same shape; what is negative is noise, and drawn as nothing.
        legend: of the map.
        title: of the plate.
        window: start and end of the time that frames divide.
        caption: below.
    """
    highest = max(float(true_map.max()), float(released.max()), 0.0)
    difference = released - true_map
    largest_difference = float(np.abs(difference).max())
    panels = [
        _panel(
            "exact (private)",
            true_map,
            legend,
            f"Exact map, {title}.",
            top=highest,
            window=window,
        ),
        _panel("released", released, legend, f"Released map, {title}.", top=highest, window=window),
        _panel(
            "released − exact",
            difference,
            legend,
            f"Difference of the two maps, {title}.",
            reach=largest_difference,
            window=window,
        ),
    ]
    return Plate(title, tuple(panels), f"{caption}." if caption else "")


def _panel(
    heading: str,
    cells: Map,
    legend: MapLegend,
    alt: str,
    *,
    window: tuple[float, float] | None,
    top: float = 0.0,
    reach: float | None = None,
) -> Panel:
    """A map from 0 to `top`, or one from −`reach` to `reach`."""
    colours = VALUE_COLOURS if reach is None else DIFFERENCE_COLOURS
    drawn = cells if reach is None else cells + reach
    top_of_scale = top if reach is None else 2 * reach
    size = legend.size_px(_PX if window is None else _FRAME_PX)
    frames = [(drawn, "")]
    if window is not None:
        start, end = window
        times = [start + (n + 0.5) / len(drawn) * (end - start) for n in range(len(drawn))]
        frames = [(drawn[n], f"t = {short(times[n])}") for n in shown_frames(len(drawn))[:_FRAMES]]
    pictures = tuple(
        Picture(
            data_uri(map_png(frame, top=top_of_scale, colours=colours, width_px=size[0], height_px=size[1])),
            *size,
            f"{alt} {_range_words(frame if reach is None else frame - reach, legend.quantity)}",
            label,
        )
        for frame, label in frames
    )
    colour_scale = scale(colours, top=top_of_scale, unit=legend.quantity)
    if reach is not None:
        colour_scale = Scale(
            colour_scale.colours, f"−{short(reach, 3)}", "0", f"+{short(reach, 3)}", legend.quantity
        )
    return Panel(heading, pictures, colour_scale)


def _range_words(cells: Map, unit: str) -> str:
    return f"From {short(float(cells.min()), 3)} to {short(float(cells.max()), 3)} {unit}."
