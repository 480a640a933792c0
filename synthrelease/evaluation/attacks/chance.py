"""What chance alone would do: exact tests by shuffling people, never windows.

Two designs. In a *matching*, every released person has one true owner: were the release unrelated to the people, any other
assignment of owners would have been as likely (identification, linkage). In a *division*, people are in the data or
not, at random: were the release unrelated to who is in, any other division would have been as likely (membership, inference,
copies). Both tests hold at any number of people: p = (1 + shuffles that do as well)/(1 + shuffles) (Phipson & Smyth 2010,
https://doi.org/10.2202/1544-6115.1585, Eq. 2).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.attacks.windows import Flags, Numbers

DRAWS = 9999
_BLOCK = 1 << 22  # numbers shuffled at once
_TIE = 1e-12  # sums of the same numbers in another order


class Permutation(StrEnum):
    """What is shuffled."""

    MATCHING = "matching"
    DIVISION = "division"


class Matching(NamedTuple):
    """How well people are matched, and how well they are with shuffled owners."""

    shares: Numbers  # how often each person was matched with themselves, shape (n,)
    shuffled: float  # mean share with shuffled owners
    low: float  # 2.5 % of shuffled means are below
    high: float  # 2.5 % are above
    p_value: float  # how likely shuffled owners do as well


def matching_test(table: Numbers, *, random: SecureRandom, draws: int = DRAWS) -> Matching:
    """Return how well people are matched, and how well with shuffled owners.

    Args:
        table: how often person p was taken for person q, shape (n, n); rows sum to 1 at most.
        random: where shuffles come from.
        draws: number of shuffles.
    """
    n = len(table)
    if table.shape != (n, n) or n < 2:
        raise ValueError(f"Expected a table of two people at least, found shape {table.shape}")
    shares = np.diagonal(table).copy()
    means = np.concatenate([table[np.arange(n), order].mean(axis=1) for order in _orders(n, draws, random)])
    low, high = np.quantile(means, [0.025, 0.975])
    return Matching(
        shares, float(means.mean()), float(low), float(high), _p_value(means, float(shares.mean()))
    )


class Division(NamedTuple):
    """How people who are in differ from those who are not."""

    main: Numbers  # mean of each person's scores in the rounds they were in, nan if in none, shape (n,)
    control: Numbers  # the same where they were not in
    p_value: float  # how likely a shuffled division has members as much above the others
    control_p: float  # how likely it has the others as much above members
    low: float  # 2.5 % of differences between shuffled members and others are below
    high: float  # 2.5 % are above


def division_test(scores: Numbers, members: Flags, *, random: SecureRandom, draws: int = DRAWS) -> Division:
    """Return how the scores of members differ from those of the others, and how in shuffled divisions.

    The statistic is the difference of means within a round, averaged over rounds; each round is shuffled separately.

    Args:
        scores: of each person in each round, shape (R, n), or (n,) for one round.
        members: who was in, at random and independently from round to round, the same shape.
        random: where shuffles come from.
        draws: number of shuffles.

    Raises:
        ValueError: shapes differ, or in some round everyone is a member, or no one.
    """
    scores, members = checked_rounds(scores, members)
    inside = members.sum(axis=1)
    n = members.shape[1]
    weight = members / inside[:, None] - ~members / (n - inside)[:, None]
    observed = float((weight * scores).sum(axis=1).mean())
    total = np.zeros(draws)
    for round_scores, weights in zip(scores, weight, strict=True):
        total += np.concatenate([weights.take(order) @ round_scores for order in _orders(n, draws, random)])
    means = total / len(scores)
    with np.errstate(invalid="ignore"):
        main = (scores * members).sum(axis=0) / members.sum(axis=0)
        control = (scores * ~members).sum(axis=0) / (~members).sum(axis=0)
    low, high = np.quantile(means, [0.025, 0.975])
    return Division(
        main, control, _p_value(means, observed), _p_value(-means, -observed), float(low), float(high)
    )


def checked_rounds(scores: Numbers, members: Flags) -> tuple[Numbers, Flags]:
    """Return both with an axis of rounds; raise ValueError as `division_test`."""
    scores, members = np.atleast_2d(np.asarray(scores, dtype=np.float64)), np.atleast_2d(members)
    if scores.shape != members.shape or members.dtype != np.bool_:
        raise ValueError(
            f"Expected a score and a flag for every person of every round, found shapes {scores.shape} and "
            f"{members.shape} ({members.dtype})"
        )
    if not np.isfinite(scores).all():
        raise ValueError("Expected finite scores")
    if members.all(axis=1).any() or not members.any(axis=1).all():
        raise ValueError("Expected people who are in the data and people who are not, in every round")
    return scores, members


def least_matching_p(people: int, *, draws: int = DRAWS) -> float:
    """Return the p-value of a perfect matching: 1 of n! assignments, and never below 1/(draws + 1)."""
    return max(math.exp(-math.lgamma(people + 1)), 1 / (draws + 1))


def least_division_p(members: Flags, *, draws: int = DRAWS) -> float:
    """Return the p-value of a perfect attack: 1 of all divisions, and never below 1/(draws + 1)."""
    members = np.atleast_2d(members)
    n = members.shape[1]
    logs = sum(math.log(math.comb(n, int(inside))) for inside in members.sum(axis=1))
    return max(math.exp(-logs), 1 / (draws + 1))


def people_needed(design: Permutation, level: float) -> int:
    """Return with how many people a perfect attack would reach a level of significance: of a division, half of them in.

    A single round; repeated random divisions need fewer people.
    """
    people = 2
    while _perfect(design, people) > level:
        people += 1 if design is Permutation.MATCHING else 2
    return people


def _perfect(design: Permutation, people: int) -> float:
    return (
        1 / math.factorial(people) if design is Permutation.MATCHING else 1 / math.comb(people, people // 2)
    )


def _orders(count: int, draws: int, random: SecureRandom) -> Iterator[NDArray[np.int64]]:
    """Random orders of 0 … count − 1, shape (draws, count), in blocks."""
    remaining = draws
    while remaining:
        block = min(remaining, max(_BLOCK // count, 1))
        yield np.argsort(random.words(block * count).reshape(block, count), axis=1)
        remaining -= block


def _p_value(shuffled: Numbers, observed: float) -> float:
    return float((1 + (shuffled >= observed - _TIE).sum()) / (1 + shuffled.size))
