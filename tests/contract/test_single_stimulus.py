"""Gaze of which all rows are of one stimulus, because the plan says so: `stimulus = "all"`."""

import numpy as np
import pytest
from refusals import refused

import synthrelease
from synthrelease.errors import PlanError
from synthrelease.plan.plan import load_plan
from synthrelease.prepare.prepared import prepare

PLAN = """
[release]
name = "one-map"
version = "1.0.0"
title = "All pictures as one map"
[privacy]
epsilon = 3.0
delta = 1e-5
[inputs.gaze]
kind = "gaze"
path = "gaze.csv"
stimulus = "all"
columns = { person = "who", x = "x", y = "y" }
screen = { width_px = 80, height_px = 60 }
[[outputs]]
name = "maps"
kind = "heatmap"
input = "gaze"
blur_px = 6
"""


@pytest.fixture
def plan(tmp_path):
    random = np.random.default_rng(1)
    rows = [
        f"p{person},{'abc'[n % 3]},{random.uniform(0, 80):.1f},{random.uniform(0, 60):.1f}"
        for person in range(40)
        for n in range(12)
    ]
    (tmp_path / "gaze.csv").write_text("\n".join(["who,picture,x,y", *rows]) + "\n")
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


def changed(plan, old, new):
    text = plan.read_text()
    assert old in text
    plan.write_text(text.replace(old, new))
    return plan


def test_all_rows_make_one_map(plan):
    built = synthrelease.build(plan, plan.parent / "r.h5")
    assert synthrelease.verify(built.path).ok
    (entry,) = built.manifest["outputs"]
    public = {**entry["mechanism"]["parameters"], **entry["mechanism"]["public_inputs"]}
    assert public["stimuli"] == ["all"]
    assert public["names"] == "listed"
    assert public["viewers"] == [40]


def test_it_is_the_map_of_the_same_rows_with_one_label(plan):
    """Without noise there is no difference: the contributions are the same integers."""
    one = synthrelease.build(plan, plan.parent / "one.h5", test_seed=7)
    table = (plan.parent / "gaze.csv").read_text()
    for picture in "bc":
        table = table.replace(f",{picture},", ",a,")
    (plan.parent / "gaze.csv").write_text(table)
    changed(plan, 'stimulus = "all"\n', 'stimuli = ["a"]\nassume_public = ["assignment"]\n')
    changed(plan, 'person = "who",', 'person = "who", stimulus = "picture",')
    labelled = synthrelease.build(plan, plan.parent / "labelled.h5", test_seed=7)
    values = [
        synthrelease.open_bundle(built.path, allow_test_seed=True).to_xarray("maps")["heatmap"].values
        for built in (one, labelled)
    ]
    np.testing.assert_array_equal(*values)


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove-one"])
@pytest.mark.parametrize("kind", ["heatmap", "areas"])
def test_what_one_person_did_or_is_called_changes_nothing_public(plan, neighbours, kind):
    """With `only`: a neighbour whose rows are all left out, and one with another label, have the same manifest."""
    changed(plan, 'stimulus = "all"\n', 'stimulus = "all"\nonly = { picture = ["a", "b"] }\n')
    changed(plan, "epsilon = 3.0\n", f'epsilon = 3.0\nneighbours = "{neighbours}"\n')
    if kind == "areas":
        changed(plan, "blur_px = 6\n", "areas = { left = { rectangle = [0, 0, 40, 60] } }\n")
        changed(plan, 'kind = "heatmap"', 'kind = "areas"')
    data = plan.parent / "gaze.csv"
    rows = data.read_text()
    last = [line for line in rows.splitlines() if line.startswith("p39,")]
    elsewhere = [line.replace(",a,", ",c,").replace(",b,", ",c,") for line in last]
    relabelled = [line.replace("p39,", "a0,") for line in elsewhere]
    manifests = []
    for number, lines in enumerate((last, elsewhere, relabelled)):
        data.write_text(rows.replace("\n".join(last), "\n".join(lines)))
        built = synthrelease.build(plan, plan.parent / f"{number}.h5", test_seed=7)
        mechanism = built.manifest["outputs"][0]["mechanism"]
        manifests.append(
            (mechanism, built.manifest["privacy"], built.manifest["inputs"], built.manifest["warnings"])
        )
    assert manifests[0] == manifests[1] == manifests[2]


def test_it_is_evaluated_exported_and_compared(plan):
    built = synthrelease.build(plan, plan.parent / "r.h5")
    assert not synthrelease.evaluate(plan, built.path).faults
    assert synthrelease.export(built.path, "csv", plan.parent / "csv")
    assert synthrelease.report(built.path, plan.parent / "r.html")
    other = synthrelease.build(plan, plan.parent / "s.h5")
    assert synthrelease.diff(built.path, other.path) is not None


def test_trials_cannot_be_made_of_it(plan):
    with refused(PlanError, "no-stimulus-column"):
        prepare(load_plan(plan).inputs["gaze"], "fixations")


@pytest.mark.parametrize("more", ['stimuli = ["a", "b"]', 'assume_public = ["stimuli"]'])
def test_it_contradicts_a_list_of_stimuli(plan, more):
    changed(plan, 'stimulus = "all"\n', f'stimulus = "all"\n{more}\n')
    with refused(PlanError, "stimulus-and-stimuli", where="inputs.gaze"):
        synthrelease.preview(plan)


def test_it_contradicts_a_column_of_stimuli(plan):
    changed(plan, 'person = "who",', 'person = "who", stimulus = "picture",')
    with refused(PlanError, "stimulus-and-stimuli", where="inputs.gaze"):
        synthrelease.preview(plan)


def test_without_it_the_column_is_missing(plan):
    changed(plan, 'stimulus = "all"\n', "")
    with refused(PlanError, "key-missing", where="inputs.gaze.columns", names=["'stimulus'"]):
        synthrelease.preview(plan)
