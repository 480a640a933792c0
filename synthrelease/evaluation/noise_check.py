"""The noise in a bundle, which is what remains without the data, compared with what the manifest says of it.

If the bundle was made from this data, what is left when the data is taken away is the noise only, of the scale that is stated. Other
data, another plan, noise that is too small or that was smoothed away leave something else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.event import Noise, RoundedGaussian
from synthrelease.evaluation.result import NoiseCheck

_ERROR = 1e-9  # probability that noise as stated is found fault with


@dataclass
class NoiseTally:
    """Adds up what is left of noisy integers, some at a time."""

    noise: Noise  # as the manifest states it
    count: int = 0  # of integers so far
    total: float = 0.0  # of their squares, or of their magnitudes if the noise is Laplace's

    def add(self, noise: NDArray[np.integer]) -> None:
        """Add integers of the noise."""
        magnitudes = np.abs(noise.ravel().astype(np.float64))
        self.count += magnitudes.size
        self.total += float(magnitudes @ magnitudes if self._gaussian else magnitudes.sum())

    def check(self) -> NoiseCheck:
        """Return whether they are noise as it is stated.

        Of n Gaussian numbers Σz²/σ² is χ² of n degrees of freedom, and rounding moves √(Σz²/n) by ½ at most. Of Laplace's, E|z|^k ≤ k!/2·(2b²)·b^(k−2), so that
        P(|mean |z| − E|z|| ≥ t) ≤ 2·exp(−n·t²/(2·(2b² + b·t))) (Bernstein). And |z| lies between E − 1 and E + 1 of an exponential E of
        mean b, so that Σ|z| lies within n of a Gamma(n, b): that finds out few numbers, whose noise Bernstein could not miss.
        """
        n, noise = max(self.count, 1), self.noise
        if self._gaussian:
            from scipy.stats import chi2  # noqa: PLC0415  slow to import

            stated = noise.standard_deviation
            low, high = (math.sqrt(float(chi2.ppf(p, n)) / n) for p in (_ERROR / 2, 1 - _ERROR / 2))
            rounding = 0.5  # of every number, at most
            ends = max(0.0, low * noise.scale - rounding) / stated, (high * noise.scale + rounding) / stated
            return NoiseCheck(self.count, math.sqrt(self.total / n) / stated, *ends)
        b, expected = noise.scale, 1 / math.sinh(1 / noise.scale)  # E|z| = 2q/(1 − q²), q = e^(−1/b)
        far = math.log(4 / _ERROR)  # half of the error is Bernstein's, and half Gamma's
        reach = (b * far + math.sqrt(b * b * far * far + 4 * n * b * b * far)) / n
        from scipy.stats import gamma  # noqa: PLC0415  slow to import

        least, most = (b * float(gamma.ppf(p, n)) / n for p in (_ERROR / 4, 1 - _ERROR / 4))
        low = max(0.0, expected - reach, least - 1) / expected
        high = min(expected + reach, most + 1) / expected
        return NoiseCheck(self.count, self.total / n / expected, low, high)

    @property
    def _gaussian(self) -> bool:
        return isinstance(self.noise, RoundedGaussian)
