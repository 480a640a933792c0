"""A release of 10⁹ records and one of 10⁶ recordings, on paper: what was measured at two sizes, drawn out, and what breaks first.

The build is the real one, watched from outside: seconds of every round of calls, which workers share, and between them, where
noise is drawn in one process; bytes that would travel from workers to there; the most memory. Each grows by the exponent between
the two sizes, if that is above 1, else in proportion; sizes are such that an input has several parts.
"""

from __future__ import annotations

import pickle
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks._limits import Limits
from benchmarks._measure import alone, resident_bytes
from benchmarks._report import Figure, Growth, Limit, Report, Section, exponent, rounded
from synthrelease.building.builder import build_job
from synthrelease.bundle.reading import open_bundle
from synthrelease.numerics.steps import HALF_RANGE
from synthrelease.parallel import Call, OwnProcess
from synthrelease.parallel import run as run_job
from synthrelease.plan.partitions import PART_CELLS

WORK = "on paper: a release of 10⁹ records, and one of 10⁶ recordings"
# Of the calls of a build, those that workers share: the second where all inputs are one partition.
COLLECTING = ("_contributions", "_read_once")
WORKERS, NIGHT_S, MEMORY_GB, GIGABITS = 64, 8 * 3600, 256, 10  # of a cluster that an archive may have
ATTRIBUTES, BINS, ROWS_EACH, FEATURES, STEPS, RECORDINGS_EACH = 52, 16, 10, 10, 1300, 4
HEAD = """
[release]
name = "scale"
version = "1"
title = "Invented"
[privacy]
epsilon = 1.0
delta = 1e-9
"""
INPUT = """
[inputs.data]
kind = "features"
path = "data.parquet"
"""
OUTPUT = '[[outputs]]\nname = "out"\ninput = "data"\n'


@dataclass(frozen=True)
class Case:
    """A kind of release.

    Attributes:
        name: what it is called.
        unit: of its size.
        cells: of the file for each unit.
        sizes: that are measured.
        quick: that a quick run measures.
        paper: the size on paper.
        write: writes data and plan of a size.
        noise: what the noise of a release is worth, and in which unit.
    """

    name: str
    unit: str
    cells: int
    sizes: tuple[int, int]
    quick: tuple[int, int]
    paper: int
    write: Callable[[Path, int], None]
    noise: Callable[[dict[str, Any], Path], tuple[float, str]]


@dataclass
class Watched:
    """A pool of one process that notes how long its calls take, and how large their results are."""

    inner: OwnProcess = field(default_factory=OwnProcess)
    seconds: dict[str, float] = field(default_factory=dict)
    travelled: int = 0
    workers: int = 1

    def submit(self, call: Call, *, local: bool) -> Future[Any]:
        """Make a call."""
        begun = time.perf_counter()
        done = self.inner.submit(call, local=local)
        stage = call.function.__name__
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - begun
        if stage in COLLECTING:
            self.travelled += len(pickle.dumps(done.result(), protocol=5))
        return done

    def check(self) -> None:
        """Find nothing wrong."""

    def close(self) -> None:
        """Do nothing."""


@dataclass(frozen=True)
class Measured:
    """What a build of one size took: seconds that workers share and that they do not, bytes, and how large its noise is."""

    size: int
    shared: float
    alone: float
    travelled: int
    resident: int
    noise: float
    noise_unit: str


def measure(case: int, size: int) -> Measured:
    """Build a release of so many units."""
    one = CASES[case]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        one.write(folder, size)
        pool = Watched()
        begun = time.perf_counter()
        built = run_job(build_job(folder / "plan.toml", folder / "out.h5"), pool)
        taken = time.perf_counter() - begun
        shared = sum(pool.seconds.get(stage, 0.0) for stage in COLLECTING)
        return Measured(
            size,
            shared,
            taken - shared,
            pool.travelled,
            resident_bytes(),
            *one.noise(built.manifest, built.path),
        )


def run(limits: Limits, *, quick: bool = False) -> Report:
    """Measure each case at two sizes, and draw it out."""
    sections, on_paper, growth = [], [], None
    for number, case in enumerate(CASES):
        found = [alone(measure, number, size) for size in (case.quick if quick else case.sizes)]
        rows, first = _drawn_out(case, found)
        noise = f"{rows[4][-1]} {found[1].noise_unit}" if found[1].noise else "–"
        on_paper.append(
            [
                f"{case.name}: {found[0].size:,} and {found[1].size:,} → {case.paper:,}",
                *(row[-1] for row in rows[:4]),
                noise,
                f"{case.cells * case.paper // PART_CELLS:,}",
                first,
            ]
        )
        sections.append(
            Section(
                f"{case.name}: measured at {found[0].size:,} and {found[1].size:,} {case.unit}, extrapolated to {case.paper:,}.",
                ("", f"{found[0].size:,}", f"{found[1].size:,}", "exponent", f"{case.paper:,}"),
                rows,
                on_page=False,
            )
        )
        if growth is None:
            growth = Growth(
                case.unit,
                [one.size for one in found],
                [one.shared + one.alone for one in found],
                [one.resident for one in found],
            )
            largest = found[-1]
    sections.append(
        Section(
            f"Measured at two sizes and extrapolated: {WORKERS} workers; {GIGABITS} Gbit/s into the process that draws the noise, whose "
            "memory this is. The file is sorted by person; otherwise it is read once per part, and would break first.",
            (
                "release",
                f"parallel s, by {WORKERS}",
                "serial s",
                "memory, GB",
                "traffic, GB",
                "noise",
                "parts",
                "first to break",
            ),
            on_paper,
        )
    )
    return Report(
        WORK,
        ("numpy", "polars", "h5py"),
        sections,
        (Figure(largest.shared + largest.alone, f"s for {largest.size:,} {CASES[0].unit}, measured"),),
        largest.shared + largest.alone,
        Limit(
            f"memory, copying what is kept ({largest.travelled:,} bytes)", largest.travelled / limits.memory
        ),
        "A build reads, checks, sorts, tests and verifies; the limit only copies the rows that it keeps.",
        growth=growth,
    )


def _drawn_out(case: Case, found: list[Measured]) -> tuple[list[list[str]], str]:
    """The table of a case, and what breaks first and where."""
    rows, breaks = [], {}
    for what, unit, value, most, divided in (
        ("parallel time", "s", lambda m: m.shared, NIGHT_S, WORKERS),
        ("serial time", "s", lambda m: m.alone, NIGHT_S, 1),
        ("memory where noise is drawn", "GB", lambda m: m.resident / 1e9, MEMORY_GB, 1),
        ("network traffic", "GB", lambda m: m.travelled / 1e9, NIGHT_S * GIGABITS / 8, 1),
    ):
        values = [value(one) / divided for one in found]
        grows = max(1.0, exponent([one.size for one in found], values))
        if unit == "GB":  # what is always there does not grow
            slope = max(values[1] - values[0], 0.0) / (found[1].size - found[0].size)
            on_paper, grows = values[1] + slope * (case.paper - found[1].size), 1.0
            holds = found[1].size + (most - values[1]) / slope if slope > 0 else float("inf")
        else:
            on_paper = values[1] * (case.paper / found[1].size) ** grows
            holds = found[1].size * (most / values[1]) ** (1 / grows)
        label = f"{what}, {unit}" + (f", by {WORKERS}" if divided > 1 else "")
        rows.append([label, *(f"{v:.3g}" for v in values), f"{grows:.2f}", rounded(on_paper)])
        breaks[what] = holds
    if found[0].noise:
        falls = exponent([one.size for one in found], [one.noise for one in found])
        on_paper = found[1].noise * (case.paper / found[1].size) ** falls
        noise = (f"{one.noise:.3g}" for one in found)
        rows.append([f"noise, {found[1].noise_unit}", *noise, f"{falls:.2f}", f"{on_paper:.3g}"])
    first = min(breaks, key=lambda what: breaks[what])
    return rows, f"{first}, at {breaks[first]:.2g} {case.unit}"


def _write_records(folder: Path, rows: int, output: str) -> None:
    rng = np.random.default_rng(rows)
    values = {f"a{n}": rng.integers(0, BINS, rows, dtype=np.int8) for n in range(ATTRIBUTES)}
    people = np.repeat(np.arange(rows // ROWS_EACH, dtype=np.int64), ROWS_EACH)
    pl.DataFrame({"person": people, **values}).write_parquet(folder / "data.parquet")
    bounds = "".join(f"a{n} = [0.0, {BINS - 1}.0]\n" for n in range(ATTRIBUTES))
    columns = 'columns = { person = "person" }\n[inputs.data.bounds]\n'
    (folder / "plan.toml").write_text(f"{HEAD}{INPUT}{columns}{bounds}{OUTPUT}{output}")


def _write_seeded(folder: Path, rows: int) -> None:
    _write_records(
        folder,
        rows,
        f'kind = "records"\nmodel = "seeded"\nbins = {BINS}\nresampled = [{ATTRIBUTES - 1}, {ATTRIBUTES - 2}]\nk = 8\nrows = 10000\n',
    )


def _write_marginals(folder: Path, rows: int) -> None:
    _write_records(
        folder, rows, f'kind = "records"\nmodel = "marginals"\nfit = "dp"\nbins = {BINS}\nrows = 10000\n'
    )


def _write_recordings(folder: Path, recordings: int) -> None:
    people = recordings // RECORDINGS_EACH
    rows = recordings * STEPS
    rng = np.random.default_rng(recordings)
    labels = {
        "person": np.repeat(np.arange(people, dtype=np.int32), RECORDINGS_EACH * STEPS),
        "task": np.tile(np.repeat(np.arange(RECORDINGS_EACH, dtype=np.int8), STEPS), people),
        "t": np.tile(np.arange(STEPS, dtype=np.int16), recordings),
    }
    values = {f"f{n}": rng.integers(-9, 10, rows, dtype=np.int8) for n in range(FEATURES)}
    pl.DataFrame({**labels, **values}).write_parquet(folder / "data.parquet")
    columns = (
        'columns = { person = "person", recording = "task", time = "t" }\nassume_public = ["recordings"]\n'
    )
    bounds = "[inputs.data.bounds]\n" + "".join(f"f{n} = [-9.0, 9.0]\n" for n in range(FEATURES))
    output = f'kind = "signals"\nlength = {STEPS}\n'
    (folder / "plan.toml").write_text(f"{HEAD}{INPUT}{columns}{bounds}{OUTPUT}{output}")


def _no_noise(_manifest: dict[str, Any], _path: Path) -> tuple[float, str]:
    return 0.0, ""  # the model is fitted exactly: the test alone protects


def _noise_of_cells(manifest: dict[str, Any], _path: Path) -> tuple[float, str]:
    (output,) = manifest["outputs"]
    people, deviation = (
        output["mechanism"]["public_inputs"]["people"],
        float(output["noise"]["standard_deviation"]),
    )
    return deviation / HALF_RANGE * BINS / people, "fraction of a mean cell"


def _noise_of_signals(_manifest: dict[str, Any], path: Path) -> tuple[float, str]:
    with_uncertainty = open_bundle(path)["out"]
    values = [array for name, array in with_uncertainty.items() if name.endswith("uncertainty")]
    return float(np.mean(values)), "per step of the mean signal, bounds ± 9"


CASES = (
    Case(
        "seeded records",
        "records",
        ATTRIBUTES + 1,
        (500_000, 2_000_000),
        (10_000, 30_000),
        10**9,
        _write_seeded,
        _no_noise,
    ),
    Case(
        "records of noisy marginals",
        "records",
        ATTRIBUTES + 1,
        (500_000, 2_000_000),
        (10_000, 30_000),
        10**9,
        _write_marginals,
        _noise_of_cells,
    ),
    Case(
        "mean signals",
        "recordings",
        STEPS * (FEATURES + 3),
        (1500, 6000),
        (80, 160),
        10**6,
        _write_recordings,
        _noise_of_signals,
    ),
)
