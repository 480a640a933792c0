"""Gaze maps under a cap that is chosen privately: Algorithm 1 of Liu et al. 2019 as a mechanism with a budget.

Claim: `private_cap.proof.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.gaze import Gaze
from synthrelease.data.streamed_gaze import StreamedGaze
from synthrelease.maths.gaze_caps import excess_norms
from synthrelease.mechanisms import gaze_maps
from synthrelease.mechanisms.gaze_maps import GazeMapParameters, cell_counts
from synthrelease.mechanisms.private_parameter import PrivateParameter
from synthrelease.noise.entropy import SecureRandom
from synthrelease.privacy.budget import Budget
from synthrelease.privacy.event import Composed, Noise
from synthrelease.privacy.sensitivity import excess_over_cap


@dataclass(frozen=True)
class PrivateCap(PrivateParameter[GazeMapParameters]):
    """How the cap is chosen.

    Attributes:
        maps: the parameters of the maps; samples are bounded (T), and their own cap has no influence.
    """

    maps: GazeMapParameters

    def at(self, candidate: int) -> GazeMapParameters:
        """Return the parameters of the maps with a cap."""
        return replace(self.maps, cap=candidate)

    def noise(self, candidate: int, left: Budget) -> Noise:
        """Return the noise of the maps with a cap."""
        return gaze_maps.calibrate(self.at(candidate), left)


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
    choice, left = private.split(budget)
    cap = private.choose(
        choice, utilities(gaze, private, left), sensitivity=utility_sensitivity(private), random=random
    )
    values, noise = gaze_maps.release(gaze, private.at(cap), left, random=random)
    return values, Composed((choice, noise)), cap


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
    norms = excess_norms(*cell_counts(gaze, p), private.candidates)
    cells = p.stimuli * p.rows * p.columns
    noises = [private.noise(cap, left) for cap in private.candidates]
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
        cap=private.candidates[0],
        max_stimuli=min(p.max_stimuli, p.stimuli),
        neighbours=p.neighbours,
    )
    return max(1, math.isqrt(max(squared - 1, 0)) + 1)
