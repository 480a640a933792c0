"""Generative models of records: keep the first attributes of a seed, draw the rest.

The attributes stand in a public order σ. Of a seed the first m − ω are kept and the last ω are drawn, ω ≥ 1
fixed or uniform on a public set Ω (Bindschaedler et al. 2017, section 3.2). With ω = m nothing of the seed
is left: that is the marginals model of David-John et al. 2022.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from synthrelease.noise.entropy import SecureRandom


class Model(Protocol):
    """What the deniability test must know of a model."""

    @property
    def order(self) -> tuple[int, ...]:
        """σ: the attributes, first kept to last drawn."""
        ...

    @property
    def resampled(self) -> tuple[int, ...]:
        """Ω: the allowed numbers of drawn attributes."""
        ...

    def log_conditional(self, candidates: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return ln Pr of each attribute of each candidate given its parents in the candidate, shape (C, m)."""
        ...


class SeededModel:
    """Attributes drawn independently from their marginals, after a kept prefix of the seed.

    Attributes:
        marginals: a probability vector for every attribute.
        order: σ, a permutation of the attributes.
        resampled: Ω, sorted numbers of drawn attributes, each 1 … m.

    Raises:
        ValueError: an argument has no meaning; ω = 0 would publish the seed.
    """

    def __init__(
        self,
        marginals: Sequence[Sequence[float] | NDArray[np.float64]],
        order: Sequence[int],
        resampled: Sequence[int],
    ) -> None:
        self.marginals = tuple(np.asarray(p, dtype=np.float64) for p in marginals)
        self.order = tuple(int(a) for a in order)
        self.resampled = tuple(sorted({int(w) for w in resampled}))
        m = len(self.marginals)
        if sorted(self.order) != list(range(m)):
            raise ValueError(f"Expected order to be a permutation of 0 … {m - 1}, found {self.order}")
        if not self.resampled or self.resampled[0] < 1 or self.resampled[-1] > m:
            raise ValueError(f"Expected resampled within 1 … {m}, found {self.resampled}")
        for a, p in enumerate(self.marginals):
            if p.ndim != 1 or (p < 0).any() or not abs(p.sum() - 1.0) < 1e-9:
                raise ValueError(f"Expected marginals[{a}] to be probabilities that sum to 1")

    def log_conditional(self, candidates: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return ln Pr of each attribute of each candidate, shape (C, m); −∞ where the category never occurs."""
        out = np.empty(candidates.shape, order="F")  # by attribute, as it is filled and added up
        with np.errstate(divide="ignore"):
            for a, p in enumerate(self.marginals):
                out[:, a] = np.log(p)[candidates[:, a]]
        return out

    def sample(self, seeds: NDArray[np.int64], random: SecureRandom) -> NDArray[np.int64]:
        """Return one candidate for each seed, shape (C, m), ω drawn anew for each."""
        candidates = seeds.copy()
        omega = np.asarray(self.resampled)[random.integers(len(self.resampled), len(seeds))]
        m = len(self.order)
        for position, a in enumerate(self.order):
            drawn = np.flatnonzero(position >= m - omega)
            cumulative = np.cumsum(self.marginals[a])
            u = random.uniform(drawn.size) * cumulative[-1]
            candidates[drawn, a] = np.searchsorted(cumulative, u, side="right")
        return candidates
