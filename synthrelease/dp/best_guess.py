"""How often the best attacker is right about one person: what a guarantee means, in one number.

Of two neighbouring datasets each is the true one with probability ½. An attacker who sees what was released, knows both datasets
and may compute anything, names the true one with a probability of at most (1 + TV)/2, TV being the total variation between
the two distributions of what is released:

    (ε, δ)       (e^ε + δ)/(e^ε + 1)                     TV ≤ (e^ε − 1 + 2δ)/(e^ε + 1)
    μ-Gaussian   Φ(μ/2)                                  Dong, Roth & Su 2022, Definition 2.6

Parts that compose agree in both worlds at least with the probability that all of them do: 1 − TV ≥ Π (1 − TV_i).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from synthrelease.dp.accounting import parts_of
from synthrelease.dp.event import Event
from synthrelease.dp.guarantee import ApproxDP, Guarantee, PureDP


def best_guess(guarantee: Guarantee) -> float | None:
    """Return the largest probability of a right guess that a guarantee allows, from ½ to 1; None if it bounds none.

    Args:
        guarantee: of any kind; plausible deniability bounds no such probability.
    """
    match guarantee:
        case PureDP():
            return _logistic(guarantee.epsilon)
        case ApproxDP():
            return _logistic(guarantee.epsilon) + guarantee.delta * _logistic(-guarantee.epsilon)
    return None


def best_guess_of(events: Sequence[Event]) -> float | None:
    """Return a bound of the same probability from what was done: for Gaussian noise far less than (ε, δ) allows.

    Exact for Gaussian noise alone. None where a randomized test or a division among people is among the events.

    Args:
        events: what is differentially private, one person being in all of them.
    """
    parts = parts_of(events)
    if parts.opaque:
        return None
    agree = math.prod(1 - math.tanh(float(epsilon) / 2) for epsilon in parts.pure)
    together = 1 - math.tanh(float(sum(parts.pure)) / 2)
    mu = math.sqrt(parts.mu_squared)
    in_gauss = 2 * NormalDist().cdf(-mu / 2)
    return 1 - in_gauss * max(agree, together) / 2


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
