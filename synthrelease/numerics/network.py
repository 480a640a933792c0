"""Bayesian networks of categorical attributes: which joint counts to take, and the tables that follow from them.

A network draws its attributes one after the other, each from a table of probabilities given its *parents*, which come
before it. Counts are in steps of 1/`HALF_RANGE` of a person, exact or noisy; everything here is a function of them and
of public numbers, so that noisy counts determine the network (`verify` computes it again).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.simplex import onto_simplex
from synthrelease.numerics.steps import HALF_RANGE

Subset = tuple[int, ...]  # attributes by number, in increasing order
PRIOR = 1.0  # people spread over every table, so that nothing is impossible
_DIGITS = 9  # of a mutual information: machines that differ in the sixteenth digit build the same tree


@dataclass(frozen=True)
class Network:
    """Attributes in an order in which they can be drawn, and their tables."""

    order: tuple[int, ...]  # a permutation of the attributes; parents stand before their children
    parents: tuple[Subset, ...]  # of each attribute
    # of each attribute, the probabilities of its categories given its parents, of shape (categories of parents
    # …, its own)
    tables: tuple[NDArray[np.float64], ...]


def counted_subsets(attributes: int, *, tree: bool, per_task: bool) -> list[Subset]:
    """Return the sets of attributes whose joint counts a network is made of.

    Independent attributes take one-way counts; a tree takes those of all pairs. With a model per task the task's
    label, attribute 0, is one more member of every set.
    """
    members = range(1, attributes) if per_task else range(attributes)
    size = min(2 if tree else 1, len(members))
    return [(0,) * per_task + chosen for chosen in itertools.combinations(members, size)]


def fitted_network(
    counts: Mapping[Subset, NDArray[np.number]],
    categories: Sequence[int],
    *,
    tree: bool,
    per_task: bool,
    order: Sequence[int] | None,
    people: int | None,
) -> Network:
    """Return the network that joint counts call for.

    A tree is that of Chow & Liu 1968: of all trees the one with the largest sum of mutual informations, given the
    task's label where there is a model per task (Friedman et al. 1997). Under a declared order it is the best one
    whose parents stand before their children.

    Args:
        counts: of the sets named by `counted_subsets`, each of the shape of its attributes' categories.
        categories: number of categories of each attribute.
        tree: whether attributes depend on one another.
        per_task: whether each task has tables of its own; attribute 0 is the task's label.
        order: σ; None where nothing is kept of a seed and any order will do.
        people: n if the counts carry noise: each set of them is then made a histogram of n people first.
    """
    if people is not None:
        counts = {subset: onto_simplex(table, people * HALF_RANGE) for subset, table in counts.items()}
    m = len(categories)
    label = (0,) * per_task
    drawn = [a for a in (range(m) if order is None else order) if a not in label]
    parent = _tree(counts, drawn, label, any_order=order is None) if tree else dict.fromkeys(drawn)
    full_order = (*label, *parent) if order is None else tuple(order)
    parents = tuple(
        tuple(sorted((*label, *(() if parent.get(a) is None else (parent[a],))))) if a in parent else ()
        for a in range(m)
    )
    one_way = [normalised(_joint(counts, (a,)) / HALF_RANGE + PRIOR / categories[a]) for a in range(m)]
    tables = tuple(_conditional(counts, parents[a], a, one_way[a]) for a in range(m))
    return Network(full_order, parents, tables)


def _tree(
    counts: Mapping[Subset, NDArray[np.number]], attributes: Sequence[int], label: Subset, *, any_order: bool
) -> dict[int, int | None]:
    """The parent of each attribute, in an order in which they can be drawn."""
    weight = {
        pair: round(_mutual_information(_joint(counts, (*label, *pair)), conditional=bool(label)), _DIGITS)
        for pair in itertools.combinations(sorted(attributes), 2)
    }
    parent: dict[int, int | None] = {attributes[0]: None} if attributes else {}
    waiting = list(attributes[1:])
    while waiting:  # Prim's algorithm; under a declared order the next attribute is given
        children = waiting if any_order else waiting[:1]
        _, child, best = max(
            ((weight[min(a, b), max(a, b)], a, b) for a in children for b in parent),
            key=lambda edge: (edge[0], -edge[1], -edge[2]),
        )
        parent[child] = best
        waiting.remove(child)
    return parent


def _joint(counts: Mapping[Subset, NDArray[np.number]], subset: Subset) -> NDArray[np.float64]:
    """The counts of a set of attributes: the mean over all counted sets that contain it."""
    if subset in counts:  # no other set of its size contains it
        return counts[subset].astype(np.float64)
    sums = [
        table.sum(axis=tuple(axis for axis, a in enumerate(counted) if a not in subset), dtype=np.float64)
        for counted, table in counts.items()
        if set(subset) <= set(counted)
    ]
    mean: NDArray[np.float64] = np.mean(sums, axis=0)
    return mean


def _conditional(
    counts: Mapping[Subset, NDArray[np.number]], parents: Subset, a: int, one_way: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Pr(a | parents): people, and a prior of one person spread evenly over the parents, over a as its marginal."""
    if not parents:
        return one_way
    subset = tuple(sorted((*parents, a)))
    people = np.moveaxis(_joint(counts, subset), subset.index(a), -1) / HALF_RANGE
    return normalised(np.maximum(people, 0.0) + PRIOR * one_way * people.shape[-1] / people.size)


def normalised(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights as probabilities, dimensionless, that sum to 1 along the last axis, of the same shape."""
    probabilities: NDArray[np.float64] = weights / weights.sum(axis=-1, keepdims=True)
    return probabilities


def _mutual_information(joint: NDArray[np.float64], *, conditional: bool) -> float:
    """I(a; b) in nats from counts over (a, b), or I(a; b | task) from counts over (task, a, b)."""
    p = (joint if conditional else joint[None]) / max(float(joint.sum()), 1.0)
    task, of_a, of_b = p.sum((1, 2), keepdims=True), p.sum(2, keepdims=True), p.sum(1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = p * (np.log(p) + np.log(task) - np.log(of_a) - np.log(of_b))
    return float(terms[p > 0].sum())
