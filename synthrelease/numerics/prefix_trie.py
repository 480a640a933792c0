"""The trie of all rows' prefixes, as runs of the sorted rows.

Sorted, the rows that share a prefix stand side by side: a node of the trie is a run, and two numbers per row hold all
levels at once: how long a prefix it shares with the row before it, and with the row of the same person before
it. Memory is linear in the rows, whatever the number of attributes and people; nothing is built per level.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.blocks import in_blocks
from synthrelease.numerics.packed_rows import PackedRows, Packing
from synthrelease.numerics.runs import stable_order

_BLOCK = 1 << 14  # rows compared at once
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
        threads: that share the work.
    """

    def __init__(
        self,
        rows: NDArray[np.integer],
        columns: Sequence[int],
        people: NDArray[np.integer] | None = None,
        *,
        threads: int = 1,
    ) -> None:
        self._packing, self._threads = Packing(rows.max(axis=0, initial=0), columns), threads
        packed = self._packing.packed(rows, threads=threads)
        order = self._packing.order(packed, threads=threads)
        self._rows = self._packing.ordered(packed, order, threads=threads)
        del packed
        self._index = np.min_scalar_type(-len(rows) - 1)  # half the width, half the misses of the cache
        places = np.arange(len(rows), dtype=self._index)
        self.place_of_row = np.empty_like(places)
        self.place_of_row[order] = places
        self._shared = self._neighbours(places)
        if people is None:
            self._by_person = places
            self._links = np.full_like(self._shared, _NONE)
        else:
            of_place = np.asarray(people)[order]
            self._by_person = stable_order(of_place, threads=threads).astype(self._index)
            self._links = self._neighbours(self._by_person, of_place)
        self._link_of_place = np.empty_like(self._links[:-1])  # with the row of the same person before it
        self._link_of_place[self._by_person] = self._links[:-1]

    def packed(self, rows: NDArray[np.integer]) -> PackedRows:
        """Return rows, shape (C, m), as `shared` and `nearest` compare them."""
        return self._packing.packed(rows)

    def near_order(self, rows: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return a permutation of rows, shape (C, m), in which `nearest` finds them faster, since the cache has what it looks at."""
        return self._packing.near_order(rows, threads=self._threads)

    def shared(self, places: NDArray[np.integer], candidates: PackedRows) -> NDArray[np.int64]:
        """Return how long a prefix each candidate shares with the row at its place, shape (C,)."""
        return self._packing.shared(self._rows, places, candidates)

    def nearest(self, candidates: PackedRows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return a place that shares the longest prefix with each candidate, and its length; there must be a row."""
        after = self._first_not_below(candidates)
        before, after = np.maximum(after - 1, 0), np.minimum(after, len(self._rows) - 1)
        shared_before, shared_after = self.shared(before, candidates), self.shared(after, candidates)
        place = np.where(shared_before > shared_after, before, after)
        return place, np.maximum(shared_before, shared_after)

    def _first_not_below(self, candidates: PackedRows) -> NDArray[np.int64]:
        """How many rows are less than each candidate, shape (C,)."""
        first, sought = self._rows.words[0], candidates.words[0]
        low = np.searchsorted(first, sought)
        # Rows that are alike in the first word differ in the others.
        alike = np.flatnonzero(first.take(low, mode="clip") == sought) if first.size else low[:0]
        left, right = low[alike], np.searchsorted(first, sought[alike], side="right")
        while alike.size:
            middle = (left + right) // 2
            is_below = _is_below(self._rows.at(middle), candidates.at(alike))
            left, right = np.where(is_below, middle + 1, left), np.where(is_below, right, middle)
            done = left >= right
            low[alike[done]] = left[done]
            alike, left, right = alike[~done], left[~done], right[~done]
        return low

    def under(self, length: int, places: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return how many people have a row under the node of this length at each place."""
        return self._per_node(length, self._link_of_place < length, places)

    def only_under(self, outer: int, inner: int, places: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return how many people have rows under the node of length `inner` and no others under that of `outer`.

        A person's rows, sorted, fall into groups, one for each node of length `inner`; the prefixes shared with the
        neighbouring groups show whether these lie under the same node of length `outer`.
        """
        groups = np.flatnonzero(self._links[:-1] < inner)  # where, in order of people, they begin
        links = self._links[np.append(groups, len(self._rows))]
        is_only = np.maximum(links[:-1], links[1:]) < outer
        first = np.zeros(len(self._rows), dtype=np.bool_)
        first[self._by_person[groups[is_only]]] = True
        return self._per_node(inner, first, places)

    def _per_node(
        self, length: int, counted: NDArray[np.bool_], places: NDArray[np.integer]
    ) -> NDArray[np.int64]:
        """How many places count that are under the same node of this length as each of some."""
        begins = self._shared[:-1] < length
        counts = np.add.reduceat(counted.view(np.int8), np.flatnonzero(begins), dtype=np.int64)
        node = np.cumsum(begins, dtype=self._index)  # from 1, from left to right
        of_places: NDArray[np.int64] = counts[node[places] - 1]
        return of_places

    def _neighbours(
        self, order: NDArray[np.signedinteger], people: NDArray[np.integer] | None = None
    ) -> NDArray[np.signedinteger]:
        """The length shared by places next to each other in `order`, `_NONE` if they are not of one person; ends with `_NONE`, shape (N + 1,)."""
        shared = np.full(len(order) + 1, _NONE, dtype=np.min_scalar_type(-self._packing.length - 1))

        def compare(here: slice) -> None:
            before, after = order[here], order[here.start + 1 : here.stop + 1]
            lengths = self._packing.shared(self._rows, before, self._rows.at(after))
            if people is not None:
                lengths[people[before] != people[after]] = _NONE
            shared[here.start + 1 : here.stop + 1] = lengths

        in_blocks(len(order) - 1, _BLOCK, compare, threads=self._threads)
        return shared


def _is_below(rows: PackedRows, others: PackedRows) -> NDArray[np.bool_]:
    """Whether each row is less than the other."""
    below, alike = np.zeros(len(rows), dtype=np.bool_), np.ones(len(rows), dtype=np.bool_)
    for one, other in zip(rows.words, others.words, strict=True):
        below |= alike & (one < other)
        alike &= one == other
    return below
