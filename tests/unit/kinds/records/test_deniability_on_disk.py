"""The test on disk counts what the test in memory counts, whatever parts are made of."""

from __future__ import annotations

import itertools
import math
import stat
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import polars as pl
import pytest

from synthrelease.arrays import deniability_test, deniability_test_on_disk
from synthrelease.errors import DataError, MachineError
from synthrelease.kinds.records import deniability_on_disk as module
from synthrelease.kinds.records.deniability_on_disk import DeniabilityOnDisk
from synthrelease.kinds.records.model import SeededModel

M, CATEGORIES = 6, 3


def table(values: np.ndarray, **more: np.ndarray) -> pl.DataFrame:
    return pl.DataFrame({f"a{n}": values[:, n] for n in range(values.shape[1])} | more)


def invented(rows: int, resampled: tuple[int, ...], seed: int = 0) -> dict[str, Any]:
    """Records of which many are alike, candidates near their seeds, and some that are not."""
    draw = np.random.default_rng(seed)
    records = draw.integers(0, CATEGORIES, (rows, M), dtype=np.int8) * (draw.random((rows, M)) < 0.6)
    people = draw.integers(0, rows // 4, rows)
    seeds = draw.integers(0, rows, 2 * rows)
    candidates = draw.integers(0, CATEGORIES, (2 * rows, M), dtype=np.int8)
    kept = draw.integers(0, M, 2 * rows)
    np.copyto(candidates, records[seeds], where=np.arange(M) < kept[:, None])
    model = SeededModel([np.full(CATEGORIES, 1 / CATEGORIES)] * M, range(M), resampled)
    return {"model": model, "records": records, "people": people, "candidates": candidates, "seeds": seeds}


def written(folder: Path, data: dict[str, Any], ending: str = "parquet") -> tuple[Path, Path]:
    made, real = folder / f"candidates.{ending}", folder / f"records.{ending}"
    candidates, records = (
        table(data["candidates"], seed=data["seeds"]),
        table(data["records"], who=data["people"]),
    )
    if ending == "csv":
        candidates.write_csv(made)
        records.write_csv(real)
    else:
        candidates.write_parquet(made)
        records.write_parquet(real)
    return made, real


def on_disk(
    folder: Path, data: dict[str, Any], *, files: tuple[Path, Path] | None = None, **options: Any
) -> DeniabilityOnDisk:
    made, real = files or written(folder, data)
    how = {"attributes": [f"a{n}" for n in range(data["records"].shape[1])], "seed": "seed", "person": "who"}
    how |= {"k": 3, "gamma": 2.0, "force": True}
    return deniability_test_on_disk(data["model"], made, real, folder / "counts.parquet", **(how | options))


def in_memory(data: dict[str, Any], *, gamma: float = 2.0, by_person: bool = True) -> list[int]:
    people = data["people"] if by_person else None
    result = deniability_test(
        data["model"], data["candidates"], data["seeds"], data["records"], people=people, k=3, gamma=gamma
    )
    return result.plausible.tolist()


@pytest.mark.parametrize("part_rows", [9, 30, 10_000])
@pytest.mark.parametrize(
    "resampled", [(1, 2), (3,), (2, 5, 6)], ids=["many kept", "half kept", "nothing kept"]
)
def test_parts_of_any_size_give_the_counts_of_all(
    tmp_path: Path, part_rows: int, resampled: tuple[int, ...]
) -> None:
    data = invented(80, resampled)
    for by_person in (True, False):
        expected = in_memory(data, by_person=by_person)
        found = on_disk(tmp_path, data, part_rows=part_rows, person="who" if by_person else None)
        counts = pl.read_parquet(found.path)
        assert counts["plausible"].to_list() == expected
        assert counts["passed"].to_list() == [count >= 3 for count in expected]
        assert (found.candidates, found.passed) == (160, sum(count >= 3 for count in expected))
        assert len(set(expected)) > 5


def test_blocks_orders_and_sizes_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Attributes of several sizes, in another order than that of the columns, each with the one before it as its parent."""
    monkeypatch.setattr(module, "_BLOCK_ROWS", 7)
    monkeypatch.setattr(module, "_COUNTED_ROWS", 3)
    monkeypatch.setattr(module, "_MOST_KEYS", 12)
    for number in range(8):
        draw = np.random.default_rng(number)
        m = int(draw.integers(2, 6))
        order, sizes = draw.permutation(m).tolist(), draw.integers(1, 5, m)
        parents: list[tuple[int, ...]] = [()] * m
        for before, a in itertools.pairwise(order):
            parents[a] = (before,)
        tables = [draw.dirichlet(np.ones(sizes[a]), [sizes[b] for b in parents[a]] or None) for a in range(m)]
        resampled = draw.choice(np.arange(1, m + 1), draw.integers(1, m + 1), replace=False).tolist()
        data = invented(30, tuple(resampled), number)
        data["records"] = data["records"][:, :m] % sizes
        data["candidates"] = data["candidates"][:, :m] % sizes
        data["model"] = SeededModel(tables, order, resampled, parents)
        found = on_disk(tmp_path, data, part_rows=int(draw.integers(1, 12)))
        assert pl.read_parquet(found.path)["plausible"].to_list() == in_memory(data)


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_processes_and_formats_change_nothing(tmp_path: Path, jobs: int) -> None:
    data = invented(150, (1, 3))
    expected = in_memory(data)
    for ending in ("parquet", "csv"):
        found = on_disk(tmp_path, data, files=written(tmp_path, data, ending), part_rows=40, jobs=jobs)
        assert pl.read_parquet(found.path)["plausible"].to_list() == expected
    made, real = tmp_path / "candidates.h5", tmp_path / "records.h5"
    with h5py.File(made, "w") as file:
        file["values"], file["seed"] = data["candidates"], data["seeds"]
    with h5py.File(real, "w") as file:
        file["values"], file["who"] = data["records"], data["people"]
    found = on_disk(tmp_path, data, files=(made, real), attributes=["values"], part_rows=40, jobs=jobs)
    assert pl.read_parquet(found.path)["plausible"].to_list() == expected
    with h5py.File(made, "w") as file:
        for n in range(M):
            file[f"in/a{n}"] = data["candidates"][:, n]
        file["seed"] = data["seeds"]
    with h5py.File(real, "w") as file:
        for n in range(M):
            file.create_dataset(f"in/a{n}", data=data["records"][:, n], chunks=(7,), compression="gzip")
        file["who"] = data["people"]
    found = on_disk(
        tmp_path, data, files=(made, real), attributes=[f"in/a{n}" for n in range(M)], part_rows=40
    )
    assert pl.read_parquet(found.path)["plausible"].to_list() == expected


def test_only_the_owner_may_read_and_nothing_else_is_left(tmp_path: Path) -> None:
    found = on_disk(tmp_path, invented(40, (2,)))
    assert stat.S_IMODE(found.path.stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "candidates.parquet",
        "counts.parquet",
        "records.parquet",
    ]


def refused(folder: Path, data: dict[str, Any], code: str, **options: Any) -> DataError:
    with pytest.raises(DataError) as refusal:
        on_disk(folder, data, **options)
    assert refusal.value.code == code
    assert sorted(path.name for path in folder.iterdir()) == ["candidates.parquet", "records.parquet"]
    return refusal.value


def test_what_is_no_category_is_refused_with_its_place(tmp_path: Path) -> None:
    data = invented(40, (2,))
    for value, found in ((CATEGORIES, "row 7"), (-1, "row 7")):
        data["records"] = invented(40, (2,))["records"]
        data["records"][7, 2] = value
        error = refused(tmp_path, data, "bad-category-number")
        assert f"{found}, column 'a2'" in error.where
        assert str(CATEGORIES - 1) in error.expected
    data = invented(40, (2,))
    made, real = written(tmp_path, data)
    for column, code in (("a1", "bad-category-number"), ("who", "bad-record-number")):
        frame = pl.read_parquet(real)
        holed = frame.with_columns(
            pl.when(pl.row_index() == 5).then(None).otherwise(pl.col(column)).alias(column)
        )
        holed.write_parquet(tmp_path / "records.parquet")
        assert f"row 5, column '{column}'" in refused(tmp_path, data, code, files=(made, real)).where
        frame.with_columns(pl.col(column).cast(pl.Float64)).write_parquet(real)
        refused(tmp_path, data, code, files=(made, real))
        frame.write_parquet(real)


def test_a_seed_that_is_no_record_is_refused(tmp_path: Path) -> None:
    data = invented(40, (2,))
    data["seeds"][11] = 40
    assert "row 11" in refused(tmp_path, data, "seed-not-a-record", part_rows=5).where


def test_other_attributes_than_the_models_are_refused(tmp_path: Path) -> None:
    refused(tmp_path, invented(40, (2,)), "wrong-attributes", attributes=["a0", "a1"])
    refused(tmp_path, invented(40, (2,)), "unknown-column", attributes=["a0", "b1"])


def test_no_file_is_replaced_unasked_and_none_that_is_read(tmp_path: Path) -> None:
    data = invented(40, (2,))
    (tmp_path / "counts.parquet").write_text("mine")
    with pytest.raises(MachineError) as refusal:
        on_disk(tmp_path, data, force=False)
    assert refusal.value.code == "file-exists"
    assert (tmp_path / "counts.parquet").read_text() == "mine"
    with pytest.raises(MachineError):
        deniability_test_on_disk(
            data["model"],
            *written(tmp_path, data),
            tmp_path / "records.parquet",
            attributes=[f"a{n}" for n in range(M)],
            seed="seed",
            k=1,
            gamma=2.0,
            force=True,
        )
    assert pl.read_parquet(tmp_path / "records.parquet").height == 40


@pytest.mark.parametrize(
    ("option", "value"), [("k", 0), ("gamma", 1.0), ("gamma", math.nan), ("part_rows", 0)]
)
def test_numbers_without_a_meaning_are_refused(tmp_path: Path, option: str, value: float) -> None:
    with pytest.raises(ValueError, match=option):
        on_disk(tmp_path, invented(40, (2,)), **{option: value})


def test_no_candidate_is_no_trouble(tmp_path: Path) -> None:
    data = invented(40, (2,))
    made, real = tmp_path / "candidates.h5", tmp_path / "records.h5"
    with h5py.File(made, "w") as file:
        file["values"], file["seed"] = data["candidates"][:0], data["seeds"][:0]
    with h5py.File(real, "w") as file:
        file["values"], file["who"] = data["records"], data["people"]
    found = on_disk(tmp_path, data, files=(made, real), attributes=["values"])
    assert (found.candidates, found.passed) == (0, 0)
    assert pl.read_parquet(found.path).height == 0


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ({"seed": np.zeros(80, dtype=np.int64)}, "bad-array"),
        ({"values": np.zeros((80, M)), "seed": np.zeros(80, dtype=np.int64)}, "bad-array"),
        (
            {"values": np.zeros((80, M), dtype=np.int8), "seed": np.zeros(79, dtype=np.int64)},
            "unequal-arrays",
        ),
        (None, "bad-hdf5"),
    ],
    ids=["missing", "no whole numbers", "too few seeds", "no HDF5"],
)
def test_arrays_that_cannot_be_used_are_refused(
    tmp_path: Path, content: dict[str, np.ndarray] | None, code: str
) -> None:
    data = invented(40, (2,))
    real, made = tmp_path / "records.h5", tmp_path / "candidates.h5"
    with h5py.File(real, "w") as file:
        file["values"], file["who"] = data["records"], data["people"]
    if content is None:
        made.write_bytes(real.read_bytes()[:900])
    else:
        with h5py.File(made, "w") as file:
            for name, array in content.items():
                file[name] = array
    with pytest.raises(DataError) as refusal:
        on_disk(tmp_path, data, files=(made, real), attributes=["values"])
    assert refusal.value.code == code
    assert not (tmp_path / "counts.parquet").exists()
