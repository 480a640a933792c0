"""People who read and search, for releases of synthetic people: their windows as a table, and a plan."""

from __future__ import annotations

import numpy as np

_PLAN = """
[release]
name = "people"
version = "1.0.0"
title = "Synthetic people"
[privacy]
epsilon = {epsilon}
delta = 1e-5
neighbours = "replace-one"
[inputs.reading]
path = "reading.csv"
kind = "features"
columns = {{ person = "person", recording = "task" }}
recordings = ["read", "search"]
bounds = {{ pupil = [2, 8], speed = [0, 10], blinks = [0, 4] }}
[[outputs]]
name = "people"
kind = "people"
input = "reading"
people = {people}
windows = 5
lattice = {{ blinks = 1 }}
"""
PILOT = 'pilot = "pilot.csv"\n'


def reading_plan(*, epsilon: float, people: int) -> str:
    """Return a plan of `reading.csv`; with `PILOT` at its end it starts from `pilot.csv`."""
    return _PLAN.format(epsilon=epsilon, people=people)


def reading_table(people: int, *, prefix: str = "p", pupil: float = 4.0) -> str:
    """Return five windows of each person in each of two recordings."""
    random = np.random.default_rng(people)
    rows = ["person,task,pupil,speed,blinks"]
    for person in range(people):
        level = pupil + random.normal(0, 0.6)
        for task in ("read", "search"):
            for _ in range(5):
                here, speed = level + random.normal(0, 0.4), 5 + random.normal(0, 1.5)
                rows.append(f"{prefix}{person},{task},{here:.4f},{speed:.4f},{random.integers(0, 5)}")
    return "\n".join(rows) + "\n"
