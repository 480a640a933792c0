"""Events by what the witnesses call them, and between which ε a witness allows a claim."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from synthrelease.dp.event import DiscreteLaplace, Event, PrivateChoice, RoundedGaussian, flatten


@dataclass(frozen=True)
class Noises:
    """The noise and the private choices in some events.

    Attributes:
        gaussian: rounded Gaussian noise.
        laplace: discrete Laplace noise.
        choices: private choices.
    """

    gaussian: tuple[RoundedGaussian, ...]
    laplace: tuple[DiscreteLaplace, ...]
    choices: tuple[PrivateChoice, ...]

    @classmethod
    def of(cls, events: Sequence[Event]) -> Noises:
        """Return those of some events, and leave out what is neither."""
        leaves = [leaf for event in events for leaf in flatten(event)]
        return cls(
            tuple(leaf for leaf in leaves if isinstance(leaf, RoundedGaussian)),
            tuple(leaf for leaf in leaves if isinstance(leaf, DiscreteLaplace)),
            tuple(leaf for leaf in leaves if isinstance(leaf, PrivateChoice)),
        )

    @property
    def pure(self) -> bool:
        """Whether they need no δ."""
        return not self.gaussian

    @property
    def gaussian_alone(self) -> bool:
        """Whether there is nothing but Gaussian noise."""
        return not (self.laplace or self.choices)


@dataclass(frozen=True)
class Bounds:
    """Between which ε a witness allows a claim.

    Attributes:
        low: the witness's exact ε or less: a smaller claim guarantees too much.
        high: the witness's exact ε or more: a larger claim wastes budget.
    """

    low: float
    high: float = math.inf

    @classmethod
    def exactly(cls, epsilon: float, *, care: float) -> Bounds:
        """Return those of a witness that computes ε itself with a relative error of at most `care`."""
        return cls(epsilon * (1 - care), epsilon * (1 + care))

    def or_rounded_up(self, share: float) -> Bounds:
        """Return the same with room above for claims that are rounded up by such a share."""
        return Bounds(self.low, self.high * (1 + share))

    def __contains__(self, epsilon: float) -> bool:
        return self.low <= epsilon <= self.high
