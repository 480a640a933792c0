"""The fifteen minutes of someone with a real study: init, preview, dry run, build, verify, report, evaluate, of the public data sets.

`scripts/bench user DATA`, DATA being a folder with osie and ier2023_vr_pupil (see scripts/reproduce). Each step is the command in a
process of its own, as a user runs it; what is to be filled in after `init` is filled in by this program. Peers do what they can of a step:
polars, NumPy, h5py and SDV's Gaussian copula without privacy; diffprivlib, OpenDP and dpmm with less than ours, which protect rows and not people.

Targets: init 3 s, preview 1 s, verify 1.5 s, evaluate 15 s.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

import h5py
import numpy as np
import opendp.prelude as dp
import polars as pl
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from benchmarks._diffprivlib import peer_version, seconds_of_statistic
from benchmarks._measure import Target, machine, print_table
from benchmarks._people_modes import Table
from benchmarks._people_peers import PEERS, Environments, NoResultError, Peer

TARGETS = {
    name: Target(bound, at_most=True)
    for name, bound in {"init": 3.0, "preview": 1.0, "verify": 1.5, "evaluate": 15.0}.items()
}
OSIE, IER = "osie/fixations_tidy.csv.gz", "ier2023_vr_pupil/features_10s_0p5s.csv.gz"
FEATURES = {
    "pupil_l_mean_mm": (1.5, 8.0),
    "openness_mean": (0.0, 1.0),
    "openness_sd": (0.0, 0.5),
    "blink_rate_hz": (0.0, 2.0),
}
BINS, ROWS, PEER_LIMIT_S = 16, 1000, 120
COPULA = Peer("SDV's Gaussian copula", "copulas-gaussian", "copulas")
PEER_EPSILON = 0.1  # of each statistic
HEAD = """
[release]
name = "study"
version = "1.0.0"
title = "A study"
[privacy]
epsilon = 3.0
delta = 1e-6
"""
GAZE = """
[inputs.gaze]
kind = "gaze"
path = "{path}"
columns = {{ person = "observer", stimulus = "image", x = "x_px", y = "y_px", duration = "duration_ms" }}
screen = {{ width_px = 800, height_px = 600 }}
off_screen = "drop"
assume_public = ["stimuli", "assignment"]
[[outputs]]
name = "attention"
kind = "heatmap"
input = "gaze"
"""
WINDOWS = """
[inputs.windows]
kind = "features"
path = "{path}"
columns = {{ person = "participant", recording = "condition", time = "window" }}
recordings = ["arithmetic", "combined", "control", "noise", "npc"]
bounds = {{ {bounds} }}
[[outputs]]
name = "summary"
kind = "statistics"
input = "windows"
statistics = ["mean", "histogram"]
[[outputs]]
name = "records"
kind = "records"
input = "windows"
model = "seeded"
task = "recording"
bins = 8
resampled = 2
k = 8
gamma = 4
rows = {rows}
"""
# Runs a command and says where its time went: until it began, in readers of tables, in checking a bundle.
TRACED = """
import json, sys, time
spent = {"reading": 0.0, "checking": 0.0}
def timed(what, function):
    def call(*arguments, **more):
        start = time.perf_counter()
        try:
            return function(*arguments, **more)
        finally:
            spent[what] += time.perf_counter() - start
    return call
def timed_rows(function):
    def rows(*arguments, **more):
        pieces = iter(function(*arguments, **more))
        while True:
            start = time.perf_counter()
            piece = next(pieces, None)
            spent["reading"] += time.perf_counter() - start
            if piece is None:
                return
            yield piece
    return rows
from synthrelease.cli import main
from synthrelease.data.readers.delimited import Delimited
from synthrelease.bundle import verification
Delimited.slices = timed_rows(Delimited.slices)
verification._Checker.ask = timed("checking", verification._Checker.ask)
code = 0
try:
    main(sys.argv[2:])
except SystemExit as ended:
    code = ended.code or 0
loaded = [name for name in sys.modules if not name.startswith("__")]
with open(sys.argv[1], "w") as file:
    json.dump({**spent, "modules": loaded}, file)
sys.exit(code)
"""
IMPORTING = """
import importlib, json, sys
for name in json.load(open(sys.argv[1]))["modules"]:
    try:
        importlib.import_module(name)
    except Exception:
        pass
"""


@dataclass(frozen=True)
class Step:
    """A command of the story."""

    name: str
    seconds: float
    starting: float  # of these, until all that it uses is loaded
    reading: float
    checking: float

    @property
    def rest(self) -> float:
        """What is left: arithmetic, noise, writing, drawing."""
        return max(self.seconds - self.starting - self.reading - self.checking, 0.0)


@dataclass(frozen=True)
class Study:
    """A study, and what `init` is given and what has to be filled in."""

    name: str
    data: str
    init: tuple[str, ...]
    plan: str


STUDIES = (
    Study("osie: 98 000 fixations of 15 people on 700 images", OSIE, ("--person", "observer"), GAZE),
    Study(
        "ier2023: 7 000 windows of 24 people, 4 features",
        IER,
        ("--person", "participant", "--recording", "condition"),
        WINDOWS,
    ),
)


def main(arguments: Sequence[str]) -> int:
    """Live through both studies and print the table; 1 if a target is missed."""
    parser = argparse.ArgumentParser(prog="scripts/bench user", description=__doc__)
    parser.add_argument("data", type=Path, metavar="DATA", help="folder with the public data sets")
    parser.add_argument(
        "--environments", type=Path, help="folder that keeps the peers' environments (default: a fresh one)"
    )
    chosen = parser.parse_args(arguments)
    print(machine("numpy", "polars", "h5py"), "\n")
    missed, total = [], 0.0
    for study in STUDIES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            steps = story(study, chosen.data.resolve(), folder)
            environments = chosen.environments or folder / "peers"
            peers = _PEERS[study.data](chosen.data / study.data, folder, environments)
        total += sum(step.seconds for step in steps)
        rows = []
        for step in steps:
            target = TARGETS.get(step.name)
            missed += [f"{step.name} of {study.name}"] if target and not target.met(step.seconds) else []
            shares = (step.starting, step.reading, step.rest, step.checking)
            rows.append(
                [
                    step.name,
                    f"{step.seconds:.2f}",
                    *(f"{share:.2f}" for share in shares),
                    target.beside(step.seconds) if target else "–",
                    peers.get(step.name, "–"),
                ]
            )
        print(f"{study.name}\n")
        print_table(
            ("step", "s", "start-up", "reading", "arithmetic", "checking", "target", "peers, s"), rows
        )
        print(f"\nall steps: {sum(step.seconds for step in steps):.1f} s\n")
    print(f"Both stories: {total / 60:.1f} of fifteen minutes are the machine's.")
    print("Missed: " + "; ".join(missed) + "." if missed else "All targets met.")
    return 1 if missed else 0


def story(study: Study, data: Path, folder: Path) -> list[Step]:
    """Run every step, as a user does, one after the other."""
    plan, bundle = folder / "plan.toml", folder / "release.h5"
    bounds = ", ".join(f"{name} = [{low}, {high}]" for name, (low, high) in FEATURES.items())
    steps = [_step("init", folder, "init", data / study.data, *study.init, "-o", plan, "--force")]
    plan.write_text(HEAD + study.plan.format(path=data / study.data, bounds=bounds, rows=ROWS))
    build = "build", plan, "-o", bundle, "--force"
    return [
        *steps,
        _step("preview", folder, "preview", plan),
        _step("dry run", folder, *build, "--dry-run"),
        _step("build", folder, *build, "--yes"),
        _step("verify", folder, "verify", bundle),
        _step("report", folder, "report", bundle, "-o", folder / "report.html", "--force"),
        _step("evaluate", folder, "evaluate", plan, bundle, "-o", folder / "evaluation.html", "--force"),
    ]


def _step(name: str, folder: Path, *command: object) -> Step:
    """Run a command as it is; again, to see where its time goes; and load once more what it has loaded."""
    words, traced = list(map(str, command)), folder / "traced.json"
    seconds = _seconds([sys.executable, "-m", "synthrelease", *words])
    _seconds([sys.executable, "-c", TRACED, str(traced), *words])
    starting = _seconds([sys.executable, "-c", IMPORTING, str(traced)])
    spent = json.loads(traced.read_text())
    return Step(name, seconds, min(starting, seconds), spent["reading"], spent["checking"])


def _seconds(command: list[str]) -> float:
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"a step failed:\n{done.stderr}")
    return seconds


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _peers_of_maps(data: Path, folder: Path, _environments: Path) -> dict[str, str]:
    """A table and 700 blurred maps without privacy; and the values of our bundle, read and not checked."""
    path = folder / "maps.h5"

    def build() -> None:
        fixations = pl.read_csv(data)
        with h5py.File(path, "w") as file:
            for (image,), rows in fixations.group_by("image"):
                shape, span = (600, 800), ((0, 600), (0, 800))
                counts = np.histogram2d(rows["y_px"], rows["x_px"], shape, span)[0]
                file.create_dataset(
                    str(image), data=gaussian_filter(counts, 24).astype(np.float32), compression="gzip"
                )

    return {
        "init": f"polars, reading: {_timed(lambda: pl.read_csv(data)):.2f}",
        "build": f"NumPy and h5py, no privacy: {_timed(build):.1f}",
        "verify": f"h5py, reading: {_timed(lambda: _read(folder / 'release.h5')):.2f}",
    }


def _peers_of_windows(data: Path, folder: Path, environments: Path) -> dict[str, str]:
    """The mean and the histogram of each feature by diffprivlib and OpenDP, records by dpmm, which protect rows and need bounds as we do, and by a copula."""
    frame = pl.read_csv(data)
    values, by_diffprivlib, by_opendp = folder / "values.npy", 0.0, 0.0
    numbers = []
    for feature, (low, high) in FEATURES.items():
        column = np.clip(frame[feature].drop_nulls().to_numpy(), low, high)
        np.save(values, column)
        bins = {"bins": BINS, "range": [low, high]}
        by_diffprivlib += seconds_of_statistic("mean", values, 3, epsilon=PEER_EPSILON, bounds=[low, high])
        by_diffprivlib += seconds_of_statistic("histogram", values, 3, epsilon=PEER_EPSILON, **bins)
        by_opendp += _timed(partial(_opendp_statistics, column, (low, high)))
        binned = (frame[feature].fill_null(low).to_numpy() - low) / (high - low) * BINS
        numbers.append(np.clip(binned.astype(np.int64), 0, BINS - 1))
    table = Table(np.stack(numbers, axis=1), np.full(len(FEATURES), BINS))
    records = {}
    for peer in (next(one for one in PEERS if one.method == "dpmm-mst"), COPULA):
        try:
            made = Environments(environments).run(
                peer, table, (3.0, 1e-6), rows=ROWS, seed=1, limit_s=PEER_LIMIT_S
            )
            records[peer.version] = f"{made.seconds:.1f}"
        except NoResultError as error:
            records[peer.version] = str(error)
    (dpmm, by_dpmm), (copula, by_copula) = records.items()
    return {
        "init": f"polars, reading: {_timed(lambda: pl.read_csv(data)):.2f}",
        "build": f"of rows: diffprivlib {peer_version()} {by_diffprivlib:.2f}, OpenDP {version('opendp')} {by_opendp:.2f}, "
        f"{dpmm} {by_dpmm}; no privacy: {copula} (SDV's) {by_copula}",
        "verify": f"h5py, reading: {_timed(lambda: _read(folder / 'release.h5')):.2f}",
    }


def _opendp_statistics(column: NDArray[np.float64], bounds: tuple[float, float]) -> None:
    """A mean and a histogram of rows, of which there are publicly so many."""
    dp.enable_features("contrib")
    values, edges = column.tolist(), np.linspace(*bounds, BINS + 1)[1:-1].tolist()
    bounded = dp.vector_domain(dp.atom_domain(bounds=bounds, nan=False), size=len(values))
    scale = (bounds[1] - bounds[0]) / len(values) / PEER_EPSILON
    ((bounded, dp.symmetric_distance()) >> dp.t.then_mean() >> dp.m.then_laplace(scale=scale))(values)
    numbers = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
    counted = dp.t.then_count_by_categories(list(range(BINS)), null_category=False)
    (numbers >> dp.t.then_find_bin(edges) >> counted >> dp.m.then_laplace(scale=2 / PEER_EPSILON))(values)


def _read(bundle: Path) -> None:
    def read(_name: str, item: object) -> None:  # None goes on
        if isinstance(item, h5py.Dataset):
            item[()]

    with h5py.File(bundle) as file:
        file.visititems(read)


_PEERS = {OSIE: _peers_of_maps, IER: _peers_of_windows}
