"""Synthetic trials of gaze that an output may have, as anyone reads them from its datasets: fixations, the saccades between them, and samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.screen import Screen
from synthrelease.numerics.gaze_samples import Samples, samples
from synthrelease.numerics.public_draws import PublicDraws

Numbers = NDArray[np.float64]

SYNTHETIC = "SYNTHETIC"  # with which every file of trials begins
# In the number of a stream: trials themselves are drawn from others. Below the sign of 64 bits, as a key is an array of such numbers.
_RENDERED = 1 << 62
_STIMULUS_BITS = 32


@dataclass(frozen=True)
class SyntheticGaze:
    """Where an output has synthetic trials, and what is public of them.

    Its dataset has an item for each stimulus: trials × fixations × (x in px, y in px, onset in ms, duration in ms), all 0 where there is no fixation.
    """

    path: str  # of the dataset, below the output
    stimuli: tuple[str, ...]
    screen: Screen
    px_per_degree: float  # of the screen, by which saccades take their time
    seed: int  # public: samples are drawn with it
    origin: str  # what stands next to every trial, in a few words
    caveats: tuple[str, ...]  # what every file of trials says, in sentences

    @property
    def notice(self) -> str:
        """What every file of trials says, on a line."""
        sentences = (f"{caveat[:1].upper()}{caveat[1:].rstrip('.')}." for caveat in self.caveats)
        return " ".join([f"{SYNTHETIC}.", *sentences])

    def trials(self, stimulus: int, first: int, values: NDArray[np.floating]) -> Iterator[Trial]:
        """Yield trials; those without a fixation are left out.

        Args:
            stimulus: its number.
            first: how many trials of the stimulus there are before these.
            values: of the dataset, shape (trials, fixations, 4), in px and ms.
        """
        for number, rows in enumerate(values.astype(np.float64), start=first):
            there = rows[:, 3] > 0
            if there.any():
                yield Trial(self, stimulus, number + 1, rows[there])


@dataclass(frozen=True)
class Rendering:
    """How samples are rendered from fixations: public constants."""

    hz: float
    px_per_degree: float
    blinks_per_minute: float = 0.0


@dataclass(frozen=True)
class Saccades:
    """Saccades from one fixation to the next, in pixels and milliseconds."""

    onset_ms: Numbers  # shape (S,)
    duration_ms: Numbers  # shape (S,)
    start_px: Numbers  # x and y, shape (S, 2)
    end_px: Numbers  # shape (S, 2)


@dataclass(frozen=True)
class Trial:
    """A synthetic trial: of no participant."""

    gaze: SyntheticGaze
    stimulus_number: int  # in the list of stimuli
    number: int  # on the stimulus, from 1
    fixations: Numbers  # x and y in px, onset and duration in ms, shape (fixations, 4)

    @property
    def stimulus(self) -> str:
        """Its name."""
        return self.gaze.stimuli[self.stimulus_number]

    @cached_property
    def saccades(self) -> Saccades:
        """Those between its fixations."""
        x_y, (onset, duration) = self.fixations[:, :2], self.fixations[:, 2:].T
        end = onset + duration
        return Saccades(end[:-1], onset[1:] - end[:-1], x_y[:-1], x_y[1:])

    def samples(self, rendering: Rendering) -> Samples:
        """Return its samples, on the screen: the same ones for the same bundle and constants."""
        stream = _RENDERED | (self.stimulus_number << _STIMULUS_BITS) | self.number
        made = samples(
            self.fixations,
            hz=rendering.hz,
            px_per_degree=rendering.px_per_degree,
            blinks_per_minute=rendering.blinks_per_minute,
            random=PublicDraws(self.gaze.seed, stream),
        )
        screen = self.gaze.screen
        for values, side in ((made.x_px, screen.width_px), (made.y_px, screen.height_px)):
            np.clip(values, 0, side, out=values)
        return made
