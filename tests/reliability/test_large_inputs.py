"""Inputs of several parts: the same bundle whoever reads them, within the memory that `preview` declares.

The files are as small as they can be and still take several parts: 2²⁴ cells are one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from synthrelease.building.batch import BUILT, batch
from synthrelease.building.design import make_design
from synthrelease.building.memory import Memory, memory
from synthrelease.parallel import Pool, Processes
from synthrelease.parallel.cluster import Cluster
from synthrelease.plan.partitions import PART_CELLS
from synthrelease.plan.plan import load_plan

PEOPLE, STIMULI, FEATURES = 200, 8, 60
HEAD = """
[release]
name = "large"
version = "1.0.0"
title = "Inputs of several parts"
license = "CC0-1.0"
contact = "data@example.org"

[privacy]
epsilon = 5.0
delta = 1e-6
"""
GAZE = f"""
[inputs.gaze]
kind = "gaze"
path = "gaze.parquet"
columns = {{ person = "who", stimulus = "image", x = "x", y = "y" }}
screen = {{ width_px = 800, height_px = 600 }}
stimuli = {[str(s) for s in range(STIMULI)]}
"""
PUPIL = """
[inputs.pupil]
kind = "features"
path = "pupil.parquet"
columns = { person = "who", recording = "task", time = "t" }
recordings = ["0", "1"]
[inputs.pupil.bounds]
""" + "".join(f"f{n} = [-3.0, 3.0]\n" for n in range(FEATURES))
PLANS = {
    "maps": GAZE + '[[outputs]]\nname = "maps"\nkind = "heatmap"\ninput = "gaze"\nblur_px = 40\n',
    # As many integers as there are pixels, and no fewer bytes than a part.
    "pixels": GAZE
    + '[[outputs]]\nname = "pixels"\nkind = "heatmap"\ninput = "gaze"\nmechanism = "gaussian"\n'
    + "width_px = 1600\nheight_px = 1200\n",
    "series": PUPIL
    + '[[outputs]]\nname = "each"\nkind = "signals"\ninput = "pupil"\nmechanism = "fpa"\nquery = "each"\n'
    + "length = 100\ncoefficients = 2\n"
    + '[[outputs]]\nname = "rows"\nkind = "records"\ninput = "pupil"\nmodel = "seeded"\nrows = 500\n'
    + 'features = ["f0", "f1", "f2", "f3"]\nresampled = [3, 4]\nk = 5\n'
    + '[[outputs]]\nname = "table"\nkind = "records"\ninput = "pupil"\nmodel = "marginals"\nfit = "dp"\nrows = 500\n'
    + 'features = ["f0", "f1", "f2"]\ndependence = "tree"\n'
    + '[[outputs]]\nname = "means"\nkind = "statistics"\ninput = "pupil"\nstatistics = ["mean", "quantile:0.5"]\n',
}


def write_gaze(folder: Path) -> None:
    rng = np.random.default_rng(1)
    rows = 2 * PART_CELLS // 4 + 1000  # three parts
    pl.DataFrame(
        {
            "who": rng.integers(0, PEOPLE, rows, dtype=np.int16),
            "image": rng.integers(0, STIMULI, rows, dtype=np.int16),
            "x": rng.integers(0, 800, rows, dtype=np.int16),
            "y": rng.integers(0, 600, rows, dtype=np.int16),
        }
    ).write_parquet(folder / "gaze.parquet")


def write_pupil(folder: Path) -> None:
    rng = np.random.default_rng(2)
    rows = PART_CELLS // (FEATURES + 3) + 1000  # two parts
    labels = {
        "who": rng.integers(0, PEOPLE, rows, dtype=np.int16),
        "task": rng.integers(0, 2, rows, dtype=np.int16),
    }
    values = {f"f{n}": rng.integers(-3, 4, rows, dtype=np.int8) for n in range(FEATURES)}
    frame = pl.DataFrame({**labels, "t": np.arange(rows, dtype=np.int32), **values})
    frame.write_parquet(folder / "pupil.parquet")


@dataclass(frozen=True)
class Large:
    """Plans, the bundles that one process makes of them, and the memory that it took; and of two, a worker and the coordinator."""

    plans: dict[str, Path]
    declared: dict[str, Memory]
    rows: dict[str, int]
    bundles: dict[str, bytes]
    taken: dict[str, tuple[int, int, int]]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Large:
    folder = tmp_path_factory.mktemp("large")
    write_gaze(folder)
    write_pupil(folder)
    plans, declared, rows, bundles, taken = {}, {}, {}, {}, {}
    for number, (name, text) in enumerate(PLANS.items()):
        plans[name] = folder / f"{name}.toml"
        plans[name].write_text(HEAD.replace("1.0.0", f"1.0.{number}") + text)
        design = make_design(load_plan(plans[name]))
        declared[name] = memory(design)
        (spec,) = design.plan.inputs.values()
        rows[name] = pl.scan_parquet(spec.path).select(pl.len()).collect().item()
        out = folder / f"{name}.h5"
        alone, _ = peaks_of("build", plans[name], "-o", out, "--test-seed", "3")
        made = out.with_name(f"{name}.TEST-SEED.h5")
        bundles[name] = made.read_bytes()
        coordinator, worker = peaks_of(
            "build", plans[name], "-o", out, "--test-seed", "3", "--jobs", "2", "--force"
        )
        assert made.read_bytes() == bundles[name]
        taken[name] = alone, worker, coordinator
    return Large(plans, declared, rows, bundles, taken)


ALONE = """
import json, pathlib, resource, sys
from synthrelease.cli import main
try:
    main(sys.argv[1:])
finally:
    own, child = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    status = pathlib.Path("/proc/self/status")
    if status.exists():  # the other counts what the process that started this one had
        own = int(status.read_text().partition("VmHWM:")[2].split()[0])
    print(json.dumps([own, child]), file=sys.stderr)
"""


def peaks_of(*command: object) -> tuple[int, int]:
    """The most bytes that a command held resident, and that the largest of its workers did."""
    done = subprocess.run(
        [sys.executable, "-c", ALONE, "--quiet", *map(str, command)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"},
    )
    unit = 1 if sys.platform == "darwin" else 1024
    (told,) = (
        line for line in done.stderr.splitlines() if line.startswith("[")
    )  # libraries may add a warning
    own, child = json.loads(told)
    return own * unit, child * unit


@pytest.mark.thorough
@pytest.mark.parametrize("name", PLANS)
def test_a_build_keeps_to_the_memory_that_is_declared(large: Large, name: str) -> None:
    declared = large.declared[name]
    rows = dict.fromkeys(declared.most_rows, large.rows[name])
    alone, worker, coordinator = large.taken[name]
    most = declared.with_kept_rows(declared.alone_bytes, rows)
    assert (
        most / 4 <= alone <= most
    )  # a bound that means something, whatever the rows; test_memory.py has closer ones
    most = declared.with_kept_rows(declared.coordinator_bytes, rows)
    assert most / 4 <= coordinator <= most
    assert declared.worker_bytes / 4 <= worker <= declared.worker_bytes


POOLS: dict[str, Callable[[], Pool]] = {"loky": lambda: Processes(2), "dask": lambda: Cluster(None, 2)}


@pytest.mark.thorough
@pytest.mark.parametrize("pool", POOLS)
def test_bundles_do_not_depend_on_who_reads_which_part(
    large: Large, pool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    """A batch of two plans; of pixels, which are read as maps are, two workers have made the same bundle before (`large`)."""
    names = ["maps", "series"]
    plans = [large.plans[name] for name in names]
    done = batch(plans, tmp_path, jobs=2, cluster=POOLS[pool], test_seed=3)
    assert [one.state for one in done] == [BUILT] * len(done), [one.reason for one in done]
    for name, one in zip(names, done, strict=True):
        assert one.bundle is not None
        assert one.bundle.read_bytes() == large.bundles[name], name
