"""Released scanpaths, whatever they are drawn by: their dataset, and when their fixations begin."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.screen import Screen
from synthrelease.kinds.dataset import ITERATED, Array, Axis, ColumnWords, Dataset, DerivedFrom, Role
from synthrelease.kinds.synthetic_gaze import SyntheticGaze
from synthrelease.numerics.public_draws import PublicDraws

Numbers = NDArray[np.float64]

SCANPATHS = "scanpaths"
COLUMNS = {
    "x_px": ColumnWords("Place of the fixation, from the left of the screen.", "px"),
    "y_px": ColumnWords("Place of the fixation, from the top of the screen.", "px"),
    "onset_ms": ColumnWords("When the fixation begins, from the first one's beginning.", "ms"),
    "duration_ms": ColumnWords("How long the fixation takes.", "ms"),
}
VALUES = tuple(COLUMNS)
STEPS = np.array([0.125, 0.125, 1.0, 1.0])  # that released values are multiples of
_STREAMS = 32  # bits of the number of a scanpath on a stimulus
_DEGREES_ACROSS = 34.0  # a screen is taken to be so wide if its size is not declared
_SACCADE_MS, _MS_PER_DEGREE = 21.0, 2.2  # Carpenter 1988
ORIGIN = "synthetic, exchangeable"  # next to every exported trial


def px_per_degree(screen: Screen) -> float:
    """Return the pixels of a degree, by which saccades take their time: as declared, or else of a screen of a usual width."""
    return screen.pixels_per_degree or screen.width_px / _DEGREES_ACROSS


def gaze_of_scanpaths(
    stimuli: tuple[str, ...], screen: Screen, *, seed: int, caveats: tuple[str, ...]
) -> SyntheticGaze:
    """Return where the dataset's trials are, for exports of events and samples.

    Args:
        stimuli: their names.
        screen: whose pixels places are in.
        seed: public.
        caveats: what every file of them says, in sentences.
    """
    return SyntheticGaze(SCANPATHS, stimuli, screen, px_per_degree(screen), seed, ORIGIN, caveats)


def scanpaths_dataset(
    stimulus: Axis, *, scanpaths: int, most: int, sources: Sequence[str], derive: Callable[..., Array]
) -> Dataset:
    """Return the dataset of as many scanpaths on each stimulus, each of `most` fixations at most, which follow from whole `sources`.

    Args:
        stimulus: the axis of stimuli.
        scanpaths: how many there are on each.
        most: fixations of a scanpath.
        sources: paths of datasets.
        derive: returns scanpaths in the units of `VALUES`, shape (rows, most, 4), by index of the stimulus and rows.
    """
    return Dataset(
        SCANPATHS,
        (
            stimulus,
            Axis("scanpath", range(1, scanpaths + 1), words="Number of the scanpath on the stimulus."),
            Axis("fixation", range(1, most + 1), words="Number of the fixation in the scanpath."),
            Axis("value", VALUES, is_columns=True, of_columns=COLUMNS),
        ),
        Role.RECORD,
        quantity="place in px and time in ms of a synthetic fixation, all 0 after the last one",
        in_tables="place in px and time in ms of a synthetic fixation",
        items=1,
        by_rows=True,
        sources=tuple(DerivedFrom(path, whole=True) for path in sources),
        derive=derive,
        steps=STEPS,
        care=ITERATED,
        present=VALUES[-1],
    )


def public_numbers(seed: int, stimulus: int, scanpaths: range, count: int) -> Numbers:
    """Return dimensionless numbers above 0 and below 1 for each of some scanpaths, always the same for its number, shape (scanpaths, count).

    Args:
        seed: public.
        stimulus: its number.
        scanpaths: their numbers on the stimulus, from 0.
        count: how many numbers a scanpath takes.
    """
    numbers = np.empty((len(scanpaths), count))
    for place, number in enumerate(scanpaths):
        numbers[place] = PublicDraws(seed, (stimulus << _STREAMS) + number).uniform(count)
    return numbers


def timed_scanpaths(
    x: Numbers, y: Numbers, duration_ms: Numbers, there: NDArray[np.bool_], screen: Screen
) -> Numbers:
    """Return scanpaths in the units of `VALUES`, not rounded; 0 where there is no fixation. A saccade takes 21 ms and 2.2 ms per degree.

    Args:
        x: share of the screen's width, shape (scanpaths, most).
        y: share of its height, shape (scanpaths, most).
        duration_ms: of each fixation, shape (scanpaths, most).
        there: whether there is a fixation, shape (scanpaths, most).
        screen: whose pixels places are in.

    Returns:
        Shape (scanpaths, most, 4).
    """
    duration = np.where(there, duration_ms, 0.0)
    down = np.diff(y, axis=1) * (screen.height_px / screen.width_px)
    degrees_across = screen.width_px / px_per_degree(screen)
    saccade = _SACCADE_MS + _MS_PER_DEGREE * degrees_across * np.hypot(np.diff(x, axis=1), down)
    onset = np.zeros_like(duration)
    onset[:, 1:] = np.cumsum(duration[:, :-1] + np.nan_to_num(saccade), axis=1)
    px = (
        np.minimum(share * side, side - STEPS[0])  # on the screen also when it is rounded
        for share, side in ((x, screen.width_px), (y, screen.height_px))
    )
    values = np.stack([*px, onset, duration], axis=-1)
    values[~there] = 0
    return values
