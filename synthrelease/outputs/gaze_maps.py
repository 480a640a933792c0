"""Gaze maps with noise on every cell: from the plan's words to the mechanism, and to the manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.facts import Facts
from synthrelease.data.screen import Screen
from synthrelease.mechanisms import private_cap, private_parameter
from synthrelease.mechanisms.gaze_maps import GazeMapParameters, calibrate, collect, draw, maps_of
from synthrelease.mechanisms.private_cap import PrivateCap
from synthrelease.noise.entropy import SecureRandom
from synthrelease.outputs.heatmap_quality import Predicted, Quality
from synthrelease.outputs.resolved import Collector, Derivation, Release, names_source
from synthrelease.plan import InputSpec, OutputSpec
from synthrelease.privacy.budget import GAUSSIAN, Budget
from synthrelease.privacy.event import Event


@dataclass(frozen=True)
class GazeMapOutput(Predicted):
    """A gaze map output with all its public parameters."""

    spec: OutputSpec
    source: InputSpec
    facts: Facts
    screen: Screen
    parameters: GazeMapParameters
    quality: Quality
    private_cap: PrivateCap | None

    @property
    def noise(self) -> str:
        """Which noise takes budget."""
        return self.parameters.noise

    @property
    def largest_array(self) -> int:
        """How many numbers the largest array that is made at once has."""
        return self.parameters.rows * self.parameters.columns

    def calibrate(self, budget: Budget | None) -> Event:
        """Return the event that the budget buys."""
        assert budget is not None
        if self.private_cap is not None:
            return private_parameter.calibrate(self.private_cap, budget)
        return calibrate(self.parameters, budget)

    @property
    def takes_delta(self) -> bool:
        """Whether the promise needs a δ."""
        return self.noise == GAUSSIAN

    def collector(self) -> Collector:
        """Return what takes people's contributions."""
        if self.private_cap is not None:
            return partial(private_cap.collect, private=self.private_cap)
        return partial(collect, parameters=self.parameters)

    def release(self, collected: Any, budget: Budget | None, random: SecureRandom) -> Release:
        """Draw on what all people contribute."""
        assert budget is not None
        chosen = {}
        event: Event
        if self.private_cap is None:
            noisy, event = draw(collected, self.parameters, budget, random=random)
        else:
            noisy, event, chosen["cap"] = private_cap.draw(collected, self.private_cap, budget, random=random)
        return Release(self.derivations(noisy), event, chosen=chosen)

    def rehearsed(self, budget: Budget | None) -> Release | None:
        """Return a release with the largest cap, without values; None if there is no choice."""
        if self.private_cap is None or budget is None:
            return None
        event = private_parameter.with_last(self.private_cap, budget)
        return Release((), event, chosen={"cap": self.private_cap.candidates[-1]})

    def derivations(self, noisy: NDArray[np.int64]) -> list[Derivation]:
        """Return what makes the release of noised integers, shape (S, rows, columns)."""
        names = self.facts.names
        show = partial(maps_of, parameters=self.parameters, screen=self.screen)
        return [partial(show, noisy[s : s + 1], names[s : s + 1]) for s in range(len(names))]

    def settled(self, chosen: Mapping[str, Any]) -> GazeMapOutput:
        """Return the output with the cap that was chosen, as if the plan had named it; itself if there was no choice."""
        if self.private_cap is None:
            return self
        return replace(self, parameters=self.private_cap.at(chosen["cap"]), private_cap=None)

    def mechanism(self) -> dict[str, Any]:
        """Return the manifest's entry."""
        p = self.parameters
        return {
            "name": p.noise,
            "parameters": {
                "rows": p.rows,
                "columns": p.columns,
                "cap": p.cap,
                "caps": None if self.private_cap is None else list(self.private_cap.candidates),
                "max_samples_per_stimulus": p.max_samples,
                "max_stimuli_per_person": p.max_stimuli,
                "assignment_public": p.assignment_public,
                "calibration": p.calibration,
                "blur_px": p.blur_px,
                "screen": dict(self.source.options["screen"]),
                "stimuli": list(self.facts.names),
            },
            "public_inputs": {"people": p.people, "names": names_source(self.source)},
        }

    def derivation(self) -> str:
        """Return why the sensitivity is what it is."""
        p = self.parameters
        cap = p.cap if self.private_cap is None else "the chosen cap"
        samples = "any number of" if p.max_samples is None else str(p.max_samples)
        where = "the same ones" if p.assignment_public else "perhaps others"
        return (
            f"a person counts at most {cap} per cell and {samples} samples per stimulus, on at most "
            f"{p.max_stimuli} of {p.stimuli} stimuli ({where} once replaced); all maps as one integer vector"
        )

    def post_processing(self) -> list[str]:
        """Return what was done to the noised counts."""
        divided = "divided by the number of people, " if self.parameters.people else ""
        return [f"heatmap: noised counts, {divided}blurred with σ = {self.parameters.blur_px:g} px"]

    def warnings(self) -> list[str]:
        """Return what a reader must know."""
        if self.private_cap is None:
            return []
        return ["the cap was chosen privately from a public list, for a small squared error before the blur"]
