"""How often the best attacker is right, against numbers by hand and against sums over every outcome."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import dlaplace, norm

from synthrelease.dp.best_guess import best_guess, best_guess_of
from synthrelease.dp.calibration import gaussian_delta
from synthrelease.dp.event import DiscreteLaplace, Disjoint, PrivateChoice, RoundedGaussian
from synthrelease.dp.guarantee import ApproxDP, NoGuarantee, PlausibleDeniability, PureDP

LN3 = math.log(3)


@pytest.mark.parametrize(
    ("guarantee", "expected"),
    [
        (PureDP(epsilon=0.0), 0.5),
        (PureDP(epsilon=LN3), 0.75),  # 3/4
        (PureDP(epsilon=1.0), 0.7310585786300049),
        (PureDP(epsilon=2000.0), 1.0),
        (ApproxDP(epsilon=LN3, delta=0.04), 0.76),  # 3.04/4
        (ApproxDP(epsilon=0.0, delta=0.1), 0.55),
    ],
)
def test_by_hand(guarantee, expected):
    assert best_guess(guarantee) == pytest.approx(expected, rel=1e-12)


def test_what_bounds_no_guess():
    assert best_guess(NoGuarantee(reason="none")) is None
    assert best_guess(PlausibleDeniability(k=5, gamma=4.0, counted="person", vacuous=False)) is None
    assert best_guess_of([Disjoint((RoundedGaussian(1.0, 1.0, 1), RoundedGaussian(1.0, 2.0, 1)))]) is None


@pytest.mark.parametrize("mu", [0.01, 0.3, 1.0, 4.0])
def test_gaussian_noise_is_exact_and_below_every_pair(mu):
    """Φ(μ/2), which (ε, δ(ε)) reaches at ε = 0 and exceeds elsewhere."""
    found = best_guess_of([RoundedGaussian(1.0, 1 / mu, 3)])
    assert found == pytest.approx(norm.cdf(mu / 2), rel=1e-12)
    for epsilon in (0.0, 0.5, 1.0, 3.0):
        delta = gaussian_delta(epsilon, sigma=1 / mu, sensitivity=1.0)
        pair = best_guess(ApproxDP(epsilon=epsilon, delta=delta))
        assert pair >= found * (1 - 1e-9)
        if epsilon == 0:
            assert pair == pytest.approx(found, rel=1e-9)


def test_several_gaussians_are_one():
    events = [RoundedGaussian(3.0, 5.0, 1), RoundedGaussian(4.0, 5.0, 1)]
    assert best_guess_of(events) == pytest.approx(norm.cdf(0.5), rel=1e-12)


@pytest.mark.parametrize("scale", [0.7, 2.0, 8.0])
@pytest.mark.parametrize("sigma", [0.8, 3.0])
def test_no_outcome_of_unlike_noises_tells_more(scale, sigma):
    """Total variation of Laplace beside Gaussian noise on a sum that moves by 1, added up over all outcomes."""
    k = np.arange(-200, 201)
    laplace = [dlaplace.pmf(k - x, 1 / scale) for x in (0, 1)]
    edges = np.arange(-60, 61) - 0.5
    gauss = [np.diff(norm.cdf(edges, loc=x, scale=sigma)) for x in (0, 1)]
    joint = [np.outer(one, other) for one, other in zip(laplace, gauss, strict=True)]
    true = (1 + np.abs(joint[0] - joint[1]).sum() / 2) / 2
    bound = best_guess_of([DiscreteLaplace(1, scale, 1), RoundedGaussian(1.0, sigma, 1)])
    assert true <= bound
    assert bound - true < 0.12  # and it is no empty bound


def test_choices_count_as_pure():
    two = [PrivateChoice(LN3, 4), PrivateChoice(LN3, 4)]
    assert best_guess_of(two) == pytest.approx(0.875)  # both worlds agree in ½ · ½ of cases at least
    assert best_guess_of([PrivateChoice(LN3, 4)]) == pytest.approx(0.75)
