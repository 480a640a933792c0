"""The integers of a spectral heatmap, and what follows from them: used to make a release and to check it.

An integer is a coefficient of a person's map, times a public weight, in steps; R steps are the norm that a person is
clipped to. The weights are H^a, which makes low frequencies, of which a blurred map consists, count most. The constant,
which is 1 for every map, has a small weight of its own: its sum shows how much of each person was left after clipping,
and so what to divide by.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics import centre_bias
from synthrelease.numerics.log_normal_map import LogPrior, most_probable_maps, standard_deviation
from synthrelease.numerics.spectrum import Band, band, middles, rendered

RADIUS = 1 << 16  # R: rounding toward zero loses less than a thousandth of a norm
CUTOFF = 1e-3  # τ: frequencies that the blur leaves less of are not released
CONSTANT_STEPS = 5243  # of the constant of one map: 0.08 of R
MOST_CELLS = 1 << 26  # of one map, frames included
# What is left of a person on one stimulus after clipping, expected before any is measured.
_LEFT_MEAN, _LEFT_DEVIATION = 0.6, 0.35
_SHARP, _LEAST_DENSITY = (
    0.25,
    1e-3,
)  # of probabilities: how far they are blurred, and what they are at least, relative to even ones
_LEAST_PART = 0.05  # of the expected normalization, whatever the noise says


@dataclass(frozen=True)
class SpectralForm:
    """The public numbers between a map and its integers."""

    # σ_b of the blur as a share of each axis: (height, width) or (time, height, width)
    blurs: tuple[float, ...]
    cells: tuple[int, ...]  # of the rendered map, along each axis
    # a of the weights H^a; these three are the plan's defaults too, chosen on images 1001–1010 of osie_mouse
    exponent: float = 1.25
    # c₀, the norm people are clipped to, as a share of that of a person who looks at one typical point
    clip: float = 0.35
    prior: str = centre_bias.CENTRE  # "centre" or "none"

    def __post_init__(self) -> None:
        """Check that there is something to release, and not too much.

        Raises:
            ValueError: so large a blur that no frequency is left, so small a one that too many are, or too many cells.
        """
        if not all(math.isfinite(blur) and blur > 0 for blur in self.blurs):
            raise ValueError("Expected blurs > 0, found another")
        if math.prod(self.cells) > MOST_CELLS:
            raise ValueError(f"Expected at most {MOST_CELLS} cells, found {math.prod(self.cells)}")
        if not (self.band.frequencies[-2:].sum(axis=0) > 0).any():
            raise ValueError("Expected a blur that leaves a frequency, found one that leaves none")

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

    def density(
        self, noisy: NDArray[np.integer], *, normalization: float, deviation: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return noisy coefficients of the density, the constant being 1, and the standard deviation of their noise, each of shape (K,).

        Args:
            noisy: integers of one stimulus, shape (K,).
            normalization: how many people's maps they hold.
            deviation: standard deviation of the noise, in steps.
        """
        unit = self.steps() * normalization
        density = noisy / unit
        density[0] = 1.0
        return density, deviation / unit

    def heatmap(
        self,
        noisy: NDArray[np.integer],
        *,
        normalization: float,
        deviation: float,
        prior: LogPrior | None = None,
    ) -> NDArray[np.float64]:
        """Return the density of attention, blurred, 1 on average: the most probable map, its logarithm being Gaussian.

        Args:
            noisy: integers of one stimulus, shape (K,).
            normalization: how many people's maps they hold.
            deviation: standard deviation of the noise, in steps.
            prior: what the stimulus's map is expected to be, if not what all are.
        """
        return self.heatmaps([noisy], normalization=[normalization], deviation=deviation, priors=[prior])[0]

    def heatmaps(
        self,
        noisy: Sequence[NDArray[np.integer]],
        *,
        normalization: Sequence[float],
        deviation: float,
        priors: Sequence[LogPrior | None],
    ) -> list[NDArray[np.float64]]:
        """Return what `heatmap` does of several stimuli, bit for bit, in less time.

        Args:
            noisy: integers of S stimuli, each of shape (K,).
            normalization: how many people's maps they hold, S of them.
            deviation: standard deviation of the noise, in steps.
            priors: what each map is expected to be, or None.
        """
        found = self._most_probable(noisy, normalization, deviation, priors)
        places, attenuation = self.places(), self.band.attenuation
        shown = [rendered(coefficients * attenuation, self.band, places) for coefficients in found]
        return [np.maximum(one, 0.0, out=one) for one in shown]

    def probabilities(
        self,
        noisy: NDArray[np.integer],
        cells: tuple[int, ...],
        *,
        normalization: float,
        deviation: float,
        prior: LogPrior | None = None,
    ) -> NDArray[np.float64]:
        """Return the probability of each cell of a grid, above 0, of sum 1: the same map, blurred by H^¼ only.

        Args:
            noisy: integers of one stimulus, shape (K,).
            cells: along each axis; the result has their shape.
            normalization: how many people's maps they hold.
            deviation: standard deviation of the noise, in steps.
            prior: what the stimulus's map is expected to be, if not what all are.
        """
        coefficients = self._most_probable([noisy], [normalization], deviation, [prior])[0]
        places = [middles(count) for count in cells]
        shown = rendered(coefficients * self.band.attenuation**_SHARP, self.band, places)
        shown = np.maximum(shown, _LEAST_DENSITY)
        return np.asarray(shown / shown.sum())

    def _most_probable(
        self,
        noisy: Sequence[NDArray[np.integer]],
        normalization: Sequence[float],
        deviation: float,
        priors: Sequence[LogPrior | None],
    ) -> NDArray[np.float64]:
        """Coefficients of the most probable maps, shape (S, K)."""
        known = [
            self.density(integers, normalization=people, deviation=deviation)
            for integers, people in zip(noisy, normalization, strict=True)
        ]
        density, error = map(np.stack, zip(*known, strict=True))
        expected = [prior or _prior(self.prior, self.blurs) for prior in priors]
        return most_probable_maps(density, error**2, expected, self.band)

    def uncertainty(
        self,
        shown: NDArray[np.floating],
        *,
        normalization: float,
        normalization_error: float,
        deviation: float,
        prior: LogPrior | None = None,
    ) -> NDArray[np.float64]:
        """Return the uncertainty of a heatmap: the exact map is within twice that at nearly all cells, and at its peak.

        Args:
            shown: the heatmap, relative to a uniform one; the result has its shape.
            normalization: how many people's maps the integers hold.
            normalization_error: standard deviation of the normalization.
            deviation: standard deviation of the noise, in steps.
            prior: what the stimulus's map is expected to be, if not what all are.
        """
        exact = shown.astype(np.float64)
        noise = (deviation / (self.steps() * normalization)) ** 2
        errs = standard_deviation(exact, noise, prior or _prior(self.prior, self.blurs), self.band)
        # In place from here on: on a large grid a new array takes longer than what is done with it.
        exact -= 1.0
        exact *= normalization_error / normalization
        return np.hypot(errs, exact, out=errs)

    def places(self) -> list[NDArray[np.float64]]:
        """Return the middles of the cells of each axis, shape (cells,)."""
        return [middles(cells) for cells in self.cells]


@functools.lru_cache(maxsize=4)
def _prior(name: str, blurs: tuple[float, ...]) -> LogPrior:
    """The prior of a form, public, which every map of an output asks for twice."""
    prior = centre_bias.log_prior(name, band(blurs, CUTOFF))
    prior.mean.flags.writeable = prior.variance.flags.writeable = False
    return prior


def normalizations(
    constants: NDArray[np.integer],
    *,
    deviation: float,
    viewers: NDArray[np.integer] | None,
    people: int | None,
    joint: bool,
) -> NDArray[np.float64]:
    """Return how many people's maps the integers of every stimulus hold, and how well that is known, shape (S, 2).

    Where the number of viewers is public, 0.6 ± 0.35 of a person is expected to be left on a stimulus after clipping, and less
    by the root of how many stimuli people count on if they are clipped over all at once; the noisy constants correct that:
    one share for all stimuli then, else one for each. Where it is not public, maps are expected to hold their mean, give
    or take as much.

    Args:
        constants: the noisy integers of the constants, shape (S,).
        deviation: standard deviation of their noise, in steps.
        viewers: how many people count on each stimulus, if public.
        people: n, if public.
        joint: whether people were clipped over all stimuli at once.

    Returns:
        Normalization, positive, and its standard deviation.
    """
    retained, error = constants / CONSTANT_STEPS, np.full(len(constants), deviation / CONSTANT_STEPS)
    if viewers is None or people is None:
        mean = max(float(retained.mean()), float(error[0]) / math.sqrt(retained.size))
        return _combined(mean, mean, retained, error)
    # No one saw it: noise, divided by next to nothing, which shows nothing.
    counting = np.maximum(viewers, 1e-3)
    proportion, errors = retained / counting, error / counting
    crowding = 1.0
    if joint:
        crowding = math.sqrt(max(1.0, float(counting.sum()) / people))
        proportion = np.full(retained.shape, retained.sum() / counting.sum())
        errors = np.full(retained.shape, error[0] * math.sqrt(retained.size) / counting.sum())
    share = _combined(_LEFT_MEAN / crowding, _LEFT_DEVIATION / crowding, proportion, errors)
    return np.asarray(share * counting[:, None])


def _combined(
    mean: float, deviation: float, measured: NDArray[np.float64], error: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What was expected and what was measured, each weighted by its precision, and the error that is left; shape (S, 2)."""
    expected_precision, measured_precision = deviation**-2, error**-2
    combined_error = (expected_precision + measured_precision) ** -0.5
    combined = (expected_precision * mean + measured_precision * measured) * combined_error**2
    return np.stack(
        [np.maximum(combined, np.maximum(_LEAST_PART * mean, combined_error / 2)), combined_error], axis=1
    )
