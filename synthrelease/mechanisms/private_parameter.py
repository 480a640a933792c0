"""A number drawn privately from a public list, and then a mechanism with it: what a cap and a number of frequencies share.

Both papers take the number of least error from the data, which tells of the data. Here it is drawn with a probability that
falls exponentially with its error (`noise.choice`), for a share of ε; the mechanism has the rest (`private_cap.proof.md`, `private_frequencies.proof.md`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar

from synthrelease.noise.choice import private_choice
from synthrelease.noise.entropy import SecureRandom
from synthrelease.privacy.budget import Budget
from synthrelease.privacy.event import Composed, Noise, PrivateChoice

Parameters = TypeVar("Parameters")


@dataclass(frozen=True)
class PrivateParameter(ABC, Generic[Parameters]):
    """How the number is chosen.

    Attributes:
        candidates: the numbers to choose from, public and increasing.
        share: the part of ε that the choice takes.
    """

    candidates: tuple[int, ...]
    share: float

    @abstractmethod
    def at(self, candidate: int) -> Parameters:
        """Return the parameters of the mechanism with one of the numbers."""

    @abstractmethod
    def noise(self, candidate: int, left: Budget) -> Noise:
        """Return the noise of the mechanism with one of the numbers."""

    def split(self, budget: Budget) -> tuple[PrivateChoice, Budget]:
        """Return the choice, and what is left for the noise: their ε add up."""
        epsilon = self.share * budget.epsilon
        return PrivateChoice(epsilon, len(self.candidates)), Budget(budget.epsilon - epsilon, budget.delta)

    def choose(
        self, choice: PrivateChoice, utilities: Sequence[int], *, sensitivity: int, random: SecureRandom
    ) -> int:
        """Return one of the candidates: the better its utility, the likelier."""
        drawn = private_choice(utilities, sensitivity=sensitivity, epsilon=choice.epsilon, random=random)
        return self.candidates[drawn]


def with_last(private: PrivateParameter[Parameters], budget: Budget) -> Composed:
    """Return what will be done if the last candidate is chosen, which makes the largest release."""
    choice, left = private.split(budget)
    return Composed((choice, private.noise(private.candidates[-1], left)))


def calibrate(private: PrivateParameter[Parameters], budget: Budget) -> Composed:
    """Return what will be done, with the noise of the candidate that tells most.

    All candidates are calibrated to the same promise; what they tell differs in the last bits of a float.
    """
    choice, left = private.split(budget)
    noises = [private.noise(candidate, left) for candidate in private.candidates]
    most = max(noises, key=lambda noise: Fraction(noise.sensitivity) / Fraction(noise.scale))
    return Composed((choice, most))
