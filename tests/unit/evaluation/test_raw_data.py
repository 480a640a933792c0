"""What publishing data without names would give: people are recognised where they differ, and nowhere else."""

import numpy as np
import pytest
from goldens import check_text, figures

from synthrelease.data.features import FeatureData
from synthrelease.data.gaze import GazeData
from synthrelease.data.screen import Screen
from synthrelease.evaluation.attacks import AttackVerdict
from synthrelease.evaluation.raw_data import evaluated_input

PEOPLE = 20


def features(own, *, recordings=2, rows=30, missing=0.0):
    """Features of people whose level differs by `own` spreads."""
    generator = np.random.default_rng(1)
    person = np.repeat(np.arange(PEOPLE), recordings * rows)
    recording = np.tile(np.repeat(np.arange(recordings), rows), PEOPLE)
    values = own * generator.normal(size=(PEOPLE, 4))[person] + generator.normal(size=(person.size, 4))
    values[generator.random(values.shape) < missing] = np.nan
    names = tuple(f"recording {n}" for n in range(recordings))
    return FeatureData(
        tuple("abcd"), np.tile([-50.0, 50.0], (4, 1)), names, PEOPLE, person, recording, values
    )


def gaze(own):
    """Points of people on four pictures: how far they stray is their own."""
    generator = np.random.default_rng(2)
    person = np.repeat(np.arange(PEOPLE), 4 * 40)
    stimulus = np.tile(np.repeat(np.arange(4), 40), PEOPLE)
    stray = np.exp(own * generator.normal(size=(PEOPLE, 2)))[person] * 5
    x, y = (np.clip(50 + stray[:, i] * generator.normal(size=person.size), 0, 100) for i in range(2))
    names = tuple("abcd")
    return GazeData(Screen(100, 100), names, PEOPLE, np.ones((PEOPLE, 4), dtype=bool), person, stimulus, x, y)


@pytest.mark.parametrize(
    "data",
    [
        features(3.0),
        features(3.0, recordings=5),
        features(3.0, recordings=1),
        features(3.0, missing=0.2),
        gaze(1.0),
    ],
    ids=["two recordings", "five", "one", "gaps", "gaze"],
)
def test_people_who_differ_are_recognised(data):
    told = evaluated_input("data", data, seed=1)
    assert {attack.verdict for attack in told.attacks} == {AttackVerdict.SIGNIFICANT}
    assert all(attack.main.value > 0.15 for attack in told.attacks)
    assert told.people == PEOPLE
    assert len(told.attacks) == 5


@pytest.mark.parametrize("data", [features(0.0), gaze(0.0)], ids=["features", "gaze"])
def test_people_who_are_alike_are_not(data):
    told = evaluated_input("data", data, seed=1)
    assert AttackVerdict.SIGNIFICANT not in {attack.verdict for attack in told.attacks}


@pytest.mark.thorough
def test_the_number_of_processes_changes_nothing():
    one, two = (evaluated_input("data", features(1.0), seed=3, jobs=jobs) for jobs in (1, 2))
    assert [attack.to_json() for attack in one.attacks] == [attack.to_json() for attack in two.attacks]


def test_many_rows_are_thinned_and_it_is_said():
    told = evaluated_input("data", features(3.0, rows=500), seed=1)
    assert [figures(remark) for remark in told.remarks] == [[3]]


def test_no_one_can_be_told_apart():
    nothing = evaluated_input("data", features(1.0, rows=0), seed=1)
    assert nothing.attacks == ()
    apart = features(1.0)
    apart.recording[:] = apart.person % 2  # no one has two
    told = evaluated_input("data", apart, seed=1)
    assert told.attacks == ()
    assert len({*nothing.remarks, *told.remarks}) == 2
    check_text("evaluation/raw-data", "\n".join([*nothing.remarks, *told.remarks]))
