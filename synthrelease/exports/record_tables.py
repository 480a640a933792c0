"""Synthetic records as a table, with one of what their numbers stand for; and the joint noisy counts of a model of records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import unquote

import numpy as np
import polars as pl

from synthrelease.exports.table import (
    Column,
    ExportTable,
    OutputSource,
    free_name,
    label_series,
    sentence_case,
)
from synthrelease.kinds.dataset import Dataset
from synthrelease.reports.families import dataset_name


def records_table(source: OutputSource, datasets: Sequence[Dataset]) -> ExportTable:
    """Return the records, a column for each attribute; of a bin its number."""
    frame: dict[str, pl.Series] = {}
    columns: list[Column] = []
    names = [dataset_name(dataset) for dataset in datasets]
    for dataset in datasets:
        name, values, codes = dataset_name(dataset), source.array(dataset), dataset.codes
        if codes is None:
            missing = bool(np.isnan(values).any())
            words = f"{dataset.quantity}.".capitalize()
            column = Column(name, "number", words, dataset.unit, missing=missing)
            series = pl.Series(values, nan_to_null=True)
        elif isinstance(codes.coordinates, np.ndarray):
            words = f"Number of the bin of {name}, from 0; see the table of categories."
            name = free_name(f"{name}_bin", names)
            names.append(name)
            column = Column(name, "integer", words, lowest=0, highest=len(codes) - 1)
            series = pl.Series(values.astype(np.int32))
        else:
            labels = tuple(map(str, codes.coordinates))
            column = Column(name, "string", "Category.", labels=labels)
            series = label_series(labels, values.astype(np.int64))
        columns.append(column)
        frame[name] = series
    return ExportTable(
        "records",
        source.name,
        "Synthetic records",
        source.parameters.summary(),
        tuple(columns),
        (),
        pl.DataFrame(frame),
    )


def categories_table(source: OutputSource, datasets: Sequence[Dataset]) -> ExportTable:
    """Return what the numbers of categories and bins stand for, of all attributes that have such."""
    coded = [dataset for dataset in datasets if dataset.codes is not None]
    columns = (
        Column("attribute", "string", "Attribute of the records.", labels=tuple(map(dataset_name, coded))),
        Column("category", "integer", "Number of the category, or of the bin, from 0.", lowest=0),
        Column("label", "string", "Label of the category.", missing=True),
        Column(
            "middle",
            "number",
            "Middle of the bin, in the unit of the attribute; all bins of it have one width.",
            missing=True,
        ),
    )
    return ExportTable(
        "categories",
        source.name,
        "Categories of the records' attributes",
        "Meaning of the category numbers, all of them public. A row with neither label nor middle is the missing value.",
        columns,
        ("attribute", "category"),
        pl.concat([_categories(dataset) for dataset in coded]),
    )


def _categories(dataset: Dataset) -> pl.DataFrame:
    assert dataset.codes is not None
    coordinates = dataset.codes.coordinates
    number = len(coordinates)
    is_binned = isinstance(coordinates, np.ndarray)
    labels = [None] * number if is_binned else list(coordinates)
    middles = coordinates if is_binned else [None] * number
    return pl.DataFrame(
        {
            "attribute": [dataset_name(dataset)] * number,
            "category": np.arange(number, dtype=np.int32),
            "label": pl.Series(labels, dtype=pl.String),
            "middle": pl.Series(middles, dtype=pl.Float64, nan_to_null=True),
        }
    )


def counts_tables(source: OutputSource, datasets: Sequence[Dataset]) -> Iterator[ExportTable]:
    """Yield noisy integers of sets of attributes: a table of the largest sets, and one for each other size."""
    by_size: dict[int, list[Dataset]] = {}
    for dataset in datasets:
        by_size.setdefault(len(dataset.shape), []).append(dataset)
    for size, alike in sorted(by_size.items(), reverse=True):
        yield _counts_table(source, "counts" if size == max(by_size) else f"counts-of-{size}", alike)


def _counts_table(source: OutputSource, name: str, datasets: Sequence[Dataset]) -> ExportTable:
    """Noisy integers of sets of as many axes each, which are not the same."""
    frames = []
    for dataset in datasets:
        numbers = np.indices(dataset.shape, dtype=np.int32).reshape(len(dataset.shape), -1)
        frame: dict[str, Any] = {}
        for place, (axis, categories) in enumerate(zip(dataset.axes, numbers, strict=True), start=1):
            frame[f"attribute_{place}"] = label_series([unquote(axis.name)], np.zeros_like(categories))
            frame[f"category_{place}"] = categories
        frame["noisy"] = source.array(dataset).reshape(-1).astype(np.int64)
        frames.append(pl.DataFrame(frame))
    names = tuple(dict.fromkeys(unquote(axis.name) for dataset in datasets for axis in dataset.axes))
    axes: list[Column] = []
    for place in range(1, len(datasets[0].shape) + 1):
        axes += [
            Column(f"attribute_{place}", "string", "Counted attribute.", labels=names),
            Column(f"category_{place}", "integer", "Number of its category, from 0.", lowest=0),
        ]
    noisy = Column("noisy", "integer", f"{sentence_case(datasets[0].quantity)}.")
    return ExportTable(
        name,
        source.name,
        "Noisy counts",
        source.parameters.summary(),
        (*axes, noisy),
        tuple(column.name for column in axes),
        pl.concat(frames, how="diagonal"),
    )
