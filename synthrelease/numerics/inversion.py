"""From noisy coefficients to a map that can be one: nowhere negative, of total 1, near what maps are like.

Everything here is post-processing: it knows the noisy coefficients, the known noise, and public numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.cosine_transform import box_of, cells_of
from synthrelease.numerics.simplex import onto_simplex_from
from synthrelease.numerics.spectrum import Band

_STEPS = 120
# Of the prior's power, expected of maps before one is seen; chosen on images 1001–1010 of osie_mouse.
_POWER_MEAN, _POWER_DEVIATION = 0.6, 0.6
_LEAST_POWER = 0.02  # of the expected power: a map is never taken to be the prior itself
_OVERSAMPLING = 2  # cells of the inversion's grid for each frequency of an axis


@dataclass(frozen=True)
class Prior:
    """What coefficients of maps are like before any data is seen: Gaussian, independent."""

    mean: NDArray[np.float64]  # μ, dimensionless, shape (K,); the constant is 1
    # variance around it, up to a factor that is fitted, shape (K,); of the constant 0
    power: NDArray[np.float64]


def posterior(
    noisy: NDArray[np.float64], deviation: float | NDArray[np.float64], prior: Prior
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and variance of every coefficient given noisy ones: Wiener's filter around the prior's mean.

    The power is α·`prior.power`, α being fitted to how much the noisy coefficients stray beyond their noise, as far as that
    is known: 0.6 ± 0.6 is expected beforehand.

    Args:
        noisy: F̂, coefficients of a density on the unit square or cube, shape (K,); the first, the constant, is 1.
        deviation: standard deviation of the noise of each.
        prior: what maps are like.
    """
    noise = np.broadcast_to(np.square(deviation), noisy.shape)[1:]
    difference, power = (noisy - prior.mean)[1:], prior.power[1:]
    strays = max(_fitted_power(difference, noise, power), _LEAST_POWER) * power
    gain = strays / (strays + noise)
    mean, variance = prior.mean.copy(), np.zeros(noisy.shape)
    mean[1:] += gain * difference
    variance[1:] = gain * noise
    return mean, variance


def _fitted_power(
    difference: NDArray[np.float64], noise: NDArray[np.float64], power: NDArray[np.float64]
) -> float:
    """α by weighted least squares of differences² − noise on power, and what is expected, each by its precision.

    With the weights of the likelihood at α = 1 the variance of the first is 2/Σ(P/(P + N))².
    """
    weight = power / (power + noise) ** 2
    fitted = float((weight * (difference**2 - noise)).sum() / (weight * power).sum())
    precision, expected = float(((power / (power + noise)) ** 2).sum()) / 2, _POWER_DEVIATION**-2
    return (precision * fitted + expected * _POWER_MEAN) / (precision + expected)


def nearest_map(
    target: NDArray[np.float64], variance: NDArray[np.float64], frequencies: Band
) -> NDArray[np.float64]:
    """Return the coefficients of the map p ≥ 0, Σp = 1, that minimises Σ (F(p) − target)²/variance.

    By accelerated projected gradients (Beck & Teboulle 2009, Section 4). The grid is as fine as the band needs; F is
    then a discrete cosine transform.

    Args:
        target: coefficients, the constant being 1, dimensionless, shape (K,).
        variance: of each, shape (K,); that of the constant is not used.
        frequencies: the band.
    """
    box, shape = frequencies.box, tuple(_OVERSAMPLING * side for side in frequencies.box)
    cells_in_all = math.prod(shape)
    scale = math.sqrt(cells_in_all)  # from an orthonormal transform of cells to coefficients of a density
    weight = np.zeros(target.shape)  # the constant is right for any map
    weight[1:] = variance[1:].min() / variance[1:]
    weights, boxed_target = frequencies.boxed(weight), frequencies.boxed(target / scale)
    cells = np.full(shape, 1 / cells_in_all)
    ahead, momentum, lowered_by = cells.copy(), 1.0, 0.0
    for _ in range(_STEPS):
        moved = cells_of(weights * (box_of(ahead, box) - boxed_target), shape)
        np.subtract(ahead, moved, out=moved)
        moved, lowered_by = onto_simplex_from(lowered_by, moved, 1.0)
        faster = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        np.subtract(moved, cells, out=ahead)
        ahead *= (momentum - 1) / faster
        ahead += moved
        cells, momentum = moved, faster
    coefficients: NDArray[np.float64] = box_of(cells, box)[tuple(frequencies.frequencies)] * scale
    return coefficients
