"""Runs of equal keys, such as the rows of one person in an ordered table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.blocks import in_threads

Key = TypeVar("Key", np.int64, np.uint64)

_KEY_BITS = 63  # of a 64-bit integer
_SORTED_ALONE, _SAMPLED = 1 << 20, 1 << 12  # keys that one thread sorts, and of which ranges are made


def runs(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each run of equal keys begins, and how many keys it has, shape (runs,) each."""
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: keys.size])
    return first, np.diff(np.append(first, keys.size))


def rows_of_runs(first: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of the rows of some runs, one run after the other, shape (Σ counts,): each begins at `first` and has so many rows."""
    ends = np.cumsum(counts)
    return np.arange(counts.sum()) + np.repeat(first - ends + counts, counts)


def sorted_rows(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the permutation that sorts rows by their keys, whole numbers, rows of one key in their order, shape (N,).

    Cost grows with rows, and with runs · log(runs).
    """
    first, counts = runs(keys)
    if (keys[first[1:]] > keys[first[:-1]]).all():
        return np.arange(keys.size)
    order = stable_order(keys[first])
    return rows_of_runs(first[order], counts[order])


def sorted_keys(keys: NDArray[Key], *, threads: int = 1) -> NDArray[Key]:
    """Return whole numbers sorted, shape (N,), perhaps in the array that they are in; some threads sort a range of them each."""
    if threads == 1 or keys.size < _SORTED_ALONE:
        keys.sort()
        return keys
    some = np.sort(keys[:: keys.size // _SAMPLED])
    limits = some[np.arange(1, threads) * some.size // threads]
    part = np.searchsorted(limits, keys, side="right").astype(np.uint8)
    ranges = [keys[part == number] for number in range(threads)]
    in_threads(ranges, np.ndarray.sort, threads=threads)
    return np.concatenate(ranges)


def stable_order(keys: NDArray[np.integer], *, threads: int = 1) -> NDArray[np.int64]:
    """Return the permutation that sorts keys, whole numbers, equal ones in their order, shape (N,)."""
    index_bits = max(1, (keys.size - 1).bit_length())
    lowest, highest = (int(end) for end in (keys.min(initial=0), keys.max(initial=0)))
    if (highest - lowest).bit_length() + index_bits > _KEY_BITS:
        return np.argsort(keys, kind="stable")
    # A key above its number: sorted by themselves, they need no second array.
    numbered = (keys.astype(np.int64) - lowest) << index_bits
    numbered |= np.arange(keys.size)
    return sorted_keys(numbered, threads=threads) & ((1 << index_bits) - 1)


def whole_blocks(owner: NDArray[np.int64], rows: int) -> Iterator[slice]:
    """Yield where blocks of at least so many rows are, with all rows of each owner, the last one may be smaller.

    Args:
        owner: number of each row's owner, in increasing order, shape (N,).
        rows: of a block, about.
    """
    start = 0
    while start < owner.size:
        last = min(start + rows, owner.size) - 1
        stop = int(np.searchsorted(owner, owner[last], side="right"))
        yield slice(start, stop)
        start = stop


def whole_parts(
    owner: NDArray[np.int64], *, rows: int, rows_per_owner: int = 0
) -> Iterator[tuple[slice, NDArray[np.int64], int]]:
    """Yield parts of rows, with all rows of each owner: where they are, whose each is, numbered anew from 0, and of how many owners they are.

    Args:
        owner: of each row, in increasing order, shape (N,).
        rows: about how many a part has, unless one owner has more.
        rows_per_owner: how many more an owner counts for, whose own numbers take memory, too.
    """
    if not owner.size:
        return
    first, counts = runs(owner)
    ends = first + counts
    part = (ends + rows_per_owner * np.arange(ends.size)) // rows
    for some in np.split(np.arange(ends.size), np.flatnonzero(np.diff(part)) + 1):
        here = slice(int(first[some[0]]), int(ends[some[-1]]))
        yield here, np.repeat(np.arange(some.size), counts[some]), some.size
