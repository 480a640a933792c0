"""Composition, against sums over the exact probabilities, and the claims of accounting.proof.md.

The oracles know nothing of `dp-accounting`. One adds up the hockey-stick divergence Σ max(0, P − e^ε·Q) over
windows of integers beyond which less than 1e-15 of the noise lies. The other has δ(ε) of a Gaussian and discrete
Laplaces together: the loss of each Laplace takes few values, and given them the rest is the Gaussian's curve.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import cache, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import MPContext
from refusals import bad_argument
from scipy.stats import binom

from synthrelease.dp import accounting, mixed_losses
from synthrelease.dp.accounting import METHODS, compose, is_differentially_private, method, parts_of
from synthrelease.dp.calibration import gaussian_epsilon, gaussian_sigma, laplace_scale
from synthrelease.dp.event import (
    Composed,
    DeniabilityTest,
    DiscreteLaplace,
    Disjoint,
    Event,
    PrivateChoice,
    RandomizedTest,
    RoundedGaussian,
)
from synthrelease.dp.guarantee import ApproxDP, Neighbours, NoGuarantee, PlausibleDeniability, PureDP
from synthrelease.dp.mixed_losses import LOSS_STEP, choices_loss
from synthrelease.dp.rounding import round_up

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

_mp = MPContext()
_mp.dps = 40

scales = st.floats(0.01, 1e6)
laplaces = st.builds(DiscreteLaplace, st.integers(1, 10**7), scales, st.integers(1, 100))
gaussians = st.builds(RoundedGaussian, st.floats(0.001, 1e4), st.floats(0.1, 1e6), st.integers(1, 100))

GAUSSIAN = RoundedGaussian(1.0, 2.0, 5)
LAPLACE = DiscreteLaplace(3, 6.0, 4)
TEST = DeniabilityTest(8, 4.0, "person", vacuous=False)
CHOICE = PrivateChoice(0.5, 7)


# --- oracles


def discrete_laplace(b: float, *, shift: int, low: int, high: int) -> Numbers:
    """P(X + shift = k) for k = low … high."""
    q = math.exp(-1 / b)
    weights: Numbers = (1 - q) / (1 + q) * q ** np.abs(np.arange(low, high + 1) - shift)
    return weights


def hockey_stick(p: Numbers, q: Numbers, epsilon: float) -> float:
    """δ(ε) = Σ max(0, P − e^ε·Q)."""
    return float(np.maximum(p - math.exp(epsilon) * q, 0.0).sum())


def vector_pair(moves: Sequence[int], b: float) -> tuple[Numbers, Numbers]:
    """The probabilities of a noised vector of integers at 0, and at `moves`."""
    reach = math.ceil(36 * b)
    parts = [
        [discrete_laplace(b, shift=shift, low=min(0, n) - reach, high=max(0, n) + reach) for shift in (0, n)]
        for n in moves
    ]
    return reduce(np.multiply.outer, [p for p, _ in parts]), reduce(np.multiply.outer, [q for _, q in parts])


def losses(sensitivity: int, b: float) -> dict[Any, Any]:
    """ln(P/Q) of one discrete Laplace moved by Δ, with its probability under P."""
    q = _mp.exp(-1 / _mp.mpf(b))
    found = {sensitivity: 1 / (1 + q), -sensitivity: q**sensitivity / (1 + q)}
    for k in range(1, sensitivity):
        found[sensitivity - 2 * k] = q**k * (1 - q) / (1 + q)
    return {steps / _mp.mpf(b): probability for steps, probability in found.items()}


@cache
def all_losses(laplace: tuple[tuple[int, float], ...]) -> dict[Any, Any]:
    total = {_mp.mpf(0): _mp.mpf(1)}
    for sensitivity, b in laplace:
        wider: dict[Any, Any] = {}
        for (one, p), (other, q) in itertools.product(total.items(), losses(sensitivity, b).items()):
            wider[one + other] = wider.get(one + other, 0) + p * q
        total = wider
    return total


def exact_delta(epsilon: float, mu: float, laplace: tuple[tuple[int, float], ...]) -> Any:
    """δ(ε) of a Gaussian of Δ/σ = μ and discrete Laplaces of (Δ, b), on one neighbouring pair."""

    def gaussian(e: Any) -> Any:
        a, root2 = e / _mp.mpf(mu), _mp.sqrt(2)
        inside = _mp.erfc((a - _mp.mpf(mu) / 2) / root2) / 2
        return inside - _mp.exp(e) * _mp.erfc((a + _mp.mpf(mu) / 2) / root2) / 2

    return sum(p * gaussian(_mp.mpf(epsilon) - loss) for loss, p in all_losses(laplace).items())


def mixed_events(mu: float, laplace: tuple[tuple[int, float], ...]) -> list[Event]:
    return [RoundedGaussian(mu, 1.0, 3), *(DiscreteLaplace(n, b, 2) for n, b in laplace)]


# --- one kind of noise


@given(st.lists(laplaces, min_size=1, max_size=6))
def test_only_laplace_is_the_sum_of_its_epsilons_rounded_up(events: list[DiscreteLaplace]) -> None:
    total = compose(events, delta=1e-6)
    assert isinstance(total, PureDP)
    exact = sum(Fraction(e.sensitivity) / Fraction(e.scale) for e in events)
    assert exact <= total.epsilon <= exact * (1 + Fraction(1, 99_999))


def test_only_laplace_by_hand_and_whatever_delta_is() -> None:
    events = [DiscreteLaplace(3, 6.0, 1), DiscreteLaplace(1, 4.0, 9), DiscreteLaplace(3, 6.0, 1)]
    for delta in (0.0, 1e-9, 0.5):
        assert compose(events, delta=delta) == PureDP(epsilon=1.25)
    assert compose([DiscreteLaplace(1, 3.0, 1)], delta=0.0) == PureDP(epsilon=0.333334)  # up, not to 0.333333


def test_the_number_of_integers_costs_nothing_further() -> None:
    """An event's sensitivity is that of the whole vector."""
    assert compose([DiscreteLaplace(3, 6.0, 1)], delta=0) == compose([DiscreteLaplace(3, 6.0, 999)], delta=0)
    assert compose([RoundedGaussian(1.0, 2.0, 1)], delta=1e-6) == compose([GAUSSIAN], delta=1e-6)


@given(st.lists(gaussians, min_size=1, max_size=6))
def test_mu_squared_is_the_exact_sum_of_squares(events: list[RoundedGaussian]) -> None:
    exact = sum(Fraction(e.sensitivity) ** 2 / Fraction(e.scale) ** 2 for e in events)
    assert parts_of(events).mu_squared == exact


@given(st.lists(gaussians, min_size=1, max_size=4), st.sampled_from([1e-9, 1e-6, 1e-3]))
def test_only_gaussian_is_one_gaussian_of_that_mu(events: list[RoundedGaussian], delta: float) -> None:
    mu = math.hypot(*(e.sensitivity / e.scale for e in events))
    if mu > 1e3:
        return
    total = compose(events, delta=delta)
    assert isinstance(total, ApproxDP)
    assert total.delta == delta
    assert exact_delta(total.epsilon, mu, ()) <= delta * (1 + 1e-9)  # μ itself is rounded here
    least = gaussian_epsilon(delta, sigma=1.0, sensitivity=mu)
    assert total.epsilon <= least * (1 + 1.1e-5)


def test_equal_gaussians_are_one_of_root_n_times_the_sensitivity_not_n_times() -> None:
    sixteen = compose([GAUSSIAN] * 16, delta=1e-6)
    assert sixteen == compose([RoundedGaussian(4.0, 2.0, 5)], delta=1e-6)
    one = compose([GAUSSIAN], delta=1e-6)
    assert isinstance(one, ApproxDP)
    assert isinstance(sixteen, ApproxDP)
    assert sixteen.epsilon < 6 * one.epsilon


def test_composing_nothing_costs_nothing() -> None:
    assert compose([], delta=1e-6) == PureDP(epsilon=0.0)
    assert compose([Composed(())], delta=1e-6) == PureDP(epsilon=0.0)
    assert compose([RoundedGaussian(0.0, 1.0, 3)], delta=1e-6) == PureDP(epsilon=0.0)


@pytest.mark.parametrize("delta", [0.0, 1.0, -1e-6])
def test_gaussian_noise_guarantees_nothing_without_a_delta(delta: float) -> None:
    for events in ([GAUSSIAN], [GAUSSIAN, LAPLACE]):
        with bad_argument(ValueError, f"delta={delta}"):
            compose(events, delta=delta)


# --- both kinds of noise

MIXED = [
    (0.5, ((1, 1.0),)),
    (1.0, ((3, 5.0),)),
    (0.2, ((10, 4.0),)),
    (0.01, ((1, 1.0),)),
    (2.0, ((5, 2.5), (2, 7.0))),
    (0.7, ((2, 10.0), (2, 10.0), (2, 10.0))),
    (0.3, ((7, 3.5), (1, 0.8))),
]
DELTAS = [0.2, 1e-2, 1e-6, 1e-12]


@pytest.mark.quick(but=["2.0-laplace4"])
@pytest.mark.parametrize(("mu", "laplace"), MIXED)
def test_mixed_noise_keeps_its_delta_by_exact_reckoning_and_wastes_little(
    mu: float, laplace: tuple[tuple[int, float], ...]
) -> None:
    for delta in DELTAS:
        total = compose(mixed_events(mu, laplace), delta=delta)
        assert isinstance(total, ApproxDP)
        assert total.delta == delta
        assert exact_delta(total.epsilon, mu, laplace) <= delta
        if total.epsilon > 0.01:
            assert exact_delta(total.epsilon - 0.003 * max(1.0, total.epsilon), mu, laplace) > delta


@pytest.mark.parametrize("delta", [1e-13, 1e-14, 1e-15, 1e-16, 1e-18])
def test_mixed_noise_keeps_even_a_delta_at_the_ends_of_double_precision(delta: float) -> None:
    """There the library's truncated tails count as lost, and the plain sum takes over."""
    for mu, laplace in MIXED[:2]:
        total = compose(mixed_events(mu, laplace), delta=delta)
        assert isinstance(total, ApproxDP)
        assert exact_delta(total.epsilon, mu, laplace) <= delta


@pytest.mark.parametrize(("mu", "laplace"), MIXED)
def test_mixed_noise_lies_between_each_part_and_the_plain_sum(
    mu: float, laplace: tuple[tuple[int, float], ...]
) -> None:
    for delta in (1e-3, 1e-9):
        total = compose(mixed_events(mu, laplace), delta=delta)
        assert isinstance(total, ApproxDP)
        gaussian = gaussian_epsilon(delta, sigma=1.0, sensitivity=mu)
        pure = sum(n / b for n, b in laplace)
        assert gaussian <= total.epsilon <= round_up((pure + gaussian) * (1 + 1e-12), 4)
        # The Laplace part alone at this δ: Σ max(0, 1 − e^(ε − loss)) over its losses.
        alone = sum(p * max(0, 1 - _mp.exp(total.epsilon - loss)) for loss, p in all_losses(laplace).items())
        assert alone <= delta


@pytest.mark.quick(but=["2001-3", "1500-2"])
@pytest.mark.parametrize(("sensitivity", "steps"), [(1001, 2), (1500, 2), (2001, 3)])
def test_a_sensitivity_beyond_the_lattice_keeps_its_delta_by_exact_reckoning(
    sensitivity: int, steps: int
) -> None:
    """Rounded down, 1001/2 = 500 steps would lose 1/1001 of ε = 20 and miss this δ by far."""
    assert -(-sensitivity // mixed_losses._LARGEST_LATTICE) == steps
    laplace = ((sensitivity, sensitivity / 20),)
    for mu in (0.001, 0.5):
        total = compose(mixed_events(mu, laplace), delta=1e-6)
        assert isinstance(total, ApproxDP)
        assert exact_delta(total.epsilon, mu, laplace) <= 1e-6
        assert exact_delta(total.epsilon * 0.997, mu, laplace) > 1e-6


@pytest.mark.parametrize("lattice", [1, 2, 3, 4, 7])
def test_any_size_of_lattice_keeps_delta(lattice: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixed_losses, "_LARGEST_LATTICE", lattice)
    laplace = ((7, 3.5), (5, 4.0))
    for delta in (1e-2, 1e-6):
        total = compose(mixed_events(0.4, laplace), delta=delta)
        assert isinstance(total, ApproxDP)
        assert exact_delta(total.epsilon, 0.4, laplace) <= delta


def test_more_delta_is_less_epsilon() -> None:
    for events in ([GAUSSIAN], [GAUSSIAN, LAPLACE], [GAUSSIAN, LAPLACE, DiscreteLaplace(1, 2.0, 1)]):
        along = [compose(events, delta=delta) for delta in (1e-12, 1e-9, 1e-6, 1e-4, 1e-2, 0.3)]
        epsilons = [total.epsilon for total in along if isinstance(total, ApproxDP)]
        assert len(epsilons) == 6
        assert all(a > b for a, b in itertools.pairwise(epsilons))


def test_the_order_and_the_grouping_of_noise_do_not_matter() -> None:
    events = [GAUSSIAN, LAPLACE, RoundedGaussian(2.0, 9.0, 1), DiscreteLaplace(2, 9.0, 1), LAPLACE]
    total = compose(events, delta=1e-6)
    assert compose(events[::-1], delta=1e-6) == total
    assert (
        compose([Composed(tuple(events[:2])), Composed((Composed(tuple(events[2:])),))], delta=1e-6) == total
    )


def test_one_more_event_never_costs_less() -> None:
    events: list[Event] = []
    epsilon = 0.0
    for event in (LAPLACE, LAPLACE, GAUSSIAN, LAPLACE, GAUSSIAN, DiscreteLaplace(9, 4.0, 1)):
        events.append(event)
        total = compose(events, delta=1e-6)
        assert isinstance(total, PureDP | ApproxDP)
        assert total.epsilon > epsilon
        epsilon = total.epsilon


def test_where_epsilon_is_huge_the_sum_is_stated() -> None:
    total = compose([RoundedGaussian(10.0, 1.0, 1), DiscreteLaplace(150, 1.0, 1)], delta=1e-6)
    assert isinstance(total, ApproxDP)
    added_up = 150 + gaussian_epsilon(1e-6, sigma=1.0, sensitivity=10.0)
    assert added_up > 200
    assert added_up <= total.epsilon <= added_up * 1.001


def test_the_relation_is_that_of_the_events() -> None:
    for events in ([GAUSSIAN], [LAPLACE], [GAUSSIAN, LAPLACE], [TEST]):
        for relation in Neighbours:
            assert compose(events, delta=1e-6, neighbours=relation).neighbours is relation


# --- private choices

choices = st.builds(PrivateChoice, st.floats(1e-6, 50.0), st.integers(1, 1000))


@given(st.lists(choices, min_size=1, max_size=4), st.lists(laplaces, max_size=3))
def test_choices_and_laplace_are_the_sum_of_their_epsilons_rounded_up(
    chosen: list[PrivateChoice], noise: list[DiscreteLaplace]
) -> None:
    exact = sum(Fraction(e.epsilon) for e in chosen)
    exact += sum(Fraction(e.sensitivity) / Fraction(e.scale) for e in noise)
    for events in ([*chosen, *noise], [Composed((*noise, Composed(tuple(chosen))))]):
        total = compose(events, delta=1e-6)
        assert isinstance(total, PureDP)
        assert exact <= total.epsilon <= exact * (1 + Fraction(1, 99_999))


def test_choices_by_hand_whatever_delta_and_the_list_are() -> None:
    events = [CHOICE, PrivateChoice(0.25, 1), DiscreteLaplace(3, 6.0, 1), CHOICE]
    for delta in (0.0, 1e-9, 0.5):
        assert compose(events, delta=delta) == PureDP(epsilon=1.75)
    assert compose([CHOICE], delta=0.0) == compose([PrivateChoice(0.5, 10**9)], delta=0.0)
    assert compose([PrivateChoice(1 / 3, 2)], delta=0.0) == PureDP(epsilon=0.333334)  # up, not to 0.333333
    assert compose([PrivateChoice(1 / 3, 2)], delta=0.0, budget=1 / 3) == PureDP(epsilon=1 / 3)
    assert compose([RoundedGaussian(0.0, 1.0, 3), CHOICE], delta=0.0) == PureDP(epsilon=0.5)


def randomized_response(epsilon: float) -> tuple[int, float]:
    """The pair (ε, 0) has the losses of a discrete Laplace of sensitivity 1: ±ε with odds e^ε."""
    return 1, 1 / epsilon


WITH_GAUSSIAN = [
    (0.5, (1.0,), ()),
    (0.2, (0.25,), ()),
    (1.0, (0.125, 0.5), ()),
    (2.0, (4.0,), ()),
    (0.01, (2.0,), ()),
    (0.7, (0.5, 0.5, 0.5), ((2, 10.0),)),
    (0.3, (1.0,), ((7, 3.5), (1, 0.8))),
]


@pytest.mark.quick(but=["1.0-chosen2-laplace2", "2.0-chosen3-laplace3"])
@pytest.mark.parametrize(("mu", "chosen", "laplace"), WITH_GAUSSIAN)
def test_a_choice_beside_a_gaussian_keeps_its_delta_by_exact_reckoning_and_wastes_little(
    mu: float, chosen: tuple[float, ...], laplace: tuple[tuple[int, float], ...]
) -> None:
    events = [*(PrivateChoice(epsilon, 5) for epsilon in chosen), *mixed_events(mu, laplace)]
    all_pairs = (*laplace, *(randomized_response(epsilon) for epsilon in chosen))
    for delta in DELTAS:
        total = compose(events, delta=delta)
        assert isinstance(total, ApproxDP)
        assert total == compose(events[::-1], delta=delta)
        assert exact_delta(total.epsilon, mu, all_pairs) <= delta
        if total.epsilon > 0.01:
            assert exact_delta(total.epsilon - 0.003 * max(1.0, total.epsilon), mu, all_pairs) > delta


@pytest.mark.parametrize(("mu", "chosen"), [(mu, chosen) for mu, chosen, noise in WITH_GAUSSIAN if not noise])
def test_a_choice_beside_a_gaussian_lies_between_the_gaussian_alone_and_the_plain_sum(
    mu: float, chosen: tuple[float, ...]
) -> None:
    events = [RoundedGaussian(mu, 1.0, 3), *(PrivateChoice(epsilon, 5) for epsilon in chosen)]
    for delta in (1e-3, 1e-9):
        total = compose(events, delta=delta)
        assert isinstance(total, ApproxDP)
        alone = gaussian_epsilon(delta, sigma=1.0, sensitivity=mu)
        assert alone < total.epsilon <= round_up((sum(chosen) + alone) * (1 + 1e-12), 4)
        if 0.1 < mu < 1:
            assert total.epsilon < (sum(chosen) + alone) * 0.999  # the library gains something


@pytest.mark.parametrize("sensitivity", [1, 2, 24, 96, 1000, 1001, 5_000_000])
@pytest.mark.parametrize("company", [[GAUSSIAN], [GAUSSIAN, DiscreteLaplace(24, 48.0, 5)]], ids=len)
def test_all_outcomes_of_a_private_choice_cost_alike_beside_other_noise(
    sensitivity: int, company: list[Event]
) -> None:
    """As much as the dearest would by itself: else the claim, or whether there is a release, told of the outcome."""
    chosen = Composed((PrivateChoice(0.1, 3), DiscreteLaplace(sensitivity, sensitivity / 0.9, 5)))
    dearest = Composed((PrivateChoice(0.1, 3), DiscreteLaplace(1, 1 / 0.9, 5)))
    apart = [PrivateChoice(0.1, 3), DiscreteLaplace(1, 1 / 0.9, 5)]
    found, most, plain = (compose([*company, *own], delta=1e-6) for own in ([chosen], [dearest], apart))
    assert isinstance(found, ApproxDP)
    assert isinstance(most, ApproxDP)
    assert isinstance(plain, ApproxDP)
    assert found.epsilon == pytest.approx(most.epsilon, rel=1e-6) == pytest.approx(plain.epsilon, rel=1e-6)


def test_a_choice_counts_however_deep_it_stands() -> None:
    """The same events as a list within a list: the noise beside the choice is still one of its outcomes."""
    noise = DiscreteLaplace(96, 96 / 0.9, 5)
    flat = Composed((PrivateChoice(0.1, 3), noise))
    nested = [
        Composed((Composed((PrivateChoice(0.1, 3),)), Composed((noise,)))),
        Composed((PrivateChoice(0.1, 3), Composed((Composed((noise,)),)))),
    ]
    apart = compose([GAUSSIAN, PrivateChoice(0.1, 3), noise], delta=1e-6)
    expected = compose([GAUSSIAN, flat], delta=1e-6)
    assert isinstance(apart, ApproxDP)
    assert isinstance(expected, ApproxDP)
    assert expected.epsilon > apart.epsilon  # else this would show nothing
    assert [compose([GAUSSIAN, one], delta=1e-6) for one in nested] == [expected] * 2


def test_noise_beside_no_choice_costs_what_its_steps_cost() -> None:
    fine, coarse = DiscreteLaplace(96, 96.0, 5), DiscreteLaplace(1, 1.0, 5)
    found = [compose([GAUSSIAN, one], delta=1e-6) for one in (fine, Composed((fine,)), coarse)]
    assert found[0] == found[1]
    assert isinstance(found[0], ApproxDP)
    assert isinstance(found[2], ApproxDP)
    assert found[2].epsilon > 1.005 * found[0].epsilon


def test_a_choice_beside_a_gaussian_is_what_the_library_makes_of_the_pair() -> None:
    from dp_accounting.pld import common
    from dp_accounting.pld import privacy_loss_distribution as pld

    pair = pld.from_privacy_parameters(common.DifferentialPrivacyParameters(0.5, 0))
    both = pld.from_gaussian_mechanism(1.0, sensitivity=0.5).compose(pair).get_epsilon_for_delta(1e-6)
    total = compose([CHOICE, GAUSSIAN], delta=1e-6)
    assert total == ApproxDP(epsilon=round_up(both, 4), delta=1e-6)
    # A choice has no δ to spend: that of the Gaussian is not halved for it.
    least = compose([PrivateChoice(1e-9, 2), GAUSSIAN], delta=1e-6)
    assert isinstance(least, ApproxDP)
    assert least.epsilon <= round_up(gaussian_epsilon(1e-6, sigma=2.0, sensitivity=1.0) + 1e-9, 4)


@pytest.mark.parametrize(
    "mu", [0.003, 0.3, *(pytest.param(mu, marks=pytest.mark.thorough) for mu in (1.0, 3.7))]
)
def test_the_loss_of_gaussian_noise_is_the_library_s_to_the_last_bit(mu: float) -> None:
    from dp_accounting.pld import privacy_loss_distribution as pld

    epsilons = np.linspace(0, 6 * mu, 200)
    by_the_library = pld.from_gaussian_mechanism(1.0, sensitivity=mu).get_delta_for_epsilon(epsilons)
    assert np.array_equal(
        mixed_losses.gaussian_loss(mu, LOSS_STEP).get_delta_for_epsilon(epsilons), by_the_library
    )


@pytest.mark.parametrize(("epsilon", "times"), [(0.5, 1), (0.0173, 20), (1.3, 7), (1e-5, 40)])
@pytest.mark.parametrize("loss_step", [LOSS_STEP, 10 * LOSS_STEP])
def test_the_loss_of_choices_is_that_of_their_binomial_number_and_hardly_more(
    epsilon: float, times: int, loss_step: float
) -> None:
    """δ(x) = Σ max(0, P(k) − eˣ·Q(k)), with P(k) binomial: on points of the grid it is that, between them no less."""
    losses = epsilon * np.arange(-times, times + 1, 2)
    grid = loss_step * np.arange(0, math.ceil(times * epsilon / loss_step) + 2)
    found = choices_loss(epsilon, times, loss_step)
    chances = binom(times, 1 / (1 + math.exp(-epsilon))).pmf(np.arange(times + 1))
    some = grid[:: max(1, len(grid) // 50)]
    for points, above in ((some, 1e-12), (some + 0.37 * loss_step, loss_step)):
        expected = np.maximum(0.0, -np.expm1(points[:, None] - losses)) @ chances
        excess = np.asarray(found.get_delta_for_epsilon(points)) - expected
        assert (excess >= -1e-12).all()
        assert (excess <= above).all()


@pytest.mark.thorough
@given(
    st.floats(0.01, 3.0),
    st.lists(st.tuples(st.integers(1, 3000), st.floats(0.001, 2.0)), max_size=3),
    st.lists(st.floats(1e-4, 1.5), max_size=4),
    st.sampled_from([1e-9, 1e-6, 1e-3]),
)
@settings(max_examples=25)
def test_on_a_coarser_grid_no_composition_costs_less(
    mu: float, laplace: list[tuple[int, float]], choices: list[float], delta: float
) -> None:
    """So a budget that is divided on a coarse grid is never exceeded on the fine one, on which it is claimed."""
    events: list[Event] = [
        RoundedGaussian(mu, 1.0, 1),
        *(DiscreteLaplace(steps, steps / epsilon, 1) for steps, epsilon in laplace),
        *(PrivateChoice(epsilon, 5) for epsilon in choices),
    ]
    fine, coarse = (
        accounting.unrounded_epsilon(events, delta=delta, loss_step=times * LOSS_STEP)[0] for times in (1, 10)
    )
    assert fine <= coarse * (1 + 1e-9)


@pytest.mark.parametrize("size", [1.0, 3.0, 6.0])
def test_steps_that_grow_with_epsilon_overstate_it_by_less_than_its_fourth_digit(size: float) -> None:
    events = [RoundedGaussian(size, 1.0, 1), DiscreteLaplace(40, 40 / size, 1), PrivateChoice(size / 5, 5)]
    stated, finest = (
        accounting.unrounded_epsilon(events, delta=1e-6, loss_step=step)[0]
        for step in (LOSS_STEP, LOSS_STEP / 64)
    )
    assert finest < stated < finest * (1 + 1e-4)


@pytest.mark.parametrize("delta", [1e-14, 1e-16, 1e-18])
def test_a_choice_keeps_even_a_delta_at_the_ends_of_double_precision(delta: float) -> None:
    total = compose([CHOICE, RoundedGaussian(0.5, 1.0, 1)], delta=delta)
    assert isinstance(total, ApproxDP)
    assert exact_delta(total.epsilon, 0.5, (randomized_response(0.5),)) <= delta


def test_of_a_huge_choice_beside_a_gaussian_the_sum_is_stated() -> None:
    total = compose([GAUSSIAN, PrivateChoice(1e6, 3)], delta=1e-6)
    assert isinstance(total, ApproxDP)
    assert total.epsilon == 1_001_000.0  # a million and a little, rounded up to four digits


def test_a_choice_beside_events_known_by_their_pair_alone() -> None:
    """Two pairs (ε, δ): all of one's δ, and Σ max(0, P − e^ε·Q) over both signs of both losses for the rest."""
    delta = 1e-4
    opaque = [
        RandomizedTest(100, 4.0, 0.5, 1, 300),
        Disjoint((GAUSSIAN, LAPLACE)),
        Disjoint((CHOICE, PrivateChoice(2.0, 2), GAUSSIAN)),
    ]
    for event in opaque:
        own = compose([event], delta=delta / 2)
        assert isinstance(own, ApproxDP)
        total = compose([event, CHOICE], delta=delta)
        assert isinstance(total, ApproxDP)
        assert total == compose([CHOICE, event], delta=delta)
        more = compose([event], delta=delta)
        assert isinstance(more, ApproxDP)
        assert more.epsilon < total.epsilon <= (own.epsilon + 0.5) * 1.001
        odds = [(0.5, 1 / (1 + _mp.exp(-0.5))), (-0.5, 1 / (1 + _mp.exp(0.5)))]
        # `own` was rounded up by 1e-4 at most: slightly less of it is spent.
        low = own.epsilon * (1 - 1e-3)
        theirs = [(low, 1 / (1 + _mp.exp(-low))), (-low, 1 / (1 + _mp.exp(low)))]
        spent = delta / 2 + (1 - delta / 2) * sum(
            p * q * max(0, 1 - _mp.exp(total.epsilon - one - other))
            for (one, p), (other, q) in itertools.product(odds, theirs)
        )
        assert spent <= delta


@pytest.mark.parametrize("delta", [1e-3, 1e-6])
@pytest.mark.parametrize("sigma", [0.5, 3.0, 100.0])
def test_a_gaussian_beside_events_known_by_their_pair_has_what_they_leave_of_delta(
    sigma: float, delta: float
) -> None:
    """All of the pair's δ, and δ(ε) of the Gaussian over both signs of the pair's loss for the rest."""
    other = RoundedGaussian(1.0, 1.0, 5)
    own = compose([other], delta=delta / 2)
    total = compose([RoundedGaussian(1.0, sigma, 5), Disjoint((other,))], delta=delta)
    assert isinstance(own, ApproxDP)
    assert isinstance(total, ApproxDP)
    theirs = [(sign * own.epsilon, 1 / (1 + _mp.exp(-sign * own.epsilon))) for sign in (1, -1)]
    rest = sum(p * exact_delta(total.epsilon - loss, 1 / sigma, ()) for loss, p in theirs)
    assert 0.9 * delta < delta / 2 + (1 - delta / 2) * rest <= delta


def test_people_of_whom_each_is_in_one_choice_alone_bear_the_dearest() -> None:
    total = compose([Disjoint((CHOICE, PrivateChoice(2.0, 3)))], delta=1e-6)
    assert total == ApproxDP(epsilon=2.0, delta=1e-6)


def test_a_choice_is_differentially_private_and_named_as_such() -> None:
    assert is_differentially_private(CHOICE)
    assert is_differentially_private(Composed((CHOICE, GAUSSIAN)))
    assert not is_differentially_private(Composed((CHOICE, TEST)))
    assert method([CHOICE]) == method([CHOICE, Composed((LAPLACE, CHOICE))]) == "pure"
    assert method([CHOICE, GAUSSIAN]) == method([CHOICE, Disjoint((CHOICE,))]) == "mixed"
    assert accounting.compose_private([CHOICE, TEST], delta=0.0) == (PureDP(epsilon=0.5), METHODS["pure"])


def test_a_choice_beside_what_is_not_private_saves_nothing() -> None:
    expected = PlausibleDeniability(k=8, gamma=4.0, counted="person", vacuous=False)
    assert compose([CHOICE, TEST], delta=1e-6) == expected


# --- what a share of the budget buys

SHARES = [0.1, 0.2, 0.25, 0.3, 0.333333, 0.5, 0.7, 1.0, 1.1, 2.0, 3.0, 8.0, 12.3456]


@pytest.mark.parametrize("delta", [1e-9, 1e-6, 1e-4, 900**-1.5])
def test_a_share_less_one_part_in_a_million_million_is_kept_to_the_digit(delta: float) -> None:
    """The plan's shares are handed out so: six digits of ε are claimed, and no rounding up shows in them."""
    for epsilon, l1, l2 in itertools.product(SHARES, (1, 3, 131072), (1.0, math.sqrt(1200), 65536.0)):
        share = epsilon * (1 - 1e-12)
        pure = compose([DiscreteLaplace(l1, laplace_scale(share, sensitivity=l1), 1)], delta=delta)
        assert pure == PureDP(epsilon=epsilon)
        sigma = gaussian_sigma(share, delta, sensitivity=l2)
        assert compose([RoundedGaussian(l2, sigma, 1)], delta=delta) == ApproxDP(epsilon=epsilon, delta=delta)


@pytest.mark.parametrize("parts", [2, 3, 7, 10])
def test_equal_shares_add_up_to_the_whole(parts: int) -> None:
    share = 1.0 / parts * (1 - 1e-12)
    events = [DiscreteLaplace(n, laplace_scale(share, sensitivity=n), 1) for n in range(1, parts + 1)]
    assert compose(events, delta=0.0) == PureDP(epsilon=1.0)


# --- what is no differential privacy


@pytest.mark.parametrize(
    "events",
    [
        [TEST],
        [GAUSSIAN, TEST],
        [TEST, LAPLACE],
        [LAPLACE, GAUSSIAN, TEST],
        [Composed((LAPLACE, TEST))],
        [GAUSSIAN, Composed((LAPLACE, Composed((TEST,))))],
    ],
)
def test_noise_beside_a_deniability_test_is_never_called_private(events: list[Event]) -> None:
    total = compose(events, delta=1e-6)
    assert total == PlausibleDeniability(k=8, gamma=4.0, counted="person", vacuous=False)
    assert not isinstance(total, PureDP | ApproxDP)
    assert not is_differentially_private(Composed(tuple(events)))


def test_a_vacuous_test_is_told_as_such() -> None:
    event = DeniabilityTest(3, 2.0, "record", vacuous=True)
    expected = PlausibleDeniability(k=3, gamma=2.0, counted="record", vacuous=True)
    assert compose([event], delta=1e-6) == expected


def test_only_noise_is_differentially_private() -> None:
    for event in (GAUSSIAN, LAPLACE, Composed((GAUSSIAN, Composed((LAPLACE,))))):
        assert is_differentially_private(event)
    for event in (TEST, Event()):
        assert not is_differentially_private(event)
        assert not is_differentially_private(Composed((GAUSSIAN, event)))


def test_private_events_are_composed_without_the_others() -> None:
    total, how = accounting.compose_private([TEST, LAPLACE, Composed((GAUSSIAN,))], delta=1e-6)
    assert total == compose([LAPLACE, GAUSSIAN], delta=1e-6)
    assert how == METHODS["mixed"]
    for events in ([], [TEST], [Composed((GAUSSIAN, TEST))]):
        for relation in Neighbours:
            total, how = accounting.compose_private(events, delta=1e-6, neighbours=relation)
            assert isinstance(total, NoGuarantee)
            assert total.neighbours is relation
            assert how == "none"


def test_the_method_is_named() -> None:
    assert method([LAPLACE, LAPLACE]) == "pure"
    assert method([GAUSSIAN, Composed((GAUSSIAN,))]) == "gaussian"
    assert method([GAUSSIAN, LAPLACE]) == method([Composed((LAPLACE, Composed((GAUSSIAN,))))]) == "mixed"
    assert set(METHODS) == {"pure", "gaussian", "mixed"}


# --- accounting.proof.md: one scalar stands for a vector

VECTORS = [
    (0.5, [(1, 1), (2, 2), (3, 1), (1, 1, 1), (2, 1, 1)]),
    (1.0, [(1, 1), (2, 1), (3, 3), (4, 2), (1, 1, 1), (2, 2, 2), (5, 0), (3, -2)]),
    (3.0, [(1, 1), (5, 5), (9, 1), (6, -4)]),
    (12.0, [(10, 10), (19, 1), (25, 15)]),
]


@pytest.mark.parametrize(("b", "splits"), VECTORS)
def test_one_coordinate_dominates_every_split(b: float, splits: list[tuple[int, ...]]) -> None:
    for moves in splits:
        n = sum(abs(move) for move in moves)
        scalar, vector = vector_pair((n,), b), vector_pair(moves, b)
        higher = 0.0
        for part in np.linspace(-1.2, 1.2, 25):
            epsilon = part * n / b
            one, many = hockey_stick(*scalar, epsilon), hockey_stick(*vector, epsilon)
            assert many <= one + 1e-12, (moves, epsilon)
            higher = max(higher, one - many)
        assert (higher > 1e-3) == (sum(move != 0 for move in moves) > 1), moves  # really less, not the same


def test_the_largest_coordinate_alone_does_not_dominate() -> None:
    """The L1 norm of the move is needed: a scalar moved by the largest coordinate reveals less."""
    for moves in ((3, 3), (4, 2), (2, 2, 2)):
        vector, scalar = vector_pair(moves, 1.0), vector_pair((max(moves),), 1.0)
        assert hockey_stick(*vector, 3.0) > hockey_stick(*scalar, 3.0) + 1e-3


def test_a_smaller_move_is_dominated() -> None:
    for b, n in ((0.5, 3), (1.0, 6), (5.0, 12)):
        most = vector_pair((n,), b)
        for move in range(n):
            less = vector_pair((move,), b)
            for epsilon in np.linspace(-n / b, n / b, 15):
                assert hockey_stick(*less, epsilon) <= hockey_stick(*most, epsilon) + 1e-12


@pytest.mark.parametrize("b", [0.5, 1.0, 7.0])
def test_the_loss_of_a_move_is_that_of_the_proof(b: float) -> None:
    """(c − 2·min(J, c))/b with P(J > j) = q^(j+1)/(1 + q): summed up to δ(ε)."""
    q = math.exp(-1 / b)
    for c in (1, 2, 5, 9):
        pair = vector_pair((c,), b)
        upper = [q ** (j + 1) / (1 + q) for j in range(-1, c)]  # P(J ≥ j), but for j = 0, where it is 1
        upper[0] = 1.0
        probability = [upper[j] - (upper[j + 1] if j < c else 0.0) for j in range(c + 1)]
        for epsilon in np.linspace(-c / b, c / b, 9):
            summed = sum(
                p * max(0.0, 1 - math.exp(epsilon - (c - 2 * j) / b)) for j, p in enumerate(probability)
            )
            assert hockey_stick(*pair, epsilon) == pytest.approx(summed, abs=1e-13)


# --- accounting.proof.md: a coarser grid stands for a fine one


@pytest.mark.parametrize("coarseness", [2, 3, 7])
@pytest.mark.parametrize("b", [0.5, 1.0, 6.0, 25.0])
def test_fine_noise_is_coarse_noise_and_something_independent(b: float, coarseness: int) -> None:
    """X(b) has the law of c·X(b/c) + U − U′, where U and U′ are of 0 … c − 1 with weights q^j."""
    q, steps = math.exp(-1 / b), math.ceil(36 * b / coarseness) + 2
    coarse = np.zeros(2 * steps * coarseness + 1)
    coarse[::coarseness] = discrete_laplace(b / coarseness, shift=0, low=-steps, high=steps)
    part = (1 - q) / (1 - q**coarseness) * q ** np.arange(coarseness)
    assert part.sum() == pytest.approx(1.0, abs=1e-14)
    both = np.convolve(np.convolve(coarse, part), part[::-1])
    reach = steps * coarseness + coarseness - 1
    fine = discrete_laplace(b, shift=0, low=-reach, high=reach)
    np.testing.assert_allclose(both, fine, rtol=0, atol=1e-13)


@pytest.mark.parametrize("coarseness", [2, 3, 7])
@pytest.mark.parametrize(("n", "b"), [(1, 0.5), (5, 2.0), (6, 2.0), (7, 3.5), (20, 9.0), (61, 25.0)])
def test_a_coarse_grid_rounded_up_dominates_and_rounded_down_does_not(
    n: int, b: float, coarseness: int
) -> None:
    fine = vector_pair((n,), b)
    coarse = vector_pair((-(-n // coarseness),), b / coarseness)
    higher = 0.0
    for part in np.linspace(-1.2, 1.2, 25):
        epsilon = part * n / b
        one, many = hockey_stick(*coarse, epsilon), hockey_stick(*fine, epsilon)
        assert many <= one + 1e-12, (n, b, coarseness, epsilon)
        higher = max(higher, one - many)
    assert higher > 1e-4
    if n % coarseness:
        down = vector_pair((n // coarseness,), b / coarseness)
        almost = 0.999 * n / b
        assert hockey_stick(*down, almost) < hockey_stick(*fine, almost)


# --- found while these tests were written


def test_unlike_deniability_tests_do_not_merge_into_the_first() -> None:
    weak = DeniabilityTest(2, 9.0, "record", vacuous=True)
    assert compose([TEST, weak], delta=1e-6) == compose([weak, TEST], delta=1e-6)


def test_an_event_of_no_known_kind_is_no_privacy() -> None:
    try:
        total = compose([LAPLACE, Event()], delta=1e-6)
    except (TypeError, ValueError):
        return
    assert isinstance(total, NoGuarantee)


def test_laplace_noise_on_what_no_one_can_move_costs_nothing() -> None:
    assert compose([GAUSSIAN, DiscreteLaplace(0, 1.0, 1)], delta=1e-6) == compose([GAUSSIAN], delta=1e-6)


def test_a_negative_sensitivity_pays_nothing_back() -> None:
    try:
        total = compose([DiscreteLaplace(6, 6.0, 1), DiscreteLaplace(-6, 6.0, 1)], delta=0.0)
    except ValueError:
        return
    assert isinstance(total, PureDP)
    assert total.epsilon >= 1.0


@pytest.mark.parametrize(
    "events",
    [
        [DiscreteLaplace(1000, 1000.0, 1)] * 2,
        [RoundedGaussian(1000, 4000.0, 1)] * 2,
        [DiscreteLaplace(1000, 1000.0, 1), RoundedGaussian(1000, 4000.0, 1)],
    ],
)
def test_what_can_be_gone_through_once_costs_as_much(events: list[Any]) -> None:
    """Where nothing was left for the second time, ε was 0."""
    assert compose((event for event in events), delta=1e-6) == compose(events, delta=1e-6)  # type: ignore[arg-type]
    once = accounting.unrounded_epsilon((event for event in events), delta=1e-6)  # type: ignore[arg-type]
    assert once == accounting.unrounded_epsilon(events, delta=1e-6)
