"""Filters, against formulas of their own: `dp-accounting` for Rényi divergences, mpmath for the Gaussian curve, sums for the rest."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from dp_accounting import NeighboringRelation, dp_event
from dp_accounting.rdp import RdpAccountant
from hypothesis import given
from hypothesis import strategies as st
from mpmath import MPContext
from spending import gaussian, laplace, trial
from tiers import few

from synthrelease.dp import accounting, renyi
from synthrelease.dp.event import (
    Composed,
    DeniabilityTest,
    DiscreteLaplace,
    Disjoint,
    PrivateChoice,
    RoundedGaussian,
)
from synthrelease.dp.filter import GAUSSIAN_SHARE, Filter, FilterSums
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.rounding import float_up

_mp = MPContext()
_mp.dps = 40
DELTA = 1e-6

pure = st.one_of(
    st.sampled_from([0.01, 0.05, 0.1, 1 / 3, 0.5, 1.0]).map(laplace),
    st.sampled_from([0.02, 0.3]).map(lambda epsilon: PrivateChoice(epsilon, 4)),
)
noise = st.sampled_from([0.01, 0.05, 0.1, 0.2, 0.5]).map(gaussian)
releases = st.lists(st.one_of(pure, noise), min_size=1, max_size=3).map(tuple)
histories = st.lists(releases, min_size=1, max_size=6)
grants = st.tuples(st.sampled_from([0.1, 1.0, 4.0]), st.sampled_from([0.0, 1e-9, 1e-6, 1e-2]))


def summed(rule, history, delta=DELTA):
    sums = FilterSums()
    for release in history:
        sums += rule.sums(release, delta=delta)
    return sums


def spent(history, epsilon=1.0, delta=DELTA, *, later=None, budget=None):
    """ε of a history that began under (ε, δ), at that δ or a later grant's."""
    rule = Filter.of(history[0], epsilon=epsilon, delta=delta)
    return rule.epsilon(summed(rule, history), delta=delta if later is None else later, budget=budget)


def curve(mu, delta):
    """ε of Gaussian noise at δ: the formula, solved in 40 digits."""

    def excess(epsilon):
        return _mp.ncdf(mu / 2 - epsilon / mu) - _mp.exp(epsilon) * _mp.ncdf(-mu / 2 - epsilon / mu) - delta

    low, high = _mp.mpf(0), _mp.mpf(100)
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return float(high)


def by_renyi(history, order, delta):
    """ε of the library's accountant that knows one order."""
    accountant = RdpAccountant([order], NeighboringRelation.REPLACE_ONE)
    for event in itertools.chain(*history):
        if isinstance(event, RoundedGaussian):
            accountant.compose(dp_event.GaussianDpEvent(event.scale / event.sensitivity))
        else:
            epsilon = event.epsilon if isinstance(event, PrivateChoice) else event.sensitivity / event.scale
            accountant.compose(dp_event.RandomizedResponseDpEvent(2 / (1 + math.exp(epsilon)), 2))
    return accountant.get_epsilon(delta)


# Which sums hold, and at which δ


def test_the_first_release_decides():
    assert Filter.of([trial()], epsilon=1, delta=DELTA).adds_up
    assert Filter.of([laplace(0.1), trial()], epsilon=1, delta=DELTA).adds_up
    assert Filter.of([Disjoint((laplace(0.1), trial()))], epsilon=1, delta=DELTA).adds_up
    only = Filter.of([gaussian(0.1), gaussian(0.2)], epsilon=1, delta=DELTA)
    assert only.gaussian
    assert not only.adds_up
    for first in ([laplace(0.1)], [PrivateChoice(0.1, 3)], [gaussian(0.1), laplace(0.1)]):
        rule = Filter.of(first, epsilon=1, delta=DELTA)
        assert not rule.gaussian
        assert not rule.adds_up


def test_the_order_is_for_releases_like_the_first_if_it_has_gaussian_noise():
    """Found here by brute force, in floating-point numbers."""
    like = [gaussian(1 / 3), laplace(0.5), laplace(0.2)]

    def room(order, release):
        loss = by_renyi([release], order, DELTA)  # c + R
        c = math.log1p(-1 / order) - math.log(DELTA * order) / (order - 1)
        return (1.0 - c) / (loss - c)

    for first, release in ((like, like), ([laplace(0.5)], [gaussian(1.0)])):
        best = max((order for order in renyi.ORDERS if order < 1000), key=lambda a: room(a, release))
        assert Filter.of(first, epsilon=1.0, delta=DELTA).order == best


@pytest.mark.parametrize(
    "first",
    [
        [],
        [DiscreteLaplace(0, 1.0, 1)],
        [RoundedGaussian(0.0, 1.0, 1)],
        [DeniabilityTest(8, 4.0, "person", vacuous=False)],
    ],
)
def test_what_costs_nothing_is_no_first_release(first):
    assert Filter.of(first, epsilon=1, delta=DELTA) is None
    rule = Filter.of([laplace(0.1)], epsilon=1, delta=DELTA)
    assert rule.sums(first, delta=DELTA) == FilterSums()


def test_pure_releases_cost_their_sum_and_no_delta():
    for delta in (0.0, DELTA):
        assert spent([[laplace(0.125)]] * 8, delta=delta) == 1.0
    assert spent([[laplace(0.25), PrivateChoice(0.5, 3)], [laplace(0.25)]], delta=0.0) == 1.0


def test_many_small_pure_releases_cost_less_at_a_delta():
    history = [[laplace(0.02)]] * 80
    rule = Filter.of(history[0], epsilon=1.0, delta=DELTA)
    assert rule.order == 23.0  # as for Gaussian noise: the first is none
    assert spent(history) == pytest.approx(by_renyi(history, 23.0, DELTA), rel=1e-6)
    assert spent(history) < 1.0
    assert spent(history, later=0.0) == pytest.approx(1.6, rel=1e-6)


def test_gaussian_releases_cost_the_curve_at_nine_tenths_of_delta():
    assert Fraction(9, 10) == GAUSSIAN_SHARE
    history = [[gaussian(0.05)], [gaussian(0.12), gaussian(0.09)]]
    mu = math.sqrt(0.05**2 + 0.12**2 + 0.09**2)
    assert spent(history) == pytest.approx(curve(mu, 0.9 * DELTA), rel=2e-6)
    assert spent(history) > curve(mu, 0.901 * DELTA)


def test_other_noise_beside_gaussian_has_the_last_tenth_of_delta():
    history = [[gaussian(0.05)], [laplace(0.1)], [gaussian(0.05)]]
    order = Filter.of(history[0], epsilon=1.0, delta=DELTA).order
    assert order == renyi.best_order(accounting.parts_of([gaussian(1.0)]), 1.0, Fraction(DELTA) / 10)
    assert spent(history) == pytest.approx(by_renyi(history, order, 0.1 * DELTA), rel=2e-6)
    assert spent(history) > by_renyi(history, order, 0.101 * DELTA)


def test_without_a_gaussian_first_release_there_is_no_curve_even_if_the_first_is_taken_out():
    """δ is all of R's then; as where the first, on which nothing was drawn, is paid for again."""
    rule, others = Filter.of([laplace(0.1)], epsilon=1.0, delta=DELTA), [[gaussian(0.1)], [gaussian(0.1)]]
    found = rule.epsilon(summed(rule, others), delta=DELTA)
    assert found == pytest.approx(by_renyi(others, 23.0, DELTA), rel=1.1e-5)
    assert found > curve(math.hypot(0.1, 0.1), 0.9 * DELTA)


def test_the_shares_of_delta_are_no_more_than_delta():
    """Each sum that is used at once, read back to the δ at which it holds."""
    history = [[gaussian(0.1)], [gaussian(0.1)]]
    rule = Filter.of(history[0], epsilon=1.0, delta=DELTA)
    sums = summed(rule, history)
    by_curve, by_order = (float(one) for one in rule._bounds(sums, Fraction(DELTA)))
    mu = _mp.sqrt(_mp.mpf(sums.mu_squared.numerator) / sums.mu_squared.denominator)
    x = _mp.mpf(by_curve)
    one = _mp.ncdf(mu / 2 - x / mu) - _mp.exp(x) * _mp.ncdf(-mu / 2 - x / mu)
    a, r = _mp.mpf(rule.order), _mp.mpf(float(sums.divergence))
    other = _mp.exp((a - 1) * (r - by_order)) / (a - 1) * (1 - 1 / a) ** a
    assert 0.999 * DELTA < one + other <= DELTA * (1 + 1e-12)


@given(history=histories, grant=grants)
def test_of_what_is_no_gaussian_first_release_the_least_of_two_sums_is_counted(history, grant):
    epsilon, delta = grant
    rule, bounds = Filter.of(history[0], epsilon=epsilon, delta=delta), []
    events = list(itertools.chain(*history))
    if rule.gaussian:
        return
    if not any(isinstance(event, RoundedGaussian) for event in events):
        bounds.append(accounting.compose(events, delta=0.5).epsilon)
    if delta > 0:
        bounds.append(by_renyi(history, rule.order, delta))
    least = min(bounds, default=math.inf)
    assert spent(history, epsilon, delta) == pytest.approx(least, rel=1.1e-5)


@pytest.mark.parametrize("first", [[laplace(0.1)], [gaussian(0.1), laplace(0.1)], [gaussian(0.1)]])
def test_an_opaque_release_that_slips_in_leaves_no_epsilon(first):
    for opaque in ([trial()], [Disjoint((laplace(0.1),))], [Composed((laplace(0.1), trial()))]):
        assert spent([first, opaque], epsilon=100.0, delta=1e-3) == math.inf
        assert spent([first, opaque, first], epsilon=100.0, delta=1e-3) == math.inf


def test_without_a_delta_there_is_the_sum_alone():
    assert spent([[laplace(0.5)], [gaussian(0.1)]], delta=0.0) == math.inf
    assert spent([[gaussian(0.1)]], later=0.0) == math.inf
    rule = Filter.of([laplace(0.5)], epsilon=1.0, delta=0.0)
    assert rule == Filter.of(
        [laplace(0.5)], epsilon=1.0, delta=1e-6
    )  # an order for the day when there is one


# Added up


def test_after_an_opaque_release_each_costs_what_it_costs_by_itself():
    rule = Filter.of([trial()], epsilon=50.0, delta=1e-3)
    plans = [
        ([trial()], 1e-4),
        ([laplace(0.5)], 1e-5),
        ([gaussian(0.3)], 2e-4),
        ([trial(), laplace(0.1)], 1e-4),
    ]
    sums, alone = FilterSums(), 0.0
    for release, delta in plans:
        sums += rule.sums(release, delta=delta)
        alone += accounting.epsilon_at(release, delta=delta, neighbours=Neighbours.REPLACE_ONE)
    assert sums.delta == Fraction("4e-4")  # the pure one needs none
    assert rule.epsilon(sums, delta=4e-4) == pytest.approx(alone, rel=1e-3)
    assert rule.epsilon(sums, delta=4e-4) <= alone
    assert rule.epsilon(sums, delta=3.99e-4) == math.inf
    assert rule.epsilon(sums, delta=0.0) == math.inf


def test_the_deltas_of_plans_add_up_as_they_are_written():
    rule = Filter.of([trial()], epsilon=50.0, delta=1e-6)
    for part, times, whole in ((1e-7, 10, 1e-6), (1e-6, 3, 3e-6), (7e-7, 10, 7e-6)):
        sums = summed(rule, [[gaussian(0.1)]] * times, delta=part)
        assert rule.epsilon(sums, delta=whole) < math.inf
        assert rule.epsilon(sums + rule.sums([gaussian(0.1)], delta=part), delta=whole) == math.inf


def test_a_release_that_cannot_keep_to_its_own_delta_has_no_epsilon():
    rule = Filter.of([trial()], epsilon=50.0, delta=1e-3)
    for delta in (0.0, 1e-300):
        assert rule.epsilon(rule.sums([trial()], delta=delta), delta=1e-3) == math.inf


# What must be true of all of them


@given(history=histories, grant=grants)
def test_a_filter_is_never_below_exact_composition_of_the_same_events(history, grant):
    """A history that was fixed beforehand is one of those that could have been chosen."""
    epsilon, delta = grant
    events = list(itertools.chain(*history))
    if delta == 0 or any(not isinstance(event, RoundedGaussian) for event in events):
        return
    exact = accounting.epsilon_at(events, delta=delta, neighbours=Neighbours.REPLACE_ONE)
    assert spent(history, epsilon, delta) >= exact


@few
@given(history=histories, grant=grants)
def test_mixed_histories_are_never_below_exact_composition_either(history, grant):
    epsilon, delta = grant
    events = list(itertools.chain(*history))
    if delta == 0 or accounting.method(events) != "mixed":
        return
    exact = accounting.epsilon_at(events, delta=delta, neighbours=Neighbours.REPLACE_ONE)
    assert spent(history, epsilon, delta) >= exact * (1 - 1e-3)  # which is rounded up to four digits


@given(history=histories, more=releases, grant=grants)
def test_a_release_more_never_costs_less(history, more, grant):
    """Who is permitted a history was permitted its beginnings: the proof needs it."""
    epsilon, delta = grant
    assert spent([*history, more], epsilon, delta) >= spent(history, epsilon, delta)


@given(history=histories, grant=grants, data=st.data())
def test_the_order_of_releases_leaves_no_trace_but_for_the_first(history, grant, data):
    epsilon, delta = grant
    others = data.draw(st.permutations(history[1:]))
    rule = Filter.of(history[0], epsilon=epsilon, delta=delta)
    assert summed(rule, [history[0], *others]) == summed(rule, history)
    assert summed(rule, [*others, history[0]]) == summed(rule, history)
    assert spent([history[0], *others], epsilon, delta) == spent(history, epsilon, delta)


@given(history=histories, grant=grants, data=st.data())
def test_what_was_added_can_be_taken_out_to_the_last_digit(history, grant, data):
    rule = Filter.of(history[0], epsilon=grant[0], delta=grant[1])
    out = data.draw(st.sampled_from(history))
    without = list(history)
    without.remove(out)
    assert summed(rule, history) - rule.sums(out, delta=DELTA) == summed(rule, without)


@given(history=histories, grant=grants, deltas=st.tuples(*[st.sampled_from([0.0, 1e-12, 1e-6, 1e-3])] * 2))
def test_a_larger_delta_permits_no_less(history, grant, deltas):
    """Grants may replace each other: what one permitted, a larger one does."""
    low, high = sorted(deltas)
    assert spent(history, *grant, later=high) <= spent(history, *grant, later=low)


@given(history=histories, grant=grants, later=st.sampled_from([1e-12, 1e-6, 1e-3]))
def test_the_order_is_that_of_the_first_release_and_of_its_grant(history, grant, later):
    """Chosen from what came later, it would be a choice with outcomes in hand."""
    rule = Filter.of(history[0], epsilon=grant[0], delta=grant[1])
    found = spent(history, *grant, later=later)
    if rule.gaussian and not summed(rule, history).pure:
        return
    share = 0.1 if rule.gaussian else 1.0
    bounds = [by_renyi(history, rule.order, share * later)]
    if not summed(rule, history).mu_squared:
        bounds.append(float(summed(rule, history).pure))
    assert found == pytest.approx(min(bounds), rel=1.1e-5)


@given(history=histories, grant=grants)
def test_it_is_rounded_up_and_no_further_than_a_budget(history, grant):
    rule = Filter.of(history[0], epsilon=grant[0], delta=grant[1])
    sums = summed(rule, history)
    bounds = rule._bounds(sums, Fraction(grant[1]))
    if not bounds:
        return
    least, found = min(bounds), rule.epsilon(sums, delta=grant[1])
    assert least <= Fraction(found) <= least * (1 + Fraction(2, 10**5))
    just = float_up(least)
    assert rule.epsilon(sums, delta=grant[1], budget=just) == just
    assert rule.epsilon(sums, delta=grant[1], budget=math.nextafter(just, 0.0)) >= just


def test_three_thirds_are_one_and_a_hair_more_is_more():
    third = DiscreteLaplace(1, 3.0, 1)
    assert spent([[third]] * 3, delta=0.0, budget=1.0) == 1.0
    hair = DiscreteLaplace(1, 1e12, 1)
    assert spent([[third]] * 3 + [[hair]], delta=0.0, budget=1.0) > 1.0
