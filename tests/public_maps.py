"""A gaze table, public maps of its stimuli, and a plan of heatmaps that start from them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

STIMULI = ("sea", "sky")
WIDTH, HEIGHT = 80, 60
SPOTS = {"sea": (20.0, 15.0), "sky": (60.0, 40.0)}  # where people look

MAPS = 'prior = "maps"\nmaps = "maps"\n'


def plan(options: str = MAPS, *, epsilon: float = 2.0) -> str:
    """Return a plan of one heatmap output."""
    return f"""
[release]
name = "study"
version = "1"
title = "A study"
[privacy]
epsilon = {epsilon}
delta = 1e-6
[inputs.gaze]
kind = "gaze"
path = "gaze.csv"
columns = {{ person = "who", stimulus = "image", x = "x", y = "y" }}
screen = {{ width_px = {WIDTH}, height_px = {HEIGHT} }}
stimuli = ["sea", "sky"]
assume_public = ["assignment"]
[[outputs]]
name = "attention"
kind = "heatmap"
input = "gaze"
blur_px = 6
{options}"""


def gaze(people: int = 30, *, prefix: str = "p", seed: int = 0) -> str:
    """Return a table of people who look near the spots."""
    random = np.random.default_rng(seed)
    rows = ["who,image,x,y"]
    for person in range(people):
        for image, spot in SPOTS.items():
            at = np.clip(random.normal(spot, 5.0, (6, 2)), 0, (WIDTH - 0.01, HEIGHT - 0.01))
            rows += [f"{prefix}{person},{image},{x:.2f},{y:.2f}" for x, y in at]
    return "\n".join(rows) + "\n"


def density(stimulus: str, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    """Return a map of where people look, shape (height, width)."""
    x, y = SPOTS[stimulus]
    down = ((np.arange(height) + 0.5) * HEIGHT / height - y)[:, None]
    across = (np.arange(width) + 0.5) * WIDTH / width - x
    return np.asarray(np.exp(-0.5 * (down**2 + across**2) / 36.0))


def study(folder: Path, options: str = MAPS) -> Path:
    """Write table, maps and plan, and return the plan's path."""
    (folder / "gaze.csv").write_text(gaze())
    (folder / "maps").mkdir()
    for stimulus in STIMULI:
        np.save(folder / "maps" / f"{stimulus}.npy", density(stimulus))
    (folder / "plan.toml").write_text(plan(options))
    return folder / "plan.toml"
