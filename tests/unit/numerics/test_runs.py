"""Runs of equal keys, and parts of rows with all rows of each owner."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthrelease.numerics import runs as module
from synthrelease.numerics.runs import (
    rows_of_runs,
    runs,
    sorted_keys,
    sorted_rows,
    stable_order,
    whole_blocks,
    whole_parts,
)

OWNER = np.array([2, 2, 3, 7, 7, 7, 7, 7, 8, 9])


def test_runs_are_where_keys_change() -> None:
    first, counts = runs(OWNER)
    assert first.tolist() == [0, 2, 3, 8, 9]
    assert counts.tolist() == [2, 1, 5, 1, 1]


def test_of_no_keys_there_is_no_run() -> None:
    assert [found.size for found in runs(np.zeros(0, dtype=np.int64))] == [0, 0]


@given(st.lists(st.integers(-2, 4), max_size=30))
def test_rows_are_sorted_as_by_a_stable_sort(keys: list[int]) -> None:
    key = np.array(keys, dtype=np.int64)
    assert sorted_rows(key).tolist() == np.argsort(key, kind="stable").tolist()
    assert sorted_rows(np.sort(key)).tolist() == list(range(key.size))
    assert rows_of_runs(*runs(key)).tolist() == list(range(key.size))


@pytest.mark.parametrize("threads", [1, 2, 5])
@given(keys=st.lists(st.one_of(st.integers(-2, 4), st.integers(-(2**62), 2**62)), max_size=40))
def test_keys_are_sorted_by_any_number_of_threads(keys: list[int], threads: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_SORTED_ALONE", 1)
        patch.setattr(module, "_SAMPLED", 1)
        key = np.array(keys, dtype=np.int64)
        assert sorted_keys(key.copy(), threads=threads).tolist() == sorted(keys)
        assert stable_order(key, threads=threads).tolist() == np.argsort(key, kind="stable").tolist()


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 100])
def test_blocks_hold_whole_owners(rows: int) -> None:
    blocks = list(whole_blocks(OWNER, rows))
    assert np.concatenate([OWNER[here] for here in blocks]).tolist() == OWNER.tolist()
    assert sum(len(set(OWNER[here].tolist())) for here in blocks) == len(set(OWNER.tolist()))
    assert all(here.stop - here.start >= rows for here in blocks[:-1])
    assert not list(whole_blocks(OWNER[:0], rows))


@pytest.mark.parametrize("rows_per_owner", [0, 2])
@pytest.mark.parametrize("rows", [1, 3, 4, 100])
def test_parts_follow_one_another_and_divide_no_owner(rows: int, rows_per_owner: int) -> None:
    parts = list(whole_parts(OWNER, rows=rows, rows_per_owner=rows_per_owner))
    assert np.concatenate([OWNER[here] for here, _, _ in parts]).tolist() == OWNER.tolist()
    assert sum(owners for _, _, owners in parts) == len(set(OWNER.tolist()))
    for here, owner, owners in parts:
        assert owner.tolist() == np.unique(OWNER[here], return_inverse=True)[1].tolist()
        assert owners == len(set(OWNER[here].tolist()))
        assert owners == 1 or here.stop - here.start <= 2 * rows


def test_what_owners_take_counts() -> None:
    owner = np.repeat(np.arange(100), 3)
    assert [owners for _, _, owners in whole_parts(owner, rows=100, rows_per_owner=7)] == [10] * 10
    assert [owners for _, _, owners in whole_parts(owner, rows=30)] == [9] + [10] * 9 + [1]


def test_without_rows_there_is_no_part() -> None:
    assert not list(whole_parts(np.zeros(0, dtype=np.int64), rows=10))
