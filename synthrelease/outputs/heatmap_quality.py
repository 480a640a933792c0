"""What heatmaps will be worth, from public parameters: the correlation with the exact map to expect, for any budget and n.

Maps are taken to be as those of photographs (`maths.centre_bias`), and three numbers below were fitted to what was measured
on images 1001–1010 of mouse-tracked OSIE; on others it was within 0.1 (docs/heatmaps.md). Elsewhere it is an orientation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from synthrelease.errors import PolicyError
from synthrelease.maths.centre_bias import CENTRE, prior
from synthrelease.maths.expected_quality import (
    correlation_of_cells,
    correlation_of_posterior,
    people_needed,
)
from synthrelease.maths.inversion import Prior
from synthrelease.maths.spectral import CUTOFF
from synthrelease.maths.spectrum import Band, band
from synthrelease.mechanisms import gaze_maps, spectral
from synthrelease.mechanisms.gaze_maps import GazeMapParameters
from synthrelease.mechanisms.spectral import SpectralParameters
from synthrelease.privacy.budget import GAUSSIAN, Budget
from synthrelease.privacy.calibration import liu2019_level
from synthrelease.privacy.event import Event
from synthrelease.report.number_words import several

_LEFT = 0.7  # of a person's map after clipping on one stimulus, at the default clip
_POWER = 0.4  # of the prior's variance: maps of many people are flatter than those of 15
_SEEN_THROUGH = 0.5  # of the noise's variance: what knowing that maps are not negative is worth
_WITHIN_CAP = 0.75  # of the samples that could count
_PLACES = 25  # cells of the blur's size that a person is in; finer cells are √ as many (mouse-tracked, 5 s an image)
_COUNTED = 100  # samples of a person, where their number is not bounded
_EPSILONS = (0.5, 1.0, 3.0)
_PEOPLE = (30, 100, 300, 1000, 3000, 10_000)
_NOTHING = 0.03  # of correlation: what a map has to tell beyond what is known without any data
_ASSIGNMENT = 'assume_public = ["assignment"], or max_stimuli_per_person = m'
_GOOD = 0.8  # a correlation at which a map shows where the hot spots are

Parameters = SpectralParameters | GazeMapParameters


@dataclass(frozen=True)
class Quality:
    """What to expect of a heatmap output, and of the same output by other mechanisms.

    Attributes:
        mechanisms: the parameters of each by name.
        own: the name of the plan's.
        blurs: σ_b of the blur as a share of height and width.
        viewers: people on a stimulus, on average, if public.
        seen: stimuli of a person, on average, or at most if that is not public.
    """

    mechanisms: Mapping[str, Parameters]
    own: str
    blurs: tuple[float, ...]
    viewers: float | None
    seen: float

    def prediction(self, budget: Budget, everybody: int | None) -> tuple[str, str]:
        """Return the correlation to expect, and the people that a good map takes.

        Args:
            budget: of the output.
            everybody: people in the data, if public: more cannot look at a stimulus.
        """
        at = partial(self.correlation, self.own, budget)
        viewers, stimuli = self.viewers, self.mechanisms[self.own].stimuli
        if viewers is None and everybody is not None:
            viewers = everybody * min(1.0, self.seen / stimuli)  # a person counts on no more
        few = ""
        if viewers is not None:
            few = f"CC {at(viewers):.2f} "
            if self.viewers is not None:
                few += f"with {several(round(viewers), 'person', 'people')} a stimulus"
            elif self.seen < stimuli:
                few += f"AT MOST, if all {everybody} see {self.seen:.0f} of {stimuli} stimuli"
            else:
                few += f"AT MOST, if all {everybody} see every stimulus"
                few += f" (if not, say {_ASSIGNMENT})" if stimuli > 1 else ""
            empty = at(viewers) < self.without_data() + _NOTHING
            few += ": NO MORE THAN IS KNOWN WITHOUT DATA; " if empty else "; "
        needed = people_needed(at, _GOOD)
        people = "more than there are" if needed is None else str(needed)
        return (
            f"{few}correlation with the exact map, for photographs; no data at all gives {self.without_data():.2f}",
            f"{people} on each stimulus for CC ≥ {_GOOD:g}",
        )

    def comparison(self, budget: Budget) -> list[list[str]]:
        """Return a table, its head first: the correlation against ε and people on a stimulus, for every mechanism."""
        epsilons = sorted({*_EPSILONS, float(f"{budget.epsilon:.3g}")})
        out = [["expected CC", "ε", *(f"n={n}" for n in _PEOPLE)]]
        for name, parameters in self.mechanisms.items():
            if budget.delta == 0 and getattr(parameters, "noise", GAUSSIAN) == GAUSSIAN:
                continue  # it could promise nothing
            for epsilon in epsilons:
                cells = [self.correlation(name, Budget(epsilon, budget.delta), n) for n in _PEOPLE]
                out.append([name, f"{epsilon:g}", *(f"{cell:.2f}" for cell in cells)])
        return out

    def without_data(self) -> float:
        """Return the correlation of the centre bias alone: what every claim of utility must beat."""
        frequencies = self._band()
        none = np.full(frequencies.count, math.inf)
        return correlation_of_posterior(self._expected, frequencies, none, mean_known=True)

    def correlation(self, name: str, budget: Budget, people: float) -> float:
        """Return the correlation to expect of a mechanism with so many people on every stimulus."""
        parameters, frequencies = self.mechanisms[name], self._band()
        expected = self._expected
        if isinstance(parameters, SpectralParameters):
            form = parameters.form
            left = min(1.0, _LEFT / math.sqrt(self.seen if parameters.joint else 1.0))
            noise = spectral.calibrate(parameters, budget).standard_deviation
            # Of a dynamic map the first coefficients are those that do not change over time: the map of the whole window.
            unit = form.steps()[: frequencies.count] * (left * people)
            variance = _SEEN_THROUGH * (noise / unit) ** 2
            return correlation_of_posterior(expected, frequencies, variance, mean_known=form.prior == CENTRE)
        cells = parameters.rows * parameters.columns
        try:
            noise = gaze_maps.calibrate(parameters, budget).standard_deviation
        except PolicyError:  # the paper's calibration does not suffice
            return 0.0
        places = _PLACES * math.sqrt(math.sqrt(self.blurs[0] * self.blurs[1] * cells))
        counted = _WITHIN_CAP * min(parameters.max_samples or _COUNTED, min(cells, places) * parameters.cap)
        return correlation_of_cells(
            expected,
            frequencies,
            noise**2 * cells / (people * counted) ** 2,
            rows=parameters.rows,
            columns=parameters.columns,
        )

    @cached_property
    def _expected(self) -> Prior:
        shipped = prior(CENTRE, self._band())
        return replace(shipped, power=_POWER * shipped.power)

    def _band(self) -> Band:
        return band(self.blurs, CUTOFF)


class Predicted:
    """A heatmap output that tells what to expect of it."""

    quality: Quality

    def prediction(
        self,
        event: Event,  # noqa: ARG002  for others
        budget: Budget | None,
        people: int | None,
    ) -> tuple[str, str]:
        """Return the correlation to expect, with the level of privacy, and the people that a good map takes."""
        assert budget is not None
        error, needed = self.quality.prediction(budget, people)
        if people is not None:
            level = liu2019_level(budget.epsilon, budget.delta, people=people)
            error += f"; Liu et al. 2019 would call the promise {level} privacy"
        return error, needed

    def comparison(self, budget: Budget | None) -> list[list[str]]:
        """Return the table of what to expect of every mechanism."""
        assert budget is not None
        return self.quality.comparison(budget)
