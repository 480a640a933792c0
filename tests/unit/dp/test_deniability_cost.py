"""What a randomized deniability test costs: one trial, the best t, all trials together, and beside other outputs.

The oracle of composition is that of one pair (ε, δ): its worst case takes four values of privacy loss, and the
total of T trials is a sum over two binomial numbers, in 40 digits.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import MPContext
from refusals import bad_argument
from scipy.stats import binomtest
from tiers import few

from synthrelease.dp.accounting import (
    METHODS,
    TRIALS_EXCEED_DELTA,
    compose,
    compose_private,
    is_differentially_private,
    method,
)
from synthrelease.dp.calibration import gaussian_epsilon
from synthrelease.dp.deniability import best_t, even_pass_rate, is_vacuous, trial_cost, trials_cost
from synthrelease.dp.event import (
    Composed,
    DeniabilityTest,
    DiscreteLaplace,
    Disjoint,
    Event,
    RandomizedTest,
    RoundedGaussian,
)
from synthrelease.dp.guarantee import ApproxDP, Guarantee, NoGuarantee, PlausibleDeniability, PureDP
from synthrelease.dp.rounding import round_up

if TYPE_CHECKING:
    from collections.abc import Sequence

_mp = MPContext()
_mp.dps = 40

ALARM = 1e-9
EXAMPLE = RandomizedTest(100, 4.0, 0.5, 100, 300)  # science.md 4.2
SMALL = RandomizedTest(120, 1.2, 0.2, 3, 200)  # costs little
OTHER = RandomizedTest(90, 2.0, 0.3, 2, 80)
GAUSSIAN = RoundedGaussian(1.0, 2.0, 5)
LAPLACE = DiscreteLaplace(3, 6.0, 4)

tests = st.builds(
    RandomizedTest,
    st.integers(2, 150),
    st.floats(1.01, 50),
    st.floats(0.05, 3),
    st.integers(1, 300),
    st.integers(1, 1000),
)


@cache
def composed(*events: Event, delta: float) -> Guarantee:
    return compose(events, delta=delta)


def named(events: Sequence[Event]) -> str:
    return ", ".join(event.type for event in events)


def epsilon_of(guarantee: Guarantee) -> float:
    assert isinstance(guarantee, PureDP | ApproxDP), guarantee
    return guarantee.epsilon


# --- one trial


@given(test=tests, data=st.data())
def test_a_trial_costs_what_the_theorem_says(test: RandomizedTest, data: st.DataObject) -> None:
    """ε₀ + ln(1 + γ/t) and e^(−ε₀(k − t)): never less, and more only in the fifth digit of γ."""
    t = data.draw(st.integers(1, test.k - 1))
    epsilon, delta = trial_cost(test, t)
    exact = _mp.mpf(test.epsilon0) + _mp.log1p(_mp.mpf(test.gamma) / t)
    assert exact <= epsilon <= exact * (1 + _mp.mpf("2e-5"))
    least = _mp.exp(-_mp.mpf(test.epsilon0) * (test.k - t))
    assert least <= delta <= least * (1 + _mp.mpf("1e-11"))


@given(test=tests, data=st.data())
def test_a_trial_pays_for_ties_and_rounding_in_gamma(test: RandomizedTest, data: st.DataObject) -> None:
    """Two probabilities of one interval may lie γ·(1 + 10⁻⁵) apart, for a tie is taken into the interval."""
    t = data.draw(st.integers(1, test.k - 1))
    gamma = _mp.mpf(test.gamma) * (1 + _mp.mpf("1e-5"))
    assert trial_cost(test, t)[0] >= _mp.mpf(test.epsilon0) + _mp.log1p(gamma / t)


@pytest.mark.parametrize("t", [0, -1, 100, 101, 10**6])
def test_t_is_at_least_one_and_below_k(t: int) -> None:
    with bad_argument(ValueError, f"t={t}", "k=100"):
        trial_cost(EXAMPLE, t)


def test_a_larger_t_costs_less_epsilon_and_more_delta() -> None:
    along = [trial_cost(EXAMPLE, t) for t in range(1, 100)]
    for (epsilon, delta), (next_epsilon, next_delta) in itertools.pairwise(along):
        assert next_epsilon < epsilon
        assert next_delta > delta


def test_the_example_of_the_science_page() -> None:
    """k = 100, ε₀ = 0.5, γ = 4, t = 75, T = 100: added up ε = 55.2 and δ = 3.7·10⁻⁴."""
    epsilon, delta = trial_cost(EXAMPLE, 75)
    assert round(100 * epsilon, 1) == 55.2
    assert float(f"{100 * delta:.2g}") == 3.7e-4
    total = composed(EXAMPLE, delta=100 * delta * (1 + 1e-9))
    assert isinstance(total, ApproxDP)
    assert total.epsilon <= 55.2
    assert composed(EXAMPLE, delta=3.8e-4) == composed(replace(EXAMPLE, seeds=9), delta=3.8e-4)


# --- the test's own guarantee, by its definition

Pair = tuple[tuple[float, ...], int]  # Pr{y = M(d)} of other people in one interval; how many there are


@cache
def below(c: int, k: int, epsilon0: float) -> float:
    """P(Z ≤ c − k), Z discrete Laplace(1/ε₀)."""
    q, z = math.exp(-epsilon0), c - k
    return q**-z / (1 + q) if z < 0 else 1 - q ** (z + 1) / (1 + q)


@given(
    k=st.integers(2, 30),
    gamma=st.floats(1.01, 20),
    epsilon0=st.floats(0.1, 3),
    spread=st.lists(st.floats(0, 1), max_size=29),
    mine=st.floats(0, 1),
    interval=st.integers(0, 6),
)
def test_one_record_is_as_likely_from_neighbours_as_a_trial_costs(
    *, k: int, gamma: float, epsilon0: float, spread: list[float], mine: float, interval: int
) -> None:
    """Bindschaedler et al. 2017, Theorem 1, for one y and one interval: with and without one more person in it.

    P(y) of c people with probabilities p_a in (γ^(−i−1), γ^(−i)] is Σ p_a·P(Z ≤ c − k), over the number of people.
    """
    test = RandomizedTest(k, gamma, epsilon0, 1, 100)
    top = gamma**-interval
    p = [top * gamma ** -(share * (1 - 1e-9)) for share in spread]
    c, own = len(p), top * gamma ** -(mine * (1 - 1e-9))
    without = sum(p) * below(c, k, epsilon0)
    with_me = (sum(p) + own) * below(c + 1, k, epsilon0)
    for t in range(1, k):
        epsilon, delta = trial_cost(test, t)
        assert with_me <= math.exp(epsilon) * without + delta * (sum(p) + own) * (1 + 1e-12)
        assert without <= math.exp(epsilon) * with_me * (1 + 1e-12)


# --- the best t


def objective(test: RandomizedTest, t: int, delta: float) -> float | None:
    """ε of all trials at δ: the sum, or Kairouz, Oh & Viswanath 2015, Theorem 3.4; None if T·δ₁ does not fit."""
    epsilon, one = trial_cost(test, t)
    left = delta - test.trials * one
    if left < 0:
        return None
    added_up = test.trials * epsilon
    if left == 0:
        return added_up
    advanced = test.trials * epsilon * math.expm1(epsilon) / (math.exp(epsilon) + 1) + epsilon * math.sqrt(
        2 * test.trials * math.log(1 / left)
    )
    return min(added_up, advanced)


@given(test=tests, delta=st.sampled_from([1e-12, 1e-9, 1e-6, 1e-4, 1e-2, 0.3]))
def test_the_best_t_is_the_best_of_all(test: RandomizedTest, delta: float) -> None:
    all_t = {t: objective(test, t, delta) for t in range(1, test.k)}
    possible = {t: epsilon for t, epsilon in all_t.items() if epsilon is not None}
    best = best_t(test, delta)
    if not possible:
        assert best is None
    else:
        assert best is not None
        assert possible[best] <= min(possible.values()) * (1 + 1e-12)


def test_where_no_t_fits_there_is_none() -> None:
    assert best_t(EXAMPLE, 0.0) is None
    assert best_t(EXAMPLE, 1e-30) is None
    assert best_t(RandomizedTest(2, 4.0, 0.5, 1, 9), 0.6) is None  # e^−½ = 0.607
    assert best_t(RandomizedTest(2, 4.0, 0.5, 1, 9), 0.61) == 1
    most = 100 * trial_cost(EXAMPLE, 1)[1]
    assert best_t(EXAMPLE, most * (1 - 1e-9)) is None
    assert best_t(EXAMPLE, most * (1 + 1e-9)) == 1


# --- how many would pass


@pytest.mark.parametrize(
    ("categories", "drawn", "k", "people"),
    [
        ((2, 2, 2), (1,), 3, 12),
        ((2, 3, 2, 4), (2, 3), 4, 20),
        ((3, 2), (1, 2), 2, 7),
        ((5, 5), (1,), 5, 9),
        ((2, 2, 2), (3,), 4, 6),
    ],
)
def test_the_even_pass_rate_is_that_of_a_simulation(
    categories: tuple[int, ...], drawn: tuple[int, ...], k: int, people: int
) -> None:
    """People with even, independent categories; one is the seed, ω is drawn, and who shares what is kept is counted."""
    rng = np.random.default_rng(people)
    repetitions = 20_000
    passed = 0
    for omega in rng.choice(drawn, repetitions):
        kept = len(categories) - omega
        records = rng.integers(0, categories[:kept], (people, kept))
        passed += (records == records[0]).all(axis=1).sum() >= k
    rate = even_pass_rate(categories=categories, drawn=drawn, k=k, people=people)
    assert binomtest(int(passed), repetitions, min(rate, 1.0)).pvalue > ALARM
    if 0.01 < rate < 0.99:
        assert binomtest(int(passed), repetitions, rate * 0.85).pvalue < ALARM or rate * repetitions < 1500
        for other in (k - 1, k + 1):  # the control: one person more or less
            wrong = even_pass_rate(categories=categories, drawn=drawn, k=other, people=people)
            assert binomtest(int(passed), repetitions, wrong).pvalue < ALARM


def test_the_even_pass_rate_of_simple_cases() -> None:
    rate = even_pass_rate(categories=(2,), drawn=(1,), k=5, people=5)  # nothing kept: all share it
    assert rate == pytest.approx(1.0, rel=1e-12)
    assert even_pass_rate(categories=(2, 2), drawn=(1,), k=6, people=5) == 0.0
    assert even_pass_rate(categories=(4, 9), drawn=(1,), k=2, people=2) == pytest.approx(0.25, rel=1e-12)
    assert even_pass_rate(categories=(4, 9), drawn=(1,), k=1, people=2) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize(
    ("categories", "order", "resampled", "k", "vacuous"),
    [
        ((4, 4), (0, 1), (2,), 8, True),
        ((4, 4), (0, 1), (1,), 8, False),
        ((4, 4), (0, 1), (1,), 1, True),
        ((1, 4), (0, 1), (1,), 8, True),  # what is kept has one category
        ((1, 4), (1, 0), (1,), 8, False),
        ((1, 4, 4), (0, 1, 2), (1, 2), 8, False),  # the longest kept prefix counts
    ],
)
def test_vacuous_is_what_cannot_fail(
    categories: tuple[int, ...], order: tuple[int, ...], resampled: tuple[int, ...], k: int, *, vacuous: bool
) -> None:
    assert is_vacuous(categories=categories, order=order, resampled=resampled, k=k) == vacuous


# --- all trials together


def exact_delta(
    epsilon: float, pairs: tuple[tuple[float, float, int], ...], laplace: DiscreteLaplace | None = None
) -> Any:
    """δ(ε) of the worst mechanisms of (ε₁, δ₁), T₁ times, and so on: Kairouz, Oh & Viswanath 2015, Theorem 3.2.

    With probability δ₁ everything is lost; else the loss is +ε₁ or −ε₁, in the proportion e^ε₁ : 1. A Laplace
    mechanism beside them loses (Δ − 2j)/b, j steps inside.
    """
    safe = _mp.mpf(1)
    sums: dict[Any, Any] = {_mp.mpf(0): _mp.mpf(1)}
    if laplace is not None:
        steps, q = laplace.sensitivity, _mp.exp(-1 / _mp.mpf(laplace.scale))
        tails = [_mp.mpf(1), *(q**j / (1 + q) for j in range(1, steps + 1)), _mp.mpf(0)]
        sums = {(steps - 2 * j) / _mp.mpf(laplace.scale): tails[j] - tails[j + 1] for j in range(steps + 1)}
    for one, delta, times in pairs:
        safe *= (1 - _mp.mpf(delta)) ** times
        p = 1 / (1 + _mp.exp(-_mp.mpf(one)))
        wider: dict[Any, Any] = {}
        for (loss, chance), up in itertools.product(sums.items(), range(times + 1)):
            total = loss + (2 * up - times) * _mp.mpf(one)
            weight = _mp.binomial(times, up) * p**up * (1 - p) ** (times - up)
            wider[total] = wider.get(total, 0) + chance * weight
        sums = wider
    over = sum(chance * max(_mp.mpf(0), 1 - _mp.exp(epsilon - loss)) for loss, chance in sums.items())
    return 1 - safe * (1 - over)


@pytest.mark.parametrize(
    "test",
    [
        EXAMPLE,
        replace(EXAMPLE, trials=2),
        replace(EXAMPLE, trials=1),
        RandomizedTest(60, 2.0, 1.0, 20, 50),
        RandomizedTest(400, 1.5, 0.1, 150, 999),
        RandomizedTest(30, 20.0, 2.0, 7, 50),
    ],
    ids=str,
)
def test_all_trials_keep_their_delta_by_exact_reckoning_and_waste_little(test: RandomizedTest) -> None:
    for delta in (1e-2, 1e-4, 1e-6):
        t = best_t(test, delta)
        total = composed(test, delta=delta)
        if t is None:
            assert isinstance(total, NoGuarantee)
            continue
        assert isinstance(total, ApproxDP)
        assert total.delta == delta
        one, lost = trial_cost(test, t)
        assert exact_delta(total.epsilon, ((one, lost, test.trials),)) <= delta
        if test.trials > 1 and total.epsilon < 0.99 * test.trials * one:
            assert exact_delta(0.995 * total.epsilon, ((one, lost, test.trials),)) > delta


@few
@given(test=tests, delta=st.sampled_from([1e-9, 1e-6, 1e-4, 1e-2]))
def test_all_trials_cost_no_more_than_the_sum_and_no_less_than_one(
    test: RandomizedTest, delta: float
) -> None:
    total, t = composed(test, delta=delta), best_t(test, delta)
    if t is None:
        assert isinstance(total, NoGuarantee)
        return
    one, _ = trial_cost(test, t)
    assert epsilon_of(total) <= round_up(test.trials * one * (1 + 1e-12), 4)
    alone = composed(replace(test, trials=1), delta=delta)
    assert epsilon_of(alone) <= epsilon_of(total)


@pytest.mark.parametrize("test", [EXAMPLE, RandomizedTest(60, 2.0, 1.0, 20, 50)], ids=str)
def test_more_delta_costs_no_more_epsilon(test: RandomizedTest) -> None:
    """But for half a percent: t is chosen by a closed form, and the claim is composed exactly."""
    epsilons = [epsilon_of(composed(test, delta=delta)) for delta in np.geomspace(1e-9, 0.3, 18).tolist()]
    assert all(later <= 1.005 * earlier for earlier, later in itertools.pairwise(epsilons))
    assert epsilons[-1] < 0.9 * epsilons[0]


def test_more_trials_cost_more_and_more_seeds_nothing() -> None:
    costs = [epsilon_of(composed(replace(EXAMPLE, trials=T), delta=1e-4)) for T in (1, 2, 5, 20, 100, 400)]
    assert all(earlier < later for earlier, later in itertools.pairwise(costs))
    for seeds in (1, 10, 10**6):
        assert composed(replace(EXAMPLE, seeds=seeds), delta=1e-4) == composed(EXAMPLE, delta=1e-4)


def test_so_many_trials_that_no_grid_holds_them_are_composed_in_closed_form() -> None:
    many = RandomizedTest(2000, 4.0, 0.5, 2_000_000, 9)
    t = best_t(many, 1e-6)
    assert t is not None
    assert epsilon_of(composed(many, delta=1e-6)) == round_up(trials_cost(many, t, 1e-6), 4)
    assert trials_cost(many, t, 1e-6) <= 2_000_000 * trial_cost(many, t)[0]


@pytest.mark.parametrize("delta", [1e-10, 1e-12, 1e-14])
def test_below_a_billionth_the_closed_form_is_claimed(delta: float) -> None:
    """There the library's convolution errs: at k = 50 000 and δ = 10⁻¹⁴ its ε amounted to eleven times that δ."""
    many = RandomizedTest(50_000, 1.1, 0.002, 10_000, 9)
    t = best_t(many, delta)
    assert t is not None
    assert epsilon_of(composed(many, delta=delta)) == round_up(trials_cost(many, t, delta), 4)


@pytest.mark.parametrize("delta", [0.0, 1e-30])
def test_a_delta_that_no_t_keeps_is_no_guarantee(delta: float) -> None:
    for events in ([EXAMPLE], [EXAMPLE, LAPLACE], [Disjoint((LAPLACE, EXAMPLE))], [Composed((EXAMPLE,))]):
        total = composed(*events, delta=delta)
        assert total == NoGuarantee(reason=TRIALS_EXCEED_DELTA)


def test_a_share_of_the_budget_is_claimed_to_the_digit() -> None:
    cost = epsilon_of(composed(EXAMPLE, delta=1e-4))
    assert compose([EXAMPLE], delta=1e-4, budget=cost - 1e-9).to_json()["epsilon"] in (cost, cost - 1e-9)
    assert epsilon_of(compose([EXAMPLE], delta=1e-4, budget=cost + 5)) == cost
    assert epsilon_of(compose([EXAMPLE], delta=1e-4, budget=cost / 2)) == cost


# --- on disjoint people


@pytest.mark.thorough
@pytest.mark.parametrize("delta", [1e-6, 1e-2])
@pytest.mark.parametrize(
    "parts",
    [
        (LAPLACE, SMALL),
        (SMALL, GAUSSIAN),
        (DiscreteLaplace(9, 1.0, 1), SMALL),  # the fit costs more
        (RoundedGaussian(4.0, 1.0, 1), SMALL),
        (LAPLACE, GAUSSIAN),
        (LAPLACE, DiscreteLaplace(5, 6.0, 1)),
        (GAUSSIAN,),
        (Composed((LAPLACE, GAUSSIAN)), SMALL, LAPLACE),
        (Disjoint((LAPLACE, SMALL)), GAUSSIAN),
    ],
    ids=named,
)
def test_events_on_disjoint_people_cost_the_larger_of_them(parts: tuple[Event, ...], delta: float) -> None:
    alone = [composed(part, delta=delta) for part in parts]
    if any(isinstance(part, NoGuarantee) for part in alone):
        assert isinstance(composed(Disjoint(parts), delta=delta), NoGuarantee)
        return
    largest = max(epsilon_of(part) for part in alone)
    for order in (parts, parts[::-1]):
        total = composed(Disjoint(order), delta=delta)
        assert largest <= epsilon_of(total) <= round_up(largest * (1 + 1e-12), 4)
    assert epsilon_of(composed(Composed(parts), delta=delta)) >= largest


def test_what_is_not_private_is_not_private_on_other_people_either() -> None:
    without = DeniabilityTest(8, 4.0, "person", vacuous=False)
    total = composed(Disjoint((LAPLACE, without)), delta=1e-4)
    assert isinstance(total, PlausibleDeniability)
    assert total == composed(without, delta=1e-4)
    assert not is_differentially_private(Disjoint((LAPLACE, without)))


def test_an_event_of_no_known_kind_is_refused_among_disjoint_people_too() -> None:
    with bad_argument(TypeError, "Event"):
        composed(Disjoint((LAPLACE, Event())), delta=1e-4)


def test_a_randomized_test_is_differentially_private_and_enters_by_the_library() -> None:
    for event in (EXAMPLE, Disjoint((LAPLACE, EXAMPLE)), Composed((GAUSSIAN, EXAMPLE))):
        assert is_differentially_private(event)
        assert method([event]) == "mixed"
        without = DeniabilityTest(8, 4.0, "person", vacuous=False)
        assert compose_private([event, without], delta=1e-2)[1] == METHODS["mixed"]
    assert method([Disjoint((LAPLACE, LAPLACE))]) == "mixed"  # one pair (ε, δ), not a sum of epsilons


# --- beside other outputs

BESIDE: list[list[Event]] = [
    [SMALL, LAPLACE],
    [SMALL, GAUSSIAN],
    [SMALL, LAPLACE, GAUSSIAN],
    [SMALL, OTHER],
    [SMALL, OTHER, GAUSSIAN, LAPLACE],
    [Disjoint((LAPLACE, SMALL)), GAUSSIAN],
    [Disjoint((GAUSSIAN, SMALL)), Disjoint((OTHER, LAPLACE)), LAPLACE],
    [EXAMPLE, LAPLACE],
    [EXAMPLE, GAUSSIAN, LAPLACE],
]
beside = pytest.mark.parametrize("events", BESIDE, ids=named)


def opaque(event: Event) -> bool:
    return isinstance(event, RandomizedTest | Disjoint)


@beside
@pytest.mark.parametrize("delta", [1e-2, 1e-4])
def test_together_they_cost_no_less_than_each_and_no_more_than_the_sum(
    events: list[Event], delta: float
) -> None:
    """Each test or division is taken at an equal part of half the δ; what is left is for the others."""
    part = delta / (2 * sum(map(opaque, events)))
    total = composed(*events, delta=delta)
    assert isinstance(total, ApproxDP)
    assert total.delta == delta
    for event in events:
        assert epsilon_of(composed(event, delta=delta)) <= total.epsilon
    added_up = sum(epsilon_of(composed(e, delta=part)) for e in events if opaque(e))
    noises = [e for e in events if not opaque(e)]
    added_up += sum(epsilon_of(composed(e, delta=delta / 2)) for e in noises)
    assert total.epsilon <= round_up(added_up, 4) + 1e-9


@beside
def test_one_more_output_never_costs_less_and_more_delta_never_more(events: list[Event]) -> None:
    for number in range(1, len(events)):
        fewer = composed(*events[:number], delta=1e-3)
        assert epsilon_of(fewer) <= epsilon_of(composed(*events, delta=1e-3))
    along = [epsilon_of(composed(*events, delta=delta)) for delta in (1e-4, 1e-3, 1e-2, 0.1)]
    assert all(later <= earlier for earlier, later in itertools.pairwise(along))


@beside
def test_order_and_grouping_change_nothing(events: list[Event]) -> None:
    total = composed(*events, delta=1e-3)
    assert composed(*events[::-1], delta=1e-3) == total
    assert composed(Composed(tuple(events)), delta=1e-3) == total


@pytest.mark.parametrize(
    "laplace", [LAPLACE, DiscreteLaplace(1, 1.0, 1), DiscreteLaplace(5, 2.0, 1)], ids=str
)
def test_a_test_beside_laplace_noise_keeps_its_delta_by_exact_reckoning(laplace: DiscreteLaplace) -> None:
    """The test is taken at half the δ."""
    for delta in (1e-2, 1e-4):
        total = epsilon_of(composed(SMALL, laplace, delta=delta))
        one = epsilon_of(composed(SMALL, delta=delta / 2))
        assert exact_delta(total, ((one * 0.999, delta / 2, 1),), laplace) <= delta
        assert exact_delta(0.98 * total, ((one * 0.999, delta / 2, 1),), laplace) > delta


def test_where_epsilon_is_huge_the_sum_is_stated_each_part_at_its_own_delta() -> None:
    """Half of δ for the test, the other half for the Gaussian: the two add up to δ."""
    large, wide = replace(EXAMPLE, trials=200), RoundedGaussian(6.0, 1.0, 1)
    exact = epsilon_of(composed(large, delta=5e-5)) + gaussian_epsilon(5e-5, sigma=1.0, sensitivity=6.0)
    assert exact > 60
    assert exact * (1 - 1e-4) <= epsilon_of(composed(large, wide, delta=1e-4)) <= round_up(exact, 4)


def test_the_oracle_agrees_with_a_sum_over_all_outcomes() -> None:
    """Two pairs by hand: 1 − Π(1 − δ) and what is left of the two losses."""
    found = exact_delta(0.3, ((0.5, 0.01, 2),))
    p = 1 / (1 + math.exp(-0.5))
    over = p * p * (1 - math.exp(0.3 - 1.0))
    assert float(found) == pytest.approx(1 - 0.99**2 * (1 - over), rel=1e-12)
    assert exact_delta(1.0, ((0.5, 0.01, 2),)) == pytest.approx(1 - 0.99**2, rel=1e-12)
    # Laplace noise of one step is a pair without δ
    step = DiscreteLaplace(1, 2.0, 1)
    for at in (-0.2, 0.0, 0.4):
        assert exact_delta(at, (), step) == pytest.approx(exact_delta(at, ((0.5, 0.0, 1),)), rel=1e-30)
    # a Gaussian is nowhere worse than the pair it can be taken for
    epsilon = gaussian_epsilon(1e-3, sigma=2.0, sensitivity=1.0)
    for less in (0.2, 0.5, 0.9):
        at = gaussian_epsilon(
            float(exact_delta(less * epsilon, ((epsilon, 1e-3, 1),))), sigma=2.0, sensitivity=1.0
        )
        assert at <= less * epsilon * (1 + 1e-9)
