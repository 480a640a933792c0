"""What a manifest states of its inputs: which rows count, as the plan has it; contradictions are found."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forging import forge, read_manifest

import synthrelease
from synthrelease.errors import PlanError

ROWS = """
p01,a,Fixation,3,5,0.9,ok
p02,a,Fixation,-999,5,0.9,ok
p02,a,Saccade,9,200,0.2,bad
p03,a,Fixation,7,7,0.5,NA
"""
PLAN = """
[release]
name = "rows"
version = "1.0.0"
title = "Chosen rows"
[privacy]
epsilon = 1.0
[inputs.gaze]
kind = "gaze"
path = "gaze.csv"
columns = { person = "who", stimulus = "picture", x = "x", y = "y" }
screen = { width_px = 80, height_px = 60 }
stimuli = ["a"]
off_screen = "drop"
missing = [-999, " NA ", nan]
only = { kind = ["Fixation", "Saccade"] }
valid = { confidence = [0.1, inf], state = ["ok", "bad"] }
[[outputs]]
name = "maps"
kind = "heatmap"
input = "gaze"
mechanism = "laplace"
width_px = 8
height_px = 6
max_samples_per_stimulus = 2
cap = 1
[[outputs]]
name = "shares"
kind = "areas"
input = "gaze"
areas = { left = { rectangle = [0, 0, 40, 60] } }
[inputs.pupil]
kind = "features"
path = "gaze.csv"
columns = { person = "who" }
[inputs.pupil.bounds]
confidence = [0.0, 1.0]
[[outputs]]
name = "summary"
kind = "statistics"
input = "pupil"
statistics = ["mean"]
[[outputs]]
name = "counts"
kind = "statistics"
input = "pupil"
statistics = ["count"]
"""
ENTRIES = [
    {
        "name": "gaze",
        "kind": "gaze",
        "only": [{"column": "kind", "labels": ["Fixation", "Saccade"]}],
        "valid": [
            {"column": "confidence", "low": "0.1", "high": "inf"},
            {"column": "state", "labels": ["ok", "bad"]},
        ],
        "missing": {"numbers": ["-999.0", "nan"], "texts": ["NA"]},
        "off_screen": "drop",
        "coordinates": "pixels",
        "origin": "top-left",
    },
    {
        "name": "pupil",
        "kind": "features",
        "only": [],
        "valid": [],
        "missing": {"numbers": [], "texts": []},
    },
]


def write(folder: Path, plan: str = PLAN) -> Path:
    (folder / "gaze.csv").write_text("who,picture,kind,x,y,confidence,state" + ROWS)
    path = folder / "plan.toml"
    path.write_text(plan)
    return path


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows")
    return synthrelease.build(write(folder), folder / "r.h5").path


def test_a_manifest_has_the_choices_of_rows_and_the_digest_of_the_plan(bundle: Path) -> None:
    manifest = read_manifest(bundle)
    assert manifest["inputs"] == ENTRIES
    assert manifest["plan"] == {"sha256": hashlib.sha256(PLAN.encode()).hexdigest()}
    assert [output["input"] for output in manifest["outputs"]] == ["gaze", "gaze", "pupil", "pupil"]
    assert [warning["code"] for warning in manifest["warnings"]].count("rows-left-out") == 1


def _change_only(manifest: dict[str, Any]) -> None:
    manifest["inputs"][0]["only"] = []


def _swap_inputs(manifest: dict[str, Any]) -> None:
    for output in manifest["outputs"]:
        output["input"] = "pupil" if output["input"] == "gaze" else "gaze"


def _drop_people(manifest: dict[str, Any]) -> None:
    manifest["outputs"][3]["mechanism"]["public_inputs"]["people"] = 2


def _unused(manifest: dict[str, Any]) -> None:
    manifest["inputs"].append({**ENTRIES[1], "name": "other"})


def _twice(manifest: dict[str, Any]) -> None:
    manifest["inputs"].append(ENTRIES[1])


def _no_interval(manifest: dict[str, Any]) -> None:
    manifest["inputs"][0]["valid"][0] |= {"low": "3.0", "high": "2.0"}


def _too_many_people(manifest: dict[str, Any]) -> None:
    manifest["privacy"]["people"] = 7  # of two inputs of 3 people


def _other_names(manifest: dict[str, Any]) -> None:
    manifest["outputs"][1]["mechanism"]["public_inputs"]["names"] = "assumed"


def _other_screen(manifest: dict[str, Any]) -> None:
    manifest["outputs"][1]["mechanism"]["parameters"]["screen"]["width_px"] = 160


def _other_assignment(manifest: dict[str, Any]) -> None:
    manifest["outputs"][0]["mechanism"]["parameters"]["assignment_public"] = True  # and not of the areas


def _other_bounds(manifest: dict[str, Any]) -> None:
    manifest["outputs"][3]["mechanism"]["parameters"]["features"][0]["high"] = 2.0


def _degrees(manifest: dict[str, Any]) -> None:
    manifest["inputs"][0]["coordinates"] = "degrees"


def _beyond_numbers(manifest: dict[str, Any]) -> None:
    manifest["inputs"][0]["valid"][0]["low"] = "1e999"


def _written_otherwise(manifest: dict[str, Any]) -> None:
    manifest["inputs"][0]["missing"]["numbers"][0] = "-9.99e2"


def _column_twice(manifest: dict[str, Any]) -> None:
    manifest["inputs"][0]["only"] *= 2


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (_change_only, "warnings"),
        (_swap_inputs, "outputs/0 (maps)"),
        (_drop_people, "inputs (pupil)"),
        (_unused, "inputs"),
        (_twice, "inputs"),
        (_no_interval, "inputs (gaze)"),
        (_column_twice, "inputs (gaze)"),
        (_too_many_people, "privacy/people"),
        (_other_names, "inputs (gaze)"),
        (_other_screen, "inputs (gaze)"),
        (_other_assignment, "inputs (gaze)"),
        (_other_bounds, "inputs (pupil)"),
        (_degrees, "inputs (gaze)"),
        (_beyond_numbers, "inputs (gaze)"),
        (_written_otherwise, "inputs (gaze)"),
    ],
)
def test_a_contradiction_is_found(
    bundle: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None], where: str
) -> None:
    path = tmp_path / "forged.h5"
    path.write_bytes(bundle.read_bytes())
    forge(path, change)
    assert ("manifest", where) in {
        (finding.code, finding.where) for finding in synthrelease.verify(path).findings
    }


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.pop("inputs"),
        lambda m: m.pop("plan"),
        lambda m: m["outputs"][0].pop("input"),
        lambda m: m["inputs"][0].pop("off_screen"),
        lambda m: m["inputs"][1].update(off_screen="drop"),
        lambda m: m["inputs"][0]["valid"][0].pop("low"),
        lambda m: m["inputs"][0]["valid"][0].update(labels=["ok"]),
        lambda m: m["inputs"][0]["missing"]["numbers"].append("NaN"),
        lambda m: m["plan"].update(path="plan.toml"),
    ],
)
def test_a_form_that_there_is_not_is_refused(
    bundle: Path, tmp_path: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    path = tmp_path / "forged.h5"
    path.write_bytes(bundle.read_bytes())
    forge(path, change)
    findings = synthrelease.verify(path, quick=True).findings
    assert {finding.code for finding in findings} == {"manifest"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("kind = [", '"ki\\nnd" = ['),
        ("kind = [", f"{'k' * 201} = ["),
        ("confidence = [0.1", '"con\\tfidence" = [0.1'),
        ('" NA "', '"N\\u0000A"'),
        ('" NA "', f'"{"N" * 201}"'),
        ('"ok", "bad"', '"o\\u2028k"'),
        ('"ok", "bad"', '""'),
        ("-999,", "2020-01-01,"),
        ("-999,", f"{10**400},"),
        ("0.1, inf", f"0.1, {10**400}"),
    ],
)
def test_what_no_manifest_can_show_is_refused_before_anything_is_read(
    tmp_path: Path, old: str, new: str
) -> None:
    assert old in PLAN
    with pytest.raises(PlanError) as caught:
        synthrelease.preview(write(tmp_path, PLAN.replace(old, new)))
    assert "inputs.gaze" in caught.value.where


def test_a_number_survives(bundle: Path) -> None:
    numbers = read_manifest(bundle)["inputs"][0]["missing"]["numbers"]
    assert float(numbers[0]) == -999
    assert math.isnan(float(numbers[1]))
