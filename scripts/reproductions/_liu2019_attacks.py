"""What Liu et al. 2019, sections 3.3 and 3.4, say does not protect, attacked. Demonstrations: never to be released as private.

The adversary knows everyone's map but one, and what was published: the worst case of Definition 3.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.noise import SecureRandom

Maps = NDArray[np.integer]  # (people, pixels), whole counts


@dataclass(frozen=True)
class Attacked:
    """What so many attacks on random people came to; shares of all trials.

    Attributes:
        recovered: the person's map was named exactly.
        present: it was said rightly that the person is in the selection.
        false: it was said wrongly.
    """

    recovered: float
    present: float
    false: float


def selection_bound(people: int, selected: int, *, replaced: bool) -> float:
    """Return the least δ that random selection can have: c (Theorem 3.2), or 1 − (1 − 1/n)^cn (Theorem 3.3)."""
    return 1 - (1 - 1 / people) ** selected if replaced else selected / people


def attack_noise_free(maps: Maps, trials: int, random: SecureRandom) -> Attacked:
    """G_i = n·G − Σ_{j≠i} G_j, from the mean as it would be published, in floating point."""
    people = len(maps)
    mean = maps.sum(axis=0) / people
    hits = 0
    for i in random.integers(people, trials):
        others = np.delete(maps, i, axis=0).sum(axis=0)
        hits += bool(np.array_equal(np.rint(people * mean) - others, maps[i]))
    return Attacked(hits / trials, hits / trials, 0.0)


def attack_selection(
    maps: Maps, selected: int, trials: int, random: SecureRandom, *, replaced: bool
) -> Attacked:
    """Attack means of `selected` maps, drawn anew in every trial, with or without replacement."""
    people = len(maps)
    recovered = present = false = 0
    for i in random.integers(people, trials):
        if replaced:
            times = np.bincount(random.integers(people, selected), minlength=people)
        else:
            times = np.bincount(random.permutation(people)[:selected], minlength=people)
        published = times @ maps / selected
        found = unmixed(published, selected, np.delete(maps, i, axis=0))
        inside = times[i] > 0
        recovered += bool(inside and found is not None and np.array_equal(found, maps[i]))
        present += bool(inside and found is not None)
        false += bool(not inside and found is not None)
    return Attacked(recovered / trials, present / trials, false / trials)


def unmixed(published: NDArray[np.float64], selected: int, others: Maps) -> NDArray[np.int64] | None:
    """Return the unknown map in a mean of `selected` maps, or None if there is none, or none can be told.

    Where only one of the known people looked, the sum tells how often they were selected; the least over their own
    pixels does so even if the unknown person looked at some of them. What the known ones do not explain is the
    unknown map, as often as it was selected: its greatest common divisor, if some pixel was looked at once.
    """
    left = np.rint(selected * published).astype(np.int64)
    seen = others > 0
    own = np.flatnonzero(seen.sum(axis=0) == 1)
    owner = seen[:, own].argmax(axis=0)
    times = np.full(len(others), selected)
    np.minimum.at(times, owner, left[own] // others[owner, own])
    told = np.isin(np.arange(len(others)), owner) | ~seen.any(axis=1)
    left = left - np.where(told, times, 0) @ others
    if not told.all() or left.min() < 0 or not left.any():
        return None
    return left // math.gcd(*left.tolist())
