"""When a test of plausible deniability is empty, and what a randomized one costs (Bindschaedler et al. 2017; `kinds/records/records.proof.md`)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from synthrelease.dp.event import RandomizedTest

_TIES = 1e-5  # how far beyond γ two probabilities of one interval may lie, relative: ties and rounding (proof note)


def is_vacuous(*, categories: Sequence[int], order: Sequence[int], resampled: Sequence[int], k: int) -> bool:
    """Whether it follows from public numbers that no candidate can fail the test (given at least k people).

    So it is for k = 1, and where the longest prefix that is kept of a seed has one possible value only: then every
    person is an equally plausible seed.

    Args:
        categories: number of categories of each attribute.
        order: σ, the attributes from first kept to last drawn.
        resampled: Ω, the allowed numbers of drawn attributes.
        k: plausible seeds asked for.
    """
    kept = order[: len(order) - min(resampled)]
    return k == 1 or all(categories[a] == 1 for a in kept)


def even_pass_rate(*, categories: Sequence[int], drawn: Sequence[int], k: int, people: int) -> float:
    """Return the share of candidates that k people with one record each could have made, if categories were even.

    Even and independent categories are the worst case for shared prefixes. The seed's person is one of the k; the
    others share what is kept with probability Π 1/categories. The mean over Ω, as if each ω stood alone.

    Args:
        categories: number of categories of the attributes in the order σ, without a task's label, which all have.
        drawn: Ω, the allowed numbers of drawn attributes.
        k: plausible seeds asked for.
        people: who may be seeds.
    """
    from scipy.stats import binom  # noqa: PLC0415  slow to import

    shared = (math.prod(1 / size for size in categories[: len(categories) - omega]) for omega in drawn)
    rates = [float(binom.sf(k - 2, people - 1, probability)) for probability in shared]
    return sum(rates) / len(rates)


def trial_cost(test: RandomizedTest, t: int) -> tuple[float, float]:
    """Return (ε, δ) of one trial: ε = ε₀ + ln(1 + γ/t), δ = e^(−ε₀(k−t)), for any integer 1 ≤ t < k.

    Bindschaedler et al. 2017, Theorem 1; under replace-one, and here with rejections hidden.
    """
    if not 1 <= t < test.k:
        raise ValueError(f"Expected 1 <= t < k, found t={t} and k={test.k}")
    epsilon = test.epsilon0 + math.log1p(test.gamma * (1 + _TIES) / t)
    return epsilon * (1 + 1e-12), math.exp(-test.epsilon0 * (test.k - t)) * (1 + 1e-12)


def trials_cost(test: RandomizedTest, t: int, delta: float) -> float:
    """Return ε of all trials together at δ: the sum, or Kairouz, Oh & Viswanath 2015, Theorem 3.4, if that is less.

    ε√(2T·ln(1/δ̃)) + T·ε·tanh(ε/2) with ε, δ₁ of one trial and δ̃ = δ − T·δ₁; infinite where T·δ₁ exceeds δ.
    """
    epsilon, trial_delta = trial_cost(test, t)
    remaining = delta - test.trials * trial_delta
    if remaining < 0:
        return math.inf
    total = test.trials * epsilon
    if remaining > 0:
        root = math.sqrt(2 * test.trials * math.log(1 / remaining))
        total = min(total, (total * math.tanh(epsilon / 2) + epsilon * root) * (1 + 1e-12))
    return total


def best_t(test: RandomizedTest, delta: float) -> int | None:
    """Return the t for which `trials_cost` at δ is least; None if no t fits into δ."""
    t = np.arange(1, test.k)
    epsilon = test.epsilon0 + np.log1p(test.gamma * (1 + _TIES) / t)
    remaining = delta - test.trials * np.exp(-test.epsilon0 * (test.k - t)) * (1 + 1e-12)
    total = test.trials * epsilon
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(2 * test.trials * np.log(1 / remaining))
        advanced = np.where(remaining > 0, total * np.tanh(epsilon / 2) + epsilon * root, np.inf)
    cost = np.where(remaining >= 0, np.minimum(total, advanced), np.inf)
    best = int(np.argmin(cost))
    # The last bit of δ may differ from that of `trials_cost`, which has the say.
    return int(t[best]) if math.isfinite(trials_cost(test, int(t[best]), delta)) else None
