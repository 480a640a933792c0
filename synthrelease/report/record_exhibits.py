"""What a page shows of synthetic records: how each attribute is distributed over them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.attribute import Attribute
from synthrelease.kinds.records.public import category_path
from synthrelease.number_words import grouped, several, short
from synthrelease.report.exhibits import Cell, Histogram, Shown, Table
from synthrelease.report.histograms import histogram
from synthrelease.report.released import Released

_LABELLED = 12  # categories that all have room for their names


def record_exhibits(released: Released, output: dict[str, Any], most: int) -> Shown:
    """Return the marginals of the records of an output, of `most` attributes."""
    forms = output["mechanism"]["parameters"]["attributes"]
    exhibits = []
    for form in forms[:most]:
        attribute = Attribute.from_json(form)
        counts = np.zeros(attribute.categories, dtype=np.int64)
        for numbers in released.blocks(output["name"], category_path(attribute)):
            counts += np.bincount(numbers, minlength=attribute.categories)
        exhibits.append(
            _of_labels(attribute, counts) if _is_listed(attribute) else _of_bins(attribute, counts)
        )
    words = (
        (
            "The pictures are of the synthetic records. How near they come to the real data cannot be seen from the bundle, "
            "and how much they share with single people is told by the promise alone."
        ),
    )
    return Shown(tuple(exhibits), words, len(forms) - len(exhibits), "attribute")


def _is_listed(attribute: Attribute) -> bool:
    return attribute.labels is not None and attribute.categories <= _LABELLED


def _of_labels(attribute: Attribute, counts: NDArray[np.int64]) -> Table:
    names = [*(attribute.labels or ()), *(["missing"] if attribute.missing else [])]
    most, total = max(int(counts.max()), 1), max(int(counts.sum()), 1)
    rows = [
        (name, (Cell(grouped(count), count / most), Cell(f"{100 * count / total:.1f} %")))
        for name, count in zip(names, counts.tolist(), strict=True)
    ]
    return Table(attribute.name, ("category", "records", "share"), tuple(rows))


def _of_bins(attribute: Attribute, counts: NDArray[np.int64]) -> Histogram:
    known = attribute.categories - attribute.missing
    note = f"{several(int(counts[-1]), 'record')} with a missing value." if attribute.missing else ""
    if attribute.labels is not None:
        low, high, unit = attribute.labels[0], attribute.labels[-1], "categories"
    else:
        low, high, unit = short(attribute.low or 0.0), short(attribute.high or 0.0), "bins"
    fullest = int(counts[:known].argmax())
    alt = f"Histogram of {attribute.name} in {known} {unit} from {low} to {high}. Most records, {grouped(counts[fullest])}, "
    alt += f"in {_name(attribute, fullest)}. {note}"
    return histogram(counts[:known], title=attribute.name, low=low, high=high, alt=alt.strip(), note=note)


def _name(attribute: Attribute, number: int) -> str:
    if attribute.labels is not None:
        return attribute.labels[number]
    edges = attribute.edges
    return f"the bin from {short(float(edges[number]))} to {short(float(edges[number + 1]))}"
