"""Signals as Bozkir et al. 2021 publish them: from the plan's words to the mechanism, and to the manifest. Unprotected."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from synthrelease.data.facts import Facts
from synthrelease.data.features import Features
from synthrelease.maths.stored import stored
from synthrelease.mechanisms.bozkir2021 import LPA, PaperParameters, perturbed
from synthrelease.mechanisms.collected import PersonRows
from synthrelease.mechanisms.completed_series import completed_series
from synthrelease.mechanisms.signals import EACH
from synthrelease.noise.entropy import SecureRandom
from synthrelease.outputs.noised_signals import completion_told
from synthrelease.outputs.resolved import (
    Arrays,
    Collector,
    OfFeatures,
    Release,
    feature_entries,
    names_source,
)
from synthrelease.plan import InputSpec, OutputSpec
from synthrelease.privacy.budget import Budget
from synthrelease.privacy.event import BOZKIR2021_EVENT, Event


def _series(data: Features, *, length: int, completion: str) -> PersonRows:
    """Everybody's series, shape (people, recordings, features, n); of who has none, the centre of the bounds."""
    recordings = len(data.recordings)
    group, completed, _ = completed_series(data, length, completion=completion)
    series = np.tile(data.bounds.mean(axis=1), (data.people * recordings, length, 1))
    series[group] = completed
    whole = np.moveaxis(series.reshape(data.people, recordings, length, len(data.bounds)), 2, 3)
    return PersonRows.of(whole)


@dataclass(frozen=True)
class PublishedSignalsOutput:
    """An unprotected signals output with all its parameters."""

    spec: OutputSpec
    source: InputSpec
    facts: Facts
    bounds: dict[str, tuple[float, float]]
    parameters: PaperParameters
    length: int
    noise: None = None
    takes_delta: bool = False

    @property
    def largest_array(self) -> int:
        """How many numbers the largest array that is made at once has."""
        return self.facts.people * self.length

    def calibrate(self, budget: Budget | None) -> Event:  # noqa: ARG002  it keeps to none
        """Return that nothing is protected."""
        return BOZKIR2021_EVENT

    def collector(self) -> Collector:
        """Return what takes people's series."""
        options = {"length": self.length, "completion": self.spec.options["completion"]}
        return OfFeatures(tuple(self.bounds), partial(_series, **options))

    def release(self, collected: PersonRows, budget: Budget | None, random: SecureRandom) -> Release:  # noqa: ARG002
        """Run the mechanism, recording by recording; everybody's series in random order."""
        series = collected.shuffled(random)
        arrays: Arrays = {}
        for r, recording in enumerate(self.facts.names):
            released = perturbed(series[:, r], self.parameters, random=random.spawn(recording)).values[0]
            for f, feature in enumerate(self.bounds):
                arrays[recording, feature, "values"] = stored(released[:, f])
        return Release([partial(dict, arrays)], BOZKIR2021_EVENT)

    def mechanism(self) -> dict[str, Any]:
        """Return the manifest's entry."""
        p = self.parameters
        return {
            "name": p.mechanism,
            "parameters": {
                "calibration": "bozkir2021",
                "query": EACH,
                "paper_epsilon": p.epsilon,
                "length": self.length,
                "chunk": p.chunk,
                "coefficients": None if p.mechanism == LPA else p.coefficients,
                "evaluations": p.evaluations,
                "completion": self.spec.options["completion"],
                "features": feature_entries(self.bounds),
                "recordings": list(self.facts.names),
            },
            "public_inputs": {
                "people": self.facts.people,
                "names": names_source(self.source),
                "length": "listed" if "length" in self.spec.options else "assumed",
            },
        }

    def derivation(self) -> str:
        """Return nothing: there is no sensitivity that follows from public parameters."""
        return ""

    def post_processing(self) -> list[str]:
        """Return what was done to the noisy values."""
        return ["values: everybody's noisy series, in the feature's unit, in random order"]

    def warnings(self) -> list[str]:
        """Return what a reader must know."""
        return [
            f"protects nobody: {BOZKIR2021_EVENT.reason}",
            completion_told(self.length, self.spec.options["completion"]),
        ]

    def prediction(
        self,
        event: Event,  # noqa: ARG002  for others
        budget: Budget | None,  # noqa: ARG002
        people: int | None,  # noqa: ARG002
    ) -> tuple[str, str]:
        """Return that nothing can be expected beforehand."""
        return (
            "not known beforehand: noise and coefficients are taken from the data",
            "no number of people makes it private",
        )
