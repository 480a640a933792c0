"""Heatmaps in a plan: defaults, what contradicts itself, and what `preview` tells of every mechanism."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import refusals
from goldens import check_text, figures

from synthrelease.building.design import Design, make_design
from synthrelease.building.preview import as_text, preview
from synthrelease.errors import PlanError
from synthrelease.kinds.heatmap.accuracy import Viewing
from synthrelease.kinds.heatmap.cells import CellHeatmap
from synthrelease.kinds.heatmap.spectral import SpectralHeatmap
from synthrelease.numerics.spectral import SpectralForm
from synthrelease.plan.plan import load_plan

PEOPLE = 40


def write(folder: Path, *, seed: int = 0, unassigned: int = 7) -> None:
    rng = np.random.default_rng(seed)
    rows = ["who,image,x,y,t,ms"]
    for person in range(PEOPLE):
        for image in ("sea", "sky")[: 1 if person < unassigned else 2]:
            for t in range(5):
                x, y = rng.uniform(0, 800), rng.uniform(0, 600)
                rows.append(f"p{person},{image},{x:.1f},{y:.1f},{t},{rng.integers(1, 300)}")
    (folder / "gaze.csv").write_text("\n".join(rows) + "\n")


def design(folder: Path, *, columns: tuple[str, ...] = ("time", "duration"), **options: Any) -> Design:
    if not (folder / "gaze.csv").exists():
        write(folder)
    known = {"time": 'time = "t"', "duration": 'duration = "ms"'}
    extra = "".join(f", {known[c]}" for c in columns)
    neighbours = options.pop("neighbours", "replace-one")
    assume = options.pop("assume_public", ["assignment"])
    screen = options.pop("screen", {"width_px": 800, "height_px": 600})
    tables = ", ".join(f"{key} = {value}" for key, value in screen.items())
    (folder / "plan.toml").write_text(
        f"""
[release]
name = "study"
version = "1"
title = "A study"
[privacy]
neighbours = "{neighbours}"
epsilon = 1.0
delta = 1e-6
[inputs.gaze]
kind = "gaze"
path = "gaze.csv"
columns = {{ person = "who", stimulus = "image", x = "x", y = "y"{extra} }}
screen = {{ {tables} }}
stimuli = ["sea", "sky"]
assume_public = {json.dumps(assume)}
[[outputs]]
name = "maps"
kind = "heatmap"
input = "gaze"
"""
        + "".join(f"{key} = {json.dumps(value)}\n" for key, value in options.items())
    )
    return make_design(load_plan(folder / "plan.toml"))


def spectral(folder: Path, **options: Any) -> SpectralHeatmap:
    resolved = design(folder, **options).outputs[0].mechanism
    assert isinstance(resolved, SpectralHeatmap)
    return resolved


def refused(folder: Path, code: str, *names: str, **options: Any) -> None:
    with refusals.refused(PlanError, code, where="plan.toml", names=names):
        design(folder, **options)


def test_spectral_is_the_default_with_four_cells_for_each_sigma(tmp_path: Path) -> None:
    made = spectral(tmp_path)
    assert (made.parameters.blur_px, made.parameters.blur_time) == (24.0, None)
    assert made.parameters.form.cells == (100, 134)
    assert made.parameters.form.band.count == 953
    assert made.parameters.joint
    assert made.parameters.viewers == (40, 33)
    assert spectral(tmp_path, blur_px=3).parameters.form.cells == (600, 800)  # no finer than the screen
    assert spectral(tmp_path, width_px=7, height_px=5).parameters.form.cells == (5, 7)


def test_the_plans_defaults_are_those_of_the_form(tmp_path: Path) -> None:
    """On which docs/evidence/utility.md reports: study, reproduction and benchmark take the form's."""
    form = spectral(tmp_path).parameters.form
    assert form == SpectralForm(form.blurs, form.cells)


def test_viewers_are_nobodys_where_assignment_or_people_are_private(tmp_path: Path) -> None:
    for private in ({"assume_public": []}, {"neighbours": "add-remove-one"}):
        made = design(tmp_path, **private)
        resolved = made.outputs[0].mechanism
        assert isinstance(resolved, SpectralHeatmap)
        assert resolved.parameters.viewers is None
        assert resolved.parameters.to_entry()["public_inputs"]["viewers"] is None
        assert resolved.viewing is not None
        assert resolved.viewing.viewers is None


@pytest.mark.parametrize("private", [{"assume_public": []}, {"neighbours": "add-remove-one"}], ids=str)
@pytest.mark.parametrize("mechanism", ["spectral", "gaussian", "laplace"])
def test_the_preview_does_not_tell_how_many_saw_what_where_that_is_private(
    tmp_path: Path, private: dict[str, Any], mechanism: str
) -> None:
    views = []
    for unassigned in (0, 39):
        folder = tmp_path / str(unassigned)
        folder.mkdir()
        write(folder, unassigned=unassigned)
        views.append(as_text(preview(design(folder, mechanism=mechanism, **private))))
    assert views[0] == views[1]


@pytest.mark.parametrize("mechanism", ["spectral", "gaussian", "laplace"])
def test_the_most_that_anyone_saw_sets_nothing_where_that_is_private(tmp_path: Path, mechanism: str) -> None:
    write(tmp_path, unassigned=PEOPLE)  # all of one stimulus of two
    assert most_of(design(tmp_path, mechanism=mechanism)) == 1
    for private in ({"assume_public": []}, {"neighbours": "add-remove-one"}):
        assert most_of(design(tmp_path, mechanism=mechanism, **private)) == 2


def most_of(made: Design) -> int:
    most: int = made.outputs[0].mechanism.parameters.to_entry()["parameters"]["max_stimuli_per_person"]
    return most


def test_a_dynamic_map_has_a_tenth_of_its_window_as_blur_and_four_frames_for_it(tmp_path: Path) -> None:
    made = spectral(tmp_path, window=[0, 50])
    assert (made.parameters.blur_px, made.parameters.blur_time) == (24.0, 5.0)
    assert made.parameters.form.blurs[0] == pytest.approx(0.1)
    assert made.parameters.form.cells == (40, 100, 134)
    other = spectral(tmp_path, window=[10, 50], blur_time=8, frames=3)
    assert other.parameters.form.blurs[0] == pytest.approx(0.2)
    assert other.parameters.form.cells[0] == 3
    assert other.parameters.window == (10.0, 50.0)


@pytest.mark.parametrize(
    "key", ["clipping", "weight", "prior", "exponent", "clip", "window", "blur_time", "frames"]
)
@pytest.mark.parametrize("mechanism", ["gaussian", "laplace"])
def test_keys_of_the_spectral_mechanism_are_refused_elsewhere(
    tmp_path: Path, key: str, mechanism: str
) -> None:
    values = {"clipping": "joint", "weight": "samples", "prior": "none", "window": [0, 1], "frames": 2}
    names = (f"'{key}'", f'"{mechanism}"', '"spectral"')
    refused(tmp_path, "key-not-for-mechanism", *names, mechanism=mechanism, **{key: values.get(key, 1.0)})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("cap", 2),
        ("caps", [1, 2]),
        ("cap_share", 0.2),
        ("max_samples_per_stimulus", 9),
        ("calibration", "exact"),
    ],
)
def test_keys_of_cells_are_refused_for_the_spectral_mechanism(tmp_path: Path, key: str, value: Any) -> None:
    refused(tmp_path, "key-not-for-mechanism", f"'{key}'", '"gaussian"', **{key: value})


@pytest.mark.parametrize(
    ("options", "code", "names"),
    [
        ({"blur_px": 0}, "bad-blur", ("blur_px", "0", "gaussian")),
        ({"blur_px": 1e-320}, "bad-blur", ("blur_px",)),
        ({"blur_px": 5000}, "bad-blur", ("5000",)),
        ({"window": [-1e308, 1e308]}, "bad-window", ("window",)),
        ({"window": [0, 5e-324]}, "bad-window", ("window",)),
        ({"window": [0, 1], "blur_time": 1e-320}, "bad-blur", ("blur_time",)),
        ({"window": [0, 1], "frames": 10_000, "width_px": 800, "height_px": 600}, "bad-blur", ("67108864",)),
        ({"clip": 1e-6}, "clip-too-small", ("clip", "1e-06", "64")),
        ({"blur_px": 0.5}, "bad-blur", ("blur_px", "0.5", "gaussian")),
        ({"blur_px": 1.6, "window": [0, 1], "blur_time": 0.001}, "bad-blur", ("1.6", "blur_time", "0.001")),
        ({"window": [1, 1]}, "bad-window", ("window", "[1, 1]")),
        ({"window": [5, 0]}, "bad-window", ("window", "[5, 0]")),
        ({"window": [0, 5], "columns": ("duration",)}, "no-time-column", ('time = "COLUMN"',)),
        ({"frames": 3}, "key-needs-window", ("frames", "window")),
        ({"blur_time": 3}, "key-needs-window", ("blur_time", "window")),
        ({"weight": "duration", "columns": ("time",)}, "no-duration-column", ('duration = "COLUMN"',)),
        ({"mechanism": "gaussian", "caps": [1, 2]}, "key-needs-private-choice", ("caps", 'cap = "private"')),
        (
            {"mechanism": "gaussian", "cap_share": 0.2},
            "key-needs-private-choice",
            ("cap_share", 'cap = "private"'),
        ),
        (
            {"mechanism": "gaussian", "cap": "private", "max_samples_per_stimulus": "unlimited"},
            "cap-needs-bound",
            ("max_samples_per_stimulus",),
        ),
        (
            {"mechanism": "gaussian", "cap": "private", "caps": [2, 1]},
            "bad-candidates",
            ("[2, 1]", "max_samples_per_stimulus = 100"),
        ),
        (
            {"mechanism": "gaussian", "cap": "private", "caps": [1, 101]},
            "bad-candidates",
            ("[1, 101]", "max_samples_per_stimulus = 100"),
        ),
        (
            {"screen": {"width_px": 800, "height_px": 600, "width_mm": 400}},
            "key-missing",
            ("'distance_mm'", "'width_mm'"),
        ),
    ],
    ids=str,
)
def test_what_contradicts_itself_is_refused(
    tmp_path: Path, options: dict[str, Any], code: str, names: tuple[str, ...]
) -> None:
    refused(tmp_path, code, *names, **options)


def test_candidates_of_a_private_cap_end_with_all_samples(tmp_path: Path) -> None:
    resolved = (
        design(tmp_path, mechanism="gaussian", cap="private", max_samples_per_stimulus=25)
        .outputs[0]
        .mechanism
    )
    assert isinstance(resolved, CellHeatmap)
    assert resolved.candidates == (1, 2, 3, 5, 8, 13, 20, 25)


def test_the_preview_compares_all_mechanisms(tmp_path: Path) -> None:
    row = preview(design(tmp_path))["outputs"][0]
    head, *rows = row["comparison"]
    assert [r[0] for r in rows] == ["spectral"] * 3 + ["gaussian"] * 3 + ["laplace"] * 3
    assert head[1:3] == ["ε", "n=30"]
    for r in rows:
        values = [float(value) for value in r[2:]]
        assert values == sorted(values)  # more people, better maps
    for column in range(2, len(head)):
        assert float(rows[0][column]) >= float(rows[6][column])
    assert figures(row["error"])[2] == 0.46  # of no data at all
    assert "CC ≥ 0.8" in row["people_needed"]


@pytest.mark.quick("1")
@pytest.mark.parametrize("blur", [0, 0.01, 1, 5000])
def test_cells_can_be_compared_whatever_their_blur(tmp_path: Path, blur: float) -> None:
    huge = {"width_px": 100_000, "height_px": 100_000}
    made = design(tmp_path, mechanism="gaussian", width_px=8, height_px=6, blur_px=blur, screen=huge)
    row = preview(made)["outputs"][0]
    assert {r[0] for r in row["comparison"][1:]} >= {"gaussian", "laplace"}


def test_people_needed_are_those_at_which_the_prediction_reaches_it(tmp_path: Path) -> None:
    made = design(tmp_path)
    resolved, budget = made.outputs[0].mechanism, made.outputs[0].budget
    assert isinstance(resolved, SpectralHeatmap)
    assert budget is not None
    needed, good = figures(resolved.expected_correlation(budget, None)[1])
    assert good == 0.8
    assert resolved.viewing is not None
    assert resolved.correlation(resolved.viewing, budget, needed) >= 0.8
    assert resolved.correlation(resolved.viewing, budget, needed - 1) < 0.8


def seen_by(resolved: SpectralHeatmap, **viewing: Any) -> SpectralHeatmap:
    """The mechanism where stimuli are looked at otherwise."""
    assert isinstance(resolved.viewing, Viewing)
    return replace(resolved, viewing=replace(resolved.viewing, **viewing))


def test_a_map_that_tells_nothing_is_said_to(tmp_path: Path) -> None:
    made = design(tmp_path)
    resolved, budget = made.outputs[0].mechanism, made.outputs[0].budget
    assert isinstance(resolved, SpectralHeatmap)
    assert budget is not None
    lines = []
    for people in (3, 1_000_000):
        known = seen_by(resolved, viewers=float(people)).expected_correlation(budget, people)[0]
        private = seen_by(resolved, viewers=None, stimuli_per_person=2.0).expected_correlation(
            budget, people
        )[0]
        lines += [f"{people} viewers: {known}", f"{people} people: {private}"]
    check_text("predictions/heatmaps", "\n".join(lines))


def test_people_who_count_on_some_stimuli_alone_are_fewer_on_each(tmp_path: Path) -> None:
    made = design(tmp_path)
    resolved, budget = made.outputs[0].mechanism, made.outputs[0].budget
    assert isinstance(resolved, SpectralHeatmap)
    assert budget is not None
    four = replace(resolved, parameters=replace(resolved.parameters, stimuli=tuple("abcd")))
    private = seen_by(four, viewers=None, stimuli_per_person=1.0)
    some, everything = (
        figures(seen_by(four, viewers=None, stimuli_per_person=seen).expected_correlation(budget, 4000)[0])
        for seen in (1.0, 4.0)
    )
    assert private.viewing is not None
    assert some[0] == round(private.correlation(private.viewing, budget, 1000), 2)
    assert some[1:4] == [4000, 1, 4]
    assert everything[1] == 4000
    assert len(some) == len(everything) + 2
