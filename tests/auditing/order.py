"""Everyone's own series, and an attacker who asks whose series stands where: under one dataset a person's label is the first, under the other the last.

People's series are at one end of the range and at the other, by turns. In the order of labels the move of one label turns the whole pattern round, which
no noise on single series hides; in a drawn order it changes nothing. What is released is released one by one, by the package's own functions, with
everyone's contributions collected at once, or in two parts.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from variants.people import LAPLACE, Person
from variants.signals import PrivateFrequenciesVariant, signal_variant

from auditing.bound import Rates, rates
from auditing.probes import Claim
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import noise_of
from synthrelease.kinds.contributions import by_label

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from synthrelease.dp.noise import SecureRandom

    Integers = NDArray[np.int64]

LENGTH = 8
_CLAIM = Claim(1.0)


@dataclass(frozen=True, eq=False)
class OrderProbe:
    """One person's label moves from the first place to the last.

    Attributes:
        name: which options meet.
        private: whether the number of frequencies is chosen privately.
        in_parts: whether contributions are collected in two parts.
        people: n.
        claim: ε.
        reach: which part of ε the two datasets use up: none.
    """

    name: str
    private: bool
    in_parts: bool
    people: int = 200
    claim: Claim = _CLAIM
    reach: float | None = None

    def rates(self, runs: int, random: SecureRandom) -> Rates:
        """Release so often under either."""
        found = [self.scores(runs, random.spawn(side), first=side == "first") for side in ("first", "last")]
        return rates(found[0], found[1], self.claim.thresholds)

    def scores(self, runs: int, random: SecureRandom, *, first: bool) -> NDArray[np.float64]:
        """Return the log-likelihood ratio of so many releases for "first", as if they stood in the order of labels, shape (runs,)."""
        draw = self._drawing(first=first)
        turns = np.where(np.arange(self.people) % 2, -1.0, 1.0) * self._end
        out = np.empty(runs)
        for run in range(runs):
            noisy, scale = draw(random.spawn(str(run)))
            out[run] = (np.abs(noisy + turns) - np.abs(noisy - turns)).sum() / scale
        return out

    @property
    def _end(self) -> int:
        """The constant coefficient of a series at the upper end."""
        variant = self._variant
        return int(
            by_label(variant.mechanism(self.people).collect(variant.data([_constant(1.0)])))[0, 0, 0, 0]
        )

    @property
    def _variant(self) -> PrivateFrequenciesVariant:
        like = signal_variant(
            self.name, LAPLACE, length=LENGTH, features=1, recordings=1, query="each", frequencies=1
        )
        return PrivateFrequenciesVariant(**like.__dict__)

    def _drawing(self, *, first: bool) -> Callable[[SecureRandom], tuple[Integers, float]]:
        """What releases once, and returns everyone's constant coefficient in the order of the release, shape (people,), and the noise's scale."""
        variant = self._variant
        mechanism, budget = variant.mechanism(self.people), Budget(self.claim.epsilon)
        if self.private:
            mechanism = variant.choosing(self.people, candidates=(1, 2))
        ends = np.where(np.arange(self.people) % 2, -1.0, 1.0)
        ends = ends if first else np.roll(ends, -1)
        people = [_constant(end) for end in ends]
        middle = self.people // 2
        groups = [people[:middle], people[middle:]] if self.in_parts else [people]
        parts = [
            mechanism.collect(variant.data(group)).numbered(np.arange(len(group)) + number * middle)
            for number, group in enumerate(groups)
        ]
        collected = functools.reduce(lambda one, other: one.joined(other), parts)

        def draw(random: SecureRandom) -> tuple[Integers, float]:
            drawn = mechanism.draw(collected, budget, random)
            noise = noise_of(drawn.event)
            assert noise is not None
            return np.asarray(drawn.arrays["noisy"][0, 0, :, 0]), noise.scale

        return draw


def _constant(value: float) -> Person:
    return Person(np.column_stack([np.zeros(LENGTH), np.full(LENGTH, value)]))


def order_runs(probe: OrderProbe) -> int:
    """Return how often either side is released: of many people, the order shows in one release; of two, in every other."""
    return 4000 if probe.people == 2 else 1000


def order_probes() -> list[OrderProbe]:
    """Return the pairs of options under which everyone's own series are released."""
    return [
        OrderProbe("signals-each", private=False, in_parts=False),
        OrderProbe("signals-each-in-parts", private=False, in_parts=True, people=2),
        OrderProbe("signals-each-private", private=True, in_parts=False),
        OrderProbe("signals-each-private-in-parts", private=True, in_parts=True, people=2),
    ]
