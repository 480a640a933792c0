"""A release as tables: rows for what stands along axes, columns for values; the same for every kind of output."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.bundle import Bundle
from synthrelease.dp.event import from_json
from synthrelease.exports.table import Column, ExportTable
from synthrelease.kinds.dataset import Axis, Dataset
from synthrelease.kinds.parameters import Feature, Parameters
from synthrelease.kinds.registry import parameters_of
from synthrelease.report.families import Families, Family, families_of
from synthrelease.report.file_names import FileNames
from synthrelease.report.guarantee_words import standing
from synthrelease.report.pictures import promise_caption
from synthrelease.report.released import Released
from synthrelease.units import unit_of

_LARGE_ITEM = 4096  # values; items that have more have a table each


def tables_of(bundle: Bundle, *, only: str | None = None) -> Iterator[ExportTable]:
    """Yield the tables of a release, output by output: at no time is there more than one of them.

    They hold the published values. Noisy integers are left out wherever something is derived from them, as everything is but the
    joint counts of records. Every table's description ends in the guarantee of its output.

    Args:
        bundle: one that was verified; every dataset is compared with its digest.
        only: the output that tables are wanted of; None for all.

    Raises:
        BundleError: the file was changed after it was opened.
    """
    names = FileNames()
    with Released(bundle.path, bundle.manifest) as released:
        for output in bundle.manifest["outputs"]:
            if only not in (None, output["name"]):
                continue
            guarantee = guarantee_sentence(bundle.manifest, output)
            for table in _Tables(released, output).all():
                yield replace(
                    table,
                    name=names.of(output["name"], table.name),
                    description=f"{table.description} {guarantee}",
                    guarantee=guarantee,
                )


def guarantee_sentence(manifest: dict[str, Any], output: dict[str, Any]) -> str:
    """Return the guarantee of an output in a few sentences, beside that of the whole release; or that it does not hold.

    Args:
        manifest: of a bundle that verifies.
        output: an entry of its `outputs`.
    """
    alone, *together = promise_caption(manifest, output)
    if manifest["randomness"]["test_seed"]:
        return f"Guarantee: {alone}."
    if output["guarantee"]["kind"] == "none":
        return standing(output)
    return " ".join([f"Guarantee: {alone}.", standing(output), *(f"{one}." for one in together)])


class _Tables:
    """The tables of one output."""

    def __init__(self, released: Released, output: dict[str, Any]) -> None:
        self._released, self._output = released, output["name"]
        self._parameters: Parameters = parameters_of(output)
        self._summary = self._parameters.summary()
        self._families: Families = families_of(self._parameters.datasets(from_json(output["event"])))

    def all(self) -> Iterator[ExportTable]:
        """Yield all of them."""
        for families in self._stacked():
            yield from self._of_values(families)
        if self._families.records:
            yield self._of_records(self._families.records)
            yield self._of_categories([one for one in self._families.records if one.codes is not None])
        if self._families.counts:
            yield self._of_counts(self._families.counts)

    def _stacked(self) -> Iterator[list[Family]]:
        """Families that go into one table: where parts differ in their values alone, those of the same axes."""
        families = self._families.of_values
        if not self._parameters.part:
            yield from ([family] for family in families)
            return
        by_axes: dict[tuple[str, ...], list[Family]] = {}
        for family in families:
            by_axes.setdefault(tuple(axis.place for axis in family.axes), []).append(family)
        yield from by_axes.values()

    def _of_values(self, families: list[Family]) -> Iterator[ExportTable]:
        first = families[0]
        name = "values" if not first.values.item_shape else first.part or first.values.path
        item_size = int(np.prod([len(axis) for axis in first.axes[1:]]))
        if item_size <= _LARGE_ITEM:
            yield self._table(name, families, slice(None))
            return
        for number, label in enumerate(first.axes[0].coordinates):
            yield self._table(str(label), families, slice(number, number + 1))

    def _table(self, name: str, families: list[Family], rows: slice) -> ExportTable:
        frames: list[pl.DataFrame] = []
        columns: dict[str, Column] = {}
        for family in families:
            frame = _grid(family.axes, rows)
            parts = {}
            if self._parameters.part:
                label = Column(self._parameters.part, "string", f"Which {self._parameters.part}.")
                columns[label.name] = label
                parts = {label.name: pl.lit(family.part)}
            for axis in family.axes:
                columns[axis.name] = _axis_column(axis)
            for dataset in family.datasets:
                for column in _value_columns(dataset):
                    columns[column.name] = _of_both(columns.get(column.name, column), column)
                frame |= self._columns(dataset, family.axes, rows)
            frames.append(pl.DataFrame(frame).with_columns(**parts))
        missing = {name for name in columns if any(name not in frame.columns for frame in frames)}
        listed = {
            name: replace(column, missing=name in missing, labels=self._labels(column, families))
            for name, column in columns.items()
        }
        ordered = sorted(listed.values(), key=lambda column: column.name == self._parameters.part)
        axes = [
            column
            for column in ordered
            if column.name in {*(a.name for a in families[0].axes), self._parameters.part}
        ]
        values = [column for column in ordered if column not in axes]
        whole = pl.concat(frames, how="diagonal").select([column.name for column in (*axes, *values)])
        quantity = families[0].values.quantity if len(families) == 1 else "values"
        return ExportTable(
            name,
            self._output,
            f"{quantity[:1].upper()}{quantity[1:]}"
            + (f": {name}" if name != families[0].values.path else ""),
            " ".join(filter(None, (self._summary, bounds_words(self._parameters.bounded)))),
            (*axes, *values),
            tuple(column.name for column in axes),
            whole,
        )

    def _labels(self, column: Column, families: list[Family]) -> tuple[str, ...]:
        return (
            tuple(family.part for family in families)
            if column.name == self._parameters.part
            else column.labels
        )

    def _columns(self, dataset: Dataset, axes: Sequence[Axis], rows: slice) -> dict[str, NDArray[Any]]:
        """A dataset in as many rows as the axes have, a column for each label of its axes of columns."""
        array = self._array(dataset)
        names = [axis.name for axis in dataset.axes]
        shape = [len(axis) if axis.name in names else 1 for axis in axes]
        of_columns = [axis for axis in dataset.axes if axis.is_columns]
        array = array.reshape(*shape, *map(len, of_columns))
        if axes[0].name in names:
            array = array[rows]
        whole = [len(range(*rows.indices(len(axes[0])))), *map(len, axes[1:])]
        columns = _value_columns(dataset)
        spread_out = np.broadcast_to(array, (*whole, *map(len, of_columns))).reshape(-1, len(columns))
        return {column.name: spread_out[:, number] for number, column in enumerate(columns)}

    def _array(self, dataset: Dataset) -> NDArray[Any]:
        return self._released.array(self._output, dataset.path)

    def _of_records(self, datasets: list[Dataset]) -> ExportTable:
        frame: dict[str, pl.Series] = {}
        columns: list[Column] = []
        names = [_name(dataset) for dataset in datasets]
        for dataset in datasets:
            name, values = _name(dataset), self._array(dataset)
            codes = dataset.codes
            if codes is None:
                frame[name] = pl.Series(values, nan_to_null=True)
                missing = bool(np.isnan(values).any())
                columns.append(
                    Column(name, "number", f"{dataset.quantity}.".capitalize(), dataset.unit, missing=missing)
                )
            elif isinstance(codes.coordinates, np.ndarray):
                name = beside(name, "bin", names)
                names.append(name)
                words = f"Number of the bin of {_name(dataset)}, from 0; the table of categories says which."
                frame[name] = pl.Series(values.astype(np.int32))
                columns.append(Column(name, "integer", words, lowest=0, highest=len(codes) - 1))
            else:
                labels = tuple(map(str, codes.coordinates))
                frame[name] = spread(labels, values.astype(np.int64))
                columns.append(Column(name, "string", "Category.", labels=labels))
        return ExportTable(
            "records",
            self._output,
            "Synthetic records",
            self._summary,
            tuple(columns),
            (),
            pl.DataFrame(frame),
        )

    def _of_categories(self, datasets: list[Dataset]) -> ExportTable:
        frames = []
        for dataset in datasets:
            assert dataset.codes is not None
            coordinates = dataset.codes.coordinates
            is_binned = isinstance(coordinates, np.ndarray)
            number = len(coordinates)
            frames.append(
                pl.DataFrame(
                    {
                        "attribute": [_name(dataset)] * number,
                        "category": np.arange(number, dtype=np.int32),
                        "label": pl.Series(
                            [None] * number if is_binned else list(coordinates), dtype=pl.String
                        ),
                        "middle": pl.Series(
                            coordinates if is_binned else [None] * number, dtype=pl.Float64, nan_to_null=True
                        ),
                    }
                )
            )
        columns = (
            Column("attribute", "string", "Attribute of the records.", labels=tuple(map(_name, datasets))),
            Column("category", "integer", "Number of the category, or of the bin, from 0.", lowest=0),
            Column("label", "string", "What the category is called.", missing=True),
            Column(
                "middle",
                "number",
                "Middle of the bin, in the unit of the attribute; all bins of it have one width.",
                missing=True,
            ),
        )
        words = "What the numbers of categories stand for, all of them public. What has neither label nor middle stands for a missing value."
        title = "Categories of the records' attributes"
        return ExportTable(
            "categories", self._output, title, words, columns, ("attribute", "category"), pl.concat(frames)
        )

    def _of_counts(self, datasets: list[Dataset]) -> ExportTable:
        """Noisy integers of sets of as many axes each, which are not the same."""
        frames = []
        for dataset in datasets:
            numbers = np.indices(dataset.shape, dtype=np.int32).reshape(len(dataset.shape), -1)
            frame: dict[str, Any] = {}
            for place, (axis, number) in enumerate(zip(dataset.axes, numbers, strict=True), start=1):
                frame[f"attribute_{place}"] = spread([unquote(axis.name)], np.zeros_like(number))
                frame[f"category_{place}"] = number
            frame["noisy"] = self._array(dataset).reshape(-1).astype(np.int64)
            frames.append(pl.DataFrame(frame))
        names = tuple(dict.fromkeys(unquote(axis.name) for dataset in datasets for axis in dataset.axes))
        axes: list[Column] = []
        for place in range(1, len(datasets[0].shape) + 1):
            axes += [
                Column(f"attribute_{place}", "string", "Attribute that is counted.", labels=names),
                Column(f"category_{place}", "integer", "Number of its category, from 0.", lowest=0),
            ]
        quantity = datasets[0].quantity
        words = f"{quantity[:1].upper()}{quantity[1:]}."
        whole = pl.concat(frames, how="diagonal")
        key = tuple(column.name for column in axes)
        return ExportTable(
            "counts",
            self._output,
            "Noisy counts",
            self._summary,
            (*axes, Column("noisy", "integer", words)),
            key,
            whole,
        )


def _name(dataset: Dataset) -> str:
    return unquote(dataset.path.rpartition("/")[2])


def _grid(axes: Sequence[Axis], rows: slice) -> dict[str, Any]:
    """Columns of coordinates, the last axis fastest."""
    chosen = [np.arange(len(axes[0]))[rows], *(np.arange(len(axis)) for axis in axes[1:])]
    places = [place.reshape(-1) for place in np.meshgrid(*chosen, indexing="ij")]
    return {axis.name: _coordinates(axis, place) for axis, place in zip(axes, places, strict=True)}


def _coordinates(axis: Axis, places: NDArray[np.int64]) -> pl.Series | NDArray[Any]:
    values = axis.values
    if values.dtype.kind == "S":
        return spread([str(label) for label in axis.coordinates], places)
    return values[places]


def _axis_column(axis: Axis) -> Column:
    values = axis.values
    words = axis.words or f"Place along the axis {axis.name}."
    if values.dtype.kind == "S":
        return Column(axis.name, "string", words, axis.unit, labels=tuple(map(str, axis.coordinates)))
    kind = "integer" if values.dtype.kind == "i" else "number"
    return Column(axis.name, kind, words, axis.unit, lowest=float(values.min()), highest=float(values.max()))


def _value_columns(dataset: Dataset) -> list[Column]:
    """One column, or one for each label of an axis of columns."""
    labels = itertools.product(*(map(str, axis.coordinates) for axis in dataset.axes if axis.is_columns))
    quantity = f"{dataset.quantity[:1].upper()}{dataset.quantity[1:]}"
    kind = "integer" if dataset.types[0].kind == "i" else "number"
    return [
        Column(
            "_".join([_name(dataset), *label]),
            kind,
            ": ".join([quantity, *(part.replace("_", " ") for part in label)]) + ".",
            dataset.unit,
        )
        for label in labels
    ]


def _of_both(column: Column, other: Column) -> Column:
    """A column of two parts that differ in what their values are."""
    if column.unit != other.unit:
        column = replace(column, unit="")
    if other.description in column.description:
        return column
    return replace(column, description=f"{column.description} {other.description}")


def bounds_words(features: Sequence[Feature]) -> str:
    """Return the public bounds of features, with the units that their names end in, in a sentence; empty if there are none."""
    if not features:
        return ""
    each = (f"{one.name} {one.low:g} to {one.high:g} {unit_of(one.name)}".strip() for one in features)
    return f"Public bounds of the features: {', '.join(each)}."


def spread(labels: Sequence[str], numbers: NDArray[np.integer[Any]] | pl.Series) -> pl.Series:
    """Return the label of each number: a column of texts that takes no more room than it must."""
    return pl.Series(labels, dtype=pl.String).gather(numbers)


def beside(name: str, ending: str, taken: Sequence[str]) -> str:
    """Return a name for a column that stands beside another one: `size_bin`, or `size_bin_` if there is a `size_bin`."""
    candidate = f"{name}_{ending}"
    while candidate in taken:
        candidate += "_"
    return candidate
