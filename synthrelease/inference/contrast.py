"""A sum of estimates of different integers: a difference between groups, stimuli, features or releases (`inference.proof.md`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synthrelease.inference.law import Law
from synthrelease.inference.quotient import Ends, Quotient
from synthrelease.inference.spread import KNOWN

Numbers = NDArray[np.float64]

_LEVELS = 1 - np.geomspace(0.999, 1e-12, 120)  # at which an interval is asked for a p-value


@dataclass(frozen=True)
class Contrast:
    """Σ ±θ of quotients whose noises are independent, shape (m,), and the variance of what sampling adds to it.

    Attributes:
        terms: sign, and estimates of shape (m,) or (1,).
        sampling: variance of the sampling error of the sum, shape (m,).
        freedom: degrees of freedom of that variance, shape (m,).
    """

    terms: tuple[tuple[float, Quotient], ...]
    sampling: Numbers
    freedom: Numbers

    @property
    def count(self) -> int:
        """m, how many values there are."""
        return max(quotient.count for _, quotient in self.terms)

    @cached_property
    def value(self) -> Numbers:
        """The estimate, shape (m,)."""
        return np.asarray(sum(sign * self._wide(quotient.value) for sign, quotient in self.terms))

    @cached_property
    def noise(self) -> Numbers:
        """The part of the variance that is noise, shape (m,)."""
        return np.asarray(sum(self._wide(quotient.noise) for _, quotient in self.terms))

    def noise_covariance(self) -> Numbers:
        """Return the covariance of the noise, shape (m, m): whatever the signs, as the terms' noises are independent."""
        parts = (quotient.noise_covariance() for _, quotient in self.terms)
        return np.asarray(sum(np.broadcast_to(part, (self.count, self.count)) for part in parts))

    @cached_property
    def errors(self) -> Law:
        """The law of the error, to first order in the noise of divisors."""
        laws = [quotient.errors for _, quotient in self.terms]
        gaussian = sum(
            (self._wide(quotient.noise) for _, quotient in self.terms if not quotient.integers.is_laplace),
            np.zeros(self.count),
        )
        laplace = [np.broadcast_to(law.laplace, (self.count, law.laplace.shape[1])) for law in laws]
        total = self.noise + self.sampling
        share = self.sampling / np.where(total > 0, total, 1.0)
        with np.errstate(divide="ignore"):
            freedom = np.where(share > 0, self.freedom / share**2, KNOWN)
        return Law(np.sqrt(gaussian + self.sampling), np.concatenate(laplace, axis=1), freedom)

    @property
    def _is_linear(self) -> bool:
        return all(quotient.below is None for _, quotient in self.terms)

    def ends(self, level: float | Numbers) -> Ends:
        """Return the interval's ends, shape (m,) each."""
        if self._is_linear:
            far = self.errors.multiplier(level) * self.errors.deviation
            return self.value - far, self.value + far
        return self._recovered(level)

    def bands(self, level: float) -> Ends:
        """Return bands that hold all exact values at once with probability `level` or more (Bonferroni), shape (m,) each."""
        return self.ends(1 - (1 - level) / self.count)

    def _recovered(self, level: float | Numbers) -> Ends:
        """Ends of a sum from those of its terms: each term's distance to its end stands for its standard deviation (Zou & Donner 2008).

        Only those of the sum are cut at what is possible: the distance to an end that was cut says nothing of a deviation.
        """
        total, least, most = np.zeros(self.count), np.zeros(self.count), np.zeros(self.count)
        squares, sampled = np.zeros((2, self.count)), np.zeros((2, self.count))
        for sign, term in self.terms:
            quotient = term if sign > 0 else term.negative()
            value, low, high = (self._wide(one) for one in quotient.uncut(level))
            total += value
            least, most = least + quotient.limits[0], most + quotient.limits[1]
            variance = self._wide(quotient.noise + quotient.sampling)
            share = self._wide(quotient.sampling) / np.where(variance > 0, variance, 1.0)
            far = np.maximum(np.stack([value - low, high - value]), 0.0) ** 2
            squares += far
            sampled += np.where(np.isinf(far), 0.0, share * np.where(np.isinf(far), 0.0, far))
        # What correlation between the terms' sampling errors adds, or takes away.
        alone = np.asarray(sum(self._wide(quotient.sampling) for _, quotient in self.terms))
        more = self.sampling / np.where(alone > 0, alone, 1.0) - (alone > 0)
        down, up = np.sqrt(np.maximum(squares + more * sampled, 0.0))
        low, high = np.maximum(total - down, least), np.minimum(total + up, most)
        is_impossible = low > high
        low, high = np.where(is_impossible, least, low), np.where(is_impossible, most, high)
        return np.minimum(low, self.value), np.maximum(high, self.value)

    def p_value(self, theta: float) -> Numbers:
        """Return the p-value of the hypothesis that the exact value is θ, shape (m,)."""
        if self._is_linear:
            return self.errors.p_value(self.value - theta)
        return self._inverted(theta)

    def _inverted(self, theta: float) -> Numbers:
        """1 − the largest level whose interval leaves θ out."""
        p = np.ones(self.count)
        for level in _LEVELS:
            low, high = self.ends(float(level))
            p = np.where((theta < low) | (theta > high), np.minimum(p, 1 - level), p)
        return p

    def take(self, rows: NDArray[np.int64]) -> Contrast:
        """Return some of the values."""
        terms = tuple(
            (sign, quotient if quotient.count == 1 else quotient.take(rows)) for sign, quotient in self.terms
        )
        return Contrast(terms, self.sampling[rows], self.freedom[rows])

    def _wide(self, values: Numbers) -> Numbers:
        return np.broadcast_to(values, (self.count,))
