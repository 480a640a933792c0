"""Fit of synthetic records: who weighs what in joint counts, their noise, and the model that follows from them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from invented_records import Integers, parameters, seeded

from synthrelease.data.attribute import Attribute
from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian
from synthrelease.dp.noise import discrete_laplace, rounded_gaussian
from synthrelease.kinds.records.fit import fit_model, noisy_counts, weighted_counts
from synthrelease.kinds.records.model import SeededModel
from synthrelease.numerics.network import counted_subsets, fitted_network
from synthrelease.numerics.steps import HALF_RANGE

if TYPE_CHECKING:
    from collections.abc import Sequence


Subset = tuple[int, ...]
Drawn = tuple[Integers, Integers, list[int], list[Subset]]


# --- weights of people


@st.composite
def recorded(draw: st.DrawFn) -> Drawn:
    """Rows of up to six people, some with none, the number of categories of each attribute, and sets to count."""
    categories = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    m = len(categories)
    person = draw(st.lists(st.integers(0, 5), min_size=1, max_size=25))
    rows = [[draw(st.integers(0, size - 1)) for size in categories] for _ in person]
    some = st.sets(st.integers(0, m - 1), min_size=1, max_size=3).map(lambda s: tuple(sorted(s)))
    subsets = draw(st.lists(some, min_size=1, max_size=4, unique=True))
    return np.array(rows, dtype=np.int64), np.array(person, dtype=np.int64), categories, subsets


@given(drawn=recorded())
def test_each_person_weighs_the_same_in_every_set_whatever_number_of_rows(drawn: Drawn) -> None:
    records, people, categories, subsets = drawn
    totals = weighted_counts(records, people, categories, subsets)
    assert list(totals) == subsets
    added = {s: np.zeros([categories[a] for a in s], dtype=np.int64) for s in subsets}
    for person in np.unique(people):
        own = people == person
        alone = weighted_counts(records[own], people[own], categories, subsets)
        for subset, table in alone.items():
            assert table.shape == tuple(categories[a] for a in subset)
            assert table.sum() == HALF_RANGE
            for cell in np.ndindex(table.shape):  # the person's share, to the unit
                there = (records[own][:, subset] == cell).all(axis=1)
                exact = Fraction(int(there.sum()), int(own.sum())) * HALF_RANGE
                assert abs(int(table[cell]) - exact) < 1
            added[subset] += table
    for subset, table in totals.items():
        assert table.dtype == np.int64
        np.testing.assert_array_equal(table, added[subset])


@given(drawn=recorded(), data=st.data())
def test_repeating_or_reordering_rows_changes_no_weight(drawn: Drawn, data: st.DataObject) -> None:
    records, people, categories, subsets = drawn
    expected = weighted_counts(records, people, categories, subsets)
    order = data.draw(st.permutations(range(len(people))))
    times = np.where(people == people[0], 7, 1)  # seven times the rows of one person
    again = np.repeat(np.array(order), times[order])
    found = weighted_counts(records[again], people[again], categories, subsets)
    for subset, table in expected.items():
        np.testing.assert_array_equal(found[subset], table)


@given(drawn=recorded(), other=recorded())
def test_replacing_a_person_moves_a_set_by_two_shares_at_most(drawn: Drawn, other: Drawn) -> None:
    records, people, categories, subsets = drawn
    new = other[0][:, [0] * len(categories)] % categories
    stay = people != people[0]
    before = weighted_counts(records, people, categories, subsets)
    after = weighted_counts(
        np.concatenate([records[stay], new]),
        np.concatenate([people[stay], np.full(len(new), people[0])]),
        categories,
        subsets,
    )
    for subset, table in before.items():
        moved = table - after[subset]
        assert np.abs(moved).sum() <= 2 * HALF_RANGE
        assert (moved * moved).sum() <= 2 * HALF_RANGE**2


def test_no_one_weighs_nothing() -> None:
    nothing = np.empty((0, 2), dtype=np.int64)
    totals = weighted_counts(nothing, np.empty(0, dtype=np.int64), [3, 2], [(0,), (1,), (0, 1)])
    assert [total.tolist() for total in totals.values()] == [[0] * 3, [0] * 2, [[0, 0]] * 3]


def test_a_set_is_counted_jointly_with_an_axis_for_each_attribute_in_its_order() -> None:
    """Two people: one is (0, 2) twice and (1, 0) once, the other (1, 1)."""
    records = np.array([[0, 2], [1, 0], [0, 2], [1, 1]])
    counts = weighted_counts(records, np.array([0, 0, 0, 4]), [2, 3], [(0, 1), (0,)])
    assert counts[0, 1].tolist() == [[0, 0, 21845], [10923, 32768, 0]]
    assert counts[0,].tolist() == [21845, 10923 + 32768]


# --- noise


COUNTS = {
    (0,): np.array([5, 0, 7]),
    (1,): np.array([1]),
    (0, 2): np.array([[0, 12], [3, 4], [1, 1]]),
}
FLAT = np.array([5, 0, 7, 1, 0, 12, 3, 4, 1, 1])


@pytest.mark.parametrize("gaussian", [False, True])
def test_noise_is_one_vector_over_all_sets(*, gaussian: bool) -> None:
    event = (RoundedGaussian if gaussian else DiscreteLaplace)(2 * 3 * HALF_RANGE, 20_000.0, 10)
    found = noisy_counts(COUNTS, event, people=9, random=seeded(3))
    draw = rounded_gaussian if gaussian else discrete_laplace
    noise = draw(20_000.0, 10, random=seeded(3))
    assert {subset: table.shape for subset, table in found.items()} == {
        (0,): (3,),
        (1,): (1,),
        (0, 2): (3, 2),
    }
    np.testing.assert_array_equal(np.concatenate([t.ravel() for t in found.values()]), FLAT + noise)
    assert np.count_nonzero(noise) == 10


def test_the_type_of_noised_counts_follows_from_public_numbers_alone() -> None:
    """Not from how large the private counts are."""
    event = DiscreteLaplace(2 * 3 * HALF_RANGE, 20_000.0, 10)
    for people, kind in ((9, np.int32), (10**5, np.int64)):
        for factor in (0, 1, HALF_RANGE):
            scaled = {subset: table * factor for subset, table in COUNTS.items()}
            found = noisy_counts(scaled, event, people=people, random=seeded())
            assert {table.dtype for table in found.values()} == {np.dtype(kind)}


# --- the model


def people_with(rows_of: Sequence[int], sizes: Sequence[int], *, seed: int = 0) -> tuple[Integers, Integers]:
    """Records of people, each attribute like the one before it three times out of four."""
    rng = np.random.default_rng(seed)
    people = np.repeat(np.arange(len(rows_of)), rows_of)
    records = rng.integers(0, sizes, (people.size, len(sizes)))
    for a in range(1, len(sizes)):
        same = rng.random(people.size) < 0.75
        records[same, a] = records[same, a - 1] % sizes[a]
    return records, people


SIZES = (2, 4, 3, 4)
KINDS: dict[str, dict[str, Any]] = {
    "independent": {},
    "tree": {"dependence": "tree"},
    "per task": {"task": True, "per_task": True, "resampled": (1, 3)},
    "tree per task": {"task": True, "per_task": True, "dependence": "tree", "resampled": (1, 3)},
    "marginals": {"model": "marginals", "resampled": (4,)},
    "marginals, tree": {"model": "marginals", "resampled": (4,), "dependence": "tree"},
    "marginals, tree per task": {
        "model": "marginals",
        "resampled": (4,),
        "dependence": "tree",
        "task": True,
        "per_task": True,
    },
}
kinds = pytest.mark.parametrize("changed", KINDS.values(), ids=KINDS.keys())


def asked_for(changed: dict[str, Any]) -> Any:
    attributes = tuple(Attribute(f"x{a}", size, None, 0.0, 1.0) for a, size in enumerate(SIZES))
    return parameters(**{"attributes": attributes, "order": (0, 2, 3, 1), **changed})


@kinds
@pytest.mark.parametrize(
    "noise",
    [
        None,
        DiscreteLaplace(1, HALF_RANGE / 3, 1),
        RoundedGaussian(1.0, 9e3, 1),
        DiscreteLaplace(1, 90.0 * HALF_RANGE, 1),  # any noised counts make a model
    ],
    ids=["exact", "laplace", "gaussian", "drowned"],
)
def test_the_model_is_the_network_of_its_counts(
    changed: dict[str, Any], noise: DiscreteLaplace | RoundedGaussian | None
) -> None:
    """Of the weighted counts, or of those with noise made histograms of all people; σ, Ω as declared."""
    asked = asked_for(changed)
    records, people = people_with([1, 3, 2, 8, 1, 1, 4, 2, 5, 1, 2, 1], SIZES)
    model, counts = fit_model(records, people, asked.parameters, noise, random=seeded(1))
    task, tree = asked.per_task, asked.dependence == "tree"
    subsets = counted_subsets(4, tree=tree, per_task=task)
    assert list(counts) == asked.subsets() == subsets
    exact = weighted_counts(records, people, SIZES, subsets)
    expected = exact if noise is None else noisy_counts(exact, noise, people=12, random=seeded(1))
    for subset, table in counts.items():
        np.testing.assert_array_equal(table, expected[subset])
    network = fitted_network(
        expected,
        SIZES,
        tree=tree,
        per_task=task,
        order=None if asked.model == "marginals" else asked.order,
        people=None if noise is None else 12,
    )
    assert isinstance(model, SeededModel)
    assert (model.order, model.parents) == (network.order, network.parents)
    assert model.resampled == asked.resampled
    for found, table in zip(model.marginals, network.tables, strict=True):
        np.testing.assert_array_equal(found, table)
    if asked.model == "seeded":
        assert model.order == (0, 2, 3, 1)


def test_the_noised_counts_alone_make_the_model() -> None:
    """Whoever has the released counts has the model: other records of the same counts and noise give the same."""
    asked = asked_for({"dependence": "tree"})
    noise = DiscreteLaplace(1, HALF_RANGE / 3, 1)
    records, people = people_with([3] * 12, SIZES)
    order = np.random.default_rng(0).permutation(len(people))
    one, _ = fit_model(records, people, asked.parameters, noise, random=seeded(2))
    again, _ = fit_model(
        np.repeat(records[order], 4, axis=0),
        np.repeat(people[order], 4),
        asked.parameters,
        noise,
        random=seeded(2),
    )
    for table, other in zip(one.marginals, again.marginals, strict=True):
        np.testing.assert_array_equal(table, other)


def test_with_a_randomized_test_noised_counts_are_those_of_the_modelled_people() -> None:
    """Half of 13 people, rounded up, make the model: the histograms are of seven."""
    asked = replace(asked_for({"model": "marginals", "resampled": (4,)}), people=13)
    asked = replace(asked, fit="dp", model="seeded", resampled=(1,), threshold="randomized", epsilon0=1.0)
    assert (asked.seeds, asked.modelled) == (6, 7)
    records, people = people_with([2] * 7, SIZES)
    model, counts = fit_model(records, people, asked.parameters, DiscreteLaplace(1, 1.0, 1), random=seeded(3))
    network = fitted_network(counts, SIZES, tree=False, per_task=False, order=asked.order, people=7)
    for found, table in zip(model.marginals, network.tables, strict=True):
        np.testing.assert_array_equal(found, table)
    other = fitted_network(counts, SIZES, tree=False, per_task=False, order=asked.order, people=13)
    assert not np.allclose(model.marginals[0], other.tables[0])


def test_the_type_of_a_fits_counts_is_that_of_all_people_there_could_be() -> None:
    records, people = people_with([3] * 12, SIZES)
    for number, kind in ((12, np.int32), (10**5, np.int64)):
        asked = replace(asked_for({}), people=number)
        _, counts = fit_model(records, people, asked.parameters, DiscreteLaplace(1, 9.0, 1), random=seeded(4))
        assert {table.dtype for table in counts.values()} == {np.dtype(kind)}


@kinds
def test_records_of_no_one_make_an_even_model(changed: dict[str, Any]) -> None:
    asked = asked_for(changed)
    nothing = np.empty((0, 4), dtype=np.int64)
    model, _ = fit_model(nothing, np.empty(0, dtype=np.int64), asked.parameters, None, random=seeded())
    for size, table in zip(SIZES, model.marginals, strict=True):
        np.testing.assert_allclose(table, 1 / size)
