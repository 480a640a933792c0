"""Clipping integer vectors to a Euclidean ball, checked in integers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.runs import runs

_MOST = 2.0**62 * (1 - 1e-6)  # what floating point errs by is far less


def clip_to_ball(
    vectors: NDArray[np.int64], radius: int, owner: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Return vectors, shrunk toward zero where needed so that each owner's Σ z² ≤ radius² holds exactly.

    An owner's result depends only on that owner's rows.

    Args:
        vectors: integers, shape (N, K), small enough that an owner's Σ z² stays below 2⁶².
        radius: C ≥ 0, in steps.
        owner: whose each row is, in increasing order, shape (N,): all rows of an owner are clipped as one vector. None
            if every row is one by itself.

    Raises:
        ValueError: the radius is negative.
        OverflowError: the squares of an owner's rows leave 62 bits. A caller who knows a public bound of the norm has to keep it
            below: this error reveals something of a person's data.
    """
    if radius < 0:
        raise ValueError(f"Expected radius >= 0, found radius={radius}")
    vectors = vectors.astype(np.int64)
    if not vectors.size:
        return vectors
    first, rows = runs(np.arange(len(vectors)) if owner is None else owner)
    largest = max(int(vectors.max()), -int(vectors.min()))
    norm_unknown = largest * largest * vectors.shape[1] * int(rows.max()) >= 2**62
    if radius >= 2**31 or (norm_unknown and _nearly_squared(vectors, first).max() >= _MOST):
        raise OverflowError("the squared norm of a contribution leaves 64 bits; choose a coarser grid")
    norm = _squared(vectors, first)
    factor = np.ones(len(first))
    over = norm > radius * radius
    factor[over] = radius / np.sqrt(norm[over].astype(np.float64))
    clipped = vectors.copy()
    while over.any():
        changed = np.repeat(over, rows)
        shrunk = vectors[changed] * np.repeat(factor, rows)[changed, None]
        clipped[changed] = np.trunc(shrunk).astype(np.int64)
        over &= _squared(clipped, first) > radius * radius
        factor[over] *= 1.0 - 1e-12  # the float factor was a hair too large
    return clipped


def _nearly_squared(vectors: NDArray[np.int64], first: NDArray[np.int64]) -> NDArray[np.float64]:
    """Σ z² of each owner, in floating point: cannot leave its range."""
    floats = vectors.astype(np.float64)
    squares: NDArray[np.float64] = np.add.reduceat(np.einsum("ij,ij->i", floats, floats), first)
    return squares


def _squared(vectors: NDArray[np.int64], first: NDArray[np.int64]) -> NDArray[np.int64]:
    """Σ z² of each owner, whose rows begin at `first`."""
    return np.add.reduceat(np.einsum("ij,ij->i", vectors, vectors), first)
