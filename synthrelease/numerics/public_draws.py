"""Numbers from a public seed, the same on every machine: for what is made up, and for what is drawn from a release. They hide nothing.

Words of the counter-based generator Philox become uniform numbers, and these quantiles of other distributions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, gammaincinv, ndtri

Numbers = NDArray[np.float64]
Size = int | tuple[int, ...]


class PublicDraws:
    """Draws of one stream of a seed.

    Args:
        seed: public.
        stream: those of other streams are independent.
    """

    def __init__(self, seed: int, stream: int = 0) -> None:
        self._words = np.random.Philox(key=[seed, stream])

    def uniform(self, size: Size = 1) -> Numbers:
        """Return dimensionless numbers above 0 and below 1, of a shape."""
        words = np.asarray(self._words.random_raw(int(np.prod(size))), dtype=np.uint64).reshape(size)
        return np.asarray(((words >> np.uint64(11)) + 0.5) * 2.0**-53)

    def normal(self, size: Size = 1) -> Numbers:
        """Return dimensionless standard normal numbers, of a shape."""
        return np.asarray(ndtri(self.uniform(size)))

    def beta(self, a: float, b: float, size: Size = 1) -> Numbers:
        """Return dimensionless numbers of the beta distribution, of a shape."""
        return np.asarray(betaincinv(a, b, self.uniform(size)))

    def gamma(self, shape: float, scale: float, size: Size = 1) -> Numbers:
        """Return dimensionless numbers of the gamma distribution, of a shape."""
        return np.asarray(scale * gammaincinv(shape, self.uniform(size)))

    def between(self, low: float, high: float, size: Size = 1) -> Numbers:
        """Return dimensionless numbers that are even between two ends, of a shape."""
        return low + (high - low) * self.uniform(size)

    def integers(self, low: int, high: int, size: Size = 1) -> NDArray[np.int64]:
        """Return whole numbers from low to high − 1, of a shape."""
        return np.floor(self.between(low, high, size)).astype(np.int64)
