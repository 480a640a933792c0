"""Plans: every rule of the schema has a refusal that a tired colleague understands, and every default is the schema's."""

from __future__ import annotations

import copy
import errno
import json
import math
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import refusals
from goldens import check_text, figures

from synthrelease.dp.guarantee import Neighbours
from synthrelease.errors import MachineError, PlanError, SynthReleaseError
from synthrelease.files import reading
from synthrelease.plan.plan import CheckedPlan, load_plan
from synthrelease.schemas import referred, schema

SCHEMA = schema("plan-v1")
KINDS = ("heatmap", "areas", "scanpaths", "signals", "records", "people", "statistics")
DOCUMENT: dict[str, Any] = {
    "release": {
        "name": "study",
        "version": "1.0",
        "title": "A study",
        "license": "CC0-1.0",
        "contact": "a@b.org",
    },
    "privacy": {
        "unit": "person",
        "neighbours": "replace-one",
        "epsilon": 3,
        "delta": 1e-6,
        "distinct_labels": True,
        "ledger": "ledger.sqlite",
        "dataset": "study",
    },
    "inputs": {
        "looks": {
            "kind": "gaze",
            "path": "gaze.csv",
            "separator": ";",
            "format": "gazebase",
            "pattern": "P{person}.csv",
            "header": ["person", "x"],
            "table": "fixations",
            "stop_at_blank": True,
            "lists": ["x"],
            "axes": ["person", "step"],
            "messages": ["TRIALID (?P<stimulus>.+)"],
            "columns": {
                "person": "who",
                "stimulus": "image",
                "x": "x_px",
                "y": "y_px",
                "time": "t_ms",
                "duration": "ms",
            },
            "screen": {"width_px": 800, "height_px": 600, "width_mm": 400, "distance_mm": 570},
            "missing": [-1, "n/a"],
            "only": {"task": ["free viewing"]},
            "valid": {"confidence": [0.6, 1]},
            "coordinates": "normalised",
            "origin": "bottom-left",
            "off_screen": "drop",
            "assume_public": ["assignment"],
            "stimuli": ["sea", "sky"],
        },
        "pupils": {
            "kind": "features",
            "path": "pupil.parquet",
            "separator": ";",
            "format": "gazebase",
            "pattern": "P{person}.csv",
            "header": ["person", "x"],
            "table": "fixations",
            "stop_at_blank": True,
            "lists": ["x"],
            "axes": ["person", "step"],
            "messages": ["TRIALID (?P<stimulus>.+)"],
            "columns": {"person": "who", "recording": "task", "time": "t_s"},
            "missing": [-1],
            "only": {"task": ["a", "b"]},
            "valid": {"validity": ["Valid"]},
            "assume_public": ["lengths"],
            "recordings": ["a", "b"],
            "categories": {"hand": ["left", "right"]},
            "bounds": {"pupil_mm": [1.5, 8.0], "blink_hz": [0, 2]},
            "units": {"pupil_mm": "mm"},
            "labels": {"pupil_mm": "pupil diameter"},
        },
    },
    "outputs": [
        {
            "name": "maps",
            "kind": "heatmap",
            "input": "looks",
            "mechanism": "gaussian",
            "share": 0.5,
            "delta": 1e-7,
            "width_px": 16,
            "height_px": 12,
            "blur_px": 40.5,
            "clipping": "joint",
            "weight": "duration",
            "prior": "none",
            "exponent": 1.5,
            "clip": 0.5,
            "window": [0, 5000],
            "blur_time": 500,
            "frames": 20,
            "cap": 1,
            "caps": [1, 2, 5],
            "cap_share": 0.2,
            "max_samples_per_stimulus": 12,
            "max_stimuli_per_person": 1,
            "calibration": "exact",
        },
        {
            "name": "signals",
            "kind": "signals",
            "input": "pupils",
            "mechanism": "fpa",
            "epsilon": 0.5,
            "delta": 1e-7,
            "noise": "gaussian",
            "query": "mean",
            "length": 130,
            "step_s": 0.5,
            "completion": "hold",
            "chunk": 32,
            "coefficients": 2,
            "candidates": [1, 2, 4],
            "choice_share": 0.2,
            "max_change": 0.1,
            "clip": 0.5,
            "baseline": "start",
            "baseline_steps": 5,
            "markov_chain": [[0.8, 0.2], [0.1, 0.9]],
            "features": ["pupil_mm"],
        },
        {
            "name": "records",
            "kind": "records",
            "input": "pupils",
            "model": "seeded",
            "dependence": "tree",
            "epsilon": 0.5,
            "delta": 1e-7,
            "fit": "dp",
            "noise": "gaussian",
            "threshold": "randomized",
            "epsilon0": 0.5,
            "missing": "category",
            "per_task": False,
            "pass_rate": 0.5,
            "copies": "keep",
            "k": 8,
            "gamma": 4,
            "count": "person",
            "bins": 8,
            "order": ["blink_hz", "pupil_mm"],
            "resampled": 2,
            "task": "recording",
            "rows": 500,
            "trials": 1000,
            "features": ["pupil_mm", "blink_hz"],
            "tokens": {
                "fixations": 12,
                "columns": 4,
                "rows": 3,
                "durations_ms": [50, 150.5, 800],
                "kept": [1, 2],
                "scanpaths": 20,
                "duration_unit": "s",
                "sampling_seed": 3,
            },
            "acknowledge_vacuous": False,
        },
        {
            "name": "summary",
            "kind": "statistics",
            "input": "pupils",
            "statistics": ["mean", "quantile:0.25"],
            "epsilon": 0.5,
            "delta": 1e-7,
            "noise": "gaussian",
            "bins": 10,
            "quantile_steps": 100,
            "quantile_share": 0.5,
            "by": "recording",
            "max_groups_per_person": 1,
            "everyone_in_every_group": False,
            "features": ["pupil_mm"],
            "bounds": {
                "fixation_count": [0, 20],
                "fixation_duration": [0, 640.5],
                "total_fixation_duration": [0, 3000],
            },
            "areas": "areas.toml",
            "label_image": "labels/{stimulus}.png",
        },
        {
            "name": "parts",
            "kind": "areas",
            "input": "looks",
            "areas": {"horizon": {"rectangle": [0, 200, 800, 300], "stimuli": ["sea"]}, "bird": {"label": 2}},
            "label_image": "labels/{stimulus}.png",
            "transitions": True,
            "noise": "gaussian",
            "weight": "duration",
            "max_stimuli_per_person": 2,
            "epsilon": 0.5,
            "delta": 1e-7,
        },
        {
            "name": "crowd",
            "kind": "people",
            "input": "pupils",
            "epsilon": 0.5,
            "delta": 1e-7,
            "people": 20,
            "windows": 12,
            "max_windows": 30,
            "lattice": {"pupil_mm": 0.5},
            "pilot": "others.csv",
            "sampling_seed": 3,
            "features": ["pupil_mm"],
        },
        {
            "name": "paths",
            "kind": "scanpaths",
            "input": "looks",
            "share": 0.1,
            "delta": 1e-7,
            "viewing_time_s": 3,
            "scanpaths": 20,
            "duration_unit": "ms",
            "prior": "none",
            "prior_flat": 0.5,
            "dynamics_share": 0.3,
            "blur_px": 20,
            "exponent": 1.5,
            "clip": 0.4,
            "max_stimuli_per_person": 2,
            "sampling_seed": 3,
        },
    ],
}

Place = tuple[str | int, ...]


def toml(value: Any) -> str:
    """Write a value as TOML, tables in line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("NaN", "nan").replace("Infinity", "inf")


def load(folder: Path, document: dict[str, Any]) -> CheckedPlan:
    path = folder / "plan.toml"
    path.write_text("".join(f"{key} = {toml(value)}\n" for key, value in document.items()), encoding="utf-8")
    return load_plan(path)


def changed(place: Place, *value: Any) -> dict[str, Any]:
    """The document with the value at a place, or without what is there."""
    document = copy.deepcopy(DOCUMENT)
    node: Any = document
    for part in place[:-1]:
        node = node[part]
    if value:
        node[place[-1]] = value[0]
    else:
        del node[place[-1]]
    return document


def written(place: Place) -> str:
    """A place as messages name it: outputs[0].mechanism."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).lstrip(".")


def refused(folder: Path, document: dict[str, Any], place: Place | str, code: str, *names: str) -> PlanError:
    """Expect a refusal of a kind that names the plan, the place and these identifiers."""
    with refusals.refused(PlanError, code, names=names) as caught:
        load(folder, document)
    error = caught.value
    assert isinstance(error, PlanError)
    assert error.exit_code == 3
    where = place if isinstance(place, str) else written(place)
    assert error.where == (f"{folder / 'plan.toml'}: {where}" if where else str(folder / "plan.toml"))
    return error


# What is loaded


def test_the_demonstrations_plan_loads() -> None:
    path = Path(str(files("synthrelease.demo"))) / "plan.toml"
    plan = load_plan(path)
    assert (plan.path, plan.neighbours) == (path, Neighbours.REPLACE_ONE)
    assert (plan.epsilon, plan.delta) == (3.0, 1e-6)
    assert plan.release["name"] == "synthrelease-demo"
    assert {name: spec.kind for name, spec in plan.inputs.items()} == {
        "attention": "gaze",
        "distance": "features",
        "pupil": "features",
    }
    assert [output.kind for output in plan.outputs] == ["heatmap", "signals", "statistics", "records"]
    assert all(spec.path.is_file() for spec in plan.inputs.values())


def test_a_plan_with_every_key_loads_as_it_is_written(tmp_path: Path) -> None:
    plan = load(tmp_path, DOCUMENT)
    assert plan.release == DOCUMENT["release"]
    for name, body in DOCUMENT["inputs"].items():
        spec = plan.inputs[name]
        assert (spec.name, spec.kind, spec.path) == (name, body["kind"], tmp_path / body["path"])
        assert spec.options == {key: value for key, value in body.items() if key not in ("kind", "path")}
    for number, (output, body) in enumerate(zip(plan.outputs, DOCUMENT["outputs"], strict=True)):
        assert (output.name, output.kind, output.input) == (body["name"], body["kind"], body["input"])
        assert output.options == {k: v for k, v in body.items() if k not in ("name", "kind", "input")}
        assert output.where == f"{tmp_path / 'plan.toml'}: outputs[{number}] ({body['name']})"


def test_this_files_plan_has_every_key_of_the_schema() -> None:
    """Otherwise a new key would go without the tests below."""
    told = {written(place) for place, _ in properties()}
    # One contradicts a column of stimuli (tests/contract/test_single_stimulus.py), two need files (tests/unit/kinds/heatmap/test_public_maps.py).
    missing = {"inputs.looks.stimulus", "outputs[0].maps", "outputs[6].maps"}
    assert {place for place in told if not present(place)} == missing


@pytest.mark.parametrize("key", ["units", "labels"])
def test_only_a_released_column_has_a_unit_or_a_name(tmp_path: Path, key: str) -> None:
    with refusals.refused(PlanError, "unknown-feature", where=key, names=["pupil"]):
        load(tmp_path, changed(("inputs", "pupils", key), {"pupil": "mm"}))


def test_paths_are_relative_to_the_plan(tmp_path: Path) -> None:
    assert (
        load(tmp_path, changed(("inputs", "looks", "path"), "../a/g.csv")).inputs["looks"].path
        == tmp_path / "../a/g.csv"
    )
    assert load(tmp_path, changed(("inputs", "looks", "path"), "/a/g.csv")).inputs["looks"].path == Path(
        "/a/g.csv"
    )


def test_the_plan_may_be_named_by_text(tmp_path: Path) -> None:
    load(tmp_path, DOCUMENT)
    assert load_plan(str(tmp_path / "plan.toml")) == load_plan(tmp_path / "plan.toml")


# Defaults


def minimal() -> dict[str, Any]:
    """The document with the keys that are required, and lists of what is public."""
    document = copy.deepcopy(DOCUMENT)
    document["release"] = {
        key: document["release"][key] for key in SCHEMA["properties"]["release"]["required"]
    }
    document["privacy"] = {"epsilon": 3}
    bodies = [*document["inputs"].values(), *document["outputs"]]
    for body in bodies:
        keep = {*SCHEMA["$defs"][body["kind"]]["required"], "stimuli", "recordings"}
        for key in set(body) - keep:
            del body[key]
    return document


def test_defaults_are_those_of_the_schema(tmp_path: Path) -> None:
    plan = load(tmp_path, minimal())
    privacy = SCHEMA["properties"]["privacy"]["properties"]
    assert plan.neighbours == privacy["neighbours"]["default"]
    assert plan.delta == privacy["delta"]["default"] == 0
    for spec in (*plan.inputs.values(), *plan.outputs):
        keys = SCHEMA["$defs"][spec.kind]["properties"]
        defaults = {key: node["default"] for key, node in keys.items() if "default" in node}
        assert defaults.items() <= spec.options.items()
        stated = set(spec.options) - set(defaults)
        assert stated <= {*SCHEMA["$defs"][spec.kind]["required"], "stimuli", "recordings"}


@pytest.mark.parametrize("kind", ["gaze", "features", *KINDS])
def test_every_default_is_valid_itself(tmp_path: Path, kind: str) -> None:
    document = minimal()
    bodies = [b for b in (*document["inputs"].values(), *document["outputs"]) if b["kind"] == kind]
    for key, node in SCHEMA["$defs"][kind]["properties"].items():
        if "default" in node:
            bodies[0][key] = node["default"]
    load(tmp_path, document)


# Every rule of the schema


def resolved(node: dict[str, Any]) -> dict[str, Any]:
    """The node with what it refers to; its own words go before."""
    return referred(node, SCHEMA)


def properties() -> Iterator[tuple[Place, dict[str, Any]]]:
    """Every key the schema knows, at its place in this file's plan, with its node."""

    def below(place: Place, node: dict[str, Any]) -> Iterator[tuple[Place, dict[str, Any]]]:
        for key, raw in node.get("properties", {}).items():
            yield (*place, key), resolved(raw)
            yield from below((*place, key), resolved(raw))

    yield from below((), SCHEMA)
    inputs, outputs = SCHEMA["properties"]["inputs"], SCHEMA["properties"]["outputs"]
    for name, body in DOCUMENT["inputs"].items():
        yield from below(("inputs", name), inputs["additionalProperties"])
        yield from below(("inputs", name), SCHEMA["$defs"][body["kind"]])
    for number, body in enumerate(DOCUMENT["outputs"]):
        yield from below(("outputs", number), outputs["items"])
        yield from below(("outputs", number), SCHEMA["$defs"][body["kind"]])


def present(place: str) -> bool:
    """Whether this file's plan has a value at a place; share and epsilon exclude each other."""
    node: Any = DOCUMENT
    for part in place.replace("[", ".").replace("]", "").split("."):
        if isinstance(node, dict) and part not in node:
            return part in ("share", "epsilon") and bool({"share", "epsilon"} & set(node))
        node = node[int(part)] if isinstance(node, list) else node[part]
    return True


WRONG_TYPES = {
    "string": [3, True, ["a"]],
    "number": ["3", True, [3]],
    "integer": ["3", 2.5, True],
    "boolean": ["yes", 1],
    "array": ["a", {"a": 1}],
    "object": ["a", [1]],
}


def violations(node: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Values that break exactly one rule of a node, with the rule."""
    for value in WRONG_TYPES.get(node.get("type", ""), []):
        yield "type", value
    limits: dict[str, Any] = {
        "minimum": lambda m: m - 1,
        "maximum": lambda m: m + 1,
        "exclusiveMinimum": lambda m: m,
        "exclusiveMaximum": lambda m: m,
        "minLength": lambda _: "",
        "maxLength": lambda m: "x" * (m + 1),
        "pattern": lambda p: next(
            t for t in ("no such name!", "two\nlines", "nothing\0") if not re.search(p, t)
        ),
        "enum": lambda _: "no such thing",
        "const": lambda _: "no such thing",
        "minItems": lambda _: [],
        "minProperties": lambda _: {},
    }
    for rule, value in limits.items():
        if rule in node:
            yield rule, value(node[rule])
    cases = [resolved(case) for case in node.get("oneOf", [])]
    for case in cases:
        yield from ((f"oneOf {rule}", value) for rule, value in violations(case) if not fits(value, cases))


def fits(value: Any, cases: list[dict[str, Any]]) -> bool:
    return any(
        type(value)
        is {"integer": int, "array": list, "string": str, "object": dict}.get(case.get("type", ""), bool)
        for case in cases
    )


def every_violation() -> Iterator[Any]:
    for place, node in properties():
        if place[-1] == "kind" and "const" in node:
            continue  # chooses the branch, and is tested by the enum of all kinds
        for number, (rule, value) in enumerate(violations(node)):
            code = "unknown-choice" if rule in ("enum", "const") else "bad-value"
            yield pytest.param(place, value, code, id=f"{written(place)}-{rule}-{number}")


@pytest.mark.parametrize(("place", "value", "code"), list(every_violation()))
def test_a_value_that_breaks_a_rule_is_refused_at_its_place(
    tmp_path: Path, place: Place, value: Any, code: str
) -> None:
    error = refused(tmp_path, changed(place, value), place, code)
    assert error.expected
    assert "Validation" not in str(error)


def test_the_violations_cover_the_rules_of_the_schema() -> None:
    rules = {param.id.split("-")[-2].split()[0] for param in every_violation()}
    assert rules >= {
        "type",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minLength",
        "maxLength",
    }
    assert rules >= {"pattern", "enum", "const", "minItems", "minProperties", "oneOf"}


LISTS: list[tuple[Place, Any, Place]] = [
    (("inputs", "looks", "stimuli"), ["sea", "sea"], ()),
    (("inputs", "looks", "stimuli"), ["sea", 1005], (1,)),
    (("inputs", "looks", "stimuli"), ["sea", ""], (1,)),
    (("inputs", "looks", "stimuli"), ["x" * 201], (0,)),
    (("inputs", "looks", "missing"), [-1, True], (1,)),
    (("inputs", "looks", "assume_public"), ["assignment", "lengths"], (1,)),
    (("inputs", "pupils", "recordings"), ["a", "a"], ()),
    (("inputs", "pupils", "assume_public"), ["lengths", "lengths"], ()),
    (("inputs", "pupils", "bounds", "pupil_mm"), [1.5], ()),
    (("inputs", "pupils", "bounds", "pupil_mm"), [1.5, 2.5, 3.5], ()),
    (("inputs", "pupils", "bounds", "pupil_mm"), [1.5, "8"], (1,)),
    (("inputs", "pupils", "bounds", "pupil_mm"), 8, ()),
    (("outputs", 1, "features"), ["pupil_mm", "pupil_mm"], ()),
    (("outputs", 2, "resampled"), [1, 1], ()),
    (("outputs", 2, "resampled"), [1, 0], (1,)),
    (("outputs", 3, "statistics"), ["mean", "mean"], ()),
    (("outputs", 3, "statistics"), ["mean", "mode"], (1,)),
    *(
        (("outputs", 3, "statistics"), ["mean", f"quantile:{p}"], (1,))
        for p in ("0", "1", "0.0", "0.50", "1.5", "-0.5", "0.1234567", ".5", "0,5", "1e-3", "", "0.5\n")
    ),
]


@pytest.mark.parametrize(("place", "value", "item"), LISTS, ids=str)
def test_a_list_that_breaks_a_rule_is_refused_at_its_item(
    tmp_path: Path, place: Place, value: Any, item: Place
) -> None:
    codes = {"statistics": "unknown-statistic", "assume_public": "unknown-choice"}
    code = codes.get(str(place[-1]), "bad-value") if item else "bad-value"
    assert refused(tmp_path, changed(place, value), (*place, *item), code).expected


@pytest.mark.parametrize(
    "place", [("release", "name"), ("release", "version"), ("outputs", 0, "name")], ids=written
)
def test_a_name_that_is_refused_is_answered_with_what_names_may_hold(tmp_path: Path, place: Place) -> None:
    error = refused(tmp_path, changed(place, "Our Study"), place, "bad-value")
    descriptions = {at: node.get("description") for at, node in properties()}
    assert error.expected == str(descriptions[place]).partition(";")[0]


def test_a_name_of_an_input_is_answered_too(tmp_path: Path) -> None:
    document = copy.deepcopy(DOCUMENT)
    document["inputs"]["my looks"] = document["inputs"]["looks"]
    error = refused(tmp_path, document, "inputs", "bad-value", "'my looks'")
    assert error.expected == resolved(SCHEMA["properties"]["inputs"]["propertyNames"])["description"]


@pytest.mark.parametrize(
    "place",
    [place for place, node in properties() if not re.search(node.get("pattern", ""), "two\nlines")],
    ids=written,
)
def test_no_name_ends_in_a_line_break(tmp_path: Path, place: Place) -> None:
    # Python's $ also matches before a last line break; ECMA's, which JSON Schema means, does not.
    node: Any = DOCUMENT
    for part in place:
        node = node[part]
    refused(tmp_path, changed(place, f"{node}\n"), place, "bad-value")


def required_keys() -> Iterator[Any]:
    yield from ((key,) for key in SCHEMA["required"])
    for place, node in properties():
        yield from ((*place, key) for key in node.get("required", []))
    for name, body in DOCUMENT["inputs"].items():
        yield from (("inputs", name, key) for key in SCHEMA["$defs"][body["kind"]]["required"])
    for number, body in enumerate(DOCUMENT["outputs"]):
        yield from (("outputs", number, key) for key in SCHEMA["$defs"][body["kind"]]["required"])


@pytest.mark.parametrize("place", sorted(set(required_keys()), key=str), ids=written)
def test_a_missing_key_is_named_with_its_place(tmp_path: Path, place: Place) -> None:
    refused(tmp_path, changed(place), place[:-1], "key-missing", f"'{place[-1]}'")


def test_a_missing_key_is_named_with_its_purpose(tmp_path: Path) -> None:
    places = sorted(set(required_keys()), key=str)
    unexplained = [
        p for p in places if "(" not in refused(tmp_path, changed(p), p[:-1], "key-missing").problem
    ]
    assert [written(place) for place in unexplained] == []


def tables() -> Iterator[Place]:
    yield ()
    yield from (place for place, node in properties() if node.get("additionalProperties") is False)
    yield from (("inputs", name) for name in DOCUMENT["inputs"])
    yield from (("outputs", number) for number in range(len(DOCUMENT["outputs"])))


@pytest.mark.parametrize("place", list(tables()), ids=written)
def test_an_unknown_key_is_refused_at_every_level_with_those_that_exist(tmp_path: Path, place: Place) -> None:
    error = refused(tmp_path, changed((*place, "zzz"), 1), place, "unknown-key", "'zzz'")
    body: Any = DOCUMENT
    for part in place:
        body = body[part]
    assert set(body) <= set(re.findall(r"\w+", error.expected))
    assert "'" not in error.remedy  # no key is like it


@pytest.mark.parametrize(
    ("place", "wrong", "right"),
    [
        ((), "output", "outputs"),
        (("release",), "licence", "license"),
        (("privacy",), "epsilom", "epsilon"),
        (("privacy",), "neighbors", "neighbours"),
        (("inputs", "looks"), "assume-public", "assume_public"),
        (("inputs", "looks", "columns"), "stimuli", "stimulus"),
        (("inputs", "looks", "screen"), "width", "width_px"),
        (("inputs", "pupils"), "bound", "bounds"),
        (("inputs", "pupils", "columns"), "recordings", "recording"),
        (("outputs", 0), "blur", "blur_px"),
        (("outputs", 1), "coefficient", "coefficients"),
        (("outputs", 2), "resample", "resampled"),
        (("outputs", 3), "statistic", "statistics"),
    ],
)
def test_a_misspelt_key_is_answered_with_the_nearest(
    tmp_path: Path, place: Place, wrong: str, right: str
) -> None:
    error = refused(tmp_path, changed((*place, wrong), 1), place, "unknown-key", f"'{wrong}'")
    assert f"'{right}'" in error.remedy


@pytest.mark.parametrize(
    ("place", "value", "shown"),
    [
        (("privacy", "epsilon"), "1.0", ["1.0"]),
        (("privacy", "epsilon"), "much", ["1.0"]),  # an example
        (("release", "version"), 1.0, ['"1.0"']),
        (("release", "version"), True, []),
        (("outputs",), {"name": "x"}, ["[[outputs]]"]),
        (("privacy",), [{"epsilon": 1.0}], ["[privacy]"]),
    ],
)
def test_a_value_that_only_looks_wrong_is_shown_as_it_is_written(
    tmp_path: Path, place: Place, value: Any, shown: list[str]
) -> None:
    remedy = refused(tmp_path, changed(place, value), place, "bad-value").remedy
    assert re.findall(r'"?\d[\d.]*"?|\[+\w+\]+', remedy) == shown


# What is not offered


@pytest.mark.parametrize(
    ("place", "value", "offered"),
    [
        (("outputs", 0, "mechanism"), "spectal", ["spectral", "gaussian", "laplace"]),
        (("outputs", 1, "mechanism"), "wavelet", ["spectral", "lpa", "fpa", "cfpa", "dcfpa"]),
        (("outputs", 0, "kind"), "films", [*KINDS]),
        (("outputs", 0, "calibration"), "balle2018", ["exact", "liu2019"]),
        (("inputs", "looks", "kind"), "fixations", ["gaze", "features"]),
        (("privacy", "neighbours"), "add", ["replace-one", "add-remove-one"]),
        (("privacy", "unit"), "recording", ["person"]),
    ],
    ids=str,
)
def test_what_does_not_exist_is_answered_with_what_does(
    tmp_path: Path, place: Place, value: str, offered: list[str]
) -> None:
    error = refused(tmp_path, changed(place, value), place, "unknown-choice", f"'{value}'")
    assert [part.split()[-1] for part in error.expected.split(", ")] == offered


@pytest.mark.parametrize(
    ("place", "value", "near"),
    [
        (("outputs", 0, "mechanism"), "gausian", "gaussian"),
        (("outputs", 2, "kind"), "record", "records"),
        (("inputs", "looks", "off_screen"), "dropped", "drop"),
    ],
)
def test_a_misspelt_word_is_answered_with_the_nearest(
    tmp_path: Path, place: Place, value: str, near: str
) -> None:
    assert f"'{near}'" in refused(tmp_path, changed(place, value), place, "unknown-choice").remedy


@pytest.mark.parametrize(
    ("word", "near"), [("medain", "median"), ("var", ""), ("quantile", ""), ("Mean", "mean")]
)
def test_a_statistic_that_does_not_exist_is_answered_with_those_that_do(
    tmp_path: Path, word: str, near: str
) -> None:
    place = ("outputs", 3, "statistics", 1)
    error = refused(tmp_path, changed(place, word), place, "unknown-statistic", f"'{word}'")
    offered = ("count", "sum", "mean", "variance", "histogram", "median", "quantile:p", "0 < p < 1")
    assert [name for name in offered if name not in error.expected] == []
    assert re.findall(r"'(.*?)'", error.remedy) == ([near] if near else [])


@pytest.mark.parametrize(
    "name", ["count", "sum", "mean", "variance", "histogram", "median", "quantile:0.5", "quantile:0.000001"]
)
def test_every_statistic_that_is_offered_is_taken(tmp_path: Path, name: str) -> None:
    plan = load(tmp_path, changed(("outputs", 3, "statistics"), [name]))
    assert plan.outputs[3].options["statistics"] == [name]


@pytest.mark.parametrize(
    ("statistic", "instead"),
    [
        *(("min", "quantile:0.05"), ("minimum", "quantile:0.05")),
        *(("max", "quantile:0.95"), ("maximum", "quantile:0.95")),
    ],
)
@pytest.mark.parametrize("number", [0, 1])
def test_extremes_are_refused_with_the_reason_and_the_quantile(
    tmp_path: Path, statistic: str, instead: str, number: int
) -> None:
    statistics = ["mean", "count"]
    statistics[number] = statistic
    document = changed(("outputs", 3, "statistics"), statistics)
    place = ("outputs", 3, "statistics", number)
    offered = ("count", "sum", "mean", "variance", "histogram", "median", "quantile:p")
    error = refused(tmp_path, document, place, "extreme-value", f"'{statistic}'", *offered)
    assert instead in error.remedy
    document = changed(("outputs", 3, "statistics"), [instead])
    assert load(tmp_path, document).outputs[3].options["statistics"] == [instead]


def test_the_refusal_of_an_extreme_says_why(tmp_path: Path) -> None:
    place = ("outputs", 3, "statistics")
    error = refused(tmp_path, changed(place, ["max"]), (*place, 0), "extreme-value")
    check_text("messages/extreme-value", str(error), folder=tmp_path)


@pytest.mark.parametrize("key", ["ledger", "dataset"])
def test_ledger_and_dataset_go_together(tmp_path: Path, key: str) -> None:
    other = {"ledger": "dataset", "dataset": "ledger"}[key]
    error = refused(tmp_path, changed(("privacy", key)), ("privacy",), "key-missing", f"'{other}'")
    assert f"'{key}'" in error.problem


# What contradicts itself


def test_share_and_epsilon_exclude_each_other(tmp_path: Path) -> None:
    document = changed(("outputs", 0, "epsilon"), 1.0)
    refused(tmp_path, document, "outputs[0] (maps)", "share-and-epsilon", "share", "epsilon")


def test_two_outputs_of_one_name_are_refused(tmp_path: Path) -> None:
    document = changed(("outputs", 2, "name"), "signals")
    refused(tmp_path, document, "outputs[1] (signals)", "duplicate-output")


def test_an_unknown_input_is_answered_with_the_nearest(tmp_path: Path) -> None:
    document = changed(("outputs", 1, "input"), "pupil")
    error = refused(tmp_path, document, "outputs[1] (signals)", "unknown-input", "'pupil'", "looks", "pupils")
    assert "'pupils'" in error.remedy


@pytest.mark.parametrize("number", range(2))  # records and statistics are made of either
def test_an_input_of_the_wrong_kind_is_refused(tmp_path: Path, number: int) -> None:
    body = DOCUMENT["outputs"][number]
    other, kind, needed = ("looks", "gaze", "features") if number else ("pupils", "features", "gaze")
    document = changed(("outputs", number, "input"), other)
    where = f"outputs[{number}] ({body['name']})"
    error = refused(tmp_path, document, where, "input-of-other-kind", body["kind"])
    assert re.search(rf"\b{kind}\b", error.found)
    assert re.search(rf"\b{needed}\b", error.expected)


@pytest.mark.parametrize(
    "bounds",
    [
        *([8.0, 1.5], [3, 3], [math.nan, 8], [1, math.nan], [-math.inf, 8], [1, math.inf], [math.nan] * 2),
        *([-1e308, 1e308], [1, 1 + 1e-12], [0, 5e-324], [0, 1.1e15], [-1.1e15, 0], [0, 9e-16]),
    ],
    ids=str,
)
def test_bounds_that_are_no_interval_are_refused(tmp_path: Path, bounds: list[float]) -> None:
    document = changed(("inputs", "pupils", "bounds", "pupil_mm"), bounds)
    error = refused(tmp_path, document, "inputs.pupils.bounds.pupil_mm", "bad-bounds")
    assert error.found == f"[{bounds[0]}, {bounds[1]}]"


def test_bounds_that_no_float_can_hold_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError):
        load(tmp_path, changed(("inputs", "pupils", "bounds", "pupil_mm"), [1, 10**400]))


@pytest.mark.parametrize(("name", "what"), [("looks", "stimuli"), ("pupils", "recordings")])
def test_lists_are_data_until_declared_public(tmp_path: Path, name: str, what: str) -> None:
    undeclared = changed(("inputs", name, what))
    listed = f'{what} = ["…", "…"]'
    refused(tmp_path, undeclared, f"inputs.{name}", "list-missing", listed, f'assume_public = ["{what}"]')
    undeclared["inputs"][name]["assume_public"] = [what]
    assert load(tmp_path, undeclared).inputs[name].options["assume_public"] == [what]
    both = changed(("inputs", name, "assume_public"), [what])
    refused(tmp_path, both, f"inputs.{name}", "listed-and-assumed", what, "assume_public")


def test_without_a_recording_column_there_is_no_list_to_declare(tmp_path: Path) -> None:
    document = changed(("inputs", "pupils", "recordings"))
    del document["inputs"]["pupils"]["columns"]["recording"]
    assert "recordings" not in load(tmp_path, document).inputs["pupils"].options


@pytest.mark.parametrize("declared", [{"recordings": ["a", "b"]}, {"assume_public": ["recordings"]}], ids=str)
def test_recordings_without_a_column_for_them_are_refused(tmp_path: Path, declared: dict[str, Any]) -> None:
    # Otherwise every row belongs to a recording that is not listed, and all are dropped.
    document = changed(("inputs", "pupils", "recordings"))
    del document["inputs"]["pupils"]["columns"]["recording"]
    document["inputs"]["pupils"].update(declared)
    refused(tmp_path, document, "inputs.pupils", "column-missing", "recordings", 'recording = "COLUMN"')


NUMBERS: list[Place] = [
    ("inputs", "looks", "screen", "width_mm"),
    ("inputs", "looks", "screen", "distance_mm"),
    ("privacy", "epsilon"),
    ("privacy", "delta"),
    ("outputs", 0, "share"),
    ("outputs", 0, "delta"),
    ("outputs", 0, "blur_px"),
    ("outputs", 0, "exponent"),
    ("outputs", 0, "cap_share"),
    ("outputs", 0, "clip"),
    ("outputs", 0, "blur_time"),
    ("outputs", 1, "epsilon"),
    ("outputs", 1, "step_s"),
    ("outputs", 1, "choice_share"),
    ("outputs", 1, "max_change"),
    ("outputs", 2, "gamma"),
    ("outputs", 2, "epsilon0"),
    ("outputs", 2, "pass_rate"),
    ("outputs", 3, "quantile_share"),
    ("outputs", 6, "viewing_time_s"),
    ("outputs", 6, "dynamics_share"),
]


@pytest.mark.parametrize("place", NUMBERS, ids=written)
def test_not_a_number_is_refused_wherever_a_number_is_asked_for(tmp_path: Path, place: Place) -> None:
    # An ε of NaN would be above no limit: every comparison with it is false.
    refused(tmp_path, changed(place, math.nan), place, "bad-value")


@pytest.mark.parametrize(
    "place", [place for place in NUMBERS if place != ("outputs", 1, "epsilon")], ids=written
)
@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_an_infinite_number_is_refused(tmp_path: Path, place: Place, value: float) -> None:
    # An infinite ε of an output exceeds the release's ε: a matter of policy, and refused by the design.
    refused(tmp_path, changed(place, value), place, "bad-value")


def test_every_number_of_the_schema_is_in_that_test() -> None:
    told = {written(place[-1:]) for place, node in properties() if node.get("type") == "number"}
    assert told == {written(place[-1:]) for place in NUMBERS}


WHOLE = [place for place, node in properties() if node.get("type") == "integer"]


@pytest.mark.parametrize("place", WHOLE, ids=written)
def test_a_whole_number_with_a_point_is_refused_or_becomes_an_integer(tmp_path: Path, place: Place) -> None:
    # JSON Schema calls 16.0 an integer; arrays of 16.0 rows cannot be made.
    try:
        plan = load(tmp_path, changed(place, 16.0))
    except PlanError:
        return
    if place[0] == "outputs":
        value = plan.outputs[int(place[1])].options[str(place[2])]
    else:
        value = plan.inputs[str(place[1])].options[str(place[2])][str(place[3])]
    assert type(value) is int


# The file


def raw(folder: Path, content: bytes) -> Path:
    path = folder / "plan.toml"
    path.write_bytes(content)
    return path


def unreadable(path: Path, code: str, *names: str, kind: type[SynthReleaseError] = PlanError) -> str:
    """Expect a refusal of the file, and return its place."""
    with refusals.refused(kind, code, where=path, names=names) as caught:
        load_plan(path)
    return caught.value.where


def test_a_syntax_error_is_named_by_its_line(tmp_path: Path) -> None:
    assert 2 in figures(unreadable(raw(tmp_path, b"[release]\nname = \n"), "bad-syntax", "name ="))


def test_a_key_given_twice_is_named_by_its_line(tmp_path: Path) -> None:
    text = b'[release]\nname = "a"\nname = "b"\n'
    assert 3 in figures(unreadable(raw(tmp_path, text), "bad-syntax", 'name = "b'))


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ('columns = { x = "x", }', "}"),
        ("version = 1.0.0", 'version = "1.0.0"'),
        ("name = study", 'name = "study"'),
        ('name = "study', '"'),
    ],
)
def test_a_usual_syntax_error_has_its_own_remedy(tmp_path: Path, line: str, remedy: str) -> None:
    with refusals.refused(PlanError, "bad-syntax", names=[line.rstrip("} ,")]) as caught:
        load_plan(raw(tmp_path, f"[a]\nb = 1\n{line}\n".encode()))
    assert caught.value.where.endswith((", line 3", ", line 4")) or ", line 3, column " in caught.value.where
    general = refusals.refused
    with general(PlanError, "bad-syntax") as other:
        load_plan(raw(tmp_path, b"[a]\n= 1\n"))
    assert caught.value.remedy != other.value.remedy
    assert remedy in caught.value.remedy


@pytest.mark.parametrize("name", ["gaze.csv", "gaze.tsv", "gaze.asc", "gaze.txt", "gaze"])
def test_of_data_in_the_place_of_a_plan_nothing_is_repeated(tmp_path: Path, name: str) -> None:
    data = tmp_path / name
    data.write_text("person,pupil_mm\nanna berg,5.713\n")
    with refusals.refused(PlanError, "bad-syntax") as caught:
        load_plan(data)
    told = f"{caught.value}{caught.value.to_json()}"
    assert not any(cell in told for cell in ("pupil_mm", "anna", "5.713"))


def test_a_plan_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    for encoding in ("latin-1", "utf-16"):
        unreadable(raw(tmp_path, '[release]\ntitle = "Größe"\n'.encode(encoding)), "not-utf8")


def test_an_empty_plan_misses_its_first_key(tmp_path: Path) -> None:
    unreadable(raw(tmp_path, b""), "key-missing", "'release'")


def test_a_missing_plan_is_named(tmp_path: Path) -> None:
    unreadable(tmp_path / "none.toml", "no-such-file")


def test_a_folder_is_no_plan(tmp_path: Path) -> None:
    unreadable(tmp_path, "path-is-folder")


def test_a_plan_that_may_not_be_read_is_the_machines_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = raw(tmp_path, b"")

    def denied(*_args: Any, **_options: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(reading, "open_regular", denied)
    unreadable(path, "cannot-read", kind=MachineError)
    assert MachineError.exit_code == 6


@pytest.mark.parametrize("case", ["under-a-file", "too-long", "nul", "loop"])
def test_an_impossible_path_is_an_error_of_ours(tmp_path: Path, case: str) -> None:
    file = raw(tmp_path, b"")
    (tmp_path / "loop.toml").symlink_to(tmp_path / "loop.toml")
    path = {
        "under-a-file": file / "plan.toml",
        "too-long": tmp_path / f"{'x' * 300}.toml",
        "nul": tmp_path / "a\0b.toml",
        "loop": tmp_path / "loop.toml",
    }[case]
    with pytest.raises(SynthReleaseError):
        load_plan(path)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    load(tmp_path, DOCUMENT)
    path = tmp_path / "plan.toml"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load_plan(path).release["name"] == "study"


# The schema's own words


def test_every_key_of_the_schema_has_a_description() -> None:
    described: dict[str, bool] = {}
    for place, node in properties():
        name = written(place)
        described[name] = described.get(name, False) or bool(node.get("description"))
    assert [name for name, told in described.items() if not told] == []


def test_every_description_is_a_sentence() -> None:
    told = {str(node["description"]) for _, node in properties() if "description" in node}
    assert [words for words in told if not words.endswith(".")] == []


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("release", "name"), "Our Study"),
        (("outputs", 0, "max_samples_per_stimulus"), "none"),
        (("outputs", 2, "resampled"), "two"),
        (("outputs", 3, "statistics"), []),
        (("privacy", "epsilon"), 0),
    ],
    ids=str,
)
def test_what_was_expected_is_said_in_words_and_not_in_schema(
    tmp_path: Path, place: Place, value: Any
) -> None:
    error = refused(tmp_path, changed(place, value), place, "bad-value")
    jargon = ("pattern ^", "oneOf", "{'type'", "minItems", "exclusiveMinimum", "uniqueItems")
    assert [word for word in jargon if word in error.expected] == []
