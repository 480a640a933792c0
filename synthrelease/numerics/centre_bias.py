"""What maps of attention to photographs are like before any data is seen: public numbers of another dataset.

From the fixations of 15 people on images 1021–1700 of OSIE (Xu et al. 2014, 800×600 px): no image and no person of the
data on which this project reports results. `scripts/study heatmaps` computes the numbers again and prints them next to
these.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.cosine_transform import cells_of
from synthrelease.numerics.log_normal_map import LogPrior, grid_shape
from synthrelease.numerics.spectrum import Band

CENTRE, NO_PRIOR = "centre", "none"

# Mean coefficients over height and width whose magnitude is at least 0.05: more than the mean of 680 maps errs by.
MEAN = {
    (0, 2): -0.486,
    (0, 4): -0.105,
    (0, 6): -0.077,
    (1, 0): 0.108,
    (2, 0): -0.596,
    (2, 2): 0.318,
    (2, 6): 0.050,
    (3, 0): -0.129,
    (3, 2): 0.085,
    (4, 0): -0.054,
    (5, 2): -0.050,
}
# ln(variance around the mean) = a + b·ln f + c·ln² f, f = √(u² + v²) ≥ 1: products of two halves of the observers,
# averaged over images and rings of frequencies, fitted by least squares.
POWER = (-3.102, 1.924, -0.770)
# Over time maps change slowly; this is a plain guess, of which only the shape matters (its height is fitted).
_TIME_SCALE = 2.0
# Of the logarithm of a map: variance 0.07·(1 + (f/4)²)^(−3/2) of a coefficient, 2 of all, as of a process whose correlation falls
# exponentially with distance; twice as much of all over space and time. Chosen on simulated studies (`scripts/study uncertainty`).
_LOG_POWER, _LOG_SCALE, _LOG_SLOPE = 0.071, 4.0, 1.5
_LEAST_MEAN = 0.05  # of the density, whose logarithm is taken


@dataclass(frozen=True)
class Prior:
    """What coefficients of maps are like before any data is seen: Gaussian, independent."""

    mean: NDArray[np.float64]  # μ, dimensionless, shape (K,); the constant is 1
    # variance around it, up to a factor that is fitted, shape (K,); of the constant 0
    power: NDArray[np.float64]


def prior(name: str, frequencies: Band) -> Prior:
    """Return the prior for a band over (height, width), or (time, height, width).

    Over time the mean does not change, and the variance falls as 1/(1 + (w/2)²) with the frequency w of time.

    Args:
        name: "centre", or "none" for the same variance around an even map.
        frequencies: the band.

    Raises:
        ValueError: there is no such prior.
    """
    if name not in (CENTRE, NO_PRIOR):
        raise ValueError(f"Expected {CENTRE} or {NO_PRIOR}, found another prior")
    u, v = frequencies.frequencies[-2:]
    time = frequencies.frequencies[0] if len(frequencies.box) > 2 else np.zeros_like(u)
    mean: NDArray[np.float64] = np.zeros(frequencies.count)
    for (vertical, horizontal), value in MEAN.items() if name == CENTRE else ():
        mean[(u == vertical) & (v == horizontal) & (time == 0)] = value
    mean[0] = 1.0
    logarithm = np.log(np.maximum(np.hypot(u, v), 1.0))
    a, b, c = POWER
    power = np.exp(a + b * logarithm + c * logarithm**2) / (1 + (time / _TIME_SCALE) ** 2)
    power[0] = 0.0
    return Prior(mean, power)


def log_prior(name: str, frequencies: Band) -> LogPrior:
    """Return the prior of the logarithm of a map over (height, width), or (time, height, width).

    Args:
        name: "centre", or "none" for the same variance around an even map.
        frequencies: the band.

    Raises:
        ValueError: there is no such prior.
    """
    shape = grid_shape(frequencies)
    cells = math.prod(shape)
    mean = cells_of(frequencies.boxed(prior(name, frequencies).mean * math.sqrt(cells)), shape)
    *time, u, v = np.indices(frequencies.box)
    variance = _LOG_POWER * (1 + (u**2 + v**2) / _LOG_SCALE**2) ** -_LOG_SLOPE
    for w in time:
        variance *= 0.5 / (1 + (w / _TIME_SCALE) ** 2)
    variance.flat[0] = 0.0
    return LogPrior(np.log(np.maximum(mean, _LEAST_MEAN)), variance)
