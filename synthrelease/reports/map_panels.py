"""Maps on a page: pictures on the scale that all maps of a release share, and on one of their own where that shows more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from synthrelease.number_words import short
from synthrelease.reports.axis_ticks import ticks
from synthrelease.reports.exhibits import Outlines, Panel, Picture, Scale
from synthrelease.reports.look import Look, Range
from synthrelease.reports.map_axes import MapLegend
from synthrelease.reports.map_frames import frame_of
from synthrelease.reports.rasters import Map, data_uri, gradient, map_png
from synthrelease.reports.readings import CELLS, FRAME_CELLS, GridReadings, grid_readings


class Frame(NamedTuple):
    """A map of a panel."""

    cells: Map  # shape (rows, columns), as it is drawn
    alt: str
    label: str = ""
    values: Map | None = None  # what is said under the pointer; None for what is drawn
    half_width: Map | None = None  # ± of it (95 %); None where none is stated
    is_exact: bool = False  # whether it has no ±
    readings: GridReadings | None = None  # those of another map, which are said on this one, too


class Colouring(NamedTuple):
    """What the colours of a panel mean."""

    colours: str  # a colour map of matplotlib
    unit: str  # what is coloured: panels of the same share a scale
    own: Range  # the ends of a scale of the panel's own
    signed: bool = False


def map_panel(
    heading: str,
    frames: Sequence[Frame],
    colouring: Colouring,
    *,
    legend: MapLegend,
    longer_px: int,
    look: Look,
    outlines: Outlines | None = None,
    veiled: bool = False,
) -> Panel:
    """Return the panel of a map, with axes, or of the frames of a strip.

    Args:
        heading: above it.
        frames: one, or several side by side, too small for axes.
        colouring: what the colours mean.
        legend: of the map.
        longer_px: the longer side of a picture.
        look: how maps are drawn.
        outlines: lines on the map.
        veiled: whether a photograph is seen through it.
    """
    width, height = legend.size_px(longer_px)
    shared = look.range_of(colouring.unit, colouring.own)
    differs = look.differs(colouring.unit, colouring.own)

    def drawn(cells: Map, ends: Range) -> str:
        bottom, top = ends
        png = map_png(
            cells,
            bottom=bottom,
            top=top,
            colours=colouring.colours,
            width_px=width,
            height_px=height,
            veil=veiled,
        )
        return data_uri(png)

    pictures = tuple(
        Picture(
            drawn(frame.cells, shared),
            width,
            height,
            frame.alt,
            frame.label,
            own=drawn(frame.cells, colouring.own) if differs else "",
            frame=frame_of(legend.screen) if len(frames) == 1 else None,
            outlines=outlines,
            veiled=veiled,
            readings=frame.readings or _readings(frame, legend, CELLS if len(frames) == 1 else FRAME_CELLS),
        )
        for frame in frames
    )
    return Panel(
        heading,
        pictures,
        _scale(colouring, shared),
        _scale(colouring, colouring.own) if differs else None,
    )


def _readings(frame: Frame, legend: MapLegend, most: tuple[int, int]) -> GridReadings:
    values = frame.cells if frame.values is None else frame.values
    return grid_readings(values, frame.half_width, screen=legend.screen, most=most, is_exact=frame.is_exact)


def _scale(colouring: Colouring, ends: Range) -> Scale:
    low, high = ends
    return Scale(
        gradient(colouring.colours),
        short(low, 3),
        short(high, 3),
        ticks(low, high, signed=colouring.signed),
        colouring.unit,
    )
