"""Every format × every kind that chooses among a person's stimuli × relation: a neighbour is made in the file, and is as far as stated, or the plan is refused.

A person is taken out, so that all after them move up, or another one is put in front. Where the file has no labels the person's place was one: a choice by it moved the sums up
to 69 times as far as stated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from random_plans.compared import differences
from random_plans.files import FORMATS, Format
from random_plans.observed import Observer
from random_plans.plans import GAZE, RandomPlan
from random_plans.study import HEIGHT, WIDTH, Person, Public, Study

pytestmark = pytest.mark.slow("whole builds")

_STIMULI = [f"s{n}" for n in range(6)]
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
_PEOPLE = 30


def plan_of(name: str, relation: str, most: int) -> RandomPlan:
    key = _MOST.get(name, "max_stimuli_per_person")
    output = {"name": "o", "input": GAZE, **OUTPUTS[name], **({key: most} if key else {})}
    gaze = {
        "kind": "gaze",
        "path": "in memory",
        "columns": {"person": "who", "stimulus": "picture", "x": "x", "y": "y", "duration": "ms"},
        "screen": {"width_px": WIDTH, "height_px": HEIGHT},
        "stimuli": _STIMULI,
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


def _person(number: int, corner: int) -> Person:
    """A person who has looked at one corner of all stimuli, once or three times."""
    looked = {"x": float(WIDTH * (corner % 2)), "y": float(HEIGHT * (corner // 2)), "ms": 200.0}
    other = {"kind": "", "good": 1.0}
    times = [0.0, 0.5, 1.0][: corner or 1]
    rows = [{"picture": name, **looked, "t": t, **other} for name in _STIMULI for t in times]
    values = {"task": "read", "t": 0.0, "size_mm": 3.0, "open": 0.5, "mood": "", **other}
    return Person(f"p{number}", tuple(rows), (values,))


STUDY = Study(tuple(_person(number, 3 * (number % 2)) for number in range(_PEOPLE)))


def neighbours(relation: str) -> list[Study]:
    people = STUDY.people
    if relation == "add-remove-one":
        return [replace(STUDY, people=people[:place] + people[place + 1 :]) for place in (0, _PEOPLE // 2)]
    last = _PEOPLE - 1
    another = _person(_PEOPLE, 0)
    return [
        replace(STUDY, people=(*people[:last], another), front=last),
        replace(STUDY, people=(another, *people[1:])),
        replace(STUDY, people=(replace(people[0], label="another"), *people[1:])),
    ]


@pytest.fixture(scope="module")
def observer() -> Iterator[Observer]:
    with Observer() as closed:
        yield closed


@pytest.mark.quick_for_each_value
@pytest.mark.parametrize("stored", FORMATS, ids=lambda stored: stored.name)
@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("most", [1, len(_STIMULI)])
def test_neighbours_in_a_file_are_as_far_as_stated(
    observer: Observer, stored: Format, name: str, relation: str, most: int
) -> None:
    plan = plan_of(name, relation, most)
    shown = observer.of(plan, STUDY, stored=stored, whole=False)
    if name == "records" and relation == "add-remove-one":
        assert shown.refused == "needs-public-people"
        return
    if stored.first is not None and most < len(_STIMULI) and name != "records":
        assert shown.refused == "label-is-position"
        return
    assert not shown.refused
    for other in neighbours(relation):
        assert not differences(plan, shown, observer.of(plan, other, stored=stored, whole=False))
