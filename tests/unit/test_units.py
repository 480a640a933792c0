"""Units of columns, by the names that they end in."""

import pytest

from synthrelease.units import unit_of


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
