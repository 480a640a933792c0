"""The assumption of the samplers' certificate: `ndtri` and `log` err by less than 1e-13·(1 + |x|).

Compared with 60 digits of mpmath where the implementations change their method: Cephes' `ndtri` switches
between two rational approximations at y = exp(−2), and between two more at √(−2 ln y) = 8, y = exp(−32);
`log` changes near 1 and from one power of two to the next, and NumPy's differs with the length and stride
of the array. Measured: 3.4e-16·(1 + |x|) and 1.1e-16·(1 + |x|); the tests demand a twentieth of the allowance.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from mpmath import MPContext
from scipy.special import ndtri

from synthrelease.dp.noise import rounded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

DEMANDED = 1e-13 / 20

_mp = MPContext()
_mp.prec = 200


def neighbours(value: float, steps: int = 300) -> Numbers:
    """The doubles next to `value`, on both sides."""
    position = np.float64(value).view(np.int64)
    return (position + np.arange(-steps, steps + 1)).view(np.float64)


def points(named: dict[str, Numbers]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("at", named.values(), ids=named.keys())


def far_and_wide(deepest: int, count: int) -> Numbers:
    """Numbers from 2^-deepest to 1, evenly in their logarithm."""
    return 2.0 ** -np.random.default_rng(deepest).uniform(0, deepest, count)


def exact_upper_quantile(u: Any, near: float) -> Any:
    """x with Q(x) = u, by two Newton steps in multi-precision from a double near it."""
    x = _mp.mpf(near)
    for _ in range(2):
        density = _mp.exp(-x * x / 2) / _mp.sqrt(2 * _mp.pi)
        x += (_mp.erfc(x / _mp.sqrt(2)) / 2 - u) / density
    return x


def relative_to_allowed(error: Any, x: float) -> float:
    return float(abs(error)) / (1 + abs(x))


def test_the_allowance_is_the_one_that_is_tested_here() -> None:
    assert rounded._ALLOWANCE == 1e-13 == 20 * DEMANDED


@points(
    {
        "log-even from 2^-65": 0.5 * far_and_wide(64, 3000),
        "even below one half": np.random.default_rng(1).uniform(0, 0.5, 3000),
        "exp(-2), first branch": neighbours(math.exp(-2)),
        "around exp(-2)": math.exp(-2) * (1 + np.linspace(-1e-3, 1e-3, 1000)),
        "exp(-32), second branch": neighbours(math.exp(-32)),
        "around exp(-32)": math.exp(-32) * (1 + np.linspace(-1e-3, 1e-3, 1000)),
        "next to one half": 0.5 - np.arange(600) * 2.0**-54,
        "around one half": 0.5 - np.logspace(-16, -2, 500),
        "the smallest words": (np.arange(600) + 0.5) * 2.0**-64,
        "powers of two": 2.0 ** -np.arange(1, 66),
    }
)
def test_ndtri_errs_less_than_a_twentieth_of_the_allowance(at: Numbers) -> None:
    assert at.min() >= 2.0**-65
    assert at.max() <= 0.5
    worst = 0.0
    for y, x in zip(at.tolist(), (-ndtri(at)).tolist(), strict=True):
        worst = max(worst, relative_to_allowed(x - exact_upper_quantile(_mp.mpf(y), x), x))
    assert worst < DEMANDED


@points(
    {
        "log-even from 2^-64": far_and_wide(64, 3000),
        "even below one": np.random.default_rng(2).uniform(0, 1, 3000),
        "next to one": 1.0 - np.arange(600) * 2.0**-53,
        "around one": 1.0 - np.logspace(-16, -1, 500),
        "next to one half": neighbours(0.5),
        "next to √½": neighbours(math.sqrt(0.5)),
        "next to 2^-40 and 2^-63": np.concatenate([neighbours(2.0**-40), neighbours(2.0**-63)]),
        "the smallest words": (np.arange(600) + 0.5) * 2.0**-63,
        "powers of two": 2.0 ** -np.arange(65),
    }
)
def test_log_errs_less_than_a_twentieth_of_the_allowance(at: Numbers) -> None:
    assert at.min() >= 2.0**-64
    assert at.max() <= 1.0
    spread = np.repeat(at, 3)[::3]  # another stride, another inner loop
    singly = np.array([np.log(at[place : place + 1])[0] for place in range(at.size)])
    for values in (np.log(at), np.log(spread), np.log(at[::-1])[::-1], singly):
        worst = 0.0
        for u, x in zip(at.tolist(), values.tolist(), strict=True):
            worst = max(worst, relative_to_allowed(x - _mp.log(_mp.mpf(u)), x))
        assert worst < DEMANDED


WORDS = np.concatenate(
    [
        np.random.default_rng(3).integers(1, 2**63, 600),
        np.random.default_rng(4).integers(1, 2**63, 600) >> np.random.default_rng(5).integers(0, 62, 600),
        np.arange(1, 60),
        2**63 - 1 - np.arange(60),
        int(math.exp(-2) * 2**64) + np.arange(-60, 60) * 2**11,
        int(math.exp(-32) * 2**64) + np.arange(-60, 60),
    ]
)


@pytest.mark.parametrize("sigma", [0.3, 1.0, 17.5, 1e3, 1e5, 2.0**40])
def test_the_gaussian_from_word_to_product_errs_less_than_a_twentieth_of_its_allowance(sigma: float) -> None:
    """With the conversion of t + ½, which has more bits than a double, and the multiplication by σ."""
    x = -ndtri((WORDS + 0.5) * 2.0**-64)
    y = sigma * x
    for t, near, product in zip(WORDS.tolist(), x.tolist(), y.tolist(), strict=True):
        exact = _mp.mpf(sigma) * exact_upper_quantile(_mp.ldexp(2 * t + 1, -65), near)
        assert relative_to_allowed(product - exact, near) < sigma * DEMANDED


@pytest.mark.parametrize("scale", [1e-3, 0.3, 1.0, 17.5, 1e3, 1e5, 2.0**40])
def test_the_laplace_from_word_to_product_errs_less_than_a_twentieth_of_its_allowance(scale: float) -> None:
    x = math.log(2.0) - math.log1p(math.exp(-1.0 / scale)) - np.log((WORDS + 0.5) * 2.0**-63)
    y = scale * x
    b = _mp.mpf(scale)
    constant = _mp.log(2 / (1 + _mp.exp(-1 / b)))
    for t, near, product in zip(WORDS.tolist(), x.tolist(), y.tolist(), strict=True):
        exact = b * (constant - _mp.log(_mp.ldexp(2 * t + 1, -64)))
        assert relative_to_allowed(product - exact, near) < scale * DEMANDED


def test_half_a_bracket_over_the_density_is_what_the_gaussian_widens_by() -> None:
    """x(t) − x(t + ½) ≤ 2⁻⁶⁴·√(2π)·exp(x²/2) for t ≥ 1, from the isoperimetric profile's concavity."""
    for t in [*range(1, 200), *(2**power for power in range(8, 63))]:
        middle = _mp.ldexp(2 * t + 1, -65)
        x = exact_upper_quantile(middle, -float(ndtri(float(middle))))
        end = _mp.ldexp(t, -64)  # towards the tail, where the density is least
        farther = exact_upper_quantile(end, -float(ndtri(float(end))))
        claimed = _mp.ldexp(1, -64) * _mp.sqrt(2 * _mp.pi) * _mp.exp(x * x / 2)
        assert 0 < farther - x < claimed


def test_below_five_the_bracket_is_covered_by_the_allowance() -> None:
    """The samplers look at the bracket only where x > 5 (Gaussian) or u < 1e-4 (Laplace)."""
    assert 2.0**-64 * math.sqrt(2 * math.pi) * math.exp(12.5) * 1.001 < 1e-13 * (1 + 5) / 2
    assert 2.0**-63 / 1e-4 < 1e-13
