"""The trie of all records' prefixes, numbered level by level.

Node numbers of a level are 0, 1, … in the order of (parent's number, value). Only the levels asked for are
kept, so memory is linear in records + candidates, whatever the number of attributes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ABSENT = -1  # the node of a candidate whose prefix no record has


@dataclass(frozen=True)
class Level:
    """The nodes of all prefixes of `length` values.

    Attributes:
        length: how many values the prefixes have.
        nodes: number of distinct prefixes.
        of_records: node of each record, shape (N,).
        of_candidates: node of each candidate, `ABSENT` where no record has its prefix, shape (C,).
    """

    length: int
    nodes: int
    of_records: NDArray[np.int64]
    of_candidates: NDArray[np.int64]


def levels(
    records: NDArray[np.int64], candidates: NDArray[np.int64], lengths: Sequence[int]
) -> Iterator[Level]:
    """Walk records and candidates down together, yielding the levels in `lengths` in increasing order.

    Args:
        records: category numbers ≥ 0, columns in the order of the prefixes, shape (N, m).
        candidates: likewise, shape (C, m).
        lengths: prefix lengths wanted, each 0 … m.
    """
    wanted = set(lengths)
    of_records = np.zeros(len(records), dtype=np.int64)
    of_candidates = np.zeros(len(candidates), dtype=np.int64)
    nodes = 1
    for length in range(max(wanted, default=-1) + 1):
        if length > 0:
            values, asked = records[:, length - 1], candidates[:, length - 1]
            radix = int(max(values.max(initial=0), asked.max(initial=0))) + 1
            if nodes * radix >= 2**62:
                raise OverflowError("too many categories for the numbering of prefixes")
            keys, of_records = np.unique(of_records * radix + values, return_inverse=True)
            of_candidates = _look_up(keys, of_candidates, asked, radix)
            nodes = len(keys)
        if length in wanted:
            yield Level(length, nodes, of_records, of_candidates)


def _look_up(
    keys: NDArray[np.int64], parents: NDArray[np.int64], values: NDArray[np.int64], radix: int
) -> NDArray[np.int64]:
    if not len(keys):
        return np.full(len(parents), ABSENT)
    sought = parents * radix + values
    at = np.minimum(np.searchsorted(keys, sought), len(keys) - 1)
    found: NDArray[np.int64] = np.where((parents != ABSENT) & (keys[at] == sought), at, ABSENT)
    return found
