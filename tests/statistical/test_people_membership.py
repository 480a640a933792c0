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
RELEASES = 150  # so many show if rounds were taken to follow from exact sums: then squares are twice as large
ALARM = 1e-9


class Game(NamedTuple):
    """Releases with one of two people."""

    ratio: NDArray[np.float64]  # log-likelihood, of who was in it against the other
    distance: NDArray[np.float64]  # of what the two add in this release, in standard deviations


@cache
def played() -> Game:
    crowd = MADE.ordinary(PEOPLE - 1, seed=3)
    people = [MADE.person(np.full(made_people.WINDOWS, u)) for u in (-0.9, 0.9)]
    noise = noise_of(made_people.event(BUDGET))
    assert noise is not None
    random = SecureRandom.for_tests(17)
    ratios, distances = [], []
    for number in range(RELEASES):
        one, other = (made_people.collected([*crowd, people[(number + turn) % 2]]) for turn in (0, 1))
        drawn = mechanism().draw(one, BUDGET, random)
        released, with_one, with_other = (
            np.concatenate([np.asarray(arrays[path], dtype=np.float64).ravel() for path in ROUNDS])
            for arrays in (
                drawn.arrays,
                *(mechanism().exact_after(rows, drawn.arrays, drawn.event) for rows in (one, other)),
            )
        )
        squares = [((released - sums) ** 2).sum() for sums in (with_one, with_other)]
        ratios.append((squares[1] - squares[0]) / 2 / noise.scale**2)
        distances.append(np.linalg.norm(with_one - with_other) / noise.scale)
    return Game(np.array(ratios), np.array(distances))


def is_normal(values: NDArray[np.float64]) -> bool:
    """Whether they may be standard normal ones."""
    low, high = chi2.ppf([ALARM / 4, 1 - ALARM / 4], len(values))
    mean = abs(values.mean()) * np.sqrt(len(values))
    return bool(mean < norm.isf(ALARM / 4) and low < (values**2).sum() < high)


@pytest.mark.thorough
def test_the_ratio_of_all_rounds_is_normal() -> None:
    game = played()
    standardised = (game.ratio - game.distance**2 / 2) / game.distance
    assert is_normal(standardised)
    # Controls: noise of twice the deviation, and a distance that is not that of the two.
    assert not is_normal(2 * standardised)
    assert not is_normal(standardised + 1)


@pytest.mark.thorough
def test_the_rounds_of_one_release_stand_for_those_of_others() -> None:
    """How often the attacker is right hardly depends on what earlier rounds released, and never exceeds the bound."""
    right = norm.cdf(played().distance / 2)
    noise = noise_of(made_people.event(BUDGET))
    assert noise is not None
    assert right.max() <= norm.cdf(noise.sensitivity / noise.scale / 2)
    assert right.std() < 0.03
    assert right.mean() > 0.55
