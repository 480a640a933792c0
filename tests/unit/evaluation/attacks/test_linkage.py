"""Linking people to released individuals, k-same averages among them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from planted import planted
from refusals import bad_argument

from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.attacks import AttackVerdict, Windows, k_same_select, linkage
from synthrelease.evaluation.attacks import nearest as nearest_module


def known_and_released(people=12, **ways):
    windows = planted(people, **ways)
    return windows.of_recordings([0]), windows.of_recordings([2, 3])


def link(known, released, **ways):
    return linkage(known, released, released.units().unit, seed=0, **ways)


def test_people_who_are_apart_are_linked():
    found = link(*known_and_released())
    assert found.main.value == 1.0
    assert found.chance == pytest.approx(1 / 12)
    assert found.verdict is AttackVerdict.SIGNIFICANT


def test_people_who_are_alike_are_linked_by_chance():
    found = link(*known_and_released(24, apart=0.0))
    assert found.main.low <= found.chance <= found.main.high
    assert found.verdict is AttackVerdict.NOT_SIGNIFICANT


def test_shifted_owners_are_not_linked():
    known, released = known_and_released()
    found = link(known, replace(released, people=(released.people + 1) % 12))
    assert found.main.value == 0.0
    assert found.verdict is AttackVerdict.NOT_SIGNIFICANT


@pytest.mark.parametrize("k", [2, 4, 5])
def test_of_k_copies_one_is_right(k):
    """People far apart, known and averaged from the same recording: their group is always found, and is right to 1/size."""
    windows = planted(20, 1, 6, apart=50.0)
    released = k_same_select(windows, k, random=SecureRandom.for_tests(k))
    found = link(windows, released)
    assert 0 < found.main.value <= 1 / k
    known, other = known_and_released(20)
    assert link(known, k_same_select(other, k, random=SecureRandom.for_tests(k))).main.value <= 1 / k


def by_hand(*, duplicated=False):
    """Person 0 at 0, person 1 at 10; three individuals at 1, 2 and 9."""
    known = Windows(np.array([[0.0], [0.0], [10.0]]), np.array([0, 0, 1]), np.zeros(3, dtype=int))
    values = np.array([[1.0], [1.0 if duplicated else 2.0], [9.0]])
    return known, Windows(values, np.array([0, 1, 1]), np.ones(3, dtype=int))


def test_links_by_hand():
    known, released = by_hand()
    found = linkage(known, released, np.arange(3), seed=0)
    assert found.main.value == 1.0
    assert found.chance == pytest.approx(0.5)  # person 0 owns 1/3, person 1 2/3 of them
    known, released = by_hand(duplicated=True)
    assert linkage(known, released, np.arange(3), seed=0).main.value == pytest.approx(0.75)


def test_equally_near_individuals_share_and_order_does_not_matter():
    known, released = by_hand(duplicated=True)
    turned = Windows(released.values[::-1].copy(), released.people[::-1].copy(), released.recordings)
    assert linkage(known, turned, np.arange(3), seed=0).main.value == pytest.approx(0.75)


def test_individuals_have_one_vote_for_each_known_row():
    """Two equally near rows of one individual do not outvote a single one of another."""
    known = Windows(np.array([[0.0], [5.0]]), np.array([0, 1]), np.zeros(2, dtype=int))
    released = Windows(np.array([[1.0], [1.0], [1.0], [5.0]]), np.array([1, 1, 0, 1]), np.ones(4, dtype=int))
    found = linkage(known, released, np.array([0, 0, 1, 2]), seed=0)
    assert found.main.value == pytest.approx(0.75)


def test_the_most_votes_link():
    """Three rows of person 0: two nearest to individual 0, one to individual 1."""
    known = Windows(np.array([[0.0], [0.1], [6.0], [10.0]]), np.array([0, 0, 0, 1]), np.zeros(4, dtype=int))
    released = Windows(np.array([[0.0], [6.0]]), np.array([0, 1]), np.ones(2, dtype=int))
    assert linkage(known, released, np.arange(2), seed=0).main.value == 1.0


def test_individuals_of_unknown_people_are_never_right():
    known, released = known_and_released()
    strangers = replace(released, people=np.where(released.people < 6, released.people, -1))
    found = link(known, strangers)
    assert (found.main.value, found.people) == (1.0, 6)  # of those who are there
    assert found.chance == pytest.approx(2 / 14)  # each has two of the 14 units: all strangers are one person
    assert found.least_p == pytest.approx(1 / 720)
    nearer = np.where(strangers.people[:, None] >= 0, 1e6, released.values)
    assert link(known, replace(strangers, values=nearer)).main.value == 0.0


def test_scale_is_what_the_attacker_knows():
    """A feature of a thousand times the unit, and one released individual far away, change no link."""
    known, released = known_and_released(apart=2.0)
    unit = np.array([1.0, 1000.0, 0.001])
    assert (
        link(known, released).main
        == link(
            replace(known, values=known.values * unit), replace(released, values=released.values * unit)
        ).main
    )


def test_a_stranger_far_away_changes_no_scale():
    """The first feature tells people apart by little; measured by a release with someone far off, it would tell nothing."""
    rng = np.random.default_rng(0)
    known = Windows(
        np.stack([np.arange(12.0), rng.normal(size=12)], axis=1), np.arange(12), np.zeros(12, dtype=int)
    )
    values = np.stack([np.arange(12) + 0.1, rng.normal(size=12)], axis=1) * [1.0, 0.1]
    alone = Windows(values, np.arange(12), np.ones(12, dtype=int))
    joined = Windows(
        np.concatenate([values, [[1e9, 0.0]]]), np.append(np.arange(12), -1), np.ones(13, dtype=int)
    )
    assert linkage(known, alone, np.arange(12), seed=0).main.value > 0.5
    assert (
        linkage(known, joined, np.arange(13), seed=0).main
        == linkage(known, alone, np.arange(12), seed=0).main
    )


def test_blocks_change_nothing(monkeypatch):
    known, released = known_and_released(apart=1.0)
    whole = link(known, released)
    monkeypatch.setattr(nearest_module, "_BLOCK", 7 * len(released.values))
    assert link(known, released) == whole


def test_a_placebo_that_is_linked_too_spoils_the_result():
    known, released = known_and_released()
    assert link(known, released, negative_control=released).verdict is AttackVerdict.INCONCLUSIVE
    order = np.random.default_rng(0).permutation(12)
    found = link(known, released, negative_control=replace(released, people=order[released.people]))
    assert found.verdict is AttackVerdict.SIGNIFICANT
    assert found.control.value == np.mean(order == np.arange(12))
    lone = replace(released, people=np.where(released.people < 2, released.people, -1))
    assert link(known, released, negative_control=lone).chance == pytest.approx(
        1 / 12
    )  # of the release, not of it


def test_too_few_people_are_said_to_be():
    found = link(*known_and_released(4))
    assert found.main.value == 1.0
    assert found.verdict is AttackVerdict.INCONCLUSIVE


def test_what_cannot_be_linked_is_refused():
    known, released = known_and_released()
    windows = planted()
    with bad_argument(ValueError, "released", 240, by="linkage"):
        linkage(known, released, np.arange(3), seed=0)
    with bad_argument(ValueError, "known", by="linkage"):
        link(windows.of_recordings([0, 1]), released)
    with bad_argument(ValueError, "released", by="linkage"):
        linkage(known, released, released.people // 2, seed=0)
    with bad_argument(ValueError, "released", "known", by="linkage"):
        link(known, replace(released, people=released.people + 100))
    with bad_argument(ValueError, "released", "known", by="linkage"):
        link(known.of_people([0]), released)
