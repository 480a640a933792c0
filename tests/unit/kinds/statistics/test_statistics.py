"""What people contribute to statistics and quantiles, against the definition, person by person, in groups or all together."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import made
import numpy as np
import pytest
from refusals import refused

from synthrelease.data.features import RECORDING, FeatureData
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import Composed, DiscreteLaplace, PrivateChoice, RoundedGaussian
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.noise import SecureRandom
from synthrelease.dp.noise.choice import private_choice
from synthrelease.errors import PolicyError
from synthrelease.kinds.statistics import quantiles
from synthrelease.kinds.statistics.grouped_rows import counted_groups
from synthrelease.kinds.statistics.mechanism import StatisticsMechanism, totals
from synthrelease.numerics.binning import integer_shares

if TYPE_CHECKING:
    from collections.abc import Iterator

H = 32768
BOUNDS = ((2.0, 8.0), (-1.0, 3.0))
GROUPS = ("calm", "tense", "tired")
REPLACE, ADD_REMOVE = Neighbours.REPLACE_ONE, Neighbours.ADD_REMOVE_ONE
both = pytest.mark.parametrize("neighbours", [REPLACE, ADD_REMOVE])
budget = Budget(6.0, 1e-4)


def some_data(people: int = 40, seed: int = 0) -> FeatureData:
    """People with few and many rows; values and labels are missing here and there."""
    rng = np.random.default_rng(seed)
    person = rng.permutation(np.repeat(np.arange(people), rng.integers(0, 12, people)))
    values = rng.uniform([1.5, -1.2], [8.5, 3.3], (person.size, 2))
    values[rng.random(values.shape) < 0.2] = np.nan
    label = rng.integers(-1, 3, (person.size, 1))
    recording = rng.integers(0, 2, person.size)
    return FeatureData(
        ("size", "slope"),
        np.array(BOUNDS),
        ("a", "b"),
        people,
        person,
        recording,
        np.clip(values, *np.array(BOUNDS).T),
        ("mood",),
        label,
    )


def statistics(*names: str, neighbours: Neighbours = REPLACE, **changes: Any) -> StatisticsMechanism:
    people = 40 if neighbours is REPLACE else None
    return made.statistics(
        names, bins=4, neighbours=neighbours, **{"people": people, "of": some_data(), **changes}
    )


def by_mood(*names: str, most: int = 3, **changes: Any) -> StatisticsMechanism:
    return statistics(*names, by="mood", groups=GROUPS, max_groups=most, **changes)


def summed(name: str, data: FeatureData, mechanism: StatisticsMechanism) -> np.ndarray:
    """The sums of a statistic, shape (groups, features, size)."""
    p = mechanism.parameters
    group = counted_groups(data, by=p.by, groups=len(p.groups or [1]), max_groups=p.max_groups_per_person)
    return totals((name,), data, group, p)[name]


def own_rows(data: FeatureData, feature: int, group: int | None, most: int) -> Iterator[list[float]]:
    """Everyone's values of a feature in a group that they count in, if they have any."""
    for person in range(data.people):
        mine = data.person == person
        labels = Counter(int(label) for label in data.labels[mine, 0] if label >= 0)
        counted = sorted(labels, key=lambda g: (-labels[g], g))[:most]
        if group is not None:
            if group not in counted:
                continue
            mine &= data.labels[:, 0] == group
        values = [float(v) for v in data.values[mine, feature] if not math.isnan(v)]
        if values:
            yield values


def toward_zero(x: Fraction) -> int:
    return math.trunc(x)


def mean_steps(values: list[float], bounds: tuple[float, float]) -> int:
    low, high = (Fraction(b) for b in bounds)
    steps = [toward_zero((Fraction(v) - (low + high) / 2) * 2 * H / (high - low)) for v in values]
    return toward_zero(Fraction(sum(steps), len(steps)))


def contribution(name: str, values: list[float], bounds: tuple[float, float], *, quotient: bool) -> list[int]:
    """One person's integers, by the definition."""
    low, high = (Fraction(b) for b in bounds)
    m = mean_steps(values, bounds)
    if name == "count":
        return [2 * H]
    if name == "sum":
        unit = (max(high, 0) - min(low, 0)) / (2 * H)
        return [toward_zero(Fraction(sum(toward_zero(Fraction(v) / unit) for v in values), len(values)))]
    if name == "mean":
        return [m, H][: 1 + quotient]
    if name == "variance":
        return [m, H, math.floor(Fraction(2 * m * m, H) + Fraction(1, 2)) - H]
    cells = [min(int((Fraction(v) - low) / (high - low) * 4), 3) for v in values]
    cell, counts = np.unique(cells, return_counts=True)
    shares = integer_shares(np.zeros(cell.size, dtype=np.int64), counts.astype(np.int64), H)
    return [int(shares[list(cell).index(b)]) if b in cell else 0 for b in range(4)]


@both
@pytest.mark.parametrize("name", ["count", "sum", "mean", "variance", "histogram"])
@pytest.mark.parametrize("most", [None, 1, 2, 3])
def test_integers_are_those_of_the_definition(name: str, most: int | None, neighbours: Neighbours) -> None:
    data = some_data()
    mechanism = statistics(name, neighbours=neighbours)
    if most is not None:
        mechanism = by_mood(name, neighbours=neighbours, most=most)
    found = summed(name, data, mechanism)
    groups: list[int | None] = [None] if most is None else [0, 1, 2]
    assert found.shape == (len(groups), 2, mechanism.parameters.size(name))
    quotient = most is not None or neighbours is ADD_REMOVE
    for (g, group), f in itertools.product(enumerate(groups), range(2)):
        own = [
            contribution(name, values, BOUNDS[f], quotient=quotient)
            for values in own_rows(data, f, group, most or 1)
        ]
        assert found[g, f].tolist() == np.sum(own, axis=0).tolist()
        assert 5 < len(own) < 40


@pytest.mark.parametrize("name", ["sum", "mean", "variance", "histogram"])
@pytest.mark.parametrize("labels", [[2, 0, 1], [0, 1, 2], [1, 2, 0, -1]])
def test_one_row_in_each_group_counts_there_in_whatever_order_they_stand(
    name: str, labels: list[int]
) -> None:
    """Repeated measures: each participant once in each condition, the conditions in an order of their own."""
    people = 5
    value = np.random.default_rng(1).uniform((2.0, -1.0), (8.0, 3.0), (people * len(labels), 2))
    label = np.concatenate([np.roll(labels, person) for person in range(people)])
    data = replace(
        some_data(people),
        person=np.repeat(np.arange(people), len(labels)),
        recording=np.zeros(label.size, dtype=np.int64),
        values=value,
        labels=label[:, None],
    )
    mechanism = by_mood(name)
    p = mechanism.parameters
    sums = summed(name, data, mechanism)
    for group, f in itertools.product(range(3), range(2)):
        own = own_rows(data, f, group, 3)
        quotient = p.unit(p.features[f]).divisor is None
        expected = sum(np.array(contribution(name, values, BOUNDS[f], quotient=quotient)) for values in own)
        assert sums[group, f].tolist() == np.array(expected).tolist()


def test_where_everyone_is_in_every_group_who_lacks_one_adds_nothing() -> None:
    """Means and squares are 0 at the centre: what others add up to is the same with or without them."""
    data = some_data()
    mechanism = by_mood("mean", "variance", "histogram", "count", everyone=True)
    counted = by_mood("mean", "variance", "histogram", "count")
    means, weighted = (summed("mean", data, each) for each in (mechanism, counted))
    np.testing.assert_array_equal(means, weighted[..., :1])
    squares, moments = (summed("variance", data, each) for each in (mechanism, counted))
    np.testing.assert_array_equal(
        squares, np.stack([moments[..., 0], moments[..., 1] + moments[..., 2]], axis=-1)
    )
    for name in ("histogram", "count"):
        np.testing.assert_array_equal(summed(name, data, mechanism), summed(name, data, counted))
    assert (weighted[..., 1] < 40 * H).all(), "someone lacks every group"


def test_a_curator_sees_who_lacks_a_group_that_everyone_is_declared_to_be_in() -> None:
    data = some_data()
    assert by_mood("mean").losses(data) == ()
    for loss, f in zip(by_mood("mean", everyone=True).losses(data), range(2), strict=True):
        present = sum(len(list(own_rows(data, f, group, 3))) for group in range(3))
        assert (loss.feature, loss.total, loss.count) == (data.features[f], 3 * 40, 3 * 40 - present)
        assert 0 < loss.count < loss.total


def test_recordings_are_groups_too() -> None:
    data = some_data()
    found = summed("mean", data, statistics("mean", by=RECORDING, groups=("a", "b"), max_groups=2))
    for r in (0, 1):
        alone = replace(
            data, values=np.where((data.recording == r)[:, None], data.values, np.nan), labels=data.labels * 0
        )
        one = statistics("mean", by="mood", groups=("all",), max_groups=1)
        np.testing.assert_array_equal(found[r], summed("mean", alone, one)[0])


def test_who_has_as_many_rows_in_two_groups_counts_in_the_first_listed() -> None:
    data = some_data(people=3)
    label = np.array([2, 1, 1, 2, 0, -1, -1, -1, 2, 0])
    person = np.array([0, 0, 0, 0, 0, 1, 1, 2, 2, 2])
    rows = replace(data, person=person, labels=label[:, None], values=np.ones((10, 2)), recording=label * 0)
    one = counted_groups(rows, by="mood", groups=3, max_groups=1)
    assert one.tolist() == [-1, 1, 1, -1, -1, -1, -1, -1, -1, 0]
    two = counted_groups(rows, by="mood", groups=3, max_groups=2)
    assert two.tolist() == [2, 1, 1, 2, -1, -1, -1, -1, 2, 0]
    assert counted_groups(rows, by="mood", groups=3, max_groups=3).tolist() == label.tolist()
    assert rows.labels[:, 0].tolist() == label.tolist(), "the data is left as it was"


# --- quantiles


@pytest.mark.parametrize("steps", [2, 7, 256, 65536])
@pytest.mark.parametrize("most", [None, 1])
def test_people_are_counted_in_the_interval_of_their_mean(steps: int, most: int | None) -> None:
    data = some_data()
    by = None if most is None else "mood"
    group = counted_groups(data, by=by, groups=3, max_groups=most or 1)
    found = quantiles.people_per_interval(data, group, groups=3 if by else 1, steps=steps)
    for (g, name), f in itertools.product(enumerate([None] if most is None else [0, 1, 2]), range(2)):
        own = [mean_steps(values, BOUNDS[f]) for values in own_rows(data, f, name, 1)]
        expected = Counter(min(math.floor(Fraction((m + H) * steps, 2 * H)), steps - 1) for m in own)
        assert {i: int(n) for i, n in enumerate(found[g, f]) if n} == dict(expected)


def rank_distance(counts: list[int], number: int, p: Fraction) -> Fraction:
    """How far, in people, any rank that an interval covers is from p·n: the interval [below, n − above]."""
    below, above, n = sum(counts[:number]), sum(counts[number + 1 :]), sum(counts)
    return max(Fraction(0), below - p * n, p * n - (n - above))


@pytest.mark.parametrize("p", ["0.5", "0.05", "0.9", "0.333"])
def test_utilities_are_distances_in_rank(p: str) -> None:
    exact = Fraction(p)
    rng = np.random.default_rng(3)
    for _ in range(100):
        counts = rng.integers(0, 5, 8) * (rng.random(8) < 0.6)
        found = quantiles.utilities(counts, exact)
        own = counts.tolist()
        assert found == [-exact.denominator * rank_distance(own, i, exact) for i in range(8)]
        assert max(found) == 0, "somewhere there is a quantile"


def test_ties_are_no_distance() -> None:
    """All people in one interval: it is every quantile, and any other is as far as they are many."""
    found = quantiles.utilities(np.array([0, 0, 9, 0]), Fraction("0.1"))
    assert found == [-9, -9, 0, -81]
    assert quantiles.utilities(np.zeros(4, dtype=np.int64), Fraction("0.1")) == [0] * 4, "of no one all are"


def test_with_a_budget_quantiles_are_those_of_people_s_means() -> None:
    data = some_data(people=400)
    mechanism = by_mood("quantile:0.5", "quantile:0.25", quantile_steps=64, people=400)
    group = counted_groups(data, by="mood", groups=3, max_groups=3)
    counts = quantiles.people_per_interval(data, group, groups=3, steps=64)
    values, _ = made.release(mechanism, data, Budget(1e5), random=SecureRandom.for_tests(1))
    for (name, q), (g, label), (f, feature) in itertools.product(
        (("quantile:0.5", Fraction(1, 2)), ("quantile:0.25", Fraction(1, 4))),
        enumerate(GROUPS),
        enumerate(data.features),
    ):
        (chosen,) = values[name, label, feature, "chosen"]
        assert rank_distance(counts[g, f].tolist(), int(chosen), q) == 0
        low, high = BOUNDS[f]
        assert values[name, label, feature, "value"] == pytest.approx(
            low + (high - low) * (chosen + 0.5) / 64
        )


# --- the budget


def test_every_name_takes_the_same_part() -> None:
    p = by_mood("count", "mean", "quantile:0.5", "quantile:0.9", most=2)
    epsilon, left = p.split(budget)
    assert len(p.parameters.choices()) == 2 * 2 * 2
    assert epsilon == pytest.approx(3.0 / 8)
    assert left.epsilon == pytest.approx(3.0)
    assert left.delta == budget.delta
    epsilon, left = replace(p, quantile_share=0.1).split(budget)
    assert (8 * epsilon, left.epsilon) == pytest.approx((0.6, 5.4))
    assert statistics("mean").split(budget) == (0.0, budget)
    alone, nothing = statistics("quantile:0.5").split(budget)
    assert (2 * alone, nothing.epsilon) == pytest.approx((6.0, 0.0))


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_the_event_is_the_noise_and_then_the_choices(noise: str) -> None:
    p = by_mood("count", "histogram", "quantile:0.5", most=2, noise=noise)
    event = p.calibrate(budget)
    assert isinstance(event, Composed)
    first, *choices = event.events
    assert isinstance(first, DiscreteLaplace if noise == "laplace" else RoundedGaussian)
    assert first.count == 3 * 2 * (1 + 4)
    assert choices == [PrivateChoice(budget.epsilon / 3 / 4, 256)] * 4
    assert isinstance(statistics("mean", noise=noise).calibrate(budget), DiscreteLaplace | RoundedGaussian)
    one = statistics("quantile:0.5", of=None, bounds=BOUNDS[:1])
    assert one.calibrate(budget) == PrivateChoice(6.0, 256)


def test_too_little_for_so_many_choices_is_refused() -> None:
    with refused(PolicyError, "budget-too-small"):
        statistics("quantile:0.5").calibrate(Budget(1e-6))


@both
@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_choice_is_made_at_the_sensitivity_of_its_utilities(
    neighbours: Neighbours, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every group and feature has a choice; a person is exposed to those of M groups, at an ε that adds up."""
    seen: list[dict[str, Any]] = []

    def spy(_utilities: list[int], **how: Any) -> int:
        seen.append(how)
        return 0

    monkeypatch.setattr(quantiles, "private_choice", spy)
    p = by_mood("quantile:0.05", most=most, neighbours=neighbours)
    made.release(p, some_data(), budget, random=SecureRandom.for_tests(0))
    assert len(seen) == 3 * 2
    delta = 19 if neighbours is ADD_REMOVE else 20 if most == 3 else 38
    assert {how["sensitivity"] for how in seen} == {delta}
    assert {how["epsilon"] for how in seen} == {budget.epsilon / (2 * most)}


def test_the_rank_error_is_that_of_permute_and_flip() -> None:
    p = statistics("quantile:0.5").parameters
    assert p.rank_error(1.0, REPLACE, probability=0.95) == pytest.approx(2 * math.log(255 / 0.05))
    assert p.rank_error(1.0, ADD_REMOVE, probability=0.95) == pytest.approx(math.log(255 / 0.05))


def test_ranks_miss_by_more_than_the_bound_as_seldom_as_it_says() -> None:
    """1000 choices at 80 %: one in five may miss; none does, for the bound counts every interval as one that is far off."""
    counts = np.random.default_rng(0).integers(0, 6, 64)
    exact = Fraction(1, 2)
    p = statistics("quantile:0.5", quantile_steps=64).parameters
    limit = p.rank_error(0.5, REPLACE, probability=0.8)
    utility = quantiles.utilities(counts, exact)
    random, missed = SecureRandom.for_tests(4), []
    for _ in range(1000):
        number = private_choice(utility, sensitivity=2, epsilon=0.5, random=random)
        missed.append(float(rank_distance(counts.tolist(), number, exact)))
    assert (np.array(missed) > limit).mean() < 0.2
    assert 0.1 * limit < np.quantile(missed, 0.8) < limit
