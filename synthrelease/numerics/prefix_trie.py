"""The trie of all rows' prefixes, as runs of the sorted rows.

Sorted, the rows that share a prefix stand side by side: a node of the trie is a run, and two numbers per row hold all
levels at once: how long a prefix it shares with the row before it, and with the row of the same person before
it. Memory is linear in the rows, whatever the number of attributes and people; nothing is built per level.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 14  # rows handled at once
_NONE = -1  # the length of the prefix shared with no one: less than that of the root, 0


class PrefixTrie:
    """The prefixes of some rows, and how many people (or rows) there are under each.

    A *place* is a row's position after sorting; it stands for all nodes from the root to that row.

    Attributes:
        place_of_row: the place of each row, shape (N,).

    Args:
        rows: category numbers ≥ 0, shape (N, m).
        columns: the columns that make up the prefixes, first to last; at least one.
        people: the person of each row, integers, shape (N,); None counts every row as a person.
    """

    def __init__(
        self,
        rows: NDArray[np.integer],
        columns: Sequence[int],
        people: NDArray[np.integer] | None = None,
    ) -> None:
        self._columns = list(columns)
        self._stranger = int(rows.max(initial=0)) + 1  # stands for all values that no row has
        packed = self.packed(rows)
        order = np.argsort(_bytes(packed))
        self._rows = packed[order]
        self._index = np.min_scalar_type(-len(rows) - 1)  # half the width, half the misses of the cache
        places = np.arange(len(rows), dtype=self._index)
        self.place_of_row = np.empty_like(places)
        self.place_of_row[order] = places
        self._shared = self._neighbours(places)
        if people is None:
            self._by_person = places
            self._links = np.full_like(self._shared, _NONE)
        else:
            people = np.asarray(people)[order]
            self._by_person = np.argsort(people, kind="stable").astype(self._index)
            self._links = self._neighbours(self._by_person)
            people = people[self._by_person]
            self._links[1:-1][people[1:] != people[:-1]] = _NONE

    def packed(self, rows: NDArray[np.integer]) -> NDArray[np.unsignedinteger]:
        """Return the columns of the prefixes in the smallest type, as `shared` and `nearest` compare them."""
        small = np.min_scalar_type(self._stranger)
        most = min(self._stranger, np.iinfo(rows.dtype).max)  # a type may have no room for one more
        packed = np.empty((len(rows), len(self._columns)), dtype=small)
        for start in range(0, len(rows), _BLOCK):  # by blocks that the processor's cache holds
            block = np.minimum(rows[start : start + _BLOCK], most).astype(small)
            np.take(block, self._columns, axis=1, out=packed[start : start + _BLOCK], mode="clip")
        return packed

    def shared(self, places: NDArray[np.int64], candidates: NDArray[np.unsignedinteger]) -> NDArray[np.int64]:
        """Return how long a prefix each packed candidate shares with the row at its place, shape (C,)."""
        return _common_prefix(self._rows[places], candidates)

    def nearest(self, candidates: NDArray[np.unsignedinteger]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return a place that shares the longest prefix with each packed candidate, and its length; there must be a row."""
        order = np.argsort(_bytes(candidates))  # sorted questions keep the binary search in the cache
        sought = candidates[order]
        after = np.searchsorted(_bytes(self._rows), _bytes(sought))
        before, after = np.maximum(after - 1, 0), np.minimum(after, len(self._rows) - 1)
        shared_before, shared_after = self.shared(before, sought), self.shared(after, sought)
        place, length = np.empty((2, len(sought)), dtype=np.int64)
        place[order] = np.where(shared_before > shared_after, before, after)
        length[order] = np.maximum(shared_before, shared_after)
        return place, length

    def under(self, length: int, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many people have a row under the node of this length at each place."""
        node, groups = self._nodes(length), self._groups(length)
        counts: NDArray[np.int64] = np.bincount(node[self._by_person[groups]], minlength=1)[node[places]]
        return counts

    def only_under(self, outer: int, inner: int, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many people have rows under the node of length `inner` and no others under that of `outer`.

        A person's rows, sorted, fall into groups, one for each node of length `inner`; the prefixes shared with the
        neighbouring groups show whether these lie under the same node of length `outer`.
        """
        node, groups = self._nodes(inner), self._groups(inner)
        next_group = np.append(groups[1:], len(self._rows))
        is_only = np.maximum(self._links[groups], self._links[next_group]) < outer
        counts = np.bincount(node[self._by_person[groups[is_only]]], minlength=len(node))
        under_places: NDArray[np.int64] = counts[node[places]]
        return under_places

    def _nodes(self, length: int) -> NDArray[np.signedinteger]:
        """The number of the node of this length that each place is under: 0, 1, … from left to right."""
        nodes: NDArray[np.signedinteger] = np.cumsum(self._shared[:-1] < length, dtype=self._index)
        nodes -= 1
        return nodes

    def _groups(self, length: int) -> NDArray[np.int64]:
        """Where, in order of people, a person's rows under a node of this length begin."""
        return np.flatnonzero(self._links[:-1] < length)

    def _neighbours(self, order: NDArray[np.signedinteger]) -> NDArray[np.signedinteger]:
        """The length shared by places next to each other in `order`; ends with `_NONE`, shape (N + 1,)."""
        shared = np.full(len(order) + 1, _NONE, dtype=np.min_scalar_type(-len(self._columns) - 1))
        for start in range(1, len(order), _BLOCK):
            block_order = order[start - 1 : start + _BLOCK]
            block = self._rows[block_order]
            shared[start : start + len(block_order) - 1] = _common_prefix(block[:-1], block[1:])
        return shared


def _bytes(packed: NDArray[np.unsignedinteger]) -> NDArray[np.bytes_]:
    """Each row as one string, so that rows sort and compare at once; any order with whole columns will do."""
    width = packed.dtype.itemsize * packed.shape[1]
    return packed.view(f"S{width}")[:, 0]


def _common_prefix(
    above: NDArray[np.unsignedinteger], below: NDArray[np.unsignedinteger]
) -> NDArray[np.int64]:
    differ = above != below
    first = np.argmax(differ, axis=1)
    length: NDArray[np.int64] = np.where(differ[np.arange(len(first)), first], first, above.shape[1])
    return length
