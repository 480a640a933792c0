"""The whole way through the studio, by keyboard alone: the demonstration's plan in every decision, and a BIDS dataset."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import bids_dataset
import pytest
from studio_keyboard import add_output, answer, choose, settings
from studio_running import Running

import synthrelease
from synthrelease.demo import copy_sample
from synthrelease.plan.plan import CheckedPlan, load_plan

pytestmark = pytest.mark.thorough

DATA = ("attention", "distance", "pupil")


def decisions(plan: CheckedPlan) -> tuple[Any, ...]:
    """A plan, all defaults filled in, apart from where it lies."""
    folder = plan.path.parent
    inputs = {name: replace(spec, path=spec.path.relative_to(folder)) for name, spec in plan.inputs.items()}
    outputs = [(spec.name, spec.kind, spec.input, spec.options) for spec in plan.outputs]
    return replace(plan, path=Path(), digest="", inputs={}, outputs=()), inputs, outputs


def add_the_looks(here: Running, title: str) -> None:
    choose(here, "attention")
    here.send("Propose a plan")
    answer(here, {"title": title, "width_px": "800", "height_px": "600"})
    settings(here, "The release", {"name": "synthrelease-demo", "license": "CC-BY-4.0"})
    settings(here, "The data attention", {"off_screen": "default"}, ticked="assignment")


def add_the_distances(here: Running) -> None:
    here.follow("/data?more")
    choose(here, "distance")
    here.send("Add to the plan")
    answer(
        here, {"distance_px": "0 … 500"}, choice=1
    )  # blocks are no recordings of the design, but an axis of time
    labels = "distance_px = distance from the middle"
    settings(here, "The data distance", {"recording": "", "time": "block", "labels": labels})


def add_the_pupils(here: Running) -> None:
    here.follow("/data?more")
    choose(here, "pupil")
    here.send("Add to the plan")
    ranges = {
        "pupil_l_mean_mm": "1.5 … 8",
        "openness_mean": "0 … 1",
        "openness_sd": "0 … 0.5",
        "blink_rate_hz": "0 … 2",
    }
    answer(here, ranges)
    labels = ("left pupil", "eye openness", "spread of eye openness", "blink rate")
    typed = {
        "recordings": "control\nnpc\nnoise\narithmetic\ncombined",
        "labels": "\n".join(f"{key} = {label}" for key, label in zip(ranges, labels, strict=True)),
    }
    settings(here, "The data pupil", typed)


def choose_outputs(here: Running) -> None:
    for _ in DATA[1:]:  # those that were proposed with further data
        here.send_at("section:nth-of-type(2) button.quiet")
    add_output(here, "signals", {"input": "distance"})
    add_output(here, "statistics", {"input": "pupil", "name": "summary", "statistics": "mean"})
    add_output(here, "records", {"input": "pupil", "model": "seeded"})
    settings(here, "attention", {"name": "heatmaps", "blur_px": "24", "epsilon": "2"})
    signals = {"length": "30", "coefficients": "8", "clip": "0.25", "epsilon": "0.5"}
    settings(here, "signals", signals)
    settings(here, "summary", {"features": "openness_mean", "epsilon": "0.5"})
    records = {"task": "recording", "bins": "8", "resampled": "2", "k": "8", "gamma": "4", "rows": "500"}
    settings(here, "records", records)


def test_the_plan_is_the_one_by_hand_in_every_decision(
    tmp_path: Path, studio: Callable[..., Running]
) -> None:
    by_hand = load_plan(copy_sample(tmp_path / "demo") / "plan.toml")
    folder = tmp_path / "mine"
    folder.mkdir()
    for name in DATA:
        shutil.copy(tmp_path / "demo" / f"{name}.csv.gz", folder)
    here = studio(folder=folder)
    add_the_looks(here, by_hand.release["title"])
    add_the_distances(here)
    add_the_pupils(here)
    here.go("/budget")
    here.type("#epsilon", "3.0")
    here.send("Write it into the plan")
    here.go("/release")
    choose_outputs(here)
    assert here.page.locator(".problem").count() == 0  # not a sentence: a selector
    assert here.messages == []
    assert decisions(load_plan(folder / "plan.toml")) == decisions(by_hand)


def test_a_bids_dataset_becomes_a_verified_bundle(tmp_path: Path, studio: Callable[..., Running]) -> None:
    bids_dataset.written(tmp_path / "study")
    here = studio(folder=tmp_path)
    choose(here, "study", person="")
    here.send("Propose a plan")
    assert here.page.locator(".doubts li").count() > 0  # not a sentence: a selector
    answer(here, {"title": "Looks"})
    here.follow("/release")
    here.follow("/budget")
    here.follow("/check")
    here.follow("/build")
    here.press("Build")
    here.page.wait_for_selector(".result")
    here.follow("/bundle")
    here.press("Verify the bundle")
    here.page.wait_for_selector("#verify .result")
    here.press("Write the report")
    here.page.wait_for_selector("#report .result")
    here.follow("/pages/report")
    assert here.page.title()
    assert here.messages == []
    (bundle,) = tmp_path.glob("*.h5")
    assert synthrelease.verify(bundle).ok
    (entry,) = load_plan(tmp_path / "plan.toml").inputs.values()
    assert entry.options["format"] == "bids"
    assert entry.options["screen"] == {"width_px": 800, "height_px": 600, "width_mm": 400, "distance_mm": 600}
