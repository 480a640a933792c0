"""Rényi divergences of one order, against their definition in many digits, the library, and mechanisms with exact probabilities."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from dp_accounting.rdp import rdp_privacy_accountant as rdp
from hypothesis import given
from hypothesis import strategies as st
from mpmath import MPContext

from synthrelease.dp import renyi
from synthrelease.dp.accounting import Parts, parts_of
from synthrelease.dp.calibration import gaussian_delta
from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian

_mp = MPContext()
_mp.dps = 120

orders = st.sampled_from(renyi.ORDERS)
epsilons = st.one_of(st.floats(1e-9, 1e-3), st.floats(1e-3, 50.0)).map(Fraction)
deltas = st.sampled_from([1e-18, 1e-9, 1e-6, 1e-3, 0.1]).map(Fraction)


def number(value):
    value = Fraction(value)
    return _mp.mpf(value.numerator) / value.denominator


def of_randomized_response(epsilon, order):
    """By definition: ln(p^α·q^(1−α) + q^α·p^(1−α)) / (α − 1) with p = e^ε/(1 + e^ε)."""
    p = 1 / (1 + _mp.exp(-number(epsilon)))
    a, q = number(order), 1 / (1 + _mp.exp(number(epsilon)))
    return _mp.log(p**a * q ** (1 - a) + q**a * p ** (1 - a)) / (a - 1)


@given(epsilon=epsilons, order=orders)
def test_of_pure_events_it_is_that_of_randomized_response_and_never_less(epsilon, order):
    found, exact = number(renyi.pure_divergence(epsilon, order)), of_randomized_response(epsilon, order)
    assert exact <= found <= exact + _mp.mpf(10) ** -45
    assert found <= number(epsilon)


@pytest.mark.parametrize("epsilon", [Fraction(10) ** -30, Fraction(10**9), Fraction(10) ** 600])
@pytest.mark.parametrize("order", [renyi.ORDERS[0], 23.0, renyi.ORDERS[-1]])
def test_tiny_and_huge_ones_are_numbers_and_no_more_than_epsilon(epsilon, order):
    assert 0 < renyi.pure_divergence(epsilon, order) <= epsilon


@given(epsilon=st.floats(0.001, 5.0), order=orders, data=st.data())
def test_no_pure_mechanism_has_more(epsilon, order, data):
    """Two probabilities of any outcome, e^ε apart at most; weights are scaled so that both sides sum to 1."""
    drawn = data.draw(st.lists(st.integers(-100, 100), min_size=2, max_size=6))
    ratios = [one / 100 for one in drawn]
    low, high = [r for r in ratios if r <= 0], [r for r in ratios if r > 0]
    if not low or not high:
        return
    e = _mp.mpf(epsilon)
    below = sum(1 - _mp.exp(e * r) for r in low)
    above = sum(_mp.exp(e * r) - 1 for r in high)
    q = [above] * len(low) + [below] * len(high)  # Σ q·(ratio − 1) = 0
    losses = [e * r for r in (*low, *high)]
    mean = sum(w * _mp.exp(number(order) * loss) for w, loss in zip(q, losses, strict=True)) / sum(q)
    divergence = _mp.log(mean) / (number(order) - 1)
    assert divergence <= number(renyi.pure_divergence(Fraction(epsilon), order)) + _mp.mpf(10) ** -60


@pytest.mark.parametrize("order", [1.0625, 2.0, 23.0])
@pytest.mark.parametrize(("sensitivity", "scale"), [(1, 5.0), (7, 20.0), (30, 45.5)])
def test_discrete_laplace_noise_has_no_more(order, sensitivity, scale):
    x = np.arange(-3000, 3000)
    log_p, log_q = -np.abs(x) / scale, -np.abs(x - sensitivity) / scale
    mean = np.sum(np.exp(order * log_p + (1 - order) * log_q)) / np.sum(np.exp(log_q))
    exact, event = math.log(mean) / (order - 1), DiscreteLaplace(sensitivity, scale, 1)
    assert exact * (1 - 1e-12) <= float(renyi.divergence(parts_of([event]), order)) <= 2.1 * exact


@pytest.mark.parametrize("order", [1.0625, 2.0, 23.0])
def test_gaussian_noise_has_that_of_its_definition(order):
    x, mu = np.linspace(-60, 60, 2_000_001), 0.7
    log_p, log_q = -((x - mu) ** 2) / 2, -(x**2) / 2
    exact = math.log(np.trapezoid(np.exp(order * log_p + (1 - order) * log_q), x) / math.sqrt(2 * math.pi))
    known = parts_of([RoundedGaussian(7.0, 10.0, 3)])
    assert float(renyi.divergence(known, order)) == pytest.approx(exact / (order - 1), rel=1e-9)


@given(order=orders, delta=deltas)
def test_the_conversion_is_never_less_than_the_formula(order, delta):
    a, exact = number(order), number(renyi.conversion(order, delta))
    formula = _mp.log(1 - 1 / a) - _mp.log(number(delta) * a) / (a - 1)
    assert formula <= exact <= formula + _mp.mpf(10) ** -45


@given(order=orders, delta=deltas, divergence=st.floats(0.01, 50.0))
def test_the_conversion_is_the_librarys(order, delta, divergence):
    if float(delta) ** 2 + math.expm1(-divergence) > 0:  # the library's shortcut, which is another bound
        return
    (theirs, _), ours = (
        rdp.compute_epsilon([order], [divergence], float(delta)),
        renyi.conversion(order, delta),
    )
    assert max(0.0, float(ours) + divergence) == pytest.approx(theirs, rel=1e-9, abs=1e-9)


@given(mu=st.floats(0.01, 3.0), order=orders, delta=deltas)
def test_what_is_converted_is_true_of_gaussian_noise(mu, order, delta):
    epsilon = renyi.conversion(order, delta) + renyi.gaussian_divergence(Fraction(mu) ** 2, order)
    if 0 <= epsilon < 500:
        assert gaussian_delta(float(epsilon), sigma=1.0, sensitivity=mu) <= float(delta) * (1 + 1e-12)


@given(epsilon=st.floats(0.01, 20.0), order=orders, delta=deltas)
def test_what_is_converted_is_true_of_randomized_response(epsilon, order, delta):
    stated = number(renyi.conversion(order, delta) + renyi.pure_divergence(Fraction(epsilon), order))
    p, q = 1 / (1 + _mp.exp(-_mp.mpf(epsilon))), 1 / (1 + _mp.exp(_mp.mpf(epsilon)))
    exact = sum(max(0, one - _mp.exp(stated) * other) for one, other in ((p, q), (q, p)))
    assert exact <= number(delta)


# The order


def room(order, known, epsilon, delta):
    """Return how many such releases fit, in floating-point numbers."""
    c = math.log1p(-1 / order) - math.log(delta * order) / (order - 1)
    pure = float(sum(of_randomized_response(e, order) for e in known.pure))
    return (epsilon - c) / (pure + order * float(known.mu_squared) / 2)


FIRST = {
    "gaussian": Parts((), Fraction(1), ()),
    "little noise": Parts((), Fraction(9), ()),
    "both": Parts((Fraction(1, 5), Fraction(1, 5), Fraction(1, 2)), Fraction(1, 9), ()),
    "mostly pure": Parts((Fraction(2),), Fraction(1, 400), ()),
}


@pytest.mark.quick(but=["0.1-1e-06-both", "1.0-1e-06-both", "3.0-1e-09-both", "20.0-0.001-both"])
@pytest.mark.parametrize("name", FIRST)
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1.0, 1e-6), (3.0, 1e-9), (20.0, 1e-3)])
def test_the_order_has_room_for_most(name, epsilon, delta):
    known = FIRST[name]
    found = renyi.best_order(known, epsilon, Fraction(delta))
    most = max(room(order, known, epsilon, delta) for order in renyi.ORDERS)
    assert room(found, known, epsilon, delta) == pytest.approx(most, rel=1e-12)
    finer = max(room(1 + 10 ** (n / 200), known, epsilon, delta) for n in range(-240, 1200))
    assert room(found, known, epsilon, delta) > 0.99 * finer  # what the grid costs


def test_the_order_of_gaussian_noise_does_not_depend_on_how_much():
    for scale in (Fraction(1, 10**9), Fraction(1, 3), Fraction(10**9)):
        assert renyi.best_order(Parts((), scale, ()), 1.0, Fraction(1e-6)) == 23.0


def test_without_any_room_it_is_the_order_that_costs_least():
    found = renyi.best_order(FIRST["gaussian"], 1e-9, Fraction(1e-18))
    assert renyi.conversion(found, Fraction(1e-18)) == min(
        renyi.conversion(order, Fraction(1e-18)) for order in renyi.ORDERS
    )


CHOSEN = {
    ("gaussian", 1.0, 1e-06): 23.0,
    ("gaussian", 5.0, 1e-05): 5.0,
    ("little noise", 1.0, 1e-06): 23.0,
    ("little noise", 5.0, 1e-05): 5.0,
    ("both", 1.0, 1e-06): 27.0,
    ("both", 5.0, 1e-05): 6.5,
    ("mostly pure", 1.0, 1e-06): 129.0,
    ("mostly pure", 5.0, 1e-05): 49.0,
}


def test_orders_are_those_that_ledgers_were_written_with():
    """What was paid is composed at the order that is chosen again: a change of any of these changes the past."""
    assert (len(renyi.ORDERS), renyi.ORDERS[0], renyi.ORDERS[-1]) == (200, 1.0625, 1966081.0)
    assert all(Fraction(order).denominator <= 128 for order in renyi.ORDERS)
    assert list(renyi.ORDERS) == sorted(set(renyi.ORDERS))
    chosen = {
        (name, epsilon, delta): renyi.best_order(FIRST[name], epsilon, Fraction(delta))
        for name in FIRST
        for epsilon, delta in ((1.0, 1e-6), (5.0, 1e-5))
    }
    assert chosen == CHOSEN
