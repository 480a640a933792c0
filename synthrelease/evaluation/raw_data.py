"""What stripping names protects: people recognised in the data as it is, from other recordings or stimuli of theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import FeatureData
from synthrelease.data.gaze import GazeData
from synthrelease.dp.noise.entropy import SecureRandom
from synthrelease.evaluation.attacks import AttackResult, Windows, identifications, judged, linkage
from synthrelease.evaluation.one_person import sampled_people
from synthrelease.evaluation.result import EvaluatedInput

if TYPE_CHECKING:
    from synthrelease.parallel import Progress

Column = NDArray[np.float64]

_PEOPLE = 200  # to be re-identified
_ROWS = 4000  # known, and as many given


def evaluated_input(
    name: str, data: GazeData | FeatureData, *, seed: int, jobs: int = 1, progress: Progress | None = None
) -> EvaluatedInput:
    """Return what identification and linkage find in the data of some people as it is.

    The attacker knows all rows of one half of the recordings (of the stimuli, of gaze) with names, and has the others without
    names. Where there is only one recording, it is cut in the middle. `jobs` processes change no result.
    """
    random = SecureRandom.for_tests(seed).spawn("raw data", name)
    rows = _of_features(data) if isinstance(data, FeatureData) else _of_gaze(data)
    if rows is None:
        return EvaluatedInput(name, data.people, (), ("No re-identification: the data have no usable row.",))
    halves = _halves(rows)
    if halves is None:
        too_few = "No re-identification: fewer than two participants have rows in both halves."
        return EvaluatedInput(name, data.people, (), (too_few,))
    known, unnamed = halves
    remarks, names = [], known.names
    chosen = sampled_people(names.size, _PEOPLE, random.spawn("people"))
    if names.size < data.people:
        remarks.append(f"{names.size} of {data.people} participants have rows in both halves.")
    if chosen.size < names.size:
        remarks.append(f"{chosen.size} of them (a random sample) are to be re-identified.")
        known, unnamed = (half.of_people(names[chosen].tolist()) for half in halves)
    step = max(1, -(-max(len(known.values), len(unnamed.values)) // _ROWS))
    known, unnamed = known.thinned(step), unnamed.thinned(step)
    if step > 1:
        remarks.append(f"One in {step} rows of every recording was used.")
    attacks: list[AttackResult] = list(
        identifications(known, unnamed, seed=seed, n_jobs=jobs, progress=progress)
    )
    first_recording = known.of_recordings([int(known.recordings[0])])
    if np.isin(first_recording.names, unnamed.names).sum() >= 2:
        attacks.append(linkage(first_recording, unnamed, unnamed.units().unit, seed=seed))
    return EvaluatedInput(name, data.people, judged(attacks), tuple(remarks))


def _halves(rows: Windows) -> tuple[Windows, Windows] | None:
    """Known and given rows of people who have both."""
    recordings = np.unique(rows.recordings)
    if recordings.size > 1:
        first = np.isin(rows.recordings, recordings[::2])
    else:
        first = np.zeros(len(rows.people), dtype=bool)
        for unit_rows in rows.units().rows:
            first[unit_rows[: unit_rows.size // 2]] = True
        rows = Windows(rows.values, rows.people, np.where(first, 0, 1))
    both = np.intersect1d(rows.people[first], rows.people[~first])
    if both.size < 2:
        return None
    has_both = np.isin(rows.people, both)
    return rows.where(has_both & first), rows.where(has_both & ~first)


def _of_features(data: FeatureData) -> Windows | None:
    """Rows as they are; what is missing lies in the middle of its bounds."""
    has_value = np.isfinite(data.values).any(axis=1)
    if not has_value.any() or not data.features:
        return None
    values = np.where(np.isfinite(data.values), data.values, data.bounds.mean(axis=1))
    return Windows(
        values[has_value], data.person[has_value].astype(np.int64), data.recording[has_value].astype(np.int64)
    )


def _of_gaze(data: GazeData) -> Windows | None:
    """A row for each person on each stimulus: how they look, and not where.

    Number of points, middle and spread of both coordinates, length of the way from point to point, and time on a point if it is
    known: simple measures of scanpaths, as the literature on recognising people by their gaze begins with.
    """
    if not data.person.size:
        return None
    order = np.lexsort((data.stimulus, data.person))
    owner = (data.person * len(data.stimuli) + data.stimulus)[order]
    first = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
    size = np.diff(np.append(first, owner.size))
    x, y = data.x_px[order] / data.screen.width_px, data.y_px[order] / data.screen.height_px
    same = np.r_[False, owner[1:] == owner[:-1]]
    step = np.where(same, np.hypot(np.diff(x, prepend=x[0]), np.diff(y, prepend=y[0])), 0.0)
    mean = _means(first, size)
    columns = [np.log(size), mean(x), mean(y), _spread(x, mean), _spread(y, mean), mean(step)]
    if data.duration is not None:
        columns.append(mean(np.log1p(data.duration[order].astype(np.float64))))
    return Windows(
        np.stack(columns, axis=1), owner[first] // len(data.stimuli), owner[first] % len(data.stimuli)
    )


def _means(first: NDArray[np.int64], size: NDArray[np.int64]) -> Callable[[Column], Column]:
    return lambda column: np.add.reduceat(column, first) / size


def _spread(column: Column, mean: Callable[[Column], Column]) -> Column:
    return np.sqrt(np.maximum(mean(column * column) - mean(column) ** 2, 0.0))
