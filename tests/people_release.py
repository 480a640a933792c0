"""A small release of synthetic people from an invented study, whose labels are not as file names would have them."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

import synthrelease
from synthrelease.bundle import Bundle, open_bundle

RECORDINGS = ("look left", "look-left", "reading 2")
TASKS = ("lookleft", "lookleft2", "reading2")
FEATURES = ("size_mm", "window", "wide")  # of which one is called like an axis
TITLE = "Width = of the gap"  # of the last
COLUMNS = ("size_mm", "window_", "wide")
PEOPLE, WINDOWS = 12, 4
_PARTICIPANTS = 60
_OUTPUT = """
[[outputs]]
name = "{name}"
kind = "people"
input = "pupil"
people = {people}
windows = 4
lattice = {{ window = 1.0 }}
"""
_PLAN = """
[release]
name = "invented-people"
version = "1.0.0"
title = "Invented people"
license = "CC0-1.0"
contact = "data@example.org"

[privacy]
epsilon = 400.0
delta = 1e-4
neighbours = "replace-one"

[inputs.pupil]
kind = "features"
path = "pupil.csv"
columns = { person = "who", recording = "task", time = "t" }
recordings = ["look left", "look-left", "reading 2"]
labels = { wide = "<title>" }
[inputs.pupil.bounds]
size_mm = [2.0, 8.1]
window = [0.0, 4.0]
wide = [-1e5, 1e5]
"""


def people_bundle(folder: Path, *, outputs: int = 1) -> Bundle:
    """Write the release into a folder, and open it; a second output has other people of the same recordings."""
    path = folder / "people.h5"
    path.write_bytes(_raw(outputs))
    return open_bundle(path, allow_test_seed=True)


def write_people_study(folder: Path, *, outputs: int = 1) -> Path:
    """Write data and plan into a folder, and return the plan's path."""
    random = np.random.default_rng(3)
    rows = _PARTICIPANTS * len(RECORDINGS) * WINDOWS
    who, task, t = (
        places.ravel() for places in np.indices((_PARTICIPANTS, len(RECORDINGS), WINDOWS), dtype=np.int64)
    )
    table = {
        "who": who,
        "task": np.array(RECORDINGS)[task],
        "t": t,
        "size_mm": np.clip(7.5 + random.normal(size=_PARTICIPANTS)[who] + random.normal(size=rows), 2, 8.1),
        "window": random.integers(0, 5, rows),
        "wide": random.uniform(-1e5, 1e5, rows),
    }
    names = (("people", PEOPLE), ("more", 3))[:outputs]
    plan = _PLAN.replace("<title>", TITLE) + "".join(
        _OUTPUT.format(name=name, people=people) for name, people in names
    )
    pl.DataFrame(table).write_csv(folder / "pupil.csv")
    path = folder / "plan.toml"
    path.write_text(plan)
    return path


@functools.cache
def _raw(outputs: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        plan = write_people_study(Path(folder), outputs=outputs)
        return synthrelease.build(plan, Path(folder) / "people.h5", test_seed=5).path.read_bytes()
