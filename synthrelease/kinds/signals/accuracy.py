"""Expected utility of mean signals in words and a table: the correlation over time with the exact one, for any budget and n."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from synthrelease.dp.budget import Budget
from synthrelease.dp.event import Event
from synthrelease.kinds.expectation import people_needed
from synthrelease.kinds.mechanism import Mechanism, P

_EPSILONS = (0.5, 1.0, 3.0)
_PEOPLE = (24, 100, 300, 1000, 3000, 10_000)
_GOOD = 0.9  # a correlation at which the course over time is the right one


@dataclass(frozen=True, kw_only=True)
class MeanSignals(Mechanism[P]):
    """A signals output, and what to expect of it."""

    mechanisms: Mapping[str, MeanSignals[Any]] | None = None  # that it could be made by, besides its own

    @abstractmethod
    def correlation(self, budget: Budget, people: float) -> float:
        """Return the correlation over time to expect with the exact mean signal."""

    @abstractmethod
    def with_noise_for(self, budget: Budget) -> MeanSignals[P] | None:
        """Return the mechanism with the noise that a budget allows, Gaussian if any; None if it has no guarantee then."""

    @property
    @abstractmethod
    def label(self) -> str:
        """What a table of several mechanisms calls it."""

    def prediction(
        self,
        event: Event,  # noqa: ARG002  for others
        budget: Budget | None,
        people: int | None,
    ) -> tuple[str, str]:
        """Return the correlation to expect, and the people that a good signal takes."""
        assert budget is not None
        assert people is not None  # these outputs need replace-one
        needed = people_needed(lambda number: self.correlation(budget, number) >= _GOOD)
        return (
            f"correlation {self.correlation(budget, people):.2f} over time with the exact mean signal, for pupils and eyelids",
            f"{'more than there are' if needed is None else needed} for a correlation of {_GOOD:g}",
        )

    def comparison(self, budget: Budget | None) -> list[list[str]]:
        """Return a table, its head first: the correlation against ε and people, for every mechanism."""
        assert budget is not None
        epsilons = sorted({*_EPSILONS, float(f"{budget.epsilon:.3g}")})
        out = [["expected correlation", "ε", *(f"n={n}" for n in _PEOPLE)]]
        for name, mechanism in (self.mechanisms or {}).items():
            variant = self if name == self.parameters.name else mechanism.with_noise_for(budget)
            if variant is None:
                continue
            for epsilon in epsilons:
                cells = [variant.correlation(Budget(epsilon, budget.delta), n) for n in _PEOPLE]
                out.append([variant.label, f"{epsilon:g}", *(f"{cell:.2f}" for cell in cells)])
        return out
