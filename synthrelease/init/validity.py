"""Which rows hold a measurement of what the plan is about, by what trackers call the columns that say so."""

from __future__ import annotations

import polars as pl

from synthrelease.data.cells import label_texts
from synthrelease.data.chosen_rows import ChosenRows
from synthrelease.init.roles import Roles, plain_name
from synthrelease.init.trackers import trackers


def chosen_rows(frame: pl.DataFrame, roles: Roles) -> ChosenRows:
    """Return the choice to propose for a table; one that would leave nothing of its first rows is none."""
    tracker = roles.tracker or trackers().common
    columns = {plain_name(column): column for column in reversed(frame.columns)}
    only = {
        columns[name]: labels
        for name, labels in tracker.only.items()
        if name in columns and label_texts(frame[columns[name]]).is_in(list(labels)).any()
    }
    valid = {
        columns[name]: (low, high)
        for name, (low, high) in tracker.valid.items()
        if name in columns and frame[columns[name]].cast(pl.Float64, strict=False).is_between(low, high).any()
    }
    return ChosenRows(only, valid)
