"""Whoever chooses the next release after seeing those before: the exact δ of what they can make of a rule that permits.

Pure events are randomized response here, the worst there is: its loss is +ε or −ε, and after any history the loss so far is one
number. δ at ε is E[(1 − e^(ε − loss))⁺], so the best choice at a loss is the one with the largest mean from there on.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import cache

from scipy.special import ndtr
from spending import gaussian, laplace

from synthrelease.dp import accounting
from synthrelease.dp.calibration import gaussian_delta
from synthrelease.dp.event import Event
from synthrelease.dp.filter import Filter, FilterSums
from synthrelease.dp.guarantee import Neighbours

Rule = Callable[[Sequence[Event]], float]  # ε of releases of an event each


def as_one_release(delta: float) -> Rule:
    """Return the rule that is not safe: exact composition of everything, as if it had been fixed beforehand."""
    return lambda events: accounting.epsilon_at(events, delta=delta, neighbours=Neighbours.REPLACE_ONE)


def by_filter(epsilon: float, delta: float) -> Rule:
    """Return the ledger's rule for releases of an event each, with (ε, δ) for all."""

    @cache
    def rule_of(first: Event) -> Filter:
        rule = Filter.of([first], epsilon=epsilon, delta=delta)
        assert rule is not None
        return rule

    def read(events: Sequence[Event]) -> float:
        rule, sums = rule_of(events[0]), FilterSums()
        for event in events:
            sums += rule.sums([event], delta=delta)
        return rule.epsilon(sums, delta=delta, budget=epsilon)

    return read


def largest(
    rule: Rule, before: Sequence[Event], kind: Callable[[float], Event], epsilon: float, *, steps: int = 30
) -> float:
    """Return the largest size of an event, up to 2ε, that the rule still permits after others; 0 if none."""
    low, high = 0.0, 2 * epsilon
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (middle, high) if rule([*before, kind(middle)]) <= epsilon else (low, middle)
    return low


def after_noise(loss: float, mu: float, epsilon: float) -> float:
    """δ at ε, if Gaussian noise of μ follows on a loss."""
    return gaussian_delta(epsilon - loss, sigma=1.0, sensitivity=mu) if loss < epsilon else math.nan


def after_response(loss: float, size: float, epsilon: float) -> float:
    """δ at ε, if randomized response of this size follows on a loss."""
    p = 1 / (1 + math.exp(-size))
    return p * _kept(loss + size, epsilon) + (1 - p) * _kept(loss - size, epsilon)


def _kept(loss: float, epsilon: float) -> float:
    return max(0.0, -math.expm1(epsilon - loss))


def worst_after_responses(
    rule: Rule, *, sizes: Sequence[int], unit: float, epsilon: float, most: int
) -> float:
    """Return the largest δ of all strategies that begin with randomized response, of sizes in units, and may end with Gaussian noise.

    `most`: events before the last one.
    """

    @cache
    def last(taken: tuple[int, ...]) -> tuple[float, float]:
        before = [laplace(size * unit) for size in taken]
        return largest(rule, before, gaussian, epsilon), largest(rule, before, laplace, epsilon)

    def history(counts: tuple[int, ...], first: int) -> tuple[int, ...]:
        # the order leaves no trace, but for the first
        others = [size for size, count in zip(sizes, counts, strict=True) for _ in range(count)]
        others.remove(first)
        return (first, *others)

    @cache
    def value(counts: tuple[int, ...], first: int, loss: int) -> float:
        taken, now = history(counts, first), loss * unit
        mu, size = last(taken)
        found = max(_kept(now, epsilon), after_response(now, size, epsilon))
        if mu > 0:
            found = max(found, _after_any_noise(now, mu, epsilon))
        if len(taken) == most:
            return found
        for place, step in enumerate(sizes):
            more = tuple(count + (n == place) for n, count in enumerate(counts))
            if rule([laplace(one * unit) for one in history(more, first)]) <= epsilon:
                p = 1 / (1 + math.exp(-step * unit))
                found = max(
                    found, p * value(more, first, loss + step) + (1 - p) * value(more, first, loss - step)
                )
        return found

    begun = 0.0
    for place, step in enumerate(sizes):
        counts, p = tuple(int(n == place) for n in range(len(sizes))), 1 / (1 + math.exp(-step * unit))
        if rule([laplace(step * unit)]) <= epsilon:
            one, other = value(counts, step, step), value(counts, step, -step)
            begun = max(begun, p * one + (1 - p) * other)
    return begun


def worst_after_noise(rule: Rule, *, mu: float, epsilon: float, bins: int = 400) -> float:
    """Return the largest δ of strategies that begin with Gaussian noise and end with more of it, or with randomized response.

    The choice looks at the bin of the first outcome; the loss is the bin's own, which is post-processing.
    """
    first = gaussian(mu)
    more, size = largest(rule, [first], gaussian, epsilon), largest(rule, [first], laplace, epsilon)
    edges = [-math.inf, *(-8 + 16 * n / bins for n in range(1, bins)), math.inf]
    total = 0.0
    for low, high in itertools.pairwise(edges):
        p, q = _between(low, high, mu), _between(low, high, 0.0)
        loss = math.log(p / q)
        total += p * max(_after_any_noise(loss, more, epsilon), after_response(loss, size, epsilon))
    return total


def _between(low: float, high: float, mean: float) -> float:
    if low - mean > 0:  # the upper tail, without the digits that 1 − Φ loses
        return float(ndtr(mean - low) - ndtr(mean - high))
    return float(ndtr(high - mean) - ndtr(low - mean))


def _after_any_noise(loss: float, mu: float, epsilon: float) -> float:
    """As `after_noise`, also where the loss is beyond ε: δ_PQ(−x) = 1 − e^(−x) + e^(−x)·δ_QP(x), and noise is symmetric."""
    if mu == 0:
        return _kept(loss, epsilon)
    if loss < epsilon:
        return after_noise(loss, mu, epsilon)
    x = loss - epsilon
    return -math.expm1(-x) + math.exp(-x) * gaussian_delta(x, sigma=1.0, sensitivity=mu)
