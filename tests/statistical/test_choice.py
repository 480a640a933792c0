"""Private choices fall as their exact law says, at the right ε and at no other.

Seeds are fixed; each decision would be wrong with probability 1e-9 for a fresh one. Sample size. If the law were that of
another ε, the chi-square statistic of n draws would be non-central by λ = n·Σ (p − p′)²/p′. With at most six candidates it is
rejected above 51 (5 degrees of freedom), has mean 5 + λ and standard deviation √(10 + 4λ). The tests demand λ ≥ 200 of
each control, which is then 10 standard deviations or more beyond the threshold on average; n = 150 000 suffices for ε·1.1 and ε/1.1.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats
from tiers import params

from synthrelease.dp.noise import SecureRandom, choice, private_choice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Integers = NDArray[np.int64]

SIGNIFICANCE = 1e-9
COUNT = 150_000
LEAST_DISTANCE = 200.0  # λ of a control
LEAST_EXPECTED = 100.0

CASES = [  # utilities, sensitivity, ε
    ((0, 4), 1, 1.0),
    ((0, 1, 2, 4), 1, 0.7),
    ((5, 5, 0, 3, -2), 2, 2.0),
    ((0, 0, 0, 0, 0, 3), 1, 0.9),
    ((10**12, 10**12 + 75, 10**12 + 25), 7, 0.4),
]
cases = pytest.mark.parametrize(("utilities", "sensitivity", "epsilon"), CASES, ids=str)


def law(utilities: Sequence[int], sensitivity: int, epsilon: float) -> Numbers:
    """Permute-and-flip, order by order (McKenna & Sheldon 2020, Algorithm 1)."""
    best, m = max(utilities), len(utilities)
    p = [math.exp(-epsilon * (best - u) / (2 * sensitivity)) for u in utilities]
    found = np.zeros(m)
    for order in itertools.permutations(range(m)):
        none_yet = 1.0
        for r in order:
            found[r] += none_yet * p[r]
            none_yet *= 1 - p[r]
    return found / math.factorial(m)


def exponential_mechanism(utilities: Sequence[int], sensitivity: int, epsilon: float) -> Numbers:
    best = max(utilities)
    weights = np.array([math.exp(-epsilon * (best - u) / (2 * sensitivity)) for u in utilities])
    return weights / weights.sum()


@cache
def drawn(utilities: tuple[int, ...], sensitivity: int, epsilon: float) -> Integers:
    """How often each candidate was chosen."""
    random = SecureRandom.for_tests(2028).spawn(str(utilities), str(sensitivity), str(epsilon))
    chosen = [
        private_choice(utilities, sensitivity=sensitivity, epsilon=epsilon, random=random)
        for _ in range(COUNT)
    ]
    counts: Integers = np.bincount(chosen, minlength=len(utilities))
    return counts


def fit(seen: Integers, p: Numbers) -> float:
    """p-value of the chi-square test."""
    expected = seen.sum() * p
    assert expected.min() >= LEAST_EXPECTED
    return float(stats.chi2.sf(((seen - expected) ** 2 / expected).sum(), p.size - 1))


def distance(p: Numbers, other: Numbers) -> float:
    """λ, by which the statistic is non-central if p is true and `other` tested."""
    return COUNT * float(((p - other) ** 2 / other).sum())


# --- the helpers


def test_the_helper_rejects_as_often_as_it_says_where_the_law_is_right() -> None:
    generator = np.random.default_rng(5)
    for case in CASES:
        p = law(*case)
        values = [fit(generator.multinomial(COUNT, p), p) for _ in range(2000)]
        for level in (0.01, 0.1, 0.5, 0.9):
            below = sum(value < level for value in values)
            assert stats.binomtest(below, len(values), level).pvalue > SIGNIFICANCE


def test_the_helper_rejects_a_law_as_far_away_as_the_controls_must_be() -> None:
    generator = np.random.default_rng(6)
    p = np.array([0.2, 0.3, 0.5])
    step = math.sqrt(LEAST_DISTANCE / COUNT / (1 / p[0] + 1 / p[1]))
    for sign in (1, -1):
        true = p + sign * step * np.array([1, -1, 0])
        assert distance(true, p) == pytest.approx(LEAST_DISTANCE)
        assert all(fit(generator.multinomial(COUNT, true), p) < SIGNIFICANCE for _ in range(200))


# --- the choice


@pytest.mark.thorough
@cases
def test_choices_fall_as_the_exact_law_says(
    utilities: tuple[int, ...], sensitivity: int, epsilon: float
) -> None:
    assert fit(drawn(utilities, sensitivity, epsilon), law(utilities, sensitivity, epsilon)) > SIGNIFICANCE


@pytest.mark.thorough
@cases
@pytest.mark.parametrize("factor", [1.1, 1 / 1.1], ids=["more", "less"])
def test_control_an_epsilon_wrong_by_a_tenth_is_rejected(
    utilities: tuple[int, ...], sensitivity: int, epsilon: float, factor: float
) -> None:
    right, wrong = law(utilities, sensitivity, epsilon), law(utilities, sensitivity, epsilon * factor)
    best = np.array(utilities) == max(utilities)
    assert (wrong[best].sum() > right[best].sum()) == (factor > 1)  # wrong in the direction it says
    assert distance(right, wrong) > LEAST_DISTANCE
    assert fit(drawn(utilities, sensitivity, epsilon), wrong) < SIGNIFICANCE


@pytest.mark.thorough
@cases
def test_control_the_exponential_mechanism_is_another(
    utilities: tuple[int, ...], sensitivity: int, epsilon: float
) -> None:
    other = exponential_mechanism(utilities, sensitivity, epsilon)
    assert distance(law(utilities, sensitivity, epsilon), other) > LEAST_DISTANCE
    assert fit(drawn(utilities, sensitivity, epsilon), other) < SIGNIFICANCE


@pytest.mark.thorough
def test_choices_one_after_the_other_are_independent() -> None:
    random = SecureRandom.for_tests(2029)
    case = CASES[1]
    utilities, sensitivity, epsilon = case
    chosen = np.array(
        [
            private_choice(utilities, sensitivity=sensitivity, epsilon=epsilon, random=random)
            for _ in range(COUNT)
        ]
    )
    pairs = np.bincount(4 * chosen[:-1:2] + chosen[1::2], minlength=16)
    assert fit(pairs, np.outer(law(*case), law(*case)).ravel()) > SIGNIFICANCE


# --- its coins

_COINS = [Fraction(1, 100), Fraction(1, 3), Fraction(0.7), Fraction(1), Fraction(3, 2), Fraction(17, 4)]
COINS = params(_COINS, quick=[Fraction(1, 3)])


@cache
def happened(x: Fraction) -> int:
    random = SecureRandom.for_tests(2030).spawn(str(x))
    return sum(choice._happens_exp(x, random) for _ in range(COUNT))


@pytest.mark.parametrize("x", COINS, ids=float)
def test_a_coin_falls_with_probability_exp_minus_x(x: Fraction) -> None:
    assert stats.binomtest(happened(x), COUNT, math.exp(-x)).pvalue > SIGNIFICANCE


@pytest.mark.parametrize("x", COINS[1:], ids=float)
@pytest.mark.parametrize("factor", [1.1, 1 / 1.1], ids=["more", "less"])
def test_control_a_coin_of_an_exponent_wrong_by_a_tenth_is_rejected(x: Fraction, factor: float) -> None:
    assert stats.binomtest(happened(x), COUNT, math.exp(-x * factor)).pvalue < SIGNIFICANCE


@pytest.mark.parametrize("bound", [3, 5 * 2**62, 2**130 + 2**129])
def test_integers_below_any_bound_are_uniform_in_high_and_low_digits(bound: int) -> None:
    random = SecureRandom.for_tests(2031).spawn(str(bound))
    values = [choice._below(bound, random) for _ in range(COUNT)]
    cells = min(bound, 60)
    high = np.bincount([value * cells // bound for value in values], minlength=cells)
    low = np.bincount([value % min(bound, 7) for value in values], minlength=min(bound, 7))
    for seen in (high, low):  # of so large a bound the remainders differ in probability by 1e-18
        assert fit(seen, np.full(seen.size, 1 / seen.size)) > SIGNIFICANCE
