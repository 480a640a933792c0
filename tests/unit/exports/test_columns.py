"""Columns of labels, names of columns, and their units."""

import polars as pl
import pytest
from synthrelease.exports.columns import beside, spread
from synthrelease.exports.units import unit_of


def test_a_column_beside_another_takes_no_others_name():
    assert beside("size", "bin", ["size"]) == "size_bin"
    assert beside("size", "bin", ["size", "size_bin", "size_bin_"]) == "size_bin__"


def test_labels_are_spread_by_their_numbers():
    assert spread(["x", "y"], pl.Series([1, 0, None, 1])).to_list() == ["y", "x", None, "y"]


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("size_mm", "mm"),
        ("Size [mm]", "mm"),
        ("time (ms)", "ms"),
        ("blink_hz", "Hz"),
        ("BLINK_HZ", "Hz"),
        ("x_px", "px"),
        ("comm", ""),
        ("s", ""),
        ("open", ""),
        ("", ""),
    ],
)
def test_units_are_what_names_end_in(name, unit):
    assert unit_of(name) == unit
