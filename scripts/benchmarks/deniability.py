"""Plausible deniability of as many candidates as records, people counted, against two vectorised scans.

Targets at a million × a million × 52 attributes × 16 values with 11 sizes of ω: 15 s, 3 GiB resident, 1000
times as fast as a scan of all records, and at most 14 times the time of a hundred thousand.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import resource
import statistics
import sys
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks._measure import Target, machine, print_table
from synthrelease.mechanisms.records import SeededModel, deniability_test

ATTRIBUTES, VALUES, GAMMA, K = 52, 16, 4.0, 8
SIZES = (10_000, 100_000, 1_000_000)
RECORDS_PER_PERSON = 10
OMEGAS = {"ω = 41 … 51": range(41, 52), "ω = 1 … 11": range(1, 12)}  # short and long prefixes kept
SCANNED = 20
RUNS = 3
SECONDS, GIBIBYTES = Target(15.0, at_most=True), Target(3.0, at_most=True)
AGAINST_SCAN, GROWTH = Target(1000.0, at_most=False), Target(14.0, at_most=True)


@dataclass(frozen=True)
class Measured:
    """What one child process found."""

    one: float
    all_processors: float
    resident_gib: float
    scan: float
    narrowing: float
    equal: bool


def run() -> bool:
    """Print the table; return whether every target was met."""
    print(machine("numpy", "joblib"))
    print(
        f"\nC candidates against C records of {ATTRIBUTES} attributes of {VALUES} values, {RECORDS_PER_PERSON} records a "
        f"person, k = {K} people, γ = {GAMMA:g}; 64-bit integers\nin; the least of {RUNS} runs, in seconds. Each row is a "
        f"process of its own; resident memory is its peak, data included.\nScans: {SCANNED} random candidates, compared "
        "with all records at once, or attribute by attribute with those that are left;\nthe ratio is to all C candidates "
        "at that rate. All counts must agree.\n"
    )
    context = multiprocessing.get_context("spawn")
    met = True
    rows: list[list[str]] = []
    for name, omegas in OMEGAS.items():
        before: float | None = None
        for size in SIZES:
            with context.Pool(1) as pool:
                found = pool.apply(measure, (size, tuple(omegas)))
            ratio, narrow = found.scan * size / found.one, found.narrowing * size / found.one
            growth = None if before is None else found.one / before
            row = [
                name,
                f"{size:,}",
                f"{found.one:.2f}",
                f"{found.all_processors:.2f}",
                f"{found.resident_gib:.2f}",
                "–" if growth is None else f"× {growth:.1f}",
                "–" if growth is None else f"{math.log10(growth):.2f}",
                f"{ratio:,.0f}",
                f"{narrow:,.0f}",
                "equal" if found.equal else "DIFFERENT",
            ]
            rows.append(row)
            met &= found.equal
            if size == SIZES[-1] and growth is not None:
                checks = [
                    ("seconds", SECONDS, found.one),
                    ("GiB", GIBIBYTES, found.resident_gib),
                    ("× the scan", AGAINST_SCAN, ratio),
                    ("growth", GROWTH, growth),
                ]
                met &= all(target.met(value) for _, target, value in checks)
                told = "; ".join(
                    f"{value:.4g} {what} {target.beside(value)}" for what, target, value in checks
                )
                rows.append(["", *[""] * (len(row) - 1)])
                print(f"{name}: {told}", file=sys.stderr)
            before = found.one
    print_table(
        [
            "sizes",
            "C",
            "1 thread",
            f"{os.cpu_count()} threads",
            "GiB",
            "growth",
            "exponent",
            "scan/ours",
            "narrowing/ours",
            "counts",
        ],
        rows,
    )
    print("\nAll targets met." if met else "\nA target was MISSED.")
    return met


def measure(size: int, omegas: tuple[int, ...]) -> Measured:
    """Test `size` candidates against `size` records; then scan for a few of them."""
    rng = np.random.default_rng(size)
    model = SeededModel([np.full(VALUES, 1 / VALUES)] * ATTRIBUTES, range(ATTRIBUTES), omegas)
    records = rng.integers(0, VALUES, (size, ATTRIBUTES))
    people = rng.integers(0, size // RECORDS_PER_PERSON, size)
    seeds = rng.integers(0, size, size)
    candidates = rng.integers(0, VALUES, (size, ATTRIBUTES))
    for start in range(
        0, size, 1 << 14
    ):  # in blocks, so that making the data needs no more memory than testing it
        block = slice(start, start + (1 << 14))
        kept = ATTRIBUTES - rng.choice(omegas, len(seeds[block]))
        np.copyto(candidates[block], records[seeds[block]], where=np.arange(ATTRIBUTES) < kept[:, None])

    def test(jobs: int) -> tuple[float, NDArray[np.int64]]:
        start = time.perf_counter()
        result = deniability_test(
            model, candidates, seeds, records, people=people, k=K, gamma=GAMMA, jobs=jobs
        )
        return time.perf_counter() - start, result.plausible

    alone = [test(1)[0] for _ in range(RUNS)]
    together, counts = zip(*(test(os.cpu_count() or 1) for _ in range(RUNS)), strict=True)
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1 << (30 if sys.platform == "darwin" else 20)
    )
    rows = rng.choice(size, SCANNED, replace=False)
    small = records.astype(np.uint8)  # what makes the scans fastest
    by_attribute = np.ascontiguousarray(small.T)
    scans: dict[bool, list[float]] = {True: [], False: []}
    equal = True
    for row in rows:
        y = candidates[row].astype(np.uint8)
        for narrowing, seconds in scans.items():
            start = time.perf_counter()
            shared = _narrowed(by_attribute, y) if narrowing else _compared(small, y)
            found = _plausible_people(shared, int(seeds[row]), people, omegas)
            seconds.append(time.perf_counter() - start)
            equal &= found == counts[-1][row]
    return Measured(
        min(alone),
        min(together),
        resident,
        statistics.median(scans[False]),
        statistics.median(scans[True]),
        bool(equal),
    )


def _compared(records: NDArray[np.uint8], y: NDArray[np.uint8]) -> NDArray[np.int64]:
    differ = records != y
    first = np.argmax(differ, axis=1)
    return np.where(differ[np.arange(len(first)), first], first, len(y))


def _narrowed(by_attribute: NDArray[np.uint8], y: NDArray[np.uint8]) -> NDArray[np.int64]:
    shared = np.zeros(by_attribute.shape[1], dtype=np.int64)
    left = np.flatnonzero(by_attribute[0] == y[0])
    for a in range(1, len(y)):
        shared[left] = a
        left = left[by_attribute[a, left] == y[a]]
    shared[left] = len(y)
    return shared


def _plausible_people(
    shared: NDArray[np.int64], seed: int, people: NDArray[np.int64], omegas: tuple[int, ...]
) -> int:
    """k′ from the definition: the probability of every record, its interval, the people in the seed's."""
    table = np.array(
        [
            sum(VALUES ** -float(w) for w in omegas if ATTRIBUTES - w <= length) / len(omegas)
            for length in range(ATTRIBUTES + 1)
        ]
    )
    with np.errstate(divide="ignore"):
        interval = np.floor(-np.log(table) / math.log(GAMMA) + 1e-9)
    return np.unique(people[interval[shared] == interval[shared[seed]]]).size
