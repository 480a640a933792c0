"""Which of these is she? A known recording of each person is linked to the nearest of the released individuals."""

from __future__ import annotations

import numpy as np

from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.attacks.chance import DRAWS
from synthrelease.evaluation.attacks.nearest import equally_near, scaled
from synthrelease.evaluation.attacks.result import AttackResult, matching_result
from synthrelease.evaluation.attacks.windows import Labels, Numbers, Windows

_TIE = 1e-9


def linkage(
    known: Windows,
    released: Windows,
    individuals: Labels,
    *,
    seed: int,
    negative_control: Windows | None = None,
    draws: int = DRAWS,
) -> AttackResult:
    """Return how often a known person is linked to a released individual of theirs.

    Each known row votes for the individual with the nearest row, in units of the known rows' spread; the individual with most votes
    is the link. Individuals that are equally near share the vote, and those with equally many votes the link: of k copies
    of one average, one belongs to the person, and the link is right to 1/k.

    People of whom no individual is released are not counted. `chance` is the mean proportion of individuals that belong to a person. `control` is the same with owners shuffled, or, with a negative control, the attack
    on that. Knowledge is the attacker's only: the spread is of what is known, not of what is released.

    Args:
        known: rows of one known recording of each person, with names.
        released: rows, each with the person it was made from.
        individuals: which released individual each row belongs to (each record is one: 0, 1, …), shape (M,).
        seed: of shuffles.
        negative_control: rows in the same individuals that have nothing to do with whose they are said to be.
        draws: number of shuffles.

    Raises:
        ValueError: shapes differ, an individual was made from two people, a person has two known recordings, or fewer
            than two known people have an individual.
    """
    random = SecureRandom.for_tests(seed).spawn("linkage")
    table, chance = _linked(known, released, individuals)
    return matching_result(
        "linkage",
        "proportion of participants linked to one of their records",
        table,
        chance=chance,
        random=random,
        draws=draws,
        negative_control=None
        if negative_control is None
        else _linked(known, negative_control, individuals)[0],
    )


def _linked(known: Windows, released: Windows, individuals: Labels) -> tuple[Numbers, float]:
    """To what share each person is linked to individuals of each, of those who have any, shape (n, n); and what share is theirs."""
    owners = _owners(known, released, individuals)
    names, person = np.unique(known.people, return_inverse=True)
    _, individual = np.unique(individuals, return_inverse=True)
    queries, rows = scaled(known.values, known.values, released.values)
    votes = np.zeros((names.size, owners.size))
    start = 0
    for is_nearest in equally_near(queries, rows):
        # An individual counts once for a row, however many of its rows are equally near.
        voted = np.zeros((len(is_nearest), owners.size), dtype=bool)
        query, row = np.nonzero(is_nearest)
        voted[query, individual[row]] = True
        stop = start + len(is_nearest)
        np.add.at(votes, person[start:stop], voted / voted.sum(axis=1, keepdims=True))
        start = stop
    best = votes >= votes.max(axis=1, keepdims=True) - _TIE
    link = best / best.sum(axis=1, keepdims=True)
    has_individual = np.isin(names, owners)
    is_theirs = (owners[:, None] == names[None, has_individual]).astype(np.float64)
    return link[has_individual] @ is_theirs, float(is_theirs.mean())


def _owners(known: Windows, released: Windows, individuals: Labels) -> Labels:
    """Whose each individual is, in the order of `np.unique(individuals)`."""
    if individuals.shape != released.people.shape or known.values.shape[1] != released.values.shape[1]:
        raise ValueError(
            f"Expected an individual for each of {len(released.people)} released rows, of as many features as known"
        )
    units = known.units()
    if units.people.size != known.names.size:
        raise ValueError("Expected one known recording of each person, found a person with two")
    _, first, individual = np.unique(individuals, return_index=True, return_inverse=True)
    owners: Labels = released.people[first]
    if (owners[individual] != released.people).any():
        raise ValueError("Expected every released individual to be made from one person, found one of two")
    if np.isin(known.names, owners).sum() < 2:
        raise ValueError("Expected released individuals of two known people at least, found fewer")
    return owners
