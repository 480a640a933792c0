"""Detectors of wrong accounting: what small mechanisms really give away, enumerated, against what is claimed of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq
from variants.gaze_maps import PrivateCapVariant, private_caps
from variants.people import LAPLACE

from auditing.bound import Rates, gaussian_delta, rates
from auditing.detectors import Detector, Verdict
from auditing.probes import Claim, statistics
from synthrelease.dp import accounting
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import Composed, DiscreteLaplace, Event, PrivateChoice, RoundedGaussian
from synthrelease.dp.guarantee import ApproxDP, PureDP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from synthrelease.dp.noise import SecureRandom

    Losses = tuple[NDArray[np.float64], NDArray[np.float64]]


def losses(event: DiscreteLaplace) -> Losses:
    """Return the values of the privacy loss ln P(k)/P(k − Δ) of discrete Laplace noise, and their probabilities."""
    k = np.arange(-60 * math.ceil(event.scale), 60 * math.ceil(event.scale) + event.sensitivity)
    p = math.tanh(0.5 / event.scale) * np.exp(-np.abs(k) / event.scale)
    return (np.abs(k - event.sensitivity) - np.abs(k)) / event.scale, p


def true_epsilon(events: Sequence[Event], delta: float) -> float:
    """Return ε at δ of discrete Laplace noises one after the other and at most one Gaussian, by enumeration.

    δ(ε) = Σ p·max(1 − e^(ε − l), 0) over losses l of the Laplace noises; a Gaussian adds its own curve at ε − l.
    """
    loss, p = np.zeros(1), np.ones(1)
    mu = 0.0
    for event in events:
        if isinstance(event, RoundedGaussian):
            mu = event.sensitivity / event.scale
        else:
            assert isinstance(event, DiscreteLaplace)
            own, chance = losses(event)
            loss = np.add.outer(loss, own).ravel()
            p = np.outer(p, chance).ravel()

    def exceeds(epsilon: float) -> float:
        if mu:
            found = sum(q * gaussian_delta(epsilon - one, mu) for one, q in zip(loss, p, strict=True))
        else:
            found = float((p * np.maximum(-np.expm1(epsilon - loss), 0)).sum())
        return found - delta

    return float(brentq(exceeds, 0.0, float(loss.max()) + 40 * mu + 1e-9)) if exceeds(0.0) > 0 else 0.0


MIXED = [
    ([DiscreteLaplace(1, 1.0, 4), RoundedGaussian(1.0, 200.0, 4)], 0.25),
    ([DiscreteLaplace(1, 1.0, 4), RoundedGaussian(1.0, 2.0, 4)], 0.05),
]
ONE_AFTER_THE_OTHER = [
    ([DiscreteLaplace(2, 4.0, 4), DiscreteLaplace(3, 6.0, 4)], 0.0),
    ([RoundedGaussian(3.0, 30.0, 4), RoundedGaussian(4.0, 40.0, 4)], 1e-5),
]


def _claimed(cases: Sequence[tuple[Sequence[Event], float]]) -> list[float]:
    found = []
    for events, delta in cases:
        guarantee = accounting.compose(events, delta=delta or 0.5)
        assert isinstance(guarantee, PureDP | ApproxDP)
        found.append(guarantee.epsilon)
    return found


def _judged(claimed: Sequence[float], true: Sequence[float]) -> Verdict:
    excess, one, other = max((t - c, c, t) for c, t in zip(claimed, true, strict=True))
    return Verdict(excess > 1e-9, f"claimed ε = {one:.4f}, enumerated {other:.4f}")


mixed = Detector(
    "accounting of mixed noise",
    lambda _: _claimed(MIXED),
    lambda claimed: _judged(claimed, [true_epsilon(events, delta) for events, delta in MIXED]),
)


def _summed(claimed: Sequence[float]) -> Verdict:
    """Pure ε add up; two Gaussians are one with μ² = μ₁² + μ₂²."""
    merged = RoundedGaussian(math.sqrt(2) * 3.0, 30.0, 4)
    return _judged(claimed, [2 / 4 + 3 / 6, true_gaussian(merged, 1e-5)])


def true_gaussian(event: RoundedGaussian, delta: float) -> float:
    """Return ε at δ of one Gaussian."""
    mu = event.sensitivity / event.scale
    return float(brentq(lambda e: gaussian_delta(e, mu) - delta, 0.0, 40 * mu + mu * mu))


summed = Detector("accounting of two outputs", lambda _: _claimed(ONE_AFTER_THE_OTHER), _summed)


@dataclass(frozen=True, eq=False)
class AccountProbe:
    """Discrete Laplace noise beside so little Gaussian exposure that it tells nothing, under what is claimed of both."""

    claim: Claim
    name: str = "mixed noise"
    reach: float | None = 1.0

    def rates(self, runs: int, random: SecureRandom) -> Rates:
        """Draw so often around 0 and around 1."""
        event = DiscreteLaplace(1, 1.0, 1)
        sides = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
        return rates(*statistics(sides, event, 1, runs, random), (0.0,))


def account_probe() -> AccountProbe:
    """Return the probe with the claim that accounting makes now."""
    (claimed, *_), (_, delta) = _claimed(MIXED), MIXED[0]
    return AccountProbe(Claim(claimed, delta))


def _choice_and_noise(_random: SecureRandom) -> float:
    """ε of a private cap and its maps, added up from the events of which they are planned to be made."""
    variant = next(one for one in private_caps() if one.noise == LAPLACE)
    assert isinstance(variant, PrivateCapVariant)
    event = variant.choosing(1).calibrate(Budget(1.0))
    assert isinstance(event, Composed)
    choice, noise = event.events
    assert isinstance(choice, PrivateChoice)
    assert isinstance(noise, DiscreteLaplace)
    return choice.epsilon + noise.sensitivity / noise.scale


spent_on_choices = Detector(
    "spending of a private cap",
    _choice_and_noise,
    lambda spent: Verdict(spent > 1 + 1e-12, f"ε = {spent:.6g} of 1"),
)
