"""The privacy losses of noise of several kinds together, discretised and composed by `dp-accounting`. Claims: `accounting.proof.md`."""

from __future__ import annotations

import functools
import math
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from synthrelease.dp.event import DiscreteLaplace
from synthrelease.dp.rounding import float_up

if TYPE_CHECKING:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution
    from numpy.typing import NDArray

LOSS_STEP = 1e-4  # between the losses that the library distinguishes, by default
_LARGEST_LATTICE = 1000  # steps of a Laplace sensitivity that the library is given
_MOST_PAIRS = 64  # unlike (ε, δ) that the library composes


# A build composes the same events to divide the budget, for the manifest and to verify it; each time takes a tenth of a second.
@functools.lru_cache(maxsize=256)
def mixed_epsilon(
    mu: float,
    laplace: tuple[DiscreteLaplace, ...],
    pairs: tuple[tuple[float, float], ...],
    delta: float,
    loss_step: float,
) -> float:
    """Return ε at δ of noise of several kinds together.

    Args:
        mu: Δ₂/σ of all Gaussian noise, 0 for none.
        laplace: all Laplace noise.
        pairs: (ε, δ) of each event that is known by these alone; of a private choice δ = 0.
        delta: δ of the whole.
        loss_step: between the privacy losses that are distinguished.
    """
    # Slow to import, and only needed here.
    from dp_accounting.pld import common  # noqa: PLC0415
    from dp_accounting.pld import privacy_loss_distribution as pld  # noqa: PLC0415

    losses = [gaussian_loss(mu, loss_step)] if mu > 0 else []
    grid = {"value_discretization_interval": loss_step}
    for (sensitivity, scale), times in Counter((e.sensitivity, e.scale) for e in laplace).items():
        steps = max(1, -(-sensitivity // _LARGEST_LATTICE))  # merged into one step: dominates (proof note)
        parameter = math.nextafter(steps / scale, math.inf)
        step_loss = pld.from_discrete_laplace_mechanism(
            parameter, sensitivity=-(-sensitivity // steps), **grid
        )
        losses.append(step_loss.self_compose(times))
    alike = Counter(pairs)
    if len(alike) > _MOST_PAIRS:  # not to be expected: what they add up to is a bound as well
        total = sum((Fraction(epsilon) for epsilon, _ in pairs), Fraction(0))
        alike = Counter([(float_up(total), sum(part for _, part in pairs))])
    for (epsilon, part), times in alike.items():
        if part == 0.0:
            losses.append(choices_loss(epsilon, times, loss_step))
            continue
        pair = common.DifferentialPrivacyParameters(epsilon, part)
        losses.append(pld.from_privacy_parameters(pair, **grid).self_compose(times))
    loss = functools.reduce(lambda total, part: total.compose(part), losses)
    return float(loss.get_epsilon_for_delta(delta))


@functools.lru_cache(maxsize=4)  # of 10⁶ numbers each; a release is composed with its ledger's others, too
def gaussian_loss(mu: float, loss_step: float) -> PrivacyLossDistribution:
    """Return what `from_gaussian_mechanism(1, sensitivity=mu)` does with losses of this step; that inverts 10⁶ losses one by one, this all at once."""
    from dp_accounting.pld.privacy_loss_mechanism import GaussianPrivacyLoss  # noqa: PLC0415  slow to import

    noise = GaussianPrivacyLoss(1.0, sensitivity=mu)
    bounds = noise.connect_dots_bounds()
    lowest, highest = (
        math.floor(bounds.epsilon_lower / loss_step),
        math.ceil(bounds.epsilon_upper / loss_step),
    )
    losses = np.arange(lowest, highest + 1) * loss_step
    outcomes = noise.inverse_privacy_loss(losses)
    deltas = noise.mu_upper_cdf(outcomes) - np.exp(losses + noise.mu_lower_log_cdf(outcomes))
    return _connected_dots(deltas, lowest, loss_step)


def choices_loss(epsilon: float, times: int, loss_step: float) -> PrivacyLossDistribution:
    """Return the loss of so many events of pure ε each: ε·(2k − times), k being binomial, with its chances divided between the steps around it.

    The division keeps both data's chances, so that the steps dominate (Doroshenko et al. 2022). Each of the events by itself would be rounded up.
    """
    up = np.arange(times + 1)
    losses = epsilon * (2 * up - times)
    ways = gammaln(times + 1) - gammaln(up + 1) - gammaln(times - up + 1)
    chances = np.exp(ways + up * epsilon - times * np.logaddexp(0.0, epsilon))
    below = np.floor(losses / loss_step).astype(np.int64)
    share = np.clip(np.expm1(below * loss_step - losses) / math.expm1(-loss_step), 0.0, 1.0)
    places = np.concatenate([below, below + 1]) - below[0]
    divided = np.concatenate([(1 - share) * chances, share * chances])
    return _distribution(int(below[0]), np.bincount(places, divided).astype(np.float64), 0.0, loss_step)


def _connected_dots(deltas: NDArray[np.float64], lowest: int, loss_step: float) -> PrivacyLossDistribution:
    """Return the losses at multiples of a step, from `lowest` on, that have these δ there and no less between.

    It is what `create_pmf_pessimistic_connect_dots_fixed_gap` does (Doroshenko et al. 2022, Algorithm 1), without a dictionary of 10⁶ numbers.
    """
    deltas = np.minimum.accumulate(np.clip(deltas, 0.0, 1.0))
    drops, growth = np.diff(deltas), math.expm1(loss_step)
    chances = np.empty_like(deltas)
    chances[0] = 1 - deltas[0] + drops[0] / growth
    chances[1:-1] = (drops[1:] - drops[:-1] * math.exp(loss_step)) / growth
    chances[-1] = drops[-1] / math.expm1(-loss_step)
    return _distribution(lowest, np.maximum(chances, 0.0), float(deltas[-1]), loss_step)


def _distribution(
    lowest: int, chances: NDArray[np.float64], infinite: float, loss_step: float
) -> PrivacyLossDistribution:
    """The library's form of losses: chances of each step from the lowest on, and of an infinite loss."""
    # Slow to import, and only needed here.
    from dp_accounting.pld.pld_pmf import DensePLDPmf  # noqa: PLC0415
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution  # noqa: PLC0415

    return PrivacyLossDistribution(
        DensePLDPmf(loss_step, lowest, chances, infinite, pessimistic_estimate=True)
    )
