"""How much noise a guarantee needs, and what a given noise guarantees: exact, with σ rounded up.

The Gaussian mechanism of L2 sensitivity Δ and standard deviation σ is (ε, δ)-differentially private if and
only if, with μ = Δ/σ,

    δ ≥ Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ)          (Balle & Wang 2018, https://arxiv.org/abs/1805.06530, Eq. 6)

`liu2019_sigma` is the paper's formula, kept for reproduction; its guarantee is computed by the line above.
"""

from __future__ import annotations

import bisect
import functools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from scipy.special import log_ndtr

from synthrelease.dp.rounding import float_up

_UNDERFLOW = -1000.0  # e^−1000 is no floating-point number
_LARGEST_SHARE = 0.2  # of people whom δ could give away whole: n^(−3/2) of fewer than 25 people means nothing
_CARE = 1e-15  # relative error of log_ndtr and of the additions after it: each is near 2e-16


def gaussian_delta(epsilon: float, *, sigma: float, sensitivity: float) -> float:
    """Return the least δ at which Gaussian noise is (ε, δ)-differentially private, in log space, rounded up.

    Args:
        epsilon: ε ≥ 0.
        sigma: standard deviation σ > 0 of the noise, in the unit of the sensitivity.
        sensitivity: L2 sensitivity Δ ≥ 0, under whichever neighbouring relation the caller means.

    Raises:
        ValueError: an argument is out of range.
    """
    _check(epsilon=epsilon, sigma=sigma, sensitivity=sensitivity)
    if sigma == 0:
        raise ValueError("Expected sigma > 0, found sigma=0")
    mu = sensitivity / sigma
    if mu == 0:
        return 0.0
    inside = float(log_ndtr(mu / 2 - epsilon / mu))
    outside = epsilon + float(log_ndtr(-mu / 2 - epsilon / mu))
    if inside < _UNDERFLOW:
        return 0.0
    # For small μ the two logarithms are large and nearly equal: what rounding may hide is added to their distance.
    hidden = _CARE * (abs(inside) + abs(outside) + epsilon)
    if inside + hidden >= 0:
        return 1.0
    return min(math.exp(inside + hidden) * -math.expm1(min(outside - inside, 0.0) - hidden), 1.0)


def gaussian_epsilon(delta: float, *, sigma: float, sensitivity: float) -> float:
    """Return the least ε, rounded up, at which Gaussian noise is (ε, δ)-differentially private.

    The inverse of `gaussian_delta`; arguments and errors as there, with 0 < δ < 1.
    """
    _check_delta(delta)
    if gaussian_delta(0.0, sigma=sigma, sensitivity=sensitivity) <= delta:
        return 0.0

    def is_enough(epsilon: float) -> bool:
        return gaussian_delta(epsilon, sigma=sigma, sensitivity=sensitivity) <= delta

    high = 1.0
    while not is_enough(high):
        high *= 2.0
    return _raise_until(is_enough, _least(is_enough, 1e-14, high))


def gaussian_sigma(epsilon: float, delta: float, *, sensitivity: float) -> float:
    """Return the least σ, rounded up, at which Gaussian noise is (ε, δ)-differentially private.

    The analytic Gaussian mechanism (Balle & Wang 2018, Algorithm 1).

    Args:
        epsilon: ε > 0.
        delta: 0 < δ < 1.
        sensitivity: L2 sensitivity Δ > 0.

    Raises:
        ValueError: an argument is out of range.

    Example:
        >>> round(gaussian_sigma(1.0, 1e-6, sensitivity=1.0), 3)
        4.225
    """
    _check(epsilon=epsilon, sensitivity=sensitivity)
    _check_delta(delta)
    if epsilon == 0 or sensitivity == 0:
        raise ValueError(f"Expected epsilon > 0 and sensitivity > 0, found {epsilon} and {sensitivity}")
    sigma = sensitivity * _unit_sigma(epsilon, delta)
    return _raise_until(lambda s: gaussian_delta(epsilon, sigma=s, sensitivity=sensitivity) <= delta, sigma)


@functools.lru_cache(maxsize=1024)  # a preview asks for the same budgets at many sensitivities
def _unit_sigma(epsilon: float, delta: float) -> float:
    """σ of sensitivity 1, to about its last digit."""

    def is_enough(sigma: float) -> bool:
        return gaussian_delta(epsilon, sigma=sigma, sensitivity=1.0) <= delta

    high = 1.0
    while not is_enough(high):
        high *= 2.0
    low = high / 2
    while is_enough(low):
        low /= 2
    return _least(is_enough, low, high)


def laplace_scale(epsilon: float, *, sensitivity: int) -> float:
    """Return the least scale b, rounded up, at which discrete Laplace noise is ε-differentially private.

    b = Δ₁/ε for an integer query of L1 sensitivity Δ₁.
    """
    _check(epsilon=epsilon, sensitivity=sensitivity)
    if epsilon == 0 or sensitivity == 0:
        raise ValueError(f"Expected epsilon > 0 and sensitivity > 0, found {epsilon} and {sensitivity}")
    return float_up(Fraction(sensitivity) / Fraction(epsilon))


def liu2019_sigma(epsilon: float, delta: float, *, cap: int, pixels: int) -> float:
    """Return σ of Liu et al. 2019, Theorem 3.4, for the *sum* of gaze maps (n times the paper's σ).

    σ = (m/ε)·√(r·(ε/2 + ln(r/δ))). Not always sufficient: ask `gaussian_delta`.
    """
    return cap / epsilon * math.sqrt(pixels * (epsilon / 2 + math.log(pixels / delta)))


def liu2019_level(epsilon: float, delta: float, *, people: int) -> str:
    """Return what Liu et al. 2019 (section 4.1) would call a guarantee: "good", "okay" or "poor" privacy.

    Good at ε ≤ 1 and okay at ε ≤ 3, both at δ ≤ n^(−3/2), and as long as that is far below 1/n: poor otherwise.
    """
    if delta > people**-1.5 or delta * people >= _LARGEST_SHARE:
        return "poor"
    return "good" if epsilon <= 1 else "okay" if epsilon <= 3 else "poor"


def _least(is_enough: Callable[[float], bool], low: float, high: float) -> float:
    """Return the least number between two positive ones that is enough, if all above it are: but for rounding, which `_raise_until` makes up for.

    Bisected over floating-point numbers, whose bits are in their order.
    """
    first, last = (int(np.float64(end).view(np.int64)) for end in (low, high))

    def number(bits: int) -> float:
        return float(np.int64(bits).view(np.float64))

    between = range(first, last)
    return number(first + bisect.bisect_left(between, True, key=lambda bits: is_enough(number(bits))))


def _raise_until(is_enough: Callable[[float], bool], value: float) -> float:
    step = 1e-15
    while not is_enough(value):
        value *= 1.0 + step
        step *= 2.0
    return value


def _check(**values: float) -> None:
    for name, value in values.items():
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"Expected {name} >= 0 and finite, found {name}={value}")


def _check_delta(delta: float) -> None:
    if not 0 < delta < 1:
        raise ValueError(f"Expected 0 < delta < 1, found delta={delta}")
