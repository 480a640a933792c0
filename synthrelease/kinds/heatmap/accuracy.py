"""Expected utility of heatmaps, from public parameters: the correlation with the exact map to expect, for any budget and n.

Maps are taken to be as those of photographs (`numerics.centre_bias`), and numbers here and next to the mechanisms were fitted to what was
measured on images 1001–1010 of mouse-tracked OSIE; on others it was within 0.1 (docs/evidence/utility.md). Elsewhere it is an orientation.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np

from synthrelease.dp.budget import Budget
from synthrelease.dp.calibration import liu2019_level
from synthrelease.dp.event import Event
from synthrelease.kinds.heatmap.public import HeatmapParameters
from synthrelease.kinds.mechanism import Mechanism
from synthrelease.number_words import several
from synthrelease.numerics.centre_bias import CENTRE, prior
from synthrelease.numerics.expected_quality import correlation_of_posterior, people_needed
from synthrelease.numerics.inversion import Prior
from synthrelease.numerics.spectral import CUTOFF
from synthrelease.numerics.spectrum import Band, band

H = TypeVar("H", bound=HeatmapParameters)

SEEN_THROUGH = 0.5  # of the noise's variance: the gain of knowing that maps are not negative
_POWER = 0.4  # of the prior's variance: maps of many people are flatter than those of 15
_EPSILONS = (0.5, 1.0, 3.0)
_PEOPLE = (30, 100, 300, 1000, 3000, 10_000)
_NOTHING = 0.03  # of correlation: what a map must show beyond what is known without any data
_ASSIGNMENT = 'assume_public = ["assignment"], or max_stimuli_per_person = m'
_GOOD = 0.8  # a correlation at which a map shows where the hot spots are


@dataclass(frozen=True)
class Viewing:
    """How stimuli are looked at, as far as that is public."""

    blurs: tuple[float, ...]  # σ_b of the blur as a share of height and width
    viewers: float | None  # people on a stimulus, on average, if public
    stimuli_per_person: float  # stimuli of a person, on average, or at most if that is not public

    @property
    def band(self) -> Band:
        """The frequencies that the blur leaves."""
        return band(self.blurs, CUTOFF)

    @cached_property
    def expected(self) -> Prior:
        """The maps to expect."""
        shipped = prior(CENTRE, self.band)
        return replace(shipped, power=_POWER * shipped.power)

    def without_data(self) -> float:
        """Return the correlation of the centre bias alone: what every claim of utility must beat."""
        none = np.full(self.band.count, math.inf)
        return correlation_of_posterior(self.expected, self.band, none, mean_known=True)


@dataclass(frozen=True, kw_only=True)
class Heatmap(Mechanism[H]):
    """A heatmap output, and what to expect of it."""

    viewing: Viewing | None = None
    mechanisms: Mapping[str, Heatmap[Any]] | None = None  # that it could be made by, its own among them

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
        viewers = viewing.viewers
        if viewers is None and people is not None:
            viewers = people * min(1.0, viewing.stimuli_per_person / stimuli)  # a person counts on no more
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
            empty = at(viewers) < viewing.without_data() + _NOTHING
            with_viewers += ": NO MORE THAN IS KNOWN WITHOUT DATA; " if empty else "; "
        needed = people_needed(at, _GOOD)
        enough = "more than there are" if needed is None else str(needed)
        return (
            f"{with_viewers}correlation with the exact map, for photographs; no data at all gives {viewing.without_data():.2f}",
            f"{enough} on each stimulus for CC ≥ {_GOOD:g}",
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
