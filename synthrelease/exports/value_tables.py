"""Values of an output as tables: rows for what stands along axes, columns for values; the same for every kind of output."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.exports.table import (
    Column,
    ExportTable,
    OutputSource,
    free_name,
    label_series,
    sentence_case,
)
from synthrelease.kinds.dataset import Axis, ColumnWords, Dataset, Role
from synthrelease.kinds.parameters import Feature
from synthrelease.reports.families import Family, dataset_name

_LARGE_ITEM = 4096  # values; items that have more have a table each


def value_tables(source: OutputSource, families: Sequence[Family]) -> Iterator[ExportTable]:
    """Yield the tables of values: one for each family, or for all that differ in their values only."""
    stacks = _stacked(families, source.parameters.part)
    of_numbers = sum(1 for first, *_ in stacks if first.part and not first.values.item_shape)
    for stacked in stacks:
        first = stacked[0]
        item_size = int(np.prod([len(axis) for axis in first.axes[1:]]))
        if item_size <= _LARGE_ITEM or first.values.role is Role.RECORD:
            is_only = of_numbers <= 1 and not first.values.item_shape
            yield _table(
                source, "values" if is_only else first.part or first.values.path, stacked, slice(None)
            )
            continue
        for number, label in enumerate(first.axes[0].coordinates):
            yield _table(source, str(label), stacked, slice(number, number + 1))


def _stacked(families: Sequence[Family], part: str) -> list[list[Family]]:
    """Families that go into one table: parts of the same axes."""
    if not part:
        return [[family] for family in families]
    by_axes: dict[tuple[str, ...], list[Family]] = {}
    for family in families:
        by_axes.setdefault(tuple(axis.place for axis in family.axes), []).append(family)
    return list(by_axes.values())


def _table(source: OutputSource, name: str, families: list[Family], rows: slice) -> ExportTable:
    frames = [_frame(source, family, rows) for family in families]
    features = source.parameters.bounded
    columns = _columns(families, features)
    key = [axis.name for axis in families[0].axes]
    if part := families[0].part and source.parameters.part:
        labels = tuple(family.part for family in families)
        columns[part] = Column(part, "string", f"Which {part}.", labels=labels)
        key.append(part)
    order = [*key, *(column for column in columns if column not in key)]
    missing = {column for column in columns if any(column not in frame.columns for frame in frames)}
    values = families[0].values
    title = sentence_case((values.in_tables or values.quantity) if len(families) == 1 else "values")
    is_numbered = values.role is Role.RECORD and columns[key[0]].kind == "integer"
    frame = pl.concat(frames, how="diagonal").select(order)
    return ExportTable(
        name,
        source.name,
        f"{title}: {name}" if name != values.path else title,
        f"{source.parameters.summary()} {_bounds_words(features)}".strip(),
        tuple(
            replace(_reaching(columns[column], frame[column]), missing=column in missing) for column in order
        ),
        tuple(key),
        frame,
        record=key[0] if is_numbered else "",
    )


def _columns(families: Sequence[Family], features: Sequence[Feature]) -> dict[str, Column]:
    columns: dict[str, Column] = {}
    for family in families:
        columns |= {axis.name: _axis_column(axis) for axis in family.axes}
        for dataset in family.datasets:
            for column in _value_columns(dataset, features):
                columns[column.name] = _merged(columns.get(column.name, column), column)
    return columns


def _axis_column(axis: Axis) -> Column:
    values = axis.values
    words = axis.words or f"Place along the axis {axis.name}."
    if values.dtype.kind == "S":
        return Column(axis.name, "string", words, axis.unit, labels=tuple(map(str, axis.coordinates)))
    kind = "integer" if values.dtype.kind == "i" else "number"
    return Column(axis.name, kind, words, axis.unit, lowest=float(values.min()), highest=float(values.max()))


def _reaching(column: Column, values: pl.Series) -> Column:
    """A column whose bounds hold of what its cells say: values are stored on a grid, of which one may lie beyond a bound."""
    if column.kind != "number" or column.lowest is None or column.highest is None:
        return column
    lowest, highest = (float(str(end)) for end in (np.nanmin(values), np.nanmax(values)))
    return replace(column, lowest=min(column.lowest, lowest), highest=max(column.highest, highest))


def _value_columns(dataset: Dataset, features: Sequence[Feature]) -> list[Column]:
    """One column, or one for each label of an axis of columns; of records, those of features have units and public bounds."""
    labels = list(
        itertools.product(*(map(str, axis.coordinates) for axis in dataset.axes if axis.is_columns))
    )
    quantity = sentence_case(dataset.quantity)
    kind = "integer" if dataset.types[0].kind == "i" else "number"
    names = _value_names(dataset, labels)
    by_name = {feature.name: feature for feature in features} if dataset.role is Role.RECORD else {}
    columns = []
    for name, label in zip(names, labels, strict=True):
        words = ": ".join([quantity, *(part.replace("_", " ") for part in label)])
        column = Column(name, kind, f"{words}.", dataset.unit)
        if feature := by_name.get("_".join(label)):
            words = f"{quantity}: {feature.title or feature.name.replace('_', ' ')}."
            column = Column(name, kind, words, feature.known_unit, feature.low, feature.high)
        elif about := _column_words(dataset, label):
            column = Column(name, kind, about.words, about.unit)
        columns.append(column)
    return columns


def _column_words(dataset: Dataset, label: tuple[str, ...]) -> ColumnWords | None:
    """What the last axis of columns says of a column; None if it says nothing."""
    for axis in reversed(dataset.axes):
        if axis.is_columns:
            return axis.of_columns.get(label[-1])
    return None


def _value_names(dataset: Dataset, labels: Sequence[tuple[str, ...]]) -> list[str]:
    """What columns of values are called; of records like their labels, unless an axis is called so, too."""
    if dataset.role is not Role.RECORD or labels == [()]:
        return ["_".join([dataset_name(dataset), *label]) for label in labels]
    names = ["_".join(label) for label in labels]
    axes = {axis.name for axis in dataset.axes if not axis.is_columns}
    return [free_name(name, {*axes, *names}) if name in axes else name for name in names]


def _merged(column: Column, of_next_part: Column) -> Column:
    """A column of two parts that differ in what their values are."""
    if column.unit != of_next_part.unit:
        column = replace(column, unit="")
    if of_next_part.description in column.description:
        return column
    return replace(column, description=f"{column.description} {of_next_part.description}")


def _bounds_words(features: Sequence[Feature]) -> str:
    """The public bounds of features, with their units, in a sentence; empty if there are none."""
    bounds = [
        f"{feature.name} {feature.low:g} to {feature.high:g} {feature.known_unit}".strip()
        for feature in features
    ]
    return f"Public bounds of the features: {', '.join(bounds)}." if bounds else ""


def _frame(source: OutputSource, family: Family, rows: slice) -> pl.DataFrame:
    columns = _grid(family.axes, rows)
    for dataset in family.datasets:
        columns |= _spread(source, dataset, family.axes, rows)
    frame = pl.DataFrame(columns)
    if family.values.present:
        frame = frame.filter(pl.col(family.values.present) > 0)
    part = family.part and source.parameters.part
    return frame.with_columns(pl.lit(family.part).alias(part)) if part else frame


def _grid(axes: Sequence[Axis], rows: slice) -> dict[str, Any]:
    """Columns of coordinates, the last axis fastest."""
    chosen = [np.arange(len(axes[0]))[rows], *(np.arange(len(axis)) for axis in axes[1:])]
    places = [place.reshape(-1) for place in np.meshgrid(*chosen, indexing="ij")]
    return {axis.name: _coordinates(axis, place) for axis, place in zip(axes, places, strict=True)}


def _coordinates(axis: Axis, places: NDArray[np.int64]) -> pl.Series | NDArray[Any]:
    values = axis.values
    if values.dtype.kind == "S":
        return label_series([str(label) for label in axis.coordinates], places)
    return values[places]


def _spread(
    source: OutputSource, dataset: Dataset, axes: Sequence[Axis], rows: slice
) -> dict[str, NDArray[Any]]:
    """A dataset in as many rows as the axes have, a column for each label of its axes of columns."""
    names = [axis.name for axis in dataset.axes]
    shape = [len(axis) if axis.name in names else 1 for axis in axes]
    of_columns = [len(axis) for axis in dataset.axes if axis.is_columns]
    array = source.array(dataset).reshape(*shape, *of_columns)
    if axes[0].name in names:
        array = array[rows]
    columns = _value_columns(dataset, source.parameters.bounded)
    full_shape = (len(range(*rows.indices(len(axes[0])))), *map(len, axes[1:]), *of_columns)
    spread_out = np.broadcast_to(array, full_shape).reshape(-1, len(columns))
    return {column.name: spread_out[:, number] for number, column in enumerate(columns)}
