"""How far noise reaches, against its probabilities summed one by one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from synthrelease.dp.error_bounds import (
    INTERVAL,
    beyond,
    chebyshev,
    chebyshev_reach,
    interval_deviations,
    reach,
)
from synthrelease.dp.event import DiscreteLaplace, Noise, RoundedGaussian
from synthrelease.dp.noise import SecureRandom, discrete_laplace, rounded_gaussian

NOISES: list[Noise] = [
    *(DiscreteLaplace(1, scale, 1) for scale in (0.05, 0.3, 1.0, 7.5, 300.0)),
    *(RoundedGaussian(1.0, scale, 1) for scale in (0.1, 0.5, 1.0, 7.5, 300.0)),
]
noises = pytest.mark.parametrize("noise", NOISES, ids=str)


def at_most(noise: Noise, t: int) -> float:
    """P(|noise| ≤ t), term by term."""
    k = np.arange(-t, t + 1)
    if isinstance(noise, DiscreteLaplace):
        everything = 1 + 2 * math.fsum(np.exp(-np.arange(1, 60 * math.ceil(noise.scale)) / noise.scale))
        return math.fsum(np.exp(-np.abs(k) / noise.scale)) / everything
    return math.fsum(norm.cdf((k + 0.5) / noise.scale) - norm.cdf((k - 0.5) / noise.scale))


@noises
@pytest.mark.parametrize("probability", [0.5, INTERVAL, 0.999])
@pytest.mark.parametrize("together", [1, 2, 3])
def test_the_reach_is_the_least_that_suffices(noise: Noise, probability: float, together: int) -> None:
    t = reach(noise, probability=probability, together=together)
    assert t >= 0
    assert at_most(noise, t) ** together >= probability * (1 - 1e-9)
    assert t == 0 or at_most(noise, t - 1) ** together < probability * (1 + 1e-9)


@noises
@pytest.mark.parametrize("deviations", [0.5, 1.0, 2.0, 4.5])
def test_what_lies_beyond_is_exact_and_less_than_chebyshev_says(noise: Noise, deviations: float) -> None:
    first = math.ceil(deviations * noise.standard_deviation)
    expected = 1 - at_most(noise, first - 1)
    assert beyond(noise, deviations=deviations) == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert beyond(noise, deviations=deviations) <= chebyshev(deviations=deviations) * (1 + 1e-12)


def test_chebyshev_s_inequality() -> None:
    assert chebyshev(deviations=2.0) == 0.25
    assert chebyshev(deviations=0.5) == 1.0
    noise = DiscreteLaplace(1, 10.0, 1)
    assert chebyshev_reach(noise) == pytest.approx(noise.standard_deviation * math.sqrt(20))
    assert chebyshev(deviations=chebyshev_reach(noise) / noise.standard_deviation) == pytest.approx(0.05)


@pytest.mark.parametrize("noise", NOISES[2:5] + NOISES[-3:], ids=str)
def test_noise_that_is_drawn_keeps_within_the_reach_as_often_as_it_says(noise: Noise) -> None:
    """200 000 draws; 6.1 standard deviations, and the wrong probability as the control."""
    draw = discrete_laplace if isinstance(noise, DiscreteLaplace) else rounded_gaussian
    drawn = np.abs(draw(noise.scale, 200_000, random=SecureRandom.for_tests(3)))
    inside = float((drawn <= reach(noise)).mean())
    expected = at_most(noise, reach(noise))
    spread = 6.1 * math.sqrt(expected * (1 - expected) / drawn.size)
    assert abs(inside - expected) < spread
    assert abs(inside - (1 - (1 - expected) * 1.2)) > spread


WEIGHTS = ([1.0], [1.0, 1.0], [1.0, 0.2], [1.0, 0.3, 0.3], [1.0] * 4, [1.0] + [0.1] * 9)


@pytest.mark.parametrize("noise", [DiscreteLaplace(1, 2000.0, 1), RoundedGaussian(1.0, 2000.0, 1)], ids=str)
@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
def test_a_weighted_sum_of_noise_keeps_within_its_plus_minus_in_95_of_100(
    noise: Noise, weights: list[float]
) -> None:
    size, random = 400_000, np.random.default_rng(5)
    drawn: Any = random.laplace if isinstance(noise, DiscreteLaplace) else random.normal
    total = sum(weight * drawn(scale=noise.scale, size=size) for weight in weights)
    deviation = noise.standard_deviation * math.sqrt(sum(weight**2 for weight in weights))
    inside = np.abs(total) <= interval_deviations(noise) * deviation
    chance = 6.1 * math.sqrt(0.95 * 0.05 / size)  # one in a thousand millions
    assert INTERVAL - chance <= inside.mean() <= 0.97
    assert interval_deviations(noise) == pytest.approx(reach(noise) / noise.standard_deviation, rel=1e-3)
    # One standard deviation, which ± once was, holds far less.
    assert (np.abs(total) <= deviation).mean() < 0.8
