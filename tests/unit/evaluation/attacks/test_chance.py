"""Shuffles: against all there are, and against what has no relation."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from planted import by_lot
from refusals import bad_argument

from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.attacks.chance import (
    Permutation,
    division_test,
    least_division_p,
    least_matching_p,
    matching_test,
    people_needed,
)

FAR = 6.1  # standard deviations: 1e-9


def seeded(number=1):
    return SecureRandom.for_tests(number)


def off(share, draws):
    """How far a share of so many draws may be off at 1e-9."""
    return FAR * np.sqrt(share * (1 - share) / draws) + 1 / draws


def test_p_of_a_matching_is_that_of_all_assignments():
    table = np.random.default_rng(0).dirichlet(np.ones(6), size=6)
    means = np.array([table[np.arange(6), list(order)].mean() for order in permutations(range(6))])
    exact = (means >= table.diagonal().mean() - 1e-12).mean()
    found = matching_test(table, random=seeded(), draws=20_000)
    assert found.p_value == pytest.approx(exact, abs=off(exact, 20_000))
    assert found.shares.tolist() == table.diagonal().tolist()
    assert found.shuffled == pytest.approx(1 / 6, abs=0.005)  # rows sum to 1
    assert (found.low, found.high) == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.02)


def test_p_of_a_division_is_that_of_all_divisions():
    scores = np.random.default_rng(1).normal(size=8)
    members = np.arange(8) < 3
    differences = []
    for inside in combinations(range(8), 3):
        chosen = np.isin(np.arange(8), inside)
        differences.append(scores[chosen].mean() - scores[~chosen].mean())
    observed = scores[members].mean() - scores[~members].mean()
    found = division_test(scores, members, random=seeded(), draws=20_000)
    for p, exact in (
        (found.p_value, (np.array(differences) >= observed - 1e-12).mean()),
        (found.control_p, (np.array(differences) <= observed + 1e-12).mean()),
    ):
        assert p == pytest.approx(exact, abs=off(exact, 20_000))
    assert (found.low, found.high) == pytest.approx(np.quantile(differences, [0.025, 0.975]), abs=0.1)


def test_a_perfect_attack_is_never_certain():
    """One shuffle more than were drawn did as well: the observed one."""
    assert matching_test(np.eye(20), random=seeded()).p_value == 1 / 10_000
    members = np.arange(40) < 20
    assert division_test(members.astype(float), members, random=seeded(), draws=99).p_value == 1 / 100


def test_rounds_are_shuffled_each_by_itself():
    """Three people, one in, in each of 4 rounds the highest: 1 of 3⁴ divisions does as well, and one of one round 1 of 3."""
    scores = np.tile([1.0, 2.0, 9.0], (4, 1))
    members = scores == 9.0
    assert division_test(scores, members, random=seeded(), draws=20_000).p_value == pytest.approx(
        1 / 81, abs=off(1 / 81, 20_000)
    )
    assert division_test(scores[0], members[0], random=seeded()).p_value == pytest.approx(
        1 / 3, abs=off(1 / 3, 9999)
    )


def test_mean_scores_of_people_inside_and_outside():
    scores = np.array([[1.0, 2, 3], [5, 7, 9]])
    members = np.array([[True, False, False], [True, True, False]])
    found = division_test(scores, members, random=seeded(), draws=9)
    assert found.main[:2].tolist() == [3.0, 7.0]
    assert np.isnan(found.main[2])
    assert np.isnan(found.control[0])
    assert found.control[1:].tolist() == [2.0, 6.0]


def test_ties_count_against_the_attack():
    found = division_test(np.ones(10), np.arange(10) < 5, random=seeded())
    assert found.p_value == found.control_p == 1.0
    assert matching_test(np.full((5, 5), 0.2), random=seeded()).p_value == 1.0


@pytest.mark.parametrize("related", [False, True])
def test_p_values_of_what_has_no_relation_are_uniform_or_larger(related):
    """400 tests: at 0.05 at most 0.05 + 6.1·√(0.05·0.95/400) alarms; related scores are the control of this test."""
    rng = np.random.default_rng(3)
    small = 0
    for number in range(400):
        members = rng.permutation(24) < 12
        scores = rng.normal(size=24) + 2.0 * members * related
        small += division_test(scores, members, random=seeded(number), draws=99).p_value <= 0.05
    assert (small / 400 <= 0.05 + FAR * np.sqrt(0.05 * 0.95 / 400)) != related


def test_least_p_values_by_hand():
    assert least_matching_p(4) == pytest.approx(1 / 24)
    assert least_matching_p(20) == 1 / 10_000
    assert least_division_p(np.arange(6) < 3) == pytest.approx(1 / 20)
    assert least_division_p(by_lot(6, 3, rounds=2)) == pytest.approx(1 / 400)
    assert least_division_p(np.arange(5) < 1, draws=3) == pytest.approx(1 / 4)


def test_people_needed_by_hand():
    """1/5! = 0.0083, 1/4! = 0.042; 1/C(8, 4) = 0.0143, 1/C(10, 5) = 0.004."""
    assert people_needed(Permutation.MATCHING, 0.01) == 5
    assert people_needed(Permutation.DIVISION, 0.01) == 10
    assert people_needed(Permutation.DIVISION, 1 / 70) == 8
    assert people_needed(Permutation.MATCHING, 0.5) == 2


def test_what_cannot_be_shuffled_is_refused():
    with bad_argument(ValueError, "table", (1, 1), by="chance"):
        matching_test(np.ones((1, 1)), random=seeded())
    with bad_argument(ValueError, "table", (2, 3), by="chance"):
        matching_test(np.ones((2, 3)), random=seeded())
    with bad_argument(ValueError, (1, 3), (1, 4), by="chance"):
        division_test(np.ones(3), np.ones(4, dtype=bool), random=seeded())
    with bad_argument(ValueError, (1, 3), "float64", by="chance"):
        division_test(np.ones(3), np.ones(3), random=seeded())
    with bad_argument(ValueError, by="chance"):
        division_test(np.ones((2, 3)), np.array([[True] * 3, [True, False, False]]), random=seeded())
    with bad_argument(ValueError, by="chance"):
        division_test(np.ones((2, 3)), np.array([[False] * 3, [True, False, False]]), random=seeded())
    with bad_argument(ValueError, "scores", by="chance"):
        division_test(np.array([1.0, np.nan]), np.array([True, False]), random=seeded())
