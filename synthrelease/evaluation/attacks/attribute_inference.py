"""What is her secret? All features of a person but one are known; that one is guessed from the nearest released records.

Main, control and baseline as in Giomi et al. 2022 (Anonymeter, https://arxiv.org/abs/2211.10459): the attack on people in the data, on people who are
not, and the best guess without any release. What the release reveals of the control people too is true of people in
general; what goes beyond is a risk of taking part.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.attacks.chance import DRAWS, checked_rounds
from synthrelease.evaluation.attacks.nearest import nearest_rows, scaled
from synthrelease.evaluation.attacks.result import AttackResult, division_result
from synthrelease.evaluation.attacks.windows import Flags, Numbers, Windows, share_by_person


def inferred(
    released: Numbers, people: Windows, *, secret: int, tolerance: float | None, neighbours: int = 1
) -> Numbers:
    """Return the proportion of each person's rows whose secret is guessed correctly from the nearest released records, shape (n,).

    Nearest in all other features, in units of their spread among the people whom the attacker looks for.

    Args:
        released: records, shape (M, F).
        people: rows of members and of control people.
        secret: number of the feature to guess.
        tolerance: how far a guess, the median of the neighbours' values, may be off; None for a category: their most frequent one,
            the least of equally frequent ones.
        neighbours: how many records vote.

    Raises:
        ValueError: there is no such feature, nothing else is known, or fewer records than neighbours.
    """
    _check(released, people, secret, tolerance, neighbours)
    known, records = np.delete(people.values, secret, axis=1), np.delete(released, secret, axis=1)
    queries, rows = scaled(known, known, records)
    _, nearest = nearest_rows(queries, rows, neighbours)
    secrets = released[nearest, secret]
    guess = _most_frequent(secrets) if tolerance is None else np.median(secrets, axis=1)
    return share_by_person(_right(guess, people.values[:, secret], tolerance), people.people)


def guessed(reference: Numbers, people: Windows, *, secret: int, tolerance: float | None) -> Numbers:
    """Return the same share for the best single guess, the same for everyone: the baseline without a release.

    Args:
        reference: values of the secret among other people, shape (K,): the guess is what is right of most of them.
        people: as `inferred`.
        secret: as `inferred`.
        tolerance: as `inferred`.
    """
    ordered = np.sort(reference)
    width = 0.0 if tolerance is None else 2 * tolerance
    within = np.searchsorted(ordered, ordered + width, side="right") - np.arange(ordered.size)
    best = ordered[within.argmax()] + width / 2
    return share_by_person(
        _right(np.full(len(people.values), best), people.values[:, secret], tolerance), people.people
    )


def attribute_inference(
    shares: Numbers,
    members: Flags,
    baseline: Numbers,
    *,
    seed: int,
    name: str = "a feature",
    draws: int = DRAWS,
) -> AttackResult:
    """Return how much more often the secrets of people in the data are guessed than those of people who are not.

    `main` and `control` are mean shares of right guesses, `chance` the best guess without a release, `risk` (main − control)/(1 − control).

    Args:
        shares: `inferred` of each person in each round, shape (R, n), or (n,) for one.
        members: who was in, at random, the same shape.
        baseline: `guessed` of each person in each round, the same shape.
        seed: of shuffles.
        name: of the secret.
        draws: number of shuffles.

    Raises:
        ValueError: shapes differ, or in some round everyone is a member, or no one.
    """
    baseline, members = checked_rounds(baseline, members)
    random = SecureRandom.for_tests(seed).spawn("attribute inference", name)
    chance = float(baseline[members].mean())
    result = division_result(
        f"inference of {name}",
        "proportion of correct guesses",
        shares,
        members,
        chance=chance,
        random=random,
        draws=draws,
    )
    if result.main.value > chance:
        return result
    return replace(result, remarks=("a guess without the release does as well",))


def _right(guess: Numbers, truth: Numbers, tolerance: float | None) -> Numbers:
    right = guess == truth if tolerance is None else np.abs(guess - truth) <= tolerance
    return right.astype(np.float64)


def _most_frequent(answers: Numbers) -> Numbers:
    values, number = np.unique(answers, return_inverse=True)
    votes = np.zeros((len(answers), values.size), dtype=np.int64)
    np.add.at(votes, (np.arange(len(answers))[:, None], number.reshape(answers.shape)), 1)
    winners: Numbers = values[votes.argmax(axis=1)]
    return winners


def _check(released: Numbers, people: Windows, secret: int, tolerance: float | None, neighbours: int) -> None:
    features = people.values.shape[1]
    if released.ndim != 2 or released.shape[1] != features or features < 2:
        raise ValueError(
            f"Expected records of {features} features, two at least, found shape {released.shape}"
        )
    if not 0 <= secret < features:
        raise ValueError(f"Expected 0 <= secret < {features}, found secret={secret}")
    if tolerance is not None and not tolerance >= 0:
        raise ValueError(f"Expected tolerance >= 0, found tolerance={tolerance}")
    if not 1 <= neighbours <= len(released):
        raise ValueError(f"Expected 1 to {len(released)} neighbours, found {neighbours}")
