"""What of a person is released: three vectors, of which each has blocks of a weight of their own.

No mathematics but sizes: what the blocks are stands in `people.proof.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

SCORE_STEPS = 1 << 12  # of one standard deviation: scores are whole numbers of steps
MOST_SCORE = 3.0  # scores are cut at ± this
BETWEEN_PAIRS, WITHIN_PAIRS = "between_pairs", "within_pairs"
BETWEEN, WITHIN, LAG, SLOPE = "between", "within", "lag", "slope"
CONTRASTS = "contrasts"
KEPT = "kept"  # the number 1 of each person: what clipping leaves of it, on average, it leaves of all else
MEAN = "_mean"  # of a block: its mean over features
ROTATED = (BETWEEN, WITHIN, LAG, SLOPE)  # blocks whose mean over features has a weight of its own


@dataclass(frozen=True)
class PeopleForm:
    """How many numbers each vector of a person has."""

    features: int  # F
    conditions: int  # C
    cosines: int  # K
    bins: int  # M

    @property
    def marginal_size(self) -> int:
        """Of the vectors of cosine coefficients, by feature and order."""
        return self.features * self.cosines

    @cached_property
    def sizes(self) -> dict[str, int]:
        """How many numbers each block of the third vector has, in their order."""
        pairs = self.features * (self.features - 1) // 2
        sizes = {BETWEEN_PAIRS: pairs, WITHIN_PAIRS: pairs}
        for name in ROTATED:
            sizes |= {name + MEAN: 1, name: self.features - 1}
        return sizes | {CONTRASTS: (self.conditions - 1) * self.features, KEPT: 1}

    @property
    def dependence_size(self) -> int:
        """Of the third vector."""
        return sum(self.sizes.values())

    @cached_property
    def places(self) -> dict[str, slice]:
        """Where each block stands in the third vector."""
        ends = np.cumsum(list(self.sizes.values()))
        return {
            name: slice(int(end) - size, int(end))
            for (name, size), end in zip(self.sizes.items(), ends, strict=True)
        }

    @property
    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The features of each pair, the first before the second, shape (P,) each."""
        first, second = np.triu_indices(self.features, 1)
        return first, second

    @property
    def differences(self) -> Numbers:
        """What makes differences of conditions from the first of contrasts, dimensionless, shape (C − 1, C − 1)."""
        weights = contrast_weights(self.conditions)
        return np.asarray(weights[1:] - weights[0])

    def blocks(self, vector: Numbers) -> dict[str, Numbers]:
        """Return the blocks of a third vector, shape (…, size) each."""
        return {name: vector[..., place] for name, place in self.places.items()}

    def joined(self, blocks: dict[str, Numbers]) -> Numbers:
        """Return the third vector of blocks, shape (…, size)."""
        return np.concatenate([blocks[name] for name in self.sizes], axis=-1)

    def of_features(self, blocks: dict[str, Numbers], name: str) -> Numbers:
        """Return a rotated block with its mean first, shape (…, F)."""
        return np.concatenate([blocks[name + MEAN], blocks[name]], axis=-1)


def rotated(values: Numbers) -> Numbers:
    """Return Helmert's contrasts of values over features, √F times their mean first; orthonormal, shape (…, F).

    Sums are made in the order of features: a person's result depends on their values alone, bit for bit.
    """
    count = values.shape[-1]
    before = np.cumsum(values, axis=-1)
    number = np.arange(1, count)
    others = (before[..., :-1] - number * values[..., 1:]) / np.sqrt(number * (number + 1.0))
    return np.concatenate([before[..., -1:] / np.sqrt(count), others], axis=-1)


def rotation(count: int) -> Numbers:
    """Return the matrix H of `rotated`, dimensionless: H @ values, shape (F, F)."""
    return rotated(np.eye(count)).T


def contrast_weights(conditions: int) -> Numbers:
    """Return Helmert's contrasts of conditions, orthonormal columns, dimensionless, shape (C, C − 1)."""
    return rotation(conditions)[1:].T
