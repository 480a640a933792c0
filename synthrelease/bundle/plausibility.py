"""Whether released values can be what the manifest says they are, judged by statistics.

Signal plus symmetric unimodal noise is, in magnitude, stochastically at least as large as the noise alone (Anderson
1955). So integers that are too small for the stated scale refute it, whatever the data, and so do those of any places
that are chosen without looking: an overstated scale is noticed even if every number of the manifest was changed to agree with
it, as far as there are places where noise is most of what there is. One-sided.

Values larger, or counts more, than all people together may contribute refute an understated bound of contributions.

Records that are said to be drawn from noised counts alone must have the distribution of the network that follows from
them: records that were made from people in another way have not.

The error probability of each check on a true claim is about 10⁻¹².
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import (  # quantiles of Γ, and of χ²_d = 2·Γ_(d/2); scipy.stats is slow to import
    gammainccinv,
    gammaincinv,
)

from synthrelease.maths.binning import public_fractions
from synthrelease.maths.network import Network
from synthrelease.privacy.event import Noise, RoundedGaussian

_SIGNIFICANCE = 1e-12
_LEAST_EXPECTED = 10.0
_FINEST = 256  # cells of a test: their numbers have eight bits
_BLOCK = 1 << 15  # integers looked at at a time
_ROWS = 1 << 14  # records looked at at a time: as many as the processor's cache holds
_TAIL_CARE = 2.0  # with ten expected records a cell's χ² has a heavier tail than the limiting one


@dataclass
class Tally:
    """What is to be known of integers that carry noise, added up as they are read."""

    number: int = 0
    squares: float = 0.0  # Σ(|z|+½)²
    magnitudes: float = 0.0  # Σ(|z|+1)
    largest: float = 0.0
    total: float = 0.0

    def add(self, integers: NDArray[Any]) -> None:
        """Count some more of them."""
        flat = integers.reshape(-1)
        for start in range(0, flat.size, _BLOCK):  # by blocks that the processor's cache holds
            some = flat[start : start + _BLOCK].astype(np.float64)
            self.number += some.size
            self.total += float(some.sum())
            np.abs(some, out=some)
            self.largest = max(self.largest, float(some.max()))
            self.magnitudes += float(some.sum()) + some.size
            some += 0.5
            self.squares += float(some @ some)


def too_quiet(tally: Tally, noise: Noise) -> bool:
    """Return whether all integers together are smaller than noise of the stated scale could be.

    With rounding undone in the claim's favour: Σ(|z|+½)² < σ²·χ²_d quantile for the Gaussian; Σ(|z|+1) < b·Γ_d
    quantile for the Laplace, whose magnitude plus 1 is at least an exponential variable of mean b.
    """
    if tally.number == 0:
        return False
    if isinstance(noise, RoundedGaussian):
        return bool(tally.squares < noise.scale**2 * 2 * gammaincinv(tally.number / 2, _SIGNIFICANCE))
    return bool(tally.magnitudes < noise.scale * gammaincinv(tally.number, _SIGNIFICANCE))


def too_large(tally: Tally, noise: Noise, *, most_each: int) -> bool:
    """Return whether any integer is larger than a true value of at most `most_each` and noise of the stated scale.

    Noise beyond 9 standard deviations (Gaussian) or 50·b (Laplace) is that rare for each of up to 10⁶ integers.
    """
    reach = 9 * noise.standard_deviation if isinstance(noise, RoundedGaussian) else 50 * noise.scale
    return tally.largest > most_each + reach + 1


def too_many(tally: Tally, noise: Noise, *, most: int) -> bool:
    """Return whether noised counts sum to more than `most` true counts and noise of the stated scale can.

    A sum of d independent noises of standard deviation s exceeds 8·s·√d with probability below 10⁻¹² (Gaussian), and
    b·(8√(2d) + 30) likewise (Laplace, by Bernstein's inequality).
    """
    if isinstance(noise, RoundedGaussian):
        reach = 8 * noise.standard_deviation * tally.number**0.5
    else:
        reach = noise.scale * (8 * (2 * tally.number) ** 0.5 + 30)
    return bool(tally.total > most + reach)


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
        if any(_uneven(coarsely * np.uint8(coarse) + other, coarse * coarse) for other in before):
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
        given = tuple(categories[b][block] for b in network.parents[a])
        own = categories[a][block].astype(np.int64)  # one more must fit
        low, high = limits[(*given, own)], limits[(*given, own + 1)]
        rank = low + public_fractions(f"rank {a}", own.size, first=start) * (high - low)
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
