"""Figures of a card with their captions: a map and its uncertainty, frames of a dynamic map, curves with their bands."""

from __future__ import annotations

import io
import math

import numpy as np
from numpy.typing import NDArray

from synthrelease.number_words import listed, several, short
from synthrelease.report.exhibits import Panel, Picture, Plate, TableCell, TableExhibit
from synthrelease.report.families import Family
from synthrelease.report.figures import shown_frames, write_png
from synthrelease.report.rasters import (
    SPREAD_COLOURS,
    VALUE_COLOURS,
    Map,
    data_uri,
    map_png,
    scale,
    spread_range,
)
from synthrelease.report.signal_figures import signals_figure
from synthrelease.report.views import CurveView, MapView, OutputViews

_PX, _FRAME_PX = 480, 200  # longer side of a picture
_LISTED = 12  # curves in the table below their figure
_SERIES = 4  # participants whose series are drawn
_THIRDS = (
    ("upper left", "top", "upper right"),
    ("left", "middle", "right"),
    ("lower left", "bottom", "lower right"),
)


def plate_of(views: OutputViews, label: str) -> Plate:
    """Return the plate of a map, of a strip of maps, or of curves."""
    view = views.view(label)
    if isinstance(view, CurveView):
        return _curve_plate(view)
    return _still(view) if view.times is None else _strip(view, view.times)


def _still(view: MapView) -> Plate:
    shown, quantity = np.clip(view.cells, 0, None), view.legend.quantity
    spread = view.half_width
    top = float(shown.max())
    peak = np.unravel_index(int(shown.argmax()), shown.shape)
    words = f"Highest: {_place(shown)}, {short(top, 3)}"
    if spread is not None:
        words += f" ± {short(float(spread[peak]), 3)} (95 %)"
    size = view.legend.size_px(_PX)
    alt = f"Map of {view.subject}, {quantity}. {words}."
    panels = [_panel("released", shown, VALUE_COLOURS, size, top=top, alt=alt, unit=quantity)]
    if spread is not None:
        ends = f"from {short(float(spread.min()), 3)} to {short(float(spread.max()), 3)}"
        alt = f"Uncertainty of that map, ± (95 %): {ends}."
        bottom, top = spread_range(spread)
        heading = "± of each place (95 %; a scale of its own)"
        panels.append(
            _panel(
                heading, spread, SPREAD_COLOURS, size, bottom=bottom, top=top, alt=alt, unit=f"± {quantity}"
            )
        )
    return Plate(_capital(view.subject), tuple(panels), f"{words}. {_scale_words(view)}")


def _strip(view: MapView, times: NDArray[np.float64]) -> Plate:
    shown, quantity = np.clip(view.cells, 0, None), view.legend.quantity
    chosen, top = shown_frames(len(shown)), float(shown.max())
    size, pictures = view.legend.size_px(_FRAME_PX), []
    for number in chosen:
        frame, middle = shown[number], short(float(times[number]))
        alt = f"Map of {view.subject} around time {middle}. Highest: {_place(frame)}, {short(float(frame.max()), 3)}."
        png = map_png(frame, top=top, colours=VALUE_COLOURS, width_px=size[0], height_px=size[1])
        pictures.append(Picture(data_uri(png), *size, alt, f"t = {middle}"))
    caption = f"{len(chosen)} of {len(shown)} frames, each in the middle of its time, all on one scale. {_scale_words(view)}"
    if view.half_width is not None:
        spread = short(float(np.median(view.half_width)), 3)
        caption += f" ± {spread} (95 %, the median over the map)."
    panel = Panel("", tuple(pictures), scale(VALUE_COLOURS, top=top, unit=quantity))
    return Plate(_capital(view.subject), (panel,), caption)


def _capital(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def _panel(
    heading: str,
    cells: Map,
    colours: str,
    size: tuple[int, int],
    *,
    top: float,
    alt: str,
    unit: str,
    bottom: float = 0.0,
) -> Panel:
    png = map_png(cells, bottom=bottom, top=top, colours=colours, width_px=size[0], height_px=size[1])
    return Panel(
        heading, (Picture(data_uri(png), *size, alt),), scale(colours, bottom=bottom, top=top, unit=unit)
    )


def _scale_words(view: MapView) -> str:
    screen, blur = view.legend.screen, view.legend.blur_px
    words = f"Screen {screen.width_px} × {screen.height_px} px"
    if blur is None:
        return f"{words}."
    degrees = screen.pixels_per_degree
    return f"{words}, blur σ = {short(blur)} px" + ("." if degrees is None else f" = {blur / degrees:.2g}°.")


def _place(cells: Map) -> str:
    """Where a map is highest, in words."""
    if float(cells.max()) <= 0:
        return "nowhere"
    row, column = np.unravel_index(int(cells.argmax()), cells.shape)
    down, right = int(3 * (row + 0.5) / cells.shape[0]), int(3 * (column + 0.5) / cells.shape[1])
    return _THIRDS[down][right]


def _curve_plate(view: CurveView) -> Plate:
    descriptions, rows = [], []
    for name, (values, band) in view.curves.items():
        low, high, spread = (short(float(x)) for x in (values.min(), values.max(), np.median(band)))
        descriptions.append(f"{name} between {low} and {high}, ± {spread}")
        rows.append((name, tuple(map(TableCell, (low, high, f"± {spread}")))))
    more = f" and {len(descriptions) - _LISTED} more" if len(descriptions) > _LISTED else ""
    alt = (
        f"Line chart of {view.y_label} over {len(view.x)} points: {'; '.join(descriptions[:_LISTED])}{more}."
    )
    note = "±: 95 %, the median along the axis."
    head = ("curve", "lowest", "highest", "± (95 %)")
    table = TableExhibit(view.y_label, head, tuple(rows[:_LISTED]), note)
    return Plate(view.label, (_chart(view, alt),), "Band: ± (95 %).", table)


def series_plate(views: OutputViews, family: Family) -> Plate:
    """Return the plate of the series of a few participants."""
    view = views.first_series(family, _SERIES)
    curves = list(view.curves.values())
    values, band = np.array([curve for curve, _ in curves]), curves[0][1]
    ends = f"from {short(float(values.min()))} to {short(float(values.max()))}"
    whose = several(len(curves), "participant's", "participants'")
    alt = f"Line chart of {whose} series of {view.y_label}, {ends}."
    caption = f"{several(len(curves), 'series', 'series')}, of participants in random order."
    if band.any():
        caption += f" Band: ± {short(float(np.median(band)))} (95 %)."
    items = family.values.axes[: family.values.items]
    number = math.prod(map(len, items))
    if number > 1:
        names = " with ".join(listed([str(label) for label in axis.coordinates]) for axis in reversed(items))
        caption += f" This is the first of {number} combinations of {names}."
    return Plate(view.label, (_chart(view, alt),), caption)


def _chart(view: CurveView, alt: str) -> Panel:
    figure = signals_figure(
        view.curves, x=view.x, title="", y_label=view.y_label, x_label=view.x_label, caption=None
    )
    file = io.BytesIO()
    width, height = write_png(figure, file)
    return Panel("", (Picture(data_uri(file.getvalue()), width, height, alt),))
