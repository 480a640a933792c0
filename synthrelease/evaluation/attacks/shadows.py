"""Membership by shadow releases: make the release many times, with and without each person, and learn what that changes.

The attacker knows the mechanism and the candidates' data, and can run it on random halves of them. For each person the scores of releases
they were in are one distribution, and of the others another; of a new release, the ratio of the two says whether they are in
(Carlini et al. 2022, https://arxiv.org/abs/2112.03570, Algorithm 1; offline: without releases that hold the person).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.attacks.windows import Flags, Labels, Numbers
from synthrelease.parallel import Call, Progress, run_calls

_OWN_SPREAD = 32  # shadows of a kind that estimate one person's spread; with fewer, all people share one
_LEAST_SPREAD = 1e-9  # of the spread of all scores


@dataclass(frozen=True)
class Rounds:
    """Releases of random halves of the people, and the scores of all people against them."""

    members: Flags  # who was in, shape (R, n)
    scores: Numbers  # of each person against each release, shape (R, n), or (R, n, S) for S scores at once

    def between(self, start: int, stop: int) -> Rounds:
        """Return some rounds."""
        return Rounds(self.members[start:stop], self.scores[start:stop])


def released_rounds(
    release: Callable[[Labels, SecureRandom], Any],
    score: Callable[[Any], Numbers],
    people: Labels,
    *,
    rounds: int,
    seed: int,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Rounds:
    """Return the scores of all people against releases of random halves of the people.

    Args:
        release: makes a release from the people it is given, sorted, and a generator for its noise.
        score: of each person in the order of `people`, more for likelier members, from a release; shape (n,) or (n, S).
        people: the candidates, shape (n,); ⌊n/2⌋ of them are in each release.
        rounds: number of releases.
        seed: of halves and noise; each round's depend on it and the round's number only.
        n_jobs: rounds at a time; it changes no result.
        progress: called for each round.

    Raises:
        ValueError: fewer than two people, or no rounds.
    """
    if len(people) < 2 or rounds < 1:
        raise ValueError(f"Expected two people and one round at least, found {len(people)} and {rounds}")
    calls = [Call(_round, (release, score, people, seed, number)) for number in range(rounds)]
    members, scores = zip(*run_calls("releases", calls, n_jobs, progress=progress), strict=True)
    return Rounds(np.array(members), np.array(scores))


def _round(
    release: Callable[[Labels, SecureRandom], Any],
    score: Callable[[Any], Numbers],
    people: Labels,
    seed: int,
    number: int,
) -> tuple[Flags, Numbers]:
    random = SecureRandom.for_tests(seed).spawn("round", str(number))
    inside = np.zeros(len(people), dtype=bool)
    inside[random.spawn("half").permutation(len(people))[: len(people) // 2]] = True
    scores = score(release(np.sort(people[inside]), random.spawn("release")))
    return inside, np.asarray(scores, dtype=np.float64)


def likelihood_ratios(shadows: Rounds, observed: Numbers, *, online: bool) -> Numbers:
    """Return, for each observed score, how much likelier it is of a member, shape (R, n).

    Online: ln N(s; μ_in, σ_in²) − ln N(s; μ_out, σ_out²). Offline, from the releases without the person alone: (s − μ_out)/σ_out,
    of which Carlini et al.'s Pr[N(μ_out, σ_out²) < s] is a function. Each person has a spread from 32 shadows of a
    kind; with fewer, all people share one.

    Args:
        shadows: releases to learn from; scores of shape (R, n).
        observed: scores of *other* releases, shape (R, n).
        online: which form.

    Raises:
        ValueError: a person has fewer than two shadows of a kind, or the people differ.
    """
    if shadows.scores.shape != shadows.members.shape or observed.shape[1:] != shadows.members.shape[1:]:
        raise ValueError(
            f"Expected scores of the same people, found shapes {shadows.scores.shape} and {observed.shape}"
        )
    floor = max(_LEAST_SPREAD * float(shadows.scores.std()), np.finfo(np.float64).tiny)
    mean_out, spread_out = _normal(shadows.scores, ~shadows.members, floor)
    distance = (observed - mean_out) / spread_out
    if not online:
        return distance
    mean_in, spread_in = _normal(shadows.scores, shadows.members, floor)
    inside = (observed - mean_in) / spread_in
    ratios: Numbers = (distance**2 - inside**2) / 2 + np.log(spread_out / spread_in)
    return ratios


def _normal(scores: Numbers, counted: Flags, floor: float) -> tuple[Numbers, Numbers]:
    """Mean and spread of each person's counted scores."""
    count = counted.sum(axis=0)
    if count.min() < 2:
        raise ValueError("Expected two shadows at least with, and two without every person: make more rounds")
    mean = (scores * counted).sum(axis=0) / count
    squares = (((scores - mean) * counted) ** 2).sum(axis=0)
    if count.min() >= _OWN_SPREAD:
        spread = np.sqrt(squares / (count - 1))
    else:
        spread = np.full(mean.shape, np.sqrt(squares.sum() / (count - 1).sum()))
    return mean, np.maximum(spread, floor)
