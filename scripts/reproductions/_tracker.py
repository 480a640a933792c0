"""Recorded attention paths as an eye tracker of a higher rate would have sampled them, and as counts per pixel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.gaze import GazeData, load_gaze
from synthrelease.data.screen import Screen

SCREEN = Screen(800, 600)  # of OSIE


def load_image(path: Path, image: str, *, person: str, time: str | None = None) -> GazeData:
    """Return the samples of everyone who was recorded on the image, and of no one else."""
    columns = {"person": person, "stimulus": "image", "x": "x_px", "y": "y_px"}
    if time is not None:
        columns["time"] = time
    gaze = load_gaze(path, columns=columns, screen=SCREEN, stimuli=(image,))
    seen, person_of_row = np.unique(gaze.person, return_inverse=True)
    return GazeData(
        gaze.screen,
        gaze.stimuli,
        seen.size,
        gaze.assigned[seen],
        person_of_row.astype(np.int64),
        gaze.stimulus,
        gaze.x_px,
        gaze.y_px,
    )


def paths(gaze: GazeData) -> list[NDArray[np.float64]]:
    """Return everyone's path, shape (samples, 2), in pixels."""
    at = np.stack([gaze.x_px, gaze.y_px], axis=1)
    return [at[gaze.person == p] for p in range(gaze.people)]


def tracked(recorded: list[NDArray[np.float64]], samples: int) -> list[NDArray[np.float64]]:
    """Return each path as so many points, evenly spaced in time along straight lines between what was recorded.

    A stand-in for eye-tracking data: a resting mouse becomes many samples of one pixel, as a fixation does.
    """
    made = []
    for path in recorded:
        at, known = np.linspace(0, len(path) - 1, samples), np.arange(len(path))
        made.append(np.stack([np.interp(at, known, path[:, 0]), np.interp(at, known, path[:, 1])], axis=1))
    return made


def gaze_counts(
    recorded: list[NDArray[np.float64]], *, rows: int, columns: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the counts that are not zero of all people: pixel, count, person, shape (N,) each."""
    pixels = rows * columns
    keys = []
    for number, path in enumerate(recorded):
        keys.append(number * pixels + SCREEN.cells(path[:, 0], path[:, 1], columns=columns, rows=rows))
    key, count = np.unique(np.concatenate(keys), return_counts=True)
    return key % pixels, count, key // pixels
