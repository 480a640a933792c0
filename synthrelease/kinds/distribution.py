"""A distribution that a report draws, with what it would be without any data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class ShownDistribution:
    """Probabilities of bins, as a release has them and as public numbers alone have them."""

    name: str  # with its unit: "amplitude of saccades (px)"
    edges: Numbers  # in that unit, increasing, shape (bins + 1,)
    released: Numbers  # of sum 1, shape (bins,)
    without_data: Numbers  # of sum 1, shape (bins,)
