"""What scanpaths are drawn by, as a release has it: anyone may draw more, at no cost of privacy (`scanpaths.proof.md`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.screen import Screen
from synthrelease.errors import ArgumentError
from synthrelease.kinds.scanpath_form import STEPS, VALUES, public_numbers, timed_scanpaths
from synthrelease.kinds.scanpaths.sampler import DRAWS, Tables
from synthrelease.kinds.scanpaths.trials import TrialModel
from synthrelease.numerics.stored import stored_multiples

if TYPE_CHECKING:
    import polars as pl

Numbers = NDArray[np.float64]


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
        draws = public_numbers(seed, stimulus, range(start, stop), 1 + self.most * (DRAWS + 2))
        counts, tilts = self.trials.draw(draws[:, 0])
        of_places, of_durations = np.split(draws[:, 1:].reshape(count, self.most, DRAWS + 2), [DRAWS], axis=2)
        x, y = self.tables.draw(np.full(count, stimulus), counts, of_places)
        duration = self.trials.durations_of(tilts, of_durations)
        return timed_scanpaths(x, y, duration, np.arange(self.most) < counts[:, None], self.screen)


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
