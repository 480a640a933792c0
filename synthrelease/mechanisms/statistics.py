"""Private statistics of features: count, sum, mean, variance, histogram, by one noised integer vector; quantiles by choices.

Claim: `statistics.proof.md`. However many rows a person has in a group, they contribute one aggregate per statistic and
feature there, in integers: all are one vector of one sensitivity, and one scale of noise serves them.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import Features
from synthrelease.maths.binning import bin_numbers, equal_width_edges, shares_of_people
from synthrelease.maths.statistics import (
    COUNT,
    HISTOGRAM,
    MEAN,
    PERSON_STEPS,
    SUM,
    VARIANCE,
    StatisticUnit,
    interval,
    quantile_value,
    size,
    squares,
    to_sum_steps,
    together,
    value,
)
from synthrelease.maths.statistics import quantile as quantile_of
from synthrelease.maths.steps import HALF_RANGE
from synthrelease.maths.stored import stored
from synthrelease.mechanisms import quantiles
from synthrelease.mechanisms.collected import Sums
from synthrelease.mechanisms.grouped_rows import Cell, cell, counted_groups, steps_of
from synthrelease.mechanisms.quantiles import QuantileParameters
from synthrelease.noise.addition import noised
from synthrelease.noise.entropy import SecureRandom
from synthrelease.privacy.budget import LAPLACE, Budget, calibrated
from synthrelease.privacy.event import Composed, Event, noise_of
from synthrelease.privacy.guarantee import Neighbours
from synthrelease.privacy.noise_error import reach
from synthrelease.privacy.sensitivity import Sensitivity, statistics

Arrays = dict[tuple[str, ...], NDArray[np.generic]]
INTERVALS = "intervals"  # of quantiles; no statistic has this name


@dataclass(frozen=True)
class StatisticsParameters:
    """The public parameters of a statistics output.

    Attributes:
        statistics: "count", "sum", "mean", "variance", "histogram", "quantile:p"; each is released for every feature.
        bounds: of every feature, public, in its unit.
        bins: bins of a histogram, of equal width over the public bounds.
        neighbours: the neighbouring relation.
        people: n, public under replace-one; None under add-remove-one.
        noise: "laplace" or "gaussian".
        by: the column whose labels are groups, or `RECORDING`; None for no groups.
        groups: names of the groups, public; none for no groups.
        max_groups: M, in how many of them a person counts.
        quantile_steps: intervals that a quantile is chosen from, of equal width over the public bounds.
        quantile_share: part of ε that all quantiles take together; None for as much as other statistics take.
    """

    statistics: tuple[str, ...]
    bounds: tuple[tuple[float, float], ...]
    bins: int
    neighbours: Neighbours
    people: int | None
    noise: str = LAPLACE
    by: str | None = None
    groups: tuple[str, ...] = ()
    max_groups: int = 1
    quantile_steps: int = 256
    quantile_share: float | None = None

    @property
    def features(self) -> int:
        """Number of features."""
        return len(self.bounds)

    @property
    def noised(self) -> tuple[str, ...]:
        """The statistics that are noised integers."""
        return tuple(name for name in self.statistics if quantile_of(name) is None)

    @property
    def quantiles(self) -> QuantileParameters:
        """Those that are chosen."""
        chosen = tuple(name for name in self.statistics if quantile_of(name) is not None)
        return QuantileParameters(
            chosen,
            self.features,
            self.quantile_steps,
            len(self.groups) or 1,
            self.max_groups,
            self.neighbours,
        )

    def sensitivity(self) -> Sensitivity:
        """Return the sensitivity of all noised statistics of all features and groups together."""
        return statistics(
            self.noised,
            bounds=self.bounds,
            neighbours=self.neighbours,
            groups=None if self.by is None else len(self.groups),
            max_groups=self.max_groups,
        )

    def unit(self, bounds: tuple[float, float]) -> StatisticUnit:
        """Return what the integers of a feature stand for."""
        return StatisticUnit(bounds, self.people, self.by is not None)

    def size(self, statistic: str) -> int:
        """Return how many integers one statistic of one feature of one group releases."""
        quotient = self.people is None or self.by is not None
        return size(statistic, bins=self.bins, quotient=quotient)

    def split(self, budget: Budget) -> tuple[float, Budget]:
        """Return ε of every choice of a quantile, and what is left for the noise; with the choices it adds up.

        Every name in the list takes the same part of ε, all quantiles together `quantile_share` if it is given.
        """
        choices = self.quantiles.choices
        if not choices:
            return 0.0, budget
        part = (len(self.statistics) - len(self.noised)) / len(self.statistics)
        share = (part if self.quantile_share is None else self.quantile_share) if self.noised else 1.0
        each = share * budget.epsilon / choices
        return each, Budget(budget.epsilon - each * choices, budget.delta)


def calibrate(parameters: StatisticsParameters, budget: Budget) -> Event:
    """Return the event of the output: noise, choices, or both.

    Raises:
        PolicyError: ε is too small for them.
    """
    p = parameters
    epsilon, left = p.split(budget)
    events: list[Event] = []
    if p.noised:
        integers = sum(p.size(name) for name in p.noised)
        count = (len(p.groups) or 1) * p.features * integers
        events.append(calibrated(p.noise, p.sensitivity(), left, count=count))
    events += quantiles.calibrate(p.quantiles, epsilon)
    return events[0] if len(events) == 1 else Composed(tuple(events))


def release(
    data: Features, parameters: StatisticsParameters, budget: Budget, *, random: SecureRandom
) -> tuple[Arrays, Event]:
    """Return, for every statistic, group and feature, what was released of it and what follows from that.

    Args:
        data: rows of all people.
        parameters: the public parameters.
        budget: ε and δ of the whole output, for a person.
        random: where noise and choices come from.

    Returns:
        Arrays under (statistic, feature, what), or (statistic, group, feature, what). What is "noised", "value" and
        "interval", of shapes (K,), (1,) or (bins,), and (1, 2) or (bins, 2): integers, and values in people or the feature's unit; of quantiles "chosen" and "value". And the event.
    """
    drawn, event = draw(collect(data, parameters), parameters, budget, random=random)
    return statistics_of(drawn, data.features, parameters, event), event


def collect(data: Features, parameters: StatisticsParameters) -> Sums:
    """Return what some people contribute to every statistic; for quantiles, how many there are in each interval."""
    p = parameters
    sums = {name: totals(name, data, p) for name in p.noised}
    if p.quantiles.names:
        group = counted_groups(data, by=p.by, groups=len(p.groups), max_groups=p.max_groups)
        sums[INTERVALS] = quantiles.people_per_interval(data, group, p.quantiles)
    return Sums(sums)


def draw(
    collected: Sums, parameters: StatisticsParameters, budget: Budget, *, random: SecureRandom
) -> tuple[dict[str, NDArray[np.integer]], Event]:
    """Return of every statistic the noised integers, shape (groups, features, size), or the intervals chosen; and the event."""
    p = parameters
    event = calibrate(p, budget)
    noise = noise_of(event)
    drawn: dict[str, NDArray[np.integer]] = {}
    for name in p.noised:
        assert noise is not None
        # Under add-remove-one the bound must not depend on n, not even through the type of the result.
        largest = 2**45 if p.people is None else p.people * PERSON_STEPS
        drawn[name] = noised(collected[name], noise, largest=largest, random=random)
    if p.quantiles.names:
        epsilon, _ = p.split(budget)
        drawn |= quantiles.choose(collected[INTERVALS], p.quantiles, epsilon, random=random)
    return drawn, event


def statistics_of(
    drawn: Mapping[str, NDArray[np.integer]],
    features: Sequence[str],
    parameters: StatisticsParameters,
    event: Event,
) -> Arrays:
    """Return the arrays of a release, of the shapes and units of `release`, that has these noised integers and chosen intervals."""
    p, noise = parameters, noise_of(event)
    values: Arrays = {}
    for name, g, f in itertools.product(p.statistics, range(len(p.groups) or 1), range(p.features)):
        at = (name, *p.groups[g : g + 1], features[f])
        own, unit = drawn[name][g, f], p.unit(p.bounds[f])
        if quantile_of(name) is None:
            assert noise is not None
            far = reach(noise, together=together(name, unit))
            values[*at, "noised"] = own
            values[*at, "value"] = stored(value(name, own, unit))
            values[*at, "interval"] = stored(interval(name, own, unit, reach=far))
        else:
            values[*at, "chosen"] = own
            values[*at, "value"] = stored(quantile_value(own, p.bounds[f], p.quantile_steps))
    return values


def totals(statistic: str, data: Features, parameters: StatisticsParameters) -> NDArray[np.int64]:
    """Return the sum of all people's integers, shape (groups, features, size), exact.

    Work grows with the rows, not with people × groups.
    """
    p = parameters
    groups = len(p.groups) or 1
    group = counted_groups(data, by=p.by, groups=groups, max_groups=p.max_groups)
    out = np.zeros((groups, p.features, p.size(statistic)), dtype=np.int64)
    for f in range(p.features):
        own = cell(data, f, group, groups)
        if statistic == HISTOGRAM:
            edges = equal_width_edges(*data.limits(f), p.bins)
            who, number, share = shares_of_people(
                own.owner, bin_numbers(own.values, edges), p.bins, HALF_RANGE
            )
            np.add.at(out[:, f], (own.group[who], number), share)
        else:
            np.add.at(out[:, f], own.group, _moments(statistic, own, data, f, p))
    return out


def _moments(
    statistic: str, own: Cell, data: Features, feature: int, p: StatisticsParameters
) -> NDArray[np.int64]:
    """The integers of everybody with a value, shape (owners, size)."""
    if statistic == COUNT:
        return np.full((len(own.group), 1), PERSON_STEPS)
    if statistic == SUM:
        return own.means(to_sum_steps(own.values, data.limits(feature)))[:, None]
    mean = own.means(steps_of(own, data, feature))
    weight = np.full_like(mean, HALF_RANGE)
    moments = {MEAN: (mean, weight), VARIANCE: (mean, weight, squares(mean))}[statistic]
    return np.stack(moments[: p.size(statistic)], axis=1)
