"""Intervals against published values, formulas and coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import bad_argument

from synthrelease.evaluation.attacks.intervals import Rate, auc_rate, coins_rate, residual_risk, share_rate


def test_newcombe1998_table_1_81_of_263():
    """Newcombe 1998, Table I: 81/263, score method 0.2553–0.3662, Clopper–Pearson 0.2527–0.3676; 0/20: 0.0000–0.1611 and 0.1684."""
    wilson, exact = (coins_rate(81 / 263, 263, method=m) for m in ("wilson", "exact"))
    assert (round(wilson.low, 4), round(wilson.high, 4)) == (0.2553, 0.3662)
    assert (round(exact.low, 4), round(exact.high, 4)) == (0.2527, 0.3676)
    none = [coins_rate(0.0, 20, method=m) for m in ("wilson", "exact")]
    assert [(round(one.low, 4), round(one.high, 4)) for one in none] == [(0, 0.1611), (0, 0.1684)]


def test_wilson_by_its_formula():
    z, n, p = 1.959963984540054, 24, 0.25
    middle, half = (p + z**2 / (2 * n)), z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    found = share_rate(np.repeat([0.0, 1.0], [18, 6]))
    assert (found.low, found.high) == pytest.approx(
        ((middle - half) / (1 + z**2 / n), (middle + half) / (1 + z**2 / n))
    )


def test_people_count_and_not_windows():
    """24 people, 6 named: as wide whatever was behind each."""
    found = share_rate(np.repeat([0.0, 1.0], [18, 6]))
    assert found == coins_rate(0.25, 24)
    assert found.high - found.low > 5 * (coins_rate(0.25, 2400).high - coins_rate(0.25, 2400).low) / 2


def test_shares_between_successes_go_to_both():
    """Three halves: one success below, two above."""
    found = share_rate(np.array([0.5, 0.5, 0.5, 0.0]))
    assert found == Rate(0.375, coins_rate(0.25, 4).low, coins_rate(0.5, 4).high)


def test_whole_numbers_are_whole_in_spite_of_rounding():
    assert share_rate(np.full(10, 0.1)) == Rate(
        pytest.approx(0.1), coins_rate(0.1, 10).low, coins_rate(0.1, 10).high
    )


@pytest.mark.thorough
@pytest.mark.parametrize("shares", ["coins", "uniform"])
def test_coverage(shares):
    """500 samples of 24 people: the exact interval holds the mean in 95 % at least; half as wide it would not."""
    rng = np.random.default_rng(0)
    held = narrow = 0
    for _ in range(500):
        drawn = rng.random(24)
        people = (drawn < 0.3).astype(float) if shares == "coins" else drawn
        truth = 0.3 if shares == "coins" else 0.5
        found = share_rate(people, method="exact")
        held += found.low <= truth <= found.high
        narrow += (
            found.value - (found.value - found.low) / 4
            <= truth
            <= found.value + (found.high - found.value) / 4
        )
    assert held / 500 >= 0.95 - 6.1 * math.sqrt(0.05 * 0.95 / 500)
    assert narrow / 500 < 0.9


def test_auc_is_as_uncertain_as_coins_of_the_smaller_side():
    assert auc_rate(1.0, inside=12, outside=30) == coins_rate(1.0, 12)
    assert auc_rate(0.5, inside=30, outside=12) == coins_rate(0.5, 12)


def test_residual_risk_by_hand():
    """(0.6 − 0.2)/0.8 = 0.5; below: ((0.6 − 0.5)/0.8, 0.4/0.64·(0.3 − 0.2)), above: (0.1/0.8, 0.4/0.64·0.1)."""
    found = residual_risk(Rate(0.6, 0.5, 0.7), Rate(0.2, 0.1, 0.3))
    side = math.hypot(0.125, 0.0625)
    assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.5 - side, 0.5 + side))
    lopsided = residual_risk(Rate(0.6, 0.5, 0.6), Rate(0.2, 0.2, 0.3))
    assert lopsided.high == pytest.approx(0.5)
    assert lopsided.low == pytest.approx(0.5 - side)


def test_residual_risk_at_its_ends():
    assert residual_risk(Rate(1.0, 0.9, 1.0), Rate(0.0, 0.0, 0.1)).high == 1.0
    assert residual_risk(Rate(0.9, 0.8, 1.0), Rate(0.2, 0.0, 0.3)).high == 1.0  # 0.875 + hypot(0.125, 0.031)
    assert residual_risk(Rate(0.0, 0.0, 0.1), Rate(0.5, 0.4, 0.6)).value == -1.0
    assert math.isnan(residual_risk(Rate(1.0, 0.9, 1.0), Rate(1.0, 0.9, 1.0)).value)


def test_rates_as_text_and_json():
    assert str(Rate(0.5, 0.25, 1.0)) == "0.50 (0.25–1.00)"
    assert Rate(0.5, math.nan, math.inf).to_json() == {"value": 0.5, "low": None, "high": None}


def test_what_are_no_shares_is_refused():
    for shares in (np.array([]), np.array([1.5]), np.array([np.nan]), np.array([-0.1])):
        with bad_argument(ValueError, "shares", shares.size, by="intervals"):
            share_rate(shares)
