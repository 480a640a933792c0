"""OpenDP: privacy maps for ε, stability maps for sensitivities, and its exact samplers.

Its map of discrete Laplace noise is exact. Of Gaussian noise it knows ρ of zero-concentrated differential privacy, exactly, and
an upper bound of the ε that follows from ρ at a δ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import opendp.prelude as dp

from witnesses.noises import Bounds, Noises

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

dp.enable_features("contrib")

CARE = 1e-12  # relative: each step of its arithmetic is rounded up by a last bit
# Its ε from ρ at a δ is at most so much above the exact ε of Gaussian noise, for the budgets here.
CONVERSION_LOSS = 1.25
_TOGETHER = 1000  # draws in one call, each of which takes a third of the time of a call by itself
_GRID = -40  # noise on floating-point numbers lies on multiples of 2⁻⁴⁰


def laplace(scale: float) -> Any:
    """Return its discrete Laplace mechanism on vectors of integers."""
    return dp.m.make_laplace(_integers(), dp.l1_distance(T="i64"), scale=scale)


def gaussian(scale: float) -> Any:
    """Return its discrete Gaussian mechanism on vectors of integers."""
    return dp.m.make_gaussian(_integers(), dp.l2_distance(T="f64"), scale=scale)


def choice(scale: float, *, gumbel: bool = False) -> Any:
    """Return its choice of the largest of some integers: permute-and-flip, or the exponential mechanism (by Gumbel noise)."""
    measure = dp.zero_concentrated_divergence() if gumbel else dp.max_divergence()
    return dp.m.make_noisy_max(_integers(), dp.linf_distance(T="i64"), measure, scale=scale)


def _integers() -> Any:
    return dp.vector_domain(dp.atom_domain(T="i64"))


def _numbers(people: int | None = None) -> Any:
    public = {} if people is None else {"size": people}
    return dp.vector_domain(dp.atom_domain(T="f64", nan=False), **public)


def composed(measurements: Sequence[Any]) -> Any:
    """Return its composition of measurements of the same vector."""
    return dp.c.make_composition(list(measurements))


# --- privacy maps


def rho(noises: Noises) -> float:
    """Return ρ of everything: of Gaussian noise by its map, of the rest by its conversion from pure ε."""
    to_zcdp: Callable[[Any], Any] = dp.c.make_pureDP_to_zCDP
    total = sum(gaussian(one.scale).map(one.sensitivity) for one in noises.gaussian)
    total += sum(to_zcdp(laplace(one.scale)).map(one.sensitivity) for one in noises.laplace)
    return float(total + sum(to_zcdp(laplace(1 / one.epsilon)).map(1) for one in noises.choices))


def epsilon(noises: Noises, delta: float) -> Bounds:
    """Return ε: exact without Gaussian noise, else above the exact one.

    The conversion holds for every mechanism of this ρ, and a Gaussian is not the worst of them. It loses by
    `CONVERSION_LOSS` at most for Gaussian noise alone. What needs no δ enters as ρ = ε²/2 and loses without such a bound.
    """
    if noises.pure:
        added_up = sum(laplace(one.scale).map(one.sensitivity) for one in noises.laplace)
        return Bounds.exactly(added_up + sum(one.epsilon for one in noises.choices), care=CARE)
    of_the_same_rho = gaussian(1 / math.sqrt(2 * rho(noises)))
    converted: Any = dp.c.make_zCDP_to_approxDP(of_the_same_rho)
    high = float(converted.map(1.0).epsilon(delta))
    return Bounds(high / CONVERSION_LOSS if noises.gaussian_alone else 0.0, high)


def laplace_scale(epsilon: float, *, sensitivity: int) -> float:
    """Return the least scale of discrete Laplace noise at which its map says ε."""
    return _least_scale(laplace, moved=sensitivity, epsilon=epsilon)


def choice_scale(epsilon: float, *, sensitivity: int) -> float:
    """Return the least scale of its permute-and-flip at which its map says ε."""
    return _least_scale(choice, moved=sensitivity, epsilon=epsilon)


def _least_scale(make: Callable[[float], Any], *, moved: int, epsilon: float) -> float:
    return float(dp.binary_search_param(make, d_in=moved, d_out=epsilon, bounds=(1e-9, 1e18)))


# --- stability maps. Someone who is replaced is removed and added: with a public number of people, a distance of 2.


def width(low: int, high: int, *, replaced: bool) -> int:
    """Return how far one person moves the sum of people's integers from `low` to `high`."""
    people = {"size": 10} if replaced else {}
    domain = dp.vector_domain(dp.atom_domain(bounds=(low, high), T="i64"), **people)
    total: Any = dp.t.make_sum(domain, dp.symmetric_distance())
    return int(total.map(2 if replaced else 1))


def shares(total: int, *, replaced: bool) -> int:
    """Return how far, in L1, one person moves a histogram to which they add `total` rows."""
    histogram: Any = dp.t.make_count_by_categories(
        _integers(), dp.symmetric_distance(), categories=[0, 1, 2], MO="L1Distance<i64>"
    )
    return int(histogram.map(2 * total if replaced else total))


def quantile_scores(
    values: Sequence[float], candidates: Sequence[float], p: float, *, replaced: bool
) -> tuple[list[int], int]:
    """Return its scores of a quantile's candidates, of which the least is best, and how far one person moves each."""
    domain = _numbers(len(values) if replaced else None)
    score: Any = dp.t.make_quantile_score_candidates(domain, dp.symmetric_distance(), list(candidates), p)
    return list(score(list(values))), int(score.map(2 if replaced else 1))


# --- samplers, which cannot be seeded


def drawn_laplace(scale: float, count: int) -> Integers:
    """Draw from the discrete Laplace distribution."""
    return np.array(laplace(scale)([0] * count), dtype=np.int64)


def drawn_discrete_gaussian(scale: float, count: int) -> Integers:
    """Draw from the discrete Gaussian distribution, P(k) ∝ exp(−k²/(2σ²))."""
    return np.array(gaussian(scale)([0] * count), dtype=np.int64)


def drawn_rounded_gaussian(scale: float, count: int) -> Integers:
    """Draw from the discrete Gaussian distribution on multiples of 2⁻⁴⁰, and round to integers.

    Each probability is that of the continuous Gaussian, rounded, to within 2⁻⁴⁰/σ: between two integers lies a point of the grid,
    which rounding gives to the even one.
    """
    noise = dp.m.make_gaussian(_numbers(count), dp.l2_distance(T="f64"), scale=scale, k=_GRID)
    rounded: Integers = np.rint(noise([0.0] * count)).astype(np.int64)
    return rounded


def drawn_choices(
    utilities: Sequence[int], sensitivity: int, epsilon: float, count: int, *, gumbel: bool = False
) -> Integers:
    """Return how often each candidate is chosen at the scale at which its map of permute-and-flip says ε."""
    one = choice(choice_scale(epsilon, sensitivity=sensitivity), gumbel=gumbel)
    return _frequencies(one, list(utilities), range(len(utilities)), count)


def drawn_quantiles(
    values: Sequence[float],
    candidates: Sequence[float],
    p: float,
    epsilon: float,
    count: int,
    *,
    replaced: bool,
) -> Integers:
    """Return how often each candidate is the private quantile at the scale at which its map says ε for one person."""
    domain = _numbers(len(values) if replaced else None)

    def make(scale: float) -> Any:
        return dp.m.make_private_quantile(
            domain, dp.symmetric_distance(), dp.max_divergence(), list(candidates), p, scale
        )

    scale = _least_scale(make, moved=2 if replaced else 1, epsilon=epsilon)
    return _frequencies(make(scale), list(values), candidates, count)


def _frequencies(measurement: Any, data: list[Any], outcomes: Sequence[float], count: int) -> Integers:
    many = composed([measurement] * _TOGETHER)
    calls = -(-count // _TOGETHER)
    drawn = [outcome for _ in range(calls) for outcome in many(data)][:count]
    seen: Integers = np.bincount(np.searchsorted(outcomes, drawn), minlength=len(outcomes))
    return seen
