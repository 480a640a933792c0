"""Gaze in Parquet that is larger than memory: from 10⁷ and 10⁸ samples to noisy heatmaps of 100 stimuli.

Target: 2 GiB resident at 10⁸ samples. The peer is a bare polars scan that adds up every column of the same file in the same run.
"""

from __future__ import annotations

import functools
import shutil
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import made
import numpy as np
import polars as pl

from benchmarks._limits import Limits
from benchmarks._measure import Target, alone, resident_bytes
from benchmarks._report import Figure, Growth, Peer, Report, Section
from benchmarks.heatmap import BUDGET, SCREENS, multiply_adds, spectral_heatmap
from synthrelease.data.facts import read_facts
from synthrelease.data.gaze import Gaze
from synthrelease.data.input_spec import InputSpec
from synthrelease.dp.noise import SecureRandom
from synthrelease.kinds.contributions import Sums
from synthrelease.plan.partitions import partitions_of, stamp_of
from synthrelease.plan.plan import defaults

WORK = "10⁸ gaze samples in Parquet → heatmaps of 100 stimuli"
STIMULI, CELLS = 100, (100, 134)
SIZES = {  # samples: people, samples of each on each stimulus
    10_000_000: (200, 500),
    100_000_000: (1000, 1000),
}
QUICK_SIZES = {300_000: (30, 100), 1_000_000: (50, 200)}
ORDERS = ("person", "stimulus")
COLUMNS = {"person": "person", "stimulus": "stimulus", "x": "x_px", "y": "y_px"}
GIBIBYTES = Target(2.0, at_most=True)


@dataclass(frozen=True)
class Released:
    """What a child process found of a release: seconds of all and of its parts, and the most memory."""

    seconds: float
    coefficients: float
    maps: float
    resident: int


@dataclass(frozen=True)
class Measured:
    """What was found for a size and an order of rows."""

    samples: int
    order: str
    stored: int
    scan: float
    ours: Released


def run(limits: Limits, *, quick: bool = False) -> Report:
    """Write each file, scan it, and make its release."""
    sizes = QUICK_SIZES if quick else SIZES
    with tempfile.TemporaryDirectory() as folder:
        found = [
            _measured(Path(folder), people, each, order)
            for people, each in sizes.values()
            for order in ORDERS
        ]
    largest = [one for one in found if one.samples == max(sizes)]
    slowest = max(largest, key=lambda one: one.ours.seconds)
    same = [one for one in found if one.order == slowest.order]
    rest = slowest.ours.seconds - slowest.ours.coefficients - slowest.ours.maps
    return Report(
        WORK,
        ("numpy", "polars", "scipy"),
        (
            Section(
                f"From a Parquet file to the arrays of {STIMULI} noisy maps; each row is a process of its own, resident memory "
                "its peak. Sorted by person: recordings concatenated. By stimulus: each participant is all over the file. "
                "Files may come from the page cache.",
                (
                    "samples",
                    "sorted by",
                    "MB on disk",
                    "bare scan, s",
                    "ours, s",
                    "ours/scan",
                    "coefficients, s",
                    "maps, s",
                    "GiB",
                    "target",
                ),
                [_row(one, judged=one in largest) for one in found],
            ),
        ),
        (
            Figure(slowest.ours.seconds, f"s, sorted by {slowest.order}"),
            Figure(max(one.ours.resident for one in largest) / 2**30, "GiB resident", GIBIBYTES),
        ),
        slowest.ours.seconds,
        limits.least(cache_read=slowest.stored, products=multiply_adds(slowest.samples)),
        f"Coefficients take {slowest.ours.coefficients:.3g} s: a small matrix product for each person and stimulus. Reading, sorting and "
        f"grouping by person take {rest:.3g} s: the file is read once if it is sorted by person, otherwise once per part.",
        (Peer("a bare polars scan of the file", slowest.scan / slowest.ours.seconds),),
        Growth(
            "samples",
            [one.samples for one in same],
            [one.ours.seconds for one in same],
            [one.ours.resident for one in same],
        ),
    )


def _measured(folder: Path, people: int, each: int, order: str) -> Measured:
    path = folder / f"{order}.parquet"
    write_samples(path, people, each, order)
    scan = alone(measure_scan, path)
    ours = alone(measure_release, path, people)
    stored = path.stat().st_size
    path.unlink()
    return Measured(people * each * STIMULI, order, stored, scan, ours)


def _row(one: Measured, *, judged: bool) -> list[str]:
    gibibytes = one.ours.resident / 2**30
    return [
        f"{one.samples:,}",
        one.order,
        f"{one.stored / 1e6:.0f}",
        f"{one.scan:.2f}",
        f"{one.ours.seconds:.1f}",
        f"{one.ours.seconds / one.scan:.0f}",
        f"{one.ours.coefficients:.1f}",
        f"{one.ours.maps:.1f}",
        f"{gibibytes:.2f}",
        GIBIBYTES.beside(gibibytes) if judged else "–",
    ]


def write_samples(path: Path, people: int, each: int, order: str) -> None:
    """Write people's random walks over every stimulus, a person (or a stimulus) after the other."""
    outer, inner = (people, STIMULI) if order == "person" else (STIMULI, people)
    pieces = path.with_suffix("")
    pieces.mkdir()
    for number in range(outer):
        rng = np.random.default_rng([number, order == "person"])
        steps = rng.normal(0, 8, (inner, each, 2)).cumsum(axis=1) + rng.uniform(150, 450, (inner, 1, 2))
        at = (
            np.abs((steps % 1200) - 600).reshape(-1, 2).astype(np.float32)
        )  # reflected at the edges of 600 px
        other = pl.Series(np.repeat(np.arange(inner), each)).cast(pl.String)
        same = pl.repeat(str(number), inner * each, eager=True)
        person, stimulus = (same, other) if order == "person" else (other, same)
        frame = pl.DataFrame({"person": person, "stimulus": stimulus, "x_px": at[:, 0], "y_px": at[:, 1]})
        frame.write_parquet(pieces / f"{number:05}.parquet")
    pl.scan_parquet(sorted(pieces.iterdir())).sink_parquet(path, row_group_size=1 << 18)
    shutil.rmtree(pieces)


def measure_scan(path: Path) -> float:
    """Add up every column, as cheaply as the library can, and return the seconds."""
    start = time.perf_counter()
    labels = pl.col("person", "stimulus").str.len_bytes().sum()
    pl.scan_parquet(path).select(labels, pl.col("x_px", "y_px").sum()).collect(engine="streaming")
    return time.perf_counter() - start


def measure_release(path: Path, people: int) -> Released:
    """From the file to the arrays of a release."""
    start = time.perf_counter()
    stimuli = [str(s) for s in range(STIMULI)]
    options = {**defaults("gaze"), "columns": COLUMNS, "screen": asdict(SCREENS[0])}
    spec = InputSpec("gaze", "gaze", path, options)
    mechanism = spectral_heatmap(stimuli, people, CELLS)
    adding: list[float] = []

    def timed(gaze: Gaze) -> Sums:
        begun = time.perf_counter()
        sums = mechanism.collect(gaze)
        adding.append(time.perf_counter() - begun)
        return sums

    parts = partitions_of(spec, read_facts(path, columns=COLUMNS, listed=stimuli), stamp_of(path))
    each = (timed(part.read()) for part in parts)
    total = functools.reduce(lambda one, other: one.joined(other), each)
    collected = time.perf_counter()
    made.arrays(mechanism.draw(total, BUDGET, SecureRandom()))
    end = time.perf_counter()
    return Released(end - start, sum(adding), end - collected, resident_bytes())
