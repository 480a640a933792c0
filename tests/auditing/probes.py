"""Mechanisms run again and again on their worst neighbours, each run brought to one number: how far it speaks for the one.

That number is the logarithm of the likelihood ratio under the noise that the release says it has. Hundreds of thousands of
runs are one array: the integers of both datasets come from a release without noise, the noise from the package's own
`dp.noise.addition.add_noise` and the event that the mechanism's own `calibrate` returned. `tests/statistical/test_audit.py` ties
this to releases made one by one. Integers that are the same under both datasets carry independent noise and tell
nothing, so they are not drawn, unless `whole`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from variants.people import GAUSSIAN

from auditing.bound import Rates, epsilon_bound, gaussian_epsilon, gaussian_mu, mu_bound, rates
from auditing.neighbours import Pair, furthest, integers
from synthrelease.dp.event import DiscreteLaplace
from synthrelease.dp.noise import addition

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from variants.variant import Variant

    from synthrelease.dp.event import Noise
    from synthrelease.dp.noise import SecureRandom

    Integers = NDArray[np.int64]
    Numbers = NDArray[np.float64]

SHARES = (-1.0, -0.75, -0.5, 0.0, 0.5, 0.75, 1.0)  # of ε: the thresholds, public and fixed
TIES = 1e-6  # a ratio that is ε may miss it by rounding
_BLOCK = 1 << 18  # integers drawn at a time


@dataclass(frozen=True)
class Claim:
    """What a release guarantees of the two datasets.

    Attributes:
        epsilon: ε.
        delta: δ, 0 if the guarantee is pure.
        mu: of Gaussian noise alone, the μ whose curve runs through (ε, δ); else None.
    """

    epsilon: float
    delta: float = 0.0
    mu: float | None = None

    @property
    def thresholds(self) -> tuple[float, ...]:
        """Of the statistic; at the ends as many runs count as can."""
        return tuple(share * self.epsilon * (1 - TIES) for share in SHARES)


class Probe(Protocol):
    """One mechanism and two neighbouring datasets.

    Attributes:
        name: of the mechanism.
        claim: what is guaranteed.
        reach: which part of the guarantee the two datasets use up; None if it is not known.
    """

    name: str
    claim: Claim
    reach: float | None

    def rates(self, runs: int, random: SecureRandom) -> Rates:
        """Run the mechanism so often on either dataset."""
        ...


@dataclass(frozen=True)
class Audit:
    """What was found: bounds from below, and the claim.

    Attributes:
        name: of the mechanism.
        claim: what is guaranteed.
        epsilon: the proved ε at the claim's δ.
        mu: the proved μ; None if nothing is claimed of it.
        runs: on either dataset.
        reach: which part of the guarantee the two datasets use up.
    """

    name: str
    claim: Claim
    epsilon: float
    mu: float | None
    runs: int
    reach: float | None

    @property
    def broken(self) -> bool:
        """Whether the guarantee is refuted."""
        beyond = self.mu is not None and self.claim.mu is not None and self.mu > self.claim.mu
        return self.epsilon > self.claim.epsilon or beyond

    @property
    def share(self) -> float:
        """The better of both bounds as a share of what is claimed."""
        share = self.epsilon / self.claim.epsilon
        return share if self.mu is None or self.claim.mu is None else max(share, self.mu / self.claim.mu)

    def __str__(self) -> str:
        found = [f"ε ≥ {self.epsilon:.3f} at δ = {self.claim.delta:.2g}, claimed {self.claim.epsilon:.3g}"]
        if self.mu is not None and self.claim.mu is not None:
            told = gaussian_epsilon(self.mu, self.claim.delta)
            found.append(f"μ ≥ {self.mu:.3f} (ε ≥ {told:.3f}), claimed {self.claim.mu:.3f}")
        return "; ".join(found)


def audit(probe: Probe, runs: int, random: SecureRandom) -> Audit:
    """Return the bounds from so many runs on either dataset."""
    return judged(probe, probe.rates(runs, random))


def judged(probe: Probe, found: Rates) -> Audit:
    """Return the bounds that rates prove."""
    epsilon = epsilon_bound(found, delta=probe.claim.delta)
    mu = None if probe.claim.mu is None else mu_bound(found)
    return Audit(probe.name, probe.claim, epsilon, mu, found.runs, probe.reach)


def claim_of(variant: Variant) -> Claim:
    """Return what the budget of a variant guarantees; Laplacian noise makes no use of δ."""
    epsilon, delta = variant.budget.epsilon, variant.budget.delta
    if variant.noise != GAUSSIAN:
        return Claim(epsilon)
    return Claim(epsilon, delta, gaussian_mu(epsilon, delta))


@dataclass(frozen=True, eq=False)
class VariantProbe:
    """A variant of the contract, on the furthest of its adversaries.

    Attributes:
        name: the variant's.
        claim: what its budget guarantees.
        pair: the datasets.
        told: which integers of a release are drawn, shape (K,).
        sides: those of them before noise under both, shape (drawn,).
        event: whose noise is drawn.
        largest: a bound of the integers.
    """

    name: str
    claim: Claim
    pair: Pair
    told: NDArray[np.bool_]
    sides: tuple[Integers, Integers]
    event: Noise
    largest: int

    @property
    def reach(self) -> float:
        """How far apart the integers are, of the sensitivity that noise was made for."""
        moved = self.pair.l1 if isinstance(self.event, DiscreteLaplace) else math.sqrt(self.pair.l2_squared)
        return moved / self.event.sensitivity

    def rates(self, runs: int, random: SecureRandom) -> Rates:
        """Run the mechanism so often on either dataset, in blocks."""
        block = max(1, _BLOCK // self.sides[0].size)
        total = Rates.none(self.claim.thresholds)
        for start in range(0, runs, block):
            number = min(block, runs - start)
            total = total.plus(rates(*self.statistics(number, random), self.claim.thresholds))
        return total

    def statistics(self, runs: int, random: SecureRandom) -> tuple[Numbers, Numbers]:
        """Return how far so many runs on the one and on the other dataset speak for the one, shape (runs,) each."""
        return statistics(self.sides, self.event, self.largest, runs, random)


def statistics(
    sides: tuple[Integers, Integers], event: Noise, largest: int, runs: int, random: SecureRandom
) -> tuple[Numbers, Numbers]:
    """Draw so many noisy vectors around either side, shape (K,), and return their log-likelihood ratios."""
    found = []
    for side in sides:
        exact = np.broadcast_to(side, (runs, side.size))
        found.append(
            log_ratio(addition.add_noise(exact, event, largest=largest, random=random), sides, event)
        )
    return found[0], found[1]


def log_ratio(released: Integers, sides: tuple[Integers, Integers], event: Noise) -> Numbers:
    """Return ln P(released | one) − ln P(released | other) under the noise of the event, for every row of releases."""
    one, other = (_log_likelihood(released - side, event) for side in sides)
    return one - other


def _log_likelihood(noise: Integers, event: Noise) -> Numbers:
    """Up to a constant; of the Gaussian as if it were not rounded, which costs no more than a little of the bound."""
    if isinstance(event, DiscreteLaplace):
        return -np.abs(noise).sum(axis=1) / event.scale
    scaled = noise / event.scale
    return -0.5 * np.einsum("ij,ij->i", scaled, scaled)


def variant_probe(variant: Variant, *, beside: int | None = None, whole: bool = False) -> VariantProbe:
    """Return the probe of a variant on the furthest of its adversaries.

    Args:
        variant: of tests/variants.
        beside: ordinary people in both datasets; by default one, but no one where people are released apart, among whom
            one could hide.
        whole: whether integers that are the same under both datasets are drawn too.
    """
    variant = replace(variant)  # what was found before under other code does not count
    pair = furthest(variant, beside=int(not variant.apart) if beside is None else beside)
    one, other = (integers(variant, people).ravel() for people in (pair.one, pair.other))
    largest = int(max(np.abs(one).max(initial=0), np.abs(other).max(initial=0)))
    told = np.full(one.shape, True) if whole else one != other
    one, other = one[told], other[told]
    event = variant.event(len(pair.one))
    return VariantProbe(variant.name, claim_of(variant), pair, told, (one, other), event, largest)
