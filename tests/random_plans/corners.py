"""People at the corners of the screen, plans of every kind that chooses among a person's stimuli, and neighbours as far apart as they can be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from random_plans.plans import GAZE, RandomPlan
from random_plans.study import HEIGHT, WIDTH, Person, Public, Study

NAMES = [f"s{n}" for n in range(6)]
_AREAS = {"left": {"rectangle": [0, 0, WIDTH // 2, HEIGHT]}}
_FIXATIONS = {"statistics": ["count", "sum"], "bounds": {"fixation_count": [0, 3]}, "by": "stimulus"}
_TOKENS = {
    "fixations": 1,
    "columns": 2,
    "rows": 1,
    "durations_ms": [0, 100, 500],
    "kept": [1],
    "scanpaths": 1,
}
OUTPUTS: dict[str, dict[str, Any]] = {
    "spectral": {"kind": "heatmap", "blur_px": 20.0, "clip": 0.35},
    "cells": {"kind": "heatmap", "mechanism": "gaussian", "width_px": 2, "height_px": 2, "blur_px": 0.0},
    "laplace": {"kind": "heatmap", "mechanism": "laplace", "width_px": 2, "height_px": 2, "blur_px": 0.0},
    "areas": {"kind": "areas", "areas": _AREAS},
    "scanpaths": {"kind": "scanpaths", "viewing_time_s": 2.0, "scanpaths": 1, "blur_px": 20.0},
    "fixations": {"kind": "statistics", **_FIXATIONS},
    "records": {"kind": "records", "model": "seeded", "fit": "dp", "k": 2, "gamma": 4.0, "tokens": _TOKENS},
}
_MOST = {"fixations": "max_groups_per_person", "records": None}  # of stimuli that a person counts on
RELATIONS = ("replace-one", "add-remove-one")


def plan_of(name: str, relation: str, most: int) -> RandomPlan:
    key = _MOST.get(name, "max_stimuli_per_person")
    output = {"name": "o", "input": GAZE, **OUTPUTS[name], **({key: most} if key else {})}
    gaze = {
        "kind": "gaze",
        "path": "in memory",
        "columns": {"person": "who", "stimulus": "picture", "x": "x", "y": "y", "duration": "ms"},
        "screen": {"width_px": WIDTH, "height_px": HEIGHT},
        "stimuli": NAMES,
        "missing": [-999.0],
        "assume_public": [],
    }
    document = {
        "release": {"name": "neighbours", "version": "1", "title": "Neighbours"},
        "privacy": {"epsilon": 50.0, "delta": 1e-3, "neighbours": relation},
        "inputs": {GAZE: gaze},
        "outputs": [output],
    }
    return RandomPlan(document, Public(names=False, assignment=False, lengths=False))


def person(number: int, corner: int) -> Person:
    """A person who has looked at one corner of all stimuli, once or three times."""
    looked = {"x": float(WIDTH * (corner % 2)), "y": float(HEIGHT * (corner // 2)), "ms": 200.0}
    other = {"kind": "", "good": 1.0}
    times = [0.0, 0.5, 1.0][: corner or 1]
    rows = [{"picture": name, **looked, "t": t, **other} for name in NAMES for t in times]
    values = {"task": "read", "t": 0.0, "size_mm": 3.0, "open": 0.5, "mood": "", **other}
    return Person(f"p{number}", tuple(rows), (values,))


def study_of(people: int) -> Study:
    """Return so many people, who have looked at one of two corners."""
    return Study(tuple(person(number, 3 * (number % 2)) for number in range(people)))


def neighbours(study: Study, relation: str) -> list[Study]:
    """Return neighbours: the first person or one in the middle taken out; or another one in front, or in someone's place."""
    people, last = study.people, len(study.people) - 1
    if relation == "add-remove-one":
        return [replace(study, people=people[:at] + people[at + 1 :]) for at in (0, len(people) // 2)]
    another = person(len(people), 0)
    return [
        replace(study, people=(*people[:last], another), front=last),
        replace(study, people=(another, *people[1:])),
        replace(study, people=(replace(people[0], label="another"), *people[1:])),
    ]
