"""Marginals of all attributes: each person weighs 1, exactly or with noise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from synthrelease.maths.binning import integer_shares
from synthrelease.maths.steps import HALF_RANGE
from synthrelease.noise.addition import noised
from synthrelease.noise.entropy import WordSource
from synthrelease.privacy.event import DiscreteLaplace


def weighted_counts(
    records: NDArray[np.int64], people: NDArray[np.int64], categories: Sequence[int]
) -> list[NDArray[np.int64]]:
    """Return, per attribute, the sum over people of their shares, in units of 1/`HALF_RANGE` of a person.

    Args:
        records: category numbers, shape (N, m).
        people: person of each record, 0, 1, …, shape (N,).
        categories: number of categories of each attribute.
    """
    number = int(people.max(initial=-1)) + 1
    totals = []
    for a, size in enumerate(categories):
        counts = np.bincount(people * size + records[:, a], minlength=number * size)
        totals.append(integer_shares(counts.reshape(number, size), HALF_RANGE).sum(axis=0))
    return totals


def noised_counts(
    counts: Sequence[NDArray[np.int64]], event: DiscreteLaplace, *, people: int, random: WordSource
) -> list[NDArray[np.int64]]:
    """Return the counts of all attributes with the event's noise."""
    ends = np.cumsum([c.size for c in counts])
    noisy = noised(np.concatenate(counts), event, largest=people * HALF_RANGE, random=random)
    return np.split(noisy, ends[:-1])
