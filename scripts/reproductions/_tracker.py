"""Recorded attention paths as an eye tracker of a higher rate would have sampled them, and as counts per pixel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.gaze import load_gaze
from synthrelease.data.screen import Screen

SCREEN = Screen(800, 600)

Path_px = NDArray[np.float64]


def people_on(path: Path, image: str, *, person: str, time: str | None = None) -> list[Path_px]:
    """Return the path of each person that was recorded on the image, in the order of the file, shape (samples, 2)."""
    columns = {"person": person, "stimulus": "image", "x": "x_px", "y": "y_px"}
    if time is not None:
        columns["time"] = time
    gaze = load_gaze(path, columns=columns, screen=SCREEN, stimuli=(image,))
    at = np.stack([gaze.x_px, gaze.y_px], axis=1)
    return [at[gaze.person == p] for p in np.unique(gaze.person)]


def tracked(paths: list[Path_px], samples: int) -> list[Path_px]:
    """Return each path as so many points, evenly spaced in time along straight lines between what was recorded.

    A stand-in for eye-tracking data: a resting mouse becomes many samples of one pixel, as a fixation does.
    """
    return [
        np.stack(
            [
                np.interp(np.linspace(0, len(p) - 1, samples), np.arange(len(p)), p[:, axis])
                for axis in (0, 1)
            ],
            axis=1,
        )
        for p in paths
    ]


def gaze_counts(
    paths: list[Path_px], *, rows: int, columns: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the counts that are not zero of all people: pixel, count, person, shape (N,) each."""
    pixels = rows * columns
    keys = []
    for number, path in enumerate(paths):
        keys.append(number * pixels + SCREEN.cells(path[:, 0], path[:, 1], columns=columns, rows=rows))
    key, count = np.unique(np.concatenate(keys), return_counts=True)
    return key % pixels, count, key // pixels
