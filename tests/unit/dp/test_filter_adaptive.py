"""No one who chooses releases after seeing others makes more of a grant than its (ε, δ): exact, by enumeration.

A control shows that the strategy of the first test would succeed against exact composition of everything.
"""

from __future__ import annotations

import math

import pytest
from adaptive import (
    after_noise,
    after_response,
    as_one_release,
    by_filter,
    largest,
    worst_after_noise,
    worst_after_responses,
)
from scipy.stats import binom, norm
from spending import gaussian, laplace

from synthrelease.dp.event import RoundedGaussian

EPSILON, DELTA = 1.0, 1e-6
SMALL, TIMES, TRACE = 0.02, 14, gaussian(1e-4)


def worth_of_a_choice(rule, *, steps):
    """Fourteen small Laplace releases; then Gaussian noise, or more of the other kind, whichever is worth more on the loss so far.

    Each branch is as large as the rule permits. A trace of Gaussian noise goes before the second, so that it is read at a δ.
    Returns δ of both branches, each as if it were always taken, and of the choice.
    """
    before = [laplace(SMALL)] * TIMES
    mu = largest(rule, before, gaussian, EPSILON, steps=steps)
    size = largest(rule, [*before, TRACE], laplace, EPSILON, steps=steps)
    p, found = 1 / (1 + math.exp(-SMALL)), [0.0, 0.0, 0.0]
    for pluses in range(TIMES + 1):
        weight, loss = binom.pmf(pluses, TIMES, p), SMALL * (2 * pluses - TIMES)
        one, other = after_noise(loss, mu, EPSILON), after_response(loss, size, EPSILON)
        found = [a + weight * b for a, b in zip(found, (one, other, max(one, other)), strict=True)]
    return found


def test_a_choice_between_two_histories_is_worth_no_more_than_delta():
    one, other, chosen = worth_of_a_choice(by_filter(EPSILON, DELTA), steps=30)
    assert 0.1 * DELTA < chosen <= DELTA
    assert max(one, other) <= chosen


@pytest.mark.thorough
def test_the_control_composed_as_one_release_the_same_choice_is_worth_twice_delta():
    one, other, chosen = worth_of_a_choice(as_one_release(DELTA), steps=17)
    assert one == pytest.approx(DELTA, rel=1e-2)  # each history by itself is worth what it reads
    assert other == pytest.approx(DELTA, rel=1e-2)
    assert chosen == pytest.approx(1.993e-6, rel=1e-2)


@pytest.mark.quick(but=["sizes0-0.05-14-1.0-1e-06"])
@pytest.mark.parametrize(
    ("sizes", "unit", "most", "epsilon", "delta"),
    [
        ((1, 4, 12), 0.05, 14, 1.0, 1e-6),
        ((2, 5), 0.1, 9, 1.0, 1e-6),
        ((1, 3), 0.4, 8, 4.0, 1e-3),
        ((1, 2), 1.0, 6, 6.0, 0.05),
    ],
)
def test_the_best_of_all_strategies_that_begin_without_delta(sizes, unit, most, epsilon, delta):
    found = worst_after_responses(
        by_filter(epsilon, delta), sizes=sizes, unit=unit, epsilon=epsilon, most=most
    )
    assert 0.1 * delta < found <= delta


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-6), (4.0, 1e-3)])
@pytest.mark.parametrize("part", [0.2, 0.5, 0.8, 0.99])
def test_the_best_of_strategies_that_begin_with_gaussian_noise(epsilon, delta, part):
    """G has nine tenths of δ, and R the rest: both are used, and no more than δ."""
    rule = by_filter(epsilon, delta)
    mu = part * largest(rule, [], gaussian, epsilon)
    found = worst_after_noise(rule, mu=mu, epsilon=epsilon)
    assert 0.85 * delta < found <= delta


# The enumeration itself


def test_gaussian_noise_of_which_nothing_is_known_yet_is_worth_its_delta():
    def rule(events):
        return 0.0 if isinstance(events[-1], RoundedGaussian) and events[-1].scale >= 5 else 9.0

    found = worst_after_noise(rule, mu=0.15, epsilon=1.0, bins=4000)
    mu = math.hypot(0.15, 0.2)
    exact = norm.cdf(mu / 2 - 1 / mu) - math.e * norm.cdf(-mu / 2 - 1 / mu)
    assert 0.999 * exact < found <= exact


def test_enumeration_finds_what_two_responses_are_worth():
    def rule(events):
        if isinstance(events[-1], RoundedGaussian):
            return 9.0
        return sum(event.sensitivity / event.scale for event in events) / 2

    p = 1 / (1 + math.exp(-1.0))
    found = worst_after_responses(rule, sizes=(1,), unit=1.0, epsilon=1.0, most=1)
    assert found == pytest.approx(p * p * -math.expm1(-1.0), rel=1e-6)  # two pluses: a loss of 2
