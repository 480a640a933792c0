"""Mouse-tracked attention of 557 people on 20 photographs (OSIE, Xu et al. 2014), and what it is blurred to.

Whatever a study chooses it chooses on images 1001–1010, and reports images 1011–1020, which nothing was chosen on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from synthrelease.data.gaze import GazeData, load_gaze
from synthrelease.data.screen import Screen
from synthrelease.numerics.spectrum import middles
from synthrelease.prepare import Samples, load_samples

SCREEN = Screen(800, 600)
BLUR_PX, CELLS = 24.0, (100, 134)
BLURS = (BLUR_PX / SCREEN.height_px, BLUR_PX / SCREEN.width_px)
_RATE_HZ = 60  # of most browsers' displays
CHOSEN_ON, REPORTED = range(10), range(10, 20)  # images 1001–1010 and 1011–1020

Map = NDArray[np.float64]


def attention(folder: Path) -> GazeData:
    """Return the attention of everyone on all images."""
    gaze = load_gaze(
        folder / "osie_mouse" / "samples.csv.gz",
        columns={"person": "worker", "stimulus": "image", "x": "x_px", "y": "y_px"},
        screen=SCREEN,
    )
    return replace(gaze, x_px=gaze.x_px + 0.5, y_px=gaze.y_px + 0.5)  # whole pixels: their middles


def pointer_samples(folder: Path, images: Sequence[int] | None = None) -> Samples:
    """Return samples of the pointer, as `prepare` takes them, on some images or all. They have no time stamps, and the screen no size: 60 a second, 400 mm from 600 mm away."""
    samples = pl.read_csv(folder / "osie_mouse" / "samples.csv.gz").filter(
        pl.lit(value=True) if images is None else pl.col("image").is_in(list(images)),
        # Seven times a person saw a photograph twice: which sample is of which viewing is not known.
        (pl.col("sample_index").count() == pl.col("sample_index").n_unique()).over("image", "worker"),
    )
    return load_samples(
        samples.with_columns((pl.col("sample_index") * 1e9 / _RATE_HZ).round().cast(pl.Int64).alias("ns")),
        columns={"person": "worker", "stimulus": "image", "x": "x_px", "y": "y_px", "time": "ns"},
        screen=Screen(SCREEN.width_px, SCREEN.height_px, width_mm=400, distance_mm=600),
        time_unit="ns",
    )


def with_trials_of(gaze: GazeData, source: NDArray[np.int64]) -> GazeData:
    """Return made-up people who looked at each stimulus as a participant did.

    Args:
        gaze: of the participants.
        source: number of the participant, shape (people, stimuli).
    """
    people, stimuli = source.shape
    trial = gaze.person * stimuli + gaze.stimulus
    rows_of = [np.flatnonzero(trial == number) for number in range(gaze.people * stimuli)]
    rows = [rows_of[source[person, s] * stimuli + s] for person in range(people) for s in range(stimuli)]
    kept = np.concatenate(rows)
    owner = np.repeat(np.arange(people * stimuli), [len(row) for row in rows])
    return replace(
        gaze,
        people=people,
        assigned=np.take_along_axis(gaze.assigned, source, axis=0),
        person=owner // stimuli,
        stimulus=owner % stimuli,
        x_px=gaze.x_px[kept],
        y_px=gaze.y_px[kept],
        duration=None if gaze.duration is None else gaze.duration[kept],
        identities=(),
    )


def exact_maps(gaze: GazeData, cells: tuple[int, int]) -> list[Map]:
    """Return the blurred mean of people's dwell shares, from pixels and not from our spectrum, at the published cells."""
    maps = []
    for j in range(len(gaze.stimuli)):
        here = gaze.stimulus == j
        person = gaze.person[here]
        share = 1.0 / np.bincount(person, minlength=gaze.people)[person]
        cell = SCREEN.cells(gaze.x_px[here], gaze.y_px[here], columns=SCREEN.width_px, rows=SCREEN.height_px)
        grid = np.bincount(cell, share, SCREEN.width_px * SCREEN.height_px)
        blurred = gaussian_filter(grid.reshape(600, 800), BLUR_PX, mode="reflect", truncate=6)
        at = [
            np.minimum((middles(c) * side).astype(int), side - 1)
            for c, side in zip(cells, (600, 800), strict=True)
        ]
        one = blurred[np.ix_(*at)]
        maps.append(one / one.mean())
    return maps


def one_image(gaze: GazeData, j: int) -> GazeData:
    """Return the gaze on one image, of those who have any: a dataset by itself."""
    viewers = np.flatnonzero(gaze.assigned[:, j])
    number = np.full(gaze.people, -1)
    number[viewers] = np.arange(viewers.size)
    here = gaze.stimulus == j
    return replace(
        gaze,
        stimuli=(gaze.stimuli[j],),
        people=viewers.size,
        assigned=np.ones((viewers.size, 1), dtype=np.bool_),
        person=number[gaze.person[here]],
        stimulus=np.zeros(int(here.sum()), dtype=np.int64),
        x_px=gaze.x_px[here],
        y_px=gaze.y_px[here],
        time=None if gaze.time is None else gaze.time[here],
        identities=(),
    )


def first_people(gaze: GazeData, people: int) -> GazeData:
    """Return the gaze of the first people of a dataset of one image."""
    here = gaze.person < people
    return replace(
        gaze,
        people=people,
        assigned=gaze.assigned[:people],
        person=gaze.person[here],
        stimulus=gaze.stimulus[here],
        x_px=gaze.x_px[here],
        y_px=gaze.y_px[here],
    )
