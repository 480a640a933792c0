"""From records to a model: joint counts in which each person weighs 1, exact or noisy, and what follows from them (`records.proof.md`)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.event import Noise
from synthrelease.dp.noise.addition import add_noise
from synthrelease.dp.noise.entropy import WordSource
from synthrelease.kinds.records.model import SeededModel
from synthrelease.kinds.records.public import RecordsParameters
from synthrelease.numerics.binning import shares_of_people
from synthrelease.numerics.network import Subset
from synthrelease.numerics.steps import HALF_RANGE

Counts = dict[Subset, NDArray[np.int64]]


def fit_model(
    records: NDArray[np.integer],
    people: NDArray[np.int64],
    parameters: RecordsParameters,
    noise: Noise | None,
    *,
    random: WordSource,
) -> tuple[SeededModel, Counts]:
    """Return the model of some people's records, and the counts it follows from.

    Args:
        records: category numbers, shape (N, m).
        people: person of each record, 0, 1, …, shape (N,).
        parameters: of the output.
        noise: what to add to the counts; None for an exact fit, whose model must not be published.
        random: where noise comes from.
    """
    counts = weighted_counts(records, people, parameters.categories, parameters.subsets)
    return model_of(counts, parameters, noise, random=random)


def model_of(
    counts: Counts, parameters: RecordsParameters, noise: Noise | None, *, random: WordSource
) -> tuple[SeededModel, Counts]:
    """Return the model that people's shares in joint counts call for, and the counts it follows from, of the same shapes; as `fit_model`."""
    if noise is not None:
        counts = noisy_counts(counts, noise, people=parameters.modelled, random=random)
    network = parameters.fitted(counts, people=None if noise is None else parameters.modelled)
    return SeededModel(network.tables, network.order, parameters.resampled, network.parents), counts


def weighted_counts(
    records: NDArray[np.integer],
    people: NDArray[np.int64],
    categories: Sequence[int],
    subsets: Sequence[Subset],
) -> Counts:
    """Return, per set of attributes, the sum over people of their shares, in steps of 1/`HALF_RANGE` of a person.

    Args:
        records: category numbers, shape (N, m).
        people: person of each record, 0, 1, …, shape (N,).
        categories: number of categories of each attribute.
        subsets: the sets of attributes to count jointly.
    """
    counts = {}
    for subset in subsets:
        shape = tuple(categories[a] for a in subset)
        cells = np.ravel_multi_index(tuple(records[:, a] for a in subset), shape)
        _, cell, share = shares_of_people(people, cells, math.prod(shape), HALF_RANGE)
        # In floating point, and yet exact in any order: sums of integers below 2⁵³.
        total = np.bincount(cell, weights=share, minlength=math.prod(shape))
        counts[subset] = total.astype(np.int64).reshape(shape)
    return counts


def noisy_counts(
    counts: Mapping[Subset, NDArray[np.int64]], event: Noise, *, people: int, random: WordSource
) -> Counts:
    """Return all counts, in steps, with the event's noise, of the same shapes."""
    flat = np.concatenate([table.ravel() for table in counts.values()])
    noisy = add_noise(flat, event, largest=people * HALF_RANGE, random=random)
    parts = np.split(noisy, np.cumsum([table.size for table in counts.values()])[:-1])
    return {subset: part.reshape(counts[subset].shape) for subset, part in zip(counts, parts, strict=True)}
