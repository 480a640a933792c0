"""How far one person moves the integers of an output, by OpenDP's stability maps of sums and of histograms.

OpenDP knows sums of bounded integers, histograms, and scores of quantiles. From those follows what a plan's other vectors can
do: a vector in a ball moves as far as a number in an interval of the ball's width; one in a box as far as each of its
numbers; and what moves by at most a in every cell and by b in L1 moves by at most √(ab) in L2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.areas.mechanism import AreaShares
from synthrelease.kinds.choosing import Choosing
from synthrelease.kinds.heatmap.cells import CellHeatmap
from synthrelease.kinds.heatmap.spectral import SpectralHeatmap
from synthrelease.kinds.mechanism import Mechanism
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.kinds.signals.coefficients import CoefficientSignals
from synthrelease.kinds.signals.spectral import SpectralSignals
from synthrelease.kinds.statistics.fixations import FixationStatistics
from synthrelease.kinds.statistics.mechanism import StatisticsMechanism
from synthrelease.kinds.statistics.public import StatisticsParameters
from synthrelease.numerics.statistics import (
    COUNT,
    HISTOGRAM,
    MEAN,
    PERSON_STEPS,
    QUANTILE,
    SUM,
    VARIANCE,
    sum_range,
)
from synthrelease.numerics.steps import HALF_RANGE
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


def outcomes(mechanism: Mechanism[Any]) -> list[Mechanism[Any]]:
    """Return the mechanism of an output, one for each outcome of its private choice."""
    if isinstance(mechanism, Choosing) and mechanism.candidates is not None:
        return [mechanism.at(candidate) for candidate in mechanism.candidates]
    return [mechanism]


def moved(mechanism: Mechanism[Any]) -> Moved:
    """Return how far one person moves the integers of an output."""
    total: Moved = _OF[type(mechanism)](mechanism)
    return total


def is_exact(mechanism: Mechanism[Any]) -> bool:
    """Whether that is the sensitivity itself: one person cannot move all that is side by side furthest at once.

    Replaced, they count on both sides and change in their values, or on one side only. Added or removed, they do it all.
    """
    if not isinstance(mechanism, StatisticsMechanism) or not _replaced(mechanism):
        return True
    noised = _noised(mechanism.parameters)
    return len(noised) == 1 and noised[0] != VARIANCE and mechanism.parameters.by is None


def _replaced(mechanism: Mechanism[Any]) -> bool:
    return mechanism.neighbours is Neighbours.REPLACE_ONE


def _interval(low: int, high: int, mechanism: Mechanism[Any]) -> Moved:
    one = width(low, high, replaced=_replaced(mechanism))
    return Moved(one, one * one)


def _ball(radius: int, mechanism: Mechanism[Any]) -> Moved:
    return Moved(None, _interval(-radius, radius, mechanism).l2_squared)


def _histogram(total: int, cap: int, mechanism: Mechanism[Any]) -> Moved:
    """A histogram of `total` rows of a person, at most `cap` of them in a cell; `total` is a multiple of `cap`."""
    l1, cell = shares(total, replaced=_replaced(mechanism)), width(0, cap, replaced=_replaced(mechanism))
    return Moved(l1, l1 * cell)


def _spectral_maps(mechanism: SpectralHeatmap) -> Moved:
    p = mechanism.parameters
    stimuli = min(p.max_stimuli_per_person, len(p.stimuli))
    return _ball(_RADIUS, mechanism).times(1 if p.joint else stimuli)


def _areas(mechanism: AreaShares) -> Moved:
    p = mechanism.parameters
    vectors = min(p.max_stimuli_per_person, len(p.stimuli)) * (1 + p.transitions)
    return _histogram(HALF_RANGE, HALF_RANGE, mechanism).times(vectors)


def _records(mechanism: SyntheticRecords) -> Moved:
    return _histogram(HALF_RANGE, HALF_RANGE, mechanism).times(len(mechanism.parameters.subsets))


def _gaze_maps(mechanism: CellHeatmap) -> Moved:
    """Maps that stay in place, or as many that leave and others that come instead: those are added or removed."""
    p = mechanism.parameters
    most, samples = p.max_stimuli_per_person, p.max_samples_per_stimulus
    if most < len(p.stimuli) and _replaced(mechanism):
        assert 2 * most <= len(p.stimuli)
        assert samples is not None
        alone = shares(samples, replaced=False)
        return Moved(alone, alone * width(0, p.cap, replaced=False)).times(2 * most)
    if samples is None:
        return _interval(0, p.cap, mechanism).times(p.rows * p.columns * most)
    return _histogram(samples, p.cap, mechanism).times(most)


def _signals(mechanism: CoefficientSignals) -> Moved:
    """All chunks of all series; in L1 a ball of K coefficients moves by √K of its width, by Cauchy and Schwarz."""
    total = Moved(0, 0)
    for part in mechanism.parameters.form.parts:
        one = _interval(-part.radius, part.radius, mechanism)
        if part.frequencies is None:
            total = total.beside(one.times(part.length))
        else:
            total = total.beside(
                Moved(math.isqrt(part.count * one.l2_squared), one.l2_squared).times(part.chunks)
            )
    return total.times(mechanism.parameters.series_count)


def _statistics(mechanism: StatisticsMechanism) -> Moved:
    """All statistics of all features and groups side by side.

    Someone without a value counts as nothing in it: 0 belongs to every interval but that of a mean around the centre.
    """
    p = mechanism.parameters
    most = p.max_groups_per_person * (1 + _replaced(mechanism))
    groups = 1 if p.groups is None else min(most, len(p.groups))
    total = Moved(0, 0)
    for feature in p.features:
        for name in _noised(p):
            total = total.beside(_statistic(name, feature.bounds, mechanism).times(groups))
    return total


def _noised(p: StatisticsParameters) -> list[str]:
    return [name for name in p.statistics if not name.startswith(QUANTILE)]


def _statistic(name: str, bounds: tuple[float, float], mechanism: StatisticsMechanism) -> Moved:
    p, (low, high) = mechanism.parameters, sum_range(bounds)
    mean = _interval(-HALF_RANGE, HALF_RANGE, mechanism)
    people = _interval(0, HALF_RANGE, mechanism)
    declared = p.everyone_in_every_group
    quotient = p.people is None or (p.by is not None and not declared)
    square = _interval(0, 2 * HALF_RANGE, mechanism)
    return {
        COUNT: _interval(0, PERSON_STEPS, mechanism),
        SUM: _interval(min(low, 0), max(high, 0), mechanism),
        HISTOGRAM: _histogram(HALF_RANGE, HALF_RANGE, mechanism),
        MEAN: mean.beside(people) if quotient else mean,
        VARIANCE: mean.beside(square) if declared else mean.beside(people).beside(mean),
    }[name]


_OF: dict[type, Callable[[Any], Moved]] = {
    SpectralHeatmap: _spectral_maps,
    CellHeatmap: _gaze_maps,
    AreaShares: _areas,
    SpectralSignals: lambda mechanism: _ball(_RADIUS, mechanism),
    CoefficientSignals: _signals,
    StatisticsMechanism: _statistics,
    FixationStatistics: _statistics,
    SyntheticRecords: _records,
}
