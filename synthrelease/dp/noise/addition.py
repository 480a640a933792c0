"""Adding the noise of an event to integers, with room to spare in 64 bits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian
from synthrelease.dp.noise.entropy import WordSource
from synthrelease.dp.noise.rounded import LARGEST_SCALE, discrete_laplace, rounded_gaussian
from synthrelease.errors import PlanError

_SCALES_OF_ROOM = 100  # P(|Laplace| > 100·b) = e⁻¹⁰⁰; a Gaussian never gets there
_INTEGERS = 1 << 18  # integers that noise is drawn for at a time


def add_noise(
    exact: NDArray[np.int64],
    event: RoundedGaussian | DiscreteLaplace,
    *,
    largest: int,
    random: WordSource,
) -> NDArray[np.int64]:
    """Return `exact` with the event's noise added, as int32 if the public bound allows and else int64.

    Args:
        exact: integers of magnitude ≤ `largest`, any shape.
        event: whose scale to draw.
        largest: a public bound of the magnitudes, so that the type of the result reveals nothing.
        random: where the noise comes from.

    Raises:
        PlanError: sums and noise could leave 64 bits.
    """
    reach = largest + math.ceil(_SCALES_OF_ROOM * event.scale)
    if reach >= 2**62 or event.scale > LARGEST_SCALE:
        raise PlanError(
            "integer-overflow",
            "sums and noise would not fit into 64-bit integers",
            remedy="lower the caps or raise the budget",
        )
    draw = rounded_gaussian if isinstance(event, RoundedGaussian) else discrete_laplace
    flat = exact.reshape(-1)
    total: NDArray[Any] = np.empty(flat.size, dtype=np.int32 if reach < 2**31 else np.int64)
    for start in range(0, flat.size, _INTEGERS):
        block = slice(start, start + _INTEGERS)
        total[block] = flat[block] + draw(event.scale, flat[block].size, random=random)
    return total.reshape(exact.shape)
