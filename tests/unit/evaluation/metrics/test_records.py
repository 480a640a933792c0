"""Distances and associations of records against sums by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import bad_argument
from scipy.stats.contingency import association
from tiers import few

from synthrelease.evaluation.metrics.records import associations, distances, one_each

CATEGORIES = (3, 4, 2)


def records(seed: int, rows: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.stack([rng.integers(0, c, rows) for c in CATEGORIES], axis=1)


def brute_force(p: np.ndarray, q: np.ndarray, weights: np.ndarray, columns: tuple[int, ...]) -> float:
    cells = {tuple(row[list(columns)]) for row in [*p, *q]}
    total = 0.0
    for cell in cells:
        ours = np.mean([tuple(row[list(columns)]) == cell for row in p])
        theirs = sum(w for row, w in zip(q, weights, strict=True) if tuple(row[list(columns)]) == cell)
        total += abs(ours - theirs / weights.sum())
    return total / 2


@few
@given(seed=st.integers(0, 1000), ours=st.integers(1, 30), theirs=st.integers(1, 30))
def test_distances_are_half_the_sum_of_differences(seed: int, ours: int, theirs: int) -> None:
    p, q = records(seed, ours), records(seed + 1, theirs)
    weights = np.random.default_rng(seed).uniform(0.1, 1, theirs)
    found = distances(p, q, CATEGORIES, weights=weights)
    for a in range(3):
        assert found.one_way[a] == pytest.approx(brute_force(p, q, weights, (a,)))
        for b in range(3):
            columns = (a,) if a == b else (a, b)
            assert found.two_way[a, b] == pytest.approx(brute_force(p, q, weights, columns))


def test_the_same_records_are_at_no_distance_and_others_at_one() -> None:
    p = records(1, 40)
    assert distances(p, p, CATEGORIES).two_way.max() == 0
    assert distances(np.array([[0], [0]]), np.array([[1]]), [2]).one_way.tolist() == [1.0]


def test_every_person_counts_the_same() -> None:
    people = np.array([7, 7, 7, 9])
    assert one_each(people).tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1])
    truth = np.array([[0], [0], [0], [1]])
    found = distances(np.array([[0], [1]]), truth, [2], weights=one_each(people))
    assert found.one_way[0] == pytest.approx(0)
    assert distances(np.array([[0], [1]]), truth, [2]).one_way[0] == pytest.approx(0.25)


@few
@given(seed=st.integers(0, 1000))
def test_associations_are_scipys(seed: int) -> None:
    p = records(seed, 60)
    found = associations(p, CATEGORIES)
    for a in range(3):
        assert found[a, a] == 1
        for b in range(a + 1, 3):
            table = np.zeros((CATEGORIES[a], CATEGORIES[b]), dtype=int)
            np.add.at(table, (p[:, a], p[:, b]), 1)
            assert found[a, b] == found[b, a] == pytest.approx(association(table, method="cramer"))


def test_associations_of_what_tells_all_or_nothing() -> None:
    a = np.arange(12) % 3
    both = np.stack([a, (a + 1) % 3, np.zeros(12, dtype=int)], axis=1)
    found = associations(both, (3, 5, 2))
    assert found[0, 1] == pytest.approx(1)
    assert found[0, 2] == found[1, 2] == 0


def test_weights_count_in_associations() -> None:
    rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert associations(rows, (2, 2))[0, 1] == 0
    assert associations(rows, (2, 2), weights=[1, 0, 0, 1])[0, 1] == pytest.approx(1)


@pytest.mark.parametrize(
    ("released", "truth", "categories", "weights"),
    [
        ([[0, 1]], [[0]], (2,), None),
        ([[0]], [[2]], (2,), None),
        ([[-1]], [[0]], (2,), None),
        ([[0.5]], [[0]], (2,), None),
        (np.zeros((0, 1), dtype=int), [[0]], (2,), None),
        ([[0]], [[0]], (2,), [1, 2]),
        ([[0]], [[0]], (2,), [0]),
        ([[0], [1]], [[0], [1]], (2,), [-1, 2]),
    ],
)
def test_what_is_refused(
    released: object, truth: object, categories: tuple[int, ...], weights: object
) -> None:
    with bad_argument(ValueError, by="records"):
        distances(released, truth, categories, weights=weights)
