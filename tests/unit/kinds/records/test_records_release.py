"""Release of synthetic records under Test 1 or from noised counts: what is tested, drawn, and let out.

Distributions are tested under fixed seeds: a chance below 1e-9 would fail, and a control shows that a wrong
distribution does. The randomized test has a file of its own.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from invented_records import (
    ALARM,
    BOUNDS,
    BUDGET,
    LABELLED,
    MARGINALS_MODEL,
    NAMES,
    TASK,
    Passing,
    Spy,
    Wanted,
    binned,
    calibrate,
    categories_of,
    coded_records,
    collect,
    p_of,
    parameters,
    plausible_records,
    release,
    seeded,
    study,
    told,
)
from refusals import refused
from scipy.stats import kstest

from synthrelease.dp.event import (
    Composed,
    DeniabilityTest,
    DiscreteLaplace,
    Disjoint,
    RoundedGaussian,
    flatten,
)
from synthrelease.errors import PlanError
from synthrelease.kinds.records import candidates
from synthrelease.numerics.binning import bin_numbers, equal_width_edges, public_fractions
from synthrelease.numerics.steps import HALF_RANGE

if TYPE_CHECKING:
    from invented_records import Integers

    from synthrelease.data.features import FeatureData

ALL_KINDS: dict[str, dict[str, Any]] = {
    "seeded": {},
    "seeded, records counted": {"counted": "record"},
    "seeded, dp": {"fit": "dp"},
    "seeded, dp, gaussian": {"fit": "dp", "noise": "gaussian"},
    "tree": {"dependence": "tree"},
    "tree, dp": {"dependence": "tree", "fit": "dp"},
    "marginals": MARGINALS_MODEL,
    "marginals, dp": {**MARGINALS_MODEL, "fit": "dp"},
    "marginals, dp, gaussian tree": {
        **MARGINALS_MODEL,
        "fit": "dp",
        "noise": "gaussian",
        "dependence": "tree",
    },
    "one omega": {"resampled": (2,)},
    "task": TASK,
    "per task": {**TASK, "per_task": True},
    "tree per task, dp": {**TASK, "per_task": True, "dependence": "tree", "fit": "dp"},
    "marginals and task, dp": {
        **TASK,
        "model": "marginals",
        "fit": "dp",
        "per_task": True,
        "dependence": "tree",
        "resampled": (4,),
    },
    "labels": LABELLED,
    "labels, tree, dp": {**LABELLED, "dependence": "tree", "fit": "dp"},
    "missing": {"attributes": binned(4, 4, 4, missing=True)},
    "no copies": {"copies": "exclude", "k": 2},
}
kinds = pytest.mark.parametrize("changed", ALL_KINDS.values(), ids=ALL_KINDS.keys())


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> Spy:
    return Spy(monkeypatch)


# --- what comes out


@kinds
def test_as_many_rows_as_asked_for_with_values_in_the_bins_of_their_categories(
    changed: dict[str, Any],
) -> None:
    asked = parameters(**changed)
    values, _, _ = release(study([9] * 12, recordings=2), asked, BUDGET, random=seeded(1))
    names = [attribute.name for attribute in asked.attributes]
    expected = {(name, "category") for name in names}
    expected |= {(attribute.name, "value") for attribute in asked.attributes if attribute.labels is None}
    if asked.fit == "dp":
        expected |= {(*(names[a] for a in subset), "noisy") for subset in asked.subsets()}
    assert set(values) == expected
    for attribute in asked.attributes:
        category = values[attribute.name, "category"]
        assert category.shape == (120,)
        assert category.dtype == attribute.number_type
        assert 0 <= category.min() <= category.max() < attribute.categories
        if attribute.labels is None:
            bins = attribute.categories - attribute.missing
            edges = equal_width_edges(*BOUNDS[NAMES.index(attribute.name)], bins)
            value, there = values[attribute.name, "value"], category < bins
            assert value.shape == (120,)
            np.testing.assert_array_equal(np.isnan(value), ~there)
            np.testing.assert_array_equal(bin_numbers(value[there], edges), category[there])
            assert (edges[category[there]] <= value[there]).all()
            assert (value[there] < edges[category[there] + 1]).all()
    if asked.fit == "dp":
        for subset in asked.subsets():
            shape = tuple(asked.categories[a] for a in subset)
            assert values[(*(names[a] for a in subset), "noisy")].shape == shape


def test_values_are_even_within_their_bins_independent_of_each_other_and_public() -> None:
    """They are functions of category, name and row number: nothing of a person can be hidden in them."""
    values, _, _ = release(study([9] * 12), parameters(rows=4000, k=1, trials=40_000), None, random=seeded(2))
    within = []
    for (low, high), name in zip(BOUNDS, NAMES, strict=True):
        place = (values[name, "value"] - low) / (high - low) * 4 - values[name, "category"]
        assert kstest(place, "uniform").pvalue > ALARM
        assert kstest(place**1.2, "uniform").pvalue < ALARM  # the control
        np.testing.assert_allclose(place, public_fractions(name, 4000), rtol=0, atol=1e-12)
        within.append(place)
    assert np.abs(np.corrcoef(within) - np.eye(3)).max() < 7 / np.sqrt(4000)


def test_the_same_seed_makes_the_same_release_and_another_seed_another() -> None:
    for changed in ({}, {"fit": "dp", "dependence": "tree"}):
        one, other, third = (
            release(study([9] * 12), parameters(**changed), BUDGET, random=seeded(number))[0]
            for number in (3, 3, 4)
        )
        for key, array in one.items():
            np.testing.assert_array_equal(array, other[key])
        assert any((one[key] != third[key]).any() for key in one)


# --- the test


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"counted": "record"},
        {"fit": "dp"},
        {"gamma": 1.5},
        {"k": 6},
        {"dependence": "tree", "resampled": (1, 2, 3)},
        {"dependence": "tree", "fit": "dp", "noise": "gaussian"},
        {**TASK, "per_task": True, "dependence": "tree", "k": 2},
    ],
    ids=told,
)
def test_every_published_record_passes_a_test_by_definition(changed: dict[str, Any], spy: Spy) -> None:
    asked = parameters(**changed)
    data = study([1, 1, 2, 2, 3, 5, 8, 2, 1, 4, 3, 2], recordings=2)
    values, _, passing = release(data, asked, BUDGET, random=seeded(3))
    candidates, _seeds, plausible = spy.all("candidates"), spy.all("seeds"), spy.all("plausible")
    passes = plausible >= asked.k
    assert passes.sum() >= 120
    assert not passes.all(), "nothing failed: the test has no teeth"
    # the first that passed, in the order in which they were made: no choice among them
    names = [attribute.name for attribute in asked.attributes]
    np.testing.assert_array_equal(categories_of(values, names), candidates[passes][:120])
    assert (passing.trials, passing.passed) == (len(candidates), passes.sum())

    for call in spy.calls:
        some = np.unique(np.column_stack([call.candidates, call.seeds, call.plausible]), axis=0)
        chosen = np.random.default_rng(0).permutation(len(some))[: max(20, 400 // len(spy.calls))]
        for row in some[chosen].tolist():
            found = plausible_records(spy.sets[0].model, row[:-2], row[-2], call.records, asked.gamma)
            assert found == row[-1]


def owners_of(data: FeatureData, asked: Wanted) -> list[set[tuple[int, ...]]]:
    """Each person's different records; with a task each person's of each label."""
    records, people = coded_records(data, asked)
    owner = list(zip(people.tolist(), records[:, 0].tolist() if asked.task else people.tolist(), strict=True))
    return [
        {tuple(row) for row, who in zip(records.tolist(), owner, strict=True) if who == one}
        for one in sorted(set(owner))
    ]


@pytest.mark.parametrize("changed", [{}, {**TASK, "per_task": True}], ids=["people", "people and tasks"])
def test_everyone_enters_a_round_with_one_record_of_their_own_for_each_task(
    changed: dict[str, Any], spy: Spy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drawn anew every round: so that no share of a person's rows makes them likelier than others."""
    monkeypatch.setattr(candidates, "ROUND", 10)
    data, asked = study([1, 2, 30, 4] * 3, recordings=2), parameters(k=1, rows=700, **changed)
    release(data, asked, None, random=seeded(4))
    owned = owners_of(data, asked)
    assert len(spy.sets) == len(spy.calls) > 20
    for made in spy.sets:
        assert made.people is None  # one each: to count records is to count people
        for row, own in zip(made.records.tolist(), owned, strict=True):
            assert tuple(row) in own
    seen = [{tuple(made.records[place].tolist()) for made in spy.sets} for place in range(len(owned))]
    assert seen == owned


def test_where_everyone_has_one_record_there_is_nothing_to_draw(
    spy: Spy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "ROUND", 10)
    data, asked = study([1] * 12), parameters(k=1, rows=700)
    release(data, asked, None, random=seeded(4))
    assert len(spy.calls) > len(spy.sets) == 1
    assert as_rows(spy.sets[0].records) == as_rows(coded_records(data, asked)[0])


@pytest.mark.parametrize("counted", ["person", "record"])
def test_the_test_is_asked_what_the_parameters_say(counted: str, spy: Spy) -> None:
    data, asked = study([4] * 12), parameters(counted=counted, k=2, gamma=3.5, trials=333, rows=1)
    release(data, asked, None, random=seeded(4))
    _, records = collect(data, asked).whole()
    (made,) = spy.sets
    assert (made.model.order, made.model.resampled) == ((1, 0, 2), (1, 2))
    assert made.people is None
    if counted == "record":
        np.testing.assert_array_equal(made.records, records)
    else:
        assert len(made.records) == 12
    for call in spy.calls:
        assert call.gamma == 3.5
        # what was tested was made from the seeds that were named
        kept = made.model.order[: 3 - max(made.model.resampled)]
        np.testing.assert_array_equal(call.candidates[:, kept], made.records[call.seeds][:, kept])


@pytest.mark.parametrize(("counted", "entered"), [("person", 11), ("record", 1000)])
def test_whoever_enters_is_the_seed_as_often_as_anyone(counted: str, entered: int, spy: Spy) -> None:
    """One person has 990 of 1000 rows, and is the seed once in eleven times; as often as rows, where rows count."""
    data = study([990, *[1] * 10])
    asked = parameters(k=1, rows=4000, trials=4000, people=11, counted=counted)
    release(data, asked, None, random=seeded(5))
    seeds = spy.all("seeds")
    assert len(seeds) == 4000
    parts = min(entered, 20)
    of_part = np.bincount(seeds * parts // entered, minlength=parts)
    assert p_of(of_part, np.ones(parts)) > ALARM
    assert p_of(of_part, np.arange(1, parts + 1)) < ALARM  # the control


# --- copies of real records


def as_rows(records: Integers) -> set[tuple[int, ...]]:
    return set(map(tuple, records.tolist()))


@pytest.mark.parametrize("changed", [{}, {"counted": "record"}, {**LABELLED}, {"fit": "dp"}], ids=told)
def test_excluded_copies_are_not_published_and_the_others_are_as_before(
    changed: dict[str, Any], spy: Spy
) -> None:
    data, asked = study([2] * 12), parameters(copies="exclude", k=2, **changed)
    values, _, passing = release(data, asked, BUDGET, random=seeded(15))
    names = [attribute.name for attribute in asked.attributes]
    records, _ = coded_records(data, asked)
    published = categories_of(values, names)
    assert len(published) == 120
    assert not as_rows(published) & as_rows(records)
    candidates, passes = spy.all("candidates"), spy.all("plausible") >= 2
    known = np.array([tuple(row) in as_rows(records) for row in candidates.tolist()])
    assert (passes & known).any()
    np.testing.assert_array_equal(published, candidates[passes & ~known][:120])
    assert passing == Passing(len(candidates), int(passes.sum()), 0)


def test_kept_copies_are_counted_for_the_curator() -> None:
    for changed in ({}, MARGINALS_MODEL, {"resampled": (1,)}):
        data, asked = study([2] * 12), parameters(**changed)
        values, _, passing = release(data, asked, BUDGET, random=seeded(16))
        records, _ = coded_records(data, asked)
        copies = sum(tuple(row) in as_rows(records) for row in categories_of(values).tolist())
        assert passing.copies == copies > 0


def test_where_all_that_pass_are_copies_nothing_is_published() -> None:
    """Every combination of two attributes of two categories is someone's."""
    data = study([9] * 12)
    asked = parameters(attributes=binned(1, 2, 2), order=(0, 1, 2), copies="exclude", k=1, trials=900, rows=1)
    assert len(as_rows(coded_records(data, asked)[0])) == 4
    failure(data, asked)
    release(data, replace(asked, copies="keep"), None, random=seeded(17))


# --- too few


def failure(data: FeatureData, asked: Wanted) -> PlanError:
    with refused(PlanError, "too-few-records") as caught:
        release(data, asked, BUDGET, random=seeded(21))
    return caught.value


@pytest.mark.parametrize(
    "changed", [{}, {"counted": "record"}, {"fit": "dp"}, {"dependence": "tree"}, MARGINALS_MODEL], ids=told
)
def test_too_few_passing_records_are_an_error_that_tells_nothing_of_how_many(
    changed: dict[str, Any], spy: Spy
) -> None:
    """None passed, or all but one: the message is the same, and every number in it is the plan's."""
    data = study([7] * 12)
    none = failure(data, parameters(**changed, k=1000, rows=151, trials=150))
    assert (spy.all("plausible") < 1000).all()
    spy.calls.clear()
    nearly = failure(data, parameters(**changed, k=1, rows=151, trials=150))
    assert (spy.all("plausible") >= 1).sum() == 150
    assert str(none).replace("1000", "1") == str(nearly)
    assert set(re.findall(r"\d+", str(nearly))) == {"1", "151", "150"}
    for error in (none, nearly):
        assert error.found == ""
        assert set(vars(error)) == {"code", "problem", "where", "found", "expected", "remedy"}
        assert error.__cause__ is None
        assert error.__context__ is None
        assert error.exit_code == 3


@pytest.mark.parametrize(("rows", "trials"), [(1, 1), (1, 63), (10, 64), (10, 65), (300, 20_000)])
def test_no_more_candidates_are_made_than_the_plan_allows(rows: int, trials: int, spy: Spy) -> None:
    failure(study([7] * 12), parameters(k=1000, rows=rows, trials=trials))
    assert len(spy.all("seeds")) == trials


@pytest.mark.parametrize("block", [1, 50, 333])
def test_small_blocks_of_candidates_change_no_rule(
    block: int, spy: Spy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "ROUND", block)
    asked = parameters(k=4, rows=300, trials=2000)
    values, _, passing = release(study([3] * 12), asked, None, random=seeded(22))
    passes = spy.all("plausible") >= 4
    np.testing.assert_array_equal(categories_of(values), spy.all("candidates")[passes][:300])
    assert (passing.trials, passing.passed) == (passes.size, passes.sum())
    assert passes[: -len(spy.calls[-1].candidates)].sum() < 300  # it stopped when there were enough


def test_with_fewer_than_k_people_nothing_passes() -> None:
    for changed in ({}, MARGINALS_MODEL, {"dependence": "tree"}):
        failure(study([50, 50]), parameters(**changed, k=3, people=2, trials=500))
        asked = parameters(**changed, k=3, people=2, counted="record", rows=10)
        release(study([50, 50]), asked, None, random=seeded(23))


@pytest.mark.parametrize("changed", [{}, {"fit": "dp"}, MARGINALS_MODEL, LABELLED], ids=told)
def test_data_without_a_complete_row_are_an_error_of_ours(changed: dict[str, Any]) -> None:
    data = study([5] * 12)
    values = data.values.copy()
    values[:, 0] = np.nan
    with refused(PlanError, "no-complete-row"):
        release(replace(data, values=values), parameters(**changed), BUDGET, random=seeded(24))


def test_noised_counts_of_no_one_are_published_all_the_same() -> None:
    """Whether anyone has a complete row is private."""
    data = study([5] * 12)
    empty = replace(data, values=np.full_like(data.values, np.nan))
    values, _, passing = release(empty, parameters(**MARGINALS_MODEL, fit="dp"), BUDGET, random=seeded(25))
    assert categories_of(values).shape == (120, 3)
    assert passing == Passing(120, 120, None)


# --- events


def test_an_exact_fit_costs_no_budget_and_a_private_one_all_sets() -> None:
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
    assert not isinstance(both, Disjoint)


@pytest.mark.parametrize(
    ("changed", "sets", "cells"),
    [
        ({}, 3, 12),
        ({"dependence": "tree"}, 3, 48),
        ({**TASK, "per_task": False}, 4, 14),
        ({**TASK, "dependence": "tree"}, 6, 3 * 16 + 3 * 8),
        ({**TASK, "per_task": True}, 3, 24),
        ({**TASK, "per_task": True, "dependence": "tree"}, 3, 96),
        ({"attributes": binned(4, 4, 4, missing=True)}, 3, 15),
        ({**LABELLED, "dependence": "tree"}, 3, 16 + 12 + 12),
    ],
)
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_a_person_moves_every_counted_set(changed: dict[str, Any], sets: int, cells: int, noise: str) -> None:
    asked = parameters(fit="dp", noise=noise, **changed)
    assert len(asked.subsets()) == sets
    event = flatten(calibrate(asked, BUDGET))[0]
    assert isinstance(event, RoundedGaussian if noise == "gaussian" else DiscreteLaplace)
    assert event.count == cells
    exact = sets * 2 * HALF_RANGE if noise == "laplace" else np.sqrt(sets * 2.0) * HALF_RANGE
    assert exact <= event.sensitivity <= exact * (1 + 1e-15)


@pytest.mark.parametrize(
    ("changed", "vacuous", "tested"),
    [
        ({}, False, True),
        ({"resampled": (2,)}, False, True),
        ({"resampled": (2, 3)}, False, True),
        ({"resampled": (3,)}, True, True),
        ({"resampled": (3,), "fit": "dp"}, True, True),
        ({"k": 1}, True, True),
        ({"attributes": binned(4, 1, 4), "resampled": (2, 3)}, True, True),  # what is kept has one value only
        ({"attributes": binned(1, 4, 1), "resampled": (2, 3)}, False, True),
        (MARGINALS_MODEL, True, True),
        ({**MARGINALS_MODEL, "fit": "dp"}, False, False),  # there is no test
    ],
)
def test_a_test_that_cannot_fail_is_called_vacuous(
    changed: dict[str, Any], *, vacuous: bool, tested: bool, spy: Spy
) -> None:
    asked = parameters(**{"k": 12, "rows": 1, **changed})
    assert asked.tested == tested
    assert not tested or asked.vacuous == vacuous
    event = calibrate(asked, BUDGET)
    told = [leaf.vacuous for leaf in flatten(event) if isinstance(leaf, DeniabilityTest)]
    assert told == [vacuous] * tested

    with contextlib.suppress(PlanError):
        _, released, _ = release(study([9] * 12), asked, BUDGET, random=seeded(26))
        assert released == event
    assert bool(spy.calls) == tested
    if tested:
        assert (spy.all("plausible") >= asked.k).all() == vacuous
