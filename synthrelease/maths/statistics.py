"""Statistics of a feature: what their integers stand for, and which interval the noise leaves for the true value.

Everything here is a function of noised integers and public numbers; `verify` computes it again from the bundle. H is
`HALF_RANGE`. How people become integers is in `kinds.statistics.mechanism`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthrelease.maths.steps import HALF_RANGE, centre_and_step

COUNT, SUM, MEAN, VARIANCE, HISTOGRAM = "count", "sum", "mean", "variance", "histogram"
QUANTILE, MEDIAN = "quantile:", "quantile:0.5"
PERSON_STEPS = 2 * HALF_RANGE  # what one person weighs in a count
MOST_QUANTILE_STEPS = 2 * HALF_RANGE


@dataclass(frozen=True)
class StatisticUnit:
    """What the integers of a statistic of one feature, in one group, stand for.

    Attributes:
        bounds: of the feature.
        people: n, if it is public.
        grouped: whether people are counted in groups, whose sizes are private whatever n is.
    """

    bounds: tuple[float, float]
    people: int | None
    grouped: bool = False

    @property
    def divisor(self) -> int | None:
        """The public number that means and histograms are divided by, or None: means are then quotients."""
        return None if self.grouped else self.people


def quantile(name: str) -> Fraction | None:
    """Return p of "quantile:p", the fraction that the text is; None for another statistic."""
    return Fraction(name.removeprefix(QUANTILE)) if name.startswith(QUANTILE) else None


def fraction(name: str) -> Fraction:
    """Return p of "quantile:p", above 0 and below 1; ValueError of another statistic."""
    p = quantile(name)
    if p is None or not 0 < p < 1:
        raise ValueError("Expected quantile:p with 0 < p < 1, found another statistic")
    return p


def size(name: str, *, bins: int, quotient: bool) -> int:
    """Return how many integers a statistic of a feature takes: a bin each, or moments.

    Args:
        name: of the statistic, no quantile.
        bins: of a histogram.
        quotient: whether means are divided by a noised count (`StatisticUnit.divisor` is None).
    """
    return {COUNT: 1, SUM: 1, MEAN: 1 + quotient, VARIANCE: 3, HISTOGRAM: bins}[name]


def sum_step(bounds: tuple[float, float]) -> float:
    """Return the step of a sum, in the feature's unit: 2H of them from the lower to the upper of the bounds and 0."""
    return (max(bounds[1], 0.0) - min(bounds[0], 0.0)) / PERSON_STEPS


def sum_range(bounds: tuple[float, float]) -> tuple[int, int]:
    """Return the bounds in steps of a sum, cut toward zero."""
    step = sum_step(bounds)
    return int(bounds[0] / step), int(bounds[1] / step)


def to_sum_steps(values: NDArray[np.float64], bounds: tuple[float, float]) -> NDArray[np.int64]:
    """Return values in steps of a sum, cut toward zero, within `sum_range`, of the same shape."""
    return np.trunc(np.clip(values, *bounds) / sum_step(bounds)).astype(np.int64)


def squares(means: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return 2m²/H − H of means m in steps, rounded to the nearest integer: from −H to H, of the same shape."""
    return (4 * means * means + HALF_RANGE) // (2 * HALF_RANGE) - HALF_RANGE


def value(name: str, noisy: NDArray[np.integer], unit: StatisticUnit) -> NDArray[np.float64]:
    """Return the statistic in people or in the feature's unit, from its integers, shape (1,) or (bins,).

    A histogram gives shares of all people, or people per bin without a public divisor. There a mean is the quotient of a sum
    and a count of people of weight H, of one person at least, cut to the bounds. A variance always is such a quotient:
    the mean of squares less the square of the mean, cut to what is possible between the bounds.
    """
    return _shown(name, noisy.astype(np.float64), unit, reach=0.0)[0]


def interval(
    name: str, noisy: NDArray[np.integer], unit: StatisticUnit, *, reach: int
) -> NDArray[np.float64]:
    """Return lower and upper end, shape (1, 2) or (bins, 2), of what the statistic can be if no noise exceeds `reach`.

    Of quotients by interval arithmetic over their two or three integers: for any true integers within reach, so that it holds
    at least as often as all noises keep within it (`together`). It is about noise alone: not about what clipping,
    steps and the choice of people do.
    """
    return np.stack(_shown(name, noisy.astype(np.float64), unit, reach=float(reach)), axis=-1)


def together(name: str, unit: StatisticUnit) -> int:
    """Return how many noises an interval of the statistic depends on."""
    return 1 if name == HISTOGRAM else size(name, bins=1, quotient=unit.divisor is None)


def _shown(
    name: str, noisy: NDArray[np.float64], unit: StatisticUnit, *, reach: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lower and upper end; equal where nothing reaches anywhere."""
    if name == VARIANCE or (name == MEAN and unit.divisor is None):
        return _quotient(name, noisy, unit, reach)
    centre = 0.0
    if name == MEAN:
        centre, step = centre_and_step(*unit.bounds)
        step /= unit.divisor or 1
    else:
        steps = {
            COUNT: 1 / PERSON_STEPS,
            SUM: sum_step(unit.bounds),
            HISTOGRAM: 1 / (HALF_RANGE * (unit.divisor or 1)),
        }
        step = steps[name]
    return centre + step * (noisy - reach), centre + step * (noisy + reach)


def _quotient(
    name: str, noisy: NDArray[np.float64], unit: StatisticUnit, reach: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    centre, half = centre_and_step(*unit.bounds)[0], (unit.bounds[1] - unit.bounds[0]) / 2
    weight = [max(float(noisy[1]) + sign * reach, float(HALF_RANGE)) for sign in (-1, 1)]
    low, high = _ratio(float(noisy[0]), weight, reach)
    if name == MEAN:
        return np.array([centre + half * low]), np.array([centre + half * high])
    least, most = _ratio(float(noisy[2]), weight, reach)
    squared = sorted((low * low, high * high))
    smallest = 0.0 if low < 0 < high else squared[0]
    ends = ((least + 1) / 2 - squared[1], (most + 1) / 2 - smallest)
    first, last = (half * half * min(max(end, 0.0), 1.0) for end in ends)
    return np.array([first]), np.array([last])


def _ratio(above: float, weight: list[float], reach: float) -> tuple[float, float]:
    """The ends of what a quotient in [−1, 1] can be."""
    corners = [(above + sign * reach) / below for sign in (-1, 1) for below in weight]
    low, high = min(corners), max(corners)
    return min(max(low, -1.0), 1.0), min(max(high, -1.0), 1.0)


def quantile_value(
    chosen: NDArray[np.integer], bounds: tuple[float, float], steps: int
) -> NDArray[np.float64]:
    """Return the middle of the interval that was chosen, the bounds being divided into `steps` of equal width, of the same shape and in the unit of the bounds."""
    low, high = bounds
    return low + (high - low) / steps * (chosen.astype(np.float64) + 0.5)
