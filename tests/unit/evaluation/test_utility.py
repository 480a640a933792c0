"""What needs no data, at its best."""

import math

import pytest

from synthrelease.evaluation.result import Measure
from synthrelease.evaluation.scores import best_without_data, over_items


@pytest.mark.parametrize(
    ("best", "others", "expected"),
    [
        (1.0, {"even": 0.1, "bias": 0.4}, ("bias", 0.4)),
        (0.0, {"even": 0.1, "bias": 0.4}, ("even", 0.1)),
        (0.0, {"even": -0.3, "bias": 0.2}, ("bias", 0.2)),
        (math.inf, {"even": 7.0, "bias": 3.0}, ("even", 7.0)),
        (1.0, {"even": math.nan, "bias": 0.2}, ("bias", 0.2)),
        (1.0, {"even": math.nan}, None),
        (1.0, {}, None),
    ],
)
def test_the_best_of_what_needs_no_data(best, others, expected):
    assert best_without_data(Measure("m", best, "a measure"), others) == expected


def test_means_and_middles_over_items():
    mean, middle = Measure("m", 0.0, "a mean"), Measure("q", 0.0, "a quotient", middle=True)
    items = [(1.0, 1.0), (2.0, 3.0), (6.0, 1e9)]
    assert over_items(items, (mean, middle)) == (3.0, 3.0)
    assert over_items([*items, (math.nan, math.nan)], (mean, middle)) == (3.0, 3.0)
    assert over_items([*items, (math.inf, math.inf)], (mean, middle)) == (math.inf, (3.0 + 1e9) / 2)
    assert all(math.isnan(value) for value in over_items([], (mean, middle)))
    assert all(math.isnan(value) for value in over_items([(math.nan, math.nan)], (mean, middle)))
