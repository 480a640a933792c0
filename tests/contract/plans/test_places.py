"""Labels that are places in a file depend on who else is in it: nothing is chosen by them, and nothing measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from malformed import FAMILIES
from malformed.case import Family, written
from random_plans.corners import NAMES, OUTPUTS, RELATIONS, plan_of, study_of
from random_plans.files import FORMATS, Format
from random_plans.plans import GAZE, RandomPlan
from random_plans.study import HEIGHT, WIDTH, Public, Study
from refusals import refused

import synthrelease
from synthrelease.building.design import make_design
from synthrelease.data.readers import reader_for
from synthrelease.data.readers.folder import Folder
from synthrelease.errors import DataError, PolicyError
from synthrelease.plan.plan import load_plan
from synthrelease.prepare import prepare

STUDY = study_of(30)
NPZ_WITH_LABELS = next(stored for stored in FORMATS if stored.everyone and stored.first is None)
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
    path = plan_in(tmp_path, plan_of(name, relation, len(NAMES) - 1), stored)
    with refused(PolicyError, "label-is-position", where="outputs[0] (o).max_", names=["who"]):
        make_design(load_plan(path))


@pytest.mark.parametrize("stored", [one for one in FORMATS if one.first is None], ids=lambda one: one.name)
def test_what_the_file_says_of_a_person_is_no_place(tmp_path: Path, stored: Format) -> None:
    path = plan_in(tmp_path, plan_of("areas", "replace-one", 1), stored)
    assert make_design(load_plan(path)).people == len(STUDY.people)


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
    path = plan_in(tmp_path, plan_of("spectral", "replace-one", len(NAMES)), stored, STUDY, **keys)
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


@pytest.mark.parametrize(
    ("stored", "refuses"), [(NPZ_WITH_LABELS, False), *((stored, True) for stored in PLACES)]
)
def test_places_become_no_labels_of_a_prepared_table(
    tmp_path: Path, stored: Format, *, refuses: bool
) -> None:
    """No row of it depends on another participant."""
    columns = {"person": "who", "stimulus": "picture", "x": "x", "y": "y", "time": "t"}
    screen = {"width_px": WIDTH, "height_px": HEIGHT, "width_mm": 400, "distance_mm": 600}
    plan = plan_of("spectral", "replace-one", len(NAMES))
    path = plan_in(tmp_path, plan, stored, columns=columns, screen=screen)
    spec = load_plan(path).inputs[GAZE]
    with refused(*((PolicyError, "label-is-position") if refuses else (DataError, "no-events"))):
        prepare(spec, "fixations")


@pytest.mark.parametrize("stored", PLACES, ids=lambda stored: stored.name)
def test_a_column_that_is_not_there_is_said_first(tmp_path: Path, stored: Format) -> None:
    columns = {"person": "who", "stimulus": "picture", "x": "x", "y": "y", "time": "t"}
    screen = {"width_px": WIDTH, "height_px": HEIGHT, "width_mm": 400, "distance_mm": 600}
    plan = plan_of("spectral", "replace-one", 1)
    path = plan_in(tmp_path, plan, stored, columns=columns, screen=screen)
    path.write_text(path.read_text().replace('"person" = "who"', '"person" = "whom"'))
    with refused(DataError, "unknown-column", names=["whom"]):
        make_design(load_plan(path))
    with refused(DataError, "unknown-column", names=["whom"]):
        prepare(load_plan(path).inputs[GAZE], "fixations")


@pytest.mark.parametrize(("most", "fits"), [(None, True), (2, True), (1, False)])
def test_where_the_assignment_is_public_no_one_is_to_have_seen_more(
    tmp_path: Path, most: int | None, *, fits: bool
) -> None:
    """Then all that anyone has seen counts, and no label decides."""
    seen = tuple(
        replace(person, gaze=person.gaze[:2]) for person in STUDY.people if len(person.gaze) == len(NAMES)
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


@pytest.mark.parametrize(
    ("label", "most", "is_noted"),
    [("{0}", 1, True), ("{1}", 1, True), ("{0}", None, False), ("p{0}", 1, False), ("{1}0", 1, False)],
)
def test_numbers_that_may_be_places_are_noted_where_they_decide(
    tmp_path: Path, label: str, most: int | None, *, is_noted: bool
) -> None:
    """For the curator alone: labels are private."""
    plan = plan_of("spectral", "replace-one", most or 1)
    if most is None:
        del plan.document["outputs"][0]["max_stimuli_per_person"]
    noted, manifests = [], []
    for way in (label, "p{0}"):
        people = tuple(replace(one, label=way.format(n, n + 1)) for n, one in enumerate(STUDY.people))
        dry = synthrelease.dry_run(plan_in(tmp_path, plan, FORMATS[0], Study(people)), tmp_path / "r.h5")
        noted.append(any(dry.private.remarks.values()))
        manifests.append(dry.manifest)
    assert noted == [is_noted, False]
    assert manifests[0] == manifests[1]


@pytest.mark.parametrize(
    ("private", "public"),
    [
        *((stored, stored) for stored in (*PLACES, NPZ_WITH_LABELS)),
        (PLACES[0], NPZ_WITH_LABELS),
        (NPZ_WITH_LABELS, PLACES[0]),
    ],
    ids=lambda stored: stored.name,
)
@pytest.mark.parametrize("key", ["maps", "pilot"])
def test_places_do_not_show_who_is_in_public_data(
    tmp_path: Path, private: Format, public: Format, key: str
) -> None:
    """Neither that all are the same people, as their numbers are, nor that all are others."""
    plan, rows = plan_of("spectral", "replace-one", len(NAMES)), "gaze" if key == "maps" else "features"
    (output,), source = plan.document["outputs"], plan.document["inputs"][GAZE]
    if key == "maps":
        output |= {"prior": "maps"}
    else:
        for gone in ("screen", "stimuli"):
            del source[gone]
        source |= {"kind": "features", "bounds": {"size_mm": [0, 9]}, "recordings": ["read"]}
        source["columns"] = {"person": "who", "recording": "task"}
        output.clear()
        output |= {"name": "o", "kind": "people", "input": GAZE, "windows": 2, "people": 2}
    for name in ("data", "others"):
        (tmp_path / name).mkdir()
    others = Study(tuple(replace(person, label=f"q{person.label}") for person in study_of(28).people))
    output[key] = f"others/{public.write(tmp_path / 'others', rows, others)['path']}"
    keys = private.write(tmp_path / "data", rows, STUDY)
    path = tmp_path / "plan.toml"
    path.write_text(plan.of_files({"gaze": keys | {"path": f"data/{keys['path']}"}}).text)
    if {private, public} == {NPZ_WITH_LABELS}:
        make_design(load_plan(path))
    else:
        with refused(PolicyError, "label-is-position", where=f"outputs[0] (o).{key}"):
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


def test_a_place_in_several_files_may_be_several_people(tmp_path: Path) -> None:
    """Also where all stimuli count: without the first one of one file, all its others would join others of the next."""
    path = plan_in(tmp_path, plan_of("areas", "replace-one", len(NAMES)), PLACES[0])
    arrays = dict(np.load(tmp_path / "gaze.npz"))
    (tmp_path / "all").mkdir()
    np.savez(tmp_path / "all" / "1.npz", **arrays)
    path.write_text(path.read_text().replace('"gaze.npz"', '"all", "pattern" = "{session}.npz"'))
    make_design(load_plan(path))
    np.savez(tmp_path / "all" / "2.npz", **arrays)
    with refused(PolicyError, "label-is-position", where="inputs.looks"):
        make_design(load_plan(path))
