"""How far one person moves the integers of an output, by OpenDP's stability maps of sums and of histograms.

OpenDP knows sums of bounded integers, histograms, and scores of quantiles. From those follows what a plan's other vectors can
do: a vector in a ball moves as far as a number in an interval of the ball's width; one in a box as far as each of its
numbers; and what moves by at most a in every cell and by b in L1 moves by at most √(ab) in L2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from synthrelease.maths.statistics import (
    COUNT,
    HISTOGRAM,
    MEAN,
    PERSON_STEPS,
    QUANTILE,
    SUM,
    VARIANCE,
    sum_range,
)
from synthrelease.maths.steps import HALF_RANGE
from synthrelease.mechanisms.areas import AreaParameters
from synthrelease.mechanisms.gaze_maps import GazeMapParameters
from synthrelease.mechanisms.records.parameters import RecordsParameters
from synthrelease.mechanisms.signals import SignalParameters
from synthrelease.mechanisms.spectral import SpectralParameters
from synthrelease.mechanisms.spectral_signals import SpectralSignalParameters
from synthrelease.mechanisms.statistics import StatisticsParameters
from synthrelease.privacy.guarantee import Neighbours
from witnesses.by_opendp import shares, width

# Where norms of vectors side by side are added, at most so much too much: a variance's moments depend on each other.
SIDE_BY_SIDE = 1.7
_RADIUS = 2**16  # of both spectral mechanisms, as their proof notes have it


@dataclass(frozen=True)
class Moved:
    """An L1 and a squared L2 norm.

    Attributes:
        l1: the L1 norm; None where a ball bounds the L2 norm alone.
        l2_squared: the squared L2 norm.
    """

    l1: int | None
    l2_squared: int

    def times(self, number: int) -> Moved:
        """Return those of so many vectors side by side."""
        return Moved(None if self.l1 is None else self.l1 * number, self.l2_squared * number)

    def beside(self, other: Moved) -> Moved:
        """Return those of two vectors side by side."""
        l1 = None if self.l1 is None or other.l1 is None else self.l1 + other.l1
        return Moved(l1, self.l2_squared + other.l2_squared)


def outcomes(output: Any) -> list[Any]:
    """Return the parameters of an output, one for each outcome of its private choice."""
    for name in ("private_cap", "private_frequencies"):
        private = getattr(output, name, None)
        if private is not None:
            return [private.at(candidate) for candidate in private.candidates]
    return [output.parameters]


def moved(parameters: Any) -> Moved:
    """Return how far one person moves the integers of an output with these parameters."""
    total: Moved = _OF[type(parameters)](parameters)
    return total


def is_exact(parameters: Any) -> bool:
    """Whether that is the sensitivity itself: one person cannot move all that is side by side furthest at once.

    Replaced, they count on both sides and change in their values, or on one side only. Added or removed, they do it all.
    """
    if not isinstance(parameters, StatisticsParameters) or not _replaced(parameters):
        return True
    noised = _noised(parameters)
    return len(noised) == 1 and noised[0] != VARIANCE and parameters.by is None


def _replaced(parameters: Any) -> bool:
    return bool(parameters.neighbours is Neighbours.REPLACE_ONE)


def _interval(low: int, high: int, parameters: Any) -> Moved:
    one = width(low, high, replaced=_replaced(parameters))
    return Moved(one, one * one)


def _ball(radius: int, parameters: Any) -> Moved:
    return Moved(None, _interval(-radius, radius, parameters).l2_squared)


def _histogram(total: int, cap: int, parameters: Any) -> Moved:
    """A histogram of `total` rows of a person, at most `cap` of them in a cell; `total` is a multiple of `cap`."""
    l1, cell = shares(total, replaced=_replaced(parameters)), width(0, cap, replaced=_replaced(parameters))
    return Moved(l1, l1 * cell)


def _spectral_maps(p: SpectralParameters) -> Moved:
    return _ball(_RADIUS, p).times(1 if p.joint else min(p.max_stimuli, p.stimuli))


def _areas(p: AreaParameters) -> Moved:
    vectors = min(p.max_stimuli, p.stimuli) * (1 + p.transitions)
    return _histogram(HALF_RANGE, HALF_RANGE, p).times(vectors)


def _records(p: RecordsParameters) -> Moved:
    return _histogram(HALF_RANGE, HALF_RANGE, p).times(len(p.subsets()))


def _gaze_maps(p: GazeMapParameters) -> Moved:
    """Maps that stay in place, or as many that leave and others that come instead: those are added or removed."""
    cells = p.rows * p.columns
    if p.max_stimuli < p.stimuli and _replaced(p):
        assert 2 * p.max_stimuli <= p.stimuli
        assert p.max_samples is not None
        alone = shares(p.max_samples, replaced=False)
        return Moved(alone, alone * width(0, p.cap, replaced=False)).times(2 * p.max_stimuli)
    if p.max_samples is None:
        return _interval(0, p.cap, p).times(cells * p.max_stimuli)
    return _histogram(p.max_samples, p.cap, p).times(p.max_stimuli)


def _signals(p: SignalParameters) -> Moved:
    """All chunks of all series; in L1 a ball of K coefficients moves by √K of its width, by Cauchy and Schwarz."""
    total = Moved(0, 0)
    for part in p.form.parts:
        one = _interval(-part.radius, part.radius, p)
        if part.frequencies is None:
            total = total.beside(one.times(part.length))
        else:
            total = total.beside(
                Moved(math.isqrt(part.count * one.l2_squared), one.l2_squared).times(part.chunks)
            )
    return total.times(p.series)


def _statistics(p: StatisticsParameters) -> Moved:
    """All statistics of all features and groups side by side.

    Somebody without a value counts as nothing in it: 0 belongs to every interval but that of a mean around the centre.
    """
    groups = 1 if p.by is None else min(2 * p.max_groups if _replaced(p) else p.max_groups, len(p.groups))
    total = Moved(0, 0)
    for bounds in p.bounds:
        for name in _noised(p):
            total = total.beside(_statistic(name, bounds, p).times(groups))
    return total


def _noised(p: StatisticsParameters) -> list[str]:
    return [name for name in p.statistics if not name.startswith(QUANTILE)]


def _statistic(name: str, bounds: Sequence[float], p: StatisticsParameters) -> Moved:
    low, high = sum_range((bounds[0], bounds[1]))
    mean = _interval(-HALF_RANGE, HALF_RANGE, p)
    people = _interval(0, HALF_RANGE, p)
    quotient = p.people is None or p.by is not None
    return {
        COUNT: _interval(0, PERSON_STEPS, p),
        SUM: _interval(min(low, 0), max(high, 0), p),
        HISTOGRAM: _histogram(HALF_RANGE, HALF_RANGE, p),
        MEAN: mean.beside(people) if quotient else mean,
        VARIANCE: mean.beside(people).beside(mean),
    }[name]


_OF: dict[type, Callable[[Any], Moved]] = {
    SpectralParameters: _spectral_maps,
    GazeMapParameters: _gaze_maps,
    AreaParameters: _areas,
    SpectralSignalParameters: lambda p: _ball(_RADIUS, p),
    SignalParameters: _signals,
    StatisticsParameters: _statistics,
    RecordsParameters: _records,
}
