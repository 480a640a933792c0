"""A study whose every name tries to become markup or a command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl

SCRIPT = "<script>alert('x')</script>"
ENDING = "</script></style><!-- <script>"
QUOTES = "\"'><img src=x onerror=alert(1)>"
TEMPLATE = "{{ 7 * 7 }}{% raw %}"
OTHER = "&lt;b&gt; &amp; <b>"
LONG = "Donaudampfschifffahrt" * 9
_PLAN = """
[release]
name = "hostile"
version = "1"
title = {title}
license = {ending}
contact = {quotes}
[privacy]
epsilon = 8.0
delta = 1e-4
[inputs.gaze]
kind = "gaze"
path = "gaze.parquet"
columns = {{ person = "who", stimulus = "image", x = "x", y = "y" }}
screen = {{ width_px = 80, height_px = 60 }}
stimuli = [{script}, {quotes}, {template}, {long}]
assume_public = ["assignment"]
[inputs.pupil]
kind = "features"
path = "pupil.parquet"
columns = {{ person = "who", recording = "task" }}
recordings = [{ending}, {other}]
[inputs.pupil.bounds]
{script} = [0.0, 1.0]
[[outputs]]
name = "cells"
kind = "heatmap"
input = "gaze"
mechanism = "gaussian"
width_px = 8
height_px = 6
max_samples_per_stimulus = 8
blur_px = 8
[[outputs]]
name = "areas"
kind = "areas"
input = "gaze"
areas = {{ {quotes} = {{ rectangle = [0, 0, 40, 60] }}, {long} = {{ rectangle = [40, 0, 60, 60] }} }}
noise = "gaussian"
[[outputs]]
name = "course"
kind = "signals"
input = "pupil"
mechanism = "fpa"
noise = "gaussian"
coefficients = 2
length = 8
[[outputs]]
name = "table"
kind = "records"
input = "pupil"
model = "seeded"
task = "recording"
bins = 3
resampled = 1
k = 2
rows = 20
[[outputs]]
name = "numbers"
kind = "statistics"
input = "pupil"
statistics = ["mean", "histogram"]
by = "recording"
noise = "gaussian"
"""


def write_hostile_study(folder: Path) -> Path:
    """Write the data and the plan, and return the plan's path."""
    rng, people = np.random.default_rng(2), 20
    images = [SCRIPT, QUOTES, TEMPLATE, LONG]
    pl.DataFrame(
        {
            "who": np.repeat(np.arange(people), 16),
            "image": images * 4 * people,
            "x": rng.uniform(0, 80, 16 * people),
            "y": rng.uniform(0, 60, 16 * people),
        }
    ).write_parquet(folder / "gaze.parquet")
    pl.DataFrame(
        {
            "who": np.repeat(np.arange(people), 16),
            "task": [ENDING, OTHER] * 8 * people,
            SCRIPT: rng.uniform(0, 1, 16 * people),
        }
    ).write_parquet(folder / "pupil.parquet")
    names = {
        "title": f"{SCRIPT} {TEMPLATE}",
        "ending": ENDING,
        "quotes": QUOTES,
        "template": TEMPLATE,
        "script": SCRIPT,
        "other": OTHER,
        "long": LONG,
    }
    plan = _PLAN.format(**{key: json.dumps(name) for key, name in names.items()})
    (folder / "plan.toml").write_text(plan, "utf-8")
    return folder / "plan.toml"
