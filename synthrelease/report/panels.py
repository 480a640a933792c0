"""What a card of a report shows of an output, by the axes of its datasets: plates (`plates`), bars, matrices, histograms, tables of values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.event import from_json
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.dataset import Dataset, Role
from synthrelease.number_words import grouped, several, short
from synthrelease.report.area_plates import DrawnAreas
from synthrelease.report.axis_ticks import edge_ticks, end_ticks
from synthrelease.report.exhibits import (
    Exhibit,
    HistogramExhibit,
    OutputExhibits,
    Plate,
    TableCell,
    TableExhibit,
    Tick,
)
from synthrelease.report.families import Family, dataset_name
from synthrelease.report.histograms import histogram
from synthrelease.report.look import Look, Range, joined
from synthrelease.report.plates import plate_of, ranges_of, records_plate, series_plate
from synthrelease.report.population_panels import PopulationPanels
from synthrelease.report.released import Released
from synthrelease.report.scanpath_plates import movements_plate, scanpaths_plate
from synthrelease.report.views import MapView, OutputViews

_ROWS = 60  # of a table of values
_NAMED = 30  # rows and columns of bars and matrices
_COLUMNS = 2  # of records with several rows each
_LISTED = 12  # categories that all have room for their names

ExhibitMaker = Callable[[], Exhibit]


def exhibits_of(released: Released, output: dict[str, Any], most: int, look: Look) -> OutputExhibits:
    """Return what there is to see of an output: at most so many exhibits."""
    views = OutputViews(released, output)
    makers = list(_exhibit_makers(views, look))
    neighbours = Neighbours(released.manifest["privacy"]["neighbours"])
    words = views.parameters.reading(from_json(output["event"]), neighbours)
    return OutputExhibits(
        tuple(make() for make in makers[:most]),
        tuple(words),
        max(0, len(makers) - most),
        exported=bool(views.labels()),
    )


def shared_ranges(released: Released, most: int) -> dict[str, Range]:
    """Return the ends of the scales of the maps that a page shows: at most so many of an output."""
    return joined(
        range_of_map
        for output in released.manifest["outputs"]
        for views in [OutputViews(released, output)]
        for label in views.labels()[:most]
        if isinstance(view := views.view(label), MapView)
        for range_of_map in ranges_of(view)
    )


def _exhibit_makers(views: OutputViews, look: Look) -> Iterator[ExhibitMaker]:
    """Yield a function for each exhibit, to make only those that are shown."""
    paths = [family for family in views.families.tables if family.values.present]
    yield from _first_scanpaths(views, paths[:1], look)
    for label in views.labels():
        yield partial(plate_of, views, label, look)
    for family in paths:
        for number in range(1, len(family.axes[0])):
            yield partial(_scanpaths, views, family, number, look)
    for family in views.curves:
        if "series" in (axis.name for axis in family.axes):
            yield partial(series_plate, views, family)
    population = PopulationPanels(views)
    yield from population.contrasts()
    yield from population.plates()
    single = [
        family for family in views.tabular if _is_single(family, views) and family not in population.families
    ]
    if single:
        yield partial(_values, views, single)
    yield from _of_records(views)
    yield from population.tables()
    for family in views.tabular:
        if family not in single and family not in population.families:
            yield from _of_items(views, family, look)


def _first_scanpaths(views: OutputViews, paths: Sequence[Family], look: Look) -> Iterator[ExhibitMaker]:
    """Those on the first stimulus, and how eyes move in all of them, if that is known."""
    for family in paths:
        yield partial(_scanpaths, views, family, 0, look)
        if distributions := views.parameters.distributions(partial(views.released.array, views.name)):
            yield partial(movements_plate, distributions)


def _scanpaths(views: OutputViews, family: Family, number: int, look: Look) -> Plate:
    assert views.parameters.map_scale is not None
    dataset, screen = family.values, views.parameters.map_scale[0]
    values = views.released.item(views.name, dataset.path, (number,)).astype(np.float64)
    stimulus = str(family.axes[0].coordinates[number])
    return scanpaths_plate(values, stimulus=stimulus, screen=screen, of=len(values), look=look)


def _of_records(views: OutputViews) -> Iterator[ExhibitMaker]:
    """Those of synthetic records: with several rows each a few of them, else the categories of each attribute."""
    for family in views.families.tables:
        if family.values.present:
            continue  # scanpaths
        for column in range(min(_COLUMNS, len(family.values.axes[-1]))):
            yield partial(records_plate, views, family, column)
    for dataset in views.families.records:
        if dataset.codes is not None:
            yield partial(_marginal, views, dataset)


def _is_single(family: Family, views: OutputViews) -> bool:
    """Whether an item of it is one number."""
    return bool(views.parameters.part) and len(family.axes) == family.values.items


def _of_items(views: OutputViews, family: Family, look: Look) -> Iterator[ExhibitMaker]:
    is_binned = family.with_role(Role.COORDINATE) is not None
    for index in family.values.indices():
        if len(family.axes) - family.values.items == 1 and views.parameters.shapes(_labels(family, index)[0]):
            yield partial(_on_stimulus, views, family, index, look)
        if is_binned:
            yield partial(_histogram, views, family, index)
        elif len(family.axes) - family.values.items == 1:
            yield partial(_bars, views, family, index)
        else:
            yield partial(_matrix, views, family, index)


def _labels(family: Family, index: tuple[int, ...]) -> list[str]:
    axes = family.values.axes
    return [str(axis.coordinates[n]) for axis, n in zip(axes, index, strict=False)]


def _label(family: Family, index: tuple[int, ...]) -> str:
    return ", ".join(_labels(family, index))


def _number(value: float, quantity: str) -> str:
    return f"{100 * value:.1f} %" if quantity.startswith("proportion") else short(value)


def _bars(views: OutputViews, family: Family, index: tuple[int, ...]) -> TableExhibit:
    dataset = family.values
    values = views.released.item(views.name, dataset.path, index).tolist()
    half_width = _half_width(views, family, index)
    error = "" if half_width is None else f" ± {_number(half_width, dataset.quantity)}"
    most = max(*map(abs, values), 1e-300) if not dataset.quantity.startswith("proportion") else 1.0
    axis = family.axes[-1]
    rows = [
        (str(label), (TableCell(f"{_number(value, dataset.quantity)}{error}", max(value, 0.0) / most),))
        for label, value in zip(axis.coordinates, values, strict=True)
    ]
    title = f"{_label(family, index)}: {dataset.quantity}"
    head = dataset.quantity if half_width is None else f"{dataset.quantity}, ± (95 %)"
    return TableExhibit(title, (axis.name, head), tuple(rows[:_NAMED]), _cut(len(rows), axis.name))


def _on_stimulus(views: OutputViews, family: Family, index: tuple[int, ...], look: Look) -> Plate:
    """The shapes of what stands along the axis of bars, on the stimulus."""
    assert views.parameters.map_scale is not None
    stimulus, screen = _labels(family, index)[0], views.parameters.map_scale[0]
    values = views.released.item(views.name, family.values.path, index).tolist()
    shares = dict(zip(map(str, family.axes[-1].coordinates), values, strict=True))
    panels = {family.values.quantity: shares}
    return DrawnAreas(stimulus, screen, views.parameters.shapes(stimulus), panels).plate(look)


def _half_width(views: OutputViews, family: Family, index: tuple[int, ...]) -> float | None:
    """The ± of all numbers of an item, where it is the same for all."""
    width = views.half_width(family, index)
    return None if width is None or width.ndim else float(width)


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
    rows_are, columns_are = (axis.name.replace("_", " ") for axis in (down, across))
    note = f"Rows: {rows_are}. Columns: {columns_are}. Bars: relative to the largest."
    head = (rows_are, *map(str, across.coordinates[:_NAMED]))
    title = f"{_label(family, index)}: {dataset.quantity}"
    return TableExhibit(title, head, tuple(rows), f"{note} {_cut(len(down), down.name)}".strip())


def _cut(number: int, noun: str) -> str:
    return f"{number - _NAMED} more of {noun} are in the bundle." if number > _NAMED else ""


def _values(views: OutputViews, families: list[Family]) -> TableExhibit:
    """Single numbers of all parts: each with its interval, if it has one."""
    rows: list[tuple[str, tuple[TableCell, ...]]] = []
    for family in families:
        values = views.released.array(views.name, family.values.path)
        interval = family.with_role(Role.INTERVAL)
        ends = None if interval is None else views.released.array(views.name, interval.path)
        for index in family.values.indices():
            between = "none" if ends is None else " to ".join(short(float(end)) for end in ends[index])
            labels = _labels(family, index)
            quantity = family.values.quantity
            names = ", ".join(views.with_unit(label, quantity) for label in reversed(labels))
            heading = f"{views.parameters.part_in_words(family.part)} of {names}"
            bounds = views.parameters.value_range(family.part, labels[-1])
            value = float(values[index])
            low, high = (value, value) if ends is None else map(float, ends[index])
            cells = (TableCell(short(value)), TableCell(between), _on_bounds(bounds, value, low, high))
            rows.append((heading, cells))
    notes = [f"{len(rows) - _ROWS} more are in the bundle."] if len(rows) > _ROWS else []
    head = [views.parameters.part, "value", "95 % interval", "on the public bounds"]
    if any(cells[-1].dot for _, cells in rows):
        notes.append(
            "Each line goes from the lower to the upper bound. Dot: value. Thick line: 95 % interval. Values beyond a bound are drawn at it."
        )
    else:
        head, rows = head[:-1], [(heading, cells[:-1]) for heading, cells in rows]
    return TableExhibit("Values", tuple(head), tuple(rows[:_ROWS]), " ".join(notes))


def _on_bounds(bounds: tuple[float, float] | None, value: float, low: float, high: float) -> TableCell:
    """A value and its interval on a line between bounds; noise beyond them is drawn at the end."""
    if bounds is None:
        return TableCell("–")
    start, end = bounds
    place, left, right = (min(max((x - start) / (end - start), 0.0), 1.0) for x in (value, low, high))
    return TableCell(f"{short(start)} to {short(end)}", dot=(place, left, right))


def _histogram(views: OutputViews, family: Family, index: tuple[int, ...]) -> HistogramExhibit:
    dataset = family.values
    values = views.released.item(views.name, dataset.path, index)
    interval = family.with_role(Role.INTERVAL)
    ends = None if interval is None else views.released.item(views.name, interval.path, index)
    coordinate = family.with_role(Role.COORDINATE)
    assert coordinate is not None
    edges = views.released.item(views.name, coordinate.path, index)
    low, high = short(float(edges.min())), short(float(edges.max()))
    *groups, label = _labels(family, index)
    name = views.with_unit(label)
    title = ", ".join(
        [
            f"{views.parameters.part_in_words(family.part) or dataset.quantity} of {views.shown_name(label)}",
            *groups,
        ]
    )
    alt = f"{title}: {name} from {low} to {high}, {len(values)} bins, {dataset.quantity}"
    if len(values) <= _LISTED:
        alt += f": {'; '.join(short(float(value)) for value in values)}."
    else:
        alt += f", the highest {short(float(values.max()))}."
    note = f"Bars: {dataset.quantity}, from {short(float(values.min()))} to {short(float(values.max()))}."
    if ends is not None:
        note += " Whiskers: 95 % noise interval."
    return histogram(
        values,
        title=title,
        x=edge_ticks(np.append(edges[..., 0], edges[-1, -1])),
        x_label=name,
        y_label=dataset.quantity,
        alt=alt,
        note=note,
        intervals=ends,
    )


def _marginal(views: OutputViews, dataset: Dataset) -> Exhibit:
    """How the categories of an attribute are distributed over the records."""
    assert dataset.codes is not None
    coordinates = dataset.codes.coordinates
    name, title = views.with_unit(dataset_name(dataset)), views.shown_name(dataset_name(dataset))
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
        return TableExhibit(title, ("category", "records", "proportion"), tuple(rows))
    categories = len(counts) - (isinstance(coordinates, np.ndarray) and bool(np.isnan(coordinates[-1])))
    note = f"{several(int(counts[-1]), 'record')} with a missing value." if categories < len(counts) else ""
    fullest = int(counts[:categories].argmax())
    alt = f"Histogram of {name} in {categories} categories from {labels[0]} to {labels[categories - 1]}. "
    alt += f"Most frequent: {labels[fullest]}, with {grouped(counts[fullest])} records. {note}"
    return histogram(
        counts[:categories],
        title=title,
        x=_category_ticks(coordinates, labels, categories),
        x_label=name,
        y_label="records",
        alt=alt.strip(),
        note=note,
    )


def _category_ticks(coordinates: Any, labels: list[str], categories: int) -> tuple[Tick, ...]:
    """Edges of bins of equal width, whose middles are the coordinates; of labels the first and the last."""
    if not isinstance(coordinates, np.ndarray) or categories < 2:
        return end_ticks(labels[0], labels[categories - 1])
    half = (coordinates[1] - coordinates[0]) / 2
    return edge_ticks(np.append(coordinates[:categories] - half, coordinates[categories - 1] + half))


def _category_names(coordinates: Any) -> list[str]:
    if isinstance(coordinates, np.ndarray):
        return [short(float(middle)) for middle in coordinates]
    return [str(label) for label in coordinates]
