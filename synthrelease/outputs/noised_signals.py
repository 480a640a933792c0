"""Signals by LPA, FPA, CFPA or DCFPA: from the plan's words to the mechanism, and to the manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.facts import Facts
from synthrelease.maths.signal_form import DCFPA, LPA
from synthrelease.maths.steps import HALF_RANGE
from synthrelease.mechanisms import private_frequencies, private_parameter
from synthrelease.mechanisms.private_frequencies import PrivateFrequencies
from synthrelease.mechanisms.signals import EACH, MEAN, SignalParameters, calibrate, collect, draw, series_of
from synthrelease.noise.entropy import SecureRandom
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
from synthrelease.privacy.event import Event, noise_of


@dataclass(frozen=True)
class NoisedSignalsOutput(PredictedSignals):
    """A signals output with all its public parameters."""

    spec: OutputSpec
    source: InputSpec
    facts: Facts
    bounds: dict[str, tuple[float, float]]
    parameters: SignalParameters
    quality: Quality
    private_frequencies: PrivateFrequencies | None

    @property
    def noise(self) -> str:
        """Which noise takes budget."""
        return self.parameters.noise

    @property
    def takes_delta(self) -> bool:
        """Whether the promise needs a δ."""
        return self.noise == GAUSSIAN

    @property
    def largest_array(self) -> int:
        """How many numbers the largest array that is made at once has."""
        p = self.parameters
        return (p.people if p.query == EACH else 1) * p.form.length

    def calibrate(self, budget: Budget | None) -> Event:
        """Return the event that the budget buys."""
        assert budget is not None
        if self.private_frequencies is not None:
            return private_parameter.calibrate(self.private_frequencies, budget)
        return calibrate(self.parameters, budget)

    def collector(self) -> Collector:
        """Return what takes people's contributions."""
        private = self.private_frequencies
        own = (
            partial(collect, parameters=self.parameters)
            if private is None
            else partial(private_frequencies.collect, private=private)
        )
        return OfFeatures(tuple(self.bounds), own)

    def release(self, collected: Any, budget: Budget | None, random: SecureRandom) -> Release:
        """Draw on what all people contribute."""
        assert budget is not None
        chosen: dict[str, Any] = {}
        event: Event
        if self.private_frequencies is None:
            noisy, event = draw(collected, self.parameters, budget, random=random)
        else:
            noisy, event, k = private_frequencies.draw(
                collected, self.private_frequencies, budget, random=random
            )
            chosen = self.private_frequencies.chosen(k)
        noise = noise_of(event)
        assert noise is not None
        derivations = self.settled(chosen).derivations(noisy, noise.standard_deviation)
        return Release(derivations, event, chosen=chosen)

    def rehearsed(self, budget: Budget | None) -> Release | None:
        """Return a release with most frequencies, without values; None if there is no choice."""
        private = self.private_frequencies
        if private is None or budget is None:
            return None
        event = private_parameter.with_last(private, budget)
        return Release((), event, chosen=private.chosen(private.candidates[-1]))

    def settled(self, chosen: Mapping[str, Any]) -> NoisedSignalsOutput:
        """Return the output with the frequencies that were chosen, as if the plan had named them; itself if there was no choice."""
        if self.private_frequencies is None:
            return self
        parameters = self.private_frequencies.at(chosen["coefficients"])
        return replace(self, parameters=parameters, private_frequencies=None)

    def derivations(self, noisy: NDArray[np.int64], deviation: float) -> list[Derivation]:
        """Return what makes the release of noised integers, shape (R, F, K) or (people, R, F, K)."""
        p = self.parameters
        show = partial(series_of, parameters=p, deviation=deviation)
        if p.query == MEAN:
            return [partial(show, noisy, self.facts.names, self.bounds)]
        return [  # large: a recording's feature at a time
            partial(show, noisy[:, r : r + 1, f : f + 1], [recording], {feature: limits})
            for r, recording in enumerate(self.facts.names)
            for f, (feature, limits) in enumerate(self.bounds.items())
        ]

    def mechanism(self) -> dict[str, Any]:
        """Return the manifest's entry."""
        p, form = self.parameters, self.parameters.form
        private = self.private_frequencies
        return {
            "name": form.mechanism,
            "parameters": {
                "calibration": "exact",
                "query": p.query,
                "length": form.length,
                "chunk": form.chunk,
                "coefficients": form.frequencies,
                "candidates": None if private is None else list(private.candidates),
                "max_change_steps": form.max_change,
                "clip": form.clip,
                "bound_steps": list(p.radii),
                "half_range_steps": HALF_RANGE,
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
        p, form = self.parameters, self.parameters.form
        what = "orthonormal Fourier coefficients"
        if form.mechanism == DCFPA:
            what += " of its differences"
        each = f"{form.length} steps between public bounds"
        if form.mechanism != LPA:
            chunks = [
                f"{counted(part.chunks, 'chunk')} of {part.length} steps, "
                + (
                    f"{part.count} {what} of each in a ball of radius {part.radius} steps"
                    if self.private_frequencies is None
                    else f"the chosen number of {what} of each in a ball"
                )
                for part in form.parts
            ]
            each = "; ".join(chunks)
        series = f"{counted(p.recordings, 'recording')} of {counted(p.features, 'feature')}"
        return f"each series: {each}; a person has {series}, all changed"

    def post_processing(self) -> list[str]:
        """Return what was done to the noised integers."""
        form = self.parameters.form
        mean = "divided by the number of people, " if self.parameters.query == MEAN else ""
        back = "" if form.mechanism == LPA else "transformed back, "
        if form.mechanism == DCFPA:
            back += "added up from the start of each chunk, "
        return [
            f"values: {mean}{back}in the feature's unit",
            "uncertainty: standard deviation of the noise in each step; what the frequencies leave out is not in it",
        ]

    def warnings(self) -> list[str]:
        """Return what a reader must know."""
        p = self.parameters
        told = [completion_told(p.form.length, p.completion)]
        if p.query == EACH:
            told.append(
                "each person's series carries the noise of a whole person: the order of people is random"
            )
        return told


def completion_told(length: int, completion: str) -> str:
    """Return what becomes of series that are too long, too short, or have gaps."""
    short = "held at their last value" if completion == "hold" else "completed by the centre of the bounds"
    return (
        f"series are cut to {length} steps, or {short}; gaps hold the value before them, of the same person"
    )
