"""Bounds from below on ε and on μ, from runs on two neighbouring datasets.

Under (ε, δ)-differential privacy no set S of outputs has P(S | one) > e^ε·P(S | other) + δ. So with p ≤ P(S | one) and
q ≥ P(S | other), both certain enough,

    ε ≥ ln((p − δ)/q)          (Jagielski, Ullman & Oprea 2020, https://arxiv.org/abs/2006.07709)

p and q are the ends of exact confidence intervals of a binomial probability (Clopper & Pearson 1934). S is "the statistic is
at least c" for one, "below c" for the other, with c from a public list: error probabilities of all lists, directions and
ends are added up (Bonferroni) to 10⁻⁹. Nothing is assumed of the mechanism; a good statistic makes the bound near, a bad one
leaves it low, and none makes it wrong.

μ-Gaussian differential privacy is Φ⁻¹(P(S | one)) − Φ⁻¹(P(S | other)) ≤ μ for all S (Dong, Roth & Su 2022, Definition 2.6), and

    μ ≥ Φ⁻¹(p) − Φ⁻¹(q)        (Nasr et al. 2023, https://arxiv.org/abs/2302.07956)

refutes the whole curve δ(ε) that a Gaussian mechanism claims, where hits beyond ε would be too rare to be counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtri

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

SIGNIFICANCE = 1e-9


@dataclass(frozen=True)
class Rates:
    """How often the statistic was at least each of the thresholds, under the one dataset and the other."""

    thresholds: tuple[float, ...]
    one: tuple[int, ...]
    other: tuple[int, ...]
    runs: int

    @classmethod
    def none(cls, thresholds: Sequence[float]) -> Rates:
        """Return the rates of no runs."""
        nothing = (0,) * len(thresholds)
        return cls(tuple(thresholds), nothing, nothing, 0)

    def plus(self, more: Rates) -> Rates:
        """Return the rates of these runs and more."""
        one = tuple(a + b for a, b in zip(self.one, more.one, strict=True))
        other = tuple(a + b for a, b in zip(self.other, more.other, strict=True))
        return Rates(self.thresholds, one, other, self.runs + more.runs)


def rates(one: Numbers, other: Numbers, thresholds: Sequence[float]) -> Rates:
    """Count over thresholds: statistics of as many runs under either dataset."""
    if len(one) != len(other):
        raise ValueError(f"Expected as many runs under both, found {len(one)} and {len(other)}")
    counts = [tuple(int((side >= c).sum()) for c in thresholds) for side in (one, other)]
    return Rates(tuple(thresholds), counts[0], counts[1], len(one))


def at_least(successes: int, runs: int, level: float) -> float:
    """Return the lower end of a probability's confidence interval: wrong with probability `level` at most."""
    return float(stats.beta.ppf(level, successes, runs - successes + 1)) if successes else 0.0


def at_most(successes: int, runs: int, level: float) -> float:
    """Return the upper end; `level` as for `at_least`."""
    return float(stats.beta.isf(level, successes + 1, runs - successes)) if successes < runs else 1.0


def epsilon_bound(found: Rates, *, delta: float = 0.0, significance: float = SIGNIFICANCE) -> float:
    """Return the largest ε ≥ 0 that is proved: no mechanism of less ε at δ gives such rates, but with that probability."""

    def of(p: float, q: float) -> float:
        return math.log((p - delta) / q) if p > delta else 0.0

    return _largest(found, of, significance)


def mu_bound(found: Rates, *, significance: float = SIGNIFICANCE) -> float:
    """Return the largest μ ≥ 0 that is proved: no μ-Gaussian differentially private mechanism of less μ gives such rates."""

    def of(p: float, q: float) -> float:
        return float(ndtri(p) - ndtri(q)) if p > 0 and q < 1 else 0.0

    return _largest(found, of, significance)


def _largest(found: Rates, of: Callable[[float, float], float], significance: float) -> float:
    level = significance / (4 * len(found.thresholds))  # two ends, two directions
    runs, largest = found.runs, 0.0
    for one, other in zip(found.one, found.other, strict=True):
        above = of(at_least(one, runs, level), at_most(other, runs, level))
        below = of(at_least(runs - other, runs, level), at_most(runs - one, runs, level))
        largest = max(largest, above, below)
    return largest


# --- what a Gaussian guarantees, apart from the package's own calibration


def gaussian_delta(epsilon: float, mu: float) -> float:
    """Return δ(ε) of μ-Gaussian differential privacy (Balle & Wang 2018, Eq. 6)."""
    inside, outside = log_ndtr(mu / 2 - epsilon / mu), epsilon + log_ndtr(-mu / 2 - epsilon / mu)
    return float(np.exp(inside) - np.exp(outside))


def gaussian_mu(epsilon: float, delta: float) -> float:
    """Return the μ whose curve runs through (ε, δ)."""
    return float(brentq(lambda mu: gaussian_delta(epsilon, mu) - delta, 1e-6, 100.0, xtol=1e-12))


def gaussian_epsilon(mu: float, delta: float) -> float:
    """Return the least ε at δ of μ-Gaussian differential privacy."""
    if mu == 0 or gaussian_delta(0.0, mu) <= delta:
        return 0.0
    return float(brentq(lambda e: gaussian_delta(e, mu) - delta, 0.0, mu * mu / 2 + 40 * mu, xtol=1e-10))
