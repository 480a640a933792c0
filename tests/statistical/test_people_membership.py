"""The strongest attack on synthetic people, played in whole releases: given what earlier rounds released, the ratio of all rounds is normal as the evaluation has it.

With d the distance of what two people add, in standard deviations of the noise, the log-likelihood ratio of a release with the one is N(d²/2, d²).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import made_people
import numpy as np
import pytest
from made_people import MADE, PEOPLE, ROUNDS, mechanism
from numpy.typing import NDArray
from scipy.stats import chi2, norm

from synthrelease.dp.budget import Budget
from synthrelease.dp.event import noise_of
from synthrelease.dp.noise import SecureRandom

BUDGET = Budget(3.0, 1e-5)
RELEASES = 60
ALARM = 1e-9


class Game(NamedTuple):
    """Releases with one of two people; of each round what is in the direction in which the two differ, in standard deviations of the noise."""

    noise: NDArray[np.float64]  # that a release has there, shape (releases, rounds)
    distance: NDArray[np.float64]  # of what the two add, of the same shape

    @property
    def ratio(self) -> NDArray[np.float64]:
        """Log-likelihood ratio of who was in it against the other, of all rounds together, shape (releases,)."""
        return np.asarray((self.noise * self.distance + self.distance**2 / 2).sum(axis=1))


@cache
def played() -> Game:
    crowd = MADE.ordinary(PEOPLE - 1, seed=3)
    people = [MADE.person(np.full(made_people.WINDOWS, u)) for u in (-0.9, 0.9)]
    random = SecureRandom.for_tests(17)
    left, distances = [], []
    for number in range(RELEASES):
        one, other = (made_people.collected([*crowd, people[(number + turn) % 2]]) for turn in (0, 1))
        drawn = mechanism().draw(one, BUDGET, random)
        noise = noise_of(drawn.event)
        assert noise is not None
        with_one, with_other = (
            mechanism().exact_after(rows, drawn.arrays, drawn.event) for rows in (one, other)
        )
        apart = [(with_one[path] - with_other[path]).ravel() / noise.scale for path in ROUNDS]
        rest = [(drawn.arrays[path] - with_one[path]).ravel() / noise.scale for path in ROUNDS]
        lengths = [float(np.linalg.norm(difference)) for difference in apart]
        left.append([noisy @ way / length for noisy, way, length in zip(rest, apart, lengths, strict=True)])
        distances.append(lengths)
    return Game(np.array(left), np.array(distances))


def is_normal(values: NDArray[np.float64]) -> bool:
    """Whether they may be standard normal ones."""
    low, high = chi2.ppf([ALARM / 4, 1 - ALARM / 4], len(values))
    mean = abs(values.mean()) * np.sqrt(len(values))
    return bool(mean < norm.isf(ALARM / 4) and low < (values**2).sum() < high)


@pytest.mark.thorough
def test_the_ratio_of_all_rounds_is_normal() -> None:
    game = played()
    squared = (game.distance**2).sum(axis=1)
    standardised = (game.ratio - squared / 2) / np.sqrt(squared)
    assert is_normal(standardised)
    assert is_normal(game.noise.ravel())
    # Controls: noise of twice the deviation, and a distance that is not that of the two.
    assert not is_normal(2 * standardised)
    assert not is_normal(standardised + 1)


@pytest.mark.thorough
def test_the_rounds_of_one_release_stand_for_those_of_others() -> None:
    """How often the attacker is right hardly depends on what earlier rounds released, and never exceeds the bound."""
    right = norm.cdf(np.sqrt((played().distance ** 2).sum(axis=1)) / 2)
    noise = noise_of(made_people.event(BUDGET))
    assert noise is not None
    assert right.max() <= norm.cdf(noise.sensitivity / noise.scale / 2)
    assert 0 < right.std() < 0.03
    assert right.mean() > 0.55
