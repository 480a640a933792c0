"""Gaze maps under a cap that is chosen privately: Algorithm 1 of Liu et al. 2019 as a mechanism with a budget.

Claim: `private_cap.proof.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.gaze import Gaze
from synthrelease.maths.gaze_caps import excess_norms
from synthrelease.mechanisms import gaze_maps
from synthrelease.mechanisms.collected import Sums, Tally
from synthrelease.mechanisms.gaze_maps import GazeMapParameters, cell_counts, maps_of
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
    gaze: Gaze, private: PrivateCap, budget: Budget, *, random: SecureRandom
) -> tuple[dict[tuple[str, ...], NDArray[np.generic]], Composed, int]:
    """Return the arrays of `gaze_maps.release`, of its shapes and units, under a cap of small expected error, the event, and that cap.

    Args:
        gaze: points of all people.
        private: the public parameters.
        budget: ε and δ of the whole output, for a person.
        random: where choice and noise come from.
    """
    noisy, event, cap = draw(collect(gaze, private), private, budget, random=random)
    return maps_of(noisy, gaze.stimuli, private.at(cap), gaze.screen), event, cap


def collect(gaze: Gaze, private: PrivateCap) -> Tally:
    """Return how many of these people have which count in which cell: all that any cap needs to know."""
    place, count = cell_counts(gaze, private.maps)
    return Tally.of(place * _counts(private) + count, np.ones_like(place))


def _counts(private: PrivateCap) -> int:
    """A number above every count: a key of the tally is cell · that + count."""
    most = private.maps.max_samples
    assert most is not None
    return most + 1


def draw(
    collected: Tally, private: PrivateCap, budget: Budget, *, random: SecureRandom
) -> tuple[NDArray[np.int64], Composed, int]:
    """Return everybody's maps under a cap of small expected error with noise, counts, shape (S, rows, columns), the event, and that cap."""
    p = private.maps
    choice, left = private.split(budget)
    cap = private.choose(
        choice, utilities(collected, private, left), sensitivity=utility_sensitivity(private), random=random
    )
    place, count = np.divmod(collected.key, _counts(private))
    maps = np.zeros((p.stimuli, p.rows, p.columns), dtype=np.int64)
    np.add.at(maps.reshape(-1), place, collected.number * np.minimum(count, cap))
    noisy, noise = gaze_maps.draw(Sums({"maps": maps}), private.at(cap), left, random=random)
    return noisy, Composed((choice, noise)), cap


def utilities(collected: Tally, private: PrivateCap, left: Budget) -> list[int]:
    """Return −⌊√(r·σ(m)² + ‖D_m‖²)⌋ of every cap m, over all cells of all stimuli together.

    It orders caps as Theorem 4.1 does, whose E[MSE(m)] is its square over n²·r; but one person moves it by a bounded
    amount (`utility_sensitivity`).

    Args:
        collected: from all people.
        private: the public parameters.
        left: the budget of the noise that is to follow.
    """
    p = private.maps
    place, count = np.divmod(collected.key, _counts(private))
    norms = excess_norms(place, count, private.candidates, people=collected.number)
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
