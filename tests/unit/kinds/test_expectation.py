"""What is expected of a release: how many participants are enough, and what is no better than a guess."""

from __future__ import annotations

import pytest

from synthrelease.kinds.expectation import Expectation, no_better, people_needed


def test_people_needed_is_the_first_number_of_three_digits_that_is_enough() -> None:
    assert people_needed(lambda n: n / (n + 50) >= 0.8) == 200
    assert people_needed(lambda n: n / (n + 50) >= 0.5) == 50
    assert people_needed(lambda n: n >= 7) == 7
    assert people_needed(lambda n: n > 999) == 1000
    assert people_needed(lambda n: n >= 12_341) == 12_400
    assert people_needed(lambda _n: True) == 1
    assert people_needed(lambda _n: False) is None


@pytest.mark.parametrize(
    ("best", "worst", "useless", "doubtful"),
    [(0.1, 0.2, False, False), (0.1, 0.3, False, True), (0.3, 0.4, True, True)],
)
def test_errors_are_useful_below_that_of_a_guess(
    best: float, worst: float, *, useless: bool, doubtful: bool
) -> None:
    expected = Expectation("mean of x", "error", best, worst, 0.3)
    assert (expected.is_useless, expected.is_doubtful) == (useless, doubtful)
    assert bool(no_better([expected])) == useless


def test_correlations_are_useful_above_that_of_a_guess_and_a_margin() -> None:
    for value, useless in ((0.5, False), (0.42, True), (0.1, True)):
        expected = Expectation("maps", "CC", value, value, 0.4, margin=0.03, higher_is_better=True)
        assert expected.is_useless == useless
