"""Mean, histogram and median against diffprivlib, with the same data and ε. Targets: at most 3 times its time; less with many rows each.

diffprivlib takes each row for a person. With several rows each, its peer is what one has to do to protect people with it: aggregate each
person's rows (polars), then call it. A person's share of a histogram has no such peer.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import made
import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks._diffprivlib import peer_version, seconds_of_statistic
from benchmarks._limits import Limits
from benchmarks._measure import Target, median_seconds, peak_bytes
from benchmarks._report import Figure, Growth, Peer, Report, Section
from synthrelease.data.features import FeatureData
from synthrelease.dp.budget import Budget
from synthrelease.dp.noise import SecureRandom

WORK = "mean, histogram and median of 10⁶ people"
SIZES, QUICK_SIZES = (10_000, 100_000, 1_000_000), (1000, 10_000)
ROWS_EACH = 10
BINS, EPSILON, RUNS = 32, 1.0, 5
AGAINST_ROWS, AGAINST_PEOPLE = Target(3.0, at_most=True), Target(1.0, at_most=True)
PEERS: dict[str, tuple[str, dict[str, Any]]] = {
    "mean": ("mean", {"bounds": [0.0, 1.0]}),
    "histogram": ("histogram", {"bins": BINS, "range": [0.0, 1.0]}),
    "quantile:0.5": ("quantile", {"quant": 0.5, "bounds": [0.0, 1.0]}),
}


@dataclass(frozen=True)
class Measured:
    """One statistic of so many people."""

    people: int
    rows: int  # of each
    statistic: str
    ours: float
    theirs: float
    peak: int


def run(limits: Limits, *, quick: bool = False) -> Report:
    """Time all three at every size."""
    sizes = QUICK_SIZES if quick else SIZES
    found = [one for people in sizes for one in _measured(people, 1)]
    several = _measured(sizes[-1] // ROWS_EACH, ROWS_EACH)
    largest = [one for one in found if one.people == sizes[-1]]
    slowest = max(largest, key=lambda one: one.ours)
    same = [one for one in found if one.statistic == slowest.statistic]
    return Report(
        WORK,
        ("numpy", "scipy"),
        (
            Section(
                f"ε = {EPSILON:g} for each, Laplace noise, bounds [0, 1], {BINS} bins. Processor time, median of {RUNS} runs; peak of "
                f"traced memory. diffprivlib {peer_version()}, in an environment of its own: its noise is added in floating point, "
                "whose last bits can reveal the value below it (Mironov 2012), so its guarantee is weaker than the ε it states.",
                (
                    "statistic",
                    "people",
                    "rows each",
                    "ours, ms",
                    "diffprivlib, ms",
                    "diffprivlib/ours",
                    "peak MB",
                ),
                [
                    [
                        one.statistic,
                        f"{one.people:,}",
                        str(one.rows),
                        f"{1e3 * one.ours:.2f}",
                        f"{1e3 * one.theirs:.2f}",
                        f"{one.theirs / one.ours:.2f}",
                        f"{one.peak / 1e6:.1f}",
                    ]
                    for one in [*found, *several]
                ],
            ),
        ),
        (
            *(Figure(1e3 * one.ours, f"ms, {one.statistic}") for one in largest),
            Figure(
                max(one.ours / one.theirs for one in largest),
                "× the time of diffprivlib, at most",
                AGAINST_ROWS,
            ),
            Figure(
                max(one.ours / one.theirs for one in several),
                f"× that of polars and diffprivlib with {ROWS_EACH} rows each, at most",
                AGAINST_PEOPLE,
            ),
        ),
        slowest.ours,
        limits.least(memory=8 * slowest.people),
        f"The limit reads the values once. Ours ({slowest.statistic}) aggregates the rows of each person before it adds up; "
        "diffprivlib takes every row for a person of its own, and its floating-point noise guarantees less than the ε it states "
        "(Mironov 2012).",
        tuple(Peer(f"diffprivlib ({one.statistic})", one.theirs / one.ours) for one in largest),
        Growth(
            f"{slowest.statistic}, people",
            [one.people for one in same],
            [one.ours for one in same],
            [one.peak for one in same],
        ),
    )


def _measured(people: int, rows: int) -> list[Measured]:
    """Every statistic with so many rows each; with several no histogram, for which there is no peer."""
    values = np.random.default_rng(people).uniform(0, 1, people * rows)
    person = np.repeat(np.arange(people), rows)
    data = FeatureData(
        ("value",), np.array([[0.0, 1.0]]), ("one",), people, person, np.zeros_like(person), values[:, None]
    )
    works = {
        statistic: _release(data, statistic) for statistic in PEERS if rows == 1 or statistic != "histogram"
    }
    ours = median_seconds(works, RUNS, clock=time.process_time)
    means, aggregating = values, 0.0
    if rows > 1:
        frame = pl.DataFrame({"person": person, "value": values})
        mean = pl.col("value").mean()
        aggregate: Callable[[], object] = lambda: frame.group_by("person").agg(mean)  # noqa: E731  two works
        aggregating = median_seconds({"": aggregate}, RUNS, clock=time.process_time)[""]
        means = values.reshape(people, rows).mean(axis=1)
    theirs = _theirs(means)
    return [
        Measured(people, rows, statistic, ours[statistic], aggregating + theirs[statistic], peak_bytes(work))
        for statistic, work in works.items()
    ]


def _release(data: FeatureData, statistic: str) -> Callable[[], object]:
    mechanism = made.statistics((statistic,), bins=BINS, of=data, people=data.people)
    budget, random = Budget(EPSILON, 0.0), SecureRandom()
    return lambda: made.release(mechanism, data, budget, random=random)


def _theirs(values: NDArray[np.float64]) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "values.npy"
        np.save(path, values)
        return {
            statistic: seconds_of_statistic(tool, path, RUNS, epsilon=EPSILON, **more)
            for statistic, (tool, more) in PEERS.items()
        }
