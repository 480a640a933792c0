"""What (ε, δ) leaves, by formula, and attacks that keep and break it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from goldens import figures
from refusals import bad_argument
from scipy.stats import norm

from synthrelease.dp.calibration import gaussian_delta, gaussian_sigma
from synthrelease.evaluation.attacks import check_guarantee, largest_tpr, log_ratio_known_rest


def test_the_bound_by_hand():
    assert largest_tpr(0.1, epsilon=math.log(3), delta=0.05) == pytest.approx(0.35)
    assert largest_tpr(0.5, epsilon=math.log(3), delta=0.05) == pytest.approx(1 - 0.45 / 3)
    assert largest_tpr(np.array([0.0, 1.0]), epsilon=2.0, delta=0.01) == pytest.approx([0.01, 1.0])
    assert largest_tpr(0.3, epsilon=0.0, delta=0.0) == pytest.approx(0.3)
    assert largest_tpr(0.3, epsilon=1e6, delta=0.0) == 1.0


def test_randomized_response_reaches_the_bound():
    """The truth with probability e^ε/(1 + e^ε)."""
    lie = 1 / (1 + math.exp(1.5))
    assert largest_tpr(lie, epsilon=1.5, delta=0.0) == pytest.approx(1 - lie)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_best_test_of_the_gaussian_mechanism_keeps_below_and_touches(epsilon):
    """TPR = Φ(Φ⁻¹(FPR) + μ), and the bound of (ε, δ(ε)) is a tangent of it."""
    mu = 1.3
    fpr = norm.sf(np.linspace(-6, 9, 200_001))
    tpr = norm.cdf(norm.ppf(fpr) + mu)
    bound = largest_tpr(fpr, epsilon=epsilon, delta=gaussian_delta(epsilon, sigma=1 / mu, sensitivity=1.0))
    assert (tpr <= bound + 1e-12).all()
    assert (bound - tpr).min() < 1e-6


def gaussian_scores(factor, trials=4000, *, seed=0):
    """ε = 1, δ = 1e-5, with a standard deviation `factor` times what it takes."""
    rng = np.random.default_rng(seed)
    sigma = factor * gaussian_sigma(1.0, 1e-5, sensitivity=1.0)
    person, rest = np.array([1.0, 0.0]), np.array([3.0, -2.0])
    without = rest + sigma * rng.normal(size=(trials, 2))
    return tuple(log_ratio_known_rest(r, person, rest, sigma=sigma) for r in (without + person, without))


@pytest.mark.parametrize("seed", range(20))
def test_a_kept_guarantee_is_not_called_broken(seed):
    check = check_guarantee(*gaussian_scores(1.0, seed=seed), epsilon=1.0, delta=1e-5)
    assert not check.violated
    broken = str(replace(check, violated=True))
    assert str(check) != broken
    assert figures(str(check)) == figures(broken)
    assert check.fpr.low <= 0.5  # TPR 1 at FPR 1 would tell a reader nothing


@pytest.mark.parametrize("seed", range(3))
def test_a_quarter_of_the_noise_is_called_broken(seed):
    check = check_guarantee(*gaussian_scores(0.25, seed=seed), epsilon=1.0, delta=1e-5)
    assert check.violated
    assert str(check) != str(replace(check, violated=False))
    assert check.to_json()["violated"] is True
    assert check.bound == largest_tpr(check.fpr.high, epsilon=1.0, delta=1e-5)


def test_a_guarantee_may_be_broken_from_either_side():
    """Randomized response that never lies of one side: in a fifth of the runs the person's absence is certain."""
    rng = np.random.default_rng(0)
    inside, outside = rng.uniform(1, 2, 4000), rng.uniform(1, 2, 4000) - (rng.random(4000) < 0.2)
    assert check_guarantee(inside, outside, epsilon=1.0, delta=1e-5).violated
    assert check_guarantee(-outside, -inside, epsilon=1.0, delta=1e-5).violated


def test_randomized_response_at_its_own_epsilon_is_kept_and_below_broken():
    rng = np.random.default_rng(1)
    lie = 1 / (1 + math.exp(1.0))
    inside, outside = ((rng.random(20_000) < p).astype(float) for p in (1 - lie, lie))
    assert not check_guarantee(inside, outside, epsilon=1.0, delta=0.0).violated
    assert check_guarantee(inside, outside, epsilon=0.8, delta=0.0).violated


def test_a_threshold_that_luck_picked_is_measured_on_other_trials():
    """First halves that differ and second halves that do not: nothing."""
    inside, outside = np.zeros(2000), np.zeros(2000)
    inside[::2] = 1.0
    assert not check_guarantee(inside, outside, epsilon=0.1, delta=0.0).violated


@pytest.mark.thorough
def test_false_complaints_are_as_rare_as_declared():
    """δ alone is spent to the last: complaints in at most 1 % + 6.1 standard deviations of 400."""
    rng = np.random.default_rng(2)
    complaints = 0
    for _ in range(400):
        inside, outside = ((rng.random(200) < p).astype(float) for p in (0.75, 0.25))
        complaints += check_guarantee(inside, outside, epsilon=math.log(3), delta=0.0).violated
    assert complaints / 400 <= 0.01 + 6.1 * math.sqrt(0.01 * 0.99 / 400)


def test_what_is_no_guarantee_is_refused():
    for ways in (
        {"epsilon": -1.0, "delta": 0.0},
        {"epsilon": 1.0, "delta": 1.1},
        {"epsilon": math.nan, "delta": 0.0},
    ):
        with bad_argument(ValueError, "epsilon", "delta", "fpr", by="guarantee"):
            largest_tpr(0.1, **ways)
    with bad_argument(ValueError, "epsilon", "delta", "fpr", by="guarantee"):
        largest_tpr(1.1, epsilon=1.0, delta=0.0)
    for few in (np.ones(1), np.array([1.0, np.nan, 2.0])):
        with bad_argument(ValueError, by="guarantee") as caught:
            check_guarantee(few, np.ones(9), epsilon=1.0, delta=0.0)
        assert "fpr" not in str(caught.value)
