"""Releases that are noised sums of what people contribute: here, where workers can import them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from synthrelease.dp.noise import SecureRandom

PEOPLE = np.arange(100, 120)
CONTRIBUTIONS = np.random.default_rng(5).normal(size=(20, 6))


@dataclass(frozen=True)
class NoisySum:
    """Releases the sum of some people with Gaussian noise of a scale."""

    sigma: float

    def __call__(self, people: NDArray[np.int64], random: SecureRandom) -> NDArray[np.float64]:
        """Return a release."""
        noise = norm.ppf(random.uniform(6) + 2.0**-54)
        released: NDArray[np.float64] = CONTRIBUTIONS[people - 100].sum(axis=0) + self.sigma * noise
        return released


def inner(released: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how much of everyone's contribution a release has."""
    products: NDArray[np.float64] = CONTRIBUTIONS @ released
    return products
