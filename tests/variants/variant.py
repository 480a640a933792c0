"""Every mechanism in every variant behind one face; see `Variant`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import made
import numpy as np

from synthrelease.dp.budget import Budget
from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian, flatten
from synthrelease.dp.noise.addition import add_noise
from variants.people import ADD_REMOVE, ATTAINED, BUDGET, Person

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from variants.people import Arrays, Integers


@dataclass(frozen=True, eq=False)
class Variant:
    """One mechanism with its public parameters.

    Attributes:
        name: the test's id.
        noise: "laplace" or "gaussian".
        parameters: of the mechanism; the number of people in them is that of the dataset.
        budget: what a release may cost.
        apart: whether every person's own integers are released, and not their sum.
        attained: which part of the sensitivity, in either norm, a person can really move the integers.
        claimed: the public number of people, if it is not that of the dataset.
    """

    name: str
    noise: str
    parameters: Any
    budget: Budget = BUDGET
    apart: bool = False
    attained: float = ATTAINED
    claimed: int | None = None
    in_l1: bool = True  # whether the sensitivity in L1 is used, and has to be attained

    def of(self, people: int) -> Any:
        """Return the parameters for so many people."""
        if self.parameters.people is None:
            return self.parameters
        return replace(self.parameters, people=self.claimed or people)

    def data(self, people: Sequence[Person], order: int | None = None) -> Any:
        raise NotImplementedError

    def mechanism(self, people: int) -> Any:
        """Return the mechanism for so many people."""
        return self.of(people).mechanism

    def exact(self, people: Sequence[Person], order: int | None = None) -> Integers:
        """Return the integers before noise: shape (K,), or (people, K) if they are released apart."""
        mechanism = self.mechanism(len(people))
        exact = mechanism.exact(mechanism.collect(self.data(people, order)))
        return self.noised_in(made.noisy_arrays(mechanism, exact))

    def release(self, people: Sequence[Person], random: Any) -> tuple[Arrays, Any]:
        values, drawn = made.release(
            self.mechanism(len(people)), self.data(people), self.budget, random=random
        )
        return values, drawn.event

    def calibrate(self, people: int) -> Any:
        return self.mechanism(people).calibrate(self.budget)

    def expected(self, values: Arrays, people: int) -> dict[tuple[str, ...], Any]:
        """Return every array that is no noised one, computed again from the noised ones."""
        raise NotImplementedError

    def made_adversaries(self) -> list[Person]:
        """Make people who move the integers as far as they can; `adversaries` makes them once."""
        raise NotImplementedError

    def anyone(self, like: Person | None = None) -> SearchStrategy[Person]:
        """Return a strategy for people; if `like` is given, for those that may take that person's place."""
        raise NotImplementedError

    def ordinary(self, count: int, seed: int = 0) -> list[Person]:
        """Return people with random rows."""
        raise NotImplementedError

    def equivalent(self, person: Person) -> Person:
        """Return another person's rows that the mechanism may not tell from this one's."""
        raise NotImplementedError

    def wide(self) -> Variant:
        """Return the same variant with many more integers to noise."""
        raise NotImplementedError

    def crowded(self) -> tuple[Variant, int]:
        """Return the variant and a number of people whose sums need more than 32 bits."""
        return self, 70_000

    def overflowing(self) -> Variant | None:
        """Return the same variant where sums need more than 62 bits, if their bound is a parameter."""
        return None if self.parameters.people is None else replace(self, claimed=2**48)

    def may_replace(self, _one: Person, _other: Person) -> bool:
        return True

    # --- the same for all

    def adversaries(self) -> list[Person]:
        """Return people made to move the integers as far as they can."""
        return list(self._adversaries)

    @cached_property
    def _adversaries(self) -> tuple[Person, ...]:
        return tuple(self.made_adversaries())

    @property
    def tested(self) -> bool:
        """Whether something besides the integers is looked at: seeds under a deniability test."""
        return self.calibrate(1) != self.event(1)

    @property
    def sensitivity(self) -> Any:
        return self.parameters.sensitivity()

    @property
    def adds_or_removes(self) -> bool:
        return self.parameters.neighbours is ADD_REMOVE

    def event(self, people: int) -> RoundedGaussian | DiscreteLaplace:
        """Return the noise of the release."""
        return self.noise_in(self.calibrate(people))

    def noise_in(self, event: Any) -> RoundedGaussian | DiscreteLaplace:
        kinds = RoundedGaussian | DiscreteLaplace
        (noise,) = [leaf for leaf in flatten(event) if isinstance(leaf, kinds)]
        return noise

    def draw(self, exact: Integers, event: Any, random: Any) -> Integers:
        """Add an event's noise to exact integers."""
        return add_noise(exact, event, largest=int(np.abs(exact).max(initial=0)), random=random).astype(
            np.int64
        )

    def noised_in(self, values: Arrays) -> Integers:
        """Return the noised integers of a release in the order of `exact`."""
        arrays = [a for key, a in values.items() if key[-1] == "noisy"]
        if self.apart:
            return np.concatenate([a.reshape(len(a), -1) for a in arrays], axis=1).astype(np.int64)
        return np.concatenate([a.ravel() for a in arrays]).astype(np.int64)

    @cached_property
    def moves(self) -> Moves:
        """Return how far adversaries move the integers, with the pairs that move them furthest."""
        beside = self.ordinary(2)
        people = self.adversaries()
        alone = self.exact(beside).ravel()
        vectors = np.stack([self.exact([*beside, a]).ravel() for a in people])
        if self.adds_or_removes:
            l1, l2 = norms(vectors - alone)
            pairs: list[tuple[int, ...]] = [(a,) for a in range(len(people))]
        else:
            pairs = [
                (a, b)
                for a, b in itertools.combinations(range(len(people)), 2)
                if self.may_replace(people[a], people[b])
            ]
            first, second = np.array(pairs).T
            l1, l2 = norms(vectors[first] - vectors[second])
        best = [tuple(people[i] for i in pairs[int(np.argmax(norm))]) for norm in (l1, l2)]
        return Moves(int(l1.max()), int(l2.max()), best[0], best[1])


@dataclass(frozen=True, eq=False)
class Moves:
    """The furthest moves in L1 and in squared L2, and who made them: two people, or one who came or left."""

    l1: int
    l2_squared: int
    by_l1: tuple[Person, ...]
    by_l2: tuple[Person, ...]


def norms(difference: Integers) -> tuple[Integers, Integers]:
    """L1 and squared L2 norms along the last axis, in integers."""
    return np.abs(difference).sum(axis=-1), (difference * difference).sum(axis=-1)
