"""A number drawn privately from a public list, and then a mechanism with it: what a cap and a number of frequencies share.

Both papers take the number of least error from the data, which reveals something of them. Here it is drawn with a probability that
falls exponentially with its error (`dp.noise.choice`), for a share of ε; the mechanism has the rest (`heatmap/private_cap.proof.md`,
`signals/private_frequencies.proof.md`).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

from synthrelease.dp.budget import Budget
from synthrelease.dp.event import Composed, Event, PrivateChoice
from synthrelease.dp.noise.choice import private_choice
from synthrelease.dp.noise.entropy import SecureRandom
from synthrelease.kinds.mechanism import Drawn, Mechanism, P
from synthrelease.kinds.parameters import Parameters


@dataclass(frozen=True, kw_only=True)
class Choosing(Mechanism[P]):
    """A mechanism that may choose one of its parameters, a whole number, privately."""

    # Of the parameters: the public list to choose from, increasing, or None where nothing is chosen; and what is chosen.
    list_field: ClassVar[str]
    choice_field: ClassVar[str]

    choice_share: float | None = None  # of ε, for the choice

    @property
    def candidates(self) -> tuple[int, ...] | None:
        """The public list to choose from, increasing; None where nothing is chosen."""
        numbers: tuple[int, ...] | None = getattr(self.parameters, self.list_field)
        return numbers

    @property
    def is_choosing(self) -> bool:
        """Whether it chooses a parameter privately."""
        return self.candidates is not None

    @abstractmethod
    def chosen_parameters(self, candidate: int) -> P:
        """Return the parameters with one of the candidates."""

    @abstractmethod
    def utilities(self, collected: Any, noise_budget: Budget) -> list[int]:
        """Return the utility of every candidate, from all people's contributions and the budget of the noise that is to follow."""

    @property
    @abstractmethod
    def utility_sensitivity(self) -> int:
        """How far one person moves any of the utilities."""

    def at(self, candidate: int) -> Self:
        """Return the mechanism with one of the candidates."""
        return replace(self, parameters=self.chosen_parameters(candidate))

    def split(self, budget: Budget) -> tuple[PrivateChoice, Budget]:
        """Return the choice, and what is left for the noise: their ε add up."""
        assert self.choice_share is not None
        assert self.candidates is not None
        epsilon = self.choice_share * budget.epsilon
        noise_budget = Budget(budget.epsilon - epsilon, budget.delta)
        return PrivateChoice(epsilon, len(self.candidates)), noise_budget

    def calibrate(self, budget: Budget | None) -> Event:
        """Return the event that a budget buys; of a choice, with the noise of the candidate that reveals most.

        All candidates are calibrated to the same guarantee; what they reveal differs in the last bits of a float.
        """
        if self.candidates is None:
            return self.calibrated_noise(budget)
        assert budget is not None
        choice, noise_budget = self.split(budget)
        noises = [self.at(candidate).calibrated_noise(noise_budget) for candidate in self.candidates]
        most = max(noises, key=lambda noise: Fraction(noise.sensitivity) / Fraction(noise.scale))
        return Composed((choice, most))

    def draw(self, collected: Any, budget: Budget | None, random: SecureRandom) -> Drawn:
        """Draw on what all people contribute: the choice, if there is one, and then the noise."""
        if self.candidates is None:
            return super().draw(collected, budget, random)
        assert budget is not None
        choice, noise_budget = self.split(budget)
        number = private_choice(
            self.utilities(collected, noise_budget),
            sensitivity=self.utility_sensitivity,
            epsilon=choice.epsilon,
            random=random,
        )
        chosen = self.at(self.candidates[number])
        noise = chosen.calibrated_noise(noise_budget)
        arrays = chosen.with_noise(chosen.shuffled(collected, random), noise, random)
        return Drawn(arrays, Composed((choice, noise)), chosen.parameters)

    def rehearsed(self, budget: Budget | None, event: Event) -> Drawn:
        """Return what will be released, without values; of a choice, with the last candidate, which makes the largest release."""
        if self.candidates is None or budget is None:
            return super().rehearsed(budget, event)
        choice, noise_budget = self.split(budget)
        chosen = self.at(self.candidates[-1])
        return Drawn({}, Composed((choice, chosen.calibrated_noise(noise_budget))), chosen.parameters)

    def with_choice_of(self, parameters: Parameters) -> Self:
        """Return the mechanism with what a release of it has chosen privately, by the release's parameters."""
        return self.at(getattr(parameters, self.choice_field)) if self.is_choosing else self

    def settled(self) -> Self:
        """Return the mechanism as if the plan had named what was chosen privately."""
        changed: dict[str, Any] = {self.list_field: None}
        return replace(self, parameters=replace(self.parameters, **changed), choice_share=None)
