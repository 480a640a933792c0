"""Statistics: from the plan's words to the mechanism, and to the manifest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from synthrelease.data.facts import Facts
from synthrelease.data.features import Features
from synthrelease.maths.derived import HISTOGRAM, PERSON_STEPS
from synthrelease.maths.steps import HALF_RANGE
from synthrelease.mechanisms.statistics import StatisticsParameters, calibrate, release
from synthrelease.noise.entropy import SecureRandom
from synthrelease.outputs.resolved import (
    Release,
    chosen_features,
    counted,
    feature_entries,
    names_source,
    noise_of,
    people_if_public,
)
from synthrelease.plan import InputSpec, OutputSpec
from synthrelease.privacy.budget import GAUSSIAN, LAPLACE, Budget
from synthrelease.privacy.event import Event
from synthrelease.privacy.guarantee import Neighbours


@dataclass(frozen=True)
class StatisticsOutput:
    """A statistics output with all its public parameters."""

    spec: OutputSpec
    source: InputSpec
    facts: Facts
    bounds: dict[str, tuple[float, float]]
    parameters: StatisticsParameters
    noise: str = LAPLACE

    def calibrate(self, budget: Budget | None) -> Event:
        """Return the event that the budget buys."""
        assert budget is not None
        return calibrate(self.parameters, budget)

    @property
    def takes_delta(self) -> bool:
        """Whether the promise needs a δ."""
        return self.noise == GAUSSIAN

    def release(self, data: Features, budget: Budget | None, random: SecureRandom) -> Release:
        """Run the mechanism."""
        assert budget is not None
        return Release(*release(data.only(list(self.bounds)), self.parameters, budget, random=random))

    def mechanism(self) -> dict[str, Any]:
        """Return the manifest's entry."""
        p = self.parameters
        return {
            "name": "discrete_laplace",
            "parameters": {
                "statistics": list(p.statistics),
                "bins": p.bins,
                "half_range_steps": HALF_RANGE,
                "features": feature_entries(self.bounds),
            },
            "public_inputs": {"people": p.people, "names": names_source(self.source)},
        }

    def derivation(self) -> str:
        """Return why the sensitivity is what it is."""
        p = self.parameters
        return (
            f"a person is one aggregate in every statistic of {counted(p.features, 'feature')}, "
            f"{p.sensitivity().l1} steps in L1 at most; all as one integer vector"
        )

    def post_processing(self) -> list[str]:
        """Return what was done to the noised integers."""
        told = ["value: noised steps in people, or in the feature's unit"]
        if HISTOGRAM in self.parameters.statistics:
            told.append("histograms are not clipped to positive shares")
        return told

    def warnings(self) -> list[str]:
        """Return what a reader must know."""
        return ["a person with several rows counts once, with the mean (or the shares) of their values"]

    def prediction(
        self,
        event: Event,
        budget: Budget | None,  # noqa: ARG002  for others
        people: int | None,
    ) -> tuple[str, str]:
        """Return the 95 % error of one value, and the people at which a mean is within 5 % of its bounds."""
        noise = noise_of(event)
        assert noise is not None
        within = noise.scale * math.log(20)  # P(|Laplace| > b·ln 20) = 1/20
        mean = within / PERSON_STEPS
        error = f"95 %: counts ± {mean:.3g} people"
        if people is not None:
            error += f", means ± {100 * mean / people:.3g} % of the bounds, histograms ± {within / HALF_RANGE / people:.3g}"
        return error, f"{math.ceil(mean / 0.05)} for means ± 5 %"


def resolve(spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours) -> StatisticsOutput:
    """Fill in the public parameters of a statistics output.

    Raises:
        PlanError: a feature has no bounds.
    """
    bounds = chosen_features(spec, source)
    parameters = StatisticsParameters(
        statistics=tuple(spec.options["statistics"]),
        features=len(bounds),
        bins=spec.options["bins"],
        neighbours=neighbours,
        people=people_if_public(facts, neighbours),
    )
    return StatisticsOutput(spec, source, facts, bounds, parameters)
