"""The test of plausible deniability for records and candidates on disk, of any number, in as much memory as a part of them takes.

The seed, and all who could have been it, share the first m − max Ω attributes with the candidate. So records and candidates are divided
by the first of these, in ranges of their values, and each part is tested by itself. Where nothing is kept for some ω, or many records begin
alike, a part has more records than fit: it is divided by people, since k′ is a sum over people (`records.proof.md`).
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.errors import DataError
from synthrelease.files.atomic import OWNER_ALONE, move_into_place
from synthrelease.files.partial_files import Partial, partials
from synthrelease.files.unwritable import refuse_replacing, refuse_taken, writing
from synthrelease.kinds.records.deniability import SeedSet, kept_numbers
from synthrelease.kinds.records.model import SeededModel
from synthrelease.kinds.records.record_files import RecordFile
from synthrelease.numerics.runs import runs
from synthrelease.parallel import Call, Job, Pool, Progress, Round, pool_of, run

PART_ROWS = 1 << 22  # records of a part, and candidates, about
_BLOCK_ROWS = 1 << 20  # read at once
_COUNTED_ROWS = 1 << 16  # of each part, when parts are joined
_MOST_KEYS = 1 << 18  # values of the attributes that parts are made by, all together
_COUNTED = np.dtype([("row", np.int64), ("plausible", np.int64)])
# SplitMix64's increment: people with neighbouring numbers go to different groups.
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class DeniabilityOnDisk:
    """What the test of candidates on disk found.

    Attributes:
        path: Parquet, one row for each candidate, in their order: `plausible`, k′, and `passed`, whether k′ ≥ k.
        candidates: how many there are.
        passed: how many of them pass.
    """

    path: Path
    candidates: int
    passed: int


def deniability_test_on_disk(
    model: SeededModel,
    candidates: str | Path,
    records: str | Path,
    target: str | Path,
    *,
    attributes: Sequence[str],
    seed: str,
    person: str | None = None,
    k: int,
    gamma: float,
    jobs: int = 1,
    scheduler: str | None = None,
    part_rows: int = PART_ROWS,
    force: bool = False,
    progress: Progress | None = None,
) -> DeniabilityOnDisk:
    """Run Privacy Test 1 on every candidate of a file against all records of another, exactly as `deniability_test` does.

    Memory grows with `part_rows` and not with the files. Both are divided into parts in a private folder next to the target, which takes
    about as much room as they do unpacked, and is removed in the end.

    Args:
        model: what candidates were drawn from.
        candidates: a table (Parquet, and whatever plans read), or HDF5, of category numbers.
        records: likewise.
        target: Parquet, for its owner alone: which candidates pass depends on the records.
        attributes: the columns in the order of the model's attributes; of HDF5, arrays of shape (N,), or one of shape (N, m).
        seed: the candidates' column with the row of `records`, from 0, that each was made from.
        person: the records' column with the number of each record's person; None counts records.
        k: how many plausible seeds are asked for.
        gamma: γ > 1.
        jobs: processes of this machine.
        scheduler: the address of a Dask cluster whose workers can reach the files and the target's folder; None for this machine.
        part_rows: records, and candidates, of a part, about. Of 52 attributes, one of each takes about 300 bytes in every process.
        force: replace a file of the target's name.
        progress: called with what is being done, how much of it is done, and of how much.

    Raises:
        ValueError: k < 1, γ ≤ 1, ω = 0, or parts without rows.
        DataError: a file cannot be used, or a seed is no record.
        MachineError: the target exists, or the disk, the folder or a permission is in the way.
    """
    if k < 1:
        raise ValueError(f"Expected k >= 1, found k={k}")
    if not gamma > 1:
        raise ValueError(f"Expected gamma > 1, found gamma={gamma}: γ = 1 leaves every interval empty")
    if part_rows < 1:
        raise ValueError(f"Expected part_rows >= 1, found part_rows={part_rows}")
    real = RecordFile(Path(records), tuple(attributes), person or "")
    made = RecordFile(Path(candidates), tuple(attributes), seed)
    target = Path(target)
    refuse_taken(target, force=force)
    refuse_replacing(target, (("records", real.path), ("candidates", made.path)), "the counts")
    pool = pool_of(jobs) if scheduler is None else _cluster(scheduler, jobs)
    with partials(target, folder=True) as (folder,), writing(target):
        whole = folder.path / "counts.parquet"
        test = _Test(model, gamma, real, made, folder.path, part_rows)
        count, passed = run(test.job(k, whole), pool, progress=progress)
        with whole.open("r+b") as file:
            move_into_place(Partial(whole, target, file.fileno()), force=force, mode=OWNER_ALONE)
    return DeniabilityOnDisk(target, count, passed)


def _cluster(scheduler: str, jobs: int) -> Pool:
    from synthrelease.parallel.cluster import Cluster  # noqa: PLC0415  an extra

    return Cluster(scheduler, jobs)


@dataclass(frozen=True)
class _Test:
    """What every process knows of a test."""

    model: SeededModel
    gamma: float
    records: RecordFile
    candidates: RecordFile
    folder: Path
    part_rows: int

    @property
    def categories(self) -> list[int]:
        """How many categories each attribute has."""
        return [table.shape[-1] for table in self.model.marginals]

    def job(self, k: int, target: Path) -> Job[tuple[int, int]]:
        """Count, divide, test and join; how many candidates there are, and how many pass."""
        files = self.records, self.candidates
        keys = yield Round("counting records", [Call(_counts_of_keys, (self, file)) for file in files])
        part_of_key = _parts(keys, self.part_rows)
        records, candidates = yield Round(
            "dividing records", [Call(_divide, (self, file, part_of_key)) for file in files]
        )
        # Parts without a candidate have nothing to count.
        parts = np.unique(part_of_key[keys[1] > 0]).tolist()
        counted: list[Path] = []
        if parts:
            counted = yield Round(
                "testing candidates",
                [
                    Call(_count_part, (self, records.of(part), candidates.of(part), records.rows))
                    for part in parts
                ],
            )
        return candidates.rows, _join(counted, candidates.rows, k, target)

    def key_columns(self) -> list[int]:
        """The attributes that parts are made by: the first of those that are kept for every ω."""
        columns: list[int] = []
        keys = 1
        for column in self.model.order[: kept_numbers(self.model)[0]]:
            keys *= self.categories[column]
            if keys > _MOST_KEYS:
                break
            columns.append(column)
        return columns

    def keys(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """The number of these attributes' values, in their order, shape (n,)."""
        key = np.zeros(len(values), dtype=np.int64)
        for column in self.key_columns():
            key *= self.categories[column]
            key += values[:, column]
        return key

    @property
    def stored(self) -> np.dtype[Any]:
        """A row of a part: category numbers, its own number, and whose it is or was made from."""
        kind = np.min_scalar_type(max(self.categories) - 1)
        return np.dtype([("values", kind, len(self.categories)), ("row", np.int64), ("number", np.int64)])

    def stretches(self, path: Path) -> Iterator[NDArray[Any]]:
        """Yield the rows of a part, in their order, at most `part_rows` at a time."""
        stored = self.stored
        for start in range(0, self.rows(path), self.part_rows):
            yield np.fromfile(path, stored, self.part_rows, offset=start * stored.itemsize)

    def rows(self, path: Path) -> int:
        """Return how many rows a part has."""
        return path.stat().st_size // self.stored.itemsize if path.exists() else 0

    def groups(self, path: Path) -> Iterator[NDArray[Any]]:
        """Yield the records of a part, in groups of people of about `part_rows` records, one person at least."""
        groups = -(-self.rows(path) // self.part_rows)
        if groups <= 1:
            yield from self.stretches(path)
            return
        for group in range(groups):
            rows = [some[_group_of(some["number"], groups) == group] for some in self.stretches(path)]
            if any(some.size for some in rows):
                yield np.concatenate(rows)

    def seeds(self, records: NDArray[Any]) -> SeedSet:
        """Rows of a part as seeds."""
        return SeedSet(self.model, records["values"], records["number"] if self.records.number else None)


@dataclass(frozen=True)
class _Divided:
    """A file's rows by parts."""

    folder: Path
    rows: int

    def of(self, part: int) -> Path:
        """Where the rows of a part are, if it has any."""
        return self.folder / str(part)


def _group_of(people: NDArray[np.int64], groups: int) -> NDArray[np.int64]:
    mixed = people.view(np.uint64) * _SPREAD
    return ((mixed >> np.uint64(32)) % np.uint64(groups)).astype(np.int64)


def _counts_of_keys(test: _Test, file: RecordFile) -> NDArray[np.int64]:
    """How many records have each value of the attributes that parts are made by."""
    columns = test.key_columns()
    counts = np.zeros(math.prod(test.categories[column] for column in columns), dtype=np.int64)
    for values, _ in file.blocks(test.categories, _BLOCK_ROWS):
        counts += np.bincount(test.keys(values), minlength=counts.size)
    return counts


def _parts(counts: Sequence[NDArray[np.int64]], part_rows: int) -> NDArray[np.int64]:
    """The number of every key's part: a range of keys of at most `part_rows` records, and candidates, or one key."""
    part_of_key = np.zeros_like(counts[0])
    records = candidates = part = 0
    for key in np.flatnonzero(counts[0] + counts[1]).tolist():
        more_records, more_candidates = int(counts[0][key]), int(counts[1][key])
        is_full = records + more_records > part_rows or candidates + more_candidates > part_rows
        if is_full and records + candidates:
            part, records, candidates = part + 1, 0, 0
        records += more_records
        candidates += more_candidates
        part_of_key[key] = part
    return part_of_key


def _divide(test: _Test, file: RecordFile, part_of_key: NDArray[np.int64]) -> _Divided:
    """Write the rows of a file into those of its parts."""
    # A folder of its own each time: a call that is made again begins anew.
    folder = Path(tempfile.mkdtemp(dir=test.folder))
    start = 0
    for values, numbers in file.blocks(test.categories, _BLOCK_ROWS):
        part = part_of_key[test.keys(values)]
        order = np.argsort(part.astype(np.uint32), kind="stable")
        part = part[order]
        block = np.empty(len(values), dtype=test.stored)
        block["values"], block["number"], block["row"] = values[order], numbers[order], order + start
        for first, rows in zip(*runs(part), strict=True):
            with (folder / str(part[first])).open("ab") as out:
                block[first : first + rows].tofile(out)
        start += len(values)
    return _Divided(folder, start)


def _count_part(test: _Test, records: Path, candidates: Path, record_count: int) -> Path:
    """Count the plausible seeds of a part's candidates, and return where."""
    handle, name = tempfile.mkstemp(dir=test.folder)
    with open(handle, "wb") as out:  # noqa: PTH123  it is open
        for some in test.stretches(candidates):
            if some["number"].max() >= record_count:
                row = int(some["row"][some["number"].argmax()])
                raise DataError(
                    "seed-not-a-record",
                    "a candidate's seed is no record",
                    where=f"{test.candidates.path}, row {row}",
                    expected="the row of a record, the first being 0",
                    remedy="number the records as they stand in their file",
                )
            counted = np.empty(len(some), dtype=_COUNTED)
            counted["row"], counted["plausible"] = some["row"], _plausible(test, records, some)
            counted.tofile(out)
    return Path(name)


def _plausible(test: _Test, part: Path, candidates: NDArray[Any]) -> NDArray[np.int64]:
    """k′ of some candidates of a part. A candidate whose seed is in another part cannot have come from it: 0."""
    low, high = np.zeros(len(candidates), dtype=np.int16), np.full(len(candidates), -1, dtype=np.int16)
    counts = np.zeros(len(candidates), dtype=np.int64)
    seeds: SeedSet | None = None
    groups = 0
    for groups, records in enumerate(test.groups(part), 1):  # noqa: B007  how many there were
        seeds = test.seeds(records)
        place = np.searchsorted(records["row"], candidates["number"])
        here = np.flatnonzero(records["row"].take(place, mode="clip") == candidates["number"])
        low[here], high[here] = seeds.intervals(candidates["values"][here], place[here], gamma=test.gamma)
    if groups == 1 and seeds is not None:
        return seeds.counts(candidates["values"], low, high)
    for records in test.groups(part) if groups else ():
        counts += test.seeds(records).counts(candidates["values"], low, high)
    return counts


class _InOrder:
    """What was counted of a part, whose rows increase, some at a time."""

    def __init__(self, path: Path) -> None:
        self._path, self._read = path, 0
        self._rest = np.zeros(0, dtype=_COUNTED)

    def until(self, row: int) -> NDArray[Any]:
        """The next ones, up to a row."""
        pieces = [self._rest]
        while not pieces[-1].size or pieces[-1]["row"][-1] < row:
            more = np.fromfile(self._path, _COUNTED, _COUNTED_ROWS, offset=self._read * _COUNTED.itemsize)
            if not more.size:
                break
            self._read += more.size
            pieces.append(more)
        rows = np.concatenate(pieces)
        end = int(np.searchsorted(rows["row"], row))
        self._rest = rows[end:]
        return rows[:end]


def _join(counted: Sequence[Path], candidates: int, k: int, target: Path) -> int:
    """Write what was counted in the order of candidates; how many of them pass."""
    parts = [_InOrder(path) for path in counted]
    pieces: list[Path] = []
    passed = 0
    for start in range(0, max(candidates, 1), _BLOCK_ROWS):
        stop = min(start + _BLOCK_ROWS, candidates)
        plausible = np.zeros(stop - start, dtype=np.int64)
        for part in parts:
            some = part.until(stop)
            plausible[some["row"] - start] = some["plausible"]
        frame = pl.DataFrame({"plausible": plausible, "passed": plausible >= k})
        passed += int(frame["passed"].sum())
        pieces.append(target.with_name(f"{len(pieces)}.part"))
        frame.write_parquet(pieces[-1])
    pl.concat([pl.scan_parquet(piece, glob=False) for piece in pieces]).sink_parquet(target)
    return passed
