"""Private statistics of features: count, sum, mean, variance, histogram, by one noisy integer vector; quantiles by choices.

Claim: `statistics.proof.md`. However many rows a person has in a group, they contribute one aggregate per statistic and
feature there, in integers: all are one vector of one sensitivity, and one scale of noise serves them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import FeatureData
from synthrelease.data.losses import Loss, Reason
from synthrelease.dp.budget import LEAST_EPSILON, Budget
from synthrelease.dp.event import Composed, Event, PrivateChoice, noise_of
from synthrelease.dp.noise.entropy import SecureRandom
from synthrelease.errors import PolicyError
from synthrelease.files.labels import quoted
from synthrelease.kinds.contributions import Sums
from synthrelease.kinds.dataset import Array
from synthrelease.kinds.measured import measured_values
from synthrelease.kinds.mechanism import Drawn, Mechanism
from synthrelease.kinds.statistics import accuracy, quantiles
from synthrelease.kinds.statistics.grouped_rows import cell, counted_groups, people_in_order
from synthrelease.kinds.statistics.noisy import NOISY_STATISTICS
from synthrelease.kinds.statistics.public import StatisticsParameters

_INTERVALS = "intervals"  # of quantiles, among what is collected
_ABSENT = "(one for each participant in each group) are missing and count as the midpoint of its bounds"


@dataclass(frozen=True, kw_only=True)
class StatisticsMechanism(Mechanism[StatisticsParameters]):
    """Statistics with one noise for all, and quantiles that are chosen."""

    quantile_share: float | None = None  # of ε, for all quantiles; None for as much as the others take

    @property
    def takes_budget(self) -> bool:
        """Whether anything in it is paid for: choices are."""
        return True

    def split(self, budget: Budget) -> tuple[float, Budget]:
        """Return ε of every choice of a quantile, and what is left for the noise; with the choices it adds up.

        Every name in the list takes the same part of ε, all quantiles together `quantile_share` if it is given.
        """
        p = self.parameters
        choices = len(p.choices())
        if not choices:
            return 0.0, budget
        part = len(p.quantiles) / len(p.statistics)
        share = (part if self.quantile_share is None else self.quantile_share) if p.noisy else 1.0
        epsilon_each = share * budget.epsilon / choices
        return epsilon_each, Budget(budget.epsilon - epsilon_each * choices, budget.delta)

    def calibrate(self, budget: Budget | None) -> Event:
        """Return the event that a budget buys: noise, choices, or both.

        Raises:
            PolicyError: ε is too small for them.
        """
        assert budget is not None
        epsilon, noise_budget = self.split(budget)
        events: list[Event] = [self.calibrated_noise(noise_budget)] if self.parameters.noisy else []
        choices = self.parameters.choices()
        if choices and epsilon < LEAST_EPSILON:
            raise PolicyError(
                "budget-too-small",
                "the budget is too small for so many quantiles",
                found=f"ε = {epsilon:g} for each of {len(choices)}",
                expected=f"ε of at least {LEAST_EPSILON:g} for each",
                remedy="release fewer of them, of fewer features or groups",
            )
        events += [PrivateChoice(epsilon, candidates) for candidates in choices]
        return events[0] if len(events) == 1 else Composed(tuple(events))

    def table(self, data: Any) -> FeatureData:
        """Return the rows that people's aggregates are made of, with the features of the output."""
        features: FeatureData = data.only(self._names)
        return features

    def collect(self, data: Any) -> Sums:
        """Return what some people contribute to every statistic; for quantiles, how many there are in each interval."""
        p, data = self.parameters, self.table(data)
        group, groups = self._group(data), len(p.groups or [1])
        sums = {f"{name}/noisy": total for name, total in totals(p.noisy, data, group, p).items()}
        if p.quantiles:
            sums[_INTERVALS] = quantiles.people_per_interval(
                data, group, groups=groups, steps=p.quantile_steps
            )
        if p.groups is None:
            sums = {name: array[0] for name, array in sums.items()}
        return Sums(sums)

    def measured(self, data: Any) -> dict[str, int]:
        """Return how many values of each feature are of any use."""
        return measured_values(data, self._names, by=self.parameters.by)

    def losses(self, data: Any) -> tuple[Loss, ...]:
        """Return how many values are missing that the plan declares to be there."""
        p, rows = self.parameters, self.table(data)
        if not p.everyone_in_every_group:
            return ()
        group, groups = self._group(rows), len(p.groups or [1])
        declared = rows.people * groups
        return tuple(
            Loss(declared - cell(rows, f, group, groups).group.size, declared, _ABSENT, Reason.DROPPED, name)
            for f, name in enumerate(self._names)
        )

    def exact(self, collected: Sums) -> dict[str, Array]:
        """Return all sums, and the intervals where the quantiles truly lie."""
        best = {
            f"{quoted(name)}/chosen": quantiles.best_intervals(collected[_INTERVALS], name)
            for name in self.parameters.quantiles
        }
        return {**super().exact(collected), **best}

    def draw(self, collected: Sums, budget: Budget | None, random: SecureRandom) -> Drawn:
        """Draw on what all people contribute: the noise, then the choices."""
        assert budget is not None
        p, event = self.parameters, self.calibrate(budget)
        arrays: dict[str, Array] = {}
        if noise_of(event) is not None:
            arrays = self.with_noise(super().exact(collected), event, random)
        epsilon, _ = self.split(budget)
        for name in p.quantiles:
            sensitivity = p.quantile_sensitivity(name, self.neighbours)
            arrays[f"{quoted(name)}/chosen"] = quantiles.choose(
                collected[_INTERVALS], name, sensitivity=sensitivity, epsilon=epsilon, random=random
            )
        return Drawn(arrays, event, p)

    def prediction(
        self,
        event: Event,
        budget: Budget | None,  # noqa: ARG002
        people: int | None,
    ) -> tuple[str, str]:
        """Return the errors to expect, and the people at which they are within 5 % of the bounds."""
        return accuracy.prediction(self.parameters, event, people, neighbours=self.neighbours)

    def errors(self, event: Event) -> list[list[str]]:
        """Return a table, its head first, of the noise of every statistic in its unit."""
        noise = noise_of(event)
        return [] if noise is None else accuracy.errors_table(self.parameters, noise)

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(feature.name for feature in self.parameters.features)

    def _group(self, data: FeatureData) -> NDArray[np.int64]:
        p = self.parameters
        return counted_groups(data, by=p.by, groups=len(p.groups or [1]), max_groups=p.max_groups_per_person)


def totals(
    statistics: Iterable[str], data: FeatureData, group: NDArray[np.int64], parameters: StatisticsParameters
) -> dict[str, NDArray[np.int64]]:
    """Return the sums of all people's integers, by statistic, shape (groups, features, size) each, exact.

    Work grows with the rows, not with people × groups.

    Args:
        statistics: no quantiles.
        data: rows of some people, with the features of the output.
        group: that each row counts in, −1 for none, shape (N,).
        parameters: of the output.
    """
    p = parameters
    groups = len(p.groups or [1])
    out = {name: np.zeros((groups, len(p.features), p.size(name)), dtype=np.int64) for name in statistics}
    if not out:
        return out
    for rows, group_of_row in people_in_order(data, group):
        for f, feature in enumerate(p.features):
            values = cell(rows, f, group_of_row, groups)
            for name, total in out.items():
                NOISY_STATISTICS[name].add(total[:, f], values, p.unit(feature))
    return out
