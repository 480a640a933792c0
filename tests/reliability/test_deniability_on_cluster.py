"""The deniability test of records on disk, on a Dask cluster: counts as in memory, also when a worker dies on the way."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from synthrelease.arrays import deniability_test, deniability_test_on_disk
from synthrelease.kinds.records.model import SeededModel

ROWS, M, CATEGORIES, OMEGAS = 40_000, 10, 4, range(2, 8)
NAMES = [f"a{n}" for n in range(M)]


@pytest.mark.thorough
@pytest.mark.parametrize("dies", [False, True], ids=["both workers live", "a worker dies"])
def test_two_workers_count_what_one_process_counts(
    scheduler: tuple[str, list[subprocess.Popen[bytes]]],
    tmp_path: Path,
    dies: bool,  # noqa: FBT001  a parameter
) -> None:
    address, workers = scheduler
    draw = np.random.default_rng(5)
    records = draw.integers(0, CATEGORIES, (ROWS, M), dtype=np.uint8)
    people, seeds = draw.integers(0, ROWS // 5, ROWS), draw.integers(0, ROWS, ROWS)
    kept = M - draw.choice(OMEGAS, ROWS)
    candidates = draw.integers(0, CATEGORIES, (ROWS, M), dtype=np.uint8)
    np.copyto(candidates, records[seeds], where=np.arange(M) < kept[:, None])
    pl.DataFrame(dict(zip(NAMES, candidates.T, strict=True)) | {"seed": seeds}).write_parquet(
        tmp_path / "c.parquet"
    )
    pl.DataFrame(dict(zip(NAMES, records.T, strict=True)) | {"who": people}).write_parquet(
        tmp_path / "r.parquet"
    )
    model = SeededModel([np.full(CATEGORIES, 1 / CATEGORIES)] * M, range(M), OMEGAS)
    phases: list[str] = []

    def progress(what: str, done: int, _of: int) -> None:
        phases.append(what)
        if dies and len(set(phases)) == 3 and done == 1:  # the third phase: candidates are tested
            workers[0].kill()

    result = deniability_test_on_disk(
        model,
        tmp_path / "c.parquet",
        tmp_path / "r.parquet",
        tmp_path / "counts.parquet",
        attributes=NAMES,
        seed="seed",
        person="who",
        k=8,
        gamma=2.0,
        scheduler=address,
        part_rows=2_000,
        progress=progress,
    )
    expected = deniability_test(model, candidates, seeds, records, people=people, k=8, gamma=2.0)
    counts = pl.read_parquet(result.path)
    assert counts["plausible"].to_list() == expected.plausible.tolist()
    assert 0 < result.passed < ROWS
    assert len(set(phases)) == 3
    assert not dies or workers[0].poll() is not None
