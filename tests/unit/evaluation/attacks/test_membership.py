"""Membership of planted people: told, not told, and too few to tell."""

from __future__ import annotations

import math

import numpy as np
import pytest
from planted import by_lot, planted
from refusals import bad_argument

from synthrelease.evaluation.attacks import AttackVerdict, closeness, membership
from synthrelease.evaluation.attacks.intervals import coins_rate
from synthrelease.evaluation.attacks.roc import area_under_curve

FAR = 6.1


def scored(members, shift, *, seed=0):
    return np.random.default_rng(seed).normal(size=members.shape) + shift * members


def test_members_whose_rows_are_released_are_found():
    windows = planted()
    members = by_lot(12, 6)
    released = windows.of_people(np.flatnonzero(members)).values
    scores = closeness(released, windows)
    assert (scores[members] == 0).all()
    assert (scores[~members] < 0).all()
    found = membership(scores, members, seed=0)
    assert (found.main.value, found.verdict) == (1.0, AttackVerdict.SIGNIFICANT)
    assert found.further["balanced accuracy"] == 1.0  # not a sentence: the name of a rate


def test_scores_that_know_nothing_find_nothing():
    members = by_lot(24, 12)
    found = membership(scored(members, 0.0), members, seed=0)
    assert found.main.low <= 0.5 <= found.main.high
    assert found.verdict is AttackVerdict.NOT_SIGNIFICANT


@pytest.mark.parametrize("shift", [0.0, 1.0])
def test_the_area_is_that_of_two_normals(shift):
    """Φ(shift/√2), over 2000 rounds of 24 people: standard deviation of an area of 12 and 12 at most ½/√12."""
    members = by_lot(24, 12, rounds=2000)
    found = membership(scored(members, shift), members, seed=0, draws=99)
    truth = 0.5 * math.erfc(-shift / 2)
    assert found.main.value == pytest.approx(truth, abs=FAR * 0.5 / math.sqrt(12 * 2000))
    assert (found.main.low, found.main.high) == (
        coins_rate(found.main.value, 24).low,
        coins_rate(found.main.value, 24).high,
    )  # people, not rounds


def test_areas_are_within_rounds():
    """Scores of one round are all above those of another: nothing that a division within a round would tell."""
    members = np.array([[True, True, True, False], [True, False, False, False]])
    scores = np.array([[11.0, 12, 13, 14], [1, 2, 3, 4]])
    assert membership(scores, members, seed=0).main.value == 0.0
    assert area_under_curve(scores[members], scores[~members]) > 0.5


def test_low_rates_by_hand():
    """50 and 50 people: of non-members none, and five, may be above."""
    members = np.arange(100) < 50
    scores = np.concatenate([np.arange(50) + 20.5, np.arange(50.0)])
    found = membership(scores, members, seed=0).further
    assert found["TPR at FPR 1%"].value == pytest.approx(21 / 50)  # 49.5 … 69.5
    assert found["TPR at FPR 10%"].value == pytest.approx(26 / 50)  # 44.5 …
    least, more = (found[f"achieved FPR at nominal {share}%"] for share in (1, 10))
    assert (least.value, more.value) == (0.0, pytest.approx(0.1))
    exact = coins_rate(21 / 50, 50, method="exact")
    assert (found["TPR at FPR 1%"].low, found["TPR at FPR 1%"].high) == (exact.low, exact.high)
    assert least.high == pytest.approx(1 - 0.025 ** (1 / 50))  # not 1 %


def test_with_twelve_others_one_per_cent_may_be_a_quarter():
    members = np.arange(24) < 12
    rates = membership(members.astype(float), members, seed=0).further
    asked = rates["achieved FPR at nominal 1%"]
    assert asked.high == pytest.approx(0.265, abs=0.001)


def test_rates_of_many_rounds_are_as_sure_as_there_are_people():
    members = by_lot(10, 5, rounds=300)
    found = membership(scored(members, 0.0), members, seed=0, draws=99).further["TPR at FPR 10%"]
    assert found.value == pytest.approx(0.1, abs=0.06)
    assert found.high - found.low > 0.3


def test_balanced_accuracy_needs_no_labels_for_its_threshold():
    """Half above the median: 2 of 3 members and 1 of 3 others."""
    members = np.array([True, True, True, False, False, False])
    scores = np.array([6.0, 5, 1, 4, 3, 2])
    for ways, expected in (({}, 2 / 3), ({"threshold": 5.5}, 2 / 3), ({"threshold": 0.5}, 0.5)):
        rates = membership(scores, members, seed=0, **ways).further
        accuracy = rates["balanced accuracy"]
        assert accuracy == pytest.approx(expected)


def test_people_who_differ_by_themselves_spoil_the_result():
    """Members are far from everything: a negative_control that none is in has them apart as well."""
    members = by_lot(24, 12)
    scores = scored(members, 5.0)
    negative_control = scored(members, 5.0, seed=1)
    assert membership(scores, members, seed=0).verdict is AttackVerdict.SIGNIFICANT
    assert (
        membership(scores, members, seed=0, negative_control=negative_control).verdict
        is AttackVerdict.INCONCLUSIVE
    )
    fine = membership(scores, members, seed=0, negative_control=scored(members, 0.0, seed=2))
    assert fine.verdict is AttackVerdict.SIGNIFICANT
    assert fine.control.value != 0.5


def test_scores_the_wrong_way_round_are_no_attack():
    members = by_lot(24, 12)
    assert membership(scored(members, -5.0), members, seed=0).verdict is AttackVerdict.INCONCLUSIVE


def test_shuffled_divisions_are_the_control():
    """Of 12 and 12 people an area has standard deviation √(25/(12·144)) = 0.120 by chance."""
    members = by_lot(24, 12)
    found = membership(scored(members, 0.0), members, seed=0)
    assert found.control.value == 0.5
    assert found.control.high - 0.5 == pytest.approx(1.96 * math.sqrt(25 / 1728), rel=0.05)
    assert 0.5 - found.control.low == pytest.approx(1.96 * math.sqrt(25 / 1728), rel=0.05)
    few = np.arange(10) < 1  # one of ten, above all others or below: areas 0, 1/9, …, 1
    found = membership(np.append(9.0, np.zeros(9)), few, seed=0)  # ½ if it is one of the nine
    assert (found.control.low, found.control.high) == pytest.approx((4 / 9, 1.0))


def test_six_people_are_too_few_and_twelve_are_not():
    for people, verdict in ((6, AttackVerdict.INCONCLUSIVE), (12, AttackVerdict.SIGNIFICANT)):
        members = by_lot(people, people // 2)
        assert membership(members.astype(float), members, seed=0).verdict is verdict


def test_a_guarantee_is_held_against_one_person_of_each_round():
    """Told in every round: no ε = 1. Not told: no complaint. One round of many people is no evidence."""
    members = by_lot(24, 12, rounds=400)
    broken = membership(scored(members, 9.0), members, seed=0, guarantee=(1.0, 1e-6), draws=99)
    assert broken.guarantee_check.violated
    assert broken.verdict is AttackVerdict.SIGNIFICANT
    assert str(broken.guarantee_check) in broken.reason
    assert not membership(
        scored(members, 0.0), members, seed=0, guarantee=(1.0, 1e-6), draws=99
    ).guarantee_check.violated
    assert not membership(
        scored(members, 0.5), members, seed=0, guarantee=(1.0, 1e-6), draws=99
    ).guarantee_check.violated
    with bad_argument(ValueError, by="guarantee"):
        membership(scored(members[:1], 9.0), members[:1], seed=0, guarantee=(1.0, 1e-6))


def test_nearness_by_hand():
    """Spread of 0, 2, 4, 6 is √5; distances to 0 and 6: 0, 2 | 2, 0; a person's is their mean."""
    windows = planted(2, 1, 2, features=1)
    windows = type(windows)(np.array([[0.0], [2], [4], [6]]), windows.people, windows.recordings)
    assert closeness(np.array([[0.0], [6.0]]), windows) == pytest.approx([-1 / math.sqrt(5)] * 2)
    assert closeness(np.array([[0.0]]), windows) == pytest.approx([-1 / math.sqrt(5), -5 / math.sqrt(5)])


def test_what_is_no_division_is_refused():
    with bad_argument(ValueError, by="chance"):
        membership(np.ones(4), np.ones(4, dtype=bool), seed=0)
    with bad_argument(ValueError, (1, 4), (1, 5), by="chance"):
        membership(np.ones(4), np.ones(5, dtype=bool), seed=0)
