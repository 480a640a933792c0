"""Fixations of OSIE's 15 people, and fixations as a rectangle: one row for each scanpath."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.gaze import STEPS_PER_UNIT, load_gaze
from synthrelease.data.screen import Screen
from synthrelease.errors import DataError
from synthrelease.kinds.scanpaths.coordinates import STEPS
from synthrelease.kinds.scanpaths.fixations import Fixations

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

FILE = Path("osie") / "fixations_tidy.csv.gz"
SCREEN = Screen(800, 600)
SIZE_PX = np.array([SCREEN.width_px, SCREEN.height_px], dtype=np.float64)
PX_PER_DEG = 24.0  # the screen is 33.7 × 25.3° wide (Xu et al. 2014)
DIAGONAL_DEG = float(np.hypot(*SIZE_PX)) / PX_PER_DEG
VIEWING_S = 3.0


def scanpaths(folder: Path, images: Sequence[int]) -> Fixations:
    """Return the fixations of everyone on some images, which are numbered in the order of the list.

    Raises:
        DataError: the file is not there, or someone has no fixation on an image.
    """
    gaze = load_gaze(
        folder / FILE,
        columns={
            "person": "observer",
            "stimulus": "image",
            "x": "x_px",
            "y": "y_px",
            "time": "fix_index",
            "duration": "duration_ms",
        },
        screen=SCREEN,
        stimuli=[f"{image}.jpg" for image in images],
    )
    assert gaze.duration is not None
    if gaze.people < 2 or not gaze.assigned.all():
        raise DataError(
            "too-few-people",
            "not everyone looked at every image",
            where=str(folder / FILE),
            found=f"{gaze.people} people, {int(gaze.assigned.sum())} trials",
            expected=f"two people or more, {gaze.people * len(images)} trials",
        )
    order = np.lexsort((gaze.stimulus, gaze.person))  # rows of a trial stay in the order of time
    places = np.stack([gaze.x_px, gaze.y_px], axis=1)[order]
    duration_ms = gaze.duration[order] / STEPS_PER_UNIT
    return fixations_at(gaze.person[order], gaze.stimulus[order], places, duration_ms, gaze.people)


def fixations_at(
    person: Integers, stimulus: Integers, places_px: Numbers, duration_ms: Numbers, people: int
) -> Fixations:
    """Return fixations at places in pixels, shape (N, 2): what is off the screen is moved to its edge."""
    steps = np.clip(np.floor(places_px / SIZE_PX * STEPS), 0, STEPS - 1).astype(np.int64)
    duration = np.rint(duration_ms * 1000).astype(np.int64)
    return Fixations(
        person, stimulus, steps[:, 0], steps[:, 1], duration, people, SCREEN.height_px / SCREEN.width_px
    )


def places_px(fixations: Fixations) -> Numbers:
    """Return where fixations are, in pixels, shape (N, 2)."""
    return (np.stack([fixations.x, fixations.y], axis=1) + 0.5) / STEPS * SIZE_PX


def moved(fixations: Fixations, places: Numbers) -> Fixations:
    """Return the same fixations at other places in pixels, shape (N, 2)."""
    return fixations_at(
        fixations.person, fixations.stimulus, places, fixations.duration_us / 1000, fixations.people
    )


def selected(fixations: Fixations, rows: Flags) -> Fixations:
    """Return some of the fixations."""
    return Fixations(
        fixations.person[rows],
        fixations.stimulus[rows],
        fixations.x[rows],
        fixations.y[rows],
        fixations.duration_us[rows],
        fixations.people,
        fixations.proportions,
    )


def on_stimuli(fixations: Fixations, stimuli: Sequence[int]) -> Fixations:
    """Return the fixations on some stimuli, which keep their numbers."""
    return selected(fixations, np.isin(fixations.stimulus, stimuli))


@dataclass(frozen=True)
class Rectangle:
    """Fixations of all trials: person by person, and by stimulus within a person. NaN and 0 after the last fixation of each."""

    person: Integers  # of each trial, shape (T,)
    stimulus: Integers  # shape (T,)
    counts: Integers  # fixations of each trial, shape (T,)
    places_px: Numbers  # shape (T, L, 2)
    duration_ms: Numbers  # shape (T, L)

    @classmethod
    def of(cls, fixations: Fixations) -> Rectangle:
        """Return the rectangle of fixations."""
        counts, first = fixations.counts, fixations.first
        shape = counts.size, int(counts.max(initial=0))
        places, duration = np.full((*shape, 2), np.nan), np.zeros(shape)
        at = fixations.trial, fixations.ordinal
        places[at] = places_px(fixations)
        duration[at] = fixations.duration_us / 1000
        return cls(fixations.person[first], fixations.stimulus[first], counts, places, duration)
