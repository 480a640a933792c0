"""What newcomers wait for: `--help`, `demo`, `init` of two million rows, `preview`, `verify` and `evaluate`, of the wheel as it is installed.

Targets: help within 0.1 s, the demonstration within 4 s, `init` of two million rows in CSV within 3 s, `preview` of the demonstration within
1 s, its `verify` within 1.5 s, its `evaluate` within 15 s, and `evaluate` of 42 million rows within 2 minutes and 1 GiB.
"""

from __future__ import annotations

import re
import resource
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks._environment import built_wheel, fresh_environment
from benchmarks._limits import Limits
from benchmarks._measure import Target, alone, median_seconds
from benchmarks._report import Figure, Growth, Limit, Peer, Report, Section
from benchmarks.samples import STIMULI, write_samples

WORK = (
    "first contact: `--help`, `demo`, `init` of 2·10⁶ rows, `preview`, `verify`, `evaluate` of 4.2·10⁷ rows"
)
RUNS, HELP_RUNS = 3, 9
ROWS, QUICK_ROWS = 2_000_000, 100_000  # of the table that `init` reads
PEOPLE, QUICK_PEOPLE = (
    (42, 420),
    (10, 20),
)  # whose gaze `evaluate` reads, of so many samples on each stimulus:
SAMPLES, QUICK_SAMPLES = 1000, 100
TARGETS = {
    name: Target(bound, at_most=True)
    for name, bound in {
        "--help": 0.1,
        "demo, first run": 4.0,
        "demo": 4.0,
        "init": 3.0,
        "preview": 1.0,
        "verify": 1.5,
        "evaluate": 15.0,
        "evaluate, large": 120.0,
    }.items()
}
GIBIBYTES = Target(1.0, at_most=True)
PLAN = """
[release]
name = "large"
version = "1.0.0"
title = "Random walks"
[privacy]
epsilon = 1.0
delta = 1e-6
[inputs.gaze]
kind = "gaze"
path = "person.parquet"
columns = {{ person = "person", stimulus = "stimulus", x = "x_px", y = "y_px" }}
screen = {{ width_px = 800, height_px = 600 }}
stimuli = {stimuli}
assume_public = ["assignment"]
[[outputs]]
name = "attention"
kind = "heatmap"
input = "gaze"
"""
_OWN_MICROSECONDS = re.compile(r"^import time:\s*(\d+) \|", re.MULTILINE)


@dataclass(frozen=True)
class Evaluated:
    """An evaluation of so many rows: its seconds, and the most memory that one process had resident."""

    rows: int
    seconds: float
    resident: int


def run(_limits: Limits, *, quick: bool = False) -> Report:
    """Build the wheel of this checkout, install it, and run its commands."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = built_wheel(Path(__file__).parents[2], folder)
        programs = fresh_environment(folder / "environment", f"{wheel}[evaluate]")
        program = str(programs / "synthrelease")
        runs = 1 if quick else RUNS
        seconds = _small(program, folder, runs)
        reading = _init(program, folder, seconds, rows=QUICK_ROWS if quick else ROWS, runs=runs)
        each = QUICK_SAMPLES if quick else SAMPLES
        evaluated = [
            _large(program, folder / str(people), people, each)
            for people in (QUICK_PEOPLE if quick else PEOPLE)
        ]
        seconds["evaluate, large"] = evaluated[-1].seconds
        traced = [str(programs / "python"), "-X", "importtime", "-m", "synthrelease"]
        traced += ["demo", "-o", str(folder / "traced")]
        loading = sum(map(int, _OWN_MICROSECONDS.findall(_printed(traced)))) / 1e6
    resident = evaluated[-1].resident / 2**30
    names = {
        **{step: step for step in TARGETS},
        "init": f"init of {QUICK_ROWS if quick else ROWS:,} rows",
        "evaluate, large": f"evaluate of {evaluated[-1].rows:,} rows",
    }
    return Report(
        WORK,
        ("numpy", "scipy", "polars", "h5py", "matplotlib"),
        (
            Section(
                "The wheel of this checkout with `[evaluate]`, installed by pip into a fresh environment. Wall clock; the first run after "
                f"installing, then medians of {runs} runs more, of `--help` of {HELP_RUNS}, of the large evaluation one. `preview`, `verify` and "
                "`evaluate` are those of the demonstration.",
                ("", "seconds", "target"),
                [
                    [names[step], f"{seconds[step]:.3g}", TARGETS[step].beside(seconds[step])]
                    for step in TARGETS
                ]
                + [["loading the modules that demo uses", f"{loading:.3g}", "–"]],
            ),
        ),
        (
            *(Figure(seconds[step], f"s, {names[step]}", target) for step, target in TARGETS.items()),
            Figure(resident, "GiB resident to evaluate that", GIBIBYTES),
        ),
        seconds["demo"],
        Limit("loading the modules that `demo` uses", loading),
        f"To load modules takes {loading:.2g} s of `demo`; the rest is calibration, the release itself, figures, and verification.",
        (Peer("polars, which only reads the table of `init`", reading / seconds["init"]),),
        Growth(
            "rows that are evaluated",
            [one.rows for one in evaluated],
            [one.seconds for one in evaluated],
            [one.resident for one in evaluated],
        ),
    )


def _small(program: str, folder: Path, runs: int) -> dict[str, float]:
    """Seconds of what needs no other data than the demonstration's."""
    demo = folder / "demo"
    making = [program, "demo", "-o", str(demo), "--force"]
    start = time.perf_counter()
    _printed(making)
    first = time.perf_counter() - start
    commands = {
        "demo": making,
        "preview": [program, "preview", str(demo / "plan.toml")],
        "verify": [program, "verify", str(demo / "release.h5")],
        "evaluate": [
            *(program, "evaluate", str(demo / "plan.toml"), str(demo / "release.h5")),
            *("-o", str(folder / "evaluation.html"), "--force"),
        ],
    }
    return {
        "demo, first run": first,
        **median_seconds({"--help": lambda: _printed([program, "--help"])}, HELP_RUNS),
        **median_seconds(
            {step: lambda command=command: _printed(command) for step, command in commands.items()}, runs
        ),
    }


def _init(program: str, folder: Path, seconds: dict[str, float], *, rows: int, runs: int) -> float:
    """Add the seconds of `init` of so many rows to the others; return those that polars needs to read them."""
    table, plan = folder / "samples.csv", folder / "drafted.toml"
    _write_table(table, rows)
    command = [program, "init", str(table), "--person", "participant", "-o", str(plan), "--force"]
    works = {"init": lambda: _printed(command), "polars": lambda: pl.read_csv(table)}
    found = median_seconds(works, runs)
    seconds["init"] = found["init"]
    table.unlink()
    return found["polars"]


def _write_table(path: Path, rows: int) -> None:
    """A table of samples of 50 people on 40 images, as an eye tracker's export has them."""
    rng = np.random.default_rng(1)
    each = rows // 2000
    number = np.arange(each * 2000)
    frame = pl.DataFrame(
        {
            "participant": number // (40 * each),
            "image": number // each % 40,
            "time_ms": number % each * 4.0,
            "x_px": rng.normal(400, 120, len(number)).round(2),
            "y_px": rng.normal(300, 90, len(number)).round(2),
            "pupil_mm": rng.normal(3.5, 0.4, len(number)).round(3),
        }
    )
    labels = pl.format("P{}", "participant").alias("participant"), pl.format("{}.jpg", "image").alias("image")
    frame.with_columns(labels).write_csv(path)


def _large(program: str, folder: Path, people: int, each: int) -> Evaluated:
    """Release the maps of gaze of so many people, and evaluate them."""
    folder.mkdir()
    write_samples(folder / "person.parquet", people, each, "person")
    plan, bundle = str(folder / "plan.toml"), str(folder / "release.h5")
    Path(plan).write_text(PLAN.format(stimuli=[str(number) for number in range(STIMULI)]))
    _printed([program, "build", plan, "-o", bundle, "--yes"])
    command = [program, "evaluate", plan, bundle, "-o", str(folder / "evaluation.html")]
    seconds, resident = alone(measure_command, command)
    (folder / "person.parquet").unlink()
    return Evaluated(people * each * STIMULI, seconds, resident)


def measure_command(command: list[str]) -> tuple[float, int]:
    """Seconds of a command, and the most bytes that it had resident: the only child of the process that this is called in."""
    start = time.perf_counter()
    _printed(command)
    seconds = time.perf_counter() - start
    return seconds, 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


def _printed(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stderr
