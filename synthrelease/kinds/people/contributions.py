"""What people contribute to each round: weighted vectors in grid units, clipped to its radius, and added up (`people.proof.md`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synthrelease.kinds.people.rounds import Rounds
from synthrelease.numerics.ball import clip_to_ball

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]
_FAR = 16  # radii: a number beyond is cut there first, so that squares stay within 64 bits


def clipped(vectors: Numbers, centre: Numbers, weights: Numbers, radius: int) -> Integers:
    """Return each person's vector in grid units, Σ y² ≤ radius², shape (people, …); a person's depends on theirs alone.

    Args:
        vectors: of people, NaN where a person has nothing, which counts as the centre, shape (people, …).
        centre: subtracted, shape (…).
        weights: multiplied by, shape (…).
        radius: in grid units.
    """
    scaled = np.nan_to_num((vectors - centre) * (weights * radius))
    far = _FAR * radius
    units = np.trunc(np.clip(scaled, -far, far)).astype(np.int64)
    return clip_to_ball(units.reshape(len(units), -1), radius).reshape(units.shape)


def coarse_sum(coefficients: Numbers, rounds: Rounds) -> Integers:
    """Return the sum over people in the first round, in grid units, shape (F, K)."""
    return np.asarray(
        clipped(coefficients, rounds.coarse_centre, rounds.coarse_weights, rounds.design.radii[0]).sum(axis=0)
    )


def fine_sum(coefficients: Numbers, centre: Numbers, weights: Numbers, rounds: Rounds) -> Integers:
    """Return the sum over people in the second round, shape (F, K)."""
    return np.asarray(clipped(coefficients, centre, weights, rounds.design.radii[1]).sum(axis=0))


def dependence_sum(vectors: Numbers, rounds: Rounds) -> Integers:
    """Return the sum over people in the third round, in grid units, shape (size,)."""
    weights, centre = rounds.dependence_weights, rounds.dependence_centre
    return np.asarray(clipped(vectors, centre, weights, rounds.design.radii[2]).sum(axis=0))
