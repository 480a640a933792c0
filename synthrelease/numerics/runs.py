"""Runs of equal keys, such as the rows of one person in an ordered table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray


def runs(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each run of equal keys begins, and how many keys it has, shape (runs,) each; there must be a key."""
    first = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    return first, np.diff(np.append(first, keys.size))


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
