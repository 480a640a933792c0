"""Whether records can be what they are said to be: draws from the network that follows from noisy counts.

Records that were made from people in another way have another distribution. The error probability on a true claim is about 10⁻¹².
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainccinv  # scipy.stats is slow to import

from synthrelease.numerics.binning import public_fractions
from synthrelease.numerics.network import Network

_SIGNIFICANCE = 1e-12
_LEAST_EXPECTED = 10.0
_FINEST = 256  # cells of a test: their numbers have eight bits
_ROWS = 1 << 14  # records looked at at a time: as many as the processor's cache holds
_TAIL_CARE = 2.0  # with ten expected records a cell's χ² has a heavier tail than the limiting one


def foreign_to_network(categories: Sequence[NDArray[Any]], network: Network) -> bool:
    """Return whether records cannot be independent draws from a network.

    A category is turned into a number of [0, 1): where it lies in the distribution of its attribute given its
    parents, at a public fraction of its own probability (Rosenblatt 1952). For true draws all these are uniform and
    independent of each other, whatever the network: Pearson's χ² on a grid for every attribute and every pair.

    Args:
        categories: category numbers of each attribute, each of shape (rows,).
        network: parents and probabilities of each attribute.
    """
    rows = len(categories[0])
    fine = min(_FINEST, rows // int(_LEAST_EXPECTED))
    coarse = min(math.isqrt(_FINEST), math.isqrt(rows // int(_LEAST_EXPECTED)))
    before: list[NDArray[np.uint8]] = []
    for a in range(len(categories)):
        finely, coarsely = _cells(a, categories, network, fine, coarse)
        if _uneven(finely, fine):
            return True
        if any(_uneven(coarsely * np.uint8(coarse) + earlier, coarse * coarse) for earlier in before):
            return True
        before.append(coarsely)
    return False


def _cells(
    a: int, categories: Sequence[NDArray[Any]], network: Network, *numbers: int
) -> list[NDArray[np.uint8]]:
    """In which of so many equal cells of [0, 1) each record lies by attribute a, for each number of cells."""
    limits = np.cumsum(network.tables[a], axis=-1)
    limits = np.concatenate([np.zeros_like(limits[..., :1]), limits / limits[..., -1:]], axis=-1)
    out = [np.empty(len(categories[a]), dtype=np.uint8) for _ in numbers]
    for start in range(0, len(categories[a]), _ROWS):
        block = slice(start, start + _ROWS)
        parent_values = tuple(categories[b][block] for b in network.parents[a])
        category = categories[a][block].astype(np.int64)  # one more must fit
        low, high = limits[(*parent_values, category)], limits[(*parent_values, category + 1)]
        rank = low + public_fractions(f"rank {a}", category.size, first=start) * (high - low)
        rank = np.minimum(rank, np.nextafter(1.0, 0.0))
        for cells, number in zip(out, numbers, strict=True):
            cells[block] = rank * number
    return out


def _uneven(cells: NDArray[np.uint8], number: int) -> bool:
    if number < 2:
        return False
    expected = cells.size / number
    counts = np.zeros(number, dtype=np.int64)
    for start in range(0, cells.size, _ROWS):
        counts += np.bincount(cells[start : start + _ROWS], minlength=number)
    distance = float(((counts - expected) ** 2).sum() / expected)
    return bool(distance > 2 * gammainccinv((number - 1) / 2, _SIGNIFICANCE) * _TAIL_CARE)
