"""People whom attacks are tried on: apart from each other as much as a test says."""

from __future__ import annotations

import numpy as np

from synthrelease.evaluation.attacks import Windows


def planted(people=12, recordings=4, each=10, *, apart=20.0, features=3, seed=0):
    """Normal rows around a centre of each person; centres are normal too, `apart` times as wide."""
    rng = np.random.default_rng(seed)
    centre = rng.normal(size=(people, features)) * apart
    person = np.repeat(np.arange(people), recordings * each)
    recording = np.tile(np.repeat(np.arange(recordings), each), people)
    return Windows(centre[person] + rng.normal(size=(person.size, features)), person, recording)


def by_lot(people, inside, *, seed=0, rounds=None):
    """Who is in: `inside` of the people, drawn anew in each round."""
    rng = np.random.default_rng(seed)
    drawn = np.array([rng.permutation(people) < inside for _ in range(rounds or 1)])
    return drawn if rounds else drawn[0]
