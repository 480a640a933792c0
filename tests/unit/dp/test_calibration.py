"""Calibration against 60 digits of mpmath: how exact δ(ε) is, and that σ, ε and b are rounded the safe way.

δ is never below the truth. Over the grid below (μ 1e-3 … 30, ε 0 … 50, δ down to 1e-300) it is above by at most
1e-7 of itself, and by less than 1e-10 where μ ≥ 0.01 and δ ≥ 1e-20: for small μ it is the difference of two numbers
that are nearly equal. So what is solved from it keeps its target by exact reckoning.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import MPContext
from refusals import bad_argument

from synthrelease.dp.calibration import gaussian_delta, gaussian_epsilon, gaussian_sigma, laplace_scale

if TYPE_CHECKING:
    from collections.abc import Callable

GRID_ERROR = 1e-7  # relative, over the whole grid
USUAL_ERROR = 1e-10  # relative, μ ≥ 0.01 and δ ≥ 1e-20
NOT_WASTED = 1e-6  # relative: how far δ may stay below a target

_mp = MPContext()
_mp.dps = 60


def exact_delta(epsilon: float, *, sigma: float, sensitivity: float) -> Any:
    """Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ) to 60 digits (Balle & Wang 2018, Theorem 8)."""
    e, mu = _mp.mpf(epsilon), _mp.mpf(sensitivity) / _mp.mpf(sigma)
    root2 = _mp.sqrt(2)
    inside = _mp.erfc((e / mu - mu / 2) / root2) / 2
    return inside - _mp.exp(e) * _mp.erfc((e / mu + mu / 2) / root2) / 2


def error(epsilon: float, mu: float) -> tuple[float, Any]:
    """The relative error of `gaussian_delta`, and the exact δ."""
    true = exact_delta(epsilon, sigma=1.0, sensitivity=mu)
    return float((gaussian_delta(epsilon, sigma=1.0, sensitivity=mu) - true) / true), true


def log_even(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(math.exp)


# --- δ of ε


MUS = np.logspace(-3, math.log10(30), 40).tolist()
EPSILONS = [0.0, *np.logspace(-6, math.log10(50), 60).tolist(), 0.5, 1.0, 3.0, 10.0]


def test_delta_over_the_whole_grid_down_to_1e_300() -> None:
    seen, smallest = 0, 1.0
    for mu in MUS:
        for epsilon in EPSILONS:
            if epsilon / mu - mu / 2 > 40:  # δ < 1e-340
                assert gaussian_delta(epsilon, sigma=1.0, sensitivity=mu) < 1e-300
                continue
            off, true = error(epsilon, mu)
            if true < 1e-300:
                assert gaussian_delta(epsilon, sigma=1.0, sensitivity=mu) < 1.1e-300
                continue
            assert 0 <= off < GRID_ERROR, (mu, epsilon)
            if mu >= 0.01 and true >= 1e-20:
                assert off < USUAL_ERROR, (mu, epsilon)
            seen, smallest = seen + 1, min(smallest, float(true))
    assert seen > 1500
    assert smallest < 1e-280


@given(log_even(1e-3, 40), st.floats(-1, 37), log_even(1e-3, 1e5))
def test_delta_is_never_below_the_truth(mu: float, tail: float, sigma: float) -> None:
    """Wherever the upper tail at `tail` standard deviations makes up δ, also when μ is a rounded quotient."""
    epsilon, sensitivity = max(0.0, (tail + mu / 2) * mu), mu * sigma
    true = exact_delta(epsilon, sigma=sigma, sensitivity=sensitivity)
    assert true <= gaussian_delta(epsilon, sigma=sigma, sensitivity=sensitivity) <= true * (1 + GRID_ERROR)


@pytest.mark.parametrize("mu", MUS[::3])
def test_delta_at_zero_is_the_total_variation(mu: float) -> None:
    assert gaussian_delta(0.0, sigma=1.0, sensitivity=mu) == pytest.approx(
        math.erf(mu / math.sqrt(8)), rel=1e-11
    )


def test_delta_where_the_balls_are_far_apart_is_one_less_almost_nothing() -> None:
    for mu in (100.0, 1e4, 1e8):
        assert gaussian_delta(1.0, sigma=1.0, sensitivity=mu) == 1.0


def test_delta_without_sensitivity_is_zero() -> None:
    for epsilon in (0.0, 1.0, 50.0):
        assert gaussian_delta(epsilon, sigma=3.0, sensitivity=0.0) == 0.0


@pytest.mark.parametrize("mu", [1e-12, 1e-9, 1e-6, 1e-4])
def test_delta_of_a_tiny_shift_is_not_lost(mu: float) -> None:
    """The two terms agree to nearly all their digits; what is left of them is δ to 1e-13/μ, from above."""
    for epsilon in (0.0, mu / 100, mu, 3 * mu):
        assert 0 <= error(epsilon, mu)[0] < 1e-13 / mu


@given(log_even(1e-3, 30), st.floats(0, 50), st.integers(-40, 40))
def test_only_the_ratio_of_sensitivity_to_sigma_counts(mu: float, epsilon: float, power: int) -> None:
    unit = gaussian_delta(epsilon, sigma=1.0, sensitivity=mu)
    assert gaussian_delta(epsilon, sigma=2.0**power, sensitivity=mu * 2.0**power) == unit


@given(log_even(1e-3, 30), st.floats(0, 50), st.floats(1e-6, 1), log_even(0.01, 1e4))
def test_delta_falls_with_epsilon_and_with_sigma_and_grows_with_sensitivity(
    mu: float, epsilon: float, more: float, sigma: float
) -> None:
    here = gaussian_delta(epsilon, sigma=sigma, sensitivity=mu * sigma)
    assert 0.0 <= here <= 1.0
    most = here * (1 + 2 * GRID_ERROR)
    assert gaussian_delta(epsilon + more, sigma=sigma, sensitivity=mu * sigma) <= most
    assert gaussian_delta(epsilon, sigma=sigma * (1 + more), sensitivity=mu * sigma) <= most
    assert gaussian_delta(epsilon, sigma=sigma, sensitivity=mu * sigma / (1 + more)) <= most


def test_delta_falls_strictly_along_the_grid() -> None:
    for mu in MUS[::4]:
        along = [gaussian_delta(e, sigma=1.0, sensitivity=mu) for e in sorted(EPSILONS)]
        assert all(a > b for a, b in itertools.pairwise(along) if b > 1e-300 and a < 0.99)


# --- σ, ε


epsilons = log_even(1e-3, 50)
deltas = log_even(1e-15, 0.3)
sensitivities = log_even(1e-3, 1e7)


@given(epsilons, deltas, sensitivities)
def test_sigma_is_the_least_that_keeps_delta(epsilon: float, delta: float, sensitivity: float) -> None:
    sigma = gaussian_sigma(epsilon, delta, sensitivity=sensitivity)
    assert gaussian_delta(epsilon, sigma=sigma, sensitivity=sensitivity) <= delta
    less = gaussian_delta(epsilon, sigma=sigma * (1 - 1e-9), sensitivity=sensitivity)
    assert less > delta * (1 - NOT_WASTED)
    true = exact_delta(epsilon, sigma=sigma, sensitivity=sensitivity)
    assert delta * (1 - NOT_WASTED) < true <= delta


@given(log_even(1e-3, 30), deltas, log_even(1e-3, 1e6))
def test_epsilon_is_the_least_that_keeps_delta(mu: float, delta: float, sigma: float) -> None:
    sensitivity = mu * sigma
    epsilon = gaussian_epsilon(delta, sigma=sigma, sensitivity=sensitivity)
    assert gaussian_delta(epsilon, sigma=sigma, sensitivity=sensitivity) <= delta
    if epsilon > 0:
        less = gaussian_delta(epsilon * (1 - 1e-9), sigma=sigma, sensitivity=sensitivity)
        assert less > delta * (1 - NOT_WASTED)
        true = exact_delta(epsilon, sigma=sigma, sensitivity=sensitivity)
        assert delta * (1 - NOT_WASTED) < true <= delta
    else:
        assert exact_delta(0.0, sigma=sigma, sensitivity=sensitivity) <= delta


@given(st.floats(0.01, 50), deltas)
def test_epsilon_and_sigma_undo_each_other(epsilon: float, delta: float) -> None:
    sigma = gaussian_sigma(epsilon, delta, sensitivity=1.0)
    assert gaussian_epsilon(delta, sigma=sigma, sensitivity=1.0) == pytest.approx(epsilon, rel=1e-8)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 3.0, 10.0, 50.0])
@pytest.mark.parametrize("delta", [1e-300, 1e-100, 1e-30, 0.5, 0.99])
def test_sigma_and_epsilon_at_extreme_deltas(epsilon: float, delta: float) -> None:
    sigma = gaussian_sigma(epsilon, delta, sensitivity=1.0)
    true = exact_delta(epsilon, sigma=sigma, sensitivity=1.0)
    assert delta * (1 - NOT_WASTED) < true <= delta
    assert gaussian_epsilon(delta, sigma=sigma, sensitivity=1.0) == pytest.approx(epsilon, rel=1e-6)


def test_sigma_of_a_published_example() -> None:
    """The classical √(2·ln(1.25/δ))·Δ/ε is 5.298 at ε = 1, δ = 1e-6; the exact σ is 4.2247."""
    assert gaussian_sigma(1.0, 1e-6, sensitivity=1.0) == pytest.approx(4.2247, abs=5e-5)
    assert gaussian_sigma(1.0, 1e-6, sensitivity=1.0) < math.sqrt(2 * math.log(1.25e6))


def test_epsilon_is_zero_where_delta_is_enough() -> None:
    assert gaussian_epsilon(0.4, sigma=1.0, sensitivity=1.0) == 0.0  # 2Φ(½) − 1 = 0.383
    assert gaussian_epsilon(0.38, sigma=1.0, sensitivity=1.0) > 0.0
    assert gaussian_epsilon(1e-9, sigma=1.0, sensitivity=0.0) == 0.0


# --- b


@given(log_even(1e-9, 1e6), st.integers(1, 2**60))
def test_the_laplace_scale_is_the_least_double_above_the_quotient(epsilon: float, sensitivity: int) -> None:
    scale = laplace_scale(epsilon, sensitivity=sensitivity)
    assert Fraction(sensitivity) / Fraction(scale) <= Fraction(epsilon)
    assert Fraction(sensitivity) / Fraction(math.nextafter(scale, 0.0)) > Fraction(epsilon)


def test_the_laplace_scale_of_plain_numbers() -> None:
    assert laplace_scale(0.5, sensitivity=3) == 6.0
    assert laplace_scale(4.0, sensitivity=1) == 0.25
    assert laplace_scale(3.0, sensitivity=1) == math.nextafter(1 / 3, 1)  # the nearest double is below ⅓


# --- errors


BAD = [-1.0, -5e-324, math.nan, math.inf, -math.inf]


@pytest.mark.parametrize("value", BAD)
@pytest.mark.parametrize("name", ["epsilon", "sigma", "sensitivity"])
def test_gaussian_delta_names_the_bad_argument(name: str, value: float) -> None:
    good = {"epsilon": 1.0, "sigma": 1.0, "sensitivity": 1.0, name: value}
    with bad_argument(ValueError, f"{name}={value}"):
        gaussian_delta(good["epsilon"], sigma=good["sigma"], sensitivity=good["sensitivity"])


def test_no_noise_is_no_gaussian_mechanism() -> None:
    with bad_argument(ValueError, "sigma=0"):
        gaussian_delta(1.0, sigma=0.0, sensitivity=1.0)
    with bad_argument(ValueError, "sigma=0"):
        gaussian_epsilon(1e-6, sigma=0.0, sensitivity=1.0)


@pytest.mark.parametrize("value", BAD)
@pytest.mark.parametrize("name", ["sigma", "sensitivity"])
def test_gaussian_epsilon_names_the_bad_argument(name: str, value: float) -> None:
    good = {"sigma": 1.0, "sensitivity": 1.0, name: value}
    with bad_argument(ValueError, f"{name}={value}"):
        gaussian_epsilon(1e-6, sigma=good["sigma"], sensitivity=good["sensitivity"])


@pytest.mark.parametrize("delta", [0.0, 1.0, -1e-9, 2.0, math.nan, math.inf])
@pytest.mark.parametrize(
    "solve",
    [
        lambda delta: gaussian_epsilon(delta, sigma=1.0, sensitivity=1.0),
        lambda delta: gaussian_sigma(1.0, delta, sensitivity=1.0),
    ],
)
def test_delta_lies_between_zero_and_one(solve: Callable[[float], float], delta: float) -> None:
    with bad_argument(ValueError, f"delta={delta}"):
        solve(delta)


@pytest.mark.parametrize("value", [*BAD, 0.0])
@pytest.mark.parametrize("name", ["epsilon", "sensitivity"])
@pytest.mark.parametrize(
    "solve",
    [
        lambda epsilon, sensitivity: gaussian_sigma(epsilon, 1e-6, sensitivity=sensitivity),
        lambda epsilon, sensitivity: laplace_scale(epsilon, sensitivity=sensitivity),
    ],
)
def test_sigma_and_scale_name_the_bad_argument(
    solve: Callable[[float, float], float], name: str, value: float
) -> None:
    good = {"epsilon": 1.0, "sensitivity": 1.0, name: value}
    with bad_argument(ValueError, name, value):
        solve(good["epsilon"], good["sensitivity"])


# --- found while these tests were written


@pytest.mark.parametrize("mu", [1e-3, 0.1, 1.0])
def test_epsilon_next_to_zero_is_found(mu: float) -> None:
    delta = gaussian_delta(0.0, sigma=1.0, sensitivity=mu) * (1 - 1e-15)
    epsilon = gaussian_epsilon(delta, sigma=1.0, sensitivity=mu)
    assert gaussian_delta(epsilon, sigma=1.0, sensitivity=mu) <= delta


@pytest.mark.parametrize("mu", [1e10, 1e100])
def test_delta_where_the_balls_are_farther_apart_is_one_too(mu: float) -> None:
    assert gaussian_delta(1.0, sigma=1.0, sensitivity=mu) == 1.0
