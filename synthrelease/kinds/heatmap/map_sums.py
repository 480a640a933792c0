"""People's maps as cosine coefficients, and the sum of the clipped ones: all that is taken from the data of a spectral heatmap (`spectral.proof.md`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.gaze import GazeData
from synthrelease.kinds.counted_rows import counted_rows
from synthrelease.kinds.heatmap.public import SpectralParameters
from synthrelease.kinds.stimuli import DURATION
from synthrelease.numerics.ball import clip_to_ball
from synthrelease.numerics.binning import integer_shares
from synthrelease.numerics.runs import runs, whole_blocks
from synthrelease.numerics.spectral import RADIUS, SpectralForm
from synthrelease.numerics.spectrum import WEIGHT, Band, PointCoefficients, positions

Integers = NDArray[np.int64]

_MOST_SAMPLES = WEIGHT // 2  # of a person on a stimulus: each then has a weight of two steps at least
# Of as many people as are dealt with at a time: larger arrays would not stay in the processor's cache.
_BLOCK_ROWS, _BLOCK_COEFFICIENTS = 1 << 16, 1 << 18


@dataclass(frozen=True)
class Looks:
    """Where people looked: rows that count, by person and stimulus."""

    person: Integers  # increasing, shape (N,)
    stimulus: Integers  # increasing within a person, shape (N,)
    places: Integers  # positions on every axis, shape (axes, N)
    weights: Integers  # whole numbers that sum to WEIGHT for a person on a stimulus, shape (N,)


@dataclass(frozen=True)
class PeopleMaps:
    """Maps of some people, all of whose maps are there."""

    person: Integers  # of each map, shape (M,)
    stimulus: Integers  # likewise
    coefficients: NDArray[np.float64]  # of a density, dimensionless, shape (M, K)


def contributions(gaze: GazeData, parameters: SpectralParameters) -> Integers:
    """Return the sum of these people's clipped coefficients in steps, shape (stimuli, K); all of their rows are there."""
    form = parameters.form
    return clipped_sums(looks(gaze, parameters), form, len(parameters.stimuli), joint=parameters.joint)


def clipped_sums(people: Iterable[Looks], form: SpectralForm, stimuli: int, *, joint: bool) -> Integers:
    """Return the sum of people's clipped coefficients in steps, shape (stimuli, K).

    Args:
        people: some whole people at a time.
        form: what turns maps into integers.
        stimuli: S.
        joint: whether people are clipped over all stimuli at once.
    """
    steps = form.steps()
    totals = np.zeros((stimuli, steps.size), dtype=np.int64)
    for maps in people_maps(people, form.band):
        scaled = maps.coefficients  # in place from here on: they are the largest array there is
        scaled *= steps
        in_steps = np.trunc(scaled, out=scaled).astype(np.int64)
        np.add.at(totals, maps.stimulus, clip_to_ball(in_steps, RADIUS, maps.person if joint else None))
    return totals


def people_maps(people: Iterable[Looks], band: Band) -> Iterator[PeopleMaps]:
    """Yield the maps of some people at a time.

    Cost grows with samples × frequencies of one axis and with the maps that people have, not with pixels.
    """
    of_points = PointCoefficients(band)
    for rows in people:
        first, samples = runs(rows.person * (int(rows.stimulus.max(initial=0)) + 1) + rows.stimulus)
        person, stimulus = rows.person[first], rows.stimulus[first]
        for here in whole_blocks(person, max(1, _BLOCK_COEFFICIENTS // band.count)):
            coefficients = np.empty((here.stop - here.start, band.count))
            for out, i, count in zip(coefficients, first[here].tolist(), samples[here].tolist(), strict=True):
                out[:] = of_points.of(rows.places[:, i : i + count], rows.weights[i : i + count])
            yield PeopleMaps(person[here], stimulus[here], coefficients)


def looks(gaze: GazeData, parameters: SpectralParameters) -> Iterator[Looks]:
    """Yield the rows that count of people all of whose rows are there, some people at a time, with whole-numbered weights and places."""
    row = counted_rows(gaze, max_stimuli=parameters.max_stimuli_per_person, max_samples=_MOST_SAMPLES)
    if parameters.window is not None:
        assert gaze.time is not None
        start, end = parameters.window
        row = row[(gaze.time[row] >= start) & (gaze.time[row] <= end)]
    weight = np.ones(row.size, dtype=np.int64)
    if parameters.weight == DURATION:
        assert gaze.duration is not None
        row = row[gaze.duration[row] > 0]
        weight = gaze.duration[row]
    for here in whole_blocks(gaze.person[row], _BLOCK_ROWS):
        some, person, stimulus = row[here], gaze.person[row[here]], gaze.stimulus[row[here]]
        shares = integer_shares(person * len(parameters.stimuli) + stimulus, weight[here], WEIGHT)
        yield Looks(person, stimulus, _places(gaze, parameters, some), shares)


def _places(gaze: GazeData, parameters: SpectralParameters, rows: Integers) -> Integers:
    """Positions on the axes, shape (axes, N)."""
    axes = [gaze.y_px[rows] / gaze.screen.height_px, gaze.x_px[rows] / gaze.screen.width_px]
    if parameters.window is not None:
        assert gaze.time is not None
        start, end = parameters.window
        axes.insert(0, (gaze.time[rows] - start) / (end - start))
    return np.stack([positions(axis) for axis in axes])
