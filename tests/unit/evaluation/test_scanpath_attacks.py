"""Attacks on scanpaths: they succeed where nothing hides people, and not where noise does.

What attackers use of scanpaths is where they dwell; how well chains are fitted otherwise is not the point.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import made_scanpaths
import numpy as np
import pytest
from rough_chains import rough_chains

from synthrelease.dp.budget import Budget
from synthrelease.dp.event import RoundedGaussian
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation import scanpath_attacks as attacks
from synthrelease.evaluation.attack_run import AttackRun
from synthrelease.evaluation.attacks import AttackVerdict, released_rounds
from synthrelease.evaluation.attacks.roc import area_under_curve
from synthrelease.kinds.contributions import Rows
from synthrelease.kinds.scanpaths.mechanism import SyntheticScanpaths

PEOPLE = 8
LOUD = 0.2  # ε
RUN = AttackRun("paths", seed=3, draws=999)


@pytest.fixture(autouse=True, scope="module")
def roughly_fitted() -> Iterator[None]:
    with rough_chains():
        yield


@cache
def collected(people: int = PEOPLE) -> Rows:
    """People who each look about a place of their own."""
    random = np.random.default_rng(4)
    rows = []
    for person in range(people):
        angle = 2 * np.pi * person / people
        at = np.array([40 + 25 * np.cos(angle), 30 + 18 * np.sin(angle)])
        places = np.clip(at + random.normal(0, 2, (3, 6, 2)), 1, 59)
        rows.append(
            np.concatenate([np.column_stack([np.full(6, s), places[s], np.full(6, 250.0)]) for s in range(3)])
        )
    return mechanism(people).collect(made_scanpaths.gaze(rows))


def mechanism(people: int = PEOPLE) -> SyntheticScanpaths:
    return made_scanpaths.mechanism(people)


def attacker(event: RoundedGaussian, candidates: np.ndarray | None = None) -> attacks.Attacker:
    everyone = np.arange(PEOPLE)
    chosen = everyone if candidates is None else candidates
    return attacks.Attacker(mechanism(), event, collected(), everyone, chosen)


def area(event: RoundedGaussian, rounds: int = 4) -> float:
    """How well maps separate members from others, and not only in one release."""
    known = attacker(event)
    found = released_rounds(known.release, known.scores, known.candidates, rounds=rounds, seed=1)
    scores = found.scores[:, :, 0] - found.scores[:, :, 0].mean(axis=0)
    return float(np.mean([area_under_curve(s[m], s[~m]) for s, m in zip(scores, found.members, strict=True)]))


@pytest.mark.thorough
def test_who_is_in_is_seen_without_noise_and_not_with_much() -> None:
    quiet = RoundedGaussian(1.0, 1.0, 1)
    assert area(quiet) > 0.9
    assert area(mechanism().calibrate(Budget(LOUD, 1e-6))) < 0.8


@pytest.mark.thorough
def test_without_noise_scanpaths_are_linked_to_people_who_are_in() -> None:
    known = attacker(RoundedGaussian(1.0, 1.0, 1))
    inside = np.array([0, 1, 2, 3])
    linked = known.scores(known.release(inside, SecureRandom.for_tests(1)))[:, 1]
    assert linked.sum() == pytest.approx(1)
    assert linked[:4].sum() > 0.9


def test_everyone_who_is_no_candidate_is_in_every_release() -> None:
    known = attacker(RoundedGaussian(1.0, 1.0, 1), np.array([1, 4]))
    people = known.members(np.array([4]))
    np.testing.assert_array_equal(people, [0, 2, 3, 4, 5, 6, 7])
    rows, made = known.part_of(people)
    assert made.parameters.people == PEOPLE - 1
    person, block = rows.whole()
    np.testing.assert_array_equal(np.unique(person), np.arange(PEOPLE - 1))
    whose, everything = collected().whole()
    np.testing.assert_array_equal(block[person == 3], everything[whose == 4])


def test_fresh_releases_have_numbers_of_viewers_of_their_own() -> None:
    p = replace(mechanism().parameters, assignment_public=True, viewers=(PEOPLE,) * 3)
    everyone = np.arange(PEOPLE)
    known = attacks.Attacker(
        replace(mechanism(), parameters=p), RoundedGaussian(1.0, 1.0, 1), collected(), everyone, everyone
    )
    _, made = known.part_of(np.array([1, 5, 6]))
    assert made.parameters.viewers == (3, 3, 3)


@pytest.mark.thorough
def test_membership_and_linkage_are_judged_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attacks, "ROUNDS", 4)
    quiet = RoundedGaussian(1.0, 1.0, 1)
    found, said = attacks.scanpath_attacks(mechanism(), quiet, collected(), RUN)
    assert [one.attack.partition(",")[0] for one in found] == ["membership", "linkage"]
    assert all(one.together == 2 and one.people == PEOPLE for one in found)
    membership, linkage = found
    assert membership.verdict is AttackVerdict.SIGNIFICANT
    assert linkage.chance == 1 / PEOPLE
    assert linkage.main.value > 2 * linkage.control.value
    assert len(said) == 2
    loud, _ = attacks.scanpath_attacks(
        mechanism(), mechanism().calibrate(Budget(LOUD, 1e-6)), collected(), RUN
    )
    assert all(one.verdict is not AttackVerdict.SIGNIFICANT for one in loud)


@pytest.mark.thorough
def test_of_too_few_people_and_of_many_some_are_attacked(monkeypatch: pytest.MonkeyPatch) -> None:
    event = RoundedGaussian(1.0, 1.0, 1)
    few = collected()
    person, block = few.whole()
    three = Rows(((person[person < 3], block[person < 3]),))
    found, said = attacks.scanpath_attacks(mechanism(), event, three, RUN)
    assert not found
    assert len(said) == 1
    monkeypatch.setattr(attacks, "MOST_PEOPLE", 4)
    monkeypatch.setattr(attacks, "ROUNDS", 2)
    found, said = attacks.scanpath_attacks(mechanism(), event, few, RUN)
    assert [one.people for one in found] == [4, 4]
    assert len(said) == 3
