"""Gaze maps under a cap that is chosen privately: Algorithm 1 of Liu et al. 2019 as a mechanism with a budget.

The paper takes the cap of least expected error from the data, which tells of the data. Here a cap is drawn from a public
list with a probability that falls exponentially with its error (`noise.choice`). Claim: `private_cap.proof.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.gaze import Gaze
from synthrelease.data.streamed_gaze import StreamedGaze
from synthrelease.maths.gaze_caps import excess_norms
from synthrelease.mechanisms import gaze_maps
from synthrelease.mechanisms.gaze_maps import GazeMapParameters, cell_counts
from synthrelease.noise.choice import private_choice
from synthrelease.noise.entropy import SecureRandom
from synthrelease.privacy.budget import Budget
from synthrelease.privacy.event import Composed, PrivateChoice
from synthrelease.privacy.sensitivity import excess_over_cap


@dataclass(frozen=True)
class PrivateCap:
    """How the cap is chosen.

    Attributes:
        maps: the parameters of the maps; samples are bounded (T), and their own cap has no influence.
        caps: the candidates, public and increasing.
        share: the part of ε that the choice takes.
    """

    maps: GazeMapParameters
    caps: tuple[int, ...]
    share: float

    def at(self, cap: int) -> GazeMapParameters:
        """Return the parameters of the maps with a cap."""
        return replace(self.maps, cap=cap)

    def split(self, budget: Budget) -> tuple[float, Budget]:
        """Return ε of the choice, and what is left for the noise: they add up."""
        choice = self.share * budget.epsilon
        return choice, Budget(budget.epsilon - choice, budget.delta)


def calibrate(private: PrivateCap, budget: Budget) -> Composed:
    """Return what will be done, with the noise of the candidate that tells most.

    All candidates are calibrated to the same promise; what they tell differs in the last bits of a float.
    """
    epsilon, left = private.split(budget)
    noises = [gaze_maps.calibrate(private.at(cap), left) for cap in private.caps]
    most = max(noises, key=lambda noise: Fraction(noise.sensitivity) / Fraction(noise.scale))
    return Composed((PrivateChoice(epsilon, len(private.caps)), most))


def release(
    gaze: Gaze | StreamedGaze, private: PrivateCap, budget: Budget, *, random: SecureRandom
) -> tuple[dict[tuple[str, ...], NDArray[np.generic]], Composed, int]:
    """Return the arrays of `gaze_maps.release` under a cap of small expected error, the event, and that cap.

    Args:
        gaze: points of all people.
        private: the public parameters.
        budget: ε and δ of the whole output, for a person.
        random: where choice and noise come from.
    """
    epsilon, left = private.split(budget)
    chosen = private_choice(
        utilities(gaze, private, left),
        sensitivity=utility_sensitivity(private),
        epsilon=epsilon,
        random=random,
    )
    cap = private.caps[chosen]
    values, noise = gaze_maps.release(gaze, private.at(cap), left, random=random)
    return values, Composed((PrivateChoice(epsilon, len(private.caps)), noise)), cap


def utilities(gaze: Gaze | StreamedGaze, private: PrivateCap, left: Budget) -> list[int]:
    """Return −⌊√(r·σ(m)² + ‖D_m‖²)⌋ of every cap m, over all cells of all stimuli together.

    It orders caps as Theorem 4.1 does, whose E[MSE(m)] is its square over n²·r; but one person moves it by a bounded
    amount (`utility_sensitivity`).

    Args:
        gaze: points of all people.
        private: the public parameters.
        left: the budget of the noise that is to follow.
    """
    p = private.maps
    norms = excess_norms(*cell_counts(gaze, p), private.caps)
    cells = p.stimuli * p.rows * p.columns
    noises = [gaze_maps.calibrate(private.at(cap), left) for cap in private.caps]
    return [
        -math.isqrt(math.ceil(cells * noise.standard_deviation**2) + norm)
        for noise, norm in zip(noises, norms, strict=True)
    ]


def utility_sensitivity(private: PrivateCap) -> int:
    """Return how far one person moves any of `utilities`: as far as ‖D_m‖ of the smallest cap, rounded up."""
    p = private.maps
    if p.max_samples is None:
        raise ValueError("Expected a bound of samples for a private cap, found none")
    squared = excess_over_cap(
        max_samples=p.max_samples,
        cap=private.caps[0],
        max_stimuli=min(p.max_stimuli, p.stimuli),
        neighbours=p.neighbours,
    )
    return max(1, math.isqrt(max(squared - 1, 0)) + 1)
