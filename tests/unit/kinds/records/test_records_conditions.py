"""Models under conditions, against enumeration of the joint distribution: every record and its probability."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from invented_records import ALARM, p_of, seeded
from refusals import bad_argument
from tiers import few

from synthrelease.kinds.records.model import SeededModel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Row = tuple[int, ...]


def sizes_of(model: SeededModel) -> list[int]:
    return [table.shape[-1] for table in model.marginals]


def everything(model: SeededModel) -> list[Row]:
    return list(itertools.product(*map(range, sizes_of(model))))


def joint(model: SeededModel) -> dict[Row, float]:
    """Pr of every record: the product of its table entries."""
    return {
        y: math.prod(
            float(table[(*(y[b] for b in own), y[a])])
            for a, (table, own) in enumerate(zip(model.marginals, model.parents, strict=True))
        )
        for y in everything(model)
    }


def conditional(model: SeededModel, conditions: Mapping[int, int]) -> dict[Row, float] | None:
    """Pr of every record given the conditions; None where they cannot occur."""
    weights = {
        y: p if all(y[a] == category for a, category in conditions.items()) else 0.0
        for y, p in joint(model).items()
    }
    total = math.fsum(weights.values())
    return {y: p / total for y, p in weights.items()} if total > 0 else None


@st.composite
def networks(draw: st.DrawFn, *, kind: str) -> SeededModel:
    """Trees, trees with a common parent 0, or any network in which the parents of an attribute depend on each other.

    Tables have zeros; the order is any in which parents stand before children, and so are the axes.
    """
    m = draw(st.integers(1, 5))
    sizes = draw(st.lists(st.integers(1, 3), min_size=m, max_size=m))
    order = (0, *draw(st.permutations(range(1, m))))
    parents: list[Row] = [()] * m
    for position, a in enumerate(order[1:], start=1):
        last = draw(st.sampled_from(order[:position]))
        if kind == "tree":
            own = {last} if draw(st.integers(0, 4)) else set()
        elif kind == "common-parent":
            own = {0, last}
        else:
            own = {last, *(b for b in parents[last] if draw(st.booleans()))}
        parents[a] = tuple(draw(st.permutations(sorted(own))))
    if kind == "tree":
        order = draw(st.sampled_from(orders(parents)))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    tables = []
    for a, own in enumerate(parents):
        weights = rng.integers(0, 5, [*(sizes[b] for b in own), sizes[a]]).astype(float)
        weights[..., rng.integers(sizes[a])] += 1
        tables.append(weights / weights.sum(axis=-1, keepdims=True))
    resampled = draw(st.sets(st.integers(1, m), min_size=1))
    return SeededModel(tables, order, sorted(resampled), parents)


def orders(parents: list[Row]) -> list[Row]:
    """Every order in which parents stand before their children."""
    m = range(len(parents))
    return [
        order
        for order in itertools.permutations(m)
        if all(set(parents[a]) <= set(order[:position]) for position, a in enumerate(order))
    ]


kinds = pytest.mark.parametrize("kind", ["tree", "common-parent", "decomposable"])


@pytest.mark.quick("tree")
@kinds
def test_the_conditional_distribution_is_that_of_the_enumeration(kind: str) -> None:
    impossible = 0

    @settings(max_examples=200)
    @given(model=networks(kind=kind), data=st.data())
    def check(model: SeededModel, data: st.DataObject) -> None:
        nonlocal impossible
        some = data.draw(st.sets(st.integers(0, len(model.order) - 1)))
        conditions = {a: data.draw(st.integers(0, sizes_of(model)[a] - 1)) for a in sorted(some)}
        expected = conditional(model, conditions)
        if expected is None:
            impossible += 1
            with bad_argument(ValueError, "conditions"):
                model.given(conditions)
            return
        found = model.given(conditions)
        assert (found.order, found.parents) == (model.order, model.parents)
        assert found.resampled == (len(model.order),)
        for y, p in joint(found).items():
            assert p == pytest.approx(expected[y], rel=1e-9, abs=1e-15)
            assert (p == 0) == (expected[y] == 0)

    check()
    assert impossible > 2


@given(model=networks(kind="common-parent"), data=st.data())
def test_conditions_one_after_the_other_are_conditions_together(
    model: SeededModel, data: st.DataObject
) -> None:
    conditions = {a: data.draw(st.integers(0, size - 1)) for a, size in enumerate(sizes_of(model))}
    order = data.draw(st.permutations(sorted(conditions)))[:3]
    together = {a: conditions[a] for a in order}
    if conditional(model, together) is None:
        return
    one = model
    for a in order:
        one = one.given({a: conditions[a]})
    for (y, p), (_, q) in zip(joint(one).items(), joint(model.given(together)).items(), strict=True):
        assert p == pytest.approx(q, rel=1e-9, abs=1e-15), y


@few
@given(model=networks(kind="tree"))
def test_no_condition_changes_nothing_but_that_nothing_is_kept(model: SeededModel) -> None:
    before = [table.copy() for table in model.marginals]
    same = model.given({})
    assert same.resampled == model.whole.resampled
    for one, other, copy in zip(same.marginals, model.marginals, before, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
        np.testing.assert_array_equal(other, copy)


def chain() -> SeededModel:
    """0 → 1 → 2: the condition on the last must reach the first."""
    return SeededModel(
        [[0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], [[1.0, 0.0], [0.25, 0.75]]], (0, 1, 2), (1,), [(), (0,), (1,)]
    )


def test_a_condition_on_a_child_is_told_to_the_parents_parent() -> None:
    """2 = 1 only if 1 = 1, of which Pr is 0.1 where 0 = 0 and 0.8 where 0 = 1."""
    model = chain().given({2: 1})
    np.testing.assert_allclose(model.marginals[0], [1 / 9, 8 / 9])
    np.testing.assert_allclose(model.marginals[1], [[0, 1], [0, 1]])
    np.testing.assert_allclose(model.marginals[2][1], [0, 1])


def test_records_drawn_under_conditions_meet_them_and_follow_the_rest() -> None:
    model = chain()
    for conditions in ({}, {0: 1}, {1: 1}, {2: 0}, {0: 0, 2: 0}, {2: 1, 1: 1}):
        expected = conditional(model, conditions)
        assert expected is not None
        drawn = model.given(conditions).sample(np.ones((20_000, 3), dtype=np.int64), seeded(31))
        for a, category in conditions.items():
            assert (drawn[:, a] == category).all()
        observed = np.bincount(np.ravel_multi_index(drawn.T, (2, 2, 2)), minlength=8)
        assert p_of(observed, list(expected.values())) > ALARM
    # the control: a condition that is told to its own table alone, and not to the parents
    drawn = model.given({2: 0}).sample(np.zeros((20_000, 3), dtype=np.int64), seeded(32))
    assert p_of(np.bincount(drawn[:, 0] * 2 + drawn[:, 1], minlength=4), [0.45, 0.05, 0.1, 0.4]) < ALARM


def test_an_impossible_condition_is_refused_wherever_it_is_impossible() -> None:
    for conditions in ({1: 0, 2: 1}, {0: 1, 1: 0, 2: 1}):
        with bad_argument(ValueError, "conditions"):
            chain().given(conditions)
    alone = SeededModel([[1.0, 0.0], [0.5, 0.5]], (1, 0), (1,))
    with bad_argument(ValueError, "conditions"):
        alone.given({0: 1})


@pytest.mark.parametrize(
    ("parents", "attribute"),
    [
        ([(), (), (0, 1)], 2),
        ([(), (0,), (0,), (1, 2)], 3),
        ([(), (0,), (1,), (0, 2)], 3),
    ],
)
@pytest.mark.parametrize("conditions", [{0: 0}, {2: 1}, {}])
def test_parents_that_do_not_depend_on_each_other_are_refused(
    parents: list[Any], attribute: int, conditions: dict[int, int]
) -> None:
    """Told what their child is, they would depend on each other: no table of this network can say so."""
    m = len(parents)
    tables: list[NDArray[np.float64]] = [np.full((2,) * (len(own) + 1), 0.5) for own in parents]
    model = SeededModel(tables, range(m), (1,), parents)
    with bad_argument(ValueError, "parents", parents[attribute], attribute):
        model.given(conditions)
