"""From a table of fixations to a release with synthetic scanpaths, for more and more participants.

Target: at most 15 s for 500 participants, 20 stimuli and 300 scanpaths. Beside it a chain of cells that is counted on each stimulus and drawn from, without privacy.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

import synthrelease
from benchmarks._limits import Limits
from benchmarks._measure import Target, alone, resident_bytes
from benchmarks._report import Figure, Growth, Peer, Report, Section

WORK = "300 synthetic scanpaths on 20 stimuli of 500 participants, from a table of fixations"
STIMULI, EACH, DRAWN = 20, 10, 15  # fixations of a trial, and scanpaths of a stimulus
SIZES, QUICK_SIZES = (500, 2000, 8000), (100, 200)
SECONDS = Target(15.0, at_most=True)
WIDTH, HEIGHT, COLUMNS, ROWS = 800, 600, 8, 6
_PLAN = f"""[release]
name = "bench"
version = "1.0.0"
title = "Made-up fixations"

[privacy]
epsilon = 1.0
delta = 1e-5

[inputs.fixations]
kind = "gaze"
path = "fixations.csv"
columns = {{ person = "person", stimulus = "stimulus", x = "x", y = "y", duration = "ms" }}
screen = {{ width_px = {WIDTH}, height_px = {HEIGHT} }}
stimuli = [{", ".join(f'"s{s}"' for s in range(STIMULI))}]
assume_public = ["assignment"]

[[outputs]]
name = "gaze"
kind = "scanpaths"
input = "fixations"
viewing_time_s = 3.0
scanpaths = {DRAWN}
"""


@dataclass(frozen=True)
class Measured:
    """A release of so many participants."""

    people: int
    seconds: float
    bytes: int  # that were resident, libraries included
    counted: float  # seconds of the chain without privacy


def run(limits: Limits, *, quick: bool = False) -> Report:
    """Build every release in a process of its own."""
    sizes = QUICK_SIZES if quick else SIZES
    measured = [_measured(size) for size in sizes]
    first = measured[0]
    return Report(
        WORK,
        ("numpy", "polars", "scipy"),
        (
            Section(
                f"{STIMULI} stimuli, {EACH} fixations on each, in a CSV file; {DRAWN} synthetic scanpaths on each. Wall clock, with loading libraries, and peak of resident memory, "
                "libraries included; each in a process of its own.",
                ("participants", "fixations", "seconds", "MB", "counted chain, s", "counted chain/ours"),
                [
                    [
                        f"{one.people:,}",
                        f"{one.people * STIMULI * EACH:,}",
                        f"{one.seconds:.2f}",
                        f"{one.bytes / 1e6:.0f}",
                        f"{one.counted:.2f}",
                        f"{one.counted / one.seconds:.2f}",
                    ]
                    for one in measured
                ],
            ),
        ),
        (Figure(first.seconds, f"s, {first.people} participants", SECONDS),),
        first.seconds,
        limits.least(memory=8 * 4 * first.people * STIMULI * EACH),
        "The limit reads the fixations once. Ours fits one kernel of movements to all maps, corrects it by simulated scanpaths, and checks the bundle that it has written, for which all is "
        "computed again.",
        (
            Peer(
                f"a chain of {COLUMNS} × {ROWS} cells on each stimulus, without privacy",
                first.counted / first.seconds,
            ),
        ),
        Growth("participants", sizes, [one.seconds for one in measured], [one.bytes for one in measured]),
    )


def _measured(people: int) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        alone(_write, folder, people)
        seconds, size = alone(_build, folder)
        return Measured(people, seconds, size, alone(_counted, folder))


def _write(folder: str, people: int) -> None:
    """Write a plan and its table: people look from one of a few spots of a stimulus to another."""
    random = np.random.default_rng(people)
    person, stimulus, fixation = (place.ravel() for place in np.indices((people, STIMULI, EACH)))
    spots = random.uniform(0.1, 0.9, (STIMULI, 6, 2)) * [WIDTH, HEIGHT]
    at = spots[stimulus, random.integers(0, 6, person.size)] + random.normal(0, 25, (person.size, 2))
    x, y = np.clip(at, 0, [WIDTH - 1, HEIGHT - 1]).T.round(1)
    duration = (random.gamma(4, 60, person.size) + 30).round()
    table = {"person": person, "stimulus": np.char.add("s", stimulus.astype(str)), "x": x, "y": y}
    pl.DataFrame(table | {"ms": duration, "fixation": fixation}).write_csv(Path(folder) / "fixations.csv")
    (Path(folder) / "plan.toml").write_text(_PLAN, "utf-8")


def _build(folder: str) -> tuple[float, int]:
    start = time.perf_counter()
    synthrelease.build(Path(folder) / "plan.toml", Path(folder) / "release.h5")
    return time.perf_counter() - start, resident_bytes()


def _counted(folder: str) -> float:
    """Count moves between cells on each stimulus, and draw as many scanpaths."""
    start = time.perf_counter()
    random, cells = np.random.default_rng(0), COLUMNS * ROWS
    for (_,), rows in pl.read_csv(Path(folder) / "fixations.csv").group_by("stimulus"):
        cell = (
            rows["y"].to_numpy() * ROWS // HEIGHT * COLUMNS + rows["x"].to_numpy() * COLUMNS // WIDTH
        ).astype(int)
        moves = (rows["fixation"].to_numpy()[1:] > 0).nonzero()[0]
        counts = (
            np.bincount(cell[moves] * cells + cell[moves + 1], minlength=cells**2).reshape(cells, cells) + 0.1
        )
        up_to = np.cumsum(counts / counts.sum(axis=1, keepdims=True), axis=1)
        here = random.choice(cell, DRAWN)
        for _ in range(EACH - 1):
            here = (up_to[here] < random.uniform(size=(DRAWN, 1))).sum(axis=1).clip(max=cells - 1)
    return time.perf_counter() - start
