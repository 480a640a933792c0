"""What `preview` and `build` say to someone whose release would tell nothing, or be of one person."""

from __future__ import annotations

import json
from pathlib import Path

import made
import pytest
from click.testing import CliRunner, Result
from goldens import check_text

import synthrelease
from synthrelease.cli import main
from synthrelease.dp.budget import Budget

PLAN = """
[release]
name = "pupils"
version = "1.0.0"
title = "Pupils"
[privacy]
epsilon = 1.0
neighbours = "replace-one"
[inputs.pupil]
kind = "features"
path = "pupil.csv"
columns = { person = "who" }
bounds = { pupil_mm = [1.5, 8.0] }
[[outputs]]
name = "summary"
kind = "statistics"
input = "pupil"
statistics = ["mean"]
"""


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_a_release_of_one_person_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    (tmp_path / "pupil.csv").write_text("who,pupil_mm\na,3\na,4\n")
    plan, bundle = tmp_path / "plan.toml", tmp_path / "r.h5"
    plan.write_text(PLAN)
    check_text("preview/one-person", run("preview", plan).stdout)
    warnings = json.loads(run("preview", plan, "--json").stdout)["warnings"]
    assert len(warnings) == 2
    weak, *others = run("build", plan, "-o", bundle).stderr.splitlines()
    assert weak.startswith("WEAK ACCURACY: summary: ")  # not a sentence: a mark, and a name
    assert others == [f"warning: {one}" for one in warnings]
    shown = "\n".join(run("show", bundle).stdout.splitlines()[:3])
    check_text("show/one-person", shown, version=synthrelease.__version__)


def test_a_private_number_of_people_is_in_no_warning(tmp_path: Path) -> None:
    plan, bundle = tmp_path / "plan.toml", tmp_path / "r.h5"
    plan.write_text(PLAN.replace("replace-one", "add-remove-one"))
    said = []
    for people in ("a", "abc"):
        rows = "".join(f"{who},{size}\n" for who in people for size in (3, 4))
        (tmp_path / "pupil.csv").write_text(f"who,pupil_mm\n{rows}")
        view = run("preview", plan).output
        assert run("build", plan, "-o", bundle, "--force").exit_code == 0
        said.append((view, json.loads((tmp_path / "r.manifest.json").read_text())["warnings"]))
    assert said[0] == said[1]


def test_a_mean_that_tells_nothing_is_said_to_and_counts_only_if_they_are_asked_for() -> None:
    bounds = [(0.0, 1.0)] * 11
    few = made.statistics(["mean"], bounds, 8, people=24, by="condition", groups="abcde", max_groups=5)
    many = made.statistics(["mean", "count"], bounds, 8, people=100_000)
    lines = []
    for mechanism in (few, many):
        p, budget = mechanism.parameters, Budget(1.0, 0.0)
        error, _ = mechanism.prediction(mechanism.calibrate(budget), budget, p.people)
        lines.append(f"{' and '.join(p.statistics)} of {p.people} people: {error}")
    check_text("predictions/statistics", "\n".join(lines))
