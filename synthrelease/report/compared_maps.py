"""A true map beside the released one, and what they differ by: for the curator's page alone."""

from __future__ import annotations

import numpy as np

from synthrelease.number_words import short
from synthrelease.report.exhibits import Panel, Picture, Plate, Scale
from synthrelease.report.figures import Look, evenly_chosen
from synthrelease.report.rasters import VALUE_COLOURS, Map, data_uri, map_png, scale

DIFFERENCE_COLOURS = "RdBu_r"  # blue: released less than there was; red: more
_PX, _FRAME_PX, _FRAMES = 400, 160, 6


def compared_map(
    truth: Map,
    released: Map,
    look: Look,
    *,
    title: str,
    window: tuple[float, float] | None = None,
    caption: str = "",
) -> Plate:
    """Return the true map, the released one on the same scale, and the difference.

    Args:
        truth: shape (rows, columns), or (frames, rows, columns).
        released: the same shape; what is negative is noise, and drawn as nothing.
        look: what the map was made for.
        title: of the plate.
        window: start and end of the time that frames divide.
        caption: below.
    """
    top = max(float(truth.max()), float(released.max()), 0.0)
    apart = released - truth
    most = float(np.abs(apart).max())
    panels = [
        _panel(
            "the truth, which stays private", truth, look, f"True map of {title}.", top=top, window=window
        ),
        _panel("released", released, look, f"Released map of {title}.", top=top, window=window),
        _panel(
            "released less true",
            apart,
            look,
            f"Difference of both maps of {title}.",
            most=most,
            window=window,
        ),
    ]
    return Plate(title, tuple(panels), f"{caption}." if caption else "")


def _panel(
    heading: str,
    cells: Map,
    look: Look,
    alt: str,
    *,
    window: tuple[float, float] | None,
    top: float = 0.0,
    most: float | None = None,
) -> Panel:
    """A map from 0 to `top`, or one from −most to most."""
    colours = VALUE_COLOURS if most is None else DIFFERENCE_COLOURS
    drawn = cells if most is None else cells + most
    full = top if most is None else 2 * most
    size = _size(look, _PX if window is None else _FRAME_PX)
    frames = [(drawn, "")]
    if window is not None:
        start, end = window
        times = [start + (n + 0.5) / len(drawn) * (end - start) for n in range(len(drawn))]
        frames = [(drawn[n], f"t = {short(times[n])}") for n in evenly_chosen(len(drawn))[:_FRAMES]]
    pictures = tuple(
        Picture(
            data_uri(map_png(frame, top=full, colours=colours, width_px=size[0], height_px=size[1])),
            *size,
            f"{alt} {_told(frame if most is None else frame - most, look.quantity)}",
            label,
        )
        for frame, label in frames
    )
    shown = scale(colours, top=full, unit=look.quantity)
    if most is not None:
        shown = Scale(shown.colours, f"−{short(most, 3)}", f"+{short(most, 3)}", look.quantity)
    return Panel(heading, pictures, shown)


def _told(cells: Map, unit: str) -> str:
    return f"From {short(float(cells.min()), 3)} to {short(float(cells.max()), 3)} {unit}."


def _size(look: Look, most: int) -> tuple[int, int]:
    """Width and height of a picture that has the screen's form."""
    factor = most / max(look.screen.width_px, look.screen.height_px)
    return max(1, round(look.screen.width_px * factor)), max(1, round(look.screen.height_px * factor))
