"""Statistics of fixations from plan to bundle, evaluation and report: what is measured of gaze, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import refusals
from goldens import figures

import synthrelease
from synthrelease.building.design import make_design
from synthrelease.bundle.disclosure import unprotected_facts
from synthrelease.errors import PlanError
from synthrelease.kinds.statistics.public_fixations import MEASURES, feature_name
from synthrelease.plan.plan import load_plan
from synthrelease.schemas import definition

PLAN = """
[release]
name = "fixations"
version = "1.0.0"
title = "Fixations of an invented study"

[privacy]
epsilon = 900.0

[inputs.looks]
kind = "gaze"
path = "looks.csv"
columns = { person = "who", stimulus = "picture", x = "x", y = "y", duration = "ms" }
screen = { width_px = 100, height_px = 80 }
stimuli = ["sea", "wood"]

[inputs.values]
kind = "features"
path = "values.csv"
columns = { person = "who" }
bounds = { size = [0, 1] }

[[outputs]]
name = "fixations"
kind = "statistics"
input = "looks"
statistics = ["mean", "count"]
bounds = { fixation_count = [0, 20], fixation_duration = [0, 500] }
by = "stimulus"
epsilon = 300

[[outputs]]
name = "trials"
kind = "statistics"
input = "looks"
statistics = ["mean"]
bounds = { fixation_count = [0, 10] }
epsilon = 300

[[outputs]]
name = "areas"
kind = "statistics"
input = "looks"
statistics = ["mean"]
bounds = { fixation_count = [0, 20], total_fixation_duration = [0, 4000] }
areas = { left = { rectangle = [0, 0, 50, 80] } }
by = "stimulus"
everyone_in_every_group = true
epsilon = 300
"""
PEOPLE = 40


def write_study(folder: Path, **changes: str) -> Path:
    """Write 40 people's fixations: a quarter saw only the sea, all have rows of a picture that is not listed, and some have no duration."""
    rng = np.random.default_rng(20261126)
    rows = ["who,picture,x,y,ms"]
    for person in range(PEOPLE):
        for picture in ("sea", "wood", "unlisted")[: 3 if person % 4 else 1]:
            for _ in range(int(rng.integers(1, 15))):
                ms = "" if rng.random() < 0.1 else f"{rng.gamma(5, 50):.1f}"
                rows.append(f"p{person},{picture},{rng.uniform(0, 100):.1f},{rng.uniform(0, 80):.1f},{ms}")
    (folder / "looks.csv").write_text("\n".join(rows) + "\n")
    (folder / "values.csv").write_text("who,size\np1,0.5\n")
    text = PLAN
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new, 1)
    (folder / "plan.toml").write_text(text)
    return folder / "plan.toml"


def trials(folder: Path) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """The fixations, x and duration, of every person on every listed stimulus that they have rows of."""
    out: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for line in (folder / "looks.csv").read_text().splitlines()[1:]:
        who, picture, x, _, ms = line.split(",")
        if picture != "unlisted":
            fixations = out.setdefault((who, picture), [])
            fixations += [(float(x), float(ms))] if ms else []
    return out


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fixations")
    synthrelease.build(write_study(folder), folder / "r.h5", test_seed=1)
    return folder


@pytest.fixture
def bundle(study: Path) -> synthrelease.bundle.Bundle:
    return synthrelease.open_bundle(study / "r.TEST-SEED.h5", allow_test_seed=True)


def test_a_bundle_of_fixations_verifies(study: Path) -> None:
    assert synthrelease.verify(study / "r.TEST-SEED.h5", allow_test_seed=True).findings == []


def test_values_are_near_the_truth_at_such_a_budget(study: Path, bundle: synthrelease.bundle.Bundle) -> None:
    own = trials(study)
    for s, picture in enumerate(("sea", "wood")):
        shown = {who: fixations for (who, what), fixations in own.items() if what == picture}
        counts = [len(fixations) for fixations in shown.values()]
        means = [np.mean([ms for _, ms in fixations]) for fixations in shown.values() if fixations]
        assert bundle["fixations"]["count/value"][s] == pytest.approx([len(counts), len(means)], abs=0.5)
        assert bundle["fixations"]["mean/value"][s, 0] == pytest.approx(np.mean(counts), abs=0.3)
        assert bundle["fixations"]["mean/value"][s, 1] == pytest.approx(np.mean(means), abs=6)
        left = [[ms for x, ms in fixations if x < 50] for fixations in shown.values()]
        absent = PEOPLE - len(left)  # they count as the centre of the bounds
        in_area = [
            (sum(map(len, left)) + 10 * absent) / PEOPLE,
            (sum(min(sum(ms), 4000) for ms in left) + 2000 * absent) / PEOPLE,
        ]
        assert bundle["areas"]["mean/value"][s] == pytest.approx(in_area, rel=0.02)
    of_people: dict[str, list[int]] = {}
    for (who, _), fixations in own.items():
        of_people.setdefault(who, []).append(min(len(fixations), 10))
    expected = np.mean([np.mean(counts) for counts in of_people.values()])
    assert bundle["trials"]["mean/value"][0] == pytest.approx(expected, abs=0.1)


def test_the_manifest_says_of_what_and_what_is_public(bundle: synthrelease.bundle.Bundle) -> None:
    entries = {entry["name"]: entry for entry in bundle.manifest["outputs"]}
    parameters = {name: entry["mechanism"]["parameters"] for name, entry in entries.items()}
    assert {entry["mechanism"]["name"] for entry in entries.values()} == {"fixations_discrete_laplace"}
    assert all(stated["stimuli"] == ["sea", "wood"] for stated in parameters.values())
    assert (parameters["fixations"]["by"], parameters["trials"]["by"]) == ("stimulus", None)
    assert parameters["fixations"]["max_groups_per_person"] == 2
    features = [feature["name"] for feature in parameters["areas"]["features"]]
    assert features == [feature_name(measure, "left") for measure in MEASURES[::2]]
    assert parameters["areas"]["areas"][0]["name"] == "left"
    public = [what.split() for what, _ in unprotected_facts(bundle.manifest)]
    assert not [words for words in public if words[0] == "groups"]
    assert [words[-1] for words in public if words[0] == "stimuli"] == list(entries)
    codes = [warning["code"] for warning in entries["fixations"]["warnings"]]
    assert codes == ["fixations", "one-trial"]


def test_an_evaluation_knows_the_truth(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    built = synthrelease.build(path, tmp_path / "r.h5")
    result = synthrelease.evaluate(path, built.path)
    assert not result.faults
    errors = {output.name: output.utility for output in result.outputs}
    for name in ("fixations", "trials", "areas"):
        utility = errors[name]
        assert utility is not None
        released, without_noise, *without_data = (scores[0] for scores in utility.compared.values())
        assert released < 0.25 * max(without_data)
        # of areas those who did not see a stimulus count as the centre, which the truth does not say
        assert (without_noise > 0.02) == (name == "areas")
    assert synthrelease.report(built.path, tmp_path / "r.html")
    assert synthrelease.export(built.path, "csv", tmp_path / "csv")


def test_a_curator_sees_what_is_clipped_to_bounds_of_another_unit(tmp_path: Path) -> None:
    """Bounds in seconds of durations in milliseconds: of the output that has them, and no other."""
    path = write_study(tmp_path, **{"fixation_duration = [0, 500]": "fixation_duration = [0, 0.5]"})
    notes = synthrelease.dry_run(path).private.sentences["looks"]
    (clipped,) = (note for note in notes if "'fixation_duration'" in note.split())
    assert "'fixations'" in clipped.split()
    assert len(set(figures(clipped))) == 1, "all of them"
    (counts,) = (note for note in notes if "'fixation_count'" in note.split())
    assert "'trials'" in counts.split()
    assert len(set(figures(counts))) == 2, "some of those bounded by 10"


# --- the assignment


def test_a_public_assignment_bounds_on_how_many_stimuli_a_person_counts(tmp_path: Path) -> None:
    """No participant has rows of both: each counts on one, and this is known only if it is public."""
    path = write_study(tmp_path)
    rows = (tmp_path / "looks.csv").read_text().replace("wood", "sea")
    (tmp_path / "looks.csv").write_text(rows.replace("p1,sea", "p1,wood"))
    outputs = make_design(load_plan(path)).outputs
    assert [output.mechanism.parameters.max_groups_per_person for output in outputs] == [2, 1, 2]
    path.write_text(
        path.read_text()
        .replace('stimuli = ["sea", "wood"]', 'stimuli = ["sea", "wood"]\nassume_public = ["assignment"]')
        .replace("everyone_in_every_group = true\n", "")
    )
    outputs = make_design(load_plan(path)).outputs
    assert [output.mechanism.parameters.max_groups_per_person for output in outputs] == [1, 1, 1]
    assert all(output.mechanism.parameters.assignment_public for output in outputs)


def test_all_rows_may_be_of_one_stimulus(tmp_path: Path) -> None:
    path = write_study(
        tmp_path, **{', stimulus = "picture"': "", 'stimuli = ["sea", "wood"]': 'stimulus = "all"'}
    )
    assert [output.mechanism.parameters.groups for output in make_design(load_plan(path)).outputs] == [
        ("all",),
        None,
        ("all",),
    ]


# --- what cannot be

AREA = "areas = { left = { rectangle = [0, 0, 50, 80] } }"


@pytest.mark.parametrize(
    ("old", "new", "code", "names"),
    [
        (', duration = "ms"', "", "no-duration-column", ("inputs.looks", "prepare", "--to fixations")),
        (
            "bounds = { fixation_count = [0, 20], fixation_duration = [0, 500] }\n",
            "",
            "no-bounds",
            tuple(MEASURES),
        ),
        ('by = "stimulus"', 'by = "recording"', "unknown-label", ("stimulus",)),
        ('by = "stimulus"', 'features = ["total_fixation_duration"]', "no-bounds", ("fixation_count",)),
        ("bounds = { fixation_count = [0, 10] }", AREA, "no-bounds", tuple(MEASURES)),
        (AREA, 'label_image = "{stimulus}.png"', "no-areas", ("label_image",)),
        (
            AREA,
            'areas = { left = { rectangle = [0, 0, 50, 80], stimuli = ["sea"] } }',
            "area-of-some-stimuli",
            ("'left'", "label_image"),
        ),
        (AREA, AREA.replace("left", "x" * 175), "area-name-too-long", ("175", "173")),
        ('by = "stimulus"', "max_groups_per_person = 2", "too-many-groups", ("2",)),
        ("fixation_count = [0, 20]", "fixation_count = [20, 0]", "bad-bounds", ("[20, 0]",)),
    ],
)
def test_what_makes_no_sense_is_refused(
    tmp_path: Path, old: str, new: str, code: str, names: tuple[str, ...]
) -> None:
    with refusals.refused(PlanError, code, where="outputs[", names=names):
        make_design(load_plan(write_study(tmp_path, **{old: new})))


def test_the_longest_name_of_an_area_makes_names_that_a_manifest_can_have(tmp_path: Path) -> None:
    path = write_study(tmp_path, **{AREA: AREA.replace("left", "x" * 173)})
    built = synthrelease.build(path, tmp_path / "r.h5", test_seed=1)
    features = built.manifest["outputs"][2]["mechanism"]["parameters"]["features"]
    assert [len(feature["name"]) for feature in features] == [191, 200]


@pytest.mark.parametrize("key", ["bounds", "areas", "label_image"])
def test_keys_of_gaze_are_refused_for_features(tmp_path: Path, key: str) -> None:
    written = {
        "bounds": "{ fixation_count = [0, 1] }",
        "areas": "{ a = { label = 1 } }",
        "label_image": '"a.png"',
    }
    old = 'input = "looks"\nstatistics = ["mean"]\nbounds = { fixation_count = [0, 10] }'
    path = write_study(tmp_path, **{old: f'input = "values"\nstatistics = ["mean"]\n{key} = {written[key]}'})
    with refusals.refused(PlanError, "key-of-other-input", where="outputs[1]", names=(f"'{key}'",)):
        make_design(load_plan(path))


def test_two_outputs_may_bound_the_same_measure_differently(bundle: synthrelease.bundle.Bundle) -> None:
    """Bounds of features are facts of their input; those of measures are not."""
    bounds = {
        (feature["low"], feature["high"])
        for entry in bundle.manifest["outputs"]
        for feature in entry["mechanism"]["parameters"]["features"]
        if feature["name"] == MEASURES[0]
    }
    assert len(bounds) == 2


def test_the_plan_s_schema_has_every_measure() -> None:
    keys: dict[str, Any] = definition("statistics", of="plan-v1")["properties"]
    assert tuple(keys["bounds"]["properties"]) == MEASURES
    assert re.search(r"\bgaze\b", keys["bounds"]["description"])
