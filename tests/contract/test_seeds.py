"""Plausible deniability attacked: who was the seed? By someone who knows all data, and waits for one strange person."""

from __future__ import annotations

import numpy as np
import pytest
from invented_records import release
from wanted import Records

from synthrelease.data.attribute import Attribute
from synthrelease.data.features import FeatureData
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.noise import SecureRandom
from synthrelease.kinds.records.candidates import Owners
from synthrelease.kinds.records.deniability import SeedSet
from synthrelease.kinds.records.model import SeededModel

PEOPLE, WINDOWS, K, GAMMA = 40, 100, 8, 4.0
WALL = 9


def at_the_wall(others: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and people: person 0 looks at a wall all the time, `others` for one window, no one else ever."""
    rng = np.random.default_rng(0)
    people = np.repeat(np.arange(PEOPLE), WINDOWS)
    first = rng.integers(0, WALL, PEOPLE * WINDOWS)
    first[people == 0] = WALL
    first[[person * WINDOWS for person in range(1, 1 + others)]] = WALL
    return np.stack([first, rng.integers(0, 10, first.size)], axis=1), people


def published(counted: str, others: int) -> np.ndarray:
    rows, people = at_the_wall(others)
    data = FeatureData(
        ("gaze", "blink"),
        np.array([[0.0, 10.0], [0.0, 10.0]]),
        ("all",),
        PEOPLE,
        people,
        np.zeros(len(people), dtype=np.int64),
        rows + 0.5,
    )
    parameters = Records(
        model="seeded",
        fit="exact",
        attributes=(Attribute("gaze", 10, None, 0.0, 10.0), Attribute("blink", 10, None, 0.0, 10.0)),
        order=(0, 1),
        resampled=(1,),
        k=K,
        gamma=GAMMA,
        counted=counted,
        rows=2000,
        trials=400_000,
        neighbours=Neighbours.REPLACE_ONE,
        people=PEOPLE,
    )
    values, _, _ = release(data, parameters, None, random=SecureRandom.for_tests(1))
    return values["gaze", "category"]


def test_who_stares_at_a_wall_is_not_published_for_seven_who_glanced_at_it() -> None:
    """Counted among all rows, eight people could be the seed; but nearly always it is the one."""
    assert not (published("person", others=7) == WALL).any()
    rows, people = at_the_wall(7)
    model = SeededModel([np.full(10, 0.1)] * 2, (0, 1), (1,))
    wall = int(np.flatnonzero(rows[:, 0] == WALL)[0])
    people_there = SeedSet(model, rows, people).plausible(rows[[wall]], np.array([wall]), gamma=GAMMA)
    assert people_there.tolist() == [8], "the control: they pass a count of people among all rows"
    seeds = np.flatnonzero(rows[:, 0] == WALL)
    share = np.array([(people[seeds] == person).mean() for person in range(PEOPLE)])
    assert share[0] > 0.93, "and in nine cases of ten it is the one"


def test_counting_rows_publishes_the_wall() -> None:
    assert (published("record", others=0) == WALL).any()


@pytest.mark.parametrize("others", [12, 39])
def test_no_one_is_likelier_to_be_the_seed_than_k_and_gamma_say(others: int) -> None:
    """By simulation of what `release` does, with the seeds told; exact within five standard errors."""
    rows, people = at_the_wall(0)
    rows[np.isin(people, np.arange(1, 1 + others)) & (np.arange(len(rows)) % 2 == 0), 0] = (
        WALL  # half of their time
    )
    model = SeededModel([np.full(10, 0.1)] * 2, (0, 1), (1, 2))
    owners, random = Owners(people), SecureRandom.for_tests(others)
    blamed = np.zeros(PEOPLE)
    for _ in range(300):
        entered = owners.sampled_rows(random)
        seeds = random.integers(len(entered), 200)
        candidates = model.sample(rows[entered[seeds]], random)
        passed = SeedSet(model, rows[entered]).plausible(candidates, seeds, gamma=GAMMA) >= K
        at_wall = passed & (candidates[:, 0] == WALL)
        blamed += np.bincount(people[entered[seeds[at_wall]]], minlength=PEOPLE)
    total = blamed.sum()
    assert total > 1000
    bound = GAMMA / (GAMMA + K - 1)
    worst = blamed.max() / total
    assert worst <= bound + 5 * np.sqrt(bound * (1 - bound) / total)
    assert worst == blamed[0] / total, "the one at the wall is the likeliest all the same"


def test_a_task_gives_everyone_one_record_of_each() -> None:
    rows, people = at_the_wall(7)
    pairs = people * 10 + rows[:, 0]
    entered = Owners(pairs).sampled_rows(SecureRandom.for_tests(0))
    assert sorted(pairs[entered].tolist()) == sorted(set(pairs.tolist()))
    assert not Owners(pairs).single
    assert Owners(pairs[entered]).single
