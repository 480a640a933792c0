"""The trie of sorted runs against sets of rows and people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthrelease.numerics import packed_rows, prefix_trie
from synthrelease.numerics.prefix_trie import PrefixTrie

if TYPE_CHECKING:
    from collections.abc import Sequence


Row = tuple[int, ...]


def as_array(rows: Sequence[Row], columns: int) -> np.ndarray:
    return np.array(rows, dtype=np.int64).reshape(len(rows), columns)


def common(one: Row, other: Row) -> int:
    length = 0
    while length < len(one) and one[length] == other[length]:
        length += 1
    return length


@st.composite
def tries(draw: st.DrawFn) -> tuple[list[Row], list[Row], list[int], list[int]]:
    """Rows, candidates, columns and people: prefixes are shared, values small and large, people own several rows."""
    m = draw(st.integers(1, 5))
    value = st.one_of(st.integers(0, 2), st.integers(0, 2), st.sampled_from([0, 254, 255, 256, 2**40]))
    row = st.tuples(*[value] * m)
    rows = draw(st.lists(row, min_size=1, max_size=12))
    columns = draw(st.permutations(range(m)))[: draw(st.integers(1, m))]
    near = st.tuples(st.sampled_from(rows), row, st.integers(0, m)).map(
        lambda drawn: tuple(drawn[0][a] if a in columns[: drawn[2]] else drawn[1][a] for a in range(m))
    )
    rows += draw(st.lists(near, max_size=8))
    people = draw(st.lists(st.sampled_from([0, 1, 2, -5, 2**50]), min_size=len(rows), max_size=len(rows)))
    return rows, draw(st.lists(st.one_of(row, near), max_size=12)), columns, people


def check(rows: list[Row], candidates: list[Row], columns: list[int], people: list[int] | None) -> None:
    """All that a trie can tell, for every candidate and every pair of lengths."""
    m = len(rows[0])
    threads = 1 + len(rows) % 2
    trie = PrefixTrie(
        as_array(rows, m), columns, None if people is None else np.array(people), threads=threads
    )
    own = list(range(len(rows))) if people is None else people
    cut = [tuple(row[a] for a in columns) for row in rows]
    packed = trie.packed(as_array(candidates, m))
    place, length = trie.nearest(packed)
    for c, candidate in enumerate(tuple(y[a] for a in columns) for y in candidates):
        assert length[c] == max(common(candidate, row) for row in cut)
        at = place[c : c + 1]
        row = cut[trie.place_of_row.tolist().index(place[c])]
        assert common(candidate, row) == length[c]
        for outer in range(len(columns) + 1):
            under = {own[n] for n, other in enumerate(cut) if common(row, other) >= outer}
            assert trie.under(outer, at).tolist() == [len(under)]
            for inner in range(outer, len(columns) + 1):
                outside = {own[n] for n, other in enumerate(cut) if outer <= common(row, other) < inner}
                assert trie.only_under(outer, inner, at).tolist() == [len(under - outside)]
    for n, row in enumerate(cut):
        shared = trie.shared(np.full(len(candidates), trie.place_of_row[n]), packed)
        assert shared.tolist() == [common(row, tuple(y[a] for a in columns)) for y in candidates]


@given(drawn=tries())
def test_every_count_is_that_of_sets_of_people(
    drawn: tuple[list[Row], list[Row], list[int], list[int]],
) -> None:
    check(*drawn)


@given(drawn=tries())
def test_without_people_every_row_is_one(drawn: tuple[list[Row], list[Row], list[int], list[int]]) -> None:
    rows, candidates, columns, _ = drawn
    check(rows, candidates, columns, None)


@pytest.mark.parametrize("block", [1, 2, 3, 7])
def test_blocks_of_any_size_give_the_same(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefix_trie, "_BLOCK", block)
    monkeypatch.setattr(packed_rows, "_BLOCK", block)
    rng = np.random.default_rng(block)
    rows = [tuple(row) for row in rng.integers(0, 2, (30, 4)).tolist()]
    candidates = [tuple(row) for row in rng.integers(0, 3, (20, 4)).tolist()]
    check(rows, candidates, [2, 0, 1, 3], rng.integers(0, 6, 30).tolist())


@pytest.mark.parametrize("largest", [1, 254, 255, 65_534, 65_535, 2**32 - 2, 2**40, 2**62])
def test_values_at_the_ends_of_the_small_types(largest: int) -> None:
    """One value more than the rows' largest must fit, for whatever no row has: else it would wrap to 0."""
    rows = [(0, largest), (largest, 0), (largest, largest), (0, 0)]
    candidates = [(largest + 1, 0), (0, largest + 1), (largest, 2**62 + 1), (largest, largest), (0, 0)]
    check(rows, candidates, [0, 1], [1, 1, 2, 3])
    check(rows, candidates, [1], [1, 1, 2, 3])


def test_two_values_that_no_row_has_are_both_strange() -> None:
    check([(1, 1), (1, 2)], [(5, 1), (7, 1), (1, 9), (3, 3)], [0, 1], None)


def test_any_integer_type_will_do_and_nothing_is_changed() -> None:
    rows, candidates = np.array([[1, 0], [0, 1], [1, 0]]), np.array([[1, 1], [0, 1]])
    before = rows.copy(), candidates.copy()
    for kind in (np.int8, np.uint8, np.int32, np.uint64, np.int64):
        trie = PrefixTrie(rows.astype(kind), [0, 1], np.array([7, 7, 8], dtype=np.int16))
        place, length = trie.nearest(trie.packed(candidates.astype(kind)))
        assert length.tolist() == [1, 2]
        assert trie.under(1, place).tolist() == [2, 1]
    np.testing.assert_array_equal(rows, before[0])
    np.testing.assert_array_equal(candidates, before[1])


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint16, np.int64, np.uint64])
def test_rows_may_fill_their_type(kind: type[np.integer[Any]]) -> None:
    """There is no room in it for a value that no row has."""
    largest = int(np.iinfo(kind).max) if kind not in (np.int64, np.uint64) else 2**62
    rows = np.array([[0, largest], [largest, 0], [largest, largest - 1]], dtype=kind)
    trie = PrefixTrie(rows, [0, 1])
    place, length = trie.nearest(trie.packed(rows))
    assert length.tolist() == [2, 2, 2]
    assert place.tolist() == trie.place_of_row.tolist()
    few = PrefixTrie(rows[:1] * 0, [0, 1])
    assert few.nearest(few.packed(rows))[1].tolist() == [1, 0, 0]


def test_no_candidates_are_no_trouble() -> None:
    trie = PrefixTrie(np.array([[0, 1], [2, 2]]), [0, 1])
    place, length = trie.nearest(trie.packed(np.empty((0, 2), dtype=np.int64)))
    assert (place.size, length.size, trie.under(1, place).size, trie.only_under(0, 2, place).size) == (0,) * 4


def test_without_rows_there_is_nothing_to_tell() -> None:
    trie = PrefixTrie(np.empty((0, 2), dtype=np.int64), [0, 1], np.empty(0, dtype=np.int64))
    assert trie.place_of_row.size == 0
