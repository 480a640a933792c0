"""Public maps of the stimuli as what maps are expected to be, and how far the noisy coefficients let them be believed.

The logarithm of a map is expected at (1 − a)·c + a·m, where c is that of the centre bias and m that of the stimulus's public map, and to
stray from there with s times the variance that it has about the centre bias. Weight a and spread s are one for all stimuli, the means of
what the noisy coefficients leave probable: so a few people say little of either, and many contradict a map that is wrong. All is
post-processing: it knows noisy coefficients, their noise, and public numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics import centre_bias
from synthrelease.numerics.cosine_transform import box_of, cells_of
from synthrelease.numerics.log_normal_map import LogPrior, grid_shape
from synthrelease.numerics.spectrum import Band

Numbers = NDArray[np.float64]

GRID = 1 << 20  # steps of 1 that a public map's coefficients are stated in
_LOW = 200  # frequencies, the lowest, that a and s are fitted to: others are nearly all noise
_BLURRED = (
    0.25  # a public map is blurred by H to this power: points of other people are not where others look
)
_CENTRE = 0.1  # of a public map: that much of the centre bias is mixed with it
_MISFIT = 0.3  # of the variance about the centre bias: what maps have that public ones lack
_LEAST = 1e-3  # of a density, relative to a uniform one
_WEIGHTS = np.arange(13) / 10
_SPREADS = 2.0 ** (np.arange(15) / 2 - 6)
# What is expected of them before any data is seen: normal, of a and of log₂ s.
_WEIGHT_MEAN, _WEIGHT_DEVIATION = 1.0, 0.3
_SPREAD_MEAN, _SPREAD_DEVIATION = -1.5, 1.5


def on_grid(coefficients: Numbers) -> NDArray[np.int32]:
    """Return coefficients of public maps as whole steps, of the same shape."""
    return np.rint(coefficients * GRID).astype(np.int32)


@dataclass(frozen=True)
class MapBelief:
    """What maps of a band are expected to be, given public ones."""

    frequencies: Band

    @cached_property
    def low(self) -> NDArray[np.intp]:
        """The numbers of the frequencies that weight and spread are fitted to, in their order, without the constant, shape (low,)."""
        lowest = np.argsort(-self.frequencies.attenuation[1:], kind="stable")[:_LOW] + 1
        return np.sort(lowest)

    @cached_property
    def _centre(self) -> LogPrior:
        return centre_bias.log_prior(centre_bias.CENTRE, self.frequencies)

    @cached_property
    def _cells(self) -> int:
        return math.prod(grid_shape(self.frequencies))

    def log_map(self, public: NDArray[np.integer]) -> Numbers:
        """Return the logarithm of a public map, up to a constant, of the grid's shape.

        Args:
            public: its coefficients in steps, shape (K,).
        """
        blurred = public / GRID * self.frequencies.attenuation**_BLURRED
        density = cells_of(
            self.frequencies.boxed(blurred) * math.sqrt(self._cells), grid_shape(self.frequencies)
        )
        density = np.maximum(density, 0.0)
        density /= max(float(density.mean()), _LEAST)
        centre = np.exp(self._centre.mean)
        centre /= centre.mean()
        return np.log(np.maximum((1 - _CENTRE) * density + _CENTRE * centre, _LEAST))

    def prior(self, public: NDArray[np.integer], weight: float, spread: float) -> LogPrior:
        """Return what the map of a stimulus is expected to be.

        Args:
            public: coefficients of its public map in steps, shape (K,).
            weight: a.
            spread: s.
        """
        mean = (1 - weight) * self._centre.mean + weight * self.log_map(public)
        return LogPrior(mean, spread * self._centre.variance, _MISFIT / spread)

    def fitted(
        self, densities: Iterable[tuple[Numbers, Numbers]], public: Iterable[NDArray[np.integer]]
    ) -> tuple[float, float]:
        """Return weight and spread, dimensionless.

        Coefficients of stimuli are taken to be normal about those of exp((1 − a)·c + a·m), with the noise's variance and s times that of
        coefficients about the centre bias.

        Args:
            densities: of each stimulus, noisy coefficients of the density at `low` and the variance of their noise, shape (low,) each.
            public: of each stimulus, coefficients of its public map in steps, shape (K,).
        """
        power = centre_bias.prior(centre_bias.CENTRE, self.frequencies).power[self.low]
        evidence = -0.5 * ((_WEIGHTS - _WEIGHT_MEAN) / _WEIGHT_DEVIATION)[:, None] ** 2
        evidence = evidence - 0.5 * ((np.log2(_SPREADS) - _SPREAD_MEAN) / _SPREAD_DEVIATION) ** 2
        for (noisy, noise), one in zip(densities, public, strict=True):
            missed = (noisy - self._expected(one)) ** 2
            variance = noise + _SPREADS[:, None] * power
            evidence -= 0.5 * (missed @ (1 / variance).T + np.log(variance).sum(axis=1))
        share = np.exp(evidence - evidence.max())
        share /= share.sum()
        return float(share.sum(axis=1) @ _WEIGHTS), float(2 ** (share.sum(axis=0) @ np.log2(_SPREADS)))

    def _expected(self, public: NDArray[np.integer]) -> Numbers:
        """Coefficients at `low` of what is expected with every weight, shape (weights, low)."""
        log_map, places = self.log_map(public), tuple(self.frequencies.frequencies[:, self.low])
        out = np.empty((_WEIGHTS.size, self.low.size))
        for number, weight in enumerate(_WEIGHTS):
            mean = (1 - weight) * self._centre.mean + weight * log_map
            shares = np.exp(mean - mean.max())
            shares /= shares.sum()
            out[number] = (box_of(shares, self.frequencies.box) * math.sqrt(self._cells))[places]
        return out
