"""Naming people whose distance is known, and people who have none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from goldens import figures
from planted import planted
from refusals import bad_argument

from synthrelease.evaluation.attacks import AttackVerdict, Windows, identification, identifications
from synthrelease.evaluation.attacks.intervals import share_rate
from synthrelease.evaluation.metrics.classification import CLASSIFIERS

classifiers = pytest.mark.parametrize("classifier", CLASSIFIERS)


def halves(windows):
    return windows.of_recordings([0, 1]), windows.of_recordings([2, 3])


@classifiers
def test_people_who_are_apart_are_named(classifier):
    found = identification(*halves(planted()), classifier=classifier, seed=0)
    assert found.main.value == 1.0
    assert found.further["windows"].value > 0.99
    assert found.chance == 1 / 12
    assert found.control.value == pytest.approx(1 / 12, abs=0.01)
    assert found.verdict is AttackVerdict.SIGNIFICANT
    assert found.people == 12


@classifiers
def test_people_who_are_alike_are_named_by_chance(classifier):
    found = identification(*halves(planted(24, apart=0.0)), classifier=classifier, seed=0)
    assert found.main.low <= found.chance <= found.main.high
    assert found.verdict is AttackVerdict.NOT_SIGNIFICANT


@classifiers
def test_owners_that_are_shifted_are_named_wrongly(classifier):
    """Each is said to be their neighbour: no one is named, and nothing is found."""
    known, released = halves(planted())
    shifted = replace(released, people=(released.people + 1) % 12)
    found = identification(known, shifted, classifier=classifier, seed=0)
    assert found.main.value == 0.0
    assert found.verdict is AttackVerdict.NOT_SIGNIFICANT


def test_windows_vote_within_person_and_recording():
    """Person 0 has 3 windows of 5 right in one recording, and 1 of 5 in another; person 1 all: ½ and 1, and windows 0.4 and 1."""
    known = Windows(np.repeat([[0.0], [10.0]], 20, axis=0), np.repeat([0, 1], 20), np.zeros(40, dtype=int))
    values = np.array([0, 0, 0, 10, 10, 0, 10, 10, 10, 10, *[10] * 10], dtype=float)[:, None]
    released = Windows(values, np.repeat([0, 1], 10), np.tile(np.repeat([1, 2], 5), 2))
    found = identification(known, released, classifier="k-NN", seed=0)
    assert found.main.value == pytest.approx(0.75)
    windows = found.further["windows"]
    assert windows == share_rate(np.array([0.4, 1.0]))  # two people, not twenty windows


def test_people_count_alike_however_many_recordings():
    """Person 0 has one recording, named; person 1 has three, not named: half, and not a quarter."""
    known = Windows(np.repeat([[0.0], [10.0]], 20, axis=0), np.repeat([0, 1], 20), np.zeros(40, dtype=int))
    released = Windows(np.zeros((4, 1)), np.array([0, 1, 1, 1]), np.array([1, 1, 2, 3]))
    assert identification(known, released, classifier="k-NN", seed=0).main.value == pytest.approx(0.5)


def test_people_and_not_windows_make_it_certain():
    """Three people with a hundred windows each, all named: 1 of 3! assignments is no proof."""
    found = identification(*halves(planted(3, 4, 100)), classifier="k-NN", seed=0)
    assert found.main.value == 1.0
    assert found.p_value == pytest.approx(1 / 6, abs=0.03)
    assert found.verdict is AttackVerdict.INCONCLUSIVE
    assert found.people == 3
    assert 3 in figures(found.reason)
    assert found.main.low < 0.5


def test_who_is_not_released_may_still_be_named():
    """Chance is 1/n of all whom the attacker knows, and answers outside the release are wrong."""
    known, released = halves(planted())
    found = identification(known, released.of_people(range(6)), classifier="k-NN", seed=0)
    assert (found.chance, found.people, found.main.value) == (1 / 12, 6, 1.0)
    moved = released.of_people(range(6))
    moved = replace(moved, values=released.of_people(range(6, 12)).values)
    assert identification(known, moved, classifier="k-NN", seed=0).main.value == 0.0


def test_a_placebo_that_is_named_too_spoils_the_result():
    """Every released row holds its owner's number, whatever was measured: the same of shuffled people."""
    known, released = halves(planted())
    assert (
        identification(known, released, classifier="k-NN", seed=0, negative_control=released).verdict
        is AttackVerdict.INCONCLUSIVE
    )
    order = np.random.default_rng(0).permutation(12)
    unrelated = replace(released, people=order[released.people])
    found = identification(known, released, classifier="k-NN", seed=0, negative_control=unrelated)
    assert found.verdict is AttackVerdict.SIGNIFICANT
    assert found.control.value == np.mean(order == np.arange(12))


def test_the_release_teaches_the_attacker_nothing_before_they_see_it():
    """Scaled by what is known: one released window far away leaves all others as they were."""
    known, released = halves(planted(apart=3.0))
    one = identification(known, released.of_people(range(11)), classifier="k-NN", seed=0)
    far = np.where((released.people == 11)[:, None], 1e9, released.values)
    other = identification(known, replace(released, values=far), classifier="k-NN", seed=0)
    assert other.main.value * 12 == pytest.approx(one.main.value * 11)


@pytest.mark.thorough
def test_workers_change_nothing():
    known, released = halves(planted(apart=1.0))
    told = []
    one, two = (
        identifications(known, released, seed=3, n_jobs=jobs, progress=lambda *a: told.append(a))
        for jobs in (1, 2)
    )
    assert one == two
    assert [r.attack for r in one] == [f"identification, {c}" for c in CLASSIFIERS]
    assert told == [("identification", done, 4) for done in (0, 1, 2, 3, 4)] * 2
    assert {r.together for r in one} == {4}
    assert identifications(known, released, seed=4) != one


def test_what_is_no_identification_is_refused():
    windows = planted()
    known, released = halves(windows)
    ways = {"classifier": "k-NN", "seed": 0}
    with bad_argument(ValueError, "recordings", 1, by="identification"):
        identification(known, windows.of_recordings([1, 2]), **ways)
    with bad_argument(ValueError, "recordings", 1, by="identification"):
        identification(known, released, negative_control=windows.of_recordings([1, 2]), **ways)
    with bad_argument(ValueError, "released", by="identification"):
        identification(known.of_people(range(11)), released, **ways)
    with bad_argument(ValueError, "released", by="identification"):
        identification(known, released.of_people([3]), **ways)
    with bad_argument(ValueError, "known", 3, 2, by="identification"):
        identification(known, replace(released, values=released.values[:, :2]), **ways)
    with bad_argument(ValueError, "classifier", "XGB", *CLASSIFIERS, by="classification"):
        identification(known, released, classifier="XGB", seed=0)
