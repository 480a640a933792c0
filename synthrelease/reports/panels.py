"""What a card of a report shows of an output, by the axes of its datasets: plates (`plates`), bars, matrices, histograms, tables of values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from synthrelease.dp.event import from_json
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.dataset import Dataset, Role
from synthrelease.number_words import grouped, several, short
from synthrelease.reports.area_plates import DrawnAreas
from synthrelease.reports.axis_ticks import edge_ticks, end_ticks
from synthrelease.reports.exhibits import (
    Exhibit,
    HistogramExhibit,
    OutputExhibits,
    Plate,
    TableCell,
    TableExhibit,
)
from synthrelease.reports.families import Family
from synthrelease.reports.histograms import histogram
from synthrelease.reports.look import Look, Range, joined
from synthrelease.reports.plates import plate_of, ranges_of, records_plate, series_plate
from synthrelease.reports.population_panels import PopulationPanels
from synthrelease.reports.released import Released
from synthrelease.reports.scanpath_plates import movements_plate, scanpaths_plate
from synthrelease.reports.tabular_views import (
    bars_view,
    categories_view,
    histogram_view,
    labels_at,
    matrix_view,
    single_values,
)
from synthrelease.reports.views import MapView, OutputViews

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
        if len(family.axes) - family.values.items == 1 and views.parameters.shapes(
            labels_at(family, index)[0]
        ):
            yield partial(_on_stimulus, views, family, index, look)
        if is_binned:
            yield partial(_histogram, views, family, index)
        elif len(family.axes) - family.values.items == 1:
            yield partial(_bars, views, family, index)
        else:
            yield partial(_matrix, views, family, index)


def _number(value: float, quantity: str) -> str:
    return f"{100 * value:.1f} %" if quantity.startswith("proportion") else short(value)


def _bars(views: OutputViews, family: Family, index: tuple[int, ...]) -> TableExhibit:
    view = bars_view(views, family, index)
    values, quantity = view.values.tolist(), view.quantity
    width = view.half_width
    # Said next to each number, where it is the same for all.
    error = "" if width is None or width.ndim else f" ± {_number(float(width), quantity)}"
    most = 1.0 if view.is_proportion else max(*map(abs, values), 1e-300)
    rows = [
        (str(label), (TableCell(f"{_number(value, quantity)}{error}", max(value, 0.0) / most),))
        for label, value in zip(view.axis.coordinates, values, strict=True)
    ]
    head = f"{quantity}, ± (95 %)" if error else quantity
    return TableExhibit(
        view.title, (view.axis.name, head), tuple(rows[:_NAMED]), _cut(len(rows), view.axis.name)
    )


def _on_stimulus(views: OutputViews, family: Family, index: tuple[int, ...], look: Look) -> Plate:
    """The shapes of what stands along the axis of bars, on the stimulus."""
    assert views.parameters.map_scale is not None
    stimulus, screen = labels_at(family, index)[0], views.parameters.map_scale[0]
    values = views.released.item(views.name, family.values.path, index).tolist()
    shares = dict(zip(map(str, family.axes[-1].coordinates), values, strict=True))
    panels = {family.values.quantity: shares}
    return DrawnAreas(stimulus, screen, views.parameters.shapes(stimulus), panels).plate(look)


def _matrix(views: OutputViews, family: Family, index: tuple[int, ...]) -> TableExhibit:
    view = matrix_view(views, family, index)
    matrix, quantity = view.values[:_NAMED, :_NAMED], view.quantity
    most = float(matrix.max()) or 1.0
    rows = [
        (
            str(view.rows.coordinates[row]),
            tuple(
                TableCell("–")
                if view.is_square and row == column
                else TableCell(_number(float(x), quantity), float(x) / most)
                for column, x in enumerate(matrix[row])
            ),
        )
        for row in range(len(matrix))
    ]
    rows_are, columns_are = (axis.name.replace("_", " ") for axis in (view.rows, view.columns))
    note = f"Rows: {rows_are}. Columns: {columns_are}. Bars: relative to the largest."
    head = (rows_are, *map(str, view.columns.coordinates[:_NAMED]))
    return TableExhibit(
        view.title, head, tuple(rows), f"{note} {_cut(len(view.rows), view.rows.name)}".strip()
    )


def _cut(number: int, noun: str) -> str:
    return f"{number - _NAMED} more of {noun} are in the bundle." if number > _NAMED else ""


def _values(views: OutputViews, families: list[Family]) -> TableExhibit:
    """Single numbers of all parts: each with its interval, if it has one."""
    rows: list[tuple[str, tuple[TableCell, ...]]] = []
    for one in (one for family in families for one in single_values(views, family)):
        between = "none" if one.ends is None else " to ".join(map(short, one.ends))
        low, high = one.ends or (one.value, one.value)
        on_bounds = _on_bounds(one.bounds, one.value, low, high)
        rows.append((one.name, (TableCell(short(one.value)), TableCell(between), on_bounds)))
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
    view = histogram_view(views, family, index)
    values, edges = view.values, view.edges
    low, high = short(float(edges.min())), short(float(edges.max()))
    alt = f"{view.title}: {view.label} from {low} to {high}, {len(values)} bins, {view.quantity}"
    if len(values) <= _LISTED:
        alt += f": {'; '.join(short(float(value)) for value in values)}."
    else:
        alt += f", the highest {short(float(values.max()))}."
    note = f"Bars: {view.quantity}, from {short(float(values.min()))} to {short(float(values.max()))}."
    if view.ends is not None:
        note += " Whiskers: 95 % noise interval."
    return histogram(
        values,
        title=view.title,
        x=edge_ticks(edges),
        x_label=view.label,
        y_label=view.quantity,
        alt=alt,
        note=note,
        intervals=view.ends,
    )


def _marginal(views: OutputViews, dataset: Dataset) -> Exhibit:
    """How the categories of an attribute are distributed over the records."""
    view = categories_view(views, dataset)
    counts, labels, bins = view.counts, view.names, view.bins
    if not view.is_numeric and len(labels) <= _LISTED:
        most, total = max(int(counts.max()), 1), max(int(counts.sum()), 1)
        rows = [
            (label, (TableCell(grouped(count), count / most), TableCell(f"{100 * count / total:.1f} %")))
            for label, count in zip(labels, counts.tolist(), strict=True)
        ]
        return TableExhibit(view.title, ("category", "records", "proportion"), tuple(rows))
    note = f"{several(int(counts[-1]), 'record')} with a missing value." if bins < len(counts) else ""
    fullest = int(counts[:bins].argmax())
    alt = f"Histogram of {view.label} in {bins} categories from {labels[0]} to {labels[bins - 1]}. "
    alt += f"Most frequent: {labels[fullest]}, with {grouped(counts[fullest])} records. {note}"
    return histogram(
        counts[:bins],
        title=view.title,
        x=end_ticks(labels[0], labels[bins - 1]) if view.edges is None else edge_ticks(view.edges),
        x_label=view.label,
        y_label="records",
        alt=alt.strip(),
        note=note,
    )
