"""Words sort and compare as the rows that they are made of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthrelease.numerics import packed_rows
from synthrelease.numerics.packed_rows import Packing

VALUES = st.one_of(st.integers(0, 3), st.sampled_from([15, 16, 255, 2**31, 2**51, 2**52 - 1, 2**52, 2**62]))


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, list[int]]:
    """Rows with many alike, of up to 40 columns, of which some are packed."""
    m = draw(st.integers(1, 40))
    values = draw(st.lists(VALUES, min_size=m, max_size=m))
    rows = np.array(draw(st.lists(st.lists(st.booleans(), min_size=m, max_size=m), max_size=12)), dtype=bool)
    columns = draw(st.permutations(range(m)))[: draw(st.integers(1, m))]
    return rows.reshape(-1, m) * np.array(values), columns


@given(table=tables())
def test_rows_are_sorted_column_by_column(table: tuple[np.ndarray, list[int]]) -> None:
    rows, columns = table
    packing = Packing(rows.max(axis=0, initial=0), columns)
    ordered = rows[packing.order(packing.packed(rows))][:, columns].tolist()
    assert ordered == sorted(rows[:, columns].tolist())
    assert sorted(packing.near_order(rows).tolist()) == list(range(len(rows)))


@given(table=tables(), higher=st.integers(0, 3))
def test_shared_columns_are_counted(table: tuple[np.ndarray, list[int]], higher: int) -> None:
    """Values above the largest of a column are alike with none."""
    rows, columns = table
    packing = Packing(rows.max(axis=0, initial=0), columns)
    others = rows.copy()
    others[::2, columns[-1]] += higher
    places = np.arange(len(rows))[::-1]
    shared = packing.shared(packing.packed(rows), places, packing.packed(others))
    for number, (one, other) in enumerate(zip(rows[places][:, columns], others[:, columns], strict=True)):
        differ = (one != other).tolist()
        assert shared[number] == (differ.index(True) if any(differ) else len(columns))


@pytest.mark.parametrize("largest", [1, 15, 16, 2**20, 2**52 - 1, 2**60])
def test_every_bit_of_every_column_counts(largest: int) -> None:
    """Two rows that differ in one bit of one column share the columns before it, and are sorted by it; words are full to the last bit."""
    m = 30
    order = np.random.default_rng(m).permutation(m).tolist()
    packing = Packing(np.full(m, largest), order)
    for place, column in enumerate(order):
        for bit in {0, 1 % largest.bit_length(), largest.bit_length() - 1}:
            rows = np.zeros((2, m), dtype=np.int64)
            rows[0, column] = 1 << bit
            packed = packing.packed(rows)
            assert packing.shared(packed, slice(None, 1), packed.at(slice(1, None))).tolist() == [place]
            assert packing.order(packed).tolist() == [1, 0]


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_and_blocks_change_nothing(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).integers(0, 16, (100, 30), dtype=np.uint8)
    packing = Packing(rows.max(axis=0), range(30))
    at_once = packing.packed(rows)
    monkeypatch.setattr(packed_rows, "_BLOCK", 7)
    in_parts = packing.packed(rows, threads=threads)
    for one, other in zip(at_once.words, in_parts.words, strict=True):
        np.testing.assert_array_equal(one, other)
    assert len(at_once.words) == 3  # 13 columns of 4 bits in each
    np.testing.assert_array_equal(packing.near_order(rows), packing.near_order(rows, threads=threads))
