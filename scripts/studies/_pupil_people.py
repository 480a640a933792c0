"""Populations A and C of the studies of synthetic people: the 24 people of `ier2023_vr_pupil`, all of them, or half and a public pilot of the other half."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from studies._ier2023 import CONDITIONS, FILE
from studies._people import People, Public
from studies._smoothed_people import Smoothed

# From what the instrument can deliver, not from the data.
RANGES = {
    "pupil_l_mean_mm": (2, 8),
    "pupil_r_mean_mm": (2, 8),
    "pupil_sd_mm": (0, 1),
    "pupil_min_mm": (1, 7),
    "pupil_max_mm": (2, 9),
    "pupil_lr_diff_mm": (-1.5, 1.5),
    "openness_mean": (0, 1),
    "openness_sd": (0, 0.5),
    "blink_rate_hz": (-0.05, 1.95),
    "blink_dur_mean_s": (0, 1),
    "valid_fraction": (0.5, 1),
}
_LOW, _HIGH = np.array(list(RANGES.values()), dtype=float).T
_EVERY, _CAP = 10, 16  # of overlapping windows every tenth; of a person in a condition at most so many
PUPIL = Public(
    names=tuple(RANGES),
    conditions=CONDITIONS,
    low=_LOW,
    high=_HIGH,
    steps=tuple(0.1 if name == "blink_rate_hz" else None for name in RANGES),
    windows=13,
    most_windows=_CAP,
)
_ORDER, _PILOT_SEED, _PILOT_PEOPLE, _PILOT_DRAW, _SHIFT = 5, 11, 100, 3, 0.2


def measured(folder: Path) -> People:
    """Return the real people, from the folder of all data sets."""
    table = pl.read_csv(folder / FILE).filter(pl.col("window") % _EVERY == 0)
    people = table["participant"].unique().sort().to_list()
    values = np.full((len(people), len(CONDITIONS), _CAP, len(RANGES)), np.nan)
    for i, person in enumerate(people):
        for c, condition in enumerate(CONDITIONS):
            here = (pl.col("participant") == person) & (pl.col("condition") == condition)
            rows = table.filter(here).sort("window").select(*RANGES).to_numpy()[:_CAP]
            values[i, c, : len(rows)] = rows
    values = np.clip(values, _LOW, _HIGH)
    return People(values, ~np.isnan(values[..., 0]))


class Piloted(Smoothed):
    """Population C: as A from 12 of the people; with a public pilot of 100, made from the other 12 and from another population."""

    def __init__(self, real: People) -> None:
        order = np.random.default_rng(_ORDER).permutation(len(real.values))
        half = len(order) // 2
        super().__init__(real.some(order[:half]), PUPIL)
        self._other = real.some(order[half:])

    @cached_property
    def pilot_people(self) -> People:
        """The pilot, as people."""
        return Smoothed(self._other, PUPIL, shift=_SHIFT, seed=_PILOT_SEED).draw(_PILOT_PEOPLE, _PILOT_DRAW)

    @property
    def pilot(self) -> pl.DataFrame:
        """The pilot, as a public table: person, recording, window, and the features."""
        return self.table(self.pilot_people)
