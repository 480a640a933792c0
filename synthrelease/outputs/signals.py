"""Feature signals: from the plan's words to the mechanism, and to the manifest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from synthrelease.data.facts import Facts
from synthrelease.data.features import Features
from synthrelease.errors import PlanError
from synthrelease.maths.steps import HALF_RANGE
from synthrelease.mechanisms.signals import EACH, FPA, LPA, MEAN, SignalParameters, calibrate, release
from synthrelease.noise.entropy import SecureRandom
from synthrelease.outputs.resolved import (
    Release,
    chosen_features,
    counted,
    feature_entries,
    names_source,
    noise_of,
    require_replace_one,
)
from synthrelease.plan import InputSpec, OutputSpec
from synthrelease.privacy.budget import GAUSSIAN, Budget
from synthrelease.privacy.event import Event
from synthrelease.privacy.guarantee import Neighbours


@dataclass(frozen=True)
class SignalsOutput:
    """A signals output with all its public parameters."""

    spec: OutputSpec
    source: InputSpec
    facts: Facts
    bounds: dict[str, tuple[float, float]]
    parameters: SignalParameters

    @property
    def noise(self) -> str:
        """Which noise takes budget."""
        return self.parameters.noise

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
            "name": p.mechanism,
            "parameters": {
                "query": p.query,
                "length": p.length,
                "coefficients": p.frequencies if p.mechanism == FPA else None,
                "bound_steps": p.radius if p.mechanism == FPA else HALF_RANGE,
                "half_range_steps": HALF_RANGE,
                "features": feature_entries(self.bounds),
                "recordings": list(self.facts.names),
            },
            "public_inputs": {
                "people": p.people,
                "names": names_source(self.source),
                "length": "listed" if "length" in self.spec.options else "assumed",
            },
        }

    def derivation(self) -> str:
        """Return why the sensitivity is what it is."""
        p = self.parameters
        each = (
            f"{p.length} steps between public bounds"
            if p.mechanism == LPA
            else f"{p.coefficients} orthonormal Fourier coefficients in a ball of radius {p.radius} steps"
        )
        series = f"{counted(p.recordings, 'recording')} of {counted(p.features, 'feature')}"
        return f"each series: {each}; a person has {series}, all changed"

    def post_processing(self) -> list[str]:
        """Return what was done to the noised integers."""
        mean = "divided by the number of people, " if self.parameters.query == MEAN else ""
        back = "transformed back, " if self.parameters.mechanism == FPA else ""
        return [f"values: {mean}{back}in the feature's unit"]

    def warnings(self) -> list[str]:
        """Return what a reader must know."""
        p = self.parameters
        told = [f"series are cut or completed to {p.length} steps; gaps hold the series' last value"]
        if p.query == EACH:
            told.append(
                "each person's series carries the noise of a whole person: the order of people is random"
            )
        return told

    def prediction(
        self,
        event: Event,
        budget: Budget | None,  # noqa: ARG002  for others
        people: int | None,
    ) -> tuple[str, str]:
        """Return the noise of a step as a share of the bounds, and the people at which it is 5 % of them."""
        p = self.parameters
        assert people is not None  # these outputs need replace-one
        noise = noise_of(event)
        assert noise is not None
        per_step = noise.standard_deviation * math.sqrt(p.coefficients / p.length) / (2 * HALF_RANGE)
        divisor = people if p.query == MEAN else 1
        needed = f"{math.ceil(per_step / 0.05)} for ± 5 %" if p.query == MEAN else "no number of people helps"
        return f"each step ± {100 * per_step / divisor:.3g} % of the feature's bounds", needed


def resolve(spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours) -> SignalsOutput:
    """Fill in the public parameters of a signals output.

    Raises:
        PlanError: a parameter is missing or contradicts another.
    """
    o = spec.options
    require_replace_one(spec, neighbours)
    length = o.get("length", facts.longest)
    if length is None:
        raise PlanError(
            "the number of steps is data until it is declared",
            where=spec.where,
            expected='length = STEPS, or assume_public = ["lengths"] in the input',
        )
    most = length // 2 + 1
    if o["mechanism"] == FPA and o["coefficients"] > most:
        raise PlanError(
            "there are not so many frequencies",
            where=f"{spec.where}.coefficients",
            found=str(o["coefficients"]),
            expected=f"1 to {most} for {length} steps",
        )
    bounds = chosen_features(spec, source)
    parameters = SignalParameters(
        mechanism=o["mechanism"],
        noise=o["noise"],
        query=o["query"],
        features=len(bounds),
        recordings=len(facts.names),
        length=length,
        frequencies=o["coefficients"],
        neighbours=neighbours,
        people=facts.people,
    )
    return SignalsOutput(spec, source, facts, bounds, parameters)
