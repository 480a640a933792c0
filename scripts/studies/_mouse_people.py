"""The second real data set of the studies of synthetic people: 90 of the people of `osie_mouse`, features by the package's own `prepare`.

Conditions are the six photographs that the same people saw (64 to 83 people share two of them, 35 to 50 two of the others); people are those with windows of at least three
photographs, for the population of 12 windows or more. Samples of the pointer have no time stamps: they count as 60 a second, the rate of most browsers' displays, so that rates and
velocities are those of samples. The screen's size is not known either: 800 px are taken to be 400 mm, from 600 mm away. Both are the same for all people. Nothing here is private.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import polars as pl

from studies._osie_mouse import pointer_samples
from studies._people import People, Public
from studies._smoothed_people import Smoothed
from synthrelease.prepare import Settings, windows

_IMAGES = ("1002", "1003", "1011", "1012", "1013", "1020")
_FEWEST_IMAGES, _FEWEST_WINDOWS = 3, 12
# At most 264 samples of an image, 4.4 s: 14 windows of 1 s every quarter of a second.
_SETTINGS, _CAP = Settings(window_s=1.0, step_s=0.25), 14
# By name: bounds, and the step of what has few values. From definitions, not from the data: in 1 s there is room for 10 fixations of at least 100 ms, and hardly for more
# than 15 saccades, at most 4 of them a fixation; proportions; the screen's diagonal is 46°, and a mean amplitude is hardly more than half of it; a fixation may have begun
# before its window, and is hardly longer than 1.5 s; its dispersion along an axis is that of a disc of a radius of 2° at most; there are 24 directions and sizes of saccades.
_FEATURES: dict[str, tuple[float, float, float | None]] = {
    "fixation_rate": (0, 10, 1),
    "saccade_rate": (0, 15, 1),
    "saccade_fixation_ratio": (0, 4, None),
    "large_saccade_ratio": (0, 1, None),
    "positive_saccade_ratio": (0, 1, None),
    "saccade_amplitude_mean": (0, 25, None),
    "saccade_amplitude_max": (0, 46, None),
    "fixation_duration_mean": (0, 1.5, None),
    "fixation_x_var_mean": (0, 1, None),
    "fixation_y_var_mean": (0, 1, None),
    "wordbook1_nonzero": (0, 12, 1),
}
_LOW, _HIGH = np.array([bounds[:2] for bounds in _FEATURES.values()], dtype=float).T
POINTING = Public(
    names=tuple(_FEATURES),
    conditions=_IMAGES,
    low=_LOW,
    high=_HIGH,
    steps=tuple(step for *_, step in _FEATURES.values()),
    windows=6,
    most_windows=_CAP,
)


@lru_cache(maxsize=1)
def pointers(folder: Path) -> People:
    """Return the real people, from the folder of all data sets; not all saw all photographs, and some features are missing in some windows."""
    table = windows(pointer_samples(folder, [int(image) for image in _IMAGES]), _SETTINGS)
    found = table.filter(pl.col("fixation_rate").is_not_null())
    kept = found.filter(pl.col("stimulus").n_unique().over("person") >= _FEWEST_IMAGES)
    parts = kept.sort("person", "stimulus", "window_end_s").partition_by("person", maintain_order=True)
    return _people([[part.filter(pl.col("stimulus") == image) for image in _IMAGES] for part in parts])


def pointing(folder: Path) -> Smoothed:
    """Return population F: smoothed bootstrap of the real people and of their windows that have all features."""
    people = with_all_features(pointers(folder))
    return Smoothed(people.some(people.there.sum(axis=(1, 2)) >= _FEWEST_WINDOWS), POINTING)


def with_all_features(people: People) -> People:
    """Return people with those of their windows that have all features, one after the other: what is missing has no place in an autoregression."""
    whole = people.there & np.isfinite(people.values).all(axis=-1)
    order = np.argsort(~whole, axis=2, kind="stable")
    values = np.take_along_axis(people.values, order[..., None], axis=2)
    there = np.take_along_axis(whole, order, axis=2)
    values[~there] = np.nan
    return People(values, there)


def _people(tables: list[list[pl.DataFrame]]) -> People:
    values = np.full((len(tables), len(_IMAGES), _CAP, len(_FEATURES)), np.nan)
    there = np.zeros(values.shape[:3], dtype=bool)
    for i, of_person in enumerate(tables):
        for c, table in enumerate(of_person):
            rows = table.select(pl.col(*_FEATURES).cast(pl.Float64)).to_numpy()[:_CAP]
            values[i, c, : len(rows)], there[i, c, : len(rows)] = rows, True
    return People(np.clip(values, _LOW, _HIGH), there)
