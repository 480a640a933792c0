"""What stands around maps: axes in pixels or degrees, and lines around what differs from the average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from synthrelease.data.screen import Screen
from synthrelease.reports.axis_ticks import ticks
from synthrelease.reports.exhibits import MapFrame, Outlines, Tick
from synthrelease.reports.rasters import Map


def frame_of(screen: Screen) -> MapFrame:
    """Return the axes of maps of a screen: in degrees from its middle where the geometry is declared, else in pixels from the top left."""
    scale = screen.pixels_per_degree
    if scale is None:
        return MapFrame(ticks(0, screen.width_px), ticks(0, screen.height_px), "in px from the top left")
    right, up = screen.width_px / 2 / scale, screen.height_px / 2 / scale
    upwards = tuple(Tick(round(1 - tick.place, 4), tick.text) for tick in ticks(-up, up))
    return MapFrame(ticks(-right, right), upwards, "in degrees of visual angle from the middle, y upwards")


@dataclass(frozen=True)
class Difference:
    """Where a map differs from its average by more than its ± (95 %), shape (rows, columns)."""

    more: Map  # what is above 0 is surely more
    less: Map

    @classmethod
    def of(cls, cells: Map, half_width: Map) -> Difference:
        """Return where a map is surely above its mean, and where below."""
        from_mean = cells - cells.mean()
        return cls(from_mean - half_width, -from_mean - half_width)

    @property
    def outlines(self) -> Outlines:
        """Lines around both, as SVG has paths, in cells."""
        height, width = self.more.shape
        return Outlines(width, height, _around(self.more), _around(self.less))


def outline_words(outlines: Outlines | None) -> str:
    """Return what the lines on a map mean; "" if it is not known where there would be any."""
    if outlines is None:
        return ""
    lines = (("Solid line: above", outlines.more), ("Dashed line: below", outlines.less))
    words = " ".join(f"{where} the map's average by more than ± (95 %)." for where, path in lines if path)
    return words or (
        "Heights are too uncertain to say that any single place is above or below the map's average (95 %). Its shape may still be right."
    )


def _around(excess: Map) -> str:
    """The line between what is above 0 and the rest, which the edge of the map closes."""
    from contourpy import contour_generator  # noqa: PLC0415  with matplotlib, where a page has maps

    if not (excess > 0).any():
        return ""
    lines: Any = contour_generator(z=excess).lines(0.0)
    return "".join(
        "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in (np.asarray(line) + 0.5).tolist()) for line in lines
    )
