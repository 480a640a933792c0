"""What `preview` and `build` say to somebody whose release would tell nothing, or be of one person."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from click.testing import CliRunner, Result

from synthrelease.cli import main
from synthrelease.mechanisms.statistics import StatisticsParameters, calibrate
from synthrelease.outputs.statistic_errors import prediction
from synthrelease.privacy.budget import Budget
from synthrelease.privacy.event import noise_of
from synthrelease.privacy.guarantee import Neighbours

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


def test_a_release_of_one_person_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "pupil.csv").write_text("who,pupil_mm\na,3\na,4\n")
    plan, bundle = tmp_path / "plan.toml", tmp_path / "r.h5"
    plan.write_text(PLAN)
    told = run("preview", plan).stdout
    assert "summary (statistics, 1 person)" in told
    assert "note: 1 person: whatever is released is about them alone" in told
    assert "warning: 1 person: whatever" in run("build", plan, "-o", bundle).stderr
    assert "from data of 1 person\n" in run("show", bundle).stdout


def test_a_private_number_of_people_is_in_no_warning(tmp_path: Path) -> None:
    (tmp_path / "pupil.csv").write_text("who,pupil_mm\na,3\na,4\n")
    plan, bundle = tmp_path / "plan.toml", tmp_path / "r.h5"
    plan.write_text(PLAN.replace("replace-one", "add-remove-one"))
    assert "1 person" not in run("preview", plan).output
    assert run("build", plan, "-o", bundle).exit_code == 0
    assert not any(
        "1 person" in one for one in json.loads((tmp_path / "r.manifest.json").read_text())["warnings"]
    )


def test_a_mean_that_tells_nothing_is_said_to_and_counts_only_if_they_are_asked_for() -> None:
    bounds = {f"feature {number}": (0.0, 1.0) for number in range(11)}
    groups = tuple("abcde")
    few = StatisticsParameters(
        ("mean",),
        tuple(bounds.values()),
        8,
        Neighbours.REPLACE_ONE,
        24,
        by="condition",
        groups=groups,
        max_groups=5,
    )
    told = prediction(few, noise_of(calibrate(few, Budget(1.0, 0.0))), 0.0, 24)[0]
    assert "% of the bounds in a group of 24: NO MORE THAN IS KNOWN WITHOUT DATA" in told
    assert "counts ±" not in told
    assert "histograms" not in told
    many = replace(few, by=None, groups=(), max_groups=1, people=100_000, statistics=("mean", "count"))
    told = prediction(many, noise_of(calibrate(many, Budget(1.0, 0.0))), 0.0, 100_000)[0]
    assert "counts ±" in told
    assert "WITHOUT DATA" not in told
