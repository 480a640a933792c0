"""Areas from a plan to a verified bundle, on real gaze; what is predicted, and what is refused before any data is read."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from goldens import figures
from PIL import Image
from refusals import refused

import synthrelease
from synthrelease.building.design import Design, make_design
from synthrelease.building.preview import as_text, preview
from synthrelease.cli import main
from synthrelease.data.gaze import load_gaze
from synthrelease.data.screen import Screen
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian
from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import PlanError, PolicyError
from synthrelease.numerics.steps import HALF_RANGE
from synthrelease.plan.plan import load_plan

DEMO = Path(str(files("synthrelease.demo"))) / "attention.csv.gz"
HALVES = {"left": {"rectangle": [0, 0, 400, 600]}, "right": {"rectangle": [400, 0, 800, 600]}}
PARTS = {
    "left": {"rectangle": [0, 0, 250, 600]},
    "middle": {"polygon": [[250, 0], [550, 0], [550, 600], [250, 600]]},
    "top right": {"label": 1},
}


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def write_plan(
    folder: Path,
    *outputs: dict[str, Any],
    data: Path = DEMO,
    looks: dict[str, Any] | None = None,
    columns: dict[str, str] | None = None,
    **privacy: Any,
) -> Path:
    """Write a plan of areas of the demonstration's gaze."""
    own = {"person": "person", "stimulus": "image", "x": "x_px", "y": "y_px", **(columns or {})}
    document = {
        "release": {"name": "looks", "version": "1", "title": "Looks at photographs"},
        "privacy": {"epsilon": 3.0, "delta": 1e-6, **privacy},
        "inputs": {
            "looks": {
                "kind": "gaze",
                "path": str(data),
                "columns": own,
                "screen": {"width_px": 800, "height_px": 600},
                "stimuli": ["1005", "1012"],
                "assume_public": ["assignment"],
                **(looks or {}),
            }
        },
        "outputs": [
            {"name": f"parts{n}", "kind": "areas", "input": "looks", **output}
            for n, output in enumerate(outputs)
        ],
    }
    path = folder / "plan.toml"
    path.write_text("".join(f"{key} = {toml(value)}\n" for key, value in document.items()))
    return path


def design(folder: Path, *outputs: dict[str, Any], **options: Any) -> Design:
    return make_design(load_plan(write_plan(folder, *outputs, **options)))


def label_images(folder: Path) -> str:
    """Two images of other sizes whose upper half is label 1."""
    for stimulus, rows in (("1005", 2), ("1012", 30)):
        pixels = np.zeros((rows, 4), dtype=np.uint8)
        pixels[: rows // 2] = 1
        Image.fromarray(pixels).save(folder / f"labels-{stimulus}.png")
    return "labels-{stimulus}.png"


def shares(path: Path, output: str, stimulus: str, what: str) -> Any:
    with h5py.File(path) as file:
        stored = file[f"/outputs/{output}"]
        stimuli = [label.decode() for label in stored["stimulus"]]
        return stored[f"{what}/shares"][stimuli.index(stimulus)]


# From the plan to the bundle


def mean_shares(stimulus: str) -> np.ndarray:
    """The exact mean over people of the time in left, middle, top right and elsewhere, from the file."""
    table = pl.read_csv(DEMO, schema_overrides={"image": pl.String}).filter(pl.col("image") == stimulus)
    x, y = np.minimum(table["x_px"], 799.999), np.minimum(table["y_px"], 599.999)
    area = np.select([x < 250, x < 550, y < 300], [0, 1, 2], 3)
    people = table["person"].to_numpy()
    own = [np.bincount(area[people == who], minlength=4) / (people == who).sum() for who in np.unique(people)]
    return np.mean(own, axis=0)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove-one"])
def test_a_release_of_real_gaze_is_verified_and_near_the_truth(
    tmp_path: Path, noise: str, neighbours: str
) -> None:
    output = {"areas": PARTS, "noise": noise, "transitions": True, "label_image": label_images(tmp_path)}
    path = write_plan(tmp_path, output, neighbours=neighbours, epsilon=100.0)
    built = synthrelease.build(path, tmp_path / "looks.h5")
    found = synthrelease.verify(built.path)
    assert found.ok, found.findings
    entry = built.manifest["outputs"][0]
    assert (entry["kind"], entry["mechanism"]["name"]) == ("areas", noise)
    assert [area["name"] for area in entry["mechanism"]["parameters"]["areas"]] == [*PARTS, "elsewhere"]
    told = json.dumps(built.manifest)
    assert str(tmp_path) not in told
    assert "labels-" not in told
    private = neighbours == "add-remove-one"
    assert (entry["mechanism"]["public_inputs"]["viewers"] is None) == private
    for stimulus in ("1005", "1012"):
        dwell = shares(built.path, "parts0", stimulus, "dwell")
        np.testing.assert_allclose(dwell, mean_shares(stimulus), atol=0.02)
        matrix = shares(built.path, "parts0", stimulus, "transitions")
        assert matrix.shape == (4, 4)
        assert (np.diag(matrix) == 0).all()
        assert abs(matrix.sum() - 1) < 1e-5


def test_the_areas_may_stand_in_a_file_beside_the_plan(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "areas.json").write_text(json.dumps(HALVES))
    inline, in_file = (
        design(tmp_path, {"areas": areas}).outputs[0].mechanism.parameters.to_entry()
        for areas in (HALVES, "sub/areas.json")
    )
    assert inline == in_file


def test_durations_weigh_and_rows_are_what_counts_otherwise(tmp_path: Path) -> None:
    data = tmp_path / "looks.csv"
    rows = [f"p{p},1005,{x},10,{ms}" for p in range(40) for x, ms in ((100, 30), (500, 10))]
    data.write_text("\n".join(["person,image,x_px,y_px,ms", *rows]) + "\n")
    both = [{"areas": HALVES, "epsilon": 50}, {"areas": HALVES, "weight": "duration", "epsilon": 50}]
    options = {"data": data, "looks": {"stimuli": ["1005"]}, "columns": {"duration": "ms"}, "epsilon": 100}
    built = synthrelease.build(write_plan(tmp_path, *both, **options), tmp_path / "looks.h5")
    assert synthrelease.verify(built.path).ok
    np.testing.assert_allclose(shares(built.path, "parts0", "1005", "dwell"), [0.5, 0.5, 0], atol=0.05)
    np.testing.assert_allclose(shares(built.path, "parts1", "1005", "dwell"), [0.75, 0.25, 0], atol=0.05)


def test_shares_that_are_noise_are_called_so(tmp_path: Path) -> None:
    data = tmp_path / "looks.csv"
    data.write_text("person,image,x_px,y_px\n" + "".join(f"p{n},1005,100,10\n" for n in range(3)))
    planned = design(tmp_path, {"areas": HALVES}, data=data).outputs[0]
    # Of the other stimulus no viewer is in the data, which counts as one.
    for epsilon, is_noise, of_one_is_noise in ((0.5, True, True), (5.0, False, True), (50.0, False, False)):
        budget = Budget(epsilon, 0.0)
        event = planned.mechanism.calibrate(budget)
        error = figures(planned.mechanism.prediction(event, budget, 3)[0])
        points = 100 * math.log(20) * event.scale / HALF_RANGE / 3
        assert (points > 100, 3 * points > 100) == (is_noise, of_one_is_noise)
        close, of_one = pytest.approx(points, rel=0.01), pytest.approx(3 * points, rel=0.01)
        expected = (
            [100, 95] if is_noise else [95, close, 3, 1] if of_one_is_noise else [95, close, 3, of_one, 1]
        )
        assert error == expected


def test_viewers_are_those_who_count_not_all_who_saw_a_stimulus(tmp_path: Path) -> None:
    """Otherwise, with one stimulus of each person's many, shares would be divided by far more people than made them.

    On which of two someone counts their label decides: the public number is that to expect.
    """
    data = tmp_path / "looks.csv"
    saw = {"a": ["1005", "1012"], "b": ["1005", "1012"], "c": ["1012"], "d": ["1005"]}
    rows = [f"{who},{image},100,10" for who, images in saw.items() for image in images]
    data.write_text("\n".join(["person,image,x_px,y_px", *rows]) + "\n")
    for most, viewers in ((1, 4), (2, 6)):
        made = design(tmp_path, {"areas": HALVES, "max_stimuli_per_person": most}, data=data)
        mechanism = made.outputs[0].mechanism
        counts = list(mechanism.parameters.viewers)
        assert sum(counts) == viewers
        gaze = load_gaze(
            data,
            columns=next(iter(made.plan.inputs.values())).options["columns"],
            screen=Screen(800, 600),
            stimuli=["1005", "1012"],
        )
        drawn = mechanism.draw(mechanism.collect(gaze), Budget(1e5, 0.0), SecureRandom.for_tests(1))
        exact = drawn.arrays["dwell/noisy"].sum(axis=1) / HALF_RANGE
        assert round(float(sum(exact))) == viewers
        if most > 1:
            assert [round(float(n)) for n in exact] == counts


# What it costs and what it is worth


def test_the_noise_is_that_of_two_whole_shares_for_each_stimulus(tmp_path: Path) -> None:
    W = HALF_RANGE
    made = design(
        tmp_path,
        {"areas": HALVES, "epsilon": 0.5},
        {"areas": HALVES, "epsilon": 0.5, "transitions": True},
        {"areas": HALVES, "epsilon": 0.5, "max_stimuli_per_person": 1},
        {"areas": HALVES, "epsilon": 0.5, "noise": "gaussian", "transitions": True},
    )
    events = [output.event for output in made.outputs]
    assert [event.sensitivity for event in events] == [4 * W, 8 * W, 2 * W, math.sqrt(8) * W]
    assert [event.count for event in events] == [2 * 3, 2 * 12, 2 * 3, 2 * 12]
    assert [type(event) for event in events] == [DiscreteLaplace] * 3 + [RoundedGaussian]
    assert math.isclose(events[0].scale, 8 * W, rel_tol=1e-9)


@pytest.mark.parametrize(("noise", "quantile"), [("laplace", math.log(20)), ("gaussian", 1.96)])
def test_the_preview_tells_what_nineteen_of_twenty_shares_err_by_at_most(
    tmp_path: Path, noise: str, quantile: float
) -> None:
    (output,) = design(tmp_path, {"areas": HALVES, "noise": noise}).outputs
    error, needed = output.mechanism.prediction(output.event, output.budget, 202)
    people = quantile * output.event.scale / HALF_RANGE  # whose shares the noise is as large as
    points = [pytest.approx(100 * people / viewers, rel=0.01) for viewers in (116, 99)]
    assert figures(error) == [95, points[0], 116, points[1], 99]
    assert figures(needed) == [pytest.approx(people / 0.05, rel=0.01), 5]


@pytest.mark.parametrize(
    ("options", "people", "viewers"),
    [
        ({}, 116, [116, 99]),
        ({"looks": {"assume_public": []}}, 202, []),
        ({"neighbours": "add-remove-one"}, 100, []),  # per cent of one person: in people
    ],
    ids=["viewers", "people", "private"],
)
def test_the_prediction_is_of_those_who_are_public(
    tmp_path: Path, options: dict[str, Any], people: int, viewers: list[int]
) -> None:
    made = design(tmp_path, {"areas": HALVES}, **options)
    (row,) = preview(made)["outputs"]
    each = math.log(20) * made.outputs[0].event.scale / HALF_RANGE
    first, error, *others = figures(row["error"])
    assert (first, error) == (95, pytest.approx(100 * each / people, rel=0.01))
    assert others[::2] == viewers
    assert figures(row["people_needed"]) == [math.ceil(each / 0.05), 5]


def test_the_preview_reads_no_gaze(tmp_path: Path) -> None:
    first = as_text(preview(design(tmp_path, {"areas": HALVES})))
    labels = pl.read_csv(DEMO, schema_overrides={"image": pl.String})
    labels.with_columns(x_px=None, y_px=None).write_csv(tmp_path / "labels.csv")
    assert as_text(preview(design(tmp_path, {"areas": HALVES}, data=tmp_path / "labels.csv"))) == first


def test_a_reader_is_told_that_label_images_are_elsewhere(tmp_path: Path) -> None:
    label_image = label_images(tmp_path)
    made = design(tmp_path, {"areas": PARTS, "label_image": label_image}, {"areas": HALVES})
    of_labels, of_shapes = (
        {warning.code for warning in output.mechanism.parameters.warnings()} for output in made.outputs
    )
    assert of_shapes < of_labels
    assert of_labels - of_shapes == {"label-image"}


# What is refused


@pytest.mark.parametrize(
    ("output", "code", "place"),
    [
        ({"areas": "areas.toml"}, "no-such-file", "areas.toml"),
        ({"areas": {"left": {"rectangle": [0, 0, 900, 600]}}}, "corner-off-screen", "left.rectangle"),
        (
            {"areas": {"left": {"rectangle": [0, 0, 1, 1], "stimuli": ["1006"]}}},
            "unknown-area-stimulus",
            "left.stimuli",
        ),
        ({"areas": {"elsewhere": {"rectangle": [0, 0, 1, 1]}}}, "reserved-area-name", "(parts0): areas"),
        ({"areas": {"left": {"label": 1}}}, "area-label-without-image", "(parts0)"),
        (
            {"areas": {"left": {"label": 1}}, "label_image": "no-{stimulus}.png"},
            "bad-label-image",
            "no-1005.png",
        ),
        ({"areas": HALVES, "label_image": "no.png"}, "image-without-area-label", "(parts0)"),
        ({"areas": HALVES, "weight": "duration"}, "no-duration-column", "(parts0)"),
    ],
)
def test_what_cannot_be_used_ends_with_code_3_and_no_traceback(
    tmp_path: Path, output: dict[str, Any], code: str, place: str
) -> None:
    path = write_plan(tmp_path, output)
    for command in ("preview", "build"):
        done = CliRunner().invoke(main, [command, str(path), "--json"])
        assert done.exit_code == 3
        assert json.loads(done.stdout)["error"]["code"] == code
        assert "Traceback" not in done.output
    with refused(PlanError, code, where=place):
        make_design(load_plan(path))


def test_areas_are_made_of_gaze(tmp_path: Path) -> None:
    path = write_plan(tmp_path, {"areas": HALVES})
    features = '"f" = {kind = "features", path = "x.csv", columns = {person = "p"}, bounds = {a = [0, 1]}}'
    text = path.read_text().replace('inputs = {"looks"', "inputs = {" + features + ', "looks"')
    path.write_text(text.replace('"input" = "looks"', '"input" = "f"'))
    with refused(PlanError, "input-of-other-kind", where="parts0") as caught:
        load_plan(path)
    assert "features" in caught.value.found
    assert "gaze" in caught.value.expected


def test_gaussian_noise_on_areas_needs_a_delta(tmp_path: Path) -> None:
    with refused(PolicyError, "gaussian-needs-delta"):
        design(tmp_path, {"areas": HALVES, "noise": "gaussian"}, delta=0)
    assert not design(tmp_path, {"areas": HALVES}, delta=0).outputs[0].budget.delta


def test_more_stimuli_per_person_than_there_are_are_all_of_them(tmp_path: Path) -> None:
    (output,) = design(tmp_path, {"areas": HALVES, "max_stimuli_per_person": 50}).outputs
    assert output.mechanism.parameters.to_entry()["parameters"]["max_stimuli_per_person"] == 2
    p, relation = output.mechanism.parameters, output.mechanism.neighbours
    assert replace(p, max_stimuli_per_person=50).sensitivity(relation) == p.sensitivity(relation)
