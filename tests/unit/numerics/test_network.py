"""Networks against slow references: all spanning trees, loops over cells in exact fractions, mutual information by
its definition.

Mutual informations are compared as the network compares them, to nine digits: trees that differ by less are equal.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthrelease.numerics.network import Network, counted_subsets, fitted_network
from synthrelease.numerics.simplex import onto_simplex
from synthrelease.numerics.steps import HALF_RANGE as H

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from synthrelease.numerics.network import Subset

    Counts = dict[Subset, NDArray[Any]]

TIE = 1e-8  # more than all roundings of up to five mutual informations


# --- which sets are counted


@pytest.mark.parametrize(
    ("attributes", "tree", "per_task", "expected"),
    [
        (3, False, False, [(0,), (1,), (2,)]),
        (3, True, False, [(0, 1), (0, 2), (1, 2)]),
        (4, True, False, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]),
        (3, False, True, [(0, 1), (0, 2)]),
        (4, True, True, [(0, 1, 2), (0, 1, 3), (0, 2, 3)]),
        (1, False, False, [(0,)]),
        (1, True, False, [(0,)]),  # no pair: the attribute by itself
        (2, True, True, [(0, 1)]),
        (1, True, True, [(0,)]),  # the label alone
        (1, False, True, [(0,)]),
    ],
)
def test_sets_are_single_attributes_or_pairs_with_the_label_in_each(
    attributes: int, expected: list[Subset], *, tree: bool, per_task: bool
) -> None:
    assert counted_subsets(attributes, tree=tree, per_task=per_task) == expected


@pytest.mark.parametrize("tree", [False, True])
@pytest.mark.parametrize("per_task", [False, True])
def test_no_set_is_counted_twice_and_no_attribute_is_forgotten(*, tree: bool, per_task: bool) -> None:
    """Each set costs budget."""
    for attributes in range(1, 8):
        subsets = counted_subsets(attributes, tree=tree, per_task=per_task)
        assert len(set(subsets)) == len(subsets)
        assert set(itertools.chain(*subsets)) == set(range(attributes))
        assert all(list(subset) == sorted(set(subset)) for subset in subsets)


# --- the reference


def counts_of(records: Sequence[Sequence[int]], categories: Sequence[int], subsets: list[Subset]) -> Counts:
    """Joint counts of people with one record each."""
    counts: Counts = {}
    for subset in subsets:
        counts[subset] = np.zeros([categories[a] for a in subset], dtype=np.int64)
        for record in records:
            counts[subset][tuple(record[a] for a in subset)] += H
    return counts


def summed(counts: Mapping[Subset, NDArray[Any]], subset: Subset) -> dict[Subset, Fraction]:
    """People in each cell of a set of attributes: the mean over all counted sets that contain it."""
    tables = [(counted, table) for counted, table in counts.items() if set(subset) <= set(counted)]
    cells: dict[Subset, Fraction] = {}
    for counted, table in tables:
        for index in np.ndindex(table.shape):
            cell = tuple(index[counted.index(a)] for a in subset)
            share = Fraction(float(table[index])) / (H * len(tables))
            cells[cell] = cells.get(cell, Fraction(0)) + share
    return cells


def information(counts: Mapping[Subset, NDArray[Any]], one: int, other: int, given: Subset = ()) -> float:
    """Σ p(x, y, z)·ln[p(x, y, z)·p(z)/(p(x, z)·p(y, z))]; z is one category where nothing is given."""
    subset = tuple(sorted((*given, one, other)))
    joint = {cell: people for cell, people in summed(counts, subset).items() if people > 0}
    total = sum(joint.values())

    def weight(cell: Subset, kept: Subset) -> Fraction:
        at = [subset.index(a) for a in kept]
        return sum((people for c, people in joint.items() if all(c[i] == cell[i] for i in at)), Fraction(0))

    return math.fsum(
        float(people / total)
        * math.log(
            people * weight(cell, given) / (weight(cell, (*given, one)) * weight(cell, (*given, other)))
        )
        for cell, people in joint.items()
    )


def reference_table(
    counts: Mapping[Subset, NDArray[Any]], categories: Sequence[int], parents: Subset, a: int
) -> NDArray[np.float64]:
    """Pr(a | parents), cell by cell: one person is spread evenly over the parents and over a as its marginal.

    The marginal itself has one person spread evenly over the categories.
    """
    alone = summed(counts, (a,))
    total = sum(alone.values()) + 1
    one_way = [(alone[(x,)] + Fraction(1, categories[a])) / total for x in range(categories[a])]
    shape = [categories[b] for b in parents]
    table = np.empty([*shape, categories[a]])
    subset = tuple(sorted((*parents, a)))
    people = summed(counts, subset)
    for above in itertools.product(*map(range, shape)):
        where = dict(zip(parents, above, strict=True))
        weights = []
        for x in range(categories[a]):
            cell = tuple(x if b == a else where[b] for b in subset)
            prior = one_way[x] / math.prod(shape)
            weights.append(people[cell] + prior if parents else one_way[x])
        table[above] = [float(w / sum(weights)) for w in weights]
    return table


def spanning_trees(nodes: Sequence[int]) -> list[list[tuple[int, int]]]:
    """Every set of edges that joins all nodes without a circle."""
    edges = list(itertools.combinations(nodes, 2))
    trees = []
    for chosen in itertools.combinations(edges, len(nodes) - 1):
        group = {node: node for node in nodes}
        for one, other in chosen:
            old, new = group[one], group[other]
            group = {node: new if own == old else own for node, own in group.items()}
        if len(set(group.values())) == 1:
            trees.append(list(chosen))
    return trees


def test_the_reference_knows_cayleys_numbers_of_trees() -> None:
    assert [len(spanning_trees(range(n))) for n in range(2, 6)] == [1, 3, 16, 125]


def test_the_reference_knows_the_information_of_a_fair_coin() -> None:
    same = counts_of([(0, 0), (1, 1)], (2, 2), [(0, 1)])
    assert information(same, 0, 1) == pytest.approx(math.log(2))
    apart = counts_of(list(itertools.product(range(2), repeat=2)), (2, 2), [(0, 1)])
    assert information(apart, 0, 1) == pytest.approx(0, abs=1e-15)
    # given the label, x = y or x ≠ y: one bit; not given it, none
    parity = counts_of([(x ^ y, x, y) for x in range(2) for y in range(2)], (2, 2, 2), [(0, 1, 2)])
    assert information(parity, 1, 2, (0,)) == pytest.approx(math.log(2))
    assert information(parity, 1, 2) == pytest.approx(0, abs=1e-15)


# --- random counts

Case = tuple["Counts", list[int]]


@st.composite
def cases(draw: st.DrawFn, *, per_task: bool = False, tree: bool = True, most: int = 5) -> Case:
    """Joint counts of up to fourteen people with dependent attributes, some of them scaled, some with odd shares."""
    m = draw(st.integers(1 + per_task, most))
    categories = draw(st.lists(st.integers(1, 3), min_size=m, max_size=m))
    records = []
    for _ in range(draw(st.integers(1, 14))):
        level = draw(st.integers(0, 5))  # what attributes have in common
        records.append([(level if draw(st.booleans()) else draw(st.integers(0, 2))) % c for c in categories])
    counts = counts_of(records, categories, counted_subsets(m, tree=tree, per_task=per_task))
    if draw(st.booleans()):
        rng = np.random.default_rng(draw(st.integers(0, 10**6)))
        counts = {s: table + rng.integers(0, H // 2, table.shape) for s, table in counts.items()}
    return counts, categories


def edges_of(network: Network, label: Subset = ()) -> list[tuple[int, int]]:
    """The pairs of child and parent, the label left out."""
    return [(min(a, b), max(a, b)) for a, own in enumerate(network.parents) for b in own if b not in label]


@given(drawn=cases())
def test_no_spanning_tree_has_more_mutual_information(drawn: Case) -> None:
    """Chow & Liu 1968: of all trees this one is the most informative; there may be others like it."""
    counts, categories = drawn
    m = len(categories)
    network = fitted_network(counts, categories, tree=True, per_task=False, order=None, people=None)
    weight = {pair: information(counts, *pair) for pair in itertools.combinations(range(m), 2)}
    edges = edges_of(network)
    assert len(edges) == m - 1
    assert sorted(edges) in [sorted(tree) for tree in spanning_trees(range(m))]
    most = max((math.fsum(weight[e] for e in tree) for tree in spanning_trees(range(m))), default=0.0)
    assert math.fsum(weight[e] for e in edges) >= most - TIE


@given(drawn=cases(per_task=True))
def test_with_a_task_the_information_is_that_within_tasks(drawn: Case) -> None:
    """Friedman et al. 1997: every attribute has the label as a parent, and one more at most."""
    counts, categories = drawn
    m = len(categories)
    network = fitted_network(counts, categories, tree=True, per_task=True, order=None, people=None)
    assert network.parents[0] == ()
    assert all(0 in own for own in network.parents[1:])
    weight = {pair: information(counts, *pair, (0,)) for pair in itertools.combinations(range(1, m), 2)}
    edges = edges_of(network, (0,))
    trees = spanning_trees(range(1, m))
    assert sorted(edges) in [sorted(tree) for tree in trees]
    most = max(math.fsum(weight[e] for e in tree) for tree in trees)
    assert math.fsum(weight[e] for e in edges) >= most - TIE


def test_the_tree_within_tasks_may_be_another_than_that_of_all_together() -> None:
    """x tells the task, and z is y in one task and its opposite in the other: without the task nothing joins y and z."""
    records = [(task, task, y, y ^ task) for task in range(2) for y in range(2) for _ in range(3)]
    together = counts_of(records, (2,) * 4, counted_subsets(4, tree=True, per_task=False))
    within = counts_of(records, (2,) * 4, counted_subsets(4, tree=True, per_task=True))
    network = fitted_network(within, (2,) * 4, tree=True, per_task=True, order=None, people=None)
    assert (2, 3) in edges_of(network, (0,))
    assert information(together, 2, 3) < 0.01
    assert information(within, 2, 3, (0,)) > 0.4


@given(drawn=cases(), data=st.data())
def test_under_a_declared_order_each_attribute_has_the_best_parent_before_it(
    drawn: Case, data: st.DataObject
) -> None:
    counts, categories = drawn
    order = data.draw(st.permutations(range(len(categories))))
    network = fitted_network(counts, categories, tree=True, per_task=False, order=order, people=None)
    assert network.order == tuple(order)
    assert network.parents[order[0]] == ()
    for position, a in enumerate(order[1:], start=1):
        (parent,) = network.parents[a]
        assert parent in order[:position]
        best = max(information(counts, a, b) for b in order[:position])
        assert information(counts, a, parent) >= best - TIE


@given(drawn=cases(per_task=True), data=st.data())
def test_under_a_declared_order_with_a_task_the_label_stands_first(drawn: Case, data: st.DataObject) -> None:
    counts, categories = drawn
    rest = data.draw(st.permutations(range(1, len(categories))))
    order = (0, *rest)
    network = fitted_network(counts, categories, tree=True, per_task=True, order=order, people=None)
    assert network.order == order
    assert network.parents[0] == ()
    assert network.parents[rest[0]] == (0,)
    for position, a in enumerate(rest[1:], start=1):
        label, parent = network.parents[a]
        assert (label, parent in rest[:position]) == (0, True)
        best = max(information(counts, a, b, (0,)) for b in rest[:position])
        assert information(counts, a, parent, (0,)) >= best - TIE


@pytest.mark.parametrize("order", [None, (0, 2, 1)])
@pytest.mark.parametrize("per_task", [False, True])
def test_without_a_tree_attributes_have_no_parent_but_the_label(
    order: tuple[int, ...] | None, *, per_task: bool
) -> None:
    same = [(0, 0, 0), (1, 1, 1)]  # whatever the counts say
    counts = counts_of(same, (2, 2, 2), counted_subsets(3, tree=False, per_task=per_task))
    network = fitted_network(counts, (2, 2, 2), tree=False, per_task=per_task, order=order, people=None)
    assert network.order == (order or (0, 1, 2))
    assert network.parents == ((), (0,) * per_task, (0,) * per_task)


# --- the order


@given(drawn=cases(), per_task=st.booleans(), tree=st.booleans())
def test_parents_stand_before_their_children(drawn: Case, *, per_task: bool, tree: bool) -> None:
    _, categories = drawn
    m = len(categories)
    per_task = per_task and m > 1
    rng = np.random.default_rng(sum(categories))
    counts: Counts = {
        subset: rng.integers(0, 9 * H, [categories[a] for a in subset])
        for subset in counted_subsets(m, tree=tree, per_task=per_task)
    }
    network = fitted_network(counts, categories, tree=tree, per_task=per_task, order=None, people=None)
    assert sorted(network.order) == list(range(m))
    if per_task:
        assert network.order[0] == 0
    for position, a in enumerate(network.order):
        assert set(network.parents[a]) <= set(network.order[:position])
        assert list(network.parents[a]) == sorted(network.parents[a])
        assert network.tables[a].shape == tuple(categories[b] for b in (*network.parents[a], a))


def test_equal_trees_are_chosen_by_number_so_that_every_machine_builds_the_same() -> None:
    """Three copies of a coin: every tree is as good; each attribute takes the parent of the least number."""
    counts = counts_of([(0,) * 4, (1,) * 4], (2,) * 4, counted_subsets(4, tree=True, per_task=False))
    network = fitted_network(counts, (2,) * 4, tree=True, per_task=False, order=None, people=None)
    assert (network.order, network.parents) == ((0, 1, 2, 3), ((), (0,), (0,), (0,)))


@given(drawn=cases(), data=st.data())
def test_the_network_is_a_function_of_the_counts_not_of_how_they_come(
    drawn: Case, data: st.DataObject
) -> None:
    counts, categories = drawn
    again = {subset: counts[subset].copy() for subset in data.draw(st.permutations(sorted(counts)))}
    before = {subset: table.copy() for subset, table in counts.items()}
    fitted = [
        fitted_network(c, categories, tree=True, per_task=False, order=None, people=9)
        for c in (counts, again)
    ]
    assert fitted[0].order == fitted[1].order
    assert fitted[0].parents == fitted[1].parents
    for one, other in zip(fitted[0].tables, fitted[1].tables, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)
    for subset, table in before.items():
        np.testing.assert_array_equal(counts[subset], table)
    once_more = fitted_network(counts, categories, tree=True, per_task=False, order=None, people=9)
    for one, other in zip(fitted[0].tables, once_more.tables, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_difference_in_the_sixteenth_digit_builds_no_other_tree() -> None:
    """Mutual informations are compared to nine digits: sums in another order must not decide."""
    rng = np.random.default_rng(3)
    counts: Counts = {s: np.zeros((2, 2)) for s in counted_subsets(4, tree=True, per_task=False)}
    for table in counts.values():
        table[...] = [[5 * H, H], [H, 5 * H]]
    plain = fitted_network(counts, (2,) * 4, tree=True, per_task=False, order=None, people=None)
    for _ in range(20):
        noisy = {s: table * (1 + rng.uniform(-1e-14, 1e-14, (2, 2))) for s, table in counts.items()}
        again = fitted_network(noisy, (2,) * 4, tree=True, per_task=False, order=None, people=None)
        assert again.parents == plain.parents == ((), (0,), (0,), (0,))


# --- the tables


@pytest.mark.parametrize("per_task", [False, True])
@pytest.mark.parametrize("tree", [False, True])
def test_tables_are_those_of_the_slow_reference(*, tree: bool, per_task: bool) -> None:
    @given(drawn=cases(per_task=per_task, tree=tree, most=4))
    def check(drawn: Case) -> None:
        counts, categories = drawn
        network = fitted_network(counts, categories, tree=tree, per_task=per_task, order=None, people=None)
        for a, table in enumerate(network.tables):
            expected = reference_table(counts, categories, network.parents[a], a)
            np.testing.assert_allclose(table, expected, rtol=1e-11)
            np.testing.assert_allclose(table.sum(axis=-1), 1.0, rtol=1e-12)
            assert (table > 0).all()  # nothing is impossible

    check()


def test_the_marginal_of_people_has_one_person_more_spread_over_its_categories() -> None:
    """Three people in one category, five in another, none in two."""
    counts: Counts = {(0,): np.array([3 * H, 0, 5 * H, 0])}
    network = fitted_network(counts, (4,), tree=False, per_task=False, order=None, people=None)
    assert network.tables[0].tolist() == [3.25 / 9, 0.25 / 9, 5.25 / 9, 0.25 / 9]


def test_a_table_given_a_parent_by_hand() -> None:
    """(x, y) of four people: (0, 0) twice, (0, 1), (1, 1). y's marginal with one person more is (2.5, 2.5)/5."""
    counts = counts_of([(0, 0), (0, 0), (0, 1), (1, 1)], (2, 2), [(0, 1)])
    network = fitted_network(counts, (2, 2), tree=True, per_task=False, order=None, people=None)
    assert network.parents == ((), (0,))
    np.testing.assert_allclose(network.tables[0], [3.5 / 5, 1.5 / 5])
    np.testing.assert_allclose(network.tables[1], [[2.25 / 3.5, 1.25 / 3.5], [0.25 / 1.5, 1.25 / 1.5]])


def test_the_axes_are_the_parents_in_order_of_number_and_then_the_attribute_itself() -> None:
    """Also where a parent has a larger number than its child; categories 3, 2 and 4 tell axes apart."""
    records = [(2, 1, 3), (0, 0, 1), (1, 1, 3), (2, 0, 1)] * 3
    sizes = (3, 2, 4)
    counts = counts_of(records, sizes, counted_subsets(3, tree=True, per_task=True))
    network = fitted_network(counts, sizes, tree=True, per_task=True, order=(0, 2, 1), people=None)
    assert network.parents == ((), (0, 2), (0,))
    assert network.tables[1].shape == (3, 4, 2)
    assert network.tables[1][2, 3].argmax() == 1  # who has 2 and 3 has 1
    assert network.tables[1][2, 1].argmax() == 0
    np.testing.assert_allclose(network.tables[1], reference_table(counts, sizes, (0, 2), 1), rtol=1e-12)


def test_parents_that_no_one_has_leave_the_attributes_own_marginal() -> None:
    counts = counts_of([(0, 0), (0, 1), (0, 1)], (3, 2), [(0, 1)])
    network = fitted_network(counts, (3, 2), tree=True, per_task=False, order=None, people=None)
    for row in (1, 2):
        np.testing.assert_allclose(network.tables[1][row], [1.5 / 4, 2.5 / 4])


def test_counts_of_no_one_make_even_tables() -> None:
    for tree, per_task in itertools.product((False, True), repeat=2):
        subsets = counted_subsets(3, tree=tree, per_task=per_task)
        counts: Counts = {s: np.zeros([(2, 3, 4)[a] for a in s], dtype=np.int64) for s in subsets}
        network = fitted_network(counts, (2, 3, 4), tree=tree, per_task=per_task, order=None, people=None)
        for size, table in zip((2, 3, 4), network.tables, strict=True):
            np.testing.assert_allclose(table, 1 / size, rtol=1e-12)


# --- noised counts


@pytest.mark.parametrize("per_task", [False, True])
@pytest.mark.parametrize("tree", [False, True])
def test_noised_counts_are_made_histograms_of_all_people_first(*, tree: bool, per_task: bool) -> None:
    """Set by set: the network is that of the nearest histograms, each of n people, and a distribution in any case."""
    some_negative = False
    for seed, scale in itertools.product(range(6), (H // 2, 20 * H)):
        rng = np.random.default_rng(seed)
        categories, people = (2, 3, 2, 3), 12
        records = rng.integers(0, categories, (people, 4)).tolist()
        subsets = counted_subsets(4, tree=tree, per_task=per_task)
        noisy = {
            s: t + np.rint(rng.laplace(0, scale, t.shape)).astype(np.int64)
            for s, t in counts_of(records, categories, subsets).items()
        }
        some_negative |= any((t < 0).any() for t in noisy.values())
        network = fitted_network(noisy, categories, tree=tree, per_task=per_task, order=None, people=people)
        nearest = {s: onto_simplex(t, people * H) for s, t in noisy.items()}
        expected = fitted_network(nearest, categories, tree=tree, per_task=per_task, order=None, people=None)
        assert (network.order, network.parents) == (expected.order, expected.parents)
        for a, (found, table) in enumerate(zip(network.tables, expected.tables, strict=True)):
            np.testing.assert_array_equal(found, table)
            slow = reference_table(nearest, categories, network.parents[a], a)
            np.testing.assert_allclose(found, slow, rtol=1e-9)
            assert (found > 0).all()
    assert some_negative


@pytest.mark.parametrize("counts", [[-5, -(10**9), 0], [2**40, 3, -7], [-1, -1, -1], [2**61, -(2**61), 0]])
def test_any_noised_counts_make_a_distribution(counts: list[int]) -> None:
    for kind in (np.int32, np.int64):
        if max(map(abs, counts)) >= 2**31 and kind is np.int32:
            continue
        noisy: Counts = {(0,): np.array(counts, dtype=kind)}
        network = fitted_network(noisy, (3,), tree=False, per_task=False, order=None, people=8)
        assert network.tables[0].sum() == pytest.approx(1.0, abs=1e-12)
        assert network.tables[0].min() >= (1 / 3) / 9 - 1e-12  # a third of the one person more, among nine


def test_counts_that_noise_made_equal_leave_an_even_marginal() -> None:
    noisy: Counts = {(0,): np.array([-5, -5, -5])}
    network = fitted_network(noisy, (3,), tree=False, per_task=False, order=None, people=8)
    np.testing.assert_allclose(network.tables[0], [1 / 3] * 3, rtol=1e-12)


def test_without_noise_counts_are_taken_as_they_are() -> None:
    """An exact fit of fewer people than n: rows without a value take no part, and no one is invented."""
    counts: Counts = {(0,): np.array([2 * H, H])}
    exact = fitted_network(counts, (2,), tree=False, per_task=False, order=None, people=None)
    assert exact.tables[0].tolist() == [2.5 / 4, 1.5 / 4]
    filled = fitted_network(counts, (2,), tree=False, per_task=False, order=None, people=9)
    assert filled.tables[0].tolist() == [5.5 / 10, 4.5 / 10]


def test_a_count_that_stands_in_several_sets_is_their_mean() -> None:
    """Noise makes sets contradict each other: attribute 0 has two people in one pair and four in the other."""
    counts: Counts = {
        (0, 1): np.array([[2, 0], [0, 2]]) * H,
        (0, 2): np.array([[0, 4], [0, 0]]) * H,
        (1, 2): np.array([[1, 1], [1, 1]]) * H,
    }
    network = fitted_network(counts, (2, 2, 2), tree=True, per_task=False, order=None, people=None)
    np.testing.assert_allclose(
        network.tables[0], [3.5 / 5, 1.5 / 5]
    )  # (2 + 4)/2 and (2 + 0)/2, and one half each
