"""Whether released values can be what the manifest says they are, judged by statistics.

Signal plus symmetric unimodal noise is, in magnitude, stochastically at least as large as the noise by itself (Anderson
1955). So integers that are too small for the stated scale refute it, whatever the data, and so do those of any places
that are chosen without looking: an overstated scale is noticed even if every number of the manifest was changed to agree with
it, as far as there are places where noise is most of what there is. One-sided.

Values larger, or counts more, than all people together may contribute refute an understated bound of contributions.

The error probability of each check on a true claim is about 10⁻¹².
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import (
    gammaincinv,  # quantiles of Γ, and of χ²_d = 2·Γ_(d/2); scipy.stats is slow to import
)

from synthrelease.dp.event import Noise, RoundedGaussian

_SIGNIFICANCE = 1e-12
_BLOCK = 1 << 15  # integers looked at at a time


@dataclass
class IntegerTally:
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
            block = flat[start : start + _BLOCK].astype(np.float64)
            self.number += block.size
            self.total += float(block.sum())
            np.abs(block, out=block)
            self.largest = max(self.largest, float(block.max()))
            self.magnitudes += float(block.sum()) + block.size
            block += 0.5
            self.squares += float(block @ block)


def too_quiet(tally: IntegerTally, noise: Noise) -> bool:
    """Return whether all integers together are smaller than noise of the stated scale could be.

    With rounding undone in the claim's favour: Σ(|z|+½)² < σ²·χ²_d quantile for the Gaussian; Σ(|z|+1) < b·Γ_d
    quantile for the Laplace, whose magnitude plus 1 is at least an exponential variable of mean b.
    """
    if tally.number == 0:
        return False
    if isinstance(noise, RoundedGaussian):
        return bool(tally.squares < noise.scale**2 * 2 * gammaincinv(tally.number / 2, _SIGNIFICANCE))
    return bool(tally.magnitudes < noise.scale * gammaincinv(tally.number, _SIGNIFICANCE))


def too_large(tally: IntegerTally, noise: Noise, *, most_each: int) -> bool:
    """Return whether any integer is larger than a true value of at most `most_each` and noise of the stated scale.

    Noise beyond 9 standard deviations (Gaussian) or 50·b (Laplace) is that rare for each of up to 10⁶ integers.
    """
    reach = 9 * noise.standard_deviation if isinstance(noise, RoundedGaussian) else 50 * noise.scale
    return tally.largest > most_each + reach + 1


def too_many(tally: IntegerTally, noise: Noise, *, most: int) -> bool:
    """Return whether noisy counts sum to more than `most` true counts and noise of the stated scale can.

    A sum of d independent noises of standard deviation s exceeds 8·s·√d with probability below 10⁻¹² (Gaussian), and
    b·(8√(2d) + 30) likewise (Laplace, by Bernstein's inequality).
    """
    if isinstance(noise, RoundedGaussian):
        reach = 8 * noise.standard_deviation * tally.number**0.5
    else:
        reach = noise.scale * (8 * (2 * tally.number) ** 0.5 + 30)
    return bool(tally.total > most + reach)
