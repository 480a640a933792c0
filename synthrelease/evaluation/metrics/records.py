"""How much of the distribution of real records synthetic ones have: each attribute, each pair, and how pairs hang together.

Records are category numbers, as a bundle has them: a value that is missing is another category, or its row is left out.
Every person counts the same in the truth, however many rows they have, since that is what a fit does.

No measure here is differentially private: they compare with the private truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]


class Distances(NamedTuple):
    """Total variation distances between two sets of records, 0 if alike, 1 if nothing is common."""

    one_way: Numbers  # of each attribute, shape (m,)
    two_way: Numbers  # of each pair of attributes, shape (m, m), symmetric, `one_way` on the diagonal


def distances(
    released: ArrayLike,
    truth: ArrayLike,
    categories: Sequence[int],
    *,
    weights: ArrayLike | None = None,
    released_weights: ArrayLike | None = None,
) -> Distances:
    """Return TV(P, Q) = ½·Σ|P − Q| of every attribute and every pair, P the released records and Q the real ones.

    Args:
        released: category numbers, shape (N, m).
        truth: the same of the real records, shape (M, m).
        categories: how many each attribute has, m of them.
        weights: of the real records, shape (M,), not negative; default equal ones. See `one_each`.
        released_weights: of the released records, shape (N,), where these too are of people; default equal ones.

    Raises:
        ValueError: shapes do not fit, there are no records, or a number is no category.
    """
    p, q = _checked(released, categories), _checked(truth, categories)
    p_weights, q_weights = _weights(released_weights, len(p)), _weights(weights, len(q))
    m = len(categories)
    two_way = np.zeros((m, m))
    for a in range(m):
        two_way[a, a] = _distance(p[:, a], q[:, a], p_weights, q_weights)
    for a, b in combinations(range(m), 2):
        p_cells, q_cells = (records[:, a] * categories[b] + records[:, b] for records in (p, q))
        two_way[a, b] = two_way[b, a] = _distance(p_cells, q_cells, p_weights, q_weights)
    return Distances(two_way.diagonal().copy(), two_way)


def one_each(people: ArrayLike) -> Numbers:
    """Return weights by which every person counts the same: one over how many rows are theirs, shape (M,)."""
    _, person, rows = np.unique(np.asarray(people), return_inverse=True, return_counts=True)
    return 1.0 / rows[person]


def associations(
    records: ArrayLike, categories: Sequence[int], *, weights: ArrayLike | None = None
) -> Numbers:
    """Return Cramér's V of every pair of attributes, shape (m, m): 0 if independent, 1 if one determines the other.

    V = √(φ²/(min(r, c) − 1)), φ² = Σ(P − P_a·P_b)²/(P_a·P_b) over the r × c cells whose margins are not 0; 0 where an
    attribute has one value only, 1 on the diagonal. For categories and bins alike, whatever the course of the dependence.

    Args:
        records: category numbers, shape (N, m).
        categories: how many each attribute has.
        weights: of the records, shape (N,).

    Raises:
        ValueError: as `distances`.

    Source: Cramér 1946, Mathematical Methods of Statistics, section 21.9.
    """
    p = _checked(records, categories)
    record_weights = np.ones(len(p)) if weights is None else np.asarray(weights, dtype=np.float64)
    m = len(categories)
    v = np.eye(m)
    for a, b in combinations(range(m), 2):
        cells = np.bincount(p[:, a] * categories[b] + p[:, b], record_weights, categories[a] * categories[b])
        v[a, b] = v[b, a] = _cramers_v(cells.reshape(categories[a], categories[b]) / record_weights.sum())
    return v


def _cramers_v(cells: Numbers) -> float:
    used = cells[cells.sum(axis=1) > 0][:, cells.sum(axis=0) > 0]
    least = min(used.shape) - 1
    if least == 0:
        return 0.0
    even = np.outer(used.sum(axis=1), used.sum(axis=0))
    return float(min(1.0, np.sqrt(((used - even) ** 2 / even).sum() / least)))


def _weights(weights: ArrayLike | None, count: int) -> Numbers:
    """One for each record, adding up to 1."""
    positive = np.ones(count) if weights is None else np.asarray(weights, dtype=np.float64)
    if positive.shape != (count,) or not (positive >= 0).all() or not positive.sum() > 0:
        raise ValueError(f"Expected a weight for each of {count} records, not negative and not all 0")
    shares: Numbers = positive / positive.sum()
    return shares


def _distance(p: NDArray[np.int64], q: NDArray[np.int64], p_weights: Numbers, q_weights: Numbers) -> float:
    """In what there is, not in what there could be: pairs of fine attributes have more cells than records."""
    cells, place = np.unique(np.concatenate([p, q]), return_inverse=True)
    p_mass = np.bincount(place[: len(p)], p_weights, cells.size)
    q_mass = np.bincount(place[len(p) :], q_weights, cells.size)
    return float(np.abs(p_mass - q_mass).sum() / 2)


def _checked(records: ArrayLike, categories: Sequence[int]) -> NDArray[np.int64]:
    array = np.asarray(records)
    if array.ndim != 2 or array.shape[1] != len(categories) or not len(array) or array.dtype.kind not in "iu":
        raise ValueError(
            f"Expected category numbers of shape (N, {len(categories)}), found {array.dtype} of shape {array.shape}"
        )
    if (array < 0).any() or (array >= np.asarray(categories)).any():
        raise ValueError("Expected category numbers from 0 to one less than the attribute has")
    return array.astype(np.int64)
