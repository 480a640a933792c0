"""Every format × every kind that chooses among a person's stimuli × relation: a neighbour is made in the file, and is as far as stated, or the plan is refused.

A person is taken out, so that all after them move up, or another one is put in front. Where the file has no labels the person's place was one: a choice by it moved the sums up
to 69 times as far as stated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from malformed import FAMILIES
from malformed.case import Family, written
from random_plans.compared import differences
from random_plans.files import FORMATS, Format
from random_plans.observed import Observer
from random_plans.plans import GAZE, RandomPlan
from random_plans.study import HEIGHT, WIDTH, Person, Public, Study
from refusals import refused

import synthrelease
from synthrelease.building.design import make_design
from synthrelease.data.readers import reader_for
from synthrelease.data.readers.folder import Folder
from synthrelease.errors import DataError, PolicyError
from synthrelease.plan.plan import load_plan
from synthrelease.prepare import prepare

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


def study_of(people: int) -> Study:
    """Return so many people, who have looked at one of two corners."""
    return Study(tuple(_person(number, 3 * (number % 2)) for number in range(people)))


def neighbours(study: Study, relation: str) -> list[Study]:
    """Return neighbours: the first person or one in the middle taken out; or another one in front, or in someone's place."""
    people, last = study.people, len(study.people) - 1
    if relation == "add-remove-one":
        return [replace(study, people=people[:at] + people[at + 1 :]) for at in (0, len(people) // 2)]
    another = _person(len(people), 0)
    return [
        replace(study, people=(*people[:last], another), front=last),
        replace(study, people=(another, *people[1:])),
        replace(study, people=(replace(people[0], label="another"), *people[1:])),
    ]


STUDY = study_of(30)


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
    for other in neighbours(STUDY, relation):
        assert not differences(plan, shown, observer.of(plan, other, stored=stored, whole=False))


PLACES = [stored for stored in FORMATS if stored.first is not None]


def plan_in(folder: Path, plan: RandomPlan, stored: Format, study: Study = STUDY, **keys: Any) -> Path:
    """Write a study and a plan of it, whose input has further keys."""
    plan.document["inputs"][GAZE] |= keys
    path = folder / "plan.toml"
    path.write_text(plan.of_files({"gaze": stored.write(folder, "gaze", study)}).text)
    return path


@pytest.mark.parametrize("stored", PLACES, ids=lambda stored: stored.name)
@pytest.mark.parametrize("name", [name for name in OUTPUTS if name != "records"])
@pytest.mark.parametrize("relation", RELATIONS)
def test_a_choice_by_places_is_refused(tmp_path: Path, stored: Format, name: str, relation: str) -> None:
    path = plan_in(tmp_path, plan_of(name, relation, len(_STIMULI) - 1), stored)
    with refused(PolicyError, "label-is-position", where="outputs[0] (o).max_", names=["who"]):
        make_design(load_plan(path))


def test_every_way_to_a_release_refuses_it(tmp_path: Path) -> None:
    path = plan_in(tmp_path, plan_of("areas", "replace-one", 1), PLACES[0])
    before = sorted(tmp_path.iterdir())
    for use in (synthrelease.preview, synthrelease.dry_run, synthrelease.build):
        with refused(PolicyError, "label-is-position", where=path):
            use(path, **({} if use is synthrelease.preview else {"output": tmp_path / "r.h5"}))
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "keys",
    [
        {"only": {"who": ["1", "2"]}},
        {"valid": {"who": [0, 3]}},
    ],
    ids=["only", "valid"],
)
@pytest.mark.parametrize("stored", PLACES, ids=lambda stored: stored.name)
def test_a_place_is_nothing_but_a_person(tmp_path: Path, stored: Format, keys: dict[str, Any]) -> None:
    """Rows chosen by it would be another's as soon as someone is taken out."""
    path = plan_in(tmp_path, plan_of("spectral", "replace-one", len(_STIMULI)), stored, STUDY, **keys)
    with refused(PolicyError, "label-is-position", where="inputs.looks"):
        make_design(load_plan(path))


@pytest.mark.parametrize("use", ["bounds = { who = [0, 9] }", 'categories = { who = ["0", "1"] }'])
def test_a_place_is_no_feature(tmp_path: Path, use: str) -> None:
    np.savez(tmp_path / "size.npz", size=np.ones((2, 3)))
    source = {"kind": "features", "path": "size.npz", "axes": ["who", "n"], "columns": {"person": "who"}}
    document = {**plan_of("areas", "replace-one", 1).document, "inputs": {"f": source}}
    document["outputs"] = [{"name": "o", "kind": "statistics", "input": "f", "statistics": ["mean"]}]
    path = tmp_path / "plan.toml"
    text = RandomPlan(document, Public(names=False, assignment=False, lengths=False)).text
    bounds = "" if use.startswith("bounds") else "bounds = { size = [0, 9] }, "
    path.write_text(text.replace('"kind" = "features"', f'{bounds}{use}, "kind" = "features"'))
    with refused(PolicyError, "label-is-position", where="inputs.f"):
        make_design(load_plan(path))


@pytest.mark.parametrize(("stored", "refuses"), [(FORMATS[4], False), *((stored, True) for stored in PLACES)])
def test_places_become_no_labels_of_a_prepared_table(
    tmp_path: Path, stored: Format, *, refuses: bool
) -> None:
    """No row of it depends on another participant."""
    columns = {"person": "who", "stimulus": "picture", "x": "x", "y": "y", "time": "t"}
    screen = {"width_px": WIDTH, "height_px": HEIGHT, "width_mm": 400, "distance_mm": 600}
    plan = plan_of("spectral", "replace-one", len(_STIMULI))
    path = plan_in(tmp_path, plan, stored, columns=columns, screen=screen)
    spec = load_plan(path).inputs[GAZE]
    with refused(*((PolicyError, "label-is-position") if refuses else (DataError, "no-events"))):
        prepare(spec, "fixations")


@pytest.mark.parametrize(("most", "fits"), [(None, True), (2, True), (1, False)])
def test_where_the_assignment_is_public_no_one_is_to_have_seen_more(
    tmp_path: Path, most: int | None, *, fits: bool
) -> None:
    """Then all that anyone has seen counts, and no label decides."""
    seen = tuple(
        replace(person, gaze=person.gaze[:2]) for person in STUDY.people if len(person.gaze) == len(_STIMULI)
    )
    plan = plan_of("spectral", "replace-one", most or 6)
    if most is None:
        del plan.document["outputs"][0]["max_stimuli_per_person"]
    path = plan_in(tmp_path, plan, FORMATS[-1], Study(seen), assume_public=["assignment"])
    if fits:
        assert make_design(load_plan(path)).outputs[0].mechanism.parameters.max_stimuli_per_person == 2
    else:
        with refused(PolicyError, "label-is-position"):
            make_design(load_plan(path))


def test_one_file_without_labels_is_enough(tmp_path: Path) -> None:
    """Of a folder, whose other files have them; what names of files say is no place."""
    path = plan_in(tmp_path, plan_of("areas", "replace-one", 1), PLACES[0], path="all")
    arrays = dict(np.load(tmp_path / "gaze.npz"))
    (tmp_path / "all").mkdir()
    np.savez(tmp_path / "all" / "1.npz", who=np.arange(len(STUDY.people)), **arrays)
    path.write_text(path.read_text().replace('"gaze.npz"', '"all", "pattern" = "{session}.npz"'))
    make_design(load_plan(path))
    np.savez(tmp_path / "all" / "2.npz", **arrays)
    with refused(PolicyError, "label-is-position"):
        make_design(load_plan(path))
    path.write_text(path.read_text().replace('["who", "n"]', '["m", "n"]').replace("{session}", "{who}"))
    (tmp_path / "all" / "1.npz").unlink()
    make_design(load_plan(path))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_of_everyone_else_labels_stay_when_a_persons_files_are_taken_out(
    tmp_path: Path, family: Family
) -> None:
    """Every format that there is."""
    plan = load_plan(written(family, tmp_path / "data"))
    (facts,) = make_design(plan).facts.values()
    (spec,) = plan.inputs.values()
    assert not facts.by_position
    reader = reader_for(spec.source)
    if isinstance(reader, Folder):
        gone = min(facts.identities)
        for file in reader.members(spec.source):
            if file.cells[spec.options["columns"]["person"]] == gone:
                file.source.path.unlink()
        (left,) = make_design(plan).facts.values()
        assert left.identities == facts.identities - {gone}
