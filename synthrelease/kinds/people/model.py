"""The population that synthetic people are drawn from, as a release has it: anyone may draw more, at no cost of privacy (`people.proof.md`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.kinds.parameters import deviation_of
from synthrelease.kinds.people.fitting import Dependence
from synthrelease.kinds.people.rounds import Rounds
from synthrelease.kinds.people.sampler import normal_scores, probabilities
from synthrelease.kinds.people.scores import Scale
from synthrelease.numerics.public_draws import PublicDraws

if TYPE_CHECKING:
    from synthrelease.dp.event import Event
    from synthrelease.kinds.people.public import PeopleParameters

Numbers = NDArray[np.float64]
_POSTERIOR = 2**63  # the stream of posterior draws; those below are people's


@dataclass(frozen=True)
class Population:
    """Marginals and dependence of a release; synthetic people of it are not participants.

    Attributes:
        scales: the features' public ranges.
        density: probability of each bin, shape (F, M).
        dependence: of the normal numbers that values are quantiles of.
        windows: of a person in each recording.
    """

    scales: tuple[Scale, ...]
    density: Numbers
    dependence: Dependence
    windows: int

    def sample(self, *, people: int, seed: int = 0) -> Numbers:
        """Return synthetic people, shape (people, recordings, windows, features), in the features' units.

        Args:
            people: how many.
            seed: public; the bundle's own people have its `sampling_seed`.
        """
        return self.numbered(0, people, seed=seed)

    def numbered(self, start: int, stop: int, *, seed: int) -> Numbers:
        """Return the people number `start` … `stop` − 1 of a seed, in the features' units, shape (people, recordings, windows, features)."""
        scores = normal_scores(self.dependence, windows=self.windows, seed=seed, start=start, stop=stop)
        probability = probabilities(scores)
        values = [scale.values(probability[..., f], self.density[f]) for f, scale in enumerate(self.scales)]
        return np.stack(values, axis=-1)


@dataclass(frozen=True)
class ReleasedPopulation(Population):
    """The population of a release, and its noisy sums: what else they leave possible.

    Attributes:
        rounds: the three rounds, with the release's noise.
        sums: integers of the three rounds, shape (F, K), (F, K) and (size,).
    """

    rounds: Rounds
    sums: tuple[NDArray[np.integer], ...]

    def posterior(self, *, draws: int, seed: int = 0) -> list[Population]:
        """Return populations that the release leaves possible, given its noise and that participants are a sample; dimensionless.

        Run your analysis on a large sample of each: the standard deviation of its results is about the standard error of the result, at no cost of privacy
        (`people.proof.md`: approximate, with measured coverage; Räisä et al. 2023).

        Args:
            draws: how many, 20 or more for intervals.
            seed: public.
        """
        random = PublicDraws(seed, _POSTERIOR)
        return [
            Population(
                self.scales, *self.rounds.possible(self.sums, self.scales, self.windows, random), self.windows
            )
            for _ in range(draws)
        ]


def released_model(
    parameters: PeopleParameters, event: Event, arrays: Mapping[str, NDArray[Any]]
) -> ReleasedPopulation:
    """Return the population that a release's people are drawn from; arrays in their datasets' shapes and units. ValueError if no one can be."""
    density, *dependence = (arrays[path] for path in parameters.population_paths)
    known = parameters.population(density, dependence)
    known.sample(people=1)  # ValueError of values that no one can be drawn from
    sums = tuple(arrays[path] for path in parameters.sum_paths)
    return ReleasedPopulation(
        known.scales,
        known.density,
        known.dependence,
        known.windows,
        parameters.rounds(deviation_of(event)),
        sums,
    )
