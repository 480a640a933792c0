"""The population that synthetic people are drawn from, as a release has it: anyone may draw more, at no cost of privacy (`people.proof.md`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.kinds.people.fitting import Dependence
from synthrelease.kinds.people.sampler import normal_scores, probabilities
from synthrelease.kinds.people.scores import Scale

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Population:
    """Marginals and dependence of a release; synthetic people of it are not participants.

    Attributes:
        scales: the features' public ranges.
        density: probability of each bin, shape (F, M).
        dependence: of normal scores.
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
