"""Invented recordings of raw gaze: fixations at known places, saccades of known sizes between them, and a plan that reads them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from synthrelease.data.screen import Screen
from synthrelease.prepare import Samples, load_samples

SCREEN = Screen(1280, 1024, 400.0, 600.0)
COLUMNS = {"person": "who", "stimulus": "page", "x": "x", "y": "y", "time": "t"}
PLAN = """
[release]
name = "raw-study"
version = "1.0.0"
title = "A small invented study of raw samples"

[privacy]
epsilon = 8.0
delta = 1e-4

[inputs.raw]
kind = "gaze"
path = "raw.parquet"
columns = { person = "who", stimulus = "page", x = "x", y = "y", time = "t" }
screen = { width_px = 1280, height_px = 1024, width_mm = 400, distance_mm = 600 }
missing = [-1]
assume_public = ["stimuli"]

[[outputs]]
name = "attention"
kind = "heatmap"
input = "raw"
"""


@dataclass(frozen=True)
class Scan:
    """What an invented eye does: rests and jumps in turn.

    Attributes:
        places_deg: of the rests, from the middle of the screen to the right and down, shape (F, 2).
        rests_ms: how long each lasts, shape (F,).
        jumps_ms: how long it takes from one to the next, shape (F - 1,).
    """

    places_deg: np.ndarray
    rests_ms: np.ndarray
    jumps_ms: np.ndarray

    @property
    def onsets_ms(self) -> np.ndarray:
        """When each rest begins."""
        return np.concatenate([[0.0], np.cumsum(self.rests_ms[:-1] + self.jumps_ms)])

    @property
    def amplitudes_deg(self) -> np.ndarray:
        """Of the jumps."""
        return np.hypot(*np.diff(self.places_deg, axis=0).T)


def scan_of(random: np.random.Generator, rests: int = 20) -> Scan:
    """Return a scan whose jumps are 1 to 12 degrees large, and take as long as those of people do."""
    places = [random.uniform(-6, 6, 2)]
    while len(places) < rests:
        place = random.uniform(-8, 8, 2)
        if 1 <= np.hypot(*(place - places[-1])) <= 12:
            places.append(place)
    found = np.array(places)
    jumps = 21 + 2.2 * np.hypot(*np.diff(found, axis=0).T)
    return Scan(found, random.uniform(150, 600, rests), jumps)


def positions(scan: Scan, hz: float, *, noise_deg: float = 0.0, random: np.random.Generator | None = None):
    """Return times in ms and positions in degrees of a scan; jumps begin and end slowly, as those of eyes do."""
    end = scan.onsets_ms[-1] + scan.rests_ms[-1]
    time = np.arange(0, end, 1000 / hz)
    knots, values = [], []
    for onset, rest, place in zip(scan.onsets_ms, scan.rests_ms, scan.places_deg, strict=True):
        knots += [onset, onset + rest]
        values += [place, place]
    at = np.searchsorted(knots, time, side="right") - 1
    at = np.clip(at, 0, len(knots) - 2)
    begin, width = np.array(knots)[at], np.diff(knots)[at]
    share = np.clip((time - begin) / width, 0, 1)
    share = share**3 * (10 - 15 * share + 6 * share**2)  # least jerk
    from_, to = np.array(values)[at], np.array(values)[at + 1]
    found = from_ + (to - from_) * share[:, None]
    if random is not None:
        found = found + random.normal(0, noise_deg, found.shape)
    return time, found


def in_pixels(degrees: np.ndarray) -> np.ndarray:
    """Return pixels from the top left, as tangents have it."""
    per_mm = SCREEN.width_px / 400.0
    return np.tan(np.radians(degrees)) * 600.0 * per_mm + [SCREEN.width_px / 2, SCREEN.height_px / 2]


def rows(who: str, page: str, time_ms: np.ndarray, degrees: np.ndarray) -> pl.DataFrame:
    """Return the samples of one recording as a table; NaN is written as -1."""
    x, y = np.nan_to_num(in_pixels(degrees), nan=-1).T
    return pl.DataFrame({"who": [who] * len(x), "page": [page] * len(x), "t": time_ms, "x": x, "y": y})


def recording(
    seed: int, who: str = "p1", page: str = "a", *, hz: float = 500, rests: int = 20
) -> pl.DataFrame:
    """Return the samples of an invented recording, with a little noise, and a pupil that breathes."""
    random = np.random.default_rng(seed)
    time, degrees = positions(scan_of(random, rests), hz, noise_deg=0.01, random=random)
    pupil = 4 + 0.3 * np.sin(time / 900 + seed) + random.normal(0, 0.01, len(time))
    return rows(who, page, time, degrees).with_columns(pl.Series("pupil", pupil))


def read(frame: pl.DataFrame, **options) -> Samples:
    """Return samples of a table."""
    return load_samples(frame, **{"columns": COLUMNS, "screen": SCREEN, "missing": [-1], **options})


def write_study(folder: Path, *, people: int = 12, rests: int = 25, hz: float = 250) -> Path:
    """Write raw.parquet and plan.toml, and return the plan's path."""
    frames = [
        recording(100 * person + number, f"p{person}", page, rests=rests, hz=hz)
        for person in range(people)
        for number, page in enumerate(("a", "b"))
    ]
    pl.concat(frames).write_parquet(folder / "raw.parquet")
    (folder / "plan.toml").write_text(PLAN)
    return folder / "plan.toml"
