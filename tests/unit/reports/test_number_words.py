"""Numbers of a page: short, never kinder than they are, without the notation of programmers."""

from __future__ import annotations

import pytest

from synthrelease.number_words import (
    is_certain,
    listed,
    percent_up,
    scientific,
    scientific_up,
    several,
    short,
)


@pytest.mark.parametrize(
    ("share", "told"),
    [(0.5, "50 %"), (0.7310586, "73.2 %"), (0.76, "76 %"), (0.69100001, "69.2 %"), (0.9985, "99.9 %")],
)
def test_a_bound_is_rounded_up(share, told):
    assert percent_up(share) == told
    assert float(told.split()[0]) / 100 >= share - 1e-9


def test_certainty_is_said_in_words():
    assert is_certain(0.9999)
    assert not is_certain(0.9989)


@pytest.mark.parametrize(
    ("number", "told"),
    [(2.5e-5, "2.5 × 10⁻⁵"), (1e-6, "10⁻⁶"), (8e-7, "8 × 10⁻⁷"), (0.001, "0.001"), (0.05, "0.05"), (1e-12, "10⁻¹²")],
)  # fmt: skip
def test_small_numbers(number, told):
    assert scientific(number) == told


@pytest.mark.parametrize(
    ("number", "told"),
    [(0.0, "0"), (-0.0, "0"), (-1.25, "−1.25"), (1234.5678, "1235"), (123456, "123_456"), (-1e5, "−100_000"),
     (1e-7, "10⁻⁷"), (-9.613e-9, "−9.613 × 10⁻⁹"), (2.5e300, "2.5 × 10³⁰⁰")],
)  # fmt: skip
def test_measured_numbers(number, told):
    assert short(number) == told.replace("_", "\N{NARROW NO-BREAK SPACE}")


def test_a_slack_is_rounded_up():
    assert scientific_up(3.33e-5) == "3.4 × 10⁻⁵"
    assert scientific(3.33e-5) == "3.3 × 10⁻⁵"
    assert scientific_up(8e-7) == "8 × 10⁻⁷"


def test_names_and_numbers_of_things():
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(list("abcdef")) == "a, b, c and 3 more"
    assert several(1, "person", "people") == "1 person"
    assert several(2, "person", "people") == "2 people"
    assert several(1200, "record") == "1\N{NARROW NO-BREAK SPACE}200 records"
