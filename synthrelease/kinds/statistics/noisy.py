"""Statistics that are noisy integers, each with all that is to be known of it. Claims: `statistics.proof.md`.

A new one is a class here, or for the mean of a number of each person's own a function, and a line in `NOISY_STATISTICS`. H is `HALF_RANGE`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.sensitivity import Sensitivity, shares
from synthrelease.kinds.statistics.grouped_rows import Cell
from synthrelease.numerics.binning import equal_width_bins, shares_of_people
from synthrelease.numerics.statistics import (
    COUNT,
    HISTOGRAM,
    MEAN,
    PERSON_STEPS,
    SUM,
    VARIANCE,
    StatisticUnit,
    proportion,
    ratio,
    squares,
    sum_range,
    sum_step,
    to_sum_steps,
)
from synthrelease.numerics.steps import HALF_RANGE, centre_and_step

Bounds = tuple[float, float]
Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]
_WEIGHT = Sensitivity(HALF_RANGE, HALF_RANGE**2)  # of who comes or goes, in one integer from −H to H


@dataclass(frozen=True)
class Statistic(ABC):
    """A statistic of people's values of one feature, in one group."""

    name: str

    def is_quotient(self, unit: StatisticUnit) -> bool:  # noqa: ARG002
        """Return whether it is divided by a noisy count of its own."""
        return False

    def size(self, unit: StatisticUnit) -> int:
        """Return how many integers it takes, of a histogram in each bin."""
        return 1 + self.is_quotient(unit)

    def counted(self, unit: StatisticUnit) -> tuple[slice, int]:
        """Return which of its integers count people, and what a person weighs in all of them."""
        return slice(1, 1 + self.is_quotient(unit)), HALF_RANGE

    @abstractmethod
    def integers(self, cell: Cell, unit: StatisticUnit) -> Integers:
        """Return what each person with a value contributes, integers, shape (owners, size); of anyone else it is 0."""

    def add(self, total: Integers, cell: Cell, unit: StatisticUnit) -> None:
        """Add what each person with a value contributes to the integers of each group, shape (groups, size)."""
        integers = self.integers(cell, unit)
        if len(total) == 1:
            total += integers.sum(axis=0)
        else:
            np.add.at(total, cell.group, integers)

    @abstractmethod
    def weight(self, unit: StatisticUnit) -> Sensitivity:
        """Return how far who comes or goes moves the integers."""

    @abstractmethod
    def apart(self, unit: StatisticUnit) -> Sensitivity:
        """Return how far two people with values are apart: their counts are equal."""

    @abstractmethod
    def ends(self, noisy: Numbers, unit: StatisticUnit, reach: float) -> tuple[Numbers, Numbers]:
        """Return the lower and the upper end of what it can be if no noise exceeds `reach`, in people or the feature's unit.

        `noisy` has the shape (…, size), of a histogram (…, bins); what is returned (…, 1) or (…, bins).
        """

    @abstractmethod
    def noise_units(self, feature: str, unit: StatisticUnit) -> Iterator[tuple[str, float]]:
        """Yield what carries noise, in words, and what a step of it is in its unit."""

    def width(self, bounds: Bounds, people: float, divisor: int | None) -> float:  # noqa: ARG002
        """Return what the bounds leave the statistic."""
        return bounds[1] - bounds[0]

    def absent_is_centre(self, unit: StatisticUnit) -> bool:  # noqa: ARG002
        """Return whether a participant without a value counts as the centre of the bounds: where a public number divides."""
        return False


@dataclass(frozen=True)
class Count(Statistic):
    """How many people have a value: each weighs 2H."""

    def counted(self, unit: StatisticUnit) -> tuple[slice, int]:  # noqa: ARG002
        """Return its integer, and 2H."""
        return slice(1), PERSON_STEPS

    def integers(self, cell: Cell, unit: StatisticUnit) -> Integers:  # noqa: ARG002
        """Return 2H of each."""
        return np.full((len(cell.group), 1), PERSON_STEPS)

    def weight(self, unit: StatisticUnit) -> Sensitivity:  # noqa: ARG002
        """Return 2H."""
        return Sensitivity(PERSON_STEPS, PERSON_STEPS**2)

    def apart(self, unit: StatisticUnit) -> Sensitivity:  # noqa: ARG002
        """Return 0."""
        return Sensitivity(0, 0)

    def ends(self, noisy: Numbers, unit: StatisticUnit, reach: float) -> tuple[Numbers, Numbers]:  # noqa: ARG002
        """Return people."""
        return (noisy - reach) / PERSON_STEPS, (noisy + reach) / PERSON_STEPS

    def noise_units(self, feature: str, unit: StatisticUnit) -> Iterator[tuple[str, float]]:  # noqa: ARG002
        """Yield people."""
        yield "count (participants)", 1 / PERSON_STEPS

    def width(self, bounds: Bounds, people: float, divisor: int | None) -> float:  # noqa: ARG002
        """Return all people."""
        return people


@dataclass(frozen=True)
class Sum(Statistic):
    """The sum of people's means, in steps of which 2H lie between the lower and the upper of the bounds and 0."""

    def integers(self, cell: Cell, unit: StatisticUnit) -> Integers:
        """Return each person's mean in these steps."""
        return cell.means(to_sum_steps(cell.values, unit.bounds))[:, None]

    def weight(self, unit: StatisticUnit) -> Sensitivity:
        """Return the larger bound."""
        most = max(map(abs, sum_range(unit.bounds)))
        return Sensitivity(most, most * most)

    def apart(self, unit: StatisticUnit) -> Sensitivity:
        """Return what lies between the bounds."""
        low, high = sum_range(unit.bounds)
        return Sensitivity(high - low, (high - low) ** 2)

    def ends(self, noisy: Numbers, unit: StatisticUnit, reach: float) -> tuple[Numbers, Numbers]:
        """Return sums in the feature's unit."""
        step = sum_step(unit.bounds)
        return step * (noisy - reach), step * (noisy + reach)

    def noise_units(self, feature: str, unit: StatisticUnit) -> Iterator[tuple[str, float]]:
        """Yield the feature's unit."""
        yield f"sum of {feature}", sum_step(unit.bounds)

    def width(self, bounds: Bounds, people: float, divisor: int | None) -> float:  # noqa: ARG002
        """Return the larger bound, for each person."""
        return max(map(abs, bounds)) * people


@dataclass(frozen=True)
class Mean(Statistic):
    """The mean over people of a number of each person's own, in steps from −H to H between its bounds.

    `of_person` gives whole numbers, shape (owners,). Where no public number divides it is the quotient of a sum and a count of people of weight H, of one person at least, cut to the
    bounds.
    """

    of_person: Callable[[Cell, Bounds], Integers]  # steps from −H to H, of their own rows only, in any order
    between: Callable[[Bounds], Bounds] = lambda bounds: bounds  # of the number, from the feature's bounds

    def is_quotient(self, unit: StatisticUnit) -> bool:
        """Return whether there is no public number to divide by."""
        return unit.divisor is None

    def integers(self, cell: Cell, unit: StatisticUnit) -> Integers:
        """Return each person's number, and what they weigh if that is counted."""
        steps = self.of_person(cell, unit.bounds)
        return np.stack([steps, np.full_like(steps, HALF_RANGE)][: self.size(unit)], axis=1)

    def weight(self, unit: StatisticUnit) -> Sensitivity:
        """Return H at most, and as much again in the count."""
        return _WEIGHT.times(self.size(unit))

    def apart(self, unit: StatisticUnit) -> Sensitivity:  # noqa: ARG002
        """Return 2H."""
        return Sensitivity(2 * HALF_RANGE, 4 * HALF_RANGE**2)

    def ends(self, noisy: Numbers, unit: StatisticUnit, reach: float) -> tuple[Numbers, Numbers]:
        """Return means in the feature's unit."""
        low, high = self.between(unit.bounds)
        centre, step = centre_and_step(low, high)
        if unit.divisor is not None:
            step /= unit.divisor
            return centre + step * (noisy - reach), centre + step * (noisy + reach)
        half = (high - low) / 2
        first, last = ratio(noisy[..., :1], noisy[..., 1:], reach)
        return centre + half * first, centre + half * last

    def noise_units(self, feature: str, unit: StatisticUnit) -> Iterator[tuple[str, float]]:
        """Yield the feature's unit, of a quotient times people."""
        step = centre_and_step(*self.between(unit.bounds))[1]
        times = "" if unit.divisor else " × participants"
        yield f"{self.name} of {feature}{times}", step / (unit.divisor or 1)

    def width(self, bounds: Bounds, people: float, divisor: int | None) -> float:  # noqa: ARG002
        """Return what lies between the bounds of the number."""
        low, high = self.between(bounds)
        return high - low

    def absent_is_centre(self, unit: StatisticUnit) -> bool:
        """Return whether a public number divides: the centre is 0."""
        return not self.is_quotient(unit)


@dataclass(frozen=True)
class Variance(Statistic):
    """The variance over people of their means: the mean of squares less the square of the mean, cut to what is possible.

    It is of those with a value, by a noisy count of weight H, unless the plan declares that everyone has one.
    """

    def is_quotient(self, unit: StatisticUnit) -> bool:
        """Return whether there is no public number of people who have a value."""
        return unit.divisor is None or not unit.everyone

    def size(self, unit: StatisticUnit) -> int:
        """Return two moments, and the count between them."""
        return 2 + self.is_quotient(unit)

    def integers(self, cell: Cell, unit: StatisticUnit) -> Integers:
        """Return mean, weight and square; without a count the square is 0 at the centre."""
        mean = cell.mean_steps(unit.bounds)
        square = squares(mean)
        if self.is_quotient(unit):
            return np.stack([mean, np.full_like(mean, HALF_RANGE), square], axis=1)
        return np.stack([mean, square + HALF_RANGE], axis=1)

    def weight(self, unit: StatisticUnit) -> Sensitivity:
        """Return H at most in each moment, and without a count H and 2H."""
        if self.is_quotient(unit):
            return _WEIGHT.times(3)
        return _WEIGHT.plus(Sensitivity(2 * HALF_RANGE, 4 * HALF_RANGE**2))

    def apart(self, unit: StatisticUnit) -> Sensitivity:  # noqa: ARG002
        """Return how far mean and square are apart."""
        return _MOMENTS_APART

    def ends(self, noisy: Numbers, unit: StatisticUnit, reach: float) -> tuple[Numbers, Numbers]:
        """Return variances in the square of the feature's unit, by interval arithmetic over the integers."""
        half = (unit.bounds[1] - unit.bounds[0]) / 2
        (low, high), (least, most) = self._moments(noisy, unit, reach)
        squared = low * low, high * high
        smallest = np.where((low < 0) & (high > 0), 0.0, np.minimum(*squared))
        first, last = (
            half * half * np.clip(end, 0.0, 1.0) for end in (least - np.maximum(*squared), most - smallest)
        )
        return first, last

    def _moments(self, noisy: Numbers, unit: StatisticUnit, reach: float) -> list[tuple[Numbers, Numbers]]:
        """The ends of the mean, in half widths of the bounds from their middle, and of the mean square."""
        if self.is_quotient(unit):
            mean, square = (ratio(noisy[..., [i]], noisy[..., [1]], reach) for i in (0, 2))
            return [mean, ((square[0] + 1) / 2, (square[1] + 1) / 2)]
        assert unit.divisor is not None
        whole = HALF_RANGE * unit.divisor
        mean, square = (proportion(noisy[..., [i]], times * whole, reach) for i, times in ((0, 1), (1, 2)))
        return [mean, (np.maximum(square[0], 0.0), np.maximum(square[1], 0.0))]

    def noise_units(self, feature: str, unit: StatisticUnit) -> Iterator[tuple[str, float]]:
        """Yield the square of the feature's unit, of a quotient times people."""
        step = (unit.bounds[1] - unit.bounds[0]) ** 2 / 8 / HALF_RANGE
        if self.is_quotient(unit):
            yield f"squares of {feature} × participants", step
        else:
            yield f"mean square of {feature}", step / (unit.divisor or 1)

    def absent_is_centre(self, unit: StatisticUnit) -> bool:
        """Return whether a public number divides: both moments are 0 at the centre."""
        return not self.is_quotient(unit)

    def width(self, bounds: Bounds, people: float, divisor: int | None) -> float:  # noqa: ARG002
        """Return the largest variance between the bounds."""
        return ((bounds[1] - bounds[0]) / 2) ** 2


@dataclass(frozen=True)
class Histogram(Statistic):
    """How people divide H shares each among bins of equal width, by their values."""

    def counted(self, unit: StatisticUnit) -> tuple[slice, int]:  # noqa: ARG002
        """Return all bins, and H."""
        return slice(None), HALF_RANGE

    def integers(self, cell: Cell, unit: StatisticUnit) -> Integers:  # noqa: ARG002
        """Raise TypeError: most of a person's shares are 0, and are not made."""
        raise TypeError("Expected a statistic of a few integers")

    def add(self, total: Integers, cell: Cell, unit: StatisticUnit) -> None:
        """Add each person's shares to the bins of each group, shape (groups, bins)."""
        bins = total.shape[1]
        number = equal_width_bins(cell.values, *unit.bounds, bins)
        if cell.is_single:
            people = np.bincount(cell.group * bins + number, minlength=total.size)
            total += HALF_RANGE * people.reshape(total.shape)
        else:
            owner, place, share = shares_of_people(cell.owner, number, bins, HALF_RANGE)
            np.add.at(total, (cell.group[owner], place), share)

    def weight(self, unit: StatisticUnit) -> Sensitivity:  # noqa: ARG002
        """Return H in all bins together."""
        return _WEIGHT

    def apart(self, unit: StatisticUnit) -> Sensitivity:  # noqa: ARG002
        """Return H shares here and H there."""
        return shares(total=HALF_RANGE, neighbours=Neighbours.REPLACE_ONE)

    def ends(self, noisy: Numbers, unit: StatisticUnit, reach: float) -> tuple[Numbers, Numbers]:
        """Return shares of all people, or people per bin without a public divisor."""
        step = 1 / (HALF_RANGE * (unit.divisor or 1))
        return step * (noisy - reach), step * (noisy + reach)

    def noise_units(self, feature: str, unit: StatisticUnit) -> Iterator[tuple[str, float]]:  # noqa: ARG002
        """Yield shares, or people."""
        what = "proportion" if unit.divisor else "participants"
        yield f"histogram ({what})", 1 / (HALF_RANGE * (unit.divisor or 1))

    def width(self, bounds: Bounds, people: float, divisor: int | None) -> float:  # noqa: ARG002
        """Return all shares, or all people."""
        return people if divisor is None else 1.0


# Of (m, 2m²/H) for m in [−H, H], two at a time: in L1 |m − m′|·(1 + 2|m + m′|/H) ≤ 25H/8, at m = H, m′ = −H/4; in squared L2
# (m − m′)²·(1 + 4(m + m′)²/H²) ≤ (71 + 8√2)/16·H², at m′ = (√½ − 1)/2·H. Rounding squares adds less than 1 to their distance,
# which is 2H at most: nothing to an integer bound in L1, 4H + 1 in squared L2.
_MOMENTS_APART = Sensitivity(
    25 * HALF_RANGE // 8,
    71 * HALF_RANGE**2 // 16 + math.isqrt(HALF_RANGE**4 // 2) + 1 + 4 * HALF_RANGE + 1,
)

_LISTED = (
    Count(COUNT),
    Sum(SUM),
    Mean(MEAN, Cell.mean_steps),
    Variance(VARIANCE),
    Histogram(HISTOGRAM),
)
NOISY_STATISTICS = {statistic.name: statistic for statistic in _LISTED}


def value(name: str, noisy: NDArray[np.integer], unit: StatisticUnit) -> Numbers:
    """Return the statistic in people or in the feature's unit, from its integers, shape (1,) or (bins,)."""
    return NOISY_STATISTICS[name].ends(noisy.astype(np.float64), unit, 0.0)[0]


def interval(name: str, noisy: NDArray[np.integer], unit: StatisticUnit, *, reach: int) -> Numbers:
    """Return lower and upper end, shape (1, 2) or (bins, 2), of what the statistic can be if no noise exceeds `reach`.

    It is about noise only: not about what clipping, steps and the choice of people do.
    """
    return np.stack(NOISY_STATISTICS[name].ends(noisy.astype(np.float64), unit, float(reach)), axis=-1)


def together(name: str, unit: StatisticUnit) -> int:
    """Return how many noises an interval of the statistic depends on."""
    return NOISY_STATISTICS[name].size(unit)
