"""What a card of a page shows of an output, by the axes of its datasets: maps, courses, bars, matrices, histograms, tables of values."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.event import from_json
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.dataset import Dataset, Role
from synthrelease.number_words import grouped, listed, several, short
from synthrelease.report.exhibits import (
    Exhibit,
    HistogramExhibit,
    Panel,
    Picture,
    Plate,
    Shown,
    TableCell,
    TableExhibit,
)
from synthrelease.report.families import Family
from synthrelease.report.figures import evenly_chosen, write_png
from synthrelease.report.histograms import histogram
from synthrelease.report.rasters import SPREAD_COLOURS, VALUE_COLOURS, Map, data_uri, map_png, scale
from synthrelease.report.released import Released
from synthrelease.report.signal_figures import signals_figure
from synthrelease.report.views import CourseView, MapView, OutputViews

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PX, _FRAME_PX = 480, 200  # a picture has at most
_ROWS = 60  # of a table of values
_NAMED = 30  # rows and columns of bars and matrices
_LISTED = 12  # rows of a table beside a picture, and categories that all have room for their names
_PEOPLE = 4  # whose series are drawn
_THIRDS = (
    ("upper left", "top", "upper right"),
    ("left", "middle", "right"),
    ("lower left", "bottom", "lower right"),
)

Making = Callable[[], Exhibit]


def shown_of(released: Released, output: Mapping[str, Any], most: int) -> Shown:
    """Return what there is to see of an output, at most so many pictures."""
    views = OutputViews(released, output)
    makings = list(_makings(views))
    neighbours = Neighbours(released.manifest["privacy"]["neighbours"])
    words = views.parameters.reading(from_json(output["event"]), neighbours)
    exported = bool(views.labels())
    return Shown(
        tuple(make() for make in makings[:most]),
        tuple(words),
        max(0, len(makings) - most),
        "picture",
        exported=exported,
    )


def _makings(views: OutputViews) -> Iterator[Making]:
    """Yield what makes each exhibit: only those that are shown are made."""
    for label in views.labels():
        yield lambda label=label: _plate(views.view(label))  # type: ignore[misc]
    for family in views.courses:
        if "series" in (axis.name for axis in family.axes):
            yield lambda family=family: _few_series(views, family)  # type: ignore[misc]
    single = [family for family in views.others if _is_single(family, views)]
    if single:
        yield lambda: _values(views, single)
    for family in views.others:
        if family not in single:
            yield from _of_items(views, family)
    for dataset in views.families.records:
        if dataset.codes is not None:
            yield lambda dataset=dataset: _marginal(views, dataset)  # type: ignore[misc]


def _is_single(family: Family, views: OutputViews) -> bool:
    """Whether an item of it is one number."""
    return bool(views.parameters.part) and len(family.axes) == family.values.items


def _of_items(views: OutputViews, family: Family) -> Iterator[Making]:
    is_binned = any(one.role is Role.COORDINATE for one in family.beside)
    for index in family.values.indices():
        if is_binned:
            yield lambda index=index: _histogram(views, family, index)  # type: ignore[misc]
        elif len(family.axes) - family.values.items == 1:
            yield lambda index=index: _bars(views, family, index)  # type: ignore[misc]
        else:
            yield lambda index=index: _matrix(views, family, index)  # type: ignore[misc]


def _label(family: Family, index: tuple[int, ...]) -> str:
    axes = family.values.axes
    return ", ".join(str(axis.coordinates[n]) for axis, n in zip(axes, index, strict=False))


# Maps.


def _plate(view: MapView | CourseView) -> Plate:
    if isinstance(view, CourseView):
        return _course(view)
    return _still(view) if view.times is None else _strip(view, view.times)


def _still(view: MapView) -> Plate:
    shown, quantity = np.clip(view.cells, 0, None), view.look.quantity
    spread = view.uncertainty
    highest = float(shown.max())
    top = highest if spread is None else max(highest, float(spread.max()))
    peak = np.unravel_index(int(shown.argmax()), shown.shape)
    words = f"Highest: {_place(shown)}, {short(highest, 3)}"
    if spread is not None:
        words += f" (± {short(float(spread[peak]), 3)} there)"
    size = _size(view, _PX)
    alt = f"Map of {view.label}, {quantity}. {words}."
    panels = [_panel("published", shown, VALUE_COLOURS, size, top=top, alt=alt, unit=quantity)]
    if spread is not None:
        ends = f"from {short(float(spread.min()), 3)} to {short(float(spread.max()), 3)}"
        alt = f"Uncertainty of that map, one standard deviation: {ends}."
        heading = "uncertainty, on the same scale"
        panels.append(_panel(heading, spread, SPREAD_COLOURS, size, top=top, alt=alt, unit=quantity))
    return Plate(view.label, tuple(panels), f"{words}. {_scale_words(view)}")


def _strip(view: MapView, times: NDArray[np.float64]) -> Plate:
    shown, quantity = np.clip(view.cells, 0, None), view.look.quantity
    chosen, top = evenly_chosen(len(shown)), float(shown.max())
    size, pictures = _size(view, _FRAME_PX), []
    for number in chosen:
        frame, middle = shown[number], short(float(times[number]))
        alt = f"Map of {view.label} around time {middle}. Highest: {_place(frame)}, {short(float(frame.max()), 3)}."
        png = map_png(frame, top=top, colours=VALUE_COLOURS, width_px=size[0], height_px=size[1])
        pictures.append(Picture(data_uri(png), *size, alt, f"t = {middle}"))
    caption = f"{len(chosen)} of {len(shown)} frames, each in the middle of its time, all on one scale. {_scale_words(view)}"
    if view.uncertainty is not None:
        spread = short(float(np.median(view.uncertainty)), 3)
        caption += f" Uncertainty of a place: ± {spread} (one standard deviation, the median of all places)."
    return Plate(
        view.label, (Panel("", tuple(pictures), scale(VALUE_COLOURS, top=top, unit=quantity)),), caption
    )


def _panel(
    heading: str, cells: Map, colours: str, size: tuple[int, int], *, top: float, alt: str, unit: str
) -> Panel:
    png = map_png(cells, top=top, colours=colours, width_px=size[0], height_px=size[1])
    return Panel(heading, (Picture(data_uri(png), *size, alt),), scale(colours, top=top, unit=unit))


def _scale_words(view: MapView) -> str:
    screen, blur = view.look.screen, view.look.blur_px
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


def _size(view: MapView, most: int) -> tuple[int, int]:
    """Width and height of a picture that has the screen's form and no more than so many pixels."""
    screen = view.look.screen
    factor = min(most / screen.width_px, most / screen.height_px)
    return max(1, round(screen.width_px * factor)), max(1, round(screen.height_px * factor))


# Courses.


def _course(view: CourseView) -> Plate:
    parts, rows = [], []
    for name, (values, band) in view.curves.items():
        low, high, spread = (short(float(x)) for x in (values.min(), values.max(), np.median(band)))
        parts.append(f"{name} between {low} and {high}, ± {spread}")
        rows.append((name, tuple(map(TableCell, (low, high, f"± {spread}")))))
    more = f" and {len(parts) - _LISTED} more" if len(parts) > _LISTED else ""
    alt = f"Line chart of {view.y_label} over {len(view.x)} places: {'; '.join(parts[:_LISTED])}{more}."
    note = "Uncertainty: one standard deviation, the median along the axis."
    head = ("curve", "lowest", "highest", "uncertainty")
    table = TableExhibit(view.y_label, head, tuple(rows[:_LISTED]), note)
    return Plate(view.label, (_chart(view, alt),), "The band is ± one standard deviation.", table)


def _few_series(views: OutputViews, family: Family) -> Plate:
    view = views.few_series(family, _PEOPLE)
    curves = list(view.curves.values())
    values, band = np.array([curve for curve, _ in curves]), curves[0][1]
    ends = f"from {short(float(values.min()))} to {short(float(values.max()))}"
    whose = several(len(curves), "participant's", "participants'")
    alt = f"Line chart of {whose} series of {view.y_label}, {ends}."
    caption = f"{several(len(curves), 'series', 'series')}, of participants in random order."
    if band.any():
        caption += f" The band is ± one standard deviation: {short(float(np.median(band)))}."
    items = family.values.axes[: family.values.items]
    number = math.prod(map(len, items))
    if number > 1:
        names = " with ".join(listed([str(label) for label in axis.coordinates]) for axis in reversed(items))
        caption += f" Shown is the first of {number} combinations of {names}."
    return Plate(view.label, (_chart(view, alt),), caption)


def _chart(view: CourseView, alt: str) -> Panel:
    figure: Figure = signals_figure(
        view.curves, x=view.x, title="", y_label=view.y_label, x_label=view.x_label, caption=None
    )
    file = io.BytesIO()
    width, height = write_png(figure, file)
    return Panel("", (Picture(data_uri(file.getvalue()), width, height, alt),))


# Numbers.


def _number(value: float, quantity: str) -> str:
    return f"{100 * value:.1f} %" if quantity.startswith("proportion") else short(value)


def _bars(views: OutputViews, family: Family, index: tuple[int, ...]) -> TableExhibit:
    dataset = family.values
    values = views.released.item(views.name, dataset.path, index).tolist()
    spread = _uncertainty(views, family, index)
    error = "" if spread is None else f" ± {_number(spread, dataset.quantity)}"
    most = max(*map(abs, values), 1e-300) if not dataset.quantity.startswith("proportion") else 1.0
    axis = family.axes[-1]
    rows = [
        (str(label), (TableCell(f"{_number(value, dataset.quantity)}{error}", max(value, 0.0) / most),))
        for label, value in zip(axis.coordinates, values, strict=True)
    ]
    title = f"{_label(family, index)}: {dataset.quantity}"
    return TableExhibit(
        title, (axis.name, dataset.quantity), tuple(rows[:_NAMED]), _cut(len(rows), axis.name)
    )


def _uncertainty(views: OutputViews, family: Family, index: tuple[int, ...]) -> float | None:
    """The standard deviation of all numbers of an item, where it is the same for all."""
    beside = next((one for one in family.beside if one.role is Role.UNCERTAINTY), None)
    if beside is None:
        return None
    value = views.released.array(views.name, beside.path)[index]
    return float(value) if np.ndim(value) == 0 else None


def _matrix(views: OutputViews, family: Family, index: tuple[int, ...]) -> TableExhibit:
    dataset = family.values
    values = views.released.item(views.name, dataset.path, index)
    matrix = values.reshape(-1, values.shape[-1])[:_NAMED, :_NAMED]
    *_, down, across = family.axes
    most = float(matrix.max()) or 1.0
    square = list(down.coordinates) == list(across.coordinates)
    rows = [
        (
            str(down.coordinates[row]),
            tuple(
                TableCell("–")
                if square and row == column
                else TableCell(_number(float(x), dataset.quantity), float(x) / most)
                for column, x in enumerate(matrix[row])
            ),
        )
        for row in range(len(matrix))
    ]
    note = f"From the {down.name} of the row to the {across.name} of the column. Bars: against the largest."
    head = (down.name, *map(str, across.coordinates[:_NAMED]))
    title = f"{_label(family, index)}: {dataset.quantity}"
    return TableExhibit(title, head, tuple(rows), f"{note} {_cut(len(down), down.name)}".strip())


def _cut(number: int, noun: str) -> str:
    return f"{number - _NAMED} more along {noun} are in the bundle." if number > _NAMED else ""


def _values(views: OutputViews, families: list[Family]) -> TableExhibit:
    """Single numbers of all parts: each with its interval, if it has one."""
    rows = []
    for family in families:
        values = views.released.array(views.name, family.values.path)
        interval = next((one for one in family.beside if one.role is Role.INTERVAL), None)
        ends = None if interval is None else views.released.array(views.name, interval.path)
        for index in family.values.indices():
            between = "none" if ends is None else " to ".join(short(float(end)) for end in ends[index])
            called = f"{family.part} of {', '.join(reversed(_label(family, index).split(', ')))}"
            rows.append((called, (TableCell(short(float(values[index]))), TableCell(between))))
    left = f"{len(rows) - _ROWS} more are in the bundle." if len(rows) > _ROWS else ""
    head = (views.parameters.part, "value", "95 % interval of the noise")
    return TableExhibit("Values", head, tuple(rows[:_ROWS]), left)


def _histogram(views: OutputViews, family: Family, index: tuple[int, ...]) -> HistogramExhibit:
    dataset = family.values
    values = views.released.item(views.name, dataset.path, index)
    interval = next((one for one in family.beside if one.role is Role.INTERVAL), None)
    ends = None if interval is None else views.released.item(views.name, interval.path, index)
    edge = next(one for one in family.beside if one.role is Role.COORDINATE)
    edges = views.released.item(views.name, edge.path, index)
    low, high = short(float(edges.min())), short(float(edges.max()))
    title = f"{family.part or dataset.quantity} of {_label(family, index)}"
    alt = f"Histogram of {_label(family, index)} from {low} to {high}, {len(values)} bins, {dataset.quantity}"
    if len(values) <= _LISTED:
        alt += f": {'; '.join(short(float(value)) for value in values)}."
    else:
        alt += f", the highest {short(float(values.max()))}."
    note = f"Bars: {dataset.quantity}, from {short(float(values.min()))} to {short(float(values.max()))}."
    if ends is not None:
        note += " Whiskers: 95 % interval of the noise."
    return histogram(values, title=title, low=low, high=high, alt=alt, note=note, intervals=ends)


# Records.


def _marginal(views: OutputViews, dataset: Dataset) -> Exhibit:
    """How the categories of an attribute are distributed over the records."""
    assert dataset.codes is not None
    name, coordinates = unquote(dataset.path.rpartition("/")[2]), dataset.codes.coordinates
    counts: NDArray[np.int64] = np.zeros(len(coordinates), dtype=np.int64)
    for numbers in views.released.blocks(views.name, dataset.path):
        counts += np.bincount(numbers, minlength=len(coordinates))
    labels = _category_names(coordinates)
    if not isinstance(coordinates, np.ndarray) and len(labels) <= _LISTED:
        most, total = max(int(counts.max()), 1), max(int(counts.sum()), 1)
        rows = [
            (label, (TableCell(grouped(count), count / most), TableCell(f"{100 * count / total:.1f} %")))
            for label, count in zip(labels, counts.tolist(), strict=True)
        ]
        return TableExhibit(name, ("category", "records", "proportion"), tuple(rows))
    known = len(counts) - (isinstance(coordinates, np.ndarray) and bool(np.isnan(coordinates[-1])))
    note = f"{several(int(counts[-1]), 'record')} with a missing value." if known < len(counts) else ""
    fullest = int(counts[:known].argmax())
    alt = f"Histogram of {name} in {known} categories from {labels[0]} to {labels[known - 1]}. "
    alt += f"Most records, {grouped(counts[fullest])}, in {labels[fullest]}. {note}"
    low, high = labels[0], labels[known - 1]
    return histogram(counts[:known], title=name, low=low, high=high, alt=alt.strip(), note=note)


def _category_names(coordinates: Any) -> list[str]:
    if isinstance(coordinates, np.ndarray):
        return [short(float(middle)) for middle in coordinates]
    return [str(label) for label in coordinates]
