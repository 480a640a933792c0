"""Clipping integer vectors to a Euclidean ball, checked in integers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def clip_to_ball(vectors: NDArray[np.int64], radius: int) -> NDArray[np.int64]:
    """Return each row, shrunk toward zero where needed so that Σ z² ≤ radius² holds exactly.

    A row's result depends on that row alone.

    Args:
        vectors: integers, shape (N, K), small enough that a row's Σ z² stays below 2⁶².
        radius: C ≥ 0, in steps.

    Raises:
        ValueError: the radius is negative.
        OverflowError: the squares of a row could leave 64 bits.
    """
    if radius < 0:
        raise ValueError(f"Expected radius >= 0, found radius={radius}")
    vectors = vectors.astype(np.int64)
    largest = max(int(vectors.max(initial=0)), -int(vectors.min(initial=0)))
    if largest * largest * vectors.shape[1] >= 2**62 or radius >= 2**31:
        raise OverflowError("the squared norm of a contribution leaves 64 bits; choose a coarser grid")
    clipped = vectors.copy()
    factor = np.ones(len(vectors))
    over = np.flatnonzero(_squared(clipped) > radius * radius)
    factor[over] = radius / np.sqrt(_squared(vectors[over]).astype(np.float64))
    while over.size:
        clipped[over] = np.trunc(vectors[over] * factor[over, None]).astype(np.int64)
        over = over[_squared(clipped[over]) > radius * radius]
        factor[over] *= 1.0 - 1e-12  # the float factor was a hair too large
    return clipped


def _squared(vectors: NDArray[np.int64]) -> NDArray[np.int64]:
    squared: NDArray[np.int64] = np.einsum("ij,ij->i", vectors, vectors)
    return squared
