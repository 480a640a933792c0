"""What a plan of records may ask for: defaults from public numbers, refusals before any value is read, previews."""

from __future__ import annotations

import json
import math
import random
import re
from pathlib import Path
from typing import Any, cast

import polars as pl
import pytest
import refusals
from goldens import check_text, figures

from synthrelease.building.builder import build
from synthrelease.building.design import Design, make_design
from synthrelease.building.preview import as_text, preview
from synthrelease.data import features
from synthrelease.dp.event import Disjoint, RandomizedTest, flatten
from synthrelease.dp.guarantee import ApproxDP, PlausibleDeniability, PureDP
from synthrelease.errors import PlanError, PolicyError, SynthReleaseError
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.kinds.records.prepare import default_bins
from synthrelease.plan.plan import load_plan
from synthrelease.remarks import remark

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
    return cast("SyntheticRecords", made.outputs[0].mechanism).parameters


def refused(
    kind: type[SynthReleaseError],
    code: str,
    folder: Path,
    output: dict[str, Any],
    *names: str,
    **privacy: float,
) -> SynthReleaseError:
    with refusals.refused(kind, code, where="outputs[0] (records)", names=names) as caught:
        design(folder, output, **privacy)
    return caught.value


def test_nothing_here_reads_a_value(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refusals come before any data is drawn: this one test stands for all of the file, which only call `design`."""

    def never(*_: object, **__: object) -> None:
        raise AssertionError("a value was read")

    monkeypatch.setattr(features, "numbers", never)
    monkeypatch.setattr(features, "positions", never)
    view = preview(design(folder, RECORDS))
    assert figures(view["outputs"][0]["guarantee"]) == [8, 4]  # k and γ
    assert as_text(view)


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
    ("asked", "code", "names"),
    [
        ({"task": "colour"}, "unknown-label", ["recording", "hand"]),
        ({"task": "task"}, "unknown-label", ['task = "recording"', "'task'"]),
        ({"order": ["pupil_mm", "hand"]}, "bad-order", ["pupil_mm", "blink_hz", "hand"]),
        (
            {"order": ["hand", "pupil_mm", "blink_hz"], "task": "hand"},
            "bad-order",
            ["pupil_mm", "blink_hz"],
        ),
        ({"features": ["hand", "pupil_mm"], "task": "hand"}, "bad-order", ["pupil_mm"]),
        ({"features": ["size"]}, "no-bounds", ["'size'"]),
        ({"per_task": True}, "task-missing", ["per_task"]),
        ({"noise": "gaussian"}, "noise-with-exact-fit", ['fit = "dp"']),
        ({"epsilon0": 1.0}, "key-needs-randomized-test", ["epsilon0", 'threshold = "randomized"']),
        ({"resampled": 4}, "too-many-resampled", ["4", "1", "3"]),
        ({"resampled": 3, "task": "hand"}, "too-many-resampled", ["3", "1", "2"]),
        ({"k": 41}, "k-exceeds-people", ["41", "40"]),
        ({"model": "marginals", "resampled": 2}, "resampled-of-marginals", []),
        ({"trials": 4}, "too-few-trials", ["4", "5"]),
    ],
    ids=str,
)
def test_a_plan_without_meaning_is_refused(
    folder: Path, asked: dict[str, Any], code: str, names: list[str]
) -> None:
    refused(PlanError, code, folder, {**RECORDS, **asked}, *names)


@pytest.mark.parametrize(
    ("asked", "code", "names"),
    [
        ({"trials": None}, "key-missing", ["`trials`"]),
        ({"epsilon0": None}, "key-missing", ["`epsilon0`"]),
        ({"rows": 10}, "rows-with-randomized-test", ["rows", "trials"]),
        ({"k": 21}, "k-exceeds-people", ["21", "20"]),
        ({"k": 1}, "k-too-small", ["1", "2"]),
        ({"model": "marginals"}, "test-without-seed", ["threshold"]),
    ],
    ids=str,
)
def test_a_randomized_test_without_meaning_is_refused(
    folder: Path, asked: dict[str, Any], code: str, names: list[str]
) -> None:
    output = {key: value for key, value in {**RANDOMIZED, **asked}.items() if value is not None}
    refused(PlanError, code, folder, output, *names)


def test_recordings_that_are_not_mapped_are_no_task(folder: Path) -> None:
    """Else every record would have one label, 'all', and a column of the name would be ignored."""
    design(folder, RECORDS)
    text = (folder / "plan.toml").read_text("utf-8").replace(', "recording" = "task"', "")
    text = text.replace('"recordings" = ["a", "b"], ', "")
    (folder / "plan.toml").write_text(text, "utf-8")
    make_design(load_plan(folder / "plan.toml"))  # without a task it is a plan
    asked = text.replace('"name" = "records"', '"name" = "records", "task" = "recording"')
    (folder / "plan.toml").write_text(asked, "utf-8")
    with refusals.refused(PlanError, "unknown-label", where="outputs[0] (records)"):
        make_design(load_plan(folder / "plan.toml"))


# What would be false or empty


def reader_warnings(folder: Path, asked: dict[str, Any]) -> set[str]:
    return set(warning_sentences(design(folder, {**RECORDS, **asked})))


def warning_sentences(made: Design) -> list[str]:
    parameters = made.outputs[0].mechanism.parameters
    return list(map(parameters.sentence, parameters.warnings()))


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
    refused(PolicyError, "vacuous-test", folder, {**RECORDS, **empty}, "acknowledge_vacuous = true")
    made = design(folder, {**RECORDS, **empty, "acknowledge_vacuous": True})
    guarantee = made.outputs[0].guarantee
    assert isinstance(guarantee, PlausibleDeniability)
    assert guarantee.vacuous
    empty_too = reader_warnings(folder, {"k": 1, "acknowledge_vacuous": True}) - reader_warnings(folder, {})
    (warning,) = (one for one in empty_too if not figures(one))
    assert warning in warning_sentences(made)
    assert remark("vacuous") in made.outputs[0].mechanism.parameters.warnings()


@pytest.mark.parametrize("asked", [{"fit": "exact"}, {"count": "record"}], ids=str)
def test_a_randomized_test_needs_a_private_model_and_counts_people(
    folder: Path, asked: dict[str, Any]
) -> None:
    names = ('fit = "dp"', 'count = "person"')
    refused(PolicyError, "randomized-test-without-guarantee", folder, {**RANDOMIZED, **asked}, *names)


@pytest.mark.parametrize(
    "output", [RANDOMIZED, {**RECORDS, "model": "marginals", "fit": "dp"}], ids=["randomized", "marginals"]
)
def test_copies_cannot_be_left_out_of_a_private_output(folder: Path, output: dict[str, Any]) -> None:
    excluding = {**output, "copies": "exclude"}
    refused(PolicyError, "copies-with-randomized-test", folder, excluding, 'copies = "keep"')


def test_leaving_out_copies_is_told(folder: Path) -> None:
    usual, excluding = (reader_warnings(folder, {"copies": copies}) for copies in ("keep", "exclude"))
    assert usual < excluding
    assert len(excluding - usual) == 1


def test_warnings_of_records_say_what_a_reader_must_know(folder: Path) -> None:
    cases: dict[str, dict[str, Any]] = {
        "a test": RECORDS,
        "no copies": {**RECORDS, "copies": "exclude"},
        "a test that cannot fail": {**RECORDS, "k": 1, "acknowledge_vacuous": True},
        "a private model": {**RECORDS, "fit": "dp"},
        "no test": {**RECORDS, "model": "marginals", "fit": "dp"},
        "a randomized test": RANDOMIZED,
    }
    lines = []
    for name, output in cases.items():
        lines += [name, *(f"  {one}" for one in warning_sentences(design(folder, output)))]
    check_text("warnings/records", "\n".join(lines))


def test_a_randomized_test_over_budget_is_refused_with_its_cost(folder: Path) -> None:
    error = refused(PolicyError, "test-exceeds-budget", folder, RANDOMIZED, "`trials`", epsilon=1.0)
    cost, delta, *_ = figures(error.found)
    assert cost > figures(error.expected)[0] == 1.0
    assert delta == figures(error.expected)[1] == 1e-3
    refused(PolicyError, "test-needs-delta", folder, RANDOMIZED, delta=0.0)
    error = refused(PolicyError, "test-exceeds-budget", folder, {**RANDOMIZED, "trials": 10**6}, "`trials`")
    assert figures(error.found) == []  # no ε holds at this δ


# What is guaranteed


def test_a_randomized_test_guarantees_no_more_than_its_trials_added_up(folder: Path) -> None:
    made = design(folder, RANDOMIZED)
    event, guarantee = made.outputs[0].event, made.outputs[0].guarantee
    assert isinstance(event, Disjoint)
    test = next(leaf for leaf in flatten(event) if isinstance(leaf, RandomizedTest))
    assert (test.seeds, test.trials, test.k) == (20, 3, 16)
    assert isinstance(guarantee, ApproxDP)
    assert isinstance(made.guarantee, ApproxDP)
    # The fit, on other people, takes the whole budget; trials cost less.
    assert guarantee.epsilon == pytest.approx(30.0)
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
        resolved = design(folder, {**fitted, **asked}).outputs[0].mechanism
        derivation = resolved.parameters.derivation(resolved.neighbours)
        assert derivation.fields["sets"] == sets
        assert figures(resolved.parameters.sentence(derivation))[1] == sets


# The preview


def test_the_preview_tells_how_many_records_to_expect(folder: Path) -> None:
    assumed = preview(design(folder, {**RECORDS, "pass_rate": 0.01, "trials": 200}))["outputs"][0]["error"]
    assert figures(assumed) == [2, 5, 200, 0.01]
    assert "pass_rate" in assumed
    even = preview(design(folder, {**RECORDS, "trials": 200}))["outputs"][0]["error"]
    assert figures(even)[:3] == [5, 0.025, 200]
    randomized = preview(design(folder, {**RANDOMIZED, "pass_rate": 0.5}))["outputs"][0]
    parts = [figures(part) for part in randomized["error"].split("; ")]
    assert [1.5, 3, 0.5] in parts  # of three records, at this rate
    (one,) = [part for part in parts if len(part) == 3 and part[2] == int(part[2])]  # ε, δ and t of a trial
    assert [3, pytest.approx(3 * one[0], rel=1e-2), pytest.approx(3 * one[1], rel=1e-1)] in parts
    assert figures(randomized["people_needed"])[-2:] == [32, 16], "half of them make the model"


def test_the_preview_tells_the_noise_of_a_cell_and_the_people_it_takes(folder: Path) -> None:
    row = preview(design(folder, {**RECORDS, "model": "marginals", "fit": "dp", "bins": 4}, epsilon=3.0))[
        "outputs"
    ][0]
    deviation = math.sqrt(2) * 3 * 2 / 3.0  # three sets, Laplace
    reach = 3 * 2 / 3.0 * math.log(20)
    assert figures(row["error"]) == [95, pytest.approx(reach, rel=5e-3), 10]
    assert figures(row["people_needed"]) == [math.ceil(3 * deviation * 4)]


# What is built


@pytest.mark.parametrize("asked", [{}, {"k": 10**6}], ids=str)
def test_where_nothing_is_tested_k_is_neither_asked_for_nor_told(folder: Path, asked: dict[str, Any]) -> None:
    made = design(folder, {**RECORDS, "model": "marginals", "fit": "dp", **asked})
    told = made.outputs[0].mechanism.parameters.to_entry()["parameters"]
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
    with refusals.refused(PolicyError, "outputs-exceed-budget", where="plan.toml"):
        make_design(load_plan(folder / "plan.toml"))


# For the curator alone


def words_of(note: str) -> str:
    """The longest part of a note without figures."""
    return max(re.findall("[a-z ]+", note), key=len)


def test_how_the_test_went_is_told_to_the_curator_and_stands_nowhere_in_the_release(folder: Path) -> None:
    design(folder, {**RECORDS, "k": 4, "bins": 2, "rows": 50, "trials": 5000})
    built = build(folder / "plan.toml", folder / "out.h5", force=True)
    copies, passed = built.notes["records"]
    assert figures(copies)[0] <= figures(copies)[1] <= 50
    assert figures(passed)[0] <= figures(passed)[1] <= 5000
    manifest = json.dumps(built.manifest)
    for note in (copies, passed):
        assert words_of(note) not in manifest


def test_an_output_named_like_its_input_keeps_what_is_told_of_both(folder: Path) -> None:
    notes = []
    for name in ("records", "pupils"):
        design(folder, {**RECORDS, "name": name, "k": 4, "bins": 2})
        text = (folder / "plan.toml").read_text("utf-8").replace("[1.5, 8.0]", "[3.0, 6.0]")
        (folder / "plan.toml").write_text(text, "utf-8")
        notes.append(build(folder / "plan.toml", folder / "same.h5", force=True).notes)
    apart, together = notes
    assert apart["pupils"]
    assert apart["records"]
    assert [words_of(note) for note in together["pupils"]] == [
        words_of(note) for note in (*apart["pupils"], *apart["records"])
    ]
