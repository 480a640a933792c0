"""Runs of equal keys, such as the rows of one person in an ordered table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def runs(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each run of equal keys begins, and how many keys it has, shape (runs,) each; there must be a key."""
    first = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    return first, np.diff(np.append(first, keys.size))
