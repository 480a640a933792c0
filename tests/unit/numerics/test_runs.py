"""Runs of equal keys, and parts of rows with all rows of each owner."""

from __future__ import annotations

import numpy as np
import pytest

from synthrelease.numerics.runs import runs, whole_parts

OWNER = np.array([2, 2, 3, 7, 7, 7, 7, 7, 8, 9])


def test_runs_are_where_keys_change() -> None:
    first, counts = runs(OWNER)
    assert first.tolist() == [0, 2, 3, 8, 9]
    assert counts.tolist() == [2, 1, 5, 1, 1]


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
