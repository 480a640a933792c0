"""What the noisy sums of the three rounds say: means of people, how sure they are, and the marginals that follow.

In every round a person is y = clip((v − centre) ∘ weights) of a radius of its own; the sum of all has noise of one scale. All here
follows from released integers and public numbers (`people.proof.md`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from synthrelease.kinds.people.design import PeopleDesign, by_number, fine_round
from synthrelease.kinds.people.fitting import Dependence, Usual, contrast_squares, dependence_of
from synthrelease.kinds.people.form import CONTRASTS, KEPT, PeopleForm
from synthrelease.kinds.people.pilot import Pilot
from synthrelease.kinds.people.scores import Scale
from synthrelease.numerics import hermite
from synthrelease.numerics.array_key import ArrayKey
from synthrelease.numerics.log_density import Densities, Others, densities
from synthrelease.numerics.public_draws import PublicDraws

Numbers = NDArray[np.float64]
Integers = NDArray[np.integer]

_MOST_RESULTS = 4  # that are kept: several datasets follow from each, item by item
_KEPT = 0.95  # of a mean, after clipping, as a rule
_KEPT_SPREAD, _LEAST_KEPT = 0.12, 0.2  # of the third round's: before it is known, and at least
_DOUBT, _DOUBT_OF_RISK = 0.02, 0.1  # of the variance of scores, and more by what is unknown of marginals
OF_PEOPLE = 0.5  # of s²/n, the variance of a mean of coefficients: people differ less than their squares


@dataclass(frozen=True)
class Mean:
    """The mean of people that a noisy sum says, and the variance of its noise, dimensionless, of one shape."""

    value: Numbers
    noise: Numbers


@dataclass(frozen=True)
class Rounds:
    """The rounds of an output, with noise of one standard deviation."""

    form: PeopleForm
    design: PeopleDesign
    people: int
    deviation: float  # of the noise, in grid units
    pilot: Pilot | None = None

    @property
    def coarse_weights(self) -> Numbers:
        """Of the first vector, shape (F, K)."""
        return np.tile(np.array(self.design.coarse_weights), (self.form.features, 1))

    @property
    def coarse_centre(self) -> Numbers:
        """Of the first vector, shape (F, K): what a pilot says, or 0."""
        if self.pilot is None:
            return np.zeros((self.form.features, self.form.cosines))
        return self.pilot.centre(self.form)

    @property
    def others(self) -> Others | None:
        """The pilot's densities."""
        return None if self.pilot is None else self.pilot.others

    @property
    def dependence_weights(self) -> Numbers:
        """Of the third vector, shape (size,)."""
        return by_number(self.form, self.design.block_weights)

    @property
    def dependence_centre(self) -> Numbers:
        """Of the third vector, shape (size,)."""
        return by_number(self.form, self.design.block_centres)

    @property
    def dependence_squares(self) -> Numbers:
        """Expected squares of a person's numbers in the third vector, shape (size,)."""
        return by_number(self.form, self.design.block_squares)

    def unit_noise(self, number: int) -> float:
        """Return the variance of the noise of a mean of weight 1 in a round."""
        return (self.deviation / (self.people * self.design.radii[number])) ** 2

    def fine_round(self, coarse: Densities) -> tuple[Numbers, Numbers, Numbers]:
        """Return centre, weights and expected squares of the second round, shape (F, K) each."""
        return fine_round(coarse, self.form, noise=self.unit_noise(1))

    def coarse(self, noisy: Integers) -> Densities:
        """Return marginals after the first round, of its integers, shape (F, K)."""
        return _coarse(self, ArrayKey(noisy))

    def coarse_means(self, noisy: Integers) -> tuple[Numbers, Numbers]:
        """Return mean coefficients of the first round and the variance of their errors, shape (F, K) each."""
        mean = self._mean(noisy, 0, self.coarse_centre, self.coarse_weights)
        of_people = OF_PEOPLE * np.array(self.design.coarse_squares) / self.people
        return mean.value, mean.noise + of_people

    def marginals(self, noisy_coarse: Integers, noisy_fine: Integers) -> Densities:
        """Return marginals after the second round, of both rounds' integers, shape (F, K) each."""
        return _marginals(self, ArrayKey(noisy_coarse), ArrayKey(noisy_fine))

    def both_means(self, noisy_coarse: Integers, noisy_fine: Integers) -> tuple[Numbers, Numbers]:
        """Return mean coefficients of both rounds and the variance of their errors, shape (F, K) each."""
        first, first_variance = self.coarse_means(noisy_coarse)
        centre, weights, squares = self.fine_round(self.coarse(noisy_coarse))
        second = self._mean(noisy_fine, 1, centre, weights)
        second_variance = second.noise + OF_PEOPLE * squares / self.people
        variance = 1 / (1 / first_variance + 1 / second_variance)
        mean = variance * (first / first_variance + second.value / second_variance)
        return mean, variance

    def dependence(
        self, noisy: Integers, density: Numbers, scales: Sequence[Scale], windows: int
    ) -> Dependence:
        """Return how values hang together.

        Args:
            noisy: integers of the third round, shape (size,).
            density: released marginals, probabilities of bins, shape (F, M).
            scales: the features' ranges.
            windows: of a person in a recording, nominally.
        """
        return _dependence(self, ArrayKey(noisy), ArrayKey(density), tuple(scales), windows)

    def possible(
        self, sums: Sequence[Integers], scales: Sequence[Scale], windows: int, random: PublicDraws
    ) -> tuple[Numbers, Dependence]:
        """Return marginals, shape (F, M), and dependence that noise and the sampling of people leave possible, at random.

        Args:
            sums: integers of the three rounds.
            scales: the features' ranges.
            windows: of a person in a condition, nominally.
            random: draws them.
        """
        means, variance = self.both_means(*sums[:2])
        drawn = means + np.sqrt(variance) * random.normal(means.shape)
        density = densities(drawn, variance, self.form.bins, self.others).density
        return density, _fitted(self, sums[2], density, scales, windows, random=random)

    def kept(self, noisy: Integers) -> tuple[float, float]:
        """Return what clipping leaves of the third round's vectors, on average, and the variance of what is known of it: two dimensionless numbers.

        Args:
            noisy: integers of the third round, shape (size,).
        """
        place = self.form.places[KEPT]
        said = self._mean(noisy[place], 2, np.zeros(1), self.dependence_weights[place], kept=1.0)
        variance = 1 / (1 / float(said.noise[0]) + 1 / _KEPT_SPREAD**2)
        mean = variance * (float(said.value[0]) / float(said.noise[0]) + _KEPT / _KEPT_SPREAD**2)
        return min(max(mean, _LEAST_KEPT), 1.0), variance

    def dependence_means(self, noisy: Integers) -> tuple[Numbers, Numbers]:
        """Return the mean third vector and the variance of its errors, shape (size,) each."""
        kept, _ = self.kept(noisy)
        mean = self._mean(noisy, 2, self.dependence_centre, self.dependence_weights, kept=kept)
        return mean.value, mean.noise + self.dependence_squares / self.people

    def contrasts(self, noisy: Integers) -> Numbers:
        """Return differences of conditions from the first, not shrunk, and their standard errors, shape (2, C − 1, F)."""
        kept, of_kept = self.kept(noisy)
        mean = self._mean(noisy, 2, self.dependence_centre, self.dependence_weights, kept=kept)
        shape = self.form.conditions - 1, self.form.features
        contrasts, noise = (
            self.form.blocks(part)[CONTRASTS].reshape(shape) for part in (mean.value, mean.noise)
        )
        squares = contrast_squares(*self.dependence_means(noisy), self.form)
        values = self.form.differences @ contrasts
        of_people = self.form.differences**2 @ (noise + squares / self.people)
        # Clipping takes 1 − kept of the number 1, and of a contrast nothing to twice as much.
        of_clipping = values**2 * (of_kept / kept**2 + (1 - kept) ** 2)
        return np.stack([values, np.sqrt(of_people + of_clipping)])

    def _mean(
        self, noisy: Integers, number: int, centre: Numbers, weights: Numbers, *, kept: float = _KEPT
    ) -> Mean:
        unit = self.design.radii[number] * weights * self.people * kept
        return Mean(noisy / unit + centre, (self.deviation / unit) ** 2)


@lru_cache(maxsize=_MOST_RESULTS)
def _coarse(rounds: Rounds, noisy: ArrayKey) -> Densities:
    return densities(*rounds.coarse_means(noisy.array), rounds.form.bins, rounds.others)


@lru_cache(maxsize=_MOST_RESULTS)
def _marginals(rounds: Rounds, coarse: ArrayKey, fine: ArrayKey) -> Densities:
    return densities(*rounds.both_means(coarse.array, fine.array), rounds.form.bins, rounds.others)


@lru_cache(maxsize=_MOST_RESULTS)
def _dependence(
    rounds: Rounds, noisy: ArrayKey, density: ArrayKey, scales: tuple[Scale, ...], windows: int
) -> Dependence:
    return _fitted(rounds, noisy.array, density.array, scales, windows)


def _fitted(
    rounds: Rounds,
    noisy: Integers,
    density: Numbers,
    scales: Sequence[Scale],
    windows: int,
    *,
    random: PublicDraws | None = None,
) -> Dependence:
    normal = hermite.nodes()
    scores = [
        scale.scores_of_normal(normal, marginal) for scale, marginal in zip(scales, density, strict=True)
    ]
    of_normal = hermite.coefficients(np.stack(scores))
    mean, variance = rounds.dependence_means(noisy)
    doubt = _DOUBT + _DOUBT_OF_RISK * rounds.design.marginal_risk
    form, pilot = rounds.form, rounds.pilot
    usual = None if pilot is None else Usual.of_pilot(np.array(pilot.dependence), form)
    return dependence_of(mean, variance, form, windows, of_normal, doubt=doubt, usual=usual, random=random)
