"""Expected utility of heatmaps in words and a table: the correlation with the exact map to expect, for any budget and n."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from synthrelease.dp.budget import Budget
from synthrelease.dp.calibration import liu2019_level
from synthrelease.dp.event import Event
from synthrelease.kinds.heatmap.expected import MARGIN, Viewing, viewers_needed
from synthrelease.kinds.heatmap.public import HeatmapParameters
from synthrelease.kinds.mechanism import Mechanism
from synthrelease.number_words import several

H = TypeVar("H", bound=HeatmapParameters)

_EPSILONS = (0.5, 1.0, 3.0)
_PEOPLE = (30, 100, 300, 1000, 3000, 10_000)
_ASSIGNMENT = 'assume_public = ["assignment"], or max_stimuli_per_person = m'
_GOOD = 0.8  # a correlation at which a map shows where the hot spots are


@dataclass(frozen=True, kw_only=True)
class HeatmapMechanism(Mechanism[H]):
    """A heatmap output, and what to expect of it."""

    viewing: Viewing | None = None
    mechanisms: Mapping[str, HeatmapMechanism[Any]] | None = (
        None  # that it could be made by, its own among them
    )

    @abstractmethod
    def correlation(self, viewing: Viewing, budget: Budget, people: float) -> float:
        """Return the correlation to expect with the exact map, with so many people on every stimulus."""

    def prediction(
        self,
        event: Event,  # noqa: ARG002  for others
        budget: Budget | None,
        people: int | None,
    ) -> tuple[str, str]:
        """Return the correlation to expect, with the level of privacy, and the people that a good map takes."""
        assert budget is not None
        error, needed = self.expected_correlation(budget, people)
        if people is not None:
            level = liu2019_level(budget.epsilon, budget.delta, people=people)
            error += f"; on the scale good, okay, poor of Liu et al. 2019, this privacy is {level}"
        return error, needed

    def expected_correlation(self, budget: Budget, people: int | None) -> tuple[str, str]:
        """Return the correlation to expect, and the people that a good map takes.

        Args:
            budget: of the output.
            people: in the data, if public: more cannot look at a stimulus.
        """
        viewing, stimuli = self.viewing, len(self.parameters.stimuli)
        assert viewing is not None
        at = partial(self.correlation, viewing, budget)
        viewers = viewing.viewers if people is None else viewing.people_on_stimulus(people, stimuli)
        with_viewers = ""
        if viewers is not None:
            with_viewers = f"CC {at(viewers):.2f} "
            if viewing.viewers is not None:
                with_viewers += f"with {several(round(viewers), 'participant')} per stimulus"
            elif viewing.stimuli_per_person < stimuli:
                with_viewers += (
                    f"AT MOST, if all {people} see {viewing.stimuli_per_person:.0f} of {stimuli} stimuli"
                )
            else:
                with_viewers += f"AT MOST, if all {people} see every stimulus"
                with_viewers += f" (if not, say {_ASSIGNMENT})" if stimuli > 1 else ""
            empty = at(viewers) < viewing.without_data() + MARGIN
            known = "THE PUBLIC MAPS" if viewing.has_public_maps else "IS KNOWN WITHOUT DATA"
            with_viewers += f": NO MORE THAN {known}; " if empty else "; "
        without = f"no data at all gives {viewing.without_data():.2f}"
        if viewing.has_public_maps:
            without = f"public maps alone give {viewing.without_data():.2f} if they are as good as other people's attention"
        return (
            f"{with_viewers}correlation with the exact map, for photographs; {without}",
            viewers_needed(viewing, at, good=_GOOD),
        )

    def comparison(self, budget: Budget | None) -> list[list[str]]:
        """Return a table, its head first: the correlation against ε and people on a stimulus, for every mechanism."""
        assert budget is not None
        assert self.viewing is not None
        epsilons = sorted({*_EPSILONS, float(f"{budget.epsilon:.3g}")})
        out = [["expected CC", "ε", *(f"n={n}" for n in _PEOPLE)]]
        for name, mechanism in (self.mechanisms or {}).items():
            if mechanism.takes_delta and budget.delta == 0:
                continue  # it has no guarantee then
            for epsilon in epsilons:
                at = Budget(epsilon, budget.delta)
                cells = [mechanism.correlation(self.viewing, at, n) for n in _PEOPLE]
                out.append([name, f"{epsilon:g}", *(f"{cell:.2f}" for cell in cells)])
        return out
