"""Plausible deniability of candidates and records on disk, of any number, with two jobs: seconds, and the memory of all processes.

Targets at 5·10⁷ × 5·10⁷ × 52 attributes: 4 minutes, 4 GiB resident, and memory that does not grow with their number. 10⁹ × 10⁹ are
on paper: two processes divide the files as fast as here, and 64 workers test parts as fast as these two.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks._limits import Limits
from benchmarks._measure import Target, alone, resident_of_all
from benchmarks._report import Figure, Growth, Report, Section
from benchmarks.deniability import ATTRIBUTES, GAMMA, OMEGAS, RECORDS_PER_PERSON, VALUES, K, model_of
from synthrelease.arrays import deniability_test, deniability_test_on_disk
from synthrelease.kinds.records.deniability_on_disk import PART_ROWS, DeniabilityOnDisk

WORK = "deniability test on disk, 5·10⁷ candidates × 5·10⁷ records × 52 attributes, two jobs"
SIZES, QUICK_SIZES = (5_000_000, 50_000_000), (20_000, 40_000)
COMPARED = 1_000_000  # candidates and records that are tested in memory, too
PAPER, WORKERS = 10**9, 64
JOBS, BLOCK = 2, 1 << 20
NAMES = [f"a{n}" for n in range(ATTRIBUTES)]
SECONDS, GIBIBYTES = Target(240.0, at_most=True), Target(4.0, at_most=True)


@dataclass(frozen=True)
class Measured:
    """A test of so many candidates against as many records."""

    omegas: str
    size: int
    stored: int  # bytes of both files
    dividing: float  # seconds until parts are there
    seconds: float
    resident: int  # of all processes together, at most
    passed: int


def run(limits: Limits, *, quick: bool = False) -> Report:
    """Write files of both sizes, and test them; smaller ones in memory, too."""
    sizes = QUICK_SIZES if quick else SIZES
    measured = [alone(measure, name, size) for name in OMEGAS for size in sizes]
    agreed = all(alone(agrees, name, min(sizes[0], COMPARED)) for name in OMEGAS)
    largest = [one for one in measured if one.size == sizes[-1]]
    slowest = max(largest, key=lambda one: one.seconds)
    same = [one for one in measured if one.omegas == slowest.omegas]
    paper = PAPER / slowest.size
    testing = JOBS / WORKERS * (slowest.seconds - slowest.dividing)
    return Report(
        WORK,
        ("numpy", "polars", "joblib"),
        (
            Section(
                f"As many candidates as records of {ATTRIBUTES} attributes of {VALUES} values in Parquet, {RECORDS_PER_PERSON} records a "
                f"person, k = {K} people, γ = {GAMMA:g}; {JOBS} jobs, parts of about {PART_ROWS:,} records. Resident memory is that of all "
                "processes together.",
                ("sizes", "C", "MB on disk", "divided, s", "s", "GiB of all", "pass"),
                [
                    [
                        one.omegas,
                        f"{one.size:,}",
                        f"{one.stored / 1e6:,.0f}",
                        f"{one.dividing:.1f}",
                        f"{one.seconds:.1f}",
                        f"{one.resident / 2**30:.2f}",
                        f"{one.passed:,}",
                    ]
                    for one in measured
                ],
                f"On paper, {PAPER:,} × {PAPER:,}: divided in {paper * slowest.dividing / 60:.0f} minutes by one process for each of the two files, "
                f"tested in {paper * testing / 60:.0f} by {WORKERS} workers.",
            ),
        ),
        (
            Figure(slowest.seconds, "s", SECONDS),
            Figure(max(one.resident for one in largest) / 2**30, "GiB resident in all processes", GIBIBYTES),
        ),
        slowest.seconds,
        limits.least(cache_read=2 * slowest.stored, disk_write=2 * (ATTRIBUTES + 16) * slowest.size),
        "The limit reads the files twice, and writes the parts. Here each part is sorted and its candidates are located, as in memory.",
        growth=Growth(
            "candidates and records",
            [one.size for one in same],
            [one.seconds for one in same],
            [one.resident for one in same],
        ),
        agreed=agreed,
    )


def measure(omegas: str, size: int) -> Measured:
    """Test files of so many candidates and records."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, size, tuple(OMEGAS[omegas]))
        stored = sum(file.stat().st_size for file in folder.iterdir())
        begun, divided = time.perf_counter(), [0.0]

        def note(what: str, _done: int, _of: int) -> None:
            if what.startswith("dividing"):
                divided[0] = time.perf_counter() - begun

        with resident_of_all() as most:
            result = _tested(folder, omegas, jobs=JOBS, progress=note)
        return Measured(omegas, size, stored, divided[0], time.perf_counter() - begun, most(), result.passed)


def agrees(omegas: str, size: int) -> bool:
    """Whether the counts are those of the test in memory."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, size, tuple(OMEGAS[omegas]))
        result = _tested(folder, omegas, part_rows=max(1, size // 20))
        candidates, records = (
            pl.read_parquet(folder / f"{what}.parquet") for what in ("candidates", "records")
        )
        expected = deniability_test(
            model_of(OMEGAS[omegas]),
            candidates.select(NAMES).to_numpy(),
            candidates["seed"].to_numpy(),
            records.select(NAMES).to_numpy(),
            people=records["person"].to_numpy(),
            k=K,
            gamma=GAMMA,
        )
        return bool((pl.read_parquet(result.path)["plausible"].to_numpy() == expected.plausible).all())


def _tested(folder: Path, omegas: str, **options: Any) -> DeniabilityOnDisk:
    return deniability_test_on_disk(
        model_of(OMEGAS[omegas]),
        folder / "candidates.parquet",
        folder / "records.parquet",
        folder / "counts.parquet",
        attributes=NAMES,
        seed="seed",
        person="person",
        k=K,
        gamma=GAMMA,
        **options,
    )


def write(folder: Path, size: int, omegas: tuple[int, ...]) -> None:
    """Write random records, and candidates from random ones of them."""
    rng = np.random.default_rng(size)
    raw = np.lib.format.open_memmap(folder / "raw.npy", "w+", np.uint8, (size, ATTRIBUTES))

    def records(here: slice) -> pl.DataFrame:
        number = here.stop - here.start
        raw[here] = rng.integers(0, VALUES, (number, ATTRIBUTES), dtype=np.uint8)
        return _frame(raw[here], person=rng.integers(0, size // RECORDS_PER_PERSON, number))

    def candidates(here: slice) -> pl.DataFrame:
        number = here.stop - here.start
        seeds = rng.integers(0, size, number)
        values = rng.integers(0, VALUES, (number, ATTRIBUTES), dtype=np.uint8)
        kept = ATTRIBUTES - rng.choice(omegas, number)
        np.copyto(values, raw[seeds], where=np.arange(ATTRIBUTES) < kept[:, None])
        return _frame(values, seed=seeds)

    for name, made in (("records", records), ("candidates", candidates)):
        _write(folder / f"{name}.parquet", size, made)
    (folder / "raw.npy").unlink()


def _frame(values: NDArray[np.uint8], **more: NDArray[np.int64]) -> pl.DataFrame:
    columns = {name: np.ascontiguousarray(values[:, n]) for n, name in enumerate(NAMES)}
    return pl.DataFrame({**columns, **more})


def _write(path: Path, size: int, made: Callable[[slice], pl.DataFrame]) -> None:
    pieces = []
    for start in range(0, size, BLOCK):
        pieces.append(path.with_name(f"{start}.part"))
        made(slice(start, min(start + BLOCK, size))).write_parquet(pieces[-1])
    pl.concat([pl.scan_parquet(piece, glob=False) for piece in pieces]).sink_parquet(path)
    for piece in pieces:
        piece.unlink()
