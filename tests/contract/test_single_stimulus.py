"""Gaze of which all rows are of one stimulus, because the plan says so: `stimulus = "all"`."""

import numpy as np
import pytest
from refusals import refused

import synthrelease
from synthrelease.errors import PlanError

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
