"""The error that is expected of statistics, and the intervals of quantiles, against releases by the mechanism itself."""

from __future__ import annotations

import itertools

import made
import numpy as np
import pytest
from goldens import figures
from scipy.stats import binom

from synthrelease.data.features import RECORDING, FeatureData
from synthrelease.dp.budget import Budget
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.noise import SecureRandom
from synthrelease.kinds.statistics import accuracy
from synthrelease.kinds.statistics.expected import guess
from synthrelease.kinds.statistics.mechanism import StatisticsMechanism
from synthrelease.kinds.statistics.quantile_errors import distance, probabilities
from synthrelease.kinds.statistics.shapes import Shape
from synthrelease.numerics.statistics import HISTOGRAM, StatisticUnit, fraction, quantile

LOW, HIGH, PEOPLE, DRAWS = 2.0, 10.0, 60, 400
BUDGET = Budget(2.0, 0.0)
ALARM = 1e-9


def people(values: np.ndarray) -> FeatureData:
    """One row of each, at places between the bounds."""
    n = len(values)
    where = (LOW + (HIGH - LOW) * values)[:, None]
    person, one = np.arange(n), np.zeros(n, dtype=np.int64)
    return FeatureData(("f0",), np.array([[LOW, HIGH]]), ("a",), n, person, one, where)


def mechanism(name: str, number: int = PEOPLE) -> StatisticsMechanism:
    return made.statistics([name], [(LOW, HIGH)], people=number, quantile_intervals=True)


def releases(statistic: StatisticsMechanism, data: FeatureData, draws: int = DRAWS) -> list[made.Arrays]:
    sums, random = (
        statistic.collect(data),
        SecureRandom.for_tests(7).spawn(statistic.parameters.statistics[0]),
    )
    return [made.arrays(statistic.draw(sums, BUDGET, random)) for _ in range(draws)]


@pytest.mark.quick("mean")
@pytest.mark.parametrize(
    "name", ["count", "sum", "mean", "variance", "histogram", "quantile:0.5", "quantile:0.9"]
)
def test_the_error_of_releases_is_the_expected_one(name: str) -> None:
    """For each public shape within what 400 draws leave open, and so between the best and the worst of them."""
    statistic = mechanism(name)
    p = statistic.parameters
    (expected,) = p.expected(statistic.calibrate(BUDGET), PEOPLE, Neighbours.REPLACE_ONE)
    errors = []
    for shape in Shape:
        unit = StatisticUnit((LOW, HIGH), PEOPLE)
        exact = guess(name, shape, unit, PEOPLE, p.bins)
        off = [
            np.abs(np.asarray(one[name, "f0", "value"], dtype=np.float64) - exact)
            for one in releases(statistic, people(shape.values(PEOPLE)))
        ]
        errors.append(np.mean([one.sum() / 2 if name == HISTOGRAM else one.max() for one in off]))
    assert expected.best == pytest.approx(min(errors), rel=0.25)
    assert expected.worst == pytest.approx(max(errors), rel=0.25)
    assert expected.without_data > 0


@pytest.mark.parametrize("name", ["mean", "variance"])
def test_so_it_is_of_a_group_that_everyone_is_declared_to_be_in(name: str) -> None:
    group = {"by": RECORDING, "groups": ("a",), "everyone": True}
    statistic = made.statistics([name], [(LOW, HIGH)], people=PEOPLE, **group)
    p = statistic.parameters
    (expected,) = p.expected(statistic.calibrate(BUDGET), PEOPLE, Neighbours.REPLACE_ONE)
    errors = []
    for shape in Shape:
        exact = guess(name, shape, p.unit(p.features[0]), PEOPLE, p.bins)
        data = people(shape.values(PEOPLE))
        errors.append(
            np.mean([abs(one[name, "a", "f0", "value"] - exact) for one in releases(statistic, data, 300)])
        )
    assert expected.best == pytest.approx(min(errors), rel=0.25)
    assert expected.worst == pytest.approx(max(errors), rel=0.25)


def test_one_participant_is_never_enough_for_a_variance() -> None:
    """It is 0 of one, and so is what noise leaves of it as a rule."""
    group = {"by": RECORDING, "groups": ("a",), "everyone": True}
    statistic = made.statistics(["variance"], [(LOW, HIGH)], people=PEOPLE, **group)
    _, needed = accuracy.prediction(
        statistic.parameters,
        statistic.calibrate(Budget(0.1, 0.0)),
        PEOPLE,
        neighbours=Neighbours.REPLACE_ONE,
    )
    assert figures(needed)[0] > 100


def test_more_people_and_more_budget_make_it_better() -> None:
    statistic = mechanism("quantile:0.5")
    p, relation = statistic.parameters, Neighbours.REPLACE_ONE
    few, many = (p.expected(statistic.calibrate(BUDGET), n, relation)[0].worst for n in (30, 300))
    assert many < few / 4
    richer = p.expected(statistic.calibrate(Budget(4.0, 0.0)), 30, relation)[0].worst
    assert richer < 0.7 * few


def test_with_hardly_any_budget_nothing_is_useful() -> None:
    statistic = mechanism("mean", 10)
    for epsilon, useless in ((0.05, True), (50.0, False)):
        event = statistic.calibrate(Budget(epsilon, 0.0))
        (expected,) = statistic.parameters.expected(event, 10, Neighbours.REPLACE_ONE)
        assert expected.is_useless == useless


def missed(statistic: StatisticsMechanism, values: np.ndarray, draws: int = 400) -> int:
    """How many of the released intervals do not hold the exact quantile."""
    name = statistic.parameters.statistics[0]
    exact = LOW + (HIGH - LOW) * np.quantile(values, float(fraction(name)), method="inverted_cdf")
    ends = [np.asarray(one[name, "f0", "interval"])[0] for one in releases(statistic, people(values), draws)]
    return sum(not low - 1e-9 <= exact <= high + 1e-9 for low, high in ends)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["quantile:0.5", "quantile:0.9"])
@pytest.mark.parametrize("number", [15, 60])
def test_intervals_of_quantiles_hold_the_exact_one(name: str, number: int) -> None:
    statistic = mechanism(name, number)
    for shape in Shape:
        misses = missed(statistic, shape.values(number))
        assert binom.sf(misses - 1, 400, 0.05) > ALARM


@pytest.mark.thorough
def test_around_a_gap_they_need_not() -> None:
    """People at both ends of the bounds: it is said that the interval is not for such data."""
    values = np.repeat([0.02, 0.98], [PEOPLE // 2 + 1, PEOPLE // 2 - 1])
    misses = missed(mechanism("quantile:0.5"), values)
    assert binom.sf(misses - 1, 400, 0.05) < ALARM


def test_the_distance_falls_with_people_and_is_never_more_than_the_bounds() -> None:
    p = fraction("quantile:0.5")
    assert quantile("quantile:0.5") == p
    far = [distance(p, people=n, rate=0.5, steps=64) for n in (1, 10, 100, 1000)]
    assert far == sorted(far, reverse=True)
    assert far[0] <= 1
    assert far[-1] >= 0.5 / 64  # half an interval at least


@pytest.mark.parametrize(("number", "is_limited"), [(3, False), (1000, True)])
def test_a_rank_error_of_more_than_all_participants_is_no_number(number: int, *, is_limited: bool) -> None:
    statistic = mechanism("quantile:0.5", number)
    p, event = statistic.parameters, statistic.calibrate(BUDGET)
    within = p.rank_error(BUDGET.epsilon, Neighbours.REPLACE_ONE, probability=0.95)
    assert 3 < within < 1000
    shown = figures(" ".join(p.reading(event, Neighbours.REPLACE_ONE)))
    assert (pytest.approx(within, abs=0.1) in shown) is is_limited
    words, _ = accuracy.prediction(p, event, number, neighbours=Neighbours.REPLACE_ONE)
    assert (pytest.approx(within, rel=0.01) in figures(words)) is is_limited


@pytest.mark.parametrize("losses", [[0.0], [0.0, 0.0, 1.0], [0.0, 0.5, 2.0, 7.0], [3.0, 0.1, 3.0, 0.0, 3.0]])
def test_the_distribution_of_choices_is_that_of_all_orders(losses: list[float]) -> None:
    """Permute-and-flip by its definition: in a random order, each is taken with probability exp(−loss)."""
    accepted, orders = np.exp(-np.array(losses)), list(itertools.permutations(range(len(losses))))
    expected = np.zeros(len(losses))
    for order in orders:
        left = 1.0
        for candidate in order:
            expected[candidate] += left * accepted[candidate] / len(orders)
            left *= 1 - accepted[candidate]
    np.testing.assert_allclose(probabilities(np.array(losses)), expected, atol=2e-4)


def test_equal_candidates_are_as_likely_as_one_for_each() -> None:
    losses = np.array([0.0, 0.4, 3.0])
    one_by_one = probabilities(np.repeat(losses, 7)).reshape(3, 7).sum(axis=1)
    np.testing.assert_allclose(probabilities(losses, copies=7), one_by_one, atol=2e-4)
