"""Statistics as tables: a row for each number, and for each bin of the histograms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from synthrelease.exports.signal_tables import features_words
from synthrelease.exports.table import Column, Table
from synthrelease.kinds.statistics.public import StatisticsParameters
from synthrelease.maths.statistics import HISTOGRAM, quantile
from synthrelease.report.released import Released

_COUNTED = "How people divide one share each among the bins, by their values"
_ENDS = (
    ("interval_low", "Lower end of the interval that holds the value without noise in 95 of 100 releases."),
    ("interval_high", "Upper end of that interval."),
)


def statistic_tables(released: Released, output: dict[str, Any]) -> Iterator[Table]:
    """Yield a table of all single numbers, and one of all histograms, as far as there are any."""
    p = output["mechanism"]["parameters"]
    single = [name for name in p["statistics"] if name != HISTOGRAM]
    if single:
        yield _values(released, output, single)
    if HISTOGRAM in p["statistics"]:
        yield _histograms(released, output)


def _values(released: Released, output: dict[str, Any], single: list[str]) -> Table:
    p = output["mechanism"]["parameters"]
    rows = []
    for name in single:
        for place, _ in StatisticsParameters.from_entry(output["mechanism"]).places:
            ends = [None, None]
            if quantile(name) is None:
                ends = released.values(output["name"], name, *place, "interval")[0].tolist()
            rows.append((*place, name, released.values(output["name"], name, *place, "value")[0], *ends))
    columns = (
        *_places(p),
        Column("statistic", "string", _words(single), labels=tuple(single)),
        Column(
            "value",
            "number",
            "The statistic. A count is of people; all others are in the unit of the feature, a variance in its square.",
        ),
        *(Column(name, "number", f"{told} Quantiles have none.", missing=True) for name, told in _ENDS),
    )
    frame = _frame(columns, rows)
    return Table(
        "values",
        output["name"],
        "Statistics",
        f"Statistics over people, each with the mean of their values. {_bounds(p)}",
        columns,
        tuple(column.name for column in columns[:-3]),
        frame,
    )


def _histograms(released: Released, output: dict[str, Any]) -> Table:
    p = output["mechanism"]["parameters"]
    shares = output["mechanism"]["public_inputs"]["people"] is not None and p["groups"] is None
    counted = "share_of_people" if shares else "people"
    rows: list[tuple[Any, ...]] = []
    for place, feature in StatisticsParameters.from_entry(output["mechanism"]).places:
        values = released.values(output["name"], HISTOGRAM, *place, "value")
        ends = released.values(output["name"], HISTOGRAM, *place, "interval")
        edges = np.linspace(feature.low, feature.high, len(values) + 1).tolist()
        rows += [
            (*place, number, edges[number], edges[number + 1], value, *ends[number].tolist())
            for number, value in enumerate(values)
        ]
    columns = (
        *_places(p),
        Column("bin", "integer", "Number of the bin, from 0.", lowest=0, highest=p["bins"] - 1),
        Column("bin_low", "number", "Lower edge of the bin, in the unit of the feature."),
        Column("bin_high", "number", "Upper edge of the bin; only the last bin holds its own."),
        Column(
            counted,
            "number",
            f"{_COUNTED}; as shares of all people." if shares else f"{_COUNTED}; as numbers of people.",
            "" if shares else "people",
        ),
        *(Column(name, "number", told) for name, told in _ENDS),
    )
    return Table(
        HISTOGRAM,
        output["name"],
        "Histograms",
        f"Histograms; what is below zero is noise. {_bounds(p)}",
        columns,
        tuple(column.name for column in columns[:-5]),
        _frame(columns, rows),
    )


def _places(p: dict[str, Any]) -> list[Column]:
    features = tuple(feature["name"] for feature in p["features"])
    of_feature = Column("feature", "string", "What was measured.", labels=features)
    if p["by"] is None:
        return [of_feature]
    return [
        Column("group", "string", f"Group of people, by {p['by']}.", labels=tuple(p["groups"])),
        of_feature,
    ]


def _words(single: list[str]) -> str:
    told = "Which statistic."
    return told if all(quantile(name) is None for name in single) else f"{told} quantile:0.5 is the median."


def _bounds(p: dict[str, Any]) -> str:
    return features_words(p["features"])


def _frame(columns: tuple[Column, ...], rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    types = {"string": pl.String(), "integer": pl.Int32(), "number": pl.Float64()}
    schema: dict[str, pl.DataType] = {column.name: types[column.kind] for column in columns}
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        pl.col(column.name).cast(pl.Float32)
        for column in columns
        if column.kind == "number" and not column.name.startswith("bin_")
    )
