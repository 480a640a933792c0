"""Detectors of records that are published against the tests of plausible deniability."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import made
import numpy as np
from scipy.stats import binom

from auditing.detectors import SIGNIFICANCE, Detector, Verdict
from auditing.seeds import strangers
from synthrelease.data.attribute import Attribute
from synthrelease.data.features import FeatureData
from synthrelease.kinds.records import mechanism
from synthrelease.kinds.records.candidates import CandidateRecords

if TYPE_CHECKING:
    from synthrelease.dp.noise import SecureRandom

PEOPLE, WINDOWS, WALL = 20, 50, 4


def _published(random: SecureRandom) -> Any:
    """One person of twenty looks at a wall, in fifty windows of time; k = 6 people are asked for."""
    person = np.repeat(np.arange(PEOPLE), WINDOWS)
    gaze = np.where(person == 0, WALL, np.arange(len(person)) % WALL)
    labels = tuple("abcde")
    data = FeatureData(
        features=(),
        bounds=np.empty((0, 2)),
        recordings=("all",),
        people=PEOPLE,
        person=person,
        recording=np.zeros(len(person), dtype=np.int64),
        values=np.empty((len(person), 0)),
        categorical=("gaze", "blink"),
        labels=np.stack([gaze, np.arange(len(person)) // 7 % 5], axis=1),
    )
    seeded = made.records(
        model="seeded",
        fit="exact",
        attributes=(Attribute("gaze", 5, labels), Attribute("blink", 5, labels)),
        order=(0, 1),
        resampled=(1,),
        k=4,
        gamma=4.0,
        counted="person",
        rows=2000,
        trials=1_000_000,
        people=PEOPLE,
    )
    return made.release(seeded, data, None, random=random)[0]["gaze", "category"]


def _judged(published: Any) -> Verdict:
    seen = int((published == WALL).sum())
    return Verdict(seen > 0, f"{seen} of {len(published)} records are of one person alone")


alone_at_the_wall = Detector("seeds of Test 1", _published, _judged)


TRIALS = 3000


def _passed(random: SecureRandom) -> tuple[int, int]:
    """Trials of Test 2, and how many passed, where no two seeds are alike."""
    world = strangers()
    tests: list[CandidateRecords] = []
    substituted = mechanism.substituted

    def noted(*arguments: Any, **options: Any) -> CandidateRecords:
        tests.append(substituted(*arguments, **options))
        return tests[-1]

    with patch.object(mechanism, "substituted", noted):
        world.released(world.one, TRIALS, random)
    (test,) = tests
    return test.trials, test.passed


def _too_many(found: tuple[int, int]) -> Verdict:
    """Each has one plausible seed, and passes with probability P(Z ≤ 1 − k) at most, Z discrete Laplace."""
    trials, passed = found
    world = strangers()
    chance = math.exp(-world.epsilon0 * (world.k - 1)) / (1 + math.exp(-world.epsilon0))
    most = int(binom.isf(SIGNIFICANCE, trials, chance))
    return Verdict(passed > most or trials != TRIALS, f"{passed} of {trials} trials passed, {most} may")


passed_of_strangers = Detector("trials of Test 2 that passed", _passed, _too_many)
