"""Steps, quotients and quantiles of statistics: functions of integers and public numbers. H is `HALF_RANGE`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.steps import HALF_RANGE

COUNT, SUM, MEAN, VARIANCE, HISTOGRAM = "count", "sum", "mean", "variance", "histogram"
QUANTILE, MEDIAN = "quantile:", "quantile:0.5"
PERSON_STEPS = 2 * HALF_RANGE  # what one person weighs in a count


@dataclass(frozen=True)
class StatisticUnit:
    """What the integers of a statistic of one feature, in one group, stand for."""

    bounds: tuple[float, float]  # of the feature
    people: int | None  # n, if it is public
    grouped: bool = False  # whether people are counted in groups, whose sizes are private whatever n is
    everyone: bool = False  # whether the plan declares that everyone is in every group

    @property
    def divisor(self) -> int | None:
        """The public number that means and histograms are divided by, or None: means are then quotients."""
        return None if self.grouped and not self.everyone else self.people


def quantile(name: str) -> Fraction | None:
    """Return p of "quantile:p", the fraction that the text is; None for another statistic."""
    return Fraction(name.removeprefix(QUANTILE)) if name.startswith(QUANTILE) else None


def fraction(name: str) -> Fraction:
    """Return p of "quantile:p", above 0 and below 1; ValueError of another statistic."""
    p = quantile(name)
    if p is None or not 0 < p < 1:
        raise ValueError("Expected quantile:p with 0 < p < 1, found another statistic")
    return p


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


def ratio(
    above: NDArray[np.float64], below: NDArray[np.float64], reach: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of what quotients in [−1, 1] can be if neither of their noisy integers is off by more than `reach`, of the same shape.

    What divides is H at least, one person: by interval arithmetic, so that it holds at least as often as both noises keep within reach.
    """
    weights = [np.maximum(below + sign * reach, float(HALF_RANGE)) for sign in (-1, 1)]
    corners = [(above + sign * reach) / weight for sign in (-1, 1) for weight in weights]
    low, high = (choose.reduce(corners) for choose in (np.minimum, np.maximum))
    return np.clip(low, -1.0, 1.0), np.clip(high, -1.0, 1.0)


def proportion(
    noisy: NDArray[np.float64], whole: int, reach: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of what proportions of a public whole in [−1, 1] can be if their noisy integers are not off by more than `reach`, of the same shape."""
    low, high = (np.clip((noisy + sign * reach) / whole, -1.0, 1.0) for sign in (-1, 1))
    return low, high


def quantile_value(
    chosen: NDArray[np.integer], bounds: tuple[float, float], steps: int
) -> NDArray[np.float64]:
    """Return the middle of the interval that was chosen, the bounds being divided into `steps` of equal width, of the same shape and in the unit of the bounds."""
    low, high = bounds
    return low + (high - low) / steps * (chosen.astype(np.float64) + 0.5)
