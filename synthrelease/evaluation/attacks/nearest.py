"""How near rows are to others, in units of what the attacker can measure."""

from __future__ import annotations

import numpy as np

from synthrelease.evaluation.attacks.windows import Flags, Labels, Numbers

_BLOCK = 1 << 22  # distances held at once


def scaled(reference: Numbers, *arrays: Numbers) -> tuple[Numbers, ...]:
    """Return arrays in units of the reference's spread around its mean, feature by feature; a constant feature keeps its unit."""
    mean, spread = reference.mean(axis=0), reference.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    return tuple((array - mean) / spread for array in arrays)


def nearest_distance(queries: Numbers, rows: Numbers) -> Numbers:
    """Return the distance of each query to the nearest row, shape (Q,)."""
    return nearest_rows(queries, rows, 1)[0][:, 0]


def nearest_rows(queries: Numbers, rows: Numbers, count: int) -> tuple[Numbers, Labels]:
    """Return distances and numbers of the nearest rows of each query, nearest first, shape (Q, count)."""
    from scipy.spatial import KDTree  # noqa: PLC0415  slow to import

    distance, row = KDTree(rows).query(queries, k=range(1, count + 1))
    return np.asarray(distance), np.asarray(row, dtype=np.int64)


def equally_near(queries: Numbers, rows: Numbers) -> list[Flags]:
    """Return, block by block of queries, which rows are nearest to each, all of those that are equally near; shape (B, R)."""
    from scipy.spatial.distance import cdist  # noqa: PLC0415

    blocks = []
    step = max(_BLOCK // len(rows), 1)
    for start in range(0, len(queries), step):
        distance = cdist(queries[start : start + step], rows)
        blocks.append(distance == distance.min(axis=1, keepdims=True))
    return blocks
