"""autodp: its analytic Gaussian, its Fourier accountant, its composition of pairs (ε, δ)."""

from __future__ import annotations

import math
import warnings

from synthrelease.dp.deniability import trial_cost
from synthrelease.dp.event import RandomizedTest, RoundedGaussian
from witnesses.noises import Bounds, Noises

with warnings.catch_warnings():
    # Python warns of escapes (as deprecated, before 3.12) and comparisons in its source, when that is compiled.
    warnings.simplefilter("ignore", SyntaxWarning)
    warnings.simplefilter("ignore", DeprecationWarning)
    from autodp.dp_acct import DP_acct  # type: ignore[import-untyped]
    from autodp.dp_bank import get_eps_ana_gaussian, get_logdelta_ana_gaussian  # type: ignore[import-untyped]
    from autodp.mechanism_zoo import (  # type: ignore[import-untyped]
        GaussianMechanism,
        LaplaceMechanism,
        PureDP_Mechanism,
        RandresponseMechanism,
    )
    from autodp.privacy_calibrator import ana_gaussian_mech  # type: ignore[import-untyped]
    from autodp.transformer_zoo import ComposeAFA  # type: ignore[import-untyped]

CARE = 1e-9  # relative: its roots and logarithms
SEARCH = 1e-12  # absolute, of δ: where its search for σ ends
FOURIER_CARE = 1e-8  # absolute, of δ: its quadrature, which is good to 1e-10 at ε up to 9 and μ from 0.1 to 3


def pure(noises: Noises) -> Bounds:
    """Return ε of what needs no δ, exact: Rényi divergences of infinite order, added up."""
    divergences = [LaplaceMechanism(one.scale / one.sensitivity).get_RDP(math.inf) for one in noises.laplace]
    divergences += [PureDP_Mechanism(one.epsilon).get_RDP(math.inf) for one in noises.choices]
    return Bounds.exactly(float(sum(divergences)), care=CARE)


def analytic(event: RoundedGaussian, delta: float) -> Bounds:
    """Return ε of Gaussian noise, exact (Balle & Wang 2018, Theorem 8)."""
    epsilon = get_eps_ana_gaussian(event.scale / event.sensitivity, delta)
    return Bounds.exactly(float(epsilon), care=CARE)


def gaussian_sigma(epsilon: float, delta: float) -> float:
    """Return the least σ of Gaussian noise for a sensitivity of 1, with an error of `SEARCH` in δ."""
    return float(ana_gaussian_mech(epsilon, delta, tol=SEARCH)["sigma"])


def gaussian_delta(epsilon: float, mu: float) -> float:
    """Return the least δ of Gaussian noise whose sensitivity is μ times its σ."""
    return math.exp(float(get_logdelta_ana_gaussian(1 / mu, epsilon)))


def fourier_delta(noises: Noises, epsilon: float) -> float:
    """Return δ at an ε by the analytical Fourier accountant (Zhu, Dong & Wang 2022), with an error of `FOURIER_CARE`.

    A choice enters as the randomized response that dominates it. Discrete Laplace noise enters as continuous noise, which it
    dominates: δ is then that much too small.
    """
    parts = [
        GaussianMechanism(one.scale / one.sensitivity, RDP_off=True, approxDP_off=True, phi_off=False)
        for one in noises.gaussian
    ]
    parts += [
        LaplaceMechanism(one.scale / one.sensitivity, RDP_off=True, phi_off=False) for one in noises.laplace
    ]
    parts += [
        RandresponseMechanism(1 / (1 + math.exp(-one.epsilon)), RDP_off=True, phi_off=False)
        for one in noises.choices
    ]
    return float(ComposeAFA()(parts, [1] * len(parts)).get_approx_delta(epsilon))


def trials(test: RandomizedTest, delta: float) -> float:
    """Return ε of all trials of a randomized deniability test from above, for the best t (Kairouz, Oh & Viswanath 2015, Theorem 3.5).

    One trial's (ε, δ) are the package's.
    """
    lowest = math.inf
    for t in range(1, test.k):
        accountant = DP_acct()
        for _ in range(test.trials):
            accountant.update_DPlosses(*trial_cost(test, t))
        lowest = min(lowest, float(accountant.get_eps(delta)))
    return lowest
