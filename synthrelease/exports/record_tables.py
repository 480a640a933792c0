"""Synthetic records as tables: a row for each record; what their categories are; and the joint counts that they were drawn from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.data.attribute import Attribute
from synthrelease.exports.columns import beside, spread
from synthrelease.exports.table import Column, Table
from synthrelease.exports.units import unit_of
from synthrelease.kinds.records.public import RecordsParameters
from synthrelease.maths.steps import HALF_RANGE
from synthrelease.report.released import Released


def record_tables(released: Released, output: dict[str, Any]) -> Iterator[Table]:
    """Yield the records; what their categories are; and the noised counts of their model, if they are in the bundle."""
    p = output["mechanism"]["parameters"]
    attributes = [Attribute.from_json(form) for form in p["attributes"]]
    yield _records(released, output, attributes)
    yield _categories(output, attributes)
    if p["fit"] == "dp":
        yield _counts(released, output, attributes)


def _records(released: Released, output: dict[str, Any], attributes: list[Attribute]) -> Table:
    name, taken = output["name"], {attribute.name for attribute in attributes}
    frame: dict[str, pl.Series] = {}
    columns = []
    for attribute in attributes:
        categories = released.values(name, attribute.name, "category")
        if attribute.labels is not None:
            frame[attribute.name] = spread(attribute.labels, _known(attribute, categories))
            words = "Category." + (" Empty where it is missing." if attribute.missing else "")
            columns.append(
                Column(attribute.name, "string", words, labels=attribute.labels, missing=attribute.missing)
            )
            continue
        ranks = beside(attribute.name, "bin", taken)
        taken.add(ranks)
        frame[attribute.name] = pl.Series(released.values(name, attribute.name, "value"), nan_to_null=True)
        frame[ranks] = _known(attribute, categories).cast(pl.Int32)
        bins = attribute.categories - attribute.missing
        empty = " Empty where it is missing." if attribute.missing else ""
        columns += [
            Column(
                attribute.name,
                "number",
                f"A value in the record's bin, at a public place in it that means nothing: the bin is what was released.{empty}",
                unit_of(attribute.name),
                attribute.low,
                attribute.high,
                missing=attribute.missing,
            ),
            Column(
                ranks,
                "integer",
                f"Number of the bin of {attribute.name}, from 0.{empty}",
                lowest=0,
                highest=bins - 1,
                missing=attribute.missing,
            ),
        ]
    return Table(
        "records",
        name,
        "Synthetic records",
        f"{output['mechanism']['parameters']['rows']} synthetic records.",
        tuple(columns),
        (),
        pl.DataFrame(frame),
    )


def _known(attribute: Attribute, categories: NDArray[Any]) -> pl.Series:
    """Numbers of categories, null where a value is missing."""
    numbers = pl.Series(categories.astype(np.uint32))
    return numbers.set(numbers == attribute.categories - 1, None) if attribute.missing else numbers


def _categories(output: dict[str, Any], attributes: list[Attribute]) -> Table:
    parts = []
    for attribute in attributes:
        numbers = np.arange(attribute.categories, dtype=np.int32)
        frame: dict[str, Any] = {
            "attribute": spread([attribute.name], np.zeros_like(numbers)),
            "category": numbers,
        }
        absent = pl.Series([None] * attribute.missing, dtype=pl.Float64)
        unnamed = pl.Series([None] * attribute.categories)
        if attribute.labels is not None:
            frame["label"] = pl.Series([*attribute.labels, *absent], dtype=pl.String)
            frame["bin_low"] = frame["bin_high"] = unnamed.cast(pl.Float64)
        else:
            frame["label"] = unnamed.cast(pl.String)
            frame["bin_low"] = pl.Series(attribute.edges[:-1]).append(absent)
            frame["bin_high"] = pl.Series(attribute.edges[1:]).append(absent)
        parts.append(pl.DataFrame(frame))
    return Table(
        "categories",
        output["name"],
        "Categories of the records' attributes",
        "What the numbers of categories stand for, all of them public: a label, or a bin, which holds its lower edge and not its "
        "upper one; the last bin holds both. What has neither stands for a missing value.",
        (
            Column(
                "attribute", "string", "Attribute of the records.", labels=tuple(a.name for a in attributes)
            ),
            Column("category", "integer", "Number of the category, or of the bin, from 0.", lowest=0),
            Column("label", "string", "What the category is called.", missing=True),
            Column("bin_low", "number", "Lower edge, in the unit of the attribute.", missing=True),
            Column("bin_high", "number", "Upper edge, in the unit of the attribute.", missing=True),
        ),
        ("attribute", "category"),
        pl.concat(parts),
    )


def _counts(released: Released, output: dict[str, Any], attributes: list[Attribute]) -> Table:
    subsets = RecordsParameters.from_entry(output["mechanism"]).subsets  # all of as many attributes
    parts = []
    for subset in subsets:
        own = [attributes[number] for number in subset]
        counts = released.values(output["name"], *(one.name for one in own), "noised")
        numbers = np.indices(counts.shape, dtype=np.int32).reshape(len(own), -1)
        frame: dict[str, Any] = {}
        for place, attribute in enumerate(own):
            frame[f"attribute_{place + 1}"] = spread([attribute.name], np.zeros_like(numbers[place]))
            frame[f"category_{place + 1}"] = numbers[place]
        frame["noised"] = counts.reshape(-1).astype(np.int64)
        parts.append(pl.DataFrame(frame))
    names = tuple(one.name for one in attributes)
    columns: list[Column] = []
    for place in range(1, len(subsets[0]) + 1):
        columns += [
            Column(f"attribute_{place}", "string", "Attribute that is counted.", labels=names),
            Column(f"category_{place}", "integer", "Number of its category, from 0.", lowest=0),
        ]
    words = f"Noised count: {HALF_RANGE} are one person, who divides as many among the categories of a set by their rows."
    columns.append(Column("noised", "integer", words))
    return Table(
        "counts",
        output["name"],
        "Noised joint counts",
        "The model that the records were drawn from: counts with noise, of sets of attributes.",
        tuple(columns),
        tuple(column.name for column in columns[:-1]),
        pl.concat(parts),
    )
