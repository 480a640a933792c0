"""What stripping names protects: people recognised in the data as it is, from other recordings or stimuli of theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import Features
from synthrelease.data.gaze import Gaze
from synthrelease.dp.noise.entropy import SecureRandom
from synthrelease.evaluation.attacks import AttackResult, Windows, identifications, judged, linkage
from synthrelease.evaluation.one_person import some_people
from synthrelease.evaluation.result import EvaluatedInput

if TYPE_CHECKING:
    from synthrelease.parallel import Progress

_PEOPLE = 200  # to be told apart
_ROWS = 4000  # known, and as many given


def evaluated_input(
    name: str, data: Gaze | Features, *, seed: int, jobs: int = 1, progress: Progress | None = None
) -> EvaluatedInput:
    """Return what identification and linkage find in the data of some people as it is.

    The attacker knows everybody's rows of one half of the recordings (of the stimuli, of gaze), and is given the others without
    names. Where there is only one recording, it is cut in the middle.

    Args:
        name: of the input.
        data: of all people, or of some.
        seed: of who is asked about, of classifiers and shuffles.
        jobs: processes for the classifiers; they change no result.
        progress: told of each classifier.
    """
    random = SecureRandom.for_tests(seed).spawn("raw data", name)
    rows = _of_features(data) if isinstance(data, Features) else _of_gaze(data)
    if rows is None:
        return EvaluatedInput(name, data.people, (), ("Nobody was told apart: the data has no usable row.",))
    halves = _halves(rows)
    if halves is None:
        nobody = "Nobody was told apart: fewer than two people have rows in both halves."
        return EvaluatedInput(name, data.people, (), (nobody,))
    known, given = halves
    remarks, names = [], known.names
    chosen = some_people(names.size, _PEOPLE, random.spawn("people"))
    if names.size < data.people:
        remarks.append(f"{names.size} of {data.people} people have rows in both halves.")
    if chosen.size < names.size:
        remarks.append(f"{chosen.size} of them, drawn by lot, are to be told apart.")
        known, given = (half.of_people(names[chosen].tolist()) for half in halves)
    every = max(1, -(-max(len(known.values), len(given.values)) // _ROWS))
    known, given = known.thinned(every), given.thinned(every)
    if every > 1:
        remarks.append(f"Of the rows of every recording one in {every} was used.")
    attacks: list[AttackResult] = list(
        identifications(known, given, seed=seed, n_jobs=jobs, progress=progress)
    )
    one = known.of_recordings([int(known.recordings[0])])
    if np.isin(one.names, given.names).sum() >= 2:
        attacks.append(linkage(one, given, given.units().unit, seed=seed))
    return EvaluatedInput(name, data.people, judged(attacks), tuple(remarks))


def _halves(rows: Windows) -> tuple[Windows, Windows] | None:
    """Known and given rows of people who have both."""
    recordings = np.unique(rows.recordings)
    if recordings.size > 1:
        first = np.isin(rows.recordings, recordings[::2])
    else:
        first = np.zeros(len(rows.people), dtype=bool)
        for own in rows.units().rows:
            first[own[: own.size // 2]] = True
        rows = Windows(rows.values, rows.people, np.where(first, 0, 1))
    both = np.intersect1d(rows.people[first], rows.people[~first])
    if both.size < 2:
        return None
    there = np.isin(rows.people, both)
    return rows.where(there & first), rows.where(there & ~first)


def _of_features(data: Features) -> Windows | None:
    """Rows as they are; what is missing lies in the middle of its bounds."""
    some = np.isfinite(data.values).any(axis=1)
    if not some.any() or not data.features:
        return None
    values = np.where(np.isfinite(data.values), data.values, data.bounds.mean(axis=1))
    return Windows(values[some], data.person[some].astype(np.int64), data.recording[some].astype(np.int64))


def _of_gaze(data: Gaze) -> Windows | None:
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


Column = NDArray[np.float64]


def _means(first: NDArray[np.int64], size: NDArray[np.int64]) -> Callable[[Column], Column]:
    return lambda column: np.add.reduceat(column, first) / size


def _spread(column: Column, mean: Callable[[Column], Column]) -> Column:
    return np.sqrt(np.maximum(mean(column * column) - mean(column) ** 2, 0.0))
