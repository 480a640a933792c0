"""The contract of every mechanism, III: the guarantee itself, tested by breaking it.

An attacker who knows everything but one person's rows, and both candidates for those, decides by the most powerful
test there is, the likelihood ratio (Neyman & Pearson). Under (ε, δ)-differential privacy no test has

    TPR > e^ε·FPR + δ,

whatever its threshold. Both rates are estimated from noise drawn for the purpose; a violation is one that holds for
the ends of their confidence intervals (Clopper & Pearson), at 1e-9 for all thresholds together. The control, the
same attack on noise of half the scale, must be such a violation.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats
from scipy.special import log_ndtr

from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian
from synthrelease.dp.noise import SecureRandom

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from variants.variant import Variant

    Integers = NDArray[np.int64]
    Numbers = NDArray[np.float64]

DRAWS = 20_000
SIGNIFICANCE = 1e-9
THRESHOLDS = np.linspace(-1.0, 3.0, 17)  # of the log-likelihood ratio; ε is one of them, and the best


def neighbours(variant: Variant) -> tuple[Integers, Integers]:
    """The exact integers of the two neighbouring datasets that lie furthest apart in the norm of the noise."""
    beside = variant.ordinary(1, seed=9)
    pair = variant.moves.by_l1 if variant.noise == "laplace" else variant.moves.by_l2
    one, other = [*beside, pair[0]], [*beside, *pair[1:]]
    return variant.exact(one), variant.exact(other)


def log_likelihood(noise: Integers, event: Any) -> Numbers:
    """ln P(noise) of each integer, up to a constant."""
    if isinstance(event, DiscreteLaplace):
        return -np.abs(noise) / event.scale
    # ln(Φ(b) − Φ(a)) for a < b ≤ 0, whichever side the integer is on.
    magnitude = np.abs(noise)
    upper, lower = log_ndtr((0.5 - magnitude) / event.scale), log_ndtr((-0.5 - magnitude) / event.scale)
    at_zero = np.log1p(-2 * np.exp(log_ndtr(-0.5 / event.scale)))
    return np.where(magnitude == 0, at_zero, upper + np.log1p(-np.exp(lower - upper)))


def orders(exact: Integers) -> list[Integers]:
    """The vectors that may lie under the noise: people who are released apart come in any order."""
    if exact.ndim == 1:
        return [exact]
    return [exact[list(turn)].ravel() for turn in itertools.permutations(range(len(exact)))]


def log_ratio(released: Integers, one: Integers, other: Integers, event: Any) -> Numbers:
    """ln P(released | one) − ln P(released | other) for each of many releases, shape (draws, K)."""
    under = [
        np.logaddexp.reduce([log_likelihood(released - v, event).sum(axis=1) for v in orders(exact)], axis=0)
        for exact in (one, other)
    ]
    return under[0] - under[1]


def many_releases(variant: Variant, exact: Integers, event: Any, seed: int) -> Integers:
    random = SecureRandom.for_tests(seed)
    vectors = np.stack(orders(exact))
    repeated = vectors[random.integers(len(vectors), DRAWS)]
    return variant.draw(repeated, event, random)


def excess(variant: Variant, event: Any) -> float:
    """The largest TPR − e^ε·FPR − δ that is proved, over both directions and all thresholds."""
    one, other = neighbours(variant)
    if not variant.apart:  # where both are equal the noise tells nothing
        one, other = one[one != other], other[one != other]
    largest = -math.inf
    for seed, (present, absent) in enumerate(((one, other), (other, one))):
        hits = log_ratio(many_releases(variant, present, event, 2 * seed), present, absent, event)
        misses = log_ratio(many_releases(variant, absent, event, 2 * seed + 1), present, absent, event)
        for threshold in THRESHOLDS * variant.budget.epsilon:
            # A ratio that should be equal to the threshold may miss it by the rounding of sums.
            least = at_least(int((hits > threshold - 1e-6).sum()))
            most = 1.0 - at_least(int((misses <= threshold - 1e-6).sum()))
            delta = variant.budget.delta if variant.noise == "gaussian" else 0.0
            largest = max(largest, least - math.exp(variant.budget.epsilon) * most - delta)
    return largest


def at_least(successes: int) -> float:
    """Lower confidence bound of a probability, one of 2 rates × 2 directions × all thresholds."""
    level = SIGNIFICANCE / (4 * len(THRESHOLDS))
    return float(stats.beta.ppf(level, successes, DRAWS - successes + 1)) if successes else 0.0


def test_no_attack_does_better_than_the_guarantee_allows(attacked: Variant) -> None:
    assert excess(attacked, attacked.event(2)) <= 0


def test_control_half_of_the_noise_breaks_the_guarantee(halved: Variant) -> None:
    event = halved.event(2)
    assert excess(halved, replace(event, scale=event.scale / 2)) > 0.01


# --- the confidence bound itself


def test_the_bound_covers_the_probability_and_is_not_far_from_it() -> None:
    for p in (0.001, 0.02, 0.3, 0.9):
        seen = np.random.default_rng(0).binomial(DRAWS, p, 200)
        bounds = np.array([at_least(int(n)) for n in seen])
        assert (bounds < p).all()
        assert (bounds > p - 12 * math.sqrt(p * (1 - p) / DRAWS)).all()
    assert at_least(0) == 0.0
    assert 0.998 < at_least(DRAWS) < 1


def test_the_likelihoods_are_those_of_the_noise() -> None:
    k = np.arange(-400, 401)
    gaussian = np.exp(log_likelihood(k, RoundedGaussian(1.0, 3.0, 1)))
    cells = np.diff(stats.norm.cdf(np.append(k, 401) - 0.5, scale=3.0))
    np.testing.assert_allclose(gaussian, cells, rtol=1e-9, atol=1e-15)
    laplace = np.exp(log_likelihood(k, DiscreteLaplace(1, 3.0, 1)))
    np.testing.assert_allclose(laplace[401:] / laplace[400:-1], math.exp(-1 / 3), rtol=1e-12)
