"""The two neighbouring datasets that a variant tells apart best, found by what its own release would hold without noise."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from variants.people import LAPLACE, Silence
from variants.variant import norms

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from variants.people import Person
    from variants.variant import Variant

    Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pair:
    """Two neighbouring datasets.

    Attributes:
        one: its people; all but the last are beside.
        other: its people: the last one is another, or is not there.
        l1: how far apart their integers are.
        l2_squared: the same in squared L2.
    """

    one: Sequence[Person]
    other: Sequence[Person]
    l1: int
    l2_squared: int

    @property
    def names(self) -> str:
        """Who was replaced by whom."""
        there = [
            (people[-1].name or "?") for people in (self.one, self.other) if len(people) == len(self.one)
        ]
        return " / ".join(there if len(there) == 2 else [*there, "no one"])


def integers(variant: Variant, people: Sequence[Person]) -> Integers:
    """Return what a release of these people holds if no noise is drawn, shape (K,), or (people, K) if they are apart."""
    return variant.noised_in(variant.release(people, Silence())[0])


def furthest(variant: Variant, *, beside: int = 1, seed: int = 9) -> Pair:
    """Return the pair of adversaries that moves the released integers furthest in the norm of the noise."""
    others = variant.ordinary(beside, seed=seed)
    people = variant.adversaries()
    found = [integers(variant, [*others, person]) for person in people]
    if variant.adds_or_removes:
        alone = integers(variant, others).ravel()
        distances = {(a, None): norms(found[a].ravel() - alone) for a in range(len(people))}
    else:
        stacked = np.stack([one.ravel() for one in found])
        distances = {
            (a, b): norms(stacked[a] - stacked[b])
            for a, b in itertools.combinations(range(len(people)), 2)
            if variant.may_replace(people[a], people[b])
        }
    which = 0 if variant.noise == LAPLACE else 1
    (a, b), (l1, l2) = max(distances.items(), key=lambda item: item[1][which])
    other = others if b is None else [*others, people[b]]
    return Pair([*others, people[a]], other, int(l1), int(l2))
