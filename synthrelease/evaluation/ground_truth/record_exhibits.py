"""Pictures of how attributes are distributed over released and over real records, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from synthrelease.data.attribute import Attribute
from synthrelease.evaluation.records.rows import Codes, Numbers
from synthrelease.number_words import short
from synthrelease.reports.axis_ticks import edge_ticks, end_ticks
from synthrelease.reports.exhibits import Exhibit, HistogramExhibit, TableCell, TableExhibit
from synthrelease.reports.histograms import histogram
from synthrelease.reports.views import name_with_unit

_LABELLED = 12  # categories that all have room for their names


def marginal_exhibits(
    attributes: Sequence[Attribute], released: Codes, real: Codes, weights: Numbers
) -> tuple[Exhibit, ...]:
    """Return a picture or a table of each attribute, a column of category numbers; `weights` are of the real rows."""
    exhibits: list[Exhibit] = []
    for a, attribute in enumerate(attributes):
        released_shares = np.bincount(released[:, a], minlength=attribute.categories) / len(released)
        real_shares = np.bincount(real[:, a], weights, attribute.categories) / weights.sum()
        listed = attribute.labels is not None and attribute.categories <= _LABELLED
        exhibits.append((_of_labels if listed else _of_bins)(attribute, released_shares, real_shares))
    return tuple(exhibits)


def _of_labels(attribute: Attribute, released: Numbers, real: Numbers) -> TableExhibit:
    names = [*(attribute.labels or ()), *(["missing"] if attribute.missing else [])]
    most = float(max(released.max(), real.max()))
    shares = np.stack([released, real], axis=1).tolist()
    cells = [tuple(TableCell(_percent(share), share / most) for share in row) for row in shares]
    rows = tuple(zip(names, cells, strict=True))
    return TableExhibit(attribute.shown_name, ("category", "released", "real"), rows)


def _of_bins(attribute: Attribute, released: Numbers, real: Numbers) -> HistogramExhibit:
    present = attribute.categories - attribute.missing
    if attribute.labels is not None:
        low, high, unit = attribute.labels[0], attribute.labels[-1], "categories"
        x = end_ticks(low, high)
    else:
        low, high, unit = short(attribute.low or 0.0), short(attribute.high or 0.0), "bins"
        x = edge_ticks(attribute.edges)
    note = "Bars: released. Line: exact (private), each participant with the same weight."
    if attribute.missing:
        note += f" Missing: {_percent(released[-1])} of the released records, {_percent(real[-1])} of the real ones."
    distance = float(np.abs(released - real).sum() / 2)
    name = name_with_unit(attribute)
    alt = f"Histogram of {name} in {present} {unit} from {low} to {high}: bars of released records, and a line of real "
    alt += f"ones. Total variation distance {distance:.3f}."
    return histogram(
        released[:present],
        title=attribute.shown_name,
        x=x,
        x_label=name,
        y_label="proportion of records",
        alt=alt,
        note=note,
        outline=real[:present],
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
