"""Scanpaths from raw samples: fixations of `prepare` are trials as they are."""

from __future__ import annotations

from pathlib import Path

import invented_samples
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import synthrelease
from synthrelease.cli import main

PLAN = """
[release]
name = "prepared"
version = "1.0.0"
title = "Scanpaths from samples"
[privacy]
epsilon = 50.0
delta = 1e-4
[inputs.fixations]
kind = "gaze"
path = "fixations.parquet"
columns = { person = "person", stimulus = "stimulus", x = "x_px", y = "y_px", time = "onset_ms", duration = "duration_ms" }
screen = { width_px = 1280, height_px = 1024 }
assume_public = ["stimuli"]
[[outputs]]
name = "gaze"
kind = "scanpaths"
input = "fixations"
viewing_time_s = 4.0
scanpaths = 5
"""


@pytest.mark.thorough
def test_fixations_of_prepare_become_scanpaths(tmp_path: Path) -> None:
    invented_samples.write_study(tmp_path, people=6)
    arguments = (
        "prepare",
        tmp_path / "plan.toml",
        "raw",
        "--to",
        "fixations",
        "-o",
        tmp_path / "fixations.parquet",
    )
    assert CliRunner().invoke(main, [str(word) for word in arguments]).exit_code == 0
    (tmp_path / "release.toml").write_text(PLAN)
    path = synthrelease.build(tmp_path / "release.toml", tmp_path / "r.h5", test_seed=2).path
    values = synthrelease.open_bundle(path, allow_test_seed=True)["gaze"]["scanpaths"]
    there = values[..., 3] > 0
    mean = pl.read_parquet(tmp_path / "fixations.parquet")["duration_ms"].mean()
    assert isinstance(mean, float)
    assert np.mean(values[..., 3][there]) == pytest.approx(mean, rel=0.35)  # in ms, and not in s
