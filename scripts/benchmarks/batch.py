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

from benchmarks._measure import Target, machine, print_table

PLANS, BROKEN = 100, (17, 63)
FASTER = Target(1.7, at_most=False)
KILL_AFTER = 20  # bundles


def run() -> bool:
    """Print the table; return whether the targets were met."""
    print(machine("joblib", "polars", "h5py"))
    with tempfile.TemporaryDirectory() as folder:
        plans = write_plans(Path(folder))
        alone, _ = timed(plans, Path(folder) / "alone", jobs=1)
        together, _ = timed(plans, Path(folder) / "together", jobs=2)
        for number in BROKEN:
            plans[number].write_text(
                plans[number].read_text("utf-8").replace("attention.csv.gz", "lost.csv.gz")
            )
        harmed, told = timed(plans, Path(folder) / "harmed", jobs=2, kill=True)
    states = [one["state"] for one in told]
    reasons = [one["reason"] for one in told if one["reason"]]
    kept = states.count("built") == PLANS - len(BROKEN) and len(reasons) == len(BROKEN)
    print_table(
        ["100 plans of the demonstration's data", "seconds", "ratio", "target"],
        [
            ["one job", f"{alone:.1f}", "1.00", ""],
            ["two jobs", f"{together:.1f}", f"{alone / together:.2f}", FASTER.beside(alone / together)],
            [
                "two jobs, two plans broken, a worker killed",
                f"{harmed:.1f}",
                f"{alone / harmed:.2f}",
                f"{states.count('built')} bundles, {len(reasons)} reasons: {'met' if kept else 'MISSED'}",
            ],
        ],
    )
    return FASTER.met(alone / together) and kept


def write_plans(folder: Path) -> list[Path]:
    """Write the demonstration's data, and its plan under many versions."""
    inside = files("synthrelease.demo")
    for name in ("attention.csv.gz", "pupil.csv.gz"):
        (folder / name).write_bytes((inside / name).read_bytes())
    plan = (inside / "plan.toml").read_text("utf-8")
    before, _, rest = plan.partition("version = ")
    after = rest[rest.index("\n") :]
    paths = [folder / f"plan-{n:03}.toml" for n in range(PLANS)]
    for n, path in enumerate(paths):
        path.write_text(f'{before}version = "1.0.{n}"{after}', "utf-8")
    return paths


def timed(
    plans: list[Path], out: Path, *, jobs: int, kill: bool = False
) -> tuple[float, list[dict[str, str]]]:
    """Return how long a batch took, and what it says of each plan."""
    command = [sys.executable, "-m", "synthrelease", "--quiet", "batch", *map(str, plans)]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "POLARS_MAX_THREADS"), "1")  # one job is one core too
    start = time.perf_counter()
    running = subprocess.Popen(
        [*command, "--out-dir", str(out), "--jobs", str(jobs), "--json"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **threads},
    )
    if kill:
        _kill_a_worker(running, out)
    said, _ = running.communicate()
    taken = time.perf_counter() - start
    assert running.returncode == (5 if kill else 0), running.returncode
    shutil.rmtree(out)
    told: list[dict[str, str]] = json.loads(said)
    return taken, told


def _kill_a_worker(running: subprocess.Popen[str], out: Path) -> None:
    sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
    from processes import workers

    while len(list(out.glob("*.h5"))) < KILL_AFTER:
        time.sleep(0.05)
    os.kill(workers(running.pid)[0], signal.SIGKILL)
