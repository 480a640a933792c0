"""Plausible deniability of as many candidates as records, people counted, against two vectorised scans.

Targets at ten million × ten million × 52 attributes × 16 values with 11 sizes of ω: 20 s with all processors, 3 GiB resident, 1000
times as fast as a scan of all records, and an exponent of at most 1.05 from a million on.
"""

from __future__ import annotations

import math
import os
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks._limits import Limits
from benchmarks._measure import Target, alone, resident_bytes
from benchmarks._report import Figure, Growth, Peer, Report, Section, exponent
from synthrelease.kinds.records.deniability import deniability_test
from synthrelease.kinds.records.model import SeededModel

WORK = "deniability test, 10⁷ candidates × 10⁷ records × 52 attributes, 11 sizes of ω"
ATTRIBUTES, VALUES, GAMMA, K = 52, 16, 4.0, 8
SIZES, QUICK_SIZES = (100_000, 1_000_000, 10_000_000), (10_000, 100_000)
RECORDS_PER_PERSON = 10
OMEGAS = {"ω = 41 … 51": range(41, 52), "ω = 1 … 11": range(1, 12)}  # short and long prefixes kept
SCANNED = 20
RUNS, OFTEN = 3, 1_000_000  # larger ones are run once
PAGE = 4096  # the least that memory grows by
SECONDS, GIBIBYTES = Target(20.0, at_most=True), Target(3.0, at_most=True)
AGAINST_SCAN, GROWTH = Target(1000.0, at_most=False), Target(1.05, at_most=True)


@dataclass(frozen=True)
class Measured:
    """What one child process found."""

    one: float
    all_processors: float
    resident: int
    own: int
    sorting: float
    scan: float
    narrowing: float
    equal: bool


def run(limits: Limits, *, quick: bool = False) -> Report:
    """Test every size in a process of its own, and scan for some of the candidates."""
    sizes = QUICK_SIZES if quick else SIZES
    found: dict[str, list[Measured]] = {name: [] for name in OMEGAS}
    for name, omegas in OMEGAS.items():
        for size in sizes:
            found[name].append(alone(measure, size, tuple(omegas)))
    largest = {name: each[-1] for name, each in found.items()}
    slowest = max(largest.values(), key=lambda one: one.all_processors)
    slow = next(each for each in found.values() if each[-1] is slowest)
    growths = [exponent(sizes[-2:], [one.all_processors for one in each[-2:]]) for each in found.values()]
    size = sizes[-1]
    return Report(
        WORK,
        ("numpy", "joblib"),
        (
            Section(
                f"C candidates against C records of {ATTRIBUTES} attributes of {VALUES} values, {RECORDS_PER_PERSON} records a "
                f"person, k = {K} people, γ = {GAMMA:g}; 8-bit integers in; the least of {RUNS} runs, of one for more than {OFTEN:,}, in seconds. Each row is "
                "a process of its own; resident memory is its peak, data included. "
                f"Scans: {SCANNED} random candidates, compared with all records at once, or attribute by attribute with those "
                "that are left (narrowing); the ratio is to all C candidates at that rate. All counts must agree.",
                (
                    "sizes",
                    "C",
                    "1 thread",
                    f"{os.cpu_count()} threads",
                    "GiB",
                    "growth",
                    "scan/ours",
                    "narrowing/ours",
                    "counts",
                ),
                [row for name, each in found.items() for row in _rows(name, sizes, each)],
            ),
        ),
        (
            Figure(slowest.all_processors, f"s, {os.cpu_count()} threads", SECONDS),
            Figure(max(one.resident for one in largest.values()) / 2**30, "GiB resident", GIBIBYTES),
            Figure(
                min(one.scan * size / one.one for one in largest.values()),
                "× as fast as a vectorised scan, each with one thread",
                AGAINST_SCAN,
            ),
            Figure(max(growths), f"is the exponent from {sizes[-2]:,} on", GROWTH),
        ),
        slowest.all_processors,
        limits.least(memory=2 * ATTRIBUTES * size),
        "The limit reads records and candidates once. Here records are sorted, which visits them out of order "
        f"(`np.lexsort` of the same records by itself: {slowest.sorting:.3g} s), and candidates are located among them.",
        (Peer("a scan that narrows", slowest.narrowing * size / slowest.one),),
        Growth(
            "candidates and records", sizes, [one.all_processors for one in slow], [one.own for one in slow]
        ),
        all(one.equal for each in found.values() for one in each),
    )


def _rows(name: str, sizes: Sequence[int], found: Sequence[Measured]) -> list[list[str]]:
    rows = []
    for size, before, one in zip(sizes, (None, *found), found, strict=False):
        rows.append(
            [
                name,
                f"{size:,}",
                f"{one.one:.2f}",
                f"{one.all_processors:.2f}",
                f"{one.resident / 2**30:.2f}",
                f"× {one.one / before.one:.1f}" if before else "–",
                f"{one.scan * size / one.one:,.0f}",
                f"{one.narrowing * size / one.one:,.0f}",
                "equal" if one.equal else "DIFFERENT",
            ]
        )
    return rows


def model_of(omegas: Sequence[int]) -> SeededModel:
    """Return the model that candidates are drawn from."""
    return SeededModel([np.full(VALUES, 1 / VALUES)] * ATTRIBUTES, range(ATTRIBUTES), omegas)


def measure(size: int, omegas: tuple[int, ...]) -> Measured:
    """Test `size` candidates against `size` records; then scan for a few of them."""
    before = resident_bytes()
    rng = np.random.default_rng(size)
    model = model_of(omegas)
    records = rng.integers(0, VALUES, (size, ATTRIBUTES), dtype=np.uint8)
    people = rng.integers(0, size // RECORDS_PER_PERSON, size)
    seeds = rng.integers(0, size, size)
    candidates = rng.integers(0, VALUES, (size, ATTRIBUTES), dtype=np.uint8)
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

    runs = RUNS if size <= OFTEN else 1
    alone = [test(1)[0] for _ in range(runs)]
    together, counts = zip(*(test(os.cpu_count() or 1) for _ in range(runs)), strict=True)
    resident = resident_bytes()
    begun = time.perf_counter()
    np.lexsort(records.T[::-1])
    sorting = time.perf_counter() - begun
    rows = rng.choice(size, SCANNED, replace=False)
    by_attribute = np.ascontiguousarray(records.T)  # what makes this scan fastest
    scans: dict[bool, list[float]] = {True: [], False: []}
    equal = True
    for row in rows:
        y = candidates[row]
        for narrowing, seconds in scans.items():
            start = time.perf_counter()
            shared = _narrowed(by_attribute, y) if narrowing else _compared(records, y)
            found = _plausible_people(shared, int(seeds[row]), people, omegas)
            seconds.append(time.perf_counter() - start)
            equal &= found == counts[-1][row]
    return Measured(
        min(alone),
        min(together),
        resident,
        max(resident - before, PAGE),
        sorting,
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
