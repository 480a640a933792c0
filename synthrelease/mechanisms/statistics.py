"""Private statistics of features: count, mean, histogram, by one discrete Laplace release.

Claim: `statistics.proof.md`. However many rows a person has, they contribute one aggregate per statistic and
feature, in steps of which every statistic alone has the same sensitivity: so all are one integer vector, and
one scale of noise serves them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import Features
from synthrelease.maths.binning import bin_numbers, equal_width_edges, shares_of_people
from synthrelease.maths.derived import COUNT, HISTOGRAM, MEAN, PERSON_STEPS
from synthrelease.maths.derived import statistic as derived_statistic
from synthrelease.maths.steps import HALF_RANGE, to_steps
from synthrelease.maths.stored import stored
from synthrelease.noise.addition import noised
from synthrelease.noise.entropy import WordSource
from synthrelease.privacy.budget import LAPLACE, Budget, calibrated
from synthrelease.privacy.event import DiscreteLaplace
from synthrelease.privacy.guarantee import Neighbours
from synthrelease.privacy.sensitivity import Sensitivity, statistics


@dataclass(frozen=True)
class StatisticsParameters:
    """The public parameters of a statistics output.

    Attributes:
        statistics: "count", "mean", "histogram", or some of them; each is released for every feature.
        features: number of features.
        bins: bins of a histogram, of equal width over the public bounds.
        neighbours: the neighbouring relation.
        people: n, public under replace-one; None under add-remove-one.
    """

    statistics: tuple[str, ...]
    features: int
    bins: int
    neighbours: Neighbours
    people: int | None

    def sensitivity(self) -> Sensitivity:
        """Return the sensitivity of all statistics of all features together."""
        return statistics(self.statistics, features=self.features, neighbours=self.neighbours)

    def size(self, statistic: str) -> int:
        """Return how many integers one statistic of one feature releases."""
        if statistic == HISTOGRAM:
            return self.bins
        return 2 if statistic == MEAN and self.people is None else 1


def calibrate(parameters: StatisticsParameters, budget: Budget) -> DiscreteLaplace:
    """Return the event of the output."""
    count = parameters.features * sum(parameters.size(s) for s in parameters.statistics)
    event = calibrated(LAPLACE, parameters.sensitivity(), budget, count=count)
    assert isinstance(event, DiscreteLaplace)
    return event


def release(
    data: Features, parameters: StatisticsParameters, budget: Budget, *, random: WordSource
) -> tuple[dict[tuple[str, ...], NDArray[np.generic]], DiscreteLaplace]:
    """Return, for every statistic and feature, the noised integers and the value derived from them.

    Args:
        data: rows of all people.
        parameters: the public parameters.
        budget: ε of the whole output, for a person.
        random: where the noise comes from.

    Returns:
        Arrays under (statistic, feature, "noised") and (statistic, feature, "value"), shape (1,) or (bins,);
        and the event.
    """
    event = calibrate(parameters, budget)
    # Under add-remove-one the bound must not depend on n, not even through the type of the result.
    largest = 2**45 if parameters.people is None else parameters.people * PERSON_STEPS
    values: dict[tuple[str, ...], NDArray[np.generic]] = {}
    for statistic in parameters.statistics:
        exact = contributions(statistic, data, parameters).sum(axis=0)
        noisy = noised(exact, event, largest=largest, random=random)
        for f, feature in enumerate(data.features):
            values[statistic, feature, "noised"] = noisy[f]
            values[statistic, feature, "value"] = stored(
                derived_statistic(
                    statistic,
                    noisy[f],
                    bounds=data.limits(f),
                    people=parameters.people,
                )
            )
    return values, event


def contributions(statistic: str, data: Features, parameters: StatisticsParameters) -> NDArray[np.int64]:
    """Return each person's integers, shape (people, features, size); zero for a person without values."""
    out = np.zeros((data.people, parameters.features, parameters.size(statistic)), dtype=np.int64)
    for f in range(parameters.features):
        there = ~np.isnan(data.values[:, f])
        person, value = data.person[there], data.values[there, f]
        rows = np.bincount(person, minlength=data.people)
        if statistic == COUNT:
            out[:, f, 0] = PERSON_STEPS * (rows > 0)
        elif statistic == MEAN:
            steps = to_steps(value[:, None], data.bounds[f : f + 1])[:, 0]
            total = np.zeros(data.people, dtype=np.int64)
            np.add.at(total, person, steps)  # integers: the order of the rows does not matter
            out[:, f, 0] = np.sign(total) * (np.abs(total) // np.maximum(rows, 1))
            if parameters.people is None:
                out[:, f, 1] = HALF_RANGE * (rows > 0)
        else:
            edges = equal_width_edges(*data.limits(f), parameters.bins)
            who, number, share = shares_of_people(
                person, bin_numbers(value, edges), parameters.bins, HALF_RANGE
            )
            out[who, f, number] = share
    return out
