"""The most probable map where the logarithm of the density is Gaussian, and how far it may be from the exact one.

Such a prior (for points, log-Gaussian Cox processes: Møller et al. 1998, https://doi.org/10.1111/1467-9469.00115) knows that maps
are not negative, and that they have few high peaks and much that is nearly empty. Everything here is post-processing: it knows the noisy
coefficients, the known noise, and public numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.cosine_transform import box_of, cells_of
from synthrelease.numerics.spectrum import Band

OVERSAMPLING = 2  # cells of the grid for each frequency of an axis
# Of maps that are found together: less overhead, and all arrays stay in the processor's cache.
_CELLS_TOGETHER = 40_000
# Steps of Newton's method, and of conjugate gradients that solve for each. More of the latter would find the map with fewer of the
# former, but let rounding grow. The first steps take the noise to be larger, and none is long, so that none overshoots.
_NEWTON_STEPS, _GRADIENT_STEPS = 16, 3
_CAUTION = (30.0, 10.0, 3.0)  # of the noise's variance
_LONGEST_STEP = 1.5  # of the logarithm, anywhere
# The uncertainty's terms; chosen, like the prior, on images 1021–1700 of OSIE and on `saliency_in_crowd` (`scripts/study uncertainty`).
_CLIPPED = 0.05  # of the density: what clipping takes from a peak, or adds elsewhere
_AT_PEAKS, _REACH = 0.31, 4.0
_TINY = float(np.finfo(np.float64).tiny)
_LEVELS = np.geomspace(2.0**-7, 2.0**9, 33)  # densities at which the variance is computed, to interpolate


@dataclass(frozen=True)
class LogPrior:
    """What the logarithm of a map is like before any data is seen: Gaussian, with independent cosine coefficients."""

    mean: NDArray[np.float64]  # dimensionless, up to a constant, of the grid's shape
    # of each coefficient, dimensionless, in the shape of the band's box; 0 of the constant
    variance: NDArray[np.float64]
    # of a coefficient's prior variance: by how much maps differ from what is log-normal. Where noise is smaller, the data decide.
    misfit: float = 0.02

    def not_log_normal(self, frequencies: Band) -> NDArray[np.float64]:
        """Return the variance of what is not log-normal of a map's coefficients, dimensionless, shape (K,)."""
        return np.asarray(self.misfit * self.variance[tuple(frequencies.frequencies)])


def grid_shape(frequencies: Band) -> tuple[int, ...]:
    """Return the cells of each axis of the grid that maps of a band are found on."""
    return tuple(OVERSAMPLING * side for side in frequencies.box)


def most_probable_maps(
    noisy: NDArray[np.float64],
    noise: NDArray[np.float64],
    priors: Sequence[LogPrior],
    frequencies: Band,
) -> NDArray[np.float64]:
    """Return the coefficients of densities: F(p) of the most probable log-normal map, and what of the rest is not noise.

    p = exp(g)/Σ maximises −½Σ (F(p) − noisy)²/(noise + misfit) − ½Σ ĝ²/variance, ĝ being the coefficients of g less the prior's mean; of
    the remainder noisy − F(p), misfit/(noise + misfit) is kept. By Newton's method, each step being solved by conjugate gradients. The
    numbers of steps are fixed: what is found is a smooth function of the integers, the same on every machine but for rounding. No bit of
    a map depends on which others are found with it.

    Args:
        noisy: F̂, coefficients of S densities on the unit square or cube, shape (S, K); the first of each, the constant, is 1.
        noise: variance of each, shape (S, K); that of the constant is not used.
        priors: what each map is like, S of them.
        frequencies: the band.

    Returns:
        Coefficients, dimensionless, shape (S, K).
    """
    together = max(1, _CELLS_TOGETHER // math.prod(grid_shape(frequencies)))
    blocks = [slice(start, start + together) for start in range(0, len(noisy), together)]
    return np.concatenate(
        [_found_together(noisy[some], noise[some], priors[some], frequencies) for some in blocks]
    )


def _found_together(
    noisy: NDArray[np.float64], noise: NDArray[np.float64], priors: Sequence[LogPrior], frequencies: Band
) -> NDArray[np.float64]:
    """Return what `most_probable_maps` does of some maps, in one array."""
    misfit = np.stack([prior.not_log_normal(frequencies) for prior in priors])
    precision = np.zeros(noisy.shape)  # of the constant: it is right for any map
    precision[:, 1:] = 1 / (noise + misfit)[:, 1:]
    places = slice(None), *frequencies.frequencies
    boxes = np.zeros((2, len(noisy), *frequencies.box))
    boxes[0][places], boxes[1][places] = noisy, precision
    problem = _Problem(
        *boxes, *(np.stack([getattr(p, name) for p in priors]) for name in ("mean", "variance"))
    )
    scaled = np.zeros_like(boxes[0])
    for number in range(_NEWTON_STEPS):
        caution = _CAUTION[number] if number < len(_CAUTION) else 1.0
        scaled += problem.step(scaled, caution)
    found: NDArray[np.float64] = problem.coefficients(problem.shares(scaled))[places]
    found += misfit * precision * (noisy - found)
    return found


@dataclass(frozen=True)
class _Problem:
    """Of some maps, along the first axis; the rest in the box of the band, or at the cells of the grid. `scaled` is ĝ in standard deviations of the prior."""

    noisy: NDArray[np.float64]
    precision: NDArray[np.float64]
    mean: NDArray[np.float64]  # of the priors, at the cells
    variance: NDArray[np.float64]  # of the priors, in the box

    @cached_property
    def _deviations(self) -> NDArray[np.float64]:
        """Of the coefficients of an orthonormal transform of the cells."""
        return np.sqrt(self.variance * self._cells)

    @property
    def _cells(self) -> int:
        return math.prod(self.mean.shape[1:])

    def shares(self, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return p at the cells, of sum 1."""
        logarithm = self._logarithm(scaled)
        logarithm += self.mean
        logarithm -= _of_each(np.max, logarithm)
        shares = np.exp(logarithm, out=logarithm)
        shares /= _of_each(np.sum, shares)
        return shares

    def coefficients(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return F(p)."""
        return box_of(shares, self.noisy.shape[1:]) * math.sqrt(self._cells)

    def step(self, scaled: NDArray[np.float64], caution: float) -> NDArray[np.float64]:
        """Return a step of Newton's, shorter if it would change the logarithm by more than `_LONGEST_STEP` anywhere.

        Of the curvature that comes from the exponential only the positive part counts: so no step leads uphill.
        """
        shares, precision = self.shares(scaled), self.precision / caution
        slope = _relative(shares, self._cells_of(precision * (self.coefficients(shares) - self.noisy)))
        bend = np.maximum(slope, 0.0)
        residual = -scaled - self._scaled_of(slope)
        conditioner = 1 / (1 + self.variance * precision)
        step, direction = np.zeros_like(scaled), conditioner * residual
        size = _of_each(np.sum, residual * direction)
        for _ in range(_GRADIENT_STEPS):
            change = self._logarithm(direction)
            curved = _relative(
                shares, self._cells_of(precision * self.coefficients(_relative(shares, change)))
            )
            change *= bend
            curved += change
            product = direction + self._scaled_of(curved)
            length = size / np.maximum(_of_each(np.sum, direction * product), _TINY)
            step += length * direction
            residual -= length * product
            better = conditioner * residual
            before, size = size, _of_each(np.sum, residual * better)
            direction = better + size / np.maximum(before, _TINY) * direction
        longest = _of_each(np.max, np.abs(self._logarithm(step)))
        return np.asarray(step * np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, _TINY)))

    def _logarithm(self, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        return cells_of(self._deviations * scaled, self.mean.shape[1:])

    def _scaled_of(self, at_cells: NDArray[np.float64]) -> NDArray[np.float64]:
        """The transpose of `_logarithm`."""
        return self._deviations * box_of(at_cells, self.noisy.shape[1:])

    def _cells_of(self, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        """The transpose of `coefficients`."""
        return cells_of(coefficients * math.sqrt(self._cells), self.mean.shape[1:])


def _of_each(
    reduction: Callable[..., NDArray[np.float64]], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """A sum or maximum of each map by itself, of a shape that fits to maps."""
    each = reduction(values.reshape(len(values), -1), axis=1)
    return each.reshape(-1, *[1] * (values.ndim - 1))


def _relative(shares: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """p·(x − Σ p·x): how p changes with its logarithm, its sum being 1."""
    weighted: NDArray[np.float64] = shares * values
    weighted -= shares * _of_each(np.sum, weighted)
    return weighted


def standard_deviation(
    shown: NDArray[np.float64], noise: NDArray[np.float64], prior: LogPrior, frequencies: Band
) -> NDArray[np.float64]:
    """Return s, in the unit and shape of `shown`: the exact map is within 2 of them at nearly all cells, and nearly always at its peak.

    s² = p²·(e^v − 1) + w + (0.05·p)² + (0.31·p·√(p/max p)·(e^{4√v} − 1))²: the variance of a log-normal value; that of what is not
    log-normal; what clipping does; and that peaks are flattened, or elsewhere, the more so the less is known. With the prior's variance
    K, the misfit's L and the noise's N, w = Σ H²·L·N/(L + N), and v = Σ H²·K·N/(p²·K + N) is the posterior variance of
    the logarithm, blurred, if the whole map had the density p.

    Args:
        shown: p, the blurred map, dimensionless: relative to a uniform one.
        noise: N, variance of the coefficients' noise, shape (K,).
        prior: what maps are like.
        frequencies: the band, with H.
    """
    power, noise = prior.variance[tuple(frequencies.frequencies)][1:], noise[1:]
    weight = frequencies.attenuation[1:] ** 2 * power
    not_normal = prior.not_log_normal(frequencies)[1:]
    misfit = float((frequencies.attenuation[1:] ** 2 * not_normal / (1 + not_normal / noise)).sum())
    at_levels = [float((weight / (1 + level**2 * (power / noise))).sum()) for level in _LEVELS]
    variance = np.interp(np.log(np.maximum(shown, _LEVELS[0])), np.log(_LEVELS), at_levels)
    # In place from here on: on a large grid a new array takes longer than what is done with it.
    squared: NDArray[np.float64] = np.expm1(variance)
    squared += _CLIPPED**2
    np.sqrt(variance, out=variance)
    variance *= _REACH
    flattened = np.expm1(variance, out=variance)
    flattened *= _AT_PEAKS
    flattened *= flattened
    flattened *= shown / max(float(shown.max()), _TINY)
    squared += flattened
    squared *= shown
    squared *= shown
    squared += misfit
    return np.sqrt(squared, out=squared)
