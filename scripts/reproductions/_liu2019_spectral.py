"""Our own curve beside those of Liu et al. 2019: the spectral mechanism on one image, with its defaults."""

from __future__ import annotations

import made
import numpy as np
from numpy.typing import NDArray

from reproductions._liu2019_curves import BLUR_PX, SCREEN_PX, Crowd, Map, Strategy, good_delta
from reproductions._tracker import SCREEN
from synthrelease.data.gaze import GazeData
from synthrelease.dp.budget import Budget
from synthrelease.dp.noise import SecureRandom
from synthrelease.kinds.mechanism import Drawn
from synthrelease.numerics.spectral import SpectralForm

NAME = "spectral"
_BLURS = (BLUR_PX / SCREEN_PX[1], BLUR_PX / SCREEN_PX[0])


class Spectral:
    """Spectral heatmaps of a few people who each stand for `copies` alike."""

    def __init__(self, gaze: GazeData, *, copies: int, cells: tuple[int, int]) -> None:
        people = gaze.people * copies
        self._mechanism = made.spectral(
            stimuli=gaze.stimuli,
            form=SpectralForm(_BLURS, cells),
            max_stimuli=1,
            viewers=(people,),
            assignment_public=True,
            people=people,
            screen=SCREEN,
        )
        self._people = people
        self._exact = {"noisy": self._mechanism.collect(gaze)["noisy"] * copies}

    def draw(self, epsilon: float, random: SecureRandom) -> Map:
        """Return one released map, 1 on average."""
        event = self._mechanism.calibrate(Budget(epsilon, good_delta(self._people)))
        noisy = self._mechanism.with_noise(self._exact, event, random)
        values = made.arrays(Drawn(noisy, event, self._mechanism.parameters))
        (shown,) = (array for labels, array in values.items() if labels[-1] == "heatmap")
        return shown.astype(np.float64)


def spectral_strategy(recorded: list[NDArray[np.float64]], crowd: Crowd) -> Strategy:
    """Return the curve of Figure 3: of a crowd's paths, in samples per person and pixel as the others are."""
    cells = (-(-crowd.rows // crowd.cell), -(-crowd.columns // crowd.cell))
    made = Spectral(gaze_of(recorded), copies=crowd.copies, cells=cells)
    samples = len(recorded[0]) / crowd.pixels  # all have as many

    def draw(epsilon: float, random: SecureRandom) -> Map:
        return made.draw(epsilon, random) * samples

    return Strategy(NAME, draw)


def gaze_of(recorded: list[NDArray[np.float64]]) -> GazeData:
    """Return paths as gaze on one image."""
    person = np.repeat(np.arange(len(recorded)), [len(path) for path in recorded])
    at = np.concatenate(recorded)
    assigned = np.ones((len(recorded), 1), dtype=np.bool_)
    stimulus = np.zeros(len(person), dtype=np.int64)
    return GazeData(SCREEN, ("image",), len(recorded), assigned, person, stimulus, at[:, 0], at[:, 1])
