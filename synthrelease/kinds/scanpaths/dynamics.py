"""What the second round's noisy sums say: means of the blocks' numbers, and how sure they are (`scanpaths.proof.md`).

A person is y = clip((c₀, ω·(f − m)·R₂/C)) of radius R₂ in grid units, where f − m is how their numbers differ from what is expected; the constant shows how much is left
of people after clipping.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.kinds.scanpaths.blocks import BLOCKS, SIZE, events_expected, places, weights
from synthrelease.numerics.ball import clip_to_ball
from synthrelease.numerics.spectral import RADIUS

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

LENGTH = SIZE + 1  # of a person's vector: the constant is the first
CONSTANT = 0.25  # c₀, of the radius
_FAR_FROM_EXPECTED = 0.35  # of a person: the norm of ω·(f − m), besides what few events make of it
_REACH = 0.7  # of the expected norm that people are clipped to
_LEFT, _LEFT_SPREAD, _LEAST_LEFT = 0.7, 0.25, 0.2  # of people after clipping: expected, and at least
_LEAST_NOISE = 1e-10  # of the variance of a mean
_FAR = 16  # radii: a number beyond is cut there first, so that squares stay within 64 bits
_DIGITS = 6


def norm_for(trials: int, seconds: float) -> float:
    """Return C, the norm of ω·(f − m) that people are clipped to, rounded as a manifest states it.

    Args:
        trials: M, of a person.
        seconds: T, that a stimulus is shown for.
    """
    events, here, weight = events_expected(trials, seconds), places(), weights()
    squared = sum((weight[here[block.name]] ** 2).sum() / events[block.name] for block in BLOCKS)
    return float(f"{_REACH * math.sqrt(_FAR_FROM_EXPECTED**2 + squared):.{_DIGITS}g}")


def radius_for(share: float) -> int:
    """Return R₂ in grid units, with which the second round has a share of μ² next to a first one of radius `RADIUS`."""
    return math.isqrt(int(RADIUS**2 * share / (1 - share)))


@dataclass(frozen=True)
class DynamicsRound:
    """The second round."""

    radius: int  # R₂, grid units
    norm: float  # C
    deviation: float  # of the noise, in grid units
    people: int | None  # n, if public

    @property
    def _unit(self) -> Numbers:
        """Grid units of a number of 1, shape (SIZE,)."""
        return weights() * (self.radius / self.norm)

    def contributions(self, deviations: Numbers) -> Integers:
        """Return the vector of each person who has a fixation in grid units, Σ y² ≤ R₂², shape (people, LENGTH).

        Args:
            deviations: how their numbers differ from what is expected, shape (people, SIZE).
        """
        far = _FAR * self.radius
        vectors = np.empty((len(deviations), LENGTH), dtype=np.int64)
        vectors[:, 0] = int(CONSTANT * self.radius)
        vectors[:, 1:] = np.trunc(np.clip(deviations * self._unit, -far, far))
        return clip_to_ball(vectors, self.radius)

    def expected_noise(self, people: float) -> Numbers:
        """Return the variance of the noise of all means to expect with so many participants, dimensionless, shape (SIZE,)."""
        return np.asarray((self.deviation / (_LEFT * max(people, 1) * self._unit)) ** 2)

    def left(self, noisy: NDArray[np.integer]) -> float:
        """Return how many people's vectors the sums hold, effectively: n times what clipping leaves of them.

        Args:
            noisy: sums of the round, shape (LENGTH,).
        """
        constant = int(CONSTANT * self.radius)
        held, error = float(noisy[0]) / constant, self.deviation / constant
        if self.people is None:
            return max(held, error)
        expected, spread = _LEFT * self.people, _LEFT_SPREAD * self.people
        combined = (expected / spread**2 + held / error**2) / (1 / spread**2 + 1 / error**2)
        return float(min(max(combined, _LEAST_LEFT * self.people), self.people))

    def means(self, noisy: NDArray[np.integer], expected: Numbers) -> tuple[Numbers, Numbers]:
        """Return the means of all numbers and the variance of their noise, dimensionless, shape (SIZE,) each.

        Args:
            noisy: sums of the round, shape (LENGTH,).
            expected: m, shape (SIZE,).
        """
        unit = self.left(noisy) * self._unit
        return expected + noisy[1:] / unit, np.maximum((self.deviation / unit) ** 2, _LEAST_NOISE)
