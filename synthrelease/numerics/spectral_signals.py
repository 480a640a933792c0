"""The integers of a spectral signal, and what follows from them: used to make a release and to check it.

A person's series, each less a baseline of the person's own, are turned into their lowest cosines (DCT-II) and clipped all at
once to one norm. A constant next to each series, clipped with it, shows how much of each person was left, and so what
to divide by: no one needs to know how large people's series are, and the norm may be small.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.fft import idct, ifft

from synthrelease.numerics.exact_product import exact_product
from synthrelease.numerics.steps import HALF_RANGE, centre_and_step

RADIUS = 1 << 16  # R: rounding toward zero loses less than a thousandth of a norm
NO_BASELINE, OF_PERSON, OF_RECORDING, OF_START = "none", "person", "recording", "start"
BASELINES = (NO_BASELINE, OF_PERSON, OF_RECORDING, OF_START)
# How much the level of a series counts relative to its shape: levels differ so much that they would take all of the norm.
LEVEL_WEIGHTS = {NO_BASELINE: 1 / 8, OF_PERSON: 1 / 2, OF_START: 1 / 2}
_CONSTANTS_SHARE = 0.5  # of R, of all constants together
# Expected of mean signals before one is seen: their share of the power of people's own, falling with the square of the
# frequency, and up to a factor that is fitted: 1 ± 3. Chosen on the pupil features of people 1–12 of ier2023_vr_pupil.
_MEAN_SHARE, _FACTOR_DEVIATION, _LEAST_FACTOR = 0.02, 3.0, 1e-4
_FACTORS = np.geomspace(_LEAST_FACTOR, 1 / _LEAST_FACTOR, 257)
# By how much of the usual series differ in what they hold of people: a tenth, or more where not every person has them all.
_NORMALIZATION_DEVIATIONS = np.geomspace(0.1, 1.0, 33)


@dataclass(frozen=True)
class PublicSeries:
    """What is public of one noisy series."""

    normalization: float  # how many people's series the integers hold
    normalization_error: float  # standard deviation of the normalization
    deviation: float  # standard deviation of the noise, in steps
    people: int  # n, how many people were added up
    bounds: tuple[float, float]  # public bounds of the feature

    @property
    def half_width(self) -> float:
        """Half the width of the bounds."""
        return (self.bounds[1] - self.bounds[0]) / 2


@dataclass(frozen=True)
class SpectralSignalForm:
    """The public numbers between people's series and their integers."""

    length: int  # n, steps of every series
    series: int  # S, how many series a person has: recordings × features
    cosines: int  # K, the lowest cosines that are released
    # what is taken off each series first: "none", the mean of all the "person"'s recordings, that of the
    # "recording", or that of its "start"
    baseline: str
    baseline_steps: int | None  # steps of the start, for that baseline; else None
    # c, root-mean-square deviation of a series, as a share of half the bounds' width, that people are clipped
    # to
    clip: float

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            ValueError: more cosines than there are, no such baseline, or a start of no or too many steps.
        """
        if self.baseline not in BASELINES:
            raise ValueError(f"Expected one of {BASELINES} as baseline, found another")
        if not 1 <= self.cosines <= self.length - self.lowest:
            raise ValueError(f"Expected 1 <= cosines <= {self.length - self.lowest}, found {self.cosines}")
        if (self.baseline_steps is not None) != (self.baseline == OF_START):
            raise ValueError(
                f"Expected steps of the start only for that baseline, found {self.baseline_steps}"
            )
        if self.baseline_steps is not None and not 1 <= self.baseline_steps <= self.length:
            raise ValueError(f"Expected 1 <= baseline_steps <= {self.length}, found {self.baseline_steps}")

    @property
    def levelled_steps(self) -> int:
        """How many steps, from the first, a recording's level is the mean of: the start's, or all."""
        return self.baseline_steps or self.length

    @property
    def lowest(self) -> int:
        """The lowest frequency: 0, the level, or 1 where every series has the level 0."""
        return 1 if self.baseline == OF_RECORDING else 0

    @property
    def count(self) -> int:
        """How many integers of a series carry noise: the constant and the cosines."""
        return 1 + self.cosines

    @property
    def constant(self) -> int:
        """The constant next to each series, in steps."""
        return math.floor(_CONSTANTS_SHARE * RADIUS / math.sqrt(self.series))

    def weights(self) -> NDArray[np.float64]:
        """Return how many steps a coefficient of 1 is, in half widths of the bounds, shape (K,).

        A person all of whose series stray by c has the norm R.
        """
        out = np.full(self.cosines, RADIUS / (self.clip * math.sqrt(self.length * self.series)))
        if self.lowest == 0:
            out[0] *= LEVEL_WEIGHTS[self.baseline]
        return out

    def integers(self, series: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return constant and coefficients of every series, before clipping; shape (N, `count`).

        Args:
            series: less their baseline, in steps, within ±2·`HALF_RANGE`, shape (N, n).
        """
        coefficients = exact_product(series, self.rows(), bound=2 * HALF_RANGE)
        weighted = np.trunc(coefficients * (self.weights() / HALF_RANGE)).astype(np.int64)
        return np.concatenate([np.full((len(weighted), 1), self.constant), weighted], axis=1)

    def signal(self, noisy: NDArray[np.integer], public: PublicSeries) -> NDArray[np.float64]:
        """Return the mean signal, or mean change from the baseline, in the feature's unit, shape (n,).

        Args:
            noisy: integers of one series, shape (`count`,).
            public: what is public of it.
        """
        mean, _, _ = self._posterior(noisy, public)
        centre = centre_and_step(*public.bounds)[0] if self.baseline == NO_BASELINE else 0.0
        return centre + public.half_width * self._series(mean)

    def uncertainty(self, noisy: NDArray[np.integer], public: PublicSeries) -> NDArray[np.float64]:
        """Return the standard deviation of the error of every step of `signal`, from noise, prior and normalization, shape (n,).

        The error is that against the mean of *clipped* people, each divided by what clipping left: people who stray
        more than others count less. What the prior expects above the highest cosine is in it.

        Args:
            noisy: integers of one series, shape (`count`,).
            public: what is public of it.
        """
        mean, variance, above = self._posterior(noisy, public)
        from_noise = self._squares(variance) + above / self.length
        from_normalization = (public.normalization_error / public.normalization * self._series(mean)) ** 2
        deviation: NDArray[np.float64] = public.half_width * np.sqrt(from_noise + from_normalization)
        return deviation

    def _posterior(
        self, noisy: NDArray[np.integer], public: PublicSeries
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        """Mean and variance of every coefficient, in half widths, and the power expected above them.

        Wiener's filter for each of `_FACTORS`, weighted: where noise drowns the signal, no one factor is the right one, and of
        the likeliest, which may be next to 0, the uncertainty would be next to nothing.
        """
        unit = self.weights() * public.normalization
        mean, variance = noisy[1:] / unit, (public.deviation / unit) ** 2
        # The power of a person: what they were clipped to, over what clipping left of them.
        person = (self.clip * public.people / public.normalization) ** 2 * self.length
        # Of the lowest frequency but the level.
        first = _MEAN_SHARE * person / _inverse_squares(1, self.length)
        shape = slice(1 - self.lowest, None)  # the level is not shrunk: it may be anything
        expected = first * np.arange(1, self.lowest + self.cosines, dtype=np.float64) ** -2.0
        measured, noise = mean[shape].copy(), variance[shape].copy()
        weights, power = _weights(measured, noise, expected), _FACTORS[:, None] * expected
        gains = power / (power + noise)
        mean[shape] = weights @ gains * measured
        variance[shape] = weights @ (gains * noise + (gains * measured - mean[shape]) ** 2)
        above = _inverse_squares(self.lowest + self.cosines, self.length)
        return mean, variance, float(weights @ _FACTORS) * first * above

    def rows(self) -> NDArray[np.float64]:
        """Return the orthonormal cosines, dimensionless, shape (K, n)."""
        unit = np.zeros((self.cosines, self.length))
        unit[np.arange(self.cosines), self.lowest + np.arange(self.cosines)] = 1.0
        rows: NDArray[np.float64] = idct(unit, axis=-1, norm="ortho")
        return rows

    def _series(self, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        spectrum = np.zeros(self.length)
        spectrum[self.lowest : self.lowest + self.cosines] = coefficients
        series: NDArray[np.float64] = idct(spectrum, norm="ortho")
        return series

    def _squares(self, variance: NDArray[np.float64]) -> NDArray[np.float64]:
        """Variance of every step for independent coefficients: Σ_k variance_k·c_k(t)², in one transform.

        c_k(t)² = (1 + cos(2πk(t + ½)/n))/n, and 1/n for the level: what a hostile file asks for takes n·log n, not K·n.
        """
        spectrum = np.zeros(self.length, dtype=np.complex128)
        k = np.arange(self.lowest, self.lowest + self.cosines)
        spectrum[k] = variance * np.exp(1j * math.pi / self.length * k)
        spectrum[0] = 0.0
        squares: NDArray[np.float64] = variance.sum() / self.length + ifft(spectrum).real
        return np.maximum(squares, 0.0)  # a step that no cosine reaches is 0 but for rounding


def normalizations(
    constants: NDArray[np.integer], form: SpectralSignalForm, *, deviation: float, people: int
) -> NDArray[np.float64]:
    """Return how many people's series the integers of every series hold, and how well that is known, shape (S, 2).

    What is left of people is about the same in all their series: so the noisy constants of all measure it together, each its
    own part of it. How far they differ (`_NORMALIZATION_DEVIATIONS`) they show as well: recordings that few attended hold less.

    Args:
        constants: the noisy constants, shape (S,).
        form: whose they are.
        deviation: standard deviation of the noise, in steps.
        people: n.

    Returns:
        Normalization, between the error and n, and its standard deviation.
    """
    retained, error = constants / form.constant, deviation / form.constant
    common_error = error / math.sqrt(retained.size)
    common = min(max(float(retained.mean()), common_error), float(people))
    variance = (_NORMALIZATION_DEVIATIONS * common) ** 2
    strayed = float(((retained - retained.mean()) ** 2).sum())
    likelihood = -0.5 * ((retained.size - 1) * np.log(variance + error**2) + strayed / (variance + error**2))
    # Rather a small one than a large one.
    weights = np.exp(likelihood - likelihood.max()) / _NORMALIZATION_DEVIATIONS
    weights /= weights.sum()
    trust = (variance / (variance + error**2))[:, None]  # in a series' own constant
    by_series = common + trust * (retained - common)
    normalization = weights @ by_series
    spread = weights @ (trust * error**2 + (by_series - normalization) ** 2)
    return np.stack([np.clip(normalization, common_error, people), np.sqrt(common_error**2 + spread)], axis=1)


def _weights(
    measured: NDArray[np.float64], noise: NDArray[np.float64], expected: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How likely each of `_FACTORS` is to be how much more power there is than expected, 1 ± 3 being expected."""
    power = _FACTORS[:, None] * expected + noise
    likelihood = -0.5 * (np.log(power) + measured**2 / power).sum(axis=1)
    prior = -0.5 * ((_FACTORS - 1.0) / _FACTOR_DEVIATION) ** 2 + np.log(_FACTORS)  # of steps of the logarithm
    weights = np.exp(likelihood + prior - (likelihood + prior).max())
    return np.asarray(weights / weights.sum())


def _inverse_squares(start: int, stop: int) -> float:
    """Σ k⁻² for start ≤ k < stop."""
    return float((np.arange(start, stop, dtype=np.float64) ** -2.0).sum())
