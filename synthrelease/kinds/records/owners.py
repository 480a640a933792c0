"""Who owns which rows, and one row of each drawn among theirs (`records.proof.md`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.noise.entropy import SecureRandom


class Owners:
    """Rows by owner.

    Args:
        owner: of each row, integers, shape (N,).
    """

    def __init__(self, owner: NDArray[np.int64]) -> None:
        self._order = np.argsort(owner, kind="stable")
        _, self._start, self._size = np.unique(owner[self._order], return_index=True, return_counts=True)

    @property
    def single(self) -> bool:
        """Whether everybody has one row: then there is nothing to draw."""
        return len(self._start) == len(self._order)

    def one_each(self, random: SecureRandom) -> NDArray[np.int64]:
        """Return a row of each owner, drawn uniformly among theirs."""
        within = (random.uniform(len(self._start)) * self._size).astype(np.int64)
        rows: NDArray[np.int64] = self._order[self._start + within]
        return rows
