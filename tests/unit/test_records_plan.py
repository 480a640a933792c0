"""What a plan of records may ask for: defaults from public numbers, refusals before any value is read, previews."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any, cast

import polars as pl
import pytest

from synthrelease.builder import build
from synthrelease.data import features
from synthrelease.design import Design, make_design
from synthrelease.errors import PlanError, PolicyError, SynthReleaseError
from synthrelease.forecast import as_text, preview
from synthrelease.outputs.records import RecordsOutput
from synthrelease.outputs.records_parameters import default_bins
from synthrelease.plan import load_plan
from synthrelease.privacy import ApproxDP, PlausibleDeniability, PureDP
from synthrelease.privacy.event import Disjoint, RandomizedTest, flatten

PEOPLE, ROWS = 40, 6
RECORDS: dict[str, Any] = {
    "name": "records",
    "kind": "records",
    "input": "pupils",
    "model": "seeded",
    "rows": 5,
}
RANDOMIZED: dict[str, Any] = {
    **{key: value for key, value in RECORDS.items() if key != "rows"},
    "fit": "dp",
    "threshold": "randomized",
    "epsilon0": 1.0,
    "trials": 3,
    "k": 16,
    "bins": 2,
}


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chance = random.Random(3)
    path = tmp_path_factory.mktemp("records")
    rows = [
        (f"p{who}", recording, chance.uniform(2, 7), chance.random(), chance.choice(["left", "right", None]))
        for who in range(PEOPLE)
        for recording in ("a", "b")
        for _ in range(ROWS)
    ]
    frame = pl.DataFrame(rows, schema=["who", "task", "pupil_mm", "blink_hz", "hand"], orient="row")
    frame.write_parquet(path / "pupils.parquet")
    return path


def design(folder: Path, output: dict[str, Any], *, epsilon: float = 30.0, delta: float = 1e-3) -> Design:
    document = {
        "release": {"name": "r", "version": "1", "title": "t"},
        "privacy": {"epsilon": epsilon, "delta": delta},
        "inputs": {
            "pupils": {
                "kind": "features",
                "path": str(folder / "pupils.parquet"),
                "columns": {"person": "who", "recording": "task"},
                "recordings": ["a", "b"],
                "categories": {"hand": ["left", "right"]},
                "bounds": {"pupil_mm": [1.5, 8.0], "blink_hz": [0, 2]},
            }
        },
        "outputs": [output],
    }
    path = folder / "plan.toml"
    path.write_text("".join(f"{key} = {toml(value)}\n" for key, value in document.items()), encoding="utf-8")
    return make_design(load_plan(path))


def parameters(made: Design) -> Any:
    return cast("RecordsOutput", made.outputs[0].resolved).parameters


def refused(
    kind: type[SynthReleaseError], folder: Path, output: dict[str, Any], *words: str, **privacy: float
) -> None:
    with pytest.raises(kind) as caught:
        design(folder, output, **privacy)
    assert "outputs[0] (records)" in caught.value.where
    for word in words:
        assert word in str(caught.value)


def test_nothing_here_reads_a_value(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refusals come before any data is drawn: this one test stands for all of the file, which only call `design`."""

    def never(*_: object, **__: object) -> None:
        raise AssertionError("a value was read")

    monkeypatch.setattr(features, "numbers", never)
    monkeypatch.setattr(features, "positions", never)
    view = as_text(preview(design(folder, RECORDS)))
    assert "plausible deniability k = 8" in view


# Defaults


@pytest.mark.parametrize(
    ("people", "bins"), [(1, 5), (6, 5), (7, 6), (24, 10), (100, 20), (225, 30), (10**6, 30)]
)
def test_bins_follow_the_public_number_of_people(people: int, bins: int) -> None:
    assert default_bins(people) == bins


def test_attributes_are_all_features_and_categories_in_the_inputs_order(folder: Path) -> None:
    p = parameters(design(folder, RECORDS))
    assert [a.name for a in p.attributes] == ["pupil_mm", "blink_hz", "hand"]
    assert p.categories == (13, 13, 2)
    assert [a.labels for a in p.attributes] == [None, None, ("left", "right")]
    assert (p.order, p.task, p.per_task, p.dependence, p.threshold) == (
        (0, 1, 2),
        False,
        False,
        "independent",
        "fixed",
    )
    assert p.resampled == (2,), (
        "40 people, k = 8: one attribute of 13 bins is kept, though fewer than 8 would share it"
    )


def test_a_task_stands_first_has_a_model_of_its_own_and_is_never_drawn(folder: Path) -> None:
    for task, labels in (("recording", ("a", "b")), ("hand", ("left", "right"))):
        p = parameters(design(folder, {**RECORDS, "task": task}))
        assert (p.attributes[0].name, p.attributes[0].labels, p.task, p.per_task) == (
            task,
            labels,
            True,
            True,
        )
        assert task not in [a.name for a in p.attributes[1:]]
        assert max(p.resampled) < len(p.attributes)
    assert not parameters(design(folder, {**RECORDS, "task": "hand", "per_task": False})).per_task


def test_missing_values_may_be_a_category_but_not_of_a_task(folder: Path) -> None:
    p = parameters(design(folder, {**RECORDS, "missing": "category", "task": "recording", "bins": 4}))
    assert [(a.categories, a.missing) for a in p.attributes] == [(2, False), (5, True), (5, True), (3, True)]


def test_seeds_that_keep_more_people_may_keep_more_attributes(folder: Path) -> None:
    p = parameters(design(folder, {**RECORDS, "bins": 2, "k": 5, "order": ["hand", "blink_hz", "pupil_mm"]}))
    assert p.resampled == (1,), (
        "40/5 people share 2 · 2 even cells, and would 2 · 2 · 2; one attribute is drawn"
    )
    assert [a.name for a in p.attributes] == ["hand", "blink_hz", "pupil_mm"]


# What has no meaning


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"task": "colour"}, ["no such label", "recording, hand"]),
        ({"task": "task"}, ["write task = \"recording\": the column 'task' is mapped as that"]),
        ({"order": ["pupil_mm", "hand"]}, ["every feature and category once"]),
        ({"order": ["hand", "pupil_mm", "blink_hz"], "task": "hand"}, ["every feature and category once"]),
        ({"features": ["hand", "pupil_mm"], "task": "hand"}, ["every feature and category once"]),
        ({"features": ["size"]}, ["'size' has no public bounds"]),
        ({"per_task": True}, ["a model per task needs a task"]),
        ({"noise": "gaussian"}, ["an exact fit has no noise"]),
        ({"epsilon0": 1.0}, ["threshold"]),
        ({"resampled": 4}, ["more attributes are to be drawn", "1 to 3"]),
        ({"resampled": 3, "task": "hand"}, ["besides the task label"]),
        ({"k": 41}, ["k = 41 with 40 people"]),
        ({"model": "marginals", "resampled": 2}, ["draws all attributes"]),
        ({"trials": 4}, ["fewer trials than records", "4 trials for 5 records"]),
    ],
    ids=str,
)
def test_a_plan_without_meaning_is_refused(folder: Path, asked: dict[str, Any], words: list[str]) -> None:
    refused(PlanError, folder, {**RECORDS, **asked}, *words)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"trials": None}, ["`trials`"]),
        ({"epsilon0": None}, ["`epsilon0`"]),
        ({"rows": 10}, ["every trial publishes a record"]),
        ({"k": 21}, ["k = 21 with 20 people as seeds"]),
        ({"k": 1}, ["k of at least 2"]),
        ({"model": "marginals"}, ["nothing to test"]),
    ],
    ids=str,
)
def test_a_randomized_test_without_meaning_is_refused(
    folder: Path, asked: dict[str, Any], words: list[str]
) -> None:
    output = {key: value for key, value in {**RANDOMIZED, **asked}.items() if value is not None}
    refused(PlanError, folder, output, *words)


def test_recordings_that_are_not_mapped_are_no_task(folder: Path) -> None:
    """Else every record would have one label, 'all', and a column of the name would be ignored."""
    design(folder, RECORDS)
    text = (folder / "plan.toml").read_text("utf-8").replace(', "recording" = "task"', "")
    text = text.replace('"recordings" = ["a", "b"], ', "")
    (folder / "plan.toml").write_text(text, "utf-8")
    make_design(load_plan(folder / "plan.toml"))  # without a task it is a plan
    asked = text.replace('"name" = "records"', '"name" = "records", "task" = "recording"')
    (folder / "plan.toml").write_text(asked, "utf-8")
    with pytest.raises(PlanError, match="no such label"):
        make_design(load_plan(folder / "plan.toml"))


# What would be false or empty


@pytest.mark.parametrize(
    "empty",
    [
        {"model": "marginals"},
        {"model": "marginals", "dependence": "tree"},
        {"resampled": 3},
        {"k": 1},
        {"resampled": 3, "fit": "dp"},
    ],
    ids=str,
)
def test_a_test_that_cannot_fail_must_be_acknowledged_and_is_told(
    folder: Path, empty: dict[str, Any]
) -> None:
    refused(PolicyError, folder, {**RECORDS, **empty}, "cannot fail", "acknowledge_vacuous")
    made = design(folder, {**RECORDS, **empty, "acknowledge_vacuous": True})
    promise = made.outputs[0].guarantee
    assert isinstance(promise, PlausibleDeniability)
    assert promise.vacuous
    assert any("vacuous: the test cannot fail" in told for told in made.outputs[0].resolved.warnings())


@pytest.mark.parametrize("asked", [{"fit": "exact"}, {"count": "record"}], ids=str)
def test_a_randomized_test_needs_a_private_model_and_counts_people(
    folder: Path, asked: dict[str, Any]
) -> None:
    refused(PolicyError, folder, {**RANDOMIZED, **asked}, "owes nothing to the seeds")


@pytest.mark.parametrize(
    "output", [RANDOMIZED, {**RECORDS, "model": "marginals", "fit": "dp"}], ids=["randomized", "marginals"]
)
def test_copies_cannot_be_left_out_of_a_private_output(folder: Path, output: dict[str, Any]) -> None:
    refused(PolicyError, folder, {**output, "copies": "exclude"}, "void differential privacy")


def test_leaving_out_copies_is_told(folder: Path) -> None:
    made = design(folder, {**RECORDS, "copies": "exclude"})
    assert any("left out" in told for told in made.outputs[0].resolved.warnings())


def test_a_randomized_test_over_budget_is_refused_with_its_cost(folder: Path) -> None:
    refused(PolicyError, folder, RANDOMIZED, "costs more than its budget", "ε = ", epsilon=1.0)
    refused(PolicyError, folder, RANDOMIZED, "δ = 0", delta=0.0)
    refused(PolicyError, folder, {**RANDOMIZED, "trials": 10**6}, "exceed this δ already", "lower `trials`")


# What is promised


def test_a_randomized_test_promises_no_more_than_its_trials_added_up(folder: Path) -> None:
    made = design(folder, RANDOMIZED)
    event, promise = made.outputs[0].event, made.outputs[0].guarantee
    assert isinstance(event, Disjoint)
    test = next(leaf for leaf in flatten(event) if isinstance(leaf, RandomizedTest))
    assert (test.seeds, test.trials, test.k) == (20, 3, 16)
    assert isinstance(promise, ApproxDP)
    assert isinstance(made.guarantee, ApproxDP)
    # The fit, on other people, takes the whole budget; trials cost less.
    assert promise.epsilon == pytest.approx(30.0)
    assert made.guarantee.epsilon <= 30.0
    assert made.outputs[0].private


def test_a_dp_fit_may_have_either_noise(folder: Path) -> None:
    fitted = {**RECORDS, "model": "marginals", "fit": "dp"}
    assert isinstance(design(folder, fitted).outputs[0].guarantee, PureDP)
    assert isinstance(design(folder, {**fitted, "noise": "gaussian"}).outputs[0].guarantee, ApproxDP)


def test_a_tree_costs_a_set_for_each_pair_and_says_so(folder: Path) -> None:
    fitted = {**RECORDS, "model": "marginals", "fit": "dp"}
    for asked, sets in (
        ({}, 3),
        ({"dependence": "tree"}, 3),
        ({"task": "recording"}, 3),
        ({"task": "recording", "dependence": "tree"}, 3),
        ({"task": "recording", "dependence": "tree", "per_task": False}, 6),
    ):
        resolved = design(folder, {**fitted, **asked}).outputs[0].resolved
        assert f"each of {sets} sets" in resolved.derivation()


# The preview


def test_the_preview_tells_how_many_records_to_expect(folder: Path) -> None:
    assumed = preview(design(folder, {**RECORDS, "pass_rate": 0.01, "trials": 200}))["outputs"][0]["error"]
    assert "2 of 5 records in at most 200 trials (pass_rate = 0.01 assumed)" in assumed
    even = preview(design(folder, {**RECORDS, "trials": 200}))["outputs"][0]["error"]
    assert "all 5 records if 0.025 of 200 candidates pass" in even
    randomized = preview(design(folder, {**RANDOMIZED, "pass_rate": 0.5}))["outputs"][0]
    assert "1.5 of 3 records start from a seed (pass_rate = 0.5 assumed)" in randomized["error"]
    assert "added up over 3 trials" in randomized["error"]
    assert "at least 32 for any record to pass (k = 16)" in randomized["people_needed"], (
        "half of them make the model"
    )


def test_the_preview_tells_the_noise_of_a_cell_and_the_people_it_takes(folder: Path) -> None:
    row = preview(design(folder, {**RECORDS, "model": "marginals", "fit": "dp", "bins": 4}, epsilon=3.0))[
        "outputs"
    ][0]
    deviation = math.sqrt(2) * 3 * 2 / 3.0  # three sets, Laplace
    assert f"each cell ± {deviation:.3g} people; a mean cell holds 10" in row["error"]
    assert f"{math.ceil(3 * deviation * 4)} for mean cells" in row["people_needed"]


# What is built


@pytest.mark.parametrize("asked", [{}, {"k": 10**6}], ids=str)
def test_where_nothing_is_tested_k_is_neither_asked_for_nor_told(folder: Path, asked: dict[str, Any]) -> None:
    made = design(folder, {**RECORDS, "model": "marginals", "fit": "dp", **asked})
    told = made.outputs[0].resolved.mechanism()["parameters"]
    assert (told["k"], told["gamma"], told["counted"], told["threshold"]) == (None, None, None, None)
    assert build(folder / "plan.toml", folder / "out.h5", force=True).path.exists()


def test_randomized_tests_that_together_exceed_the_releases_delta_are_refused_at_once(folder: Path) -> None:
    """Each keeps to its own part of δ; what the composition reserves for them does not suffice."""
    design(folder, {**RANDOMIZED, "k": 8, "trials": 1, "share": 0.5, "delta": 0.00099})  # e⁻⁷ is 0.00091
    text = (folder / "plan.toml").read_text("utf-8")
    signals = (
        '{"name" = "signals", "kind" = "signals", "input" = "pupils", "mechanism" = "lpa", "noise" = "gaussian", '
        '"length" = 5, "share" = 0.5, "delta" = 1e-5}'
    )
    (folder / "plan.toml").write_text(f"{text[: text.rindex(']')]}, {signals}]\n", "utf-8")
    with pytest.raises(PolicyError, match="together cost more than the release's budget"):
        make_design(load_plan(folder / "plan.toml"))


# For the curator alone


def test_how_the_test_went_is_told_to_the_curator_and_stands_nowhere_in_the_release(folder: Path) -> None:
    design(folder, {**RECORDS, "k": 4, "bins": 2, "rows": 50, "trials": 5000})
    built = build(folder / "plan.toml", folder / "out.h5", force=True)
    copies, passed = built.notes["records"]
    assert "equal a real one in all attributes" in copies
    assert "candidates passed the test" in passed
    told = json.dumps(built.manifest)
    assert "passed the test" not in told
    assert "equal a real one in" not in told


def test_an_output_named_like_its_input_keeps_what_is_told_of_both(folder: Path) -> None:
    design(folder, {**RECORDS, "name": "pupils", "k": 4, "bins": 2})
    text = (folder / "plan.toml").read_text("utf-8").replace("[1.5, 8.0]", "[3.0, 6.0]")
    (folder / "plan.toml").write_text(text, "utf-8")
    told = build(folder / "plan.toml", folder / "same.h5", force=True).notes["pupils"]
    assert any("clipped to its bounds" in note for note in told)
    assert any("passed the test" in note for note in told)
