"""Statistics from plan to bundle: groups, quantiles, previews, refusals; and that nothing tells a private number of people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import refusals
from goldens import figures
from invented_study import write_statistics_study

import synthrelease
from synthrelease.building.design import Design, make_design
from synthrelease.building.preview import as_text, preview
from synthrelease.bundle.disclosure import output_sentences, unprotected_facts
from synthrelease.dp.event import DiscreteLaplace, PrivateChoice, RoundedGaussian, flatten
from synthrelease.dp.guarantee import ApproxDP, PureDP
from synthrelease.errors import PlanError, PolicyError
from synthrelease.plan.plan import load_plan

NAMES = ("all", "tasks", "moods", "chosen")
EVERYONE = "everyone_in_every_group = true"


def changed(folder: Path, old: str, new: str, **study: Any) -> Path:
    """The study's plan with some words changed, which must be there."""
    path = write_statistics_study(folder, **study)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return path


def design(path: Path) -> Design:
    return make_design(load_plan(path))


def refused(path: Path, code: str, *names: str, kind: type[PlanError | PolicyError] = PlanError) -> str:
    """Expect a refusal, and return what was expected instead."""
    with refusals.refused(kind, code, where="outputs[", names=names) as caught:
        design(path)
    return caught.value.expected


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> synthrelease.bundle.Bundle:
    folder = tmp_path_factory.mktemp("statistics")
    built = synthrelease.build(write_statistics_study(folder), folder / "r.h5", test_seed=1)
    return synthrelease.open_bundle(built.path, allow_test_seed=True)


# --- what a bundle holds


def test_every_statistic_has_its_datasets(bundle: synthrelease.bundle.Bundle) -> None:
    keys = set(bundle["all"])
    noisy = ("count", "sum", "mean", "variance", "histogram")
    assert keys == {"histogram/edge"} | {
        f"{n}/{w}" for n in noisy for w in ("noisy", "value", "interval")
    } | {f"quantile%3A{p}/{w}" for p in ("0.5", "0.9") for w in ("chosen", "value", "interval")}
    assert bundle["all"]["mean/value"].shape == (2,)  # features
    assert bundle["tasks"]["mean/value"].shape == (2, 2)  # recordings, features
    assert bundle["tasks"]["quantile%3A0.25/chosen"].shape == (2, 2)
    assert bundle["moods"]["sum/interval"].shape == (3, 1, 2)
    assert bundle["moods"]["histogram/value"].shape == (3, 1, 10)


def test_lists_of_groups_are_named_as_public(bundle: synthrelease.bundle.Bundle) -> None:
    told = {what: why for what, why in unprotected_facts(bundle.manifest) if what.startswith("groups")}
    assert {what.split()[-1] for what in told} == {"moods", "chosen"}
    assert all(told.values())


def test_a_manifest_without_the_declaration_says_so(bundle: synthrelease.bundle.Bundle) -> None:
    parameters = [entry["mechanism"]["parameters"] for entry in bundle.manifest["outputs"]]
    assert not any(stated["everyone_in_every_group"] for stated in parameters)


def test_values_lie_in_their_intervals(bundle: synthrelease.bundle.Bundle) -> None:
    for name in NAMES:
        output = bundle[name]
        for key in output:
            if key.endswith("interval"):
                ends, value = output[key], output[key.replace("interval", "value")]
                assert ends.shape == (*value.shape, 2)
                assert (ends[..., 0] <= value).all()
                assert (value <= ends[..., 1]).all()
                assert (ends[..., 0] < ends[..., 1]).any()


def test_values_are_near_the_truth_at_such_a_budget(tmp_path: Path) -> None:
    """ε = 20 000: what is left is steps, and the middle of an interval."""
    path = write_statistics_study(tmp_path, people=200)
    text = (
        path.read_text()
        .replace("epsilon = 60.0", "epsilon = 999")
        .replace("epsilon = 20\n", "epsilon = 499\n")
    )
    head, *outputs = text.split("[[outputs]]")
    path.write_text("[[outputs]]".join([head, *outputs[:2]]))
    output = synthrelease.open_bundle(
        synthrelease.build(path, tmp_path / "r.h5", test_seed=1).path, allow_test_seed=True
    )["all"]
    rows = [line.split(",") for line in (tmp_path / "reading.csv").read_text().splitlines()[1:]]
    own: dict[str, list[float]] = {}
    for who, _, _, left, _ in rows:
        own.setdefault(who, []).append(float(left))
    means = np.array([np.mean(values) for values in own.values()])
    assert output["count/value"][0] == pytest.approx(200, abs=1)
    assert output["sum/value"][0] == pytest.approx(means.sum(), abs=3)
    assert output["mean/value"][0] == pytest.approx(means.mean(), abs=0.02)
    assert output["variance/value"][0] == pytest.approx(means.var(), abs=0.1)
    assert output["histogram/value"][0].sum() == pytest.approx(1, abs=0.02)
    assert output["quantile%3A0.5/value"][0] == pytest.approx(np.median(means), abs=0.05)
    assert output["quantile%3A0.9/value"][0] == pytest.approx(np.quantile(means, 0.9), abs=0.1)


def test_the_manifest_says_what_was_done(bundle: synthrelease.bundle.Bundle) -> None:
    entries = {entry["name"]: entry for entry in bundle.manifest["outputs"]}
    p = entries["moods"]["mechanism"]["parameters"]
    assert (p["by"], p["groups"], p["max_groups_per_person"]) == ("mood", ["calm", "tense", "tired"], 1)
    assert [entries[name]["mechanism"]["name"] for name in NAMES] == [
        *("discrete_laplace", "discrete_laplace", "rounded_gaussian", "exponential")
    ]
    assert entries["all"]["mechanism"]["parameters"]["statistics"][-2:] == ["quantile:0.5", "quantile:0.9"]
    assert len(entries["chosen"]["event"]["events"]) == 2 * 1 * 2
    assert entries["chosen"]["noise"] is entries["chosen"]["sensitivity"] is None
    _, warnings = output_sentences(entries["moods"])
    assert {"code": "most-groups", "fields": {"most_groups": 1}} in entries["moods"]["warnings"]
    assert [1] in map(figures, warnings)


def test_shares_of_the_budget_add_up(tmp_path: Path) -> None:
    made = design(write_statistics_study(tmp_path))
    for output in made.outputs:
        assert output.budget is not None
        choices = sum(leaf.epsilon for leaf in flatten(output.event) if isinstance(leaf, PrivateChoice))
        noise = sum(
            leaf.sensitivity / leaf.scale
            for leaf in flatten(output.event)
            if isinstance(leaf, DiscreteLaplace)
        )
        part = {"all": 2 / 7, "tasks": 0.5, "moods": 0, "chosen": 1}[output.name]
        assert choices == pytest.approx(part * output.budget.epsilon)
        if output.name == "moods":
            assert isinstance(output.guarantee, ApproxDP)
            assert any(isinstance(leaf, RoundedGaussian) for leaf in flatten(output.event))
            assert output.mechanism.takes_delta
        else:
            assert choices + noise == pytest.approx(output.budget.epsilon)
            assert isinstance(output.guarantee, PureDP)
            assert not output.mechanism.takes_delta


def test_quantiles_alone_take_no_delta_whatever_noise_is_named(tmp_path: Path) -> None:
    path = changed(tmp_path, '"quantile:0.95"]', '"quantile:0.95"]\nnoise = "gaussian"')
    output = next(o for o in design(path).outputs if o.name == "chosen")
    assert not output.mechanism.takes_delta
    assert output.budget is not None
    assert output.budget.delta == 0


# --- previews


def test_a_preview_tells_the_noise_of_everything_in_its_unit(tmp_path: Path) -> None:
    view = preview(design(write_statistics_study(tmp_path)))
    rows = {row["name"]: row for row in view["outputs"]}
    assert [len(rows[name]["errors"]) for name in NAMES] == [9, 5, 5, 0]
    assert (
        len(figures(rows["chosen"]["people_needed"])) == 6
    )  # of two quantiles, each with how far they may be off
    of_each = {name: len(rows[name]["expected"]) for name in NAMES}
    assert of_each == {"all": 14, "tasks": 6, "moods": 4, "chosen": 2}


def test_scales_in_a_preview_are_those_of_the_event(tmp_path: Path) -> None:
    made = design(write_statistics_study(tmp_path))
    noise = flatten(made.outputs[0].event)[0]
    assert isinstance(noise, DiscreteLaplace)
    table = preview(made)["outputs"][0]["errors"][1:]
    b = noise.scale / 65536
    expected = [
        ("", b),  # count
        ("left_mm", 8 * b),  # sum
        ("speed", 10 * b),
        ("left_mm", 6 * b / 60),  # mean
        ("speed", 10 * b / 60),
        ("left_mm", 36 / 4 * b),  # squares
        ("speed", 100 / 4 * b),
        ("", 2 * b / 60),  # histogram
    ]
    for (name, scale, *_), (feature, value) in zip(table, expected, strict=True):
        assert [one for one in ("left_mm", "speed") if one in name.split()] == [feature] * bool(feature)
        assert float(scale) == pytest.approx(value, rel=1e-3)


# --- everyone in every group


def test_everyone_in_every_group_is_divided_by_the_public_number_and_named_as_public(tmp_path: Path) -> None:
    """A quarter of the people lack the second group, and count as the centre: the plan declares that none does."""
    path = changed(tmp_path, 'by = "recording"\nepsilon = 20', f'by = "recording"\n{EVERYONE}')
    head, _, tasks_alone, *_ = (
        path.read_text().replace("epsilon = 60.0", "epsilon = 999").split("[[outputs]]")
    )
    quantiles = ', "quantile:0.25"]\nquantile_steps = 40\nquantile_share = 0.5'
    path.write_text("[[outputs]]".join([head, tasks_alone.replace(quantiles, "]")]))
    built = synthrelease.build(path, tmp_path / "r.h5", test_seed=1)
    assert synthrelease.verify(built.path, allow_test_seed=True).ok
    bundle = synthrelease.open_bundle(built.path, allow_test_seed=True)
    (tasks,) = bundle.manifest["outputs"]
    assert tasks["mechanism"]["parameters"]["everyone_in_every_group"] is True
    assert {"code": "everyone", "fields": {"output": "tasks"}} in bundle.manifest["privacy"]["not_protected"]
    codes = [warning["code"] for warning in tasks["warnings"]]
    assert codes.count("everyone-in-every-group") == 1
    assert codes.count("absent-as-centre") == 2
    assert bundle["tasks"]["mean/noisy"].shape == (2, 2, 1)
    assert bundle["tasks"]["variance/noisy"].shape == (2, 2, 2)
    rows = [line.split(",") for line in (tmp_path / "reading.csv").read_text().splitlines()[1:]]
    own: dict[str, list[float]] = {}
    for who, task, _, left, _ in rows:
        if task == "a/b":
            own.setdefault(who, []).append(float(left))
    means = np.array([np.mean(values) for values in own.values()] + [5.0] * (60 - len(own)))
    assert len(own) == 45
    group = tasks["mechanism"]["parameters"]["groups"].index("a/b")
    assert bundle["tasks"]["mean/value"][group, 0] == pytest.approx(means.mean(), abs=0.02)
    assert bundle["tasks"]["variance/value"][group, 0] == pytest.approx(means.var(), abs=0.05)


# --- a private number of people


@pytest.mark.thorough
def test_nothing_tells_a_private_number_of_people(tmp_path: Path) -> None:
    """Preview and manifest are the same to the letter for another number of people, but for what depends on the noise."""
    seen = []
    for people in (40, 57):
        folder = tmp_path / str(people)
        folder.mkdir()
        path = write_statistics_study(folder, people=people, neighbours="add-remove-one")
        view = as_text(preview(design(path)))
        built = synthrelease.build(path, folder / "r.h5", test_seed=1)
        manifest = {key: value for key, value in built.manifest.items() if key != "digests"}
        bundle = synthrelease.open_bundle(built.path, allow_test_seed=True)
        shapes = {(n, k): (bundle[n][k].dtype.str, bundle[n][k].shape) for n in NAMES for k in bundle[n]}
        seen.append((view, json.dumps(manifest), shapes))
    assert seen[0] == seen[1]


# --- what cannot be


@pytest.mark.parametrize(
    ("old", "new", "code", "names"),
    [
        ('by = "mood"', 'by = "size"', "unknown-label", ("recording", "mood", "inputs.reading.categories")),
        ('by = "mood"', 'by = "task"', "unknown-label", ('by = "recording"', "'task'")),
        ("max_groups_per_person = 1", "max_groups_per_person = 4", "too-many-groups", ("4", "3")),
        ('by = "recording"\n', "max_groups_per_person = 2\n", "too-many-groups", ("2", 'by = "recording"')),
        (
            'by = "mood"',
            f'by = "mood"\n{EVERYONE}',
            "not-in-every-group",
            ("max_groups_per_person", "1", "3"),
        ),
        ('by = "recording"\n', f"{EVERYONE}\n", "no-groups", ('by = "recording"',)),
        ('"quantile:0.9"]', '"quantile:0.5"]', "duplicate-statistic", ("median", "quantile:0.5")),
        ('"variance", "quantile:0.25"]', '"variance"]', "quantile-budget", ("quantile_share",)),
        ('features = ["speed"]', 'features = ["spede"]', "no-bounds", ("'spede'", "left_mm", "speed")),
    ],
)
def test_what_makes_no_sense_is_refused(
    tmp_path: Path, old: str, new: str, code: str, names: tuple[str, ...]
) -> None:
    refused(changed(tmp_path, old, new), code, *names)


def test_where_n_is_private_it_cannot_divide_in_every_group(tmp_path: Path) -> None:
    declared = ('by = "recording"', f'by = "recording"\n{EVERYONE}')
    path = changed(tmp_path, *declared, neighbours="add-remove-one")
    assert 'neighbours = "replace-one"' in refused(path, "needs-public-people", "add-remove-one")


def test_without_a_column_of_recordings_there_are_none_to_group_by(tmp_path: Path) -> None:
    path = changed(tmp_path, ', recording = "task" }\nrecordings = ["read", "a/b"]', " }")
    assert "recording" not in refused(path, "unknown-label", "mood")


@pytest.mark.parametrize(("most", "fits"), [(2, True), (3, False)])
def test_more_quantiles_than_a_manifest_can_list_are_refused(
    tmp_path: Path, most: int, *, fits: bool
) -> None:
    many = ", ".join(f'"quantile:0.{i:05d}1"' for i in range(999))
    path = changed(tmp_path, '"quantile:0.05", "quantile:0.95"]\nfeatures = ["speed"]', f"{many}]")
    path.write_text(path.read_text().replace("max_groups_per_person = 2", f"max_groups_per_person = {most}"))
    if fits:
        assert len(flatten(design(path).outputs[-1].event)) == 999 * 2 * 2
    else:
        refused(path, "too-many-quantiles", "5994", "4000")


def test_gaussian_noise_needs_a_delta(tmp_path: Path) -> None:
    refused(changed(tmp_path, "delta = 1e-4", "delta = 0"), "gaussian-needs-delta", kind=PolicyError)


# --- units of any size


@pytest.mark.parametrize("bounds", ["[0.0, 9e14]", "[-9e14, 9e14]", "[0.0, 2e-15]", "[9.98e14, 9.99e14]"])
@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_unit_a_plan_accepts_its_statistics_can_be_kept(
    tmp_path: Path, bounds: str, seed: int
) -> None:
    """Squares of the largest bounds, with the noise of a small ε, are numbers of a bundle; and so is the least interval."""
    path = changed(tmp_path, "speed = [-1.0, 9.0]", f"speed = {bounds}", people=10)
    text = (
        path.read_text()
        .replace("epsilon = 60.0", "epsilon = 0.06")
        .replace("epsilon = 20\n", "epsilon = 0.02\n")
    )
    head, *outputs = text.split("[[outputs]]")
    path.write_text("[[outputs]]".join([head, outputs[0]]))
    bundle = synthrelease.open_bundle(
        synthrelease.build(path, tmp_path / "r.h5", test_seed=seed).path, allow_test_seed=True
    )
    for statistic in ("sum", "mean", "variance"):
        ends = bundle["all"][f"{statistic}/interval"][1]  # of the speed
        assert np.isfinite(ends).all()
        assert ends[0] < ends[1]
