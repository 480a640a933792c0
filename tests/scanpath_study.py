"""A table of fixations, and a plan of scanpaths."""

from __future__ import annotations

from pathlib import Path

import numpy as np

STIMULI = ("sea", "sky")
WIDTH, HEIGHT, SECONDS = 800, 600, 2.0
_SPOTS = {"sea": ((200, 150), (500, 400), (600, 200)), "sky": ((300, 300), (650, 450), (150, 480))}


def plan(options: str = "", *, epsilon: float = 20.0, extra: str = "", columns: str = "") -> str:
    """Return a plan of one output."""
    return f"""
[release]
name = "study"
version = "1"
title = "A study"
[privacy]
epsilon = {epsilon}
delta = 1e-5
{extra}
[inputs.fixations]
kind = "gaze"
path = "fixations.csv"
columns = {{ person = "who", stimulus = "picture", x = "x", y = "y", duration = "ms"{columns} }}
screen = {{ width_px = {WIDTH}, height_px = {HEIGHT} }}
stimuli = ["sea", "sky"]
assume_public = ["assignment"]
[[outputs]]
name = "paths"
kind = "scanpaths"
input = "fixations"
viewing_time_s = {SECONDS}
scanpaths = 12
{options}"""


def table(people: int = 40, *, prefix: str = "p", seed: int = 0) -> str:
    """Return fixations of people who look from spot to spot."""
    random = np.random.default_rng(seed)
    rows = ["who,picture,x,y,ms,t"]
    for person in range(people):
        for picture, spots in _SPOTS.items():
            time = 0
            while time < 1000 * SECONDS:
                x, y = np.clip(random.normal(spots[random.integers(3)], 30), 0, (WIDTH - 1, HEIGHT - 1))
                duration = int(random.gamma(4, 60)) + 30
                rows.append(f"{prefix}{person},{picture},{x:.1f},{y:.1f},{duration},{time}")
                time += duration + 40
    return "\n".join(rows) + "\n"


def study(folder: Path, options: str = "", *, people: int = 40, epsilon: float = 20.0) -> Path:
    """Write table and plan, and return the plan's path."""
    (folder / "fixations.csv").write_text(table(people))
    (folder / "plan.toml").write_text(plan(options, epsilon=epsilon))
    return folder / "plan.toml"
