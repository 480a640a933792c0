"""dp-accounting: its analytic Gaussian, its privacy-loss distributions from both sides, its Rényi accountant.

The package composes mixed noise by pessimistic distributions of this library, with all Gaussian noise merged into one. Here each
event has one distribution, choices come from another function of the library, and optimistic distributions bound ε from below.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

from dp_accounting import GaussianDpEvent, ZCDpEvent, get_epsilon_gaussian, get_sigma_gaussian
from dp_accounting.pld import privacy_loss_distribution as pld
from dp_accounting.rdp import RdpAccountant

from synthrelease.dp.deniability import trial_cost
from synthrelease.dp.event import DiscreteLaplace, Event, PrivateChoice, RandomizedTest, RoundedGaussian
from witnesses.noises import Bounds, Noises

CARE = 1e-9  # relative: its roots and logarithms, and the tails that it truncates
# Rényi accounting of a single Gaussian is at most so much above the exact ε, for the budgets here.
RENYI_LOSS = 1.25
_STEP = 2e-4  # between losses, as a share of ε
_LATTICE = 1000  # steps of a discrete Laplace sensitivity
_NO_DELTA = 1e-12  # the library has no finite ε at δ = 0: its tails are truncated


def analytic(event: RoundedGaussian, delta: float) -> Bounds:
    """Return ε of Gaussian noise, exact (Balle & Wang 2018, Theorem 8)."""
    epsilon = get_epsilon_gaussian(event.scale / event.sensitivity, delta, tol=1e-14)
    return Bounds.exactly(float(epsilon), care=CARE)


def gaussian_sigma(epsilon: float, delta: float) -> float:
    """Return the least σ of Gaussian noise for a sensitivity of 1."""
    return float(get_sigma_gaussian(epsilon, delta, tol=1e-14))


def renyi(noises: Noises, delta: float) -> Bounds:
    """Return ε of Rényi accounting, which is above the exact one.

    Conversion from Rényi divergences to (ε, δ) loses: by `RENYI_LOSS` at most for Gaussian noise alone. What needs no δ enters
    as (ε²/2)-zCDP (Bun & Steinke 2016, Proposition 1.4), which loses without such a bound.
    """
    accountant = RdpAccountant()
    for gaussian in noises.gaussian:
        accountant.compose(GaussianDpEvent(gaussian.scale / gaussian.sensitivity))
    pure = [one.sensitivity / one.scale for one in noises.laplace] + [one.epsilon for one in noises.choices]
    for epsilon in pure:
        accountant.compose(ZCDpEvent(epsilon**2 / 2))
    high = float(accountant.get_epsilon(delta))
    return Bounds(high / RENYI_LOSS if noises.gaussian_alone else 0.0, high)


def losses(events: Sequence[Event], delta: float, *, near: float) -> Bounds:
    """Return ε of distributions that are discretised optimistically, and pessimistically.

    Args:
        events: that are composed.
        delta: δ, which may be 0.
        near: an ε of the right size: losses lie on a grid of a five-thousandth of it.
    """
    make = functools.partial(_composed, events, step=_STEP * near)
    low, high = (make(pessimistic=side).get_epsilon_for_delta(delta or _NO_DELTA) for side in (False, True))
    return Bounds(float(low) * (1 - CARE), float(high) * (1 + CARE))


def _composed(events: Sequence[Event], *, pessimistic: bool, step: float) -> pld.PrivacyLossDistribution:
    side = {"pessimistic_estimate": pessimistic, "value_discretization_interval": step}
    # The library has no optimistic "connect the dots".
    dots = side | {"use_connect_dots": pessimistic}
    parts = []
    for event in events:
        noises = Noises.of([event])
        one_step = pessimistic and bool(noises.choices)
        parts += [pld.from_gaussian_mechanism(e.scale / e.sensitivity, **dots) for e in noises.gaussian]
        parts += [_laplace(e, dots, one_step=one_step) for e in noises.laplace]
        parts += [pld.from_randomized_response(_lie(e), 2, **side) for e in noises.choices]
    return functools.reduce(lambda one, other: one.compose(other), parts)


def _laplace(
    event: DiscreteLaplace, settings: dict[str, float | bool], *, one_step: bool
) -> pld.PrivacyLossDistribution:
    """The noise on a lattice of at most a thousand steps.

    A coarse lattice dominates a fine one, and every lattice dominates the continuous Laplace. So that stands for noise on more
    steps from below, and from above they are merged: into a thousand, or into one beside a private choice, since the package
    claims what the dearest outcome of a choice would cost.
    """
    if event.sensitivity > _LATTICE and not settings["pessimistic_estimate"]:
        return pld.from_laplace_mechanism(event.scale, sensitivity=event.sensitivity, **settings)
    steps = 1 if one_step else min(event.sensitivity, _LATTICE)
    return pld.from_discrete_laplace_mechanism(
        event.sensitivity / steps / event.scale, sensitivity=steps, **settings
    )


def _lie(choice: PrivateChoice) -> float:
    """η of randomized response between two, P(lie) = η/2 = 1/(1 + e^ε): it dominates every choice of this ε."""
    return 2 / (1 + math.exp(choice.epsilon))


def trials(test: RandomizedTest, delta: float) -> float:
    """Return ε of all trials of a randomized deniability test from below, for the best t.

    One trial's (ε, δ) are the package's: only Bindschaedler et al. 2017 have such a theorem. The pair of distributions that dominates
    them (Kairouz, Oh & Viswanath 2015, Section 3) is composed optimistically.
    """
    lowest = math.inf
    for t in range(1, test.k):
        epsilon, one = trial_cost(test, t)
        if test.trials * one >= delta:
            continue
        kept = math.log1p(-one)
        truth, lie = (kept - math.log1p(math.exp(sign * epsilon)) for sign in (-1, 1))
        loss = pld.from_two_probability_mass_functions(
            {"lie": truth, "truth": lie, "other": math.log(one)},
            {"truth": truth, "lie": lie, "all": math.log(one)},
            pessimistic_estimate=False,
            # A hair less than a thousandth: ε is then a point of the grid, and not rounded down to the one before.
            value_discretization_interval=epsilon / 1000 * (1 - 1e-12),
        )
        lowest = min(lowest, float(loss.self_compose(test.trials).get_epsilon_for_delta(delta)))
    return lowest
