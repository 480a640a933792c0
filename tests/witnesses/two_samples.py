"""Whether two samples come from one distribution: the chi-square test of homogeneity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

_CELLS = 40  # of about equal frequency, and finer ones outside
_OUTSIDE = (1e-4, 1e-3, 5e-3)
LEAST_EXPECTED = (
    100.0  # in a cell of the smaller sample: the chi-square approximation then holds as far out as 1e-11
)


def same_law(one: Integers, other: Integers) -> float:
    """Return the p-value of two samples of integers.

    Cells are cut where quantiles of both samples together lie: which values are there has no part in the decision, only
    which sample each belongs to.
    """
    middle = np.arange(1, _CELLS) / _CELLS
    levels = np.concatenate([_OUTSIDE, middle, 1 - np.array(_OUTSIDE)])
    ends = np.unique(np.quantile(np.concatenate([one, other]), levels, method="lower"))
    cells = [np.bincount(np.searchsorted(ends, sample), minlength=ends.size + 1) for sample in (one, other)]
    return same_frequencies(*_pooled(*cells))


def _pooled(one: Integers, other: Integers) -> tuple[Integers, Integers]:
    """Merge neighbouring cells until the smaller sample expects enough in each."""
    share = min(one.sum(), other.sum()) / (one.sum() + other.sum())
    starts, left = [0], float((one + other).sum() * share)
    expected = 0.0
    for cell, count in enumerate((one + other).tolist(), start=1):
        expected, left = expected + count * share, left - count * share
        if expected >= LEAST_EXPECTED and left >= LEAST_EXPECTED:
            starts.append(cell)
            expected = 0.0
    return np.add.reduceat(one, starts), np.add.reduceat(other, starts)


def same_frequencies(one: Integers, other: Integers) -> float:
    """Return the p-value of how often each outcome was seen in either sample, shapes (outcomes,)."""
    table = np.stack([one, other])
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    assert expected.min() >= LEAST_EXPECTED
    return float(stats.chi2.sf(((table - expected) ** 2 / expected).sum(), table.shape[1] - 1))
