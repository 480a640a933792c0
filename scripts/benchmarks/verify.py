"""`verify` of large bundles, kind by kind, against decompressing and hashing all their values.

Target: at 500 MB on disk at most 3 times as long as the values take to be decompressed and hashed in the same run.
"""

from __future__ import annotations

import hashlib
import os
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

import synthrelease
from benchmarks._bundles import KINDS, Kind
from benchmarks._limits import Limits
from benchmarks._measure import Target, alone
from benchmarks._report import Figure, Growth, Limit, Report, Section
from synthrelease.bundle import verification

WORK = "`verify` of a 500 MB bundle"
MEGABYTES, QUICK_MEGABYTES = (50, 500), (2, 10)  # on disk
RUNS = 2
RATIO = Target(3.0, at_most=True)
MEMORY = Target(300, at_most=True)  # MB resident


@dataclass(frozen=True)
class Measured:
    """What was found of one bundle; seconds are the least of some runs."""

    kind: str
    stored: int
    values: int
    verifying: float
    sealing: float
    hashing: float
    resident: int
    sound: bool

    @property
    def ratio(self) -> float:
        """How many times as long as its values `verify` takes."""
        return self.verifying / self.hashing


def run(_limits: Limits, *, quick: bool = False) -> Report:
    """Build, verify and read bundles of every kind, smaller and larger."""
    sizes = QUICK_MEGABYTES if quick else MEGABYTES
    found = [_grown(kind, sizes) for kind in KINDS]
    largest = [each[-1] for each in found]
    worst = max(largest, key=lambda one: one.ratio)
    growing = next(each for each in found if each[-1] is worst)
    rest = worst.verifying - worst.sealing - worst.hashing
    return Report(
        WORK,
        ("numpy", "h5py"),
        (
            Section(
                f"Bundles made by `build` from invented data, of about {' and '.join(map(str, sizes))} MB on disk. "
                "Their values: every dataset decompressed and hashed by SHA-256, nothing else. Least of "
                f"{RUNS} runs in turn, wall clock, each run a process of its own; the files were just written and may come out "
                "of the page cache. Checksum: `verify --quick`, which hashes the file and reads the manifest. `verify` unpacks by two "
                "threads, the values are unpacked by one. Resident memory is the peak of the process that checks.",
                (
                    "output",
                    "MB on disk",
                    "MB of values",
                    "verify, s",
                    "checksum, s",
                    "values, s",
                    "verify/values",
                    "target",
                    "MB resident",
                ),
                [_row(one, judged=one in largest) for each in found for one in each],
            ),
        ),
        (
            *(Figure(one.ratio, f"× its values, {one.kind}", RATIO) for one in largest),
            Figure(max(one.resident for one in largest) / 1e6, "MB resident at most", MEMORY),
        ),
        worst.verifying,
        Limit(f"decompressing and hashing the values ({worst.kind})", worst.hashing),
        f"{worst.kind}: the checksum takes {worst.sealing:.3g} s and the values {worst.hashing:.3g} s; the other {rest:.3g} s "
        "recompute derived values from the integers, compare them, and test the integers' statistics.",
        growth=Growth(
            f"{worst.kind}, MB",
            [one.stored / 1e6 for one in growing],
            [one.verifying for one in growing],
            [one.resident for one in growing],
        ),
        agreed=all(one.sound for each in found for one in each),
    )


def _grown(kind: Kind, sizes: Sequence[int]) -> list[Measured]:
    """Measure bundles of these sizes; how many units the next takes is known from what the one before has become."""
    found: list[Measured] = []
    units = 1.0 * sizes[0] * kind.units_a_megabyte
    for size in sizes:
        if found:
            units *= 1e6 * size / found[-1].stored
        found.append(_measured(kind, max(1, round(units))))
    return found


def _measured(kind: Kind, units: int) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        path = alone(build_bundle, KINDS.index(kind), Path(folder), units)
        runs = [
            (*alone(measure_verify, path), alone(measure_seal, path), *alone(measure_values, path))
            for _ in range(RUNS)
        ]
        verifying, resident, sound, sealing, hashing, values = zip(*runs, strict=True)
        return Measured(
            kind.name,
            path.stat().st_size,
            values[0],
            min(verifying),
            min(sealing),
            min(hashing),
            max(resident),
            all(sound),
        )


def _row(one: Measured, *, judged: bool) -> list[str]:
    return [
        one.kind,
        f"{one.stored / 1e6:.0f}",
        f"{one.values / 1e6:.0f}",
        f"{one.verifying:.2f}",
        f"{one.sealing:.2f}",
        f"{one.hashing:.2f}",
        f"{one.ratio:.2f}",
        RATIO.beside(one.ratio) if judged else "–",
        f"{one.resident / 1e6:.0f}",
    ]


def build_bundle(kind: int, folder: Path, units: int) -> Path:
    """Build a bundle of a kind, given by its number."""
    return KINDS[kind].bundle(folder, units)


def measure_verify(path: Path) -> tuple[float, int, bool]:
    """Return how long `verify` takes, the most memory that its checker had resident, and whether it found nothing."""
    _warm_up()
    start = time.perf_counter()
    found = synthrelease.verify(path)
    taken = time.perf_counter() - start
    verification.stop()
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return taken, most * (1 if sys.platform == "darwin" else 1024), found.ok


def _warm_up() -> None:
    """Start the checker: once for all files."""
    synthrelease.verify(os.devnull)


def measure_seal(path: Path) -> float:
    """Return how long `verify --quick` takes."""
    _warm_up()
    start = time.perf_counter()
    synthrelease.verify(path, quick=True)
    return time.perf_counter() - start


def measure_values(path: Path) -> tuple[float, int]:
    """Return how long all values take to be decompressed and hashed, and how many bytes they are."""
    start, size = time.perf_counter(), 0
    with h5py.File(path, "r") as file:
        paths: list[str] = []
        file.visititems(lambda name, item: paths.append(name) if isinstance(item, h5py.Dataset) else None)
        for one in paths:
            values = np.ascontiguousarray(file[one][()])
            hashlib.sha256(values.data).digest()
            size += values.nbytes
    return time.perf_counter() - start, size
