"""The integers of a spectral heatmap, and what follows from them: used to make a release and to check it.

An integer is a coefficient of a person's map, times a public weight, in steps; R steps are the norm that a person is
clipped to. The weights are H^a, which makes low frequencies, of which a blurred map consists, count most. The constant,
which is 1 for every map, has a small weight of its own: its sum tells how much of everybody was left after clipping,
and so what to divide by.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.maths import centre_bias
from synthrelease.maths.inversion import nearest_map, posterior
from synthrelease.maths.spectrum import Band, band, middles, rendered, rendered_variance

RADIUS = 1 << 16  # R: rounding toward zero loses less than a thousandth of a norm
CUTOFF = 1e-3  # τ: frequencies that the blur leaves less of are not released
CONSTANT_STEPS = 5243  # of the constant of one map: 0.08 of R
_LEFT_MEAN, _LEFT_DEVIATION = 0.6, 0.2  # of a person after clipping: what is expected before any is measured
_LEAST_LEFT = 0.2


@dataclass(frozen=True)
class SpectralForm:
    """The public numbers between a map and its integers.

    Attributes:
        blurs: σ_b of the blur as a share of each axis: (height, width) or (time, height, width).
        exponent: a of the weights H^a.
        clip: c₀, the norm people are clipped to, as a share of that of a person who looks at one typical point.
        prior: "centre" or "none".
        cells: of the rendered map, along each axis.
    """

    blurs: tuple[float, ...]
    exponent: float
    clip: float
    prior: str
    cells: tuple[int, ...]

    @property
    def band(self) -> Band:
        """The frequencies that are released."""
        return band(self.blurs, CUTOFF)

    def steps(self) -> NDArray[np.float64]:
        """Return how many steps a coefficient of 1 is, shape (K,).

        A person who looks at one point has, squared and on average over the points, the norm Σ H^2a without the constant.
        """
        weight = self.band.attenuation**self.exponent
        steps: NDArray[np.float64] = weight * (RADIUS / (self.clip * np.sqrt((weight[1:] ** 2).sum())))
        steps[0] = CONSTANT_STEPS
        return steps

    def heatmap(self, noisy: NDArray[np.integer], *, mass: float, deviation: float) -> NDArray[np.float64]:
        """Return the density of attention, blurred, 1 on average: the nearest map to what the noisy integers tell.

        Args:
            noisy: integers of one stimulus, shape (K,).
            mass: how many people's worth of map they hold.
            deviation: standard deviation of the noise, in steps.
        """
        mean, variance = self._posterior(noisy, mass, deviation)
        found = nearest_map(mean, variance, self.band) * self.band.attenuation
        return np.maximum(rendered(found, self.band, self._places()), 0.0)

    def uncertainty(
        self, noisy: NDArray[np.integer], *, mass: float, deviation: float
    ) -> NDArray[np.float64]:
        """Return the standard deviation of `heatmap`'s error at every cell, from the known noise and the prior.

        It is that of the linear estimate: the nearest map, which knows that maps are not negative, errs less.
        """
        _, variance = self._posterior(noisy, mass, deviation)
        blurred = variance * self.band.attenuation**2
        root: NDArray[np.float64] = np.sqrt(rendered_variance(blurred, self.band, self._places()))
        return root

    def _posterior(
        self, noisy: NDArray[np.integer], mass: float, deviation: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        unit = self.steps() * mass
        density = noisy / unit
        density[0] = 1.0
        return posterior(density, deviation / unit, centre_bias.prior(self.prior, self.band))

    def _places(self) -> list[NDArray[np.float64]]:
        return [middles(cells) for cells in self.cells]


def masses(
    constants: NDArray[np.integer], *, deviation: float, viewers: NDArray[np.integer] | None, joint: bool
) -> NDArray[np.float64]:
    """Return how many people's worth of map the integers of every stimulus hold, shape (S,), positive.

    Where the number of viewers is public, a person is expected to be left to 0.6 ± 0.2 after clipping, and the noisy
    constants correct that: one share for all stimuli if people were clipped over all at once, else one for each. Where
    it is not, the maps are expected to hold their mean, give or take as much.

    Args:
        constants: the noised integers of the constants, shape (S,).
        deviation: standard deviation of their noise, in steps.
        viewers: how many people have rows on each stimulus, if public.
        joint: whether people were clipped over all stimuli at once.
    """
    held, error = constants / CONSTANT_STEPS, deviation / CONSTANT_STEPS
    if viewers is None:
        mean = max(float(held.mean()), error / np.sqrt(held.size))
        own = _combined(mean, mean, held, np.full(held.shape, error))
        return np.asarray(np.maximum(own, _LEAST_LEFT * mean))
    seen = np.maximum(viewers, 1e-3)  # nobody saw it: noise, divided by next to nothing, that tells nothing
    if joint:
        left, errors = (
            np.full(held.shape, held.sum() / seen.sum()),
            np.full(held.shape, error * np.sqrt(held.size) / seen.sum()),
        )
    else:
        left, errors = held / seen, error / seen
    share = np.clip(_combined(_LEFT_MEAN, _LEFT_DEVIATION, left, errors), _LEAST_LEFT, 1.0)
    return np.asarray(share * seen)


def _combined(
    mean: float, deviation: float, measured: NDArray[np.float64], error: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Mean of what was expected and what was measured, each weighted by its precision."""
    expected, found = deviation**-2, error**-2
    return (expected * mean + found * measured) / (expected + found)
