"""Which rows hold a measurement of what the plan is about, by what tools call the columns that say so."""

from __future__ import annotations

import polars as pl

from synthrelease.data.chosen_rows import ChosenRows
from synthrelease.data.tables import label_texts
from synthrelease.proposal.roles import Roles, plain_name

_CONFIDENCES = {
    "confidence": (0.6, 1.0),
    "gaze_confidence": (0.6, 1.0),
}  # of tools that have no entry of their own


def chosen_rows(frame: pl.DataFrame, roles: Roles) -> ChosenRows:
    """Return the choice to propose for a table; one that would leave nothing of its first rows is none.

    Args:
        frame: the first rows.
        roles: of its columns.
    """
    only, valid = (dict(roles.tool.only), dict(roles.tool.valid)) if roles.tool else ({}, _CONFIDENCES)
    columns = {plain_name(column): column for column in reversed(frame.columns)}
    chosen_labels = {
        columns[name]: labels
        for name, labels in only.items()
        if name in columns and label_texts(frame[columns[name]]).is_in(list(labels)).any()
    }
    chosen_ranges = {
        columns[name]: limits
        for name, limits in valid.items()
        if name in columns and frame[columns[name]].cast(pl.Float64, strict=False).is_between(*limits).any()
    }
    return ChosenRows(chosen_labels, chosen_ranges)
