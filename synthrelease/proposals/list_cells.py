"""Columns of text whose cells hold lists of numbers, each a time series of one trial or so."""

from __future__ import annotations

import polars as pl

_NUMBER = r"(?:[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[Nn]a[Nn]|None|null)"
_IN_BRACKETS = rf"^\s*[\[(]\s*(?:{_NUMBER}(?:[\s,;]+{_NUMBER})*)?[\s,;]*[\])]\s*$"
_IN_A_ROW = rf"^\s*{_NUMBER}(?:[\s;]+{_NUMBER})+\s*$"  # commas alone would be decimal ones, or thousands
_FRACTION_OF_LISTS = 0.95  # of cells that are there
_LONGER_THAN_A_DATE = 7  # whole numbers without brackets


def list_columns(frame: pl.DataFrame) -> list[list[str]]:
    """Return the columns that hold lists, those together whose lists have the same length in every row; the largest such group first."""
    groups: list[tuple[pl.Series, list[str]]] = []
    for cells in frame:
        if cells.dtype != pl.String or not _holds_lists(cells):
            continue
        lengths = _lengths(cells)
        group = next((names for others, names in groups if others.equals(lengths)), None)
        if group is None:
            groups.append((lengths, [cells.name]))
        else:
            group.append(cells.name)
    return sorted((names for _, names in groups), key=len, reverse=True)


def _holds_lists(cells: pl.Series) -> bool:
    present = cells.drop_nulls()
    present = present.filter(present.str.strip_chars() != "")
    lists = present.filter(present.str.contains(_IN_BRACKETS) | present.str.contains(_IN_A_ROW))
    if not lists.len() or lists.len() < _FRACTION_OF_LISTS * present.len():
        return False
    lengths = _lengths(lists)
    if lists.str.contains(r"[\[(]").any():
        return bool((lengths >= 2).any())
    return bool(lists.str.contains(".", literal=True).any() or (lengths >= _LONGER_THAN_A_DATE).any())


def _lengths(cells: pl.Series) -> pl.Series:
    return cells.fill_null("").str.count_matches(_NUMBER).rename("length")
