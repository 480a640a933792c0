"""Gaze in Parquet that is larger than memory: from 10⁷ and 10⁸ samples to noisy heatmaps of 100 stimuli, with two jobs.

Targets at 10⁸ samples: 20 s, and 1 GiB resident in each process. The peer is a bare polars scan that adds up every column of the same
file in the same run.
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
from synthrelease.data.input_spec import InputSpec
from synthrelease.dp.noise import SecureRandom
from synthrelease.kinds.contributions import Sums
from synthrelease.kinds.heatmap.spectral import SpectralHeatmap
from synthrelease.parallel import Call, run_calls
from synthrelease.plan.partitions import Partition, partitions_of, stamp_of
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
JOBS = 2
SECONDS, GIBIBYTES = Target(20.0, at_most=True), Target(1.0, at_most=True)


@dataclass(frozen=True)
class Released:
    """What a release took: seconds of all and of its parts, and the most memory that one process held."""

    seconds: float
    labels: float  # until participants are divided among parts
    reading: float  # of all jobs together
    coefficients: float  # likewise
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
    return Report(
        WORK,
        ("numpy", "polars", "scipy"),
        (
            Section(
                f"From a Parquet file to the arrays of {STIMULI} noisy maps; each row is a process of its own, resident memory "
                "the largest of one. Reading and coefficients: of both jobs together. Sorted by person: recordings concatenated. By stimulus: each participant is all over the file. "
                "Files may come from the page cache.",
                (
                    "samples",
                    "sorted by",
                    "MB on disk",
                    "bare scan, s",
                    "ours, s",
                    "ours/scan",
                    "labels, s",
                    "reading, s",
                    "coefficients, s",
                    "maps, s",
                    "GiB",
                ),
                [_row(one) for one in found],
            ),
        ),
        (
            Figure(slowest.ours.seconds, f"s, sorted by {slowest.order}, {JOBS} jobs", SECONDS),
            Figure(max(one.ours.resident for one in largest) / 2**30, "GiB resident", GIBIBYTES),
        ),
        slowest.ours.seconds,
        limits.least(cache_read=slowest.stored, products=multiply_adds(slowest.samples)),
        f"Of both jobs together, coefficients take {slowest.ours.coefficients:.3g} s, a small matrix product for each person and stimulus, and "
        f"reading by person {slowest.ours.reading:.3g} s: once if the file is sorted by person, otherwise once per part. One process "
        f"reads the labels first ({slowest.ours.labels:.3g} s), and draws the maps ({slowest.ours.maps:.3g} s).",
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
    ours = alone(measure_release, path, people, JOBS)
    stored = path.stat().st_size
    path.unlink()
    return Measured(people * each * STIMULI, order, stored, scan, ours)


def _row(one: Measured) -> list[str]:
    return [
        f"{one.samples:,}",
        one.order,
        f"{one.stored / 1e6:.0f}",
        f"{one.scan:.2f}",
        f"{one.ours.seconds:.1f}",
        f"{one.ours.seconds / one.scan:.0f}",
        f"{one.ours.labels:.1f}",
        f"{one.ours.reading:.1f}",
        f"{one.ours.coefficients:.1f}",
        f"{one.ours.maps:.1f}",
        f"{one.ours.resident / 2**30:.2f}",
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


def measure_release(path: Path, people: int, jobs: int) -> Released:
    """From the file to the arrays of a release; workers are started, too."""
    start = time.perf_counter()
    stimuli = [str(s) for s in range(STIMULI)]
    options = {**defaults("gaze"), "columns": COLUMNS, "screen": asdict(SCREENS[0])}
    spec = InputSpec("gaze", "gaze", path, options)
    mechanism = spectral_heatmap(stimuli, people, CELLS)
    parts = partitions_of(spec, read_facts(path, columns=COLUMNS, listed=stimuli), stamp_of(path))
    divided = time.perf_counter()
    each = run_calls("adding up", [Call(_added_up, (mechanism, part)) for part in parts], jobs)
    sums, reading, adding, resident = zip(*each, strict=True)
    total = functools.reduce(lambda one, other: one.joined(other), sums)
    collected = time.perf_counter()
    made.arrays(mechanism.draw(total, BUDGET, SecureRandom()))
    end = time.perf_counter()
    return Released(
        end - start,
        divided - start,
        sum(reading),
        sum(adding),
        end - collected,
        max(resident_bytes(), *resident),
    )


def _added_up(mechanism: SpectralHeatmap, part: Partition) -> tuple[Sums, float, float, int]:
    """What a worker adds up of some participants, the seconds that reading and adding take, and the most memory so far."""
    start = time.perf_counter()
    gaze = part.read()
    read = time.perf_counter()
    sums = mechanism.collect(gaze)
    return sums, read - start, time.perf_counter() - read, resident_bytes()
