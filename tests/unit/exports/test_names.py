"""Names of tables and columns."""

import polars as pl
import pytest

from synthrelease.exports.names import Names, beside, spread
from synthrelease.exports.units import unit_of


def test_names_have_letters_and_digits_only():
    assert Names().of("maps", "a/b (1).jpg") == "maps-a-b-1-jpg"
    assert Names().of("maps", "日本") == "maps"
    assert Names().of("..") == "table"


def test_no_two_names_are_alike_on_any_file_system():
    names = Names()
    given = [names.of("m", label) for label in ("a", "A", "a/", "a-2", "a")]
    assert given == ["m-a", "m-A-2", "m-a-3", "m-a-2-2", "m-a-4"]
    assert len({name.lower() for name in given}) == len(given)


def test_names_that_a_system_keeps_for_itself_are_not_given():
    assert Names().of("con") == "con-2"


def test_long_labels_are_cut():
    assert len(Names().of("m", "x" * 400)) == 120


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
