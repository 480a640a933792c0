"""The trie of prefixes against one made of dictionaries and tuples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthrelease.maths.prefix_trie import ABSENT, levels

if TYPE_CHECKING:
    from collections.abc import Sequence

many = settings(derandomize=True, deadline=None, max_examples=150)

Row = tuple[int, ...]
Expected = list[tuple[int, int, list[int], list[int]]]


def as_array(rows: Sequence[Row], columns: int) -> np.ndarray:
    return np.array(rows, dtype=np.int64).reshape(len(rows), columns)


def oracle(records: Sequence[Row], candidates: Sequence[Row], lengths: Sequence[int]) -> Expected:
    """Level by level: parents in order of their number, under each its values in increasing order."""
    number: dict[Row, int] = {(): 0}
    expected: Expected = []
    for length in range(max(lengths, default=-1) + 1):
        if length > 0:
            children: dict[Row, set[int]] = {prefix: set() for prefix in number}
            for record in records:
                children[record[: length - 1]].add(record[length - 1])
            parents = sorted(number, key=lambda prefix: number[prefix])
            ordered = [(*prefix, value) for prefix in parents for value in sorted(children[prefix])]
            number = {prefix: n for n, prefix in enumerate(ordered)}
        if length in lengths:
            expected.append(
                (
                    length,
                    len(number),
                    [number[record[:length]] for record in records],
                    [number.get(candidate[:length], ABSENT) for candidate in candidates],
                )
            )
    return expected


def found(
    records: Sequence[Row], candidates: Sequence[Row], lengths: Sequence[int], columns: int
) -> Expected:
    return [
        (level.length, level.nodes, level.of_records.tolist(), level.of_candidates.tolist())
        for level in levels(as_array(records, columns), as_array(candidates, columns), lengths)
    ]


@st.composite
def tries(draw: st.DrawFn) -> tuple[list[Row], list[Row], list[int], int]:
    """Few values, so that prefixes are shared; some large ones; candidates beside and among the records."""
    columns = draw(st.integers(0, 5))
    value = st.one_of(st.integers(0, 2), st.integers(0, 2), st.sampled_from([0, 5, 1000, 2**30]))
    row = st.tuples(*[value] * columns)
    records = draw(st.lists(row, min_size=1, max_size=12))
    near = st.tuples(st.sampled_from(records), row, st.integers(0, columns)).map(
        lambda drawn: drawn[0][: drawn[2]] + drawn[1][drawn[2] :]
    )
    candidates = draw(st.lists(st.one_of(row, near), max_size=12))
    lengths = draw(st.lists(st.integers(0, columns), max_size=columns + 3))
    return records, candidates, lengths, columns


@many
@given(trie=tries())
def test_levels_are_those_of_a_trie_of_tuples(trie: tuple[list[Row], list[Row], list[int], int]) -> None:
    records, candidates, lengths, columns = trie
    assert found(records, candidates, lengths, columns) == oracle(records, candidates, lengths)


@many
@given(trie=tries(), data=st.data())
def test_the_numbers_do_not_depend_on_the_order_of_the_records(
    trie: tuple[list[Row], list[Row], list[int], int], data: st.DataObject
) -> None:
    records, candidates, lengths, columns = trie
    shuffled = data.draw(st.permutations(records))
    before, after = (found(rows, candidates, lengths, columns) for rows in (records, shuffled))
    assert [level[1] for level in after] == [level[1] for level in before]
    assert [level[3] for level in after] == [level[3] for level in before]
    for one, other in zip(before, after, strict=True):
        node = dict(zip(records, one[2], strict=True))
        assert [node[record] for record in shuffled] == other[2]


def test_a_large_trie_agrees_too() -> None:
    rng = np.random.default_rng(0)
    records = [tuple(row) for row in rng.integers(0, 3, (400, 9)).tolist()]
    candidates = [tuple(row) for row in rng.integers(0, 3, (300, 9)).tolist()]
    expected = oracle(records, candidates, range(10))
    assert found(records, candidates, range(10), 9) == expected
    absent = [level[3].count(ABSENT) for level in expected]
    assert absent[0] == 0
    assert 0 < absent[7] < absent[9] < 300


@pytest.mark.parametrize(
    ("lengths", "yielded"),
    [([], []), ([0], [0]), ([3], [3]), ([2, 0, 2, 1], [0, 1, 2]), (range(4), [0, 1, 2, 3])],
)
def test_only_the_levels_asked_for_come_once_each_in_increasing_order(
    lengths: Sequence[int], yielded: list[int]
) -> None:
    records = as_array([(0, 1, 2), (0, 1, 1)], 3)
    assert [level.length for level in levels(records, records, lengths)] == yielded


def test_the_root_is_one_node_of_all() -> None:
    (level,) = levels(as_array([(4,), (2,), (4,)], 1), as_array([(9,), (4,)], 1), [0])
    assert (level.nodes, level.of_records.tolist(), level.of_candidates.tolist()) == (1, [0, 0, 0], [0, 0])


def test_nodes_are_numbered_by_parent_and_then_by_value() -> None:
    records = as_array([(7, 0), (2, 9), (2, 3), (7, 0), (5, 1)], 2)
    candidates = as_array([(2, 3), (2, 0), (7, 0), (3, 9), (9, 9), (0, 0)], 2)
    first, second = levels(records, candidates, [1, 2])
    assert first.of_records.tolist() == [2, 0, 0, 2, 1]
    assert first.of_candidates.tolist() == [0, 0, 2, ABSENT, ABSENT, ABSENT]
    assert second.of_records.tolist() == [3, 1, 0, 3, 2]
    assert second.of_candidates.tolist() == [0, ABSENT, 3, ABSENT, ABSENT, ABSENT]
    assert (first.nodes, second.nodes) == (3, 4)


def test_a_candidate_that_left_the_trie_never_returns() -> None:
    """After the strange first value come values that records have; no key may meet theirs by accident."""
    records = as_array([(a, b, c) for a in range(3) for b in range(3) for c in range(3)], 3)
    candidates = as_array([(8, b, c) for b in range(9) for c in range(9)], 3)
    for level in levels(records, candidates, [1, 2, 3]):
        assert set(level.of_candidates.tolist()) == {ABSENT}


def test_a_candidate_with_a_value_larger_than_any_record_meets_no_other_node() -> None:
    """With a radix of the records alone, (0, 3) would have the key of (1, 0)."""
    records = as_array([(0, 0), (1, 0), (1, 2)], 2)
    (level,) = levels(records, as_array([(0, 3), (0, 5), (1, 0)], 2), [2])
    assert level.of_candidates.tolist() == [ABSENT, ABSENT, 1]


def test_the_arguments_are_left_alone_and_levels_are_not_shared() -> None:
    records, candidates = as_array([(1, 0), (0, 1)], 2), as_array([(0, 1)], 2)
    before = records.copy(), candidates.copy()
    walked = list(levels(records, candidates, [0, 1, 2]))
    np.testing.assert_array_equal(records, before[0])
    np.testing.assert_array_equal(candidates, before[1])
    assert [level.of_records.tolist() for level in walked] == [[0, 0], [1, 0], [1, 0]]


def test_no_candidates_are_no_trouble() -> None:
    walked = found([(0, 1), (2, 2)], [], [0, 1, 2], 2)
    assert [level[1:] for level in walked] == [(1, [0, 0], []), (2, [0, 1], []), (2, [0, 1], [])]


def test_without_records_every_candidate_is_absent() -> None:
    walked = found([], [(0, 1), (2, 2)], [1, 2], 2)
    assert walked == [(1, 0, [], [ABSENT, ABSENT]), (2, 0, [], [ABSENT, ABSENT])]


@pytest.mark.parametrize("in_candidates", [False, True])
def test_categories_too_many_to_number_are_refused(*, in_candidates: bool) -> None:
    def walk(first: tuple[int, int], second: tuple[int, int]) -> list[int]:
        records = [first, second]
        candidates = [(0, 0)]
        if in_candidates:
            records, candidates = [(0, 0), (1, 0)], records
        return [level[1] for level in found(records, candidates, [2], 2)]

    assert walk((2**62 - 2, 0), (0, 0)) == [2]
    with pytest.raises(OverflowError, match="too many categories"):
        walk((2**62 - 1, 0), (0, 0))
    assert walk((0, 2**61 - 2), (1, 0)) == [2]
    with pytest.raises(OverflowError, match="too many categories"):
        walk((0, 2**61 - 1), (1, 0))  # two nodes by 2^61 values
    with pytest.raises(OverflowError, match="too many categories"):
        walk((0, 2**63 - 2), (1, 0))


def test_what_is_never_numbered_may_have_any_size() -> None:
    walked = found([(0, 2**62), (1, 0)], [(1, 5)], [1], 2)
    assert walked == [(1, 2, [0, 1], [1])]
