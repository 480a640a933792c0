"""How far noise reaches, exactly and by Chebyshev's inequality, and how far a private choice misses: known without any data.

Chebyshev: P(|noise| ≥ κ·sd) ≤ 1/κ². Laplace: P(|noise| ≥ j) = 2q^j/(1 + q), q = exp(−1/b), for whole j ≥ 1: close to
exp(−j/b), which at κ = 2 standard deviations is exp(−2√2) = 0.0591. Rounded Gaussian: P(|noise| ≥ j) = P(|N| ≥ j − ½). Textbook; of continuous Laplace noise: Dwork & Roth 2014, Fact 3.7.
"""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

from synthrelease.dp.event import DiscreteLaplace, Noise
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.sensitivity import quantile_utility

INTERVAL = 0.95  # probability of the intervals that a bundle and a preview state


def reach(noise: Noise, *, probability: float = INTERVAL, together: int = 1) -> int:
    """Return the least t with P(|noise| ≤ t for all of `together` independent noises) ≥ `probability`, in steps.

    Args:
        noise: the event.
        probability: above 0 and below 1.
        together: how many noises are to keep within t at once.
    """
    outside = -math.expm1(math.log(probability) / together)
    if isinstance(noise, DiscreteLaplace):
        tail = math.log(2 / outside) - math.log1p(math.exp(-1 / noise.scale))
        return max(0, math.ceil(noise.scale * tail) - 1)
    return max(0, math.ceil(-NormalDist().inv_cdf(outside / 2) * noise.scale - 0.5))


def interval_deviations(noise: Noise) -> float:
    """Return how many standard deviations on either side hold noise with probability 95 %: 1.96 if it is Gaussian, 2.12 if it is Laplace.

    As many hold a weighted sum of such noises: that of Laplace noises has lighter tails than one of them. Noise of many grid units is meant.
    """
    if isinstance(noise, DiscreteLaplace):
        return -math.log(1 - INTERVAL) / math.sqrt(2)
    return NormalDist().inv_cdf((1 + INTERVAL) / 2)


def beyond(noise: Noise, *, deviations: float) -> float:
    """Return P(|noise| ≥ κ standard deviations), κ = `deviations` > 0, exactly."""
    first = math.ceil(deviations * noise.standard_deviation)
    if isinstance(noise, DiscreteLaplace):
        return 2 * math.exp(-first / noise.scale) / (1 + math.exp(-1 / noise.scale))
    return math.erfc((first - 0.5) / (noise.scale * math.sqrt(2)))


def chebyshev(*, deviations: float) -> float:
    """Return what P(|noise| ≥ κ standard deviations) is at most, for any noise of finite variance: 1/κ²."""
    return min(1.0, deviations**-2)


def chebyshev_reach(noise: Noise, *, probability: float = INTERVAL) -> float:
    """Return the distance, in steps, that noise stays below with so much probability by Chebyshev: sd/√(1 − probability)."""
    return noise.standard_deviation / math.sqrt(1 - probability)


def rank_error(
    p: Fraction, *, epsilon: float, steps: int, moving: bool, neighbours: Neighbours, probability: float
) -> float:
    """Return how many people, with at least so much probability, the rank of what is chosen misses its target by at most.

    P(gap ≥ g) ≤ (K − 1)·exp(−ε·g/(2Δ)), where a gap in utility of b (p = a/b) is one person: permute-and-flip errs no more
    than the exponential mechanism, whose weights bound the error (McKenna & Sheldon 2020).

    Args:
        p: of the quantile, above 0 and below 1.
        epsilon: of the choice. Dimensionless.
        steps: K, how many intervals there are to choose from.
        moving: whether there are more groups than a person counts in.
        neighbours: the neighbouring relation.
        probability: of a miss that is no larger, below 1.
    """
    if steps == 1:
        return 0.0
    delta = quantile_utility(p, moving=moving, neighbours=neighbours)
    return 2 * delta / epsilon * math.log((steps - 1) / (1 - probability)) / p.denominator
