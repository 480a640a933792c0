"""How far released statistics are expected to be from the exact ones: each is released again and again from public, invented participants.

What the data are like is private. So it is tried for data like each of four public shapes (`shapes.Shape`). What is exact of the noise is in
`statistics.proof.md`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from synthrelease.dp.event import DiscreteLaplace, Event, Noise, PrivateChoice, flatten, noise_of
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.expectation import ERROR, Expectation
from synthrelease.kinds.statistics.grouped_rows import Cell
from synthrelease.kinds.statistics.noisy import NOISY_STATISTICS
from synthrelease.kinds.statistics.quantile_errors import mean_error
from synthrelease.kinds.statistics.shapes import Shape
from synthrelease.numerics.even_points import even_points
from synthrelease.numerics.statistics import (
    HISTOGRAM,
    MEDIAN,
    SUM,
    StatisticUnit,
    fraction,
    quantile,
)

if TYPE_CHECKING:
    from synthrelease.kinds.statistics.public import StatisticsParameters

Numbers = NDArray[np.float64]

_DRAWS = 128  # the error is known to about a tenth
_MOST_PEOPLE = 2048  # that are invented: of more, each stands for several


def expected(
    p: StatisticsParameters, event: Event, people: float, *, neighbours: Neighbours
) -> Iterator[Expectation]:
    """Yield the mean absolute error of every statistic of every feature, in its unit; of a histogram the total variation.

    Without data one would guess the mean of what the statistic is for the four shapes: how far that is from each, on average, is
    what a release has to beat.

    Args:
        p: the public parameters.
        event: what is done.
        people: who count in a group.
        neighbours: the neighbouring relation.
    """
    noise = noise_of(event)
    epsilon = min((leaf.epsilon for leaf in flatten(event) if isinstance(leaf, PrivateChoice)), default=0.0)
    for name in p.statistics:
        for feature in p.features:
            if quantile(name) is not None:
                rate = epsilon / (2 * p.quantile_sensitivity(name, neighbours))
                errors, without_data = _of_quantile(name, people, rate, p.quantile_steps)
                scale = feature.bounds[1] - feature.bounds[0]
            elif noise is not None:
                unit = replace(p.unit(feature), people=None if p.has_quotients else max(1, round(people)))
                scale = _scale(name, unit, people)
                tried = replace(unit, bounds=_tried_bounds(name, feature.bounds))
                errors, without_data = _of_noisy(name, tried, people, noise, p.size(name))
            else:
                continue
            subject = f"{name_in_words(name)} of {feature.name}"
            best, worst, guessed = (scale * share for share in (min(errors), max(errors), without_data))
            yield Expectation(subject, ERROR, best, worst, guessed, scale)


def guess(name: str, shape: Shape, unit: StatisticUnit, people: float, bins: int) -> Numbers:
    """Return what a statistic of people of a shape is, in its unit: what may be published without data, shape (1,) or (bins,)."""
    low, high = unit.bounds
    if quantile(name) is not None:
        return low + (high - low) * shape.quantile([float(fraction(name))])
    statistic = NOISY_STATISTICS[name]
    size = bins if name == HISTOGRAM else statistic.size(unit)
    return statistic.ends(_integers(name, shape, unit, people, size), unit, 0.0)[0]


def name_in_words(statistic: str) -> str:
    """Return what a statistic is called: a quantile of one half is the median."""
    return "median" if statistic == MEDIAN else statistic


def _tried_bounds(name: str, bounds: tuple[float, float]) -> tuple[float, float]:
    """Bounds of which the error is the same share, so that it is computed once for many features.

    Of all but sums it is the same whatever the bounds are; of sums it depends on where between them 0 is.
    """
    if name != SUM:
        return 0.0, 1.0
    reach = max(map(abs, bounds))
    return bounds[0] / reach, bounds[1] / reach


@functools.lru_cache(maxsize=512)
def _integers(name: str, shape: Shape, unit: StatisticUnit, people: float, size: int) -> Numbers:
    """Exact sums over people of a shape, shape (size,)."""
    invented = min(max(1, round(people)), _MOST_PEOPLE)
    total = np.zeros((1, size), dtype=np.int64)
    low, high = unit.bounds
    cell = _cell(low + (high - low) * shape.values(invented))
    NOISY_STATISTICS[name].add(total, cell, unit)
    exact: Numbers = total[0] * (people / invented)
    return exact


@functools.lru_cache(maxsize=512)
def _of_noisy(
    name: str, unit: StatisticUnit, people: float, noise: Noise, size: int
) -> tuple[tuple[float, ...], float]:
    """Error for each shape, and of a guess without data, as shares of what the bounds leave the statistic."""
    statistic, divisor = NOISY_STATISTICS[name], unit.divisor
    distance = _total_variation(people if divisor is None else 1.0) if name == HISTOGRAM else _absolute
    drawn = _draws(noise, size)
    errors, exact = [], []
    for shape in Shape:
        integers = _integers(name, shape, unit, people, size)
        exact.append(statistic.ends(integers, unit, 0.0)[0])
        released = statistic.ends(np.rint(integers + drawn), unit, 0.0)[0]
        errors.append(float(distance(released, exact[-1]).mean()))
    scale = _scale(name, unit, people)
    # Where the shapes agree, all that data could change is who counts: none to all of them.
    without_data = _without_data(np.stack(exact), distance) / scale or 0.25
    return tuple(error / scale for error in errors), without_data


def _scale(name: str, unit: StatisticUnit, people: float) -> float:
    """What the bounds leave a statistic; of a histogram, all of its total variation."""
    return 1.0 if name == HISTOGRAM else NOISY_STATISTICS[name].width(unit.bounds, people, unit.divisor)


def _of_quantile(name: str, people: float, rate: float, steps: int) -> tuple[tuple[float, ...], float]:
    """Error for each shape, and of a guess without data, of the bounds' width. `rate`: of utility in the choice, ε/(2Δ)."""
    p = fraction(name)
    errors = tuple(mean_error(shape, p, people=people, rate=rate, steps=steps) for shape in Shape)
    return errors, _without_data(np.stack([shape.quantile([float(p)]) for shape in Shape]), _absolute)


def _cell(values: Numbers) -> Cell:
    people = len(values)
    each = np.arange(people)
    return Cell(each, values, np.zeros(people, dtype=np.int64), np.ones(people, dtype=np.int64))


def _draws(noise: Noise, size: int) -> Numbers:
    """Noise of so many integers in each of `_DRAWS` releases."""
    points = even_points(_DRAWS, size)
    if isinstance(noise, DiscreteLaplace):
        return noise.scale * np.sign(points - 0.5) * -np.log1p(-np.abs(2 * points - 1))
    return np.asarray(noise.standard_deviation * ndtri(points))


def _without_data(exact: Numbers, distance: Callable[[Numbers, Numbers], Numbers]) -> float:
    """How far the mean over shapes is from each of them, on average. `exact`: shape (shapes, size)."""
    return float(distance(exact, exact.mean(axis=0)).mean())


def _absolute(several: Numbers, one: Numbers) -> Numbers:
    """How far each of several is from one, shape (several,)."""
    distances: Numbers = np.abs(several - one).max(axis=-1)
    return distances


def _total_variation(whole: float) -> Callable[[Numbers, Numbers], Numbers]:
    return lambda several, one: np.abs(several - one).sum(axis=-1) / 2 / whole
