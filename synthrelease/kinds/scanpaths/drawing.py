"""What scanpaths are drawn by, as a release has it: anyone may draw more, at no cost of privacy (`scanpaths.proof.md`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.screen import Screen
from synthrelease.errors import ArgumentError
from synthrelease.kinds.scanpaths.sampler import DRAWS, Tables
from synthrelease.kinds.scanpaths.trials import TrialModel
from synthrelease.numerics.public_draws import PublicDraws
from synthrelease.numerics.stored import stored_multiples

if TYPE_CHECKING:
    import polars as pl

Numbers = NDArray[np.float64]

VALUES = ("x_px", "y_px", "onset_ms", "duration_ms")
STEPS = np.array([0.125, 0.125, 1.0, 1.0])  # that released values are multiples of
_STREAMS = 32  # bits of the number of a scanpath on a stimulus
_DEGREES_ACROSS = 34.0  # a screen is taken to be so wide, where saccades take time
_SACCADE_MS, _MS_PER_DEGREE = 21.0, 2.2  # Carpenter 1988


@dataclass(frozen=True)
class ScanpathModel:
    """A release's chain and trials; synthetic scanpaths are not participants'.

    Attributes:
        stimuli: their names.
        screen: that they were shown on.
        tables: what places are drawn by.
        trials: what numbers and durations of fixations are drawn by.
    """

    stimuli: tuple[str, ...]
    screen: Screen
    tables: Tables
    trials: TrialModel

    @property
    def most(self) -> int:
        """Fixations of a scanpath, at most."""
        return self.trials.form.most

    def sample(self, stimulus: str, *, scanpaths: int, seed: int = 0) -> pl.DataFrame:
        """Return synthetic scanpaths, a row for each fixation: stimulus, scanpath, fixation, x_px, y_px, onset_ms, duration_ms.

        Args:
            stimulus: its name.
            scanpaths: how many.
            seed: public; the bundle's own scanpaths have its `sampling_seed`.

        Raises:
            ArgumentError: there is no such stimulus.
        """
        if stimulus not in self.stimuli:
            raise ArgumentError(
                "unknown-stimulus",
                "the release has no such stimulus",
                where="sample()",
                expected="one of " + ", ".join(self.stimuli[:10]),
                remedy="name a stimulus of the output",
            )
        values = self.numbered(self.stimuli.index(stimulus), 0, scanpaths, seed=seed)
        return as_table(stimulus, stored_multiples(values, STEPS))

    def numbered(self, stimulus: int, start: int, stop: int, *, seed: int) -> Numbers:
        """Return the scanpaths number `start` … `stop` − 1 of a seed on a stimulus, in the units of `VALUES`, not rounded; 0 after the last fixation.

        Returns:
            Shape (scanpaths, most, 4).
        """
        count = stop - start
        draws = np.empty((count, 1 + self.most * (DRAWS + 2)))
        for place, number in enumerate(range(start, stop)):
            draws[place] = PublicDraws(seed, (stimulus << _STREAMS) + number).uniform(draws.shape[1])
        counts, tilts = self.trials.draw(draws[:, 0])
        of_places, of_durations = np.split(draws[:, 1:].reshape(count, self.most, DRAWS + 2), [DRAWS], axis=2)
        x, y = self.tables.draw(np.full(count, stimulus), counts, of_places)
        duration = self.trials.durations_of(tilts, of_durations)
        there = np.arange(self.most) < counts[:, None]
        duration[~there] = 0
        saccade = _SACCADE_MS + _MS_PER_DEGREE * _DEGREES_ACROSS * np.hypot(
            np.diff(x, axis=1), np.diff(y, axis=1) * self.tables.geometry.proportions
        )
        onset = np.zeros_like(duration)
        onset[:, 1:] = np.cumsum(duration[:, :-1] + np.nan_to_num(saccade), axis=1)
        px = (
            np.minimum(share * side, side - STEPS[0])  # on the screen also when it is rounded
            for share, side in ((x, self.screen.width_px), (y, self.screen.height_px))
        )
        values = np.stack([*px, onset, duration], axis=-1)
        values[~there] = 0
        return values


def as_table(stimulus: str, values: NDArray[np.floating]) -> pl.DataFrame:
    """Return scanpaths of a stimulus as a table, a row for each fixation; values in the units of `VALUES`, shape (scanpaths, most, 4)."""
    import polars as pl  # noqa: PLC0415  slow to import, and not needed to check a release

    scanpath, fixation = np.nonzero(values[..., -1])
    rows = values[scanpath, fixation]
    return pl.DataFrame(
        {
            "stimulus": [stimulus] * len(rows),
            "scanpath": scanpath + 1,
            "fixation": fixation + 1,
            **{name: rows[:, number] for number, name in enumerate(VALUES)},
        }
    )
