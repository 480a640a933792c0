"""Our own curve beside those of Liu et al. 2019: the spectral mechanism on one image, with its defaults."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from synthrelease.mechanisms.spectral import (
    SAMPLES,
    SpectralParameters,
    calibrate,
    contributions,
    derived_maps,
)

from reproductions._liu2019_curves import BLUR_PX, SCREEN_PX, Crowd, Map, Strategy, good_delta
from reproductions._tracker import SCREEN
from synthrelease.data.gaze import Gaze
from synthrelease.maths.spectral import RADIUS, SpectralForm
from synthrelease.noise import SecureRandom
from synthrelease.noise.addition import noised
from synthrelease.privacy.budget import Budget
from synthrelease.privacy.guarantee import Neighbours

NAME = "spectral"
_BLURS = (BLUR_PX / SCREEN_PX[1], BLUR_PX / SCREEN_PX[0])


class Spectral:
    """Spectral heatmaps of a few people who each stand for `copies` alike."""

    def __init__(self, gaze: Gaze, *, copies: int, cells: tuple[int, int]) -> None:
        people = gaze.people * copies
        self._parameters = SpectralParameters(
            stimuli=1,
            form=SpectralForm(_BLURS, cells),
            joint=True,
            max_stimuli=1,
            viewers=(people,),
            assignment_public=True,
            weight=SAMPLES,
            window=None,
            neighbours=Neighbours.REPLACE_ONE,
            people=people,
        )
        self._total = contributions(gaze, self._parameters) * copies

    def draw(self, epsilon: float, random: SecureRandom) -> Map:
        """Return one released map, 1 on average."""
        people = self._parameters.people or 1
        event = calibrate(self._parameters, Budget(epsilon, good_delta(people)))
        noisy = noised(self._total, event, largest=people * RADIUS, random=random)
        values = derived_maps(noisy, ("image",), self._parameters, event.standard_deviation)
        return values["image", "heatmap"].astype(np.float64)


def spectral_strategy(recorded: list[NDArray[np.float64]], crowd: Crowd) -> Strategy:
    """Return the curve of Figure 3: of a crowd's paths, in samples per person and pixel as the others are."""
    cells = (-(-crowd.rows // crowd.cell), -(-crowd.columns // crowd.cell))
    made = Spectral(gaze_of(recorded), copies=crowd.copies, cells=cells)
    samples = len(recorded[0]) / crowd.pixels  # all have as many

    def draw(epsilon: float, random: SecureRandom) -> Map:
        return made.draw(epsilon, random) * samples

    return Strategy(NAME, draw)


def gaze_of(recorded: list[NDArray[np.float64]]) -> Gaze:
    """Return paths as gaze on one image."""
    person = np.repeat(np.arange(len(recorded)), [len(path) for path in recorded])
    at = np.concatenate(recorded)
    assigned = np.ones((len(recorded), 1), dtype=np.bool_)
    stimulus = np.zeros(len(person), dtype=np.int64)
    return Gaze(SCREEN, ("image",), len(recorded), assigned, person, stimulus, at[:, 0], at[:, 1])
