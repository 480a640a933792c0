"""Fit, model and release of synthetic records: who weighs what, what is drawn from where, what is let out.

Distributions are tested under fixed seeds: a chance below 1e-9 would fail, and a control shows that a wrong
distribution does.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import re
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest

from synthrelease.data.features import Features
from synthrelease.errors import PlanError
from synthrelease.maths.binning import bin_numbers, equal_width_edges
from synthrelease.maths.derived import marginal
from synthrelease.maths.steps import HALF_RANGE
from synthrelease.mechanisms.records import SeededModel, deniability_test
from synthrelease.mechanisms.records import release as module
from synthrelease.mechanisms.records.fit import noised_counts, weighted_counts
from synthrelease.mechanisms.records.release import RecordsParameters, calibrate, coded_records, release
from synthrelease.noise import SecureRandom, discrete_laplace
from synthrelease.privacy.budget import Budget
from synthrelease.privacy.event import Composed, DeniabilityTest, DiscreteLaplace
from synthrelease.privacy.guarantee import Neighbours

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

ALARM = 1e-9
BOUNDS = np.array([[0.0, 1.0], [2.0, 8.0], [-1.0, 1.0]])
NAMES = ("a", "b", "c")
BUDGET = Budget(epsilon=2.0)

many = settings(derandomize=True, deadline=None, max_examples=100)


def seeded(number: int = 0) -> SecureRandom:
    return SecureRandom.for_tests(number)


# --- weights of people


@st.composite
def recorded(draw: st.DrawFn) -> tuple[Integers, Integers, list[int]]:
    """Rows of up to six people, some with none, and the number of categories of each attribute."""
    categories = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    person = draw(st.lists(st.integers(0, 5), min_size=1, max_size=25))
    rows = [[draw(st.integers(0, size - 1)) for size in categories] for _ in person]
    return np.array(rows, dtype=np.int64), np.array(person, dtype=np.int64), categories


@many
@given(drawn=recorded())
def test_each_person_weighs_the_same_in_every_attribute_whatever_number_of_rows(
    drawn: tuple[Integers, Integers, list[int]],
) -> None:
    records, people, categories = drawn
    totals = weighted_counts(records, people, categories)
    added = [np.zeros(size, dtype=np.int64) for size in categories]
    for person in np.unique(people):
        own = people == person
        alone = weighted_counts(records[own], people[own], categories)
        for a, size in enumerate(categories):
            assert alone[a].shape == (size,)
            assert alone[a].sum() == HALF_RANGE
            for category in range(size):  # the person's share, to the unit
                exact = Fraction(int((records[own, a] == category).sum()), int(own.sum())) * HALF_RANGE
                assert abs(int(alone[a][category]) - exact) < 1
            added[a] += alone[a]
    for total, expected in zip(totals, added, strict=True):
        np.testing.assert_array_equal(total, expected)


@many
@given(drawn=recorded(), data=st.data())
def test_repeating_or_reordering_rows_changes_no_weight(
    drawn: tuple[Integers, Integers, list[int]], data: st.DataObject
) -> None:
    records, people, categories = drawn
    expected = weighted_counts(records, people, categories)
    order = data.draw(st.permutations(range(len(people))))
    times = np.where(people == people[0], 7, 1)  # seven times the rows of one person
    again = np.repeat(np.array(order), times[order])
    found = weighted_counts(records[again], people[again], categories)
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(one, other)


@many
@given(drawn=recorded(), other=recorded())
def test_replacing_a_person_moves_an_attribute_by_two_shares_at_most(
    drawn: tuple[Integers, Integers, list[int]], other: tuple[Integers, Integers, list[int]]
) -> None:
    records, people, categories = drawn
    new = other[0][:, [0] * len(categories)] % categories
    stay = people != people[0]
    before = weighted_counts(records, people, categories)
    after = weighted_counts(
        np.concatenate([records[stay], new]),
        np.concatenate([people[stay], np.full(len(new), people[0])]),
        categories,
    )
    for one, two in zip(before, after, strict=True):
        assert np.abs(one - two).sum() <= 2 * HALF_RANGE


def test_nobody_weighs_nothing() -> None:
    totals = weighted_counts(np.empty((0, 2), dtype=np.int64), np.empty(0, dtype=np.int64), [3, 2])
    assert [total.tolist() for total in totals] == [[0, 0, 0], [0, 0]]


def test_noise_is_one_vector_over_all_attributes() -> None:
    counts = [np.array([5, 0, 7]), np.array([1]), np.array([0, 12])]
    event = DiscreteLaplace(2 * 3 * HALF_RANGE, 20_000.0, 6)
    found = noised_counts(counts, event, people=9, random=seeded(3))
    noise = discrete_laplace(20_000.0, 6, random=seeded(3))
    assert [part.size for part in found] == [3, 1, 2]
    np.testing.assert_array_equal(np.concatenate(found), np.array([5, 0, 7, 1, 0, 12]) + noise)


def probabilities(counts: Sequence[Integers]) -> list[NDArray[np.float64]]:
    """The model's marginals; their formula is tested with `maths.derived`."""
    return [marginal(count) for count in counts]


def test_marginals_of_any_noised_counts_make_a_model() -> None:
    counts = [np.array([-5, -(10**9), 0]), np.array([-1, -1], dtype=np.int32), np.array([2**40, 3, -7])]
    model = SeededModel(probabilities(counts), (0, 1, 2), (1,))  # checks the sums
    assert [p.tolist() for p in model.marginals[:2]] == [[1 / 3] * 3, [0.5, 0.5]]


# --- the model

MARGINALS = ([0.5, 0.3, 0.2], [0.25, 0.75], [0.1, 0.2, 0.3, 0.4], [0.6, 0.4])
ORDER = (2, 0, 3, 1)


def p_of(observed: Sequence[int] | Integers, expected: Sequence[float] | NDArray[np.float64]) -> float:
    """The χ² test's p-value; categories of probability zero must not occur at all."""
    observed, expected = np.asarray(observed, dtype=float), np.asarray(expected, dtype=float)
    assert not observed[expected == 0].any()
    there = expected > 0
    return float(chisquare(observed[there], expected[there] / expected[there].sum() * observed.sum()).pvalue)


@pytest.mark.parametrize("omega", [1, 2, 3, 4])
def test_the_first_attributes_in_order_are_the_seed_and_the_others_are_drawn(omega: int) -> None:
    model = SeededModel(MARGINALS, ORDER, (omega,))
    seeds = np.random.default_rng(0).integers(0, [3, 2, 4, 2], (20_000, 4))
    before = seeds.copy()
    candidates = model.sample(seeds, seeded(omega))
    np.testing.assert_array_equal(seeds, before)
    assert candidates.shape == seeds.shape
    assert candidates.dtype == np.int64
    kept, drawn = ORDER[: 4 - omega], ORDER[4 - omega :]
    np.testing.assert_array_equal(candidates[:, kept], seeds[:, kept])
    for a in drawn:
        size = len(MARGINALS[a])
        observed = np.bincount(candidates[:, a], minlength=size)
        assert p_of(observed, MARGINALS[a]) > ALARM
        assert p_of(observed, [1 / size] * size) < ALARM  # the control: other marginals
        for value in range(size):  # whatever the seed's own value was
            of_seed = np.bincount(candidates[seeds[:, a] == value, a], minlength=size)
            assert p_of(of_seed, MARGINALS[a]) > ALARM


@pytest.mark.parametrize("resampled", [(1,), (4,), (1, 2), (2, 4), (1, 3, 4), (1, 2, 3, 4)])
def test_omega_is_uniform_on_its_set(resampled: tuple[int, ...]) -> None:
    """Seeds of a category that is never drawn show how many attributes were."""
    never_zero = [[0.0, *p] for p in MARGINALS]
    model = SeededModel(never_zero, ORDER, resampled)
    candidates = model.sample(np.zeros((30_000, 4), dtype=np.int64), seeded(7))
    drawn = (candidates > 0)[:, ORDER]
    np.testing.assert_array_equal(drawn, np.sort(drawn, axis=1))  # kept first, drawn last
    observed = np.bincount(drawn.sum(axis=1), minlength=5)
    assert set(np.flatnonzero(observed).tolist()) == set(resampled)
    if len(resampled) > 1:
        assert p_of(observed, [1.0 if w in resampled else 0.0 for w in range(5)]) > ALARM
        weighted = [float(w) if w in resampled else 0.0 for w in range(5)]
        assert p_of(observed, weighted) < ALARM  # the control: ω in proportion to itself


def exact_probability(model: SeededModel, y: tuple[int, ...], d: tuple[int, ...]) -> Fraction:
    """Pr{y = M(d)} as the definition has it."""
    total = Fraction(0)
    for omega in model.resampled:
        kept, drawn = model.order[: len(y) - omega], model.order[len(y) - omega :]
        if all(y[a] == d[a] for a in kept):
            product = Fraction(1, len(model.resampled))
            for a in drawn:
                product *= Fraction(float(model.marginals[a][y[a]]))
            total += product
    return total


def test_candidates_of_a_seed_have_the_distribution_that_is_tested() -> None:
    """The joint distribution over all 48 records: what the deniability test takes Pr{y = M(d)} to be."""
    d = (1, 0, 2, 1)
    everything = list(itertools.product(*(range(len(p)) for p in MARGINALS)))
    model = SeededModel(MARGINALS, ORDER, (1, 2, 4))
    candidates = model.sample(np.array([d] * 60_000), seeded(11))
    observed = np.bincount(np.ravel_multi_index(candidates.T, (3, 2, 4, 2)), minlength=48)
    assert p_of(observed, [float(exact_probability(model, y, d)) for y in everything]) > ALARM
    for wrong in (
        SeededModel(MARGINALS, ORDER, (1, 2, 3)),
        SeededModel(MARGINALS, ORDER, (1, 2, 3, 4)),
        SeededModel(MARGINALS, (2, 0, 1, 3), (1, 2, 4)),
        SeededModel([[0.45, 0.35, 0.2], *MARGINALS[1:]], ORDER, (1, 2, 4)),
    ):
        expected = np.array([float(exact_probability(wrong, y, d)) for y in everything])
        assert observed[expected == 0].any() or p_of(observed, expected) < ALARM


@pytest.mark.parametrize(
    "p", [[0.0, 1.0, 0.0], [1.0, 0.0], [0.0, 0.0, 1.0], [0.3, 0.0, 0.7, 0.0], [1 / 3] * 3]
)
def test_a_category_of_probability_zero_is_never_drawn_whatever_the_word(p: list[float]) -> None:
    class Words(SecureRandom):
        def words(self, count: int) -> NDArray[np.uint64]:
            smallest_and_largest = np.array([0, 2**64 - 1], dtype=np.uint64)
            return np.resize(smallest_and_largest, count)

    model = SeededModel([p], (0,), (1,))
    drawn = model.sample(np.zeros((4, 1), dtype=np.int64), Words())[:, 0]
    possible = np.flatnonzero(p)
    assert drawn.tolist() == [possible[0], possible[-1]] * 2


def test_log_conditionals_are_those_of_the_marginals() -> None:
    model = SeededModel([[0.5, 0.5, 0.0], [0.25, 0.75]], (1, 0), (1,))
    found = model.log_conditional(np.array([[0, 1], [2, 0]]))
    np.testing.assert_allclose(found, [[np.log(0.5), np.log(0.75)], [-np.inf, np.log(0.25)]])


@pytest.mark.parametrize(
    ("marginals", "order", "resampled"),
    [
        ([[0.5, 0.5]], (1,), (1,)),
        ([[0.5, 0.5]] * 2, (0, 0), (1,)),
        ([[0.5, 0.5]] * 2, (0,), (1,)),
        ([[0.5, 0.5]] * 2, (0, 1), ()),
        ([[0.5, 0.5]] * 2, (0, 1), (0, 1)),
        ([[0.5, 0.5]] * 2, (0, 1), (3,)),
        ([[0.5, 0.4]], (0,), (1,)),
        ([[1.5, -0.5]], (0,), (1,)),
        ([[0.5, float("nan")]], (0,), (1,)),
        ([[[0.5, 0.5]]], (0,), (1,)),
    ],
)
def test_a_model_without_meaning_is_refused(
    marginals: list[Any], order: tuple[int, ...], resampled: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError, match="Expected"):
        SeededModel(marginals, order, resampled)


# --- releases


def study(rows_of: Sequence[int], *, seed: int = 0, recordings: int = 1) -> Features:
    """People with the given numbers of rows, correlated features on a coarse lattice inside their bounds."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(len(rows_of)), rows_of)
    level = rng.integers(0, 3, len(rows_of))[person]
    places = np.stack([(level + rng.integers(0, 2, person.size) * j) % 4 for j in range(3)], axis=1)
    values = BOUNDS[:, 0] + (places + 0.5) / 4 * (BOUNDS[:, 1] - BOUNDS[:, 0])
    order = rng.permutation(person.size)
    return Features(
        features=NAMES,
        bounds=BOUNDS,
        recordings=tuple(f"task {r}" for r in range(recordings)),
        people=len(rows_of),
        person=person[order],
        recording=(np.arange(person.size) % recordings)[order],
        values=values[order],
    )


def parameters(**changed: Any) -> RecordsParameters:
    usual = RecordsParameters(
        model="seeded",
        fit="exact",
        categories=(4, 4, 4),
        order=(1, 0, 2),
        resampled=(1, 2),
        k=3,
        gamma=4.0,
        counted="person",
        rows=120,
        trials=20_000,
        task=False,
        neighbours=Neighbours.REPLACE_ONE,
        people=12,
    )
    return replace(usual, **changed)


MARGINALS_MODEL = {"model": "marginals", "resampled": (3,)}


class Spy:
    """Stands for `deniability_test` and keeps what it was asked and what it answered."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[SimpleNamespace] = []
        monkeypatch.setattr(module, "deniability_test", self)

    def __call__(
        self,
        model: SeededModel,
        candidates: Integers,
        seeds: Integers,
        records: Integers,
        *,
        people: Integers | None,
        k: int,
        gamma: float,
    ) -> Any:
        result = deniability_test(model, candidates, seeds, records, people=people, k=k, gamma=gamma)
        asked = {"candidates": candidates.copy(), "seeds": seeds.copy(), "records": records, "people": people}
        self.calls.append(SimpleNamespace(**asked, model=model, k=k, gamma=gamma, result=result))
        return result

    def all(self, name: str) -> Integers:
        return np.concatenate([getattr(call, name) for call in self.calls])

    @property
    def passed(self) -> NDArray[np.bool_]:
        return np.concatenate([call.result.passed for call in self.calls])


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> Spy:
    return Spy(monkeypatch)


def categories_of(values: dict[tuple[str, ...], NDArray[Any]], names: Sequence[str] = NAMES) -> Integers:
    return np.stack([values[name, "category"] for name in names], axis=1).astype(np.int64)


ALL_KINDS = {
    "seeded": {},
    "seeded, records counted": {"counted": "record"},
    "seeded, dp": {"fit": "dp"},
    "marginals": MARGINALS_MODEL,
    "marginals, dp": {**MARGINALS_MODEL, "fit": "dp"},
    "one omega": {"resampled": (2,)},
    "task": {
        "task": True,
        "categories": (2, 4, 4, 4),
        "order": (0, 2, 1, 3),
        "resampled": (1, 3),
    },
}
kinds = pytest.mark.parametrize("changed", ALL_KINDS.values(), ids=ALL_KINDS.keys())


@kinds
def test_as_many_rows_as_asked_for_with_values_in_the_bins_of_their_categories(
    changed: dict[str, Any],
) -> None:
    asked = parameters(**changed)
    data = study([9] * 12, recordings=2)
    values, _ = release(data, asked, BUDGET, random=seeded(1))
    names = ("recording",) * asked.task + NAMES
    expected = {(name, "category") for name in names} | {(name, "value") for name in NAMES}
    if asked.fit == "dp":
        expected |= {(name, "noised") for name in names}
    assert set(values) == expected
    for a, name in enumerate(names):
        category = values[name, "category"]
        assert category.shape == (120,)
        assert category.dtype == np.int32
        assert 0 <= category.min() <= category.max() < asked.categories[a]
        if asked.fit == "dp":
            assert values[name, "noised"].shape == (asked.categories[a],)
        if name in NAMES:
            edges = equal_width_edges(*BOUNDS[NAMES.index(name)], asked.categories[a])
            value = values[name, "value"]
            assert value.shape == (120,)
            np.testing.assert_array_equal(bin_numbers(value, edges), category)
            assert (edges[category] <= value).all()
            assert (value < edges[category + 1]).all()


def test_values_are_uniform_within_their_bins_and_independent_of_each_other() -> None:
    values, _ = release(study([9] * 12), parameters(rows=4000, k=1, trials=40_000), None, random=seeded(2))
    within = []
    for (low, high), name in zip(BOUNDS, NAMES, strict=True):
        place = (values[name, "value"] - low) / (high - low) * 4 - values[name, "category"]
        assert kstest(place, "uniform").pvalue > ALARM
        assert kstest(place**1.2, "uniform").pvalue < ALARM  # the control
        within.append(place)
    assert np.abs(np.corrcoef(within) - np.eye(3)).max() < 7 / np.sqrt(4000)


@pytest.mark.parametrize("changed", [{}, {"counted": "record"}, {"fit": "dp"}, {"gamma": 1.5}, {"k": 6}])
def test_every_published_record_passes_a_test_by_definition(changed: dict[str, Any], spy: Spy) -> None:
    asked = parameters(**changed)
    data = study([1, 1, 2, 2, 3, 5, 8, 2, 1, 4, 3, 2])
    values, _ = release(data, asked, BUDGET, random=seeded(3))
    candidates, seeds = spy.all("candidates"), spy.all("seeds")
    passing = np.flatnonzero(spy.passed)
    assert len(passing) >= 120
    assert len(passing) < len(candidates), "nothing failed: the test has no teeth"
    # the first that passed, in the order in which they were made: no choice among them
    np.testing.assert_array_equal(categories_of(values), candidates[passing][:120])

    records, people = coded_records(data, asked)
    call = spy.calls[0]
    gamma = Fraction(asked.gamma)

    @functools.cache
    def interval(p: Fraction) -> int | None:
        if p == 0:
            return None
        return next(i for i in itertools.count() if gamma ** (-i - 1) < p <= gamma**-i)

    @functools.cache
    def plausible(y: tuple[int, ...], seed: int) -> int:
        of_record = [interval(exact_probability(call.model, y, tuple(d))) for d in records.tolist()]
        same = [n for n, i in enumerate(of_record) if i is not None and i == of_record[seed]]
        return len({int(people[n]) for n in same} if asked.counted == "person" else same)

    for row in range(len(candidates)):
        count = plausible(tuple(candidates[row].tolist()), int(seeds[row]))
        assert (count >= asked.k) == spy.passed[row]


@pytest.mark.parametrize(("counted", "with_people"), [("person", True), ("record", False)])
def test_the_test_is_asked_what_the_parameters_say(counted: str, *, with_people: bool, spy: Spy) -> None:
    data, asked = study([4] * 12), parameters(counted=counted, k=2, gamma=3.5, trials=333, rows=1)
    release(data, asked, None, random=seeded(4))
    records, people = coded_records(data, asked)
    for call in spy.calls:
        assert (call.k, call.gamma) == (2, 3.5)
        assert (call.model.order, call.model.resampled) == ((1, 0, 2), (1, 2))
        np.testing.assert_array_equal(call.records, records)
        if with_people:
            np.testing.assert_array_equal(call.people, people)
        else:
            assert call.people is None
        # what was tested was made from the seeds that were named
        kept = call.model.order[: 3 - max(call.model.resampled)]
        np.testing.assert_array_equal(call.candidates[:, kept], records[call.seeds][:, kept])


def test_seeds_are_drawn_per_person_and_then_per_row(spy: Spy) -> None:
    """One person has 990 of 1000 rows, and is the seed once in eleven times."""
    data = study([990, *[1] * 10])
    release(data, parameters(k=1, rows=4000, trials=16_000, people=11), None, random=seeded(5))
    seeds = spy.all("seeds")
    assert len(seeds) == 16_000
    of_person = np.bincount(data.person[seeds], minlength=11)
    assert p_of(of_person, np.ones(11)) > ALARM
    assert p_of(of_person, np.bincount(data.person)) < ALARM  # the control: per row
    of_row = np.bincount(seeds, minlength=1000)[data.person == 0]
    assert p_of(of_row.reshape(99, 10).sum(axis=1), np.ones(99)) > ALARM


def test_every_row_of_a_person_can_be_a_seed_even_the_first_and_last(spy: Spy) -> None:
    data = study([1, 2, 3, 4])
    release(data, parameters(k=1, rows=500, trials=2000, people=4), None, random=seeded(6))
    expected = 1 / np.bincount(data.person)[data.person]
    assert p_of(np.bincount(spy.all("seeds"), minlength=10), expected) > ALARM


def test_the_tested_model_is_the_published_noised_one(spy: Spy) -> None:
    values, _ = release(study([9] * 12), parameters(fit="dp"), BUDGET, random=seeded(7))
    published = probabilities([values[name, "noised"] for name in NAMES])
    for call in spy.calls:
        for of_model, expected in zip(call.model.marginals, published, strict=True):
            np.testing.assert_array_equal(of_model, expected)
    exact = weighted_counts(*coded_records(study([9] * 12), parameters()), parameters().categories)
    assert not all((values[n, "noised"] == c).all() for n, c in zip(NAMES, exact, strict=True))


def test_an_exact_fit_is_that_of_the_weighted_counts(spy: Spy) -> None:
    data = study([1, 30, 2, 2, 2, 9, 9, 1, 1, 1, 5, 6])
    values, _ = release(data, parameters(), None, random=seeded(8))
    assert not any(kind == "noised" for _, kind in values)
    expected = probabilities(weighted_counts(*coded_records(data, parameters()), (4, 4, 4)))
    for of_model, p in zip(spy.calls[0].model.marginals, expected, strict=True):
        np.testing.assert_array_equal(of_model, p)


def test_rows_with_a_missing_feature_take_no_part(spy: Spy) -> None:
    data = study([6] * 12)
    values = data.values.copy()
    values[data.person == 3] = np.nan  # nothing is left of one person
    values[::5, 1] = np.nan
    values[3::7, 2] = np.nan
    holes = replace(data, values=values)
    complete = ~np.isnan(values).any(axis=1)
    without = replace(
        data, values=values[complete], person=data.person[complete], recording=data.recording[complete]
    )
    one, _ = release(holes, parameters(), None, random=seeded(9))
    other, _ = release(without, parameters(), None, random=seeded(9))
    for key, array in one.items():
        np.testing.assert_array_equal(array, other[key])
    assert len(spy.calls[0].records) == complete.sum()
    assert 3 not in spy.calls[0].people


def test_records_are_the_label_and_the_bins() -> None:
    data = study([5, 6], recordings=2)
    records, people = coded_records(data, parameters(task=True, categories=(2, 4, 7, 4)))
    np.testing.assert_array_equal(people, data.person)
    np.testing.assert_array_equal(records[:, 0], data.recording)
    for f, bins in enumerate((4, 7, 4)):
        edges = equal_width_edges(*BOUNDS[f], bins)
        np.testing.assert_array_equal(records[:, f + 1], bin_numbers(data.values[:, f], edges))


def test_a_label_is_never_drawn_and_belongs_to_the_seed(spy: Spy) -> None:
    changed = ALL_KINDS["task"]
    values, _ = release(study([8] * 12, recordings=2), parameters(**changed), None, random=seeded(10))
    np.testing.assert_array_equal(spy.all("candidates")[:, 0], spy.calls[0].records[spy.all("seeds")][:, 0])
    assert set(values["recording", "category"].tolist()) == {0, 1}
    assert ("recording", "value") not in values


# --- noised marginals alone


def test_after_a_private_fit_the_marginals_model_never_looks_at_the_data(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, data = parameters(**MARGINALS_MODEL, fit="dp"), study([9] * 12)
    expected, _ = release(data, asked, BUDGET, random=seeded(11))

    def forbidden(*_: object, **__: object) -> None:
        pytest.fail("looked at the data after the fit")

    def counts_and_forget(records: Integers, people: Integers, categories: Sequence[int]) -> list[Integers]:
        counts = weighted_counts(records, people, categories)
        for array in (records, people, data.values, data.person, data.recording):
            array[...] = -1
        return counts

    monkeypatch.setattr(module, "deniability_test", forbidden)
    monkeypatch.setattr(module, "_passing", forbidden)
    monkeypatch.setattr(module, "_SeedPicker", forbidden)
    monkeypatch.setattr(module, "weighted_counts", counts_and_forget)
    found, event = release(data, asked, BUDGET, random=seeded(11))
    assert isinstance(event, DiscreteLaplace)
    assert (data.values == -1).all()
    for key, array in expected.items():
        np.testing.assert_array_equal(found[key], array)


def test_data_of_equal_noised_counts_give_equal_releases() -> None:
    """The same weighted counts in other records: shuffled columns keep every person's marginals."""
    data = study([9] * 12)
    shuffled = data.values.copy()
    rng = np.random.default_rng(0)
    for person in range(12):
        own = np.flatnonzero(data.person == person)
        for f in range(3):
            shuffled[own, f] = rng.permutation(shuffled[own, f])
    assert not np.array_equal(shuffled, data.values)
    asked = parameters(**MARGINALS_MODEL, fit="dp")
    one, _ = release(data, asked, BUDGET, random=seeded(12))
    other, _ = release(replace(data, values=shuffled), asked, BUDGET, random=seeded(12))
    for key, array in one.items():
        np.testing.assert_array_equal(array, other[key])


def test_records_of_noised_marginals_follow_them() -> None:
    asked = parameters(**MARGINALS_MODEL, fit="dp", rows=20_000)
    values, _ = release(study([9] * 12), asked, Budget(epsilon=50.0), random=seeded(13))
    marginals = probabilities([values[name, "noised"] for name in NAMES])
    drawn = categories_of(values)
    for a, p in enumerate(marginals):
        assert p_of(np.bincount(drawn[:, a], minlength=4), p) > ALARM
    joint = np.einsum("i,j,k->ijk", *marginals).ravel()
    assert p_of(np.bincount(np.ravel_multi_index(drawn.T, (4, 4, 4)), minlength=64), joint) > ALARM


# --- too few


def failure(data: Features, asked: RecordsParameters) -> PlanError:
    with pytest.raises(PlanError, match="fewer than") as caught:
        release(data, asked, BUDGET, random=seeded(14))
    return caught.value


@pytest.mark.parametrize("changed", [{}, {"counted": "record"}, {"fit": "dp"}, MARGINALS_MODEL])
def test_too_few_passing_records_are_an_error_that_tells_nothing_of_how_many(
    changed: dict[str, Any], spy: Spy
) -> None:
    """None passed, or all but one: the message is the same, and every number in it is the plan's."""
    data = study([7] * 12)
    none = failure(data, parameters(**changed, k=1000, rows=151, trials=150))
    assert not spy.passed.any()
    spy.calls.clear()
    nearly = failure(data, parameters(**changed, k=1, rows=151, trials=150))
    assert spy.passed.sum() == 150
    assert str(none).replace("k = 1000", "k = 1") == str(nearly)
    assert set(re.findall(r"\d+", str(nearly))) == {"1", "151", "150"}
    for error in (none, nearly):
        assert error.found == ""
        assert set(vars(error)) == {"problem", "where", "found", "expected", "remedy"}
        assert error.__cause__ is None
        assert error.__context__ is None
        assert error.exit_code == 3


@pytest.mark.parametrize(("rows", "trials"), [(1, 1), (1, 63), (10, 64), (10, 65), (300, 20_000)])
def test_no_more_candidates_are_made_than_the_plan_allows(rows: int, trials: int, spy: Spy) -> None:
    failure(study([7] * 12), parameters(k=1000, rows=rows, trials=trials))
    assert len(spy.all("seeds")) == trials


def test_with_fewer_than_k_people_nothing_passes() -> None:
    for changed in ({}, MARGINALS_MODEL):
        failure(study([50, 50]), parameters(**changed, k=3, people=2, trials=500))
        asked = parameters(**changed, k=3, people=2, counted="record", rows=10)
        release(study([50, 50]), asked, None, random=seeded(15))


@pytest.mark.parametrize("changed", [{}, {"fit": "dp"}, MARGINALS_MODEL])
def test_data_without_a_complete_row_are_an_error_of_ours(changed: dict[str, Any]) -> None:
    data = study([5] * 12)
    holes = data.values.copy()
    holes[:, 0] = np.nan
    with pytest.raises(PlanError, match="no row has a value for every feature"):
        release(replace(data, values=holes), parameters(**changed), BUDGET, random=seeded(16))


# --- events


def test_an_exact_fit_costs_no_budget_and_a_private_one_all_attributes() -> None:
    test = calibrate(parameters(), None)
    assert test == DeniabilityTest(3, 4.0, "person", vacuous=False)
    both = calibrate(parameters(fit="dp"), BUDGET)
    assert isinstance(both, Composed)
    noise, criterion = both.events
    assert criterion == test
    assert isinstance(noise, DiscreteLaplace)
    assert (noise.sensitivity, noise.count) == (3 * 2 * HALF_RANGE, 12)
    assert noise.scale >= noise.sensitivity / 2.0
    assert noise.scale == pytest.approx(3 * HALF_RANGE)
    assert calibrate(parameters(fit="dp", **MARGINALS_MODEL), BUDGET) == noise


@pytest.mark.parametrize(
    ("changed", "vacuous", "tested"),
    [
        ({}, False, True),
        ({"resampled": (2,)}, False, True),
        ({"resampled": (2, 3)}, False, True),
        ({"resampled": (3,)}, True, True),
        ({"resampled": (3,), "fit": "dp"}, True, True),
        ({"k": 1}, True, True),
        ({"categories": (4, 1, 4), "resampled": (2, 3)}, True, True),  # what is kept has one value only
        ({"categories": (1, 4, 1), "resampled": (2, 3)}, False, True),
        (MARGINALS_MODEL, True, True),
        ({**MARGINALS_MODEL, "fit": "dp"}, True, False),
    ],
)
def test_a_test_that_cannot_fail_is_called_vacuous(
    changed: dict[str, Any], *, vacuous: bool, tested: bool, spy: Spy
) -> None:
    asked = parameters(**{"k": 12, "rows": 1, **changed})
    assert (asked.vacuous, asked.tested) == (vacuous, tested)
    event = calibrate(asked, BUDGET)
    leaves = event.events if isinstance(event, Composed) else (event,)
    told = [leaf.vacuous for leaf in leaves if isinstance(leaf, DeniabilityTest)]
    assert told == [vacuous] * tested

    with contextlib.suppress(PlanError):
        _, released = release(study([9] * 12), asked, BUDGET, random=seeded(17))
        assert released == event
    assert bool(spy.calls) == tested
    if tested:
        assert spy.passed.all() == vacuous
