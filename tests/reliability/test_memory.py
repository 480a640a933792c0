"""What `preview` says of memory is what builds take: never less, and at most 75 % more, or 100 MB where that is more: the system
rounds pages up as it likes, the same build took 755, 989 or 1097 MB, and rows of one person that stand together take less.

Each build is a process of its own, which reports the most that it held resident. A child that has not begun its own program counts what its
parent held: so the parent here holds nothing that is large, and predictions are made by another process.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

PART_CELLS = 1 << 24
MOST_OVER, SLACK_BYTES = 1.75, 96 << 20
SCREEN, FEATURES = "{ width_px = 1920, height_px = 1080 }", 60
STIMULI = [f"img{number}.jpg" for number in range(8)]
HEAD = """
release = { name = "memory", version = "1.0.0", title = "Memory" }
privacy = { epsilon = 5.0, delta = 1e-6 }
"""
GAZE = f"""
[inputs.rows]
kind = "gaze"
path = "FILE"
columns = {{ person = "who", stimulus = "image", x = "x", y = "y" }}
screen = {SCREEN}
stimuli = {STIMULI}
[[outputs]]
name = "maps"
kind = "heatmap"
input = "rows"
"""
SERIES = """
[inputs.rows]
kind = "features"
path = "FILE"
columns = { person = "who", recording = "image" }
recordings = ["img0.jpg", "img1.jpg"]
bounds = { BOUNDS }
[[outputs]]
name = "means"
kind = "signals"
input = "rows"
length = 500
"""
WRITE = """
import sys
import numpy as np
import polars as pl

path, people, rows, columns, texts, interleaved = sys.argv[1], *map(int, sys.argv[2:])
random = np.random.default_rng(1)
number = np.arange(rows)
each = rows // people
frame = pl.DataFrame(
    {
        "who": pl.Series([f"P{n:03}" for n in range(people)]).gather((number if interleaved else number // each) % people),
        "number": number,
        "image": pl.Series([f"img{n}.jpg" for n in range(texts)]).gather(number % each * texts // each % texts),
        **{name: np.round(random.uniform(0, 1000, rows), 1) for name in ("x", "y", *(f"f{n}" for n in range(columns)))},
    }
)
frame.write_csv(path) if path.endswith(".csv") else frame.write_parquet(path)
"""
PREDICT = """
import json, sys
from synthrelease.building.design import make_design
from synthrelease.building.memory import memory
from synthrelease.plan.plan import load_plan

rows = {"rows": int(sys.argv[2])}
design = make_design(load_plan(sys.argv[1]))
full = memory(design).most_rows["rows"]
found = memory(design, {"rows": min(full, rows["rows"])})
print(json.dumps({
    "alone": found.with_kept_rows(found.alone_bytes, rows),
    "coordinator": found.with_kept_rows(found.coordinator_bytes, rows),
    "worker": found.worker_bytes,
}))
"""
BUILD = """
import json, pathlib, resource, sys
from synthrelease.cli import main
try:
    main(sys.argv[1:])
finally:
    own = int(pathlib.Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
    print(json.dumps([own << 10, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10]), file=sys.stderr)
"""


@dataclass(frozen=True)
class Case:
    """A plan, and invented rows for it."""

    plan: str
    ending: str
    rows: int
    columns: int = 0
    people: int = 24
    jobs: int = 1
    is_interleaved: bool = False  # whether each row is another person's than the one before
    is_distinct: bool = True  # whether all rows that are kept are, for which alone the prediction is close


CASES = {
    "few-rows": Case(GAZE, "csv", 2_000),
    "maps": Case(GAZE, "parquet", 2 * PART_CELLS // 4 - 1_000, jobs=2),
    "maps-of-interleaved-rows": Case(GAZE, "parquet", 2 * PART_CELLS // 4 - 1_000, is_interleaved=True),
    "pixels": Case(GAZE + 'mechanism = "gaussian"\n', "parquet", 2 * PART_CELLS // 4 - 1_000),
    "private-cap": Case(
        GAZE
        + 'mechanism = "gaussian"\nheight_px = 540\nwidth_px = 960\ncap = "private"\nmax_samples_per_stimulus = 100_000\n',
        "parquet",
        PART_CELLS // 4 - 1_000,
        is_distinct=False,
    ),
    "text": Case(GAZE, "csv", PART_CELLS // 4 - 1_000),
    "scanpaths": Case(
        GAZE.replace('y = "y" }', 'y = "y", duration = "f0" }').replace("heatmap", "scanpaths")
        + "viewing_time_s = 20\nscanpaths = 2\n",
        "parquet",
        60_000,
        columns=1,
        people=15_000,  # each with few rows: vectors of people are the most there is
    ),
    "people": Case(
        SERIES.replace('"image" }', '"image", time = "number" }')
        .replace("BOUNDS", ", ".join(f"f{n} = [0.0, 1000.0]" for n in range(10)))
        .replace("signals", "people")
        .replace("length = 500", "windows = 3\npeople = 10"),
        "parquet",
        30_000,
        columns=10,
        people=10_000,
    ),
    "series": Case(
        SERIES.replace("BOUNDS", ", ".join(f"f{n} = [0.0, 1000.0]" for n in range(FEATURES))),
        "parquet",
        PART_CELLS // (FEATURES + 2) - 1_000,
        FEATURES,
    ),
}


def outcome(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


def assert_predicted(predicted: int, taken: int) -> None:
    assert taken <= predicted <= max(MOST_OVER * taken, taken + SLACK_BYTES), (predicted / 1e6, taken / 1e6)


@pytest.mark.thorough
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory was measured on Linux")
@pytest.mark.parametrize("name", CASES)
def test_a_build_takes_what_is_predicted(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    file, plan = tmp_path / f"rows.{case.ending}", tmp_path / "plan.toml"
    texts = 2 if case.columns else len(STIMULI)
    outcome(WRITE, file, case.people, case.rows, case.columns, texts, int(case.is_interleaved))
    plan.write_text(HEAD + case.plan.replace("FILE", file.name))
    predicted = json.loads(outcome(PREDICT, plan, case.rows).stdout)

    def peaks(jobs: int) -> tuple[int, int]:
        done = outcome(
            BUILD,
            "--quiet",
            "build",
            plan,
            "-o",
            tmp_path / "out.h5",
            "--test-seed",
            3,
            "--force",
            "--jobs",
            jobs,
        )
        own, child = json.loads(next(line for line in done.stderr.splitlines() if line.startswith("[")))
        return own, child

    alone = peaks(1)[0]
    if not case.is_distinct:
        assert alone <= predicted["alone"]
        return
    assert_predicted(predicted["alone"], alone)
    if case.jobs > 1:
        coordinator, worker = peaks(case.jobs)
        assert_predicted(predicted["coordinator"], coordinator)
        assert_predicted(predicted["worker"], worker)
