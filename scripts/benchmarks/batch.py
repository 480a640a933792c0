"""A batch of 100 small plans of the sample data: two jobs against one, and with two plans broken and a worker killed on the way.

Target: two jobs at least 1.7 times as fast as one; of the harmed batch 98 bundles, exit code 5 and two reasons. Every batch is a
command of its own, as an operator would start it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from importlib.resources import files
from pathlib import Path

from benchmarks._limits import Limits
from benchmarks._measure import Target
from benchmarks._report import Figure, Limit, Report, Section

WORK = "a batch of 100 small plans, two jobs"
PLANS, BROKEN = 100, (6, 63)
FASTER = Target(1.7, at_most=False)
QUICK_PLANS = 10


def run(_limits: Limits, *, quick: bool = False) -> Report:
    """Run the batch by one job, by two, and by two with faults."""
    number = QUICK_PLANS if quick else PLANS
    broken = [one for one in BROKEN if one < number]
    with tempfile.TemporaryDirectory() as folder:
        plans = write_plans(Path(folder), number)
        alone, _ = timed(plans, Path(folder) / "alone", jobs=1)
        together, _ = timed(plans, Path(folder) / "together", jobs=2)
        for one in broken:
            plans[one].write_text(plans[one].read_text("utf-8").replace("attention.csv.gz", "lost.csv.gz"))
        harmed, told = timed(plans, Path(folder) / "harmed", jobs=2, kill_after=number // 5)
    states = [one["state"] for one in told]
    reasons = [one["reason"] for one in told if one["reason"]]
    kept = states.count("built") == number - len(broken) and len(reasons) == len(broken)
    ratio = alone / together
    return Report(
        WORK,
        ("joblib", "polars", "h5py"),
        (
            Section(
                f"{number} plans of the demonstration's data; every batch is a command of its own. Wall clock.",
                ("", "seconds", "ratio", "target"),
                [
                    ["one job", f"{alone:.1f}", "1.00", "–"],
                    ["two jobs", f"{together:.1f}", f"{ratio:.2f}", FASTER.beside(ratio)],
                    [
                        f"two jobs, {len(broken)} plans broken, a worker killed",
                        f"{harmed:.1f}",
                        f"{alone / harmed:.2f}",
                        f"{states.count('built')} bundles, {len(reasons)} reasons: {'met' if kept else 'MISSED'}",
                    ],
                ],
            ),
        ),
        (
            Figure(together, "s by two jobs"),
            Figure(ratio, "× as fast as one job", FASTER),
            Figure(
                states.count("built"), f"bundles of {number} plans, {len(broken)} broken, a worker killed"
            ),
        ),
        together,
        Limit("one job's time, halved", alone / 2),
        "Two jobs share memory, disk and caches.",
        agreed=kept,
    )


def write_plans(folder: Path, number: int) -> list[Path]:
    """Write the demonstration's data, and its plan under many versions."""
    inside = files("synthrelease.demo")
    for name in ("attention.csv.gz", "distance.csv.gz", "pupil.csv.gz"):
        (folder / name).write_bytes((inside / name).read_bytes())
    plan = (inside / "plan.toml").read_text("utf-8")
    before, _, rest = plan.partition("version = ")
    after = rest[rest.index("\n") :]
    paths = [folder / f"plan-{n:03}.toml" for n in range(number)]
    for n, path in enumerate(paths):
        path.write_text(f'{before}version = "1.0.{n}"{after}', "utf-8")
    return paths


def timed(
    plans: list[Path], out: Path, *, jobs: int, kill_after: int | None = None
) -> tuple[float, list[dict[str, str]]]:
    """Return how long a batch took, and what it says of each plan."""
    command = [sys.executable, "-m", "synthrelease", "--quiet", "batch", *map(str, plans)]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "POLARS_MAX_THREADS"), "1")  # one job is one core too
    start = time.perf_counter()
    running = subprocess.Popen(
        [*command, "--output", str(out), "--jobs", str(jobs), "--json"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **threads},
    )
    if kill_after is not None:
        _kill_a_worker(running, out, kill_after)
    said, _ = running.communicate()
    taken = time.perf_counter() - start
    assert running.returncode == (0 if kill_after is None else 5), running.returncode
    shutil.rmtree(out)
    told: list[dict[str, str]] = json.loads(said)
    return taken, told


def _kill_a_worker(running: subprocess.Popen[str], out: Path, after: int) -> None:
    sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
    from processes import workers

    while len(list(out.glob("*.h5"))) < after:
        time.sleep(0.05)
    os.kill(workers(running.pid)[0], signal.SIGKILL)
