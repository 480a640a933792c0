"""An estimate as it follows from noisy integers without shrinking: a linear function of them, or a quotient of two (`inference.proof.md`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, ndtr

from synthrelease.inference.law import Law
from synthrelease.inference.released import NoisyIntegers
from synthrelease.inference.spread import KNOWN, PersonVariance
from synthrelease.numerics.public_draws import PublicDraws

Numbers = NDArray[np.float64]
Ends = tuple[Numbers, Numbers]
Parts = tuple[Numbers, Numbers, Numbers]  # of a quadratic: constant, linear, square

_CERTAINLY = 1.5  # times as far as an interval reaches: to 5 % misses this adds at most 0.2 % where D may be 0, of Laplace noise 0.6 %
_ROUNDS = 12  # of finding an end and the quantile there, which hardly depends on the place
_DRAWS, _SEED, _BLOCK = 4000, 36, 1 << 22


@dataclass(frozen=True)
class Quotient:
    """θ = offset + above·z/D, D = below·z or a public number; with the variance between participants.

    Attributes:
        integers: z, shape (K,), and their noise.
        above: shape (m, K).
        offset: shape (m,).
        people: D, how many participants were added up, if that is public and each of weight 1.
        below: of D, shape (K,), if it is not.
        limits: what θ is between by public facts, shape (m,) each.
        variance: between participants, of their own values.
        is_share: whether the values of one participant are shares of one whole.
    """

    integers: NoisyIntegers
    above: Numbers
    offset: Numbers
    people: float | None
    below: Numbers | None
    limits: Ends
    variance: PersonVariance
    is_share: bool = False

    @property
    def count(self) -> int:
        """m, how many values there are."""
        return len(self.above)

    @cached_property
    def divisor(self) -> float:
        """D, as released: noisy, perhaps negative."""
        return float(self.people or 0.0) if self.below is None else float(self.below @ self.integers.values)

    @cached_property
    def _least_divisor(self) -> float:
        """D, but at least that of one participant."""
        return max(self.divisor, 1.0)

    @cached_property
    def total(self) -> Numbers:
        """θ̂·D, shape (m,)."""
        total: Numbers = self.above @ self.integers.values + self.offset * self.divisor
        return total

    @cached_property
    def value(self) -> Numbers:
        """The estimate, shape (m,); a quotient is kept within what is possible."""
        if self.below is None:
            return self.total / self.divisor
        return np.clip(self.total / self._least_divisor, *self.limits)

    @cached_property
    def _noise(self) -> Parts:
        """The noise's variance in θ̂·D − θ·D as a function of θ: constant, linear, square."""
        unit = self.integers.deviation**2
        square = np.einsum("ij,ij->i", self.above, self.above)
        if self.below is None:
            return unit * square, np.zeros(self.count), np.zeros(self.count)
        cross, own = self.above @ self.below, float(self.below @ self.below)
        constant = square + 2 * self.offset * cross + self.offset**2 * own
        return unit * constant, -2 * unit * (cross + self.offset * own), np.full(self.count, unit * own)

    @property
    def participants(self) -> float:
        """What the variance between participants is multiplied by in θ̂·D − θ·D: Σf², f what counts of each, is D = Σf at most, as f ≤ 1."""
        return self._least_divisor

    @cached_property
    def _quadratic(self) -> Parts:
        """The variance of θ̂·D − θ·D as a function of θ: constant, linear, square."""
        v, times = self.variance, self.participants
        sampling = (v.constant, v.linear, v.square)
        constant, linear, square = (
            noise + times * one for noise, one in zip(self._noise, sampling, strict=True)
        )
        return constant, linear, square

    def noise_at(self, theta: Numbers) -> Numbers:
        """Return the noise's variance in θ̂·D − θ·D, shape (m,)."""
        constant, linear, square = self._noise
        return np.maximum(constant + linear * theta + square * theta**2, 0.0)

    def weights(self, theta: Numbers) -> Numbers:
        """Return what the noise of each integer is multiplied by in θ̂·D − θ·D, shape (m, K)."""
        if self.below is None:
            return self.above
        return self.above + (self.offset - theta)[:, None] * self.below

    def law(self, theta: Numbers) -> Law:
        """Return the law of θ̂·D − θ·D where θ is the exact value, shape (m,)."""
        sampling = self.participants * self.variance.at(theta)
        total = sampling + self.noise_at(theta)
        share = sampling / np.where(total > 0, total, 1.0)
        with np.errstate(divide="ignore"):
            freedom = np.where(share > 0, self.variance.freedom / share**2, KNOWN)
        if not self.integers.is_laplace:
            return Law(np.sqrt(total), np.zeros((self.count, 0)), freedom)
        return Law(np.sqrt(sampling), self.integers.deviation * self.weights(theta), freedom)

    @cached_property
    def errors(self) -> Law:
        """The law of the error of the estimate itself, in its unit."""
        law, divisor = self.law(self.value), self._least_divisor
        return Law(law.normal / divisor, law.laplace / divisor, law.freedom)

    @cached_property
    def sampling(self) -> Numbers:
        """The part of the estimate's variance that is sampling, shape (m,)."""
        return self.sampling_of(self.variance.at(self.value))

    def sampling_of(self, variance: Numbers) -> Numbers:
        """Return the variance of the sampling error for a variance between participants, shape (m,)."""
        return variance / self.participants

    @property
    def noise(self) -> Numbers:
        """The part of the estimate's variance that is noise, shape (m,)."""
        return self.noise_at(self.value) / self._least_divisor**2

    def noise_covariance(self) -> Numbers:
        """Return the covariance of the estimates' noise, shape (m, m), at the estimates; of a quotient to first order."""
        weights = self.integers.deviation / self._least_divisor * self.weights(self.value)
        return weights @ weights.T

    def ends(self, level: float | Numbers) -> Ends:
        """Return the values that a test at 1 − level does not reject, their hull, shape (m,) each (Fieller)."""
        return self._ends(lambda theta: self.law(theta).multiplier(level))

    def uncut(self, level: float | Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Return θ̂ and its interval's ends as they are before they are cut at the limits, infinite where D may be 0, shape (m,) each.

        Sums need them: how far an end is says how uncertain θ̂ is, which an end that was cut does not.
        """
        cut = self.ends(level)
        if self._is_constant:
            return self.value, *cut
        c = [self.law(end).multiplier(level) for end in cut]
        (low, _), (_, high) = (self._unlimited(one, self._quadratic) for one in c)
        if self.variance.is_bound:  # of which nothing is left at the limits, and less than nothing beyond
            (less, _), (_, more) = (self._unlimited(one, self._noise) for one in c)
            least, most = self.limits
            is_within = (low >= least) & (low <= most), (high >= least) & (high <= most)
            low, high = np.where(is_within[0], low, less), np.where(is_within[1], high, more)
        return self.total / (self.divisor or 1.0), low, high

    def bands(self, level: float) -> Ends:
        """Return bands that hold all exact values at once with probability `level`, shape (m,) each."""
        if self.count == 1:
            return self.ends(level)
        multiplier = self._simultaneous(level)
        return self._ends(lambda _theta: multiplier)

    def p_value(self, theta: float) -> Numbers:
        """Return the p-value of the hypothesis that the exact value is θ, shape (m,)."""
        at = np.full(self.count, theta)
        return self.law(at).p_value(self.total - at * self.divisor)

    @property
    def _is_constant(self) -> bool:
        """Whether the variance of θ̂·D − θ·D is the same for all θ."""
        return self.below is None and not self.variance.square.any()

    def _ends(self, multiplier: Callable[[Numbers], Numbers]) -> Ends:
        if self._is_constant:
            far = multiplier(self.value) * np.sqrt(np.maximum(self._quadratic[0], 0.0)) / self.divisor
            return self.value - far, self.value + far
        start = np.clip(self.value, *self.limits)
        c = multiplier(start)
        low, high = self._accepted(c)
        if self.integers.is_laplace:
            for _ in range(_ROUNDS):
                before = low, high
                low, high = self._accepted(multiplier(low))[0], self._accepted(multiplier(high))[1]
                if np.allclose((low, high), before, rtol=1e-5, atol=0.0):
                    break
            low, high = np.minimum(low, high), np.maximum(low, high)
        return low, high

    def _accepted(self, c: Numbers) -> Ends:
        """The hull of all θ within the limits with (θ̂·D − θ·D)² ≤ c²·variance(θ); all of them if there is none."""
        first, second, inside, outside = self._roots(c, self._quadratic)
        least, most = self.limits
        low, high = np.maximum(first, least), np.minimum(second, most)
        everything = inside & (low > high)
        side = self._certain_side(c)
        left, right = (first >= least) & (side <= 0), (second <= most) & (side >= 0)
        low = np.where(outside, np.where(left, least, np.maximum(second, least)), low)
        high = np.where(outside, np.where(right, most, np.minimum(first, most)), high)
        everything |= (outside & ~left & ~right) | ~(inside | outside)
        return np.where(everything, least, low), np.where(everything, most, high)

    def _roots(
        self, c: Numbers, variance: Parts
    ) -> tuple[Numbers, Numbers, NDArray[np.bool_], NDArray[np.bool_]]:
        """Where (θ̂·D − θ·D)² = c²·variance(θ), in order; whether what is less lies between the two, or outside (all of it lies in neither case)."""
        constant, linear, square = variance
        a = self.divisor**2 - c**2 * square
        b = -2 * self.total * self.divisor - c**2 * linear
        rest = self.total**2 - c**2 * constant
        discriminant = b**2 - 4 * a * rest
        root = np.sqrt(np.maximum(discriminant, 0.0))
        safe = np.where(a == 0, 1e-300, a)
        with np.errstate(over="ignore", invalid="ignore"):
            first, second = np.sort(np.nan_to_num(np.stack([-b - root, -b + root]) / (2 * safe)), axis=0)
        return first, second, (a > 0) & (discriminant > 0), (a <= 0) & (discriminant > 0)

    def _unlimited(self, c: Numbers, variance: Parts) -> Ends:
        """Ends of what `_accepted` is the hull of without limits; of a D that may be 0 one, on the side of the offset that is certain."""
        first, second, inside, outside = self._roots(c, variance)
        # On the other side than θ̂ for a D below 0.
        side = np.where(outside & (self.divisor > 0), self._certain_side(c), 0.0)
        low = np.where(inside, first, np.where(side > 0, second, -np.inf))
        high = np.where(inside, second, np.where(side < 0, first, np.inf))
        return low, high

    def _certain_side(self, c: Numbers) -> Numbers:
        """On which side of the offset θ is for certain, −1 or 1, shape (m,); 0 if on either.

        There D plays no part, and D is never negative: what lies on the other side was accepted for a negative D.
        """
        far = self.total - self.offset * self.divisor
        constant, linear, square = self._quadratic
        variance = constant + linear * self.offset + square * self.offset**2
        return np.where(np.abs(far) > _CERTAINLY * c * np.sqrt(np.maximum(variance, 0.0)), np.sign(far), 0.0)

    def _simultaneous(self, level: float) -> Numbers:
        """How many standard deviations on either side hold all errors at once, shape (m,)."""
        law = self.law(self.value)
        if not self.sampling.any() or self.variance.correlation is not None:
            largest = self._largest(level)
            # Of a deviation that is not known well, Student's quantile as far out as that of normal errors is.
            student = law.multiplier(1 - 2 * ndtr(-largest))
            return np.where(np.isfinite(law.freedom), student, np.maximum(largest, law.multiplier(level)))
        if self.integers.is_laplace:
            return law.multiplier(1 - (1 - level) / self.count)  # Bonferroni
        # Sidak 1967 for any correlation, or Scheffe 1953: all values are functions of K numbers.
        several = law.multiplier(level ** (1 / self.count))
        scheffe = np.sqrt(chdtri(self.above.shape[1], 1 - level))
        is_estimated = np.isfinite(law.freedom) | self.variance.is_bound
        return np.where(is_estimated, several, np.minimum(several, scheffe))

    def _largest(self, level: float) -> Numbers:
        """The quantile of the largest error in standard deviations, of all values, by simulation from a public seed."""
        draws = PublicDraws(_SEED)
        weights = self.weights(self.value) * self.integers.deviation
        sampling = self.participants * self.variance.at(self.value)
        scale = np.sqrt(self.noise_at(self.value) + sampling)
        scale[scale == 0] = 1.0
        root = None
        if self.variance.correlation is not None:
            values, vectors = np.linalg.eigh(self.variance.correlation)
            root = vectors * np.sqrt(np.maximum(values, 0.0))
        largest = []
        block = max(1, _BLOCK // max(self.count, weights.shape[1]))
        for start in range(0, _DRAWS, block):
            some = min(block, _DRAWS - start)
            noise = (
                _standard_laplace(draws, (some, weights.shape[1]))
                if self.integers.is_laplace
                else draws.normal((some, weights.shape[1]))
            )
            errors = noise @ weights.T
            if root is not None:
                errors += (draws.normal((some, self.count)) @ root.T) * np.sqrt(sampling)
            largest.append((np.abs(errors) / scale).max(axis=1))
        return np.full(self.count, float(np.quantile(np.concatenate(largest), level)))

    def take(self, rows: NDArray[np.int64]) -> Quotient:
        """Return some of the values."""
        low, high = self.limits
        return replace(
            self,
            above=self.above[rows],
            offset=self.offset[rows],
            limits=(low[rows], high[rows]),
            variance=self.variance.take(rows),
        )

    def combined(self, weights: Numbers) -> Quotient:
        """Return the weighted sum of the values, shape (1,), without a variance between participants."""
        low, high = self.limits
        ends = (np.where(weights > 0, low, high) @ weights, np.where(weights > 0, high, low) @ weights)
        return replace(
            self,
            above=(weights @ self.above)[None],
            offset=np.array([weights @ self.offset]),
            limits=(np.array([ends[0]]), np.array([ends[1]])),
            variance=PersonVariance.none(1),
            is_share=False,
        )

    def wide(self, count: int) -> Quotient:
        """Return as many values, of one."""
        return self if self.count == count else self.take(np.zeros(count, dtype=np.int64))

    def negative(self) -> Quotient:
        """Return −θ."""
        low, high = self.limits
        variance = replace(self.variance, linear=-self.variance.linear)
        return replace(
            self,
            above=-self.above,
            offset=-self.offset,
            limits=(-high, -low),
            variance=variance,
            is_share=False,
        )

    def shares_divisor(self, other: Quotient) -> bool:
        """Return whether the difference is a quotient too: of the same integers and the same divisor."""
        if self.integers.key != other.integers.key or self.people != other.people:
            return False
        if self.below is None or other.below is None:
            return self.below is other.below
        return np.array_equal(self.below, other.below)


def _standard_laplace(draws: PublicDraws, size: tuple[int, ...]) -> Numbers:
    uniform = draws.uniform(size) - 0.5
    noise: Numbers = np.sign(uniform) * -np.log1p(-2 * np.abs(uniform)) / np.sqrt(2)
    return noise
