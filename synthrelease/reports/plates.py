"""Figures of a card with their captions: a map and its uncertainty, frames of a dynamic map, curves with their bands."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.number_words import listed, several, short
from synthrelease.reports.exhibits import Panel, Picture, Plate, TableCell, TableExhibit
from synthrelease.reports.families import Family
from synthrelease.reports.figures import shown_frames, write_png
from synthrelease.reports.look import Look, Range, legible
from synthrelease.reports.map_frames import Difference, frame_of, outline_words
from synthrelease.reports.map_panels import Colouring, Frame, map_panel
from synthrelease.reports.rasters import SPREAD_COLOURS, VALUE_COLOURS, Map, data_uri
from synthrelease.reports.readings import chart_readings, grid_readings
from synthrelease.reports.signal_figures import signals_figure
from synthrelease.reports.views import CurveView, MapView, OutputViews

_PX, _FRAME_PX = 480, 200  # longer side of a picture
_LISTED = 12  # curves in the table below their figure
_NOTABLE = 0.25  # of the normalization: from there on its standard deviation is said
_SERIES = 4  # participants whose series are drawn
_THIRDS = (
    ("upper left", "top", "upper right"),
    ("left", "middle", "right"),
    ("lower left", "bottom", "lower right"),
)


def plate_of(views: OutputViews, label: str, look: Look) -> Plate:
    """Return the plate of a map, of a strip of maps, or of curves."""
    view = views.view(label)
    if isinstance(view, CurveView):
        return _curve_plate(view)
    return _still(view, look) if view.times is None else _strip(view, view.times, look)


def ranges_of(view: MapView) -> Iterator[tuple[str, Range]]:
    """Yield what the colours of a map's panels mean, each with the ends of a scale of the map's own."""
    values, spread = colourings(view)
    yield values.unit, values.own
    if spread is not None and view.times is None:
        yield spread.unit, spread.own


def colourings(view: MapView) -> tuple[Colouring, Colouring | None]:
    """Return what the colours of the values mean, and of their ±, each with the ends of a scale of the map's own."""
    quantity, half_width = view.legend.quantity, view.half_width
    most = max(float(cells.max()) for cells in (view.cells, view.public) if cells is not None)
    values = Colouring(VALUE_COLOURS, quantity, (0.0, max(0.0, most)))
    if half_width is None:
        return values, None
    ends = legible(float(half_width.min()), float(half_width.max()))
    return values, Colouring(SPREAD_COLOURS, f"± {quantity} (95 %)", ends)


def _still(view: MapView, look: Look) -> Plate:
    shown, quantity = np.clip(view.cells, 0, None), view.legend.quantity
    half_width, photograph = view.half_width, look.photographs.grey_uri(view.label)
    values, spread = colourings(view)
    peak = np.unravel_index(int(shown.argmax()), shown.shape)
    words = f"Highest: {_place(shown)}, {short(float(shown.max()), 3)}"
    outlines = None
    if half_width is not None:
        words += f" ± {short(float(half_width[peak]), 3)} (95 %)"
        outlines = Difference.of(shown, half_width).outlines
    words = f"{words}. {outline_words(outlines)}".strip()
    alt = f"Map of {view.subject}, {quantity}. {words}"
    common: dict[str, Any] = {"legend": view.legend, "longer_px": _PX, "look": look}
    heading = "released, over the stimulus" if photograph else "released"
    panels = [
        map_panel(
            heading,
            [Frame(shown, alt, values=view.cells, half_width=half_width)],
            values,
            outlines=outlines,
            veiled=bool(photograph),
            **common,
        )
    ]
    if half_width is not None and spread is not None:
        ends = f"from {short(float(half_width.min()), 3)} to {short(float(half_width.max()), 3)}"
        alt = f"± of each place of that map (95 %): {ends}."
        readings = grid_readings(view.cells, half_width, screen=view.legend.screen)
        frame = Frame(half_width, alt, readings=readings)
        panels.append(map_panel("± of each place (95 %)", [frame], spread, **common))
    if view.public is not None:
        alt = f"Public map of {view.subject}, from which that map starts. Highest: {_place(view.public)}, {short(float(view.public.max()), 3)}."
        panels.append(
            map_panel(
                "public map, from which it starts", [Frame(view.public, alt, is_exact=True)], values, **common
            )
        )
        words += " The public map shows nothing of participants: what both have may be of it alone."
    words = f"{words} {_together(view)}".strip()
    caption = f"{words} {_scale_words(view)} Axes {frame_of(view.legend.screen).words}."
    return Plate(_capital(view.subject), tuple(panels), caption, photograph=photograph)


def _strip(view: MapView, times: NDArray[np.float64], look: Look) -> Plate:
    shown, photograph = np.clip(view.cells, 0, None), look.photographs.grey_uri(view.label)
    chosen, frames = shown_frames(len(shown)), []
    for number in chosen:
        frame, middle = shown[number], short(float(times[number]))
        alt = f"Map of {view.subject} around time {middle}. Highest: {_place(frame)}, {short(float(frame.max()), 3)}."
        half_width = None if view.half_width is None else view.half_width[number]
        frames.append(Frame(frame, alt, f"t = {middle}", values=view.cells[number], half_width=half_width))
    caption = f"{len(chosen)} of {len(shown)} frames, each in the middle of its time, all on one scale. {_scale_words(view)}"
    if view.half_width is not None:
        median = short(float(np.median(view.half_width)), 3)
        caption += f" ± {median} (95 %, the median over the map)."
    caption = f"{caption} {_together(view)}".strip()
    values, _ = colourings(view)
    panel = map_panel(
        "", frames, values, legend=view.legend, longer_px=_FRAME_PX, look=look, veiled=bool(photograph)
    )
    return Plate(_capital(view.subject), (panel,), caption, photograph=photograph)


def _together(view: MapView) -> str:
    """That all of a map may be too high or too low; "" where that is little."""
    if view.normalization_error <= _NOTABLE:
        return ""
    return f"Heights of all peaks are uncertain together, by about {100 * view.normalization_error:.0f} % (one standard deviation), as the normalization is."


def _capital(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


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
        descriptions.append(f"{name} between {low} and {high}, ± {spread}".strip())
        rows.append((name or view.label, tuple(map(TableCell, (low, high, f"± {spread}")))))
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


def records_plate(views: OutputViews, family: Family, column: int) -> Plate:
    """Return the plate of a column of a few synthetic records that have several rows each."""
    view = views.first_records(family, column, _SERIES)
    return _records_plate(view, len(family.axes[0]), family.axes[0].name)


def few_records_plate(
    values: NDArray[np.float64], *, of: int, noun: str, title: str, x_label: str, y_label: str
) -> Plate:
    """Return the same of values of the first few synthetic records, shape (records, rows).

    Args:
        values: as above.
        of: how many records there are.
        noun: what a record is: "person".
        title: above.
        x_label: what rows are: "window".
        y_label: what values are, with their unit.
    """
    none = np.zeros(values.shape[1])
    curves = {f"{noun} {number}": (row, none) for number, row in enumerate(values, start=1)}
    view = CurveView(title, curves, np.arange(1, values.shape[1] + 1), x_label, y_label)
    return _records_plate(view, of, noun)


def _records_plate(view: CurveView, records: int, noun: str) -> Plate:
    values = np.array([curve for curve, _ in view.curves.values()])
    ends = f"from {short(float(values.min()))} to {short(float(values.max()))}"
    alt = f"Line chart of {view.y_label} of {len(values)} synthetic records, {ends}."
    caption = f"The first {len(values)} of {several(records, f'synthetic {noun}', 'synthetic records')}: not participants."
    return Plate(view.label, (_chart(view, alt),), caption)


def _chart(view: CurveView, alt: str) -> Panel:
    figure = signals_figure(
        view.curves, x=view.x, title="", y_label=view.y_label, x_label=view.x_label, caption=None
    )
    file = io.BytesIO()
    width, height = write_png(figure, file)
    readings = chart_readings(figure, view.curves, x=view.x, x_label=view.x_label)
    return Panel("", (Picture(data_uri(file.getvalue()), width, height, alt, readings=readings),))
