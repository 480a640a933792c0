"""How much of the distribution of real records synthetic ones have: each attribute, each pair, and how pairs hang together.

Records are category numbers, as a bundle has them: a value that is missing is a category of its own, or its row takes no part.
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
    """Total variation distances between two sets of records, 0 if alike, 1 if nothing is common.

    Attributes:
        one_way: of each attribute, shape (m,).
        two_way: of each pair of attributes, shape (m, m), symmetric, with `one_way` on the diagonal.
    """

    one_way: Numbers
    two_way: Numbers

    @property
    def mean_two_way(self) -> float:
        """Over all pairs of different attributes; NaN if there is one attribute."""
        m = len(self.one_way)
        return float(self.two_way[np.triu_indices(m, 1)].mean()) if m > 1 else float("nan")


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
    ours_weigh, theirs_weigh = _weights(released_weights, len(p)), _weights(weights, len(q))
    m = len(categories)
    two_way = np.zeros((m, m))
    for a in range(m):
        two_way[a, a] = _distance(p[:, a], q[:, a], ours_weigh, theirs_weigh)
    for a, b in combinations(range(m), 2):
        ours, theirs = (records[:, a] * categories[b] + records[:, b] for records in (p, q))
        two_way[a, b] = two_way[b, a] = _distance(ours, theirs, ours_weigh, theirs_weigh)
    return Distances(two_way.diagonal().copy(), two_way)


def one_each(people: ArrayLike) -> Numbers:
    """Return weights by which every person counts the same: one over how many rows are theirs, shape (M,)."""
    _, person, rows = np.unique(np.asarray(people), return_inverse=True, return_counts=True)
    return 1.0 / rows[person]


def associations(
    records: ArrayLike, categories: Sequence[int], *, weights: ArrayLike | None = None
) -> Numbers:
    """Return Cramér's V of every pair of attributes, shape (m, m): 0 if independent, 1 if one tells the other.

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
    own = np.ones(len(p)) if weights is None else np.asarray(weights, dtype=np.float64)
    m = len(categories)
    found = np.eye(m)
    for a, b in combinations(range(m), 2):
        cells = np.bincount(p[:, a] * categories[b] + p[:, b], own, categories[a] * categories[b])
        found[a, b] = found[b, a] = _cramers_v(cells.reshape(categories[a], categories[b]) / own.sum())
    return found


def _cramers_v(cells: Numbers) -> float:
    used = cells[cells.sum(axis=1) > 0][:, cells.sum(axis=0) > 0]
    least = min(used.shape) - 1
    if least == 0:
        return 0.0
    even = np.outer(used.sum(axis=1), used.sum(axis=0))
    return float(min(1.0, np.sqrt(((used - even) ** 2 / even).sum() / least)))


def _weights(weights: ArrayLike | None, count: int) -> Numbers:
    """One for each record, adding up to 1."""
    own = np.ones(count) if weights is None else np.asarray(weights, dtype=np.float64)
    if own.shape != (count,) or not (own >= 0).all() or not own.sum() > 0:
        raise ValueError(f"Expected a weight for each of {count} records, not negative and not all 0")
    shares: Numbers = own / own.sum()
    return shares


def _distance(p: NDArray[np.int64], q: NDArray[np.int64], p_weights: Numbers, q_weights: Numbers) -> float:
    """In what there is, not in what there could be: pairs of fine attributes have more cells than records."""
    cells, place = np.unique(np.concatenate([p, q]), return_inverse=True)
    ours = np.bincount(place[: len(p)], p_weights, cells.size)
    theirs = np.bincount(place[len(p) :], q_weights, cells.size)
    return float(np.abs(ours - theirs).sum() / 2)


def _checked(records: ArrayLike, categories: Sequence[int]) -> NDArray[np.int64]:
    array = np.asarray(records)
    if array.ndim != 2 or array.shape[1] != len(categories) or not len(array) or array.dtype.kind not in "iu":
        raise ValueError(
            f"Expected category numbers of shape (N, {len(categories)}), found {array.dtype} of shape {array.shape}"
        )
    if (array < 0).any() or (array >= np.asarray(categories)).any():
        raise ValueError("Expected category numbers from 0 to one less than the attribute has")
    return array.astype(np.int64)
