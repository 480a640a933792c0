"""`synthrelease demo` as it is installed: the wheel in a fresh environment; and how soon `--help` answers.

Targets: the demonstration within 20 s, help within 0.3 s.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks._environment import built_wheel, fresh_environment
from benchmarks._limits import Limits
from benchmarks._measure import Target, median_seconds
from benchmarks._report import Figure, Limit, Report, Section

WORK = "`synthrelease demo`, installed"
RUNS, HELP_RUNS = 3, 9
SECONDS, HELP_SECONDS = Target(20.0, at_most=True), Target(0.3, at_most=True)
_OWN_MICROSECONDS = re.compile(r"^import time:\s*(\d+) \|", re.MULTILINE)


def run(_limits: Limits, *, quick: bool = False) -> Report:
    """Build the wheel of this checkout, install it, and run it."""
    with tempfile.TemporaryDirectory() as folder:
        wheel = built_wheel(Path(__file__).parents[2], Path(folder))
        programs = fresh_environment(Path(folder) / "environment", str(wheel))
        program = str(programs / "synthrelease")
        start = time.perf_counter()
        _demo([program], Path(folder) / "first")
        first = time.perf_counter() - start
        runs = 1 if quick else RUNS
        again = median_seconds({"": lambda: _demo([program], Path(folder) / "demo")}, runs)[""]
        answers = median_seconds({"": lambda: _run([program, "--help"])}, HELP_RUNS)[""]
        traced = [str(programs / "python"), "-X", "importtime", "-m", "synthrelease"]
        loading = sum(map(int, _OWN_MICROSECONDS.findall(_demo(traced, Path(folder) / "traced")))) / 1e6
    return Report(
        WORK,
        ("numpy", "scipy", "polars", "h5py", "matplotlib"),
        (
            Section(
                "The wheel of this checkout and what it needs, installed by pip into a fresh environment; the demonstration's real "
                f"data, build, figures and `verify`. Wall clock; the first run after installing, then the median of {runs} more; "
                f"help the median of {HELP_RUNS}.",
                ("", "seconds", "target"),
                [
                    ["demo, first run", f"{first:.1f}", SECONDS.beside(first)],
                    ["demo", f"{again:.1f}", SECONDS.beside(again)],
                    ["--help", f"{answers:.3f}", HELP_SECONDS.beside(answers)],
                    ["loading the modules that demo uses", f"{loading:.2f}", "–"],
                ],
                "There is one size of the demonstration's data, and no peer that does the same.",
            ),
        ),
        (
            Figure(first, "s, first run", SECONDS),
            Figure(again, "s", SECONDS),
            Figure(answers, "s until `--help` answers", HELP_SECONDS),
        ),
        again,
        Limit("loading the modules that it uses", loading),
        f"Loading modules takes {loading:.2g} s; the rest is calibration, the release itself, figures, and verification.",
    )


def _demo(command: list[str], folder: Path) -> str:
    return _run([*command, "demo", "-o", str(folder), "--force"])


def _run(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stderr
