"""How soon the studio answers: its first page, every position of the slider, and what it holds in memory meanwhile.

Targets: first page within 1.5 s of the command, each position of the slider within 0.3 s when it is reached for the first time, with 4 outputs of
Gaussian and Laplace noise and of private choices on 60 stimuli; 250 MB resident when it has shown its first page.
The peer is `synthrelease preview` of the same plan, which has the figures of one position.
"""

from __future__ import annotations

import argparse
import http.cookiejar
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks._measure import Target, machine, print_table
from synthrelease.studio.budget import STEPS

FIRST_PAGE, SLIDER, MEMORY = (Target(bound, at_most=True) for bound in (1.5, 0.3, 250.0))  # s, s, MB
STIMULI = (15, 60, 240)
PEOPLE, FIXATIONS, FEATURES, TARGETED = 100, 4, 20, 60
PLAN = """
release = {{ name = "four", version = "1.0.0", title = "Four outputs" }}
privacy = {{ epsilon = 2.0, delta = 1e-6 }}
[inputs.gaze]
kind = "gaze"
path = "gaze.csv"
columns = {{ person = "who", stimulus = "image", x = "x", y = "y", duration = "ms" }}
screen = {{ width_px = 800, height_px = 600 }}
stimuli = {stimuli}
[inputs.features]
kind = "features"
path = "features.csv"
columns = {{ person = "who", recording = "rec" }}
recordings = ["r"]
bounds = {{ {bounds} }}
[[outputs]]
name = "maps"
kind = "heatmap"
input = "gaze"
[[outputs]]
name = "pixels"
kind = "heatmap"
mechanism = "gaussian"
input = "gaze"
[[outputs]]
name = "numbers"
kind = "statistics"
input = "features"
statistics = ["mean", "variance", "histogram", "median"]
[[outputs]]
name = "scanpaths"
kind = "scanpaths"
input = "gaze"
viewing_time_s = 10
scanpaths = 20
"""


@dataclass(frozen=True)
class Found:
    """What was measured of a studio."""

    first_page_s: float
    idle_mb: float
    slider_s: list[float]  # of every position
    used_mb: float  # after all of them
    preview_s: float


def main(arguments: list[str]) -> int:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="scripts/bench studio", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one size, and few positions")
    quick = parser.parse_args(arguments).quick
    found = {stimuli: _measured(stimuli, quick=quick) for stimuli in (STIMULI[:1] if quick else STIMULI)}
    print(machine("starlette", "uvicorn", "dp-accounting", "numpy"), "\n")
    print_table(
        (
            "stimuli",
            "first page s",
            "idle MB",
            "slider s, median",
            "worst",
            "MB then",
            "preview s",
            "× faster",
        ),
        [_row(stimuli, one) for stimuli, one in found.items()],
    )
    last = found.get(TARGETED) or found[STIMULI[0]]
    figures = ((FIRST_PAGE, last.first_page_s), (SLIDER, max(last.slider_s)), (MEMORY, last.idle_mb))
    print()
    for name, (target, value) in zip(("first page", "slider, worst", "idle memory"), figures, strict=True):
        print(f"{name}: {target.beside(value)}")
    return 0 if quick or all(target.met(value) for target, value in figures) else 1


def _row(stimuli: int, found: Found) -> Sequence[str]:
    middle = statistics.median(found.slider_s)
    numbers = (found.first_page_s, found.idle_mb, middle, max(found.slider_s), found.used_mb, found.preview_s)
    return (str(stimuli), *(f"{number:.3g}" for number in numbers), f"{found.preview_s / middle:.1f}")


def _measured(stimuli: int, *, quick: bool) -> Found:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder, stimuli)
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "synthrelease", "preview", "plan.toml"],
            cwd=folder,
            check=True,
            capture_output=True,
        )
        preview = time.perf_counter() - start
        start = time.perf_counter()
        with _studio(folder) as (process, address):
            browser = urllib.request.build_opener(
                urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
            )
            _get(browser, address)
            first, idle = time.perf_counter() - start, _resident_mb(process)
            base = address.partition("/enter")[0]
            _get(browser, f"{base}/budget")  # on which the slider is
            positions = range(0, STEPS, 15 if quick else 1)
            slider = [_get(browser, f"{base}/budget/view?position={position}") for position in positions]
            return Found(first, idle, slider, _resident_mb(process), preview)


@contextmanager
def _studio(folder: Path) -> Iterator[tuple[int, str]]:
    command = [sys.executable, "-m", "synthrelease", "studio", str(folder), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        address = re.search(r"http://\S+", process.stdout.readline())
        assert address is not None
        try:
            yield process.pid, address[0]
        finally:
            process.send_signal(signal.SIGINT)


def _get(browser: urllib.request.OpenerDirector, address: str) -> float:
    """Return how many seconds a page takes."""
    start = time.perf_counter()
    browser.open(address).read()
    return time.perf_counter() - start


def _resident_mb(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text("utf-8")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def _write(folder: Path, stimuli: int) -> None:
    random = np.random.default_rng(1)
    names = [f"i{number:03}" for number in range(stimuli)]
    each = stimuli * FIXATIONS
    rows = PEOPLE * each
    people = [f"P{number:03}" for number in range(PEOPLE)]
    pl.DataFrame(
        {
            "who": np.repeat(people, each),
            "image": np.tile(np.repeat(names, FIXATIONS), PEOPLE),
            "x": np.round(random.uniform(0, 799, rows), 1),
            "y": np.round(random.uniform(0, 599, rows), 1),
            "ms": np.round(random.uniform(100, 600, rows)),
        }
    ).write_csv(folder / "gaze.csv")
    features = {f"f{number}": np.round(random.uniform(0, 100, PEOPLE), 2) for number in range(FEATURES)}
    pl.DataFrame({"who": people, "rec": ["r"] * PEOPLE, **features}).write_csv(folder / "features.csv")
    bounds = ", ".join(f"{name} = [0.0, 100.0]" for name in features)
    (folder / "plan.toml").write_text(PLAN.format(stimuli=names, bounds=bounds), "utf-8")
