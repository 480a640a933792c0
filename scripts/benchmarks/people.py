"""From a table of windows to a release with a thousand synthetic people, for 11 and 50 features and for more and more participants.

Targets: at most 5 s with 11 features and 30 s with 50, of 500 participants. Beside it a Gaussian copula of the same windows without
privacy and without persons: ranks, correlations and a sample of as many rows.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

import synthrelease
from benchmarks._limits import Limits
from benchmarks._measure import Target, alone, resident_bytes
from benchmarks._report import Figure, Growth, Peer, Report, Section

WORK = "1000 synthetic people of 500 participants with 50 features, from a table"
PEOPLE, DRAWN, RECORDINGS, WINDOWS = 500, 1000, 5, 12
FEW, MANY = 11, 50  # features
SIZES, QUICK_SIZES = (500, 2000, 8000, 32_000), (200, 400)
SECONDS = {FEW: Target(5.0, at_most=True), MANY: Target(30.0, at_most=True)}
_PLAN = """[release]
name = "bench"
version = "1.0.0"
title = "Made-up people"

[privacy]
epsilon = 3.0
delta = 1e-5

[inputs.windows]
kind = "features"
path = "windows.csv"
columns = {{ person = "person", recording = "condition", time = "time" }}
recordings = [{recordings}]
[inputs.windows.bounds]
{bounds}

[[outputs]]
name = "people"
kind = "people"
input = "windows"
people = {drawn}
windows = {windows}
"""


@dataclass(frozen=True)
class Measured:
    """A release of so many participants with so many features."""

    people: int
    features: int
    seconds: float
    bytes: int  # that were resident, libraries included
    copula: float  # seconds


def run(limits: Limits, *, quick: bool = False) -> Report:
    """Build every release in a process of its own."""
    people, *_ = sizes = QUICK_SIZES if quick else SIZES
    cells = [(people, MANY), *((size, FEW) for size in sizes)]
    found = [_measured(*cell) for cell in cells]
    many, few, *_ = found
    return Report(
        WORK,
        ("numpy", "polars", "scipy"),
        (
            Section(
                f"{RECORDINGS} conditions of {WINDOWS} windows for every participant, in a CSV file; {DRAWN} synthetic people. Wall clock, with "
                "loading libraries, and peak of resident memory, libraries included; each in a process of its own.",
                ("participants", "features", "rows", "seconds", "MB", "copula, s", "copula/ours"),
                [
                    [
                        f"{one.people:,}",
                        f"{one.features}",
                        f"{one.people * RECORDINGS * WINDOWS:,}",
                        f"{one.seconds:.2f}",
                        f"{one.bytes / 1e6:.0f}",
                        f"{one.copula:.2f}",
                        f"{one.copula / one.seconds:.2f}",
                    ]
                    for one in found
                ],
            ),
        ),
        tuple(
            Figure(one.seconds, f"s, {one.features} features", SECONDS[one.features]) for one in (many, few)
        ),
        many.seconds,
        limits.least(memory=8 * people * RECORDINGS * WINDOWS * MANY),
        "The limit reads the values once. Ours solves for the population that noisy sums call for, feature by feature and pair by pair, and "
        "checks the bundle that it has written.",
        (Peer("a Gaussian copula of rows, without privacy", many.copula / many.seconds),),
        Growth(
            f"{FEW} features, participants",
            sizes,
            [one.seconds for one in found[1:]],
            [one.bytes for one in found[1:]],
        ),
    )


def _measured(people: int, features: int) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        alone(_write, folder, people, features)
        seconds, size = alone(_build, folder)
        return Measured(people, features, seconds, size, alone(_copula, folder))


def _write(folder: str, people: int, features: int) -> None:
    """Write a plan and its table: every feature with a level of each person and an effect of each condition."""
    random = np.random.default_rng(people + features)
    shape = people, RECORDINGS, WINDOWS, features
    values = random.normal(size=shape) + random.normal(size=(people, 1, 1, features))
    values += 0.3 * random.normal(size=(1, RECORDINGS, 1, features))
    person, condition, window = (place.ravel() for place in np.indices(shape[:3]))
    conditions = [f"condition {r}" for r in range(RECORDINGS)]
    names = [f"feature_{f}" for f in range(features)]
    table = {"person": person, "condition": np.array(conditions)[condition], "time": window}
    table |= {name: np.clip(values[..., f].ravel(), -4, 4).round(4) for f, name in enumerate(names)}
    pl.DataFrame(table).write_csv(Path(folder) / "windows.csv")
    bounds = "\n".join(f"{name} = [-4.0, 4.0]" for name in names)
    recordings = ", ".join(f'"{name}"' for name in conditions)
    plan = _PLAN.format(recordings=recordings, bounds=bounds, drawn=DRAWN, windows=WINDOWS)
    (Path(folder) / "plan.toml").write_text(plan, "utf-8")


def _build(folder: str) -> tuple[float, int]:
    start = time.perf_counter()
    synthrelease.build(Path(folder) / "plan.toml", Path(folder) / "release.h5")
    return time.perf_counter() - start, resident_bytes()


def _copula(folder: str) -> float:
    """Sample as many rows as the synthetic people have: no one can tell whose they are."""
    start = time.perf_counter()
    values = pl.read_csv(Path(folder) / "windows.csv").select(pl.selectors.starts_with("feature_")).to_numpy()
    scores = ndtri(rankdata(values, axis=0) / (len(values) + 1))
    root = np.linalg.cholesky(np.corrcoef(scores, rowvar=False))
    drawn = np.random.default_rng(0).normal(size=(DRAWN * RECORDINGS * WINDOWS, values.shape[1])) @ root.T
    for f, column in enumerate(np.sort(values, axis=0).T):
        drawn[:, f] = np.quantile(column, ndtr(drawn[:, f]))
    return time.perf_counter() - start
