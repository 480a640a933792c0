"""Spectral mean signals: from the plan's words to the mechanism, and to the manifest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.facts import Facts
from synthrelease.maths.spectral_signals import NO_BASELINE, OF_PERSON, OF_RECORDING, OF_START, RADIUS
from synthrelease.mechanisms.collected import Sums
from synthrelease.mechanisms.signals import MEAN
from synthrelease.mechanisms.spectral_signals import (
    SpectralSignalParameters,
    calibrate,
    collect,
    derived_signals,
    draw,
)
from synthrelease.noise.entropy import SecureRandom
from synthrelease.outputs.noised_signals import completion_told
from synthrelease.outputs.resolved import (
    Collector,
    Derivation,
    OfFeatures,
    Release,
    counted,
    feature_entries,
    names_source,
)
from synthrelease.outputs.signal_quality import PredictedSignals, Quality
from synthrelease.plan import InputSpec, OutputSpec
from synthrelease.privacy.budget import GAUSSIAN, Budget
from synthrelease.privacy.event import Event

_CHANGES = {
    NO_BASELINE: "",
    OF_PERSON: "values are changes from each person's own mean over all their recordings of the feature",
    OF_RECORDING: "values are changes from each person's own mean over the recording",
    OF_START: "values are changes from each person's own mean over the first steps of the recording",
}


@dataclass(frozen=True)
class SpectralSignalsOutput(PredictedSignals):
    """A spectral signals output with all its public parameters."""

    spec: OutputSpec
    source: InputSpec
    facts: Facts
    bounds: dict[str, tuple[float, float]]
    parameters: SpectralSignalParameters
    quality: Quality
    noise: str = GAUSSIAN
    takes_delta: bool = True

    @property
    def largest_array(self) -> int:
        """How many numbers the largest array that is made at once has."""
        return self.parameters.form.length

    def calibrate(self, budget: Budget | None) -> Event:
        """Return the event that the budget buys."""
        assert budget is not None
        return calibrate(self.parameters, budget)

    def collector(self) -> Collector:
        """Return what takes people's contributions."""
        return OfFeatures(tuple(self.bounds), partial(collect, parameters=self.parameters))

    def release(self, collected: Sums, budget: Budget | None, random: SecureRandom) -> Release:
        """Draw on what all people contribute."""
        assert budget is not None
        noisy, event = draw(collected, self.parameters, budget, random=random)
        return Release(self.derivations(noisy, event.standard_deviation), event)

    def derivations(self, noisy: NDArray[np.int64], deviation: float) -> list[Derivation]:
        """Return what makes the release of noised integers, shape (recordings, features, 1 + K)."""
        return [partial(derived_signals, noisy, self.facts.names, self.bounds, self.parameters, deviation)]

    def mechanism(self) -> dict[str, Any]:
        """Return the manifest's entry."""
        p, form = self.parameters, self.parameters.form
        return {
            "name": "spectral",
            "parameters": {
                "query": MEAN,
                "length": form.length,
                "cosines": form.cosines,
                "baseline": form.baseline,
                "baseline_steps": form.baseline_steps,
                "clip": form.clip,
                "radius_steps": RADIUS,
                "constant_steps": form.constant,
                "completion": p.completion,
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
        form = self.parameters.form
        series = (
            f"{counted(self.parameters.recordings, 'recording')} of "
            f"{counted(self.parameters.features, 'feature')}"
        )
        return (
            f"a constant and {counted(form.cosines, 'coefficient')} of each series of a person, {series} together, are "
            f"clipped to a ball of {RADIUS} steps"
        )

    def post_processing(self) -> list[str]:
        """Return what was done to the noised integers."""
        return [
            "mass: how many people's worth of series is left after clipping, from the noised constants",
            "values: divided by mass, all but the level shrunk as the known noise calls for, in the feature's unit",
            "uncertainty: standard deviation of the error from noise, shrinking and mass, against the mean of clipped people",
        ]

    def warnings(self) -> list[str]:
        """Return what a reader must know."""
        form = self.parameters.form
        change = _CHANGES[form.baseline]
        return [
            *([change] if change else []),
            completion_told(form.length, self.parameters.completion),
            "people who stray more than others count less: their series were clipped to the same norm",
        ]
