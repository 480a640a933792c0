"""Heatmaps: from the plan's words to the mechanism, and to the manifest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from synthrelease.data.facts import Facts
from synthrelease.data.gaze import Gaze
from synthrelease.data.screen import Screen
from synthrelease.errors import PlanError
from synthrelease.maths.blur import blurred
from synthrelease.mechanisms.heatmap import LIU2019, HeatmapParameters, calibrate, release
from synthrelease.noise.entropy import SecureRandom
from synthrelease.outputs.resolved import Arrays, names_source, noise_of, people_if_public
from synthrelease.plan import InputSpec, OutputSpec
from synthrelease.privacy.budget import GAUSSIAN, Budget
from synthrelease.privacy.event import Event
from synthrelease.privacy.guarantee import Neighbours

_BLUR_SHARE = 0.03  # of the screen's width: 24 px of 800, about 1° in OSIE (Liu et al. 2019; Xu et al. 2014)


@dataclass(frozen=True)
class HeatmapOutput:
    """A heatmap output with all its public parameters."""

    spec: OutputSpec
    source: InputSpec
    facts: Facts
    screen: Screen
    parameters: HeatmapParameters

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

    def release(
        self, data: Gaze, budget: Budget | None, random: SecureRandom
    ) -> tuple[Arrays, Event, tuple[str, ...]]:
        """Run the mechanism."""
        assert budget is not None
        return (*release(data, self.parameters, budget, random=random), ())

    def mechanism(self) -> dict[str, Any]:
        """Return the manifest's entry."""
        p = self.parameters
        return {
            "name": p.noise,
            "parameters": {
                "rows": p.rows,
                "columns": p.columns,
                "cap": p.cap,
                "max_samples_per_stimulus": p.max_samples,
                "max_stimuli_per_person": p.max_stimuli,
                "assignment_public": p.assignment_public,
                "calibration": p.calibration,
                "blur_px": p.blur_px,
                "screen": {"width_px": self.screen.width_px, "height_px": self.screen.height_px},
                "stimuli": list(self.facts.names),
            },
            "public_inputs": {"people": p.people, "names": names_source(self.source)},
        }

    def derivation(self) -> str:
        """Return why the sensitivity is what it is."""
        p = self.parameters
        samples = "any number of" if p.max_samples is None else str(p.max_samples)
        where = "the same ones" if p.assignment_public else "perhaps others"
        return (
            f"a person counts at most {p.cap} per cell and {samples} samples per stimulus, on at most "
            f"{p.max_stimuli} of {p.stimuli} stimuli ({where} once replaced); all maps as one integer vector"
        )

    def post_processing(self) -> list[str]:
        """Return what was done to the noised counts."""
        divided = "divided by the number of people, " if self.parameters.people else ""
        return [f"heatmap: noised counts, {divided}blurred with σ = {self.parameters.blur_px:g} px"]

    def warnings(self) -> list[str]:
        """Return what a reader must know."""
        return []

    def prediction(
        self,
        event: Event,
        budget: Budget | None,  # noqa: ARG002  for others
        people: int | None,
    ) -> tuple[str, str]:
        """Return noise after the blur, and the people at which a hot spot of a tenth of them stands out."""
        p = self.parameters
        noise = noise_of(event)
        assert noise is not None
        impulse = np.zeros((p.rows, p.columns))
        impulse[p.rows // 2, p.columns // 2] = 1.0
        screen = (self.screen.width_px, self.screen.height_px)
        kernel = math.sqrt(float((blurred(impulse, blur_px=p.blur_px, screen_px=screen) ** 2).sum()))
        deviation = noise.standard_deviation * kernel
        needed = math.ceil(3 * deviation / 0.1)
        return (
            f"each cell ± {deviation:.3g} counts after the blur"
            + ("" if people is None else f"; {people} people can give {people * p.cap}"),
            f"{needed} for a spot where 10 % look to stand out threefold",
        )


def resolve(spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours) -> HeatmapOutput:
    """Fill in the public parameters of a heatmap output.

    Raises:
        PlanError: a parameter contradicts another.
    """
    o = spec.options
    screen = Screen(source.options["screen"]["width_px"], source.options["screen"]["height_px"])
    max_samples = o["max_samples_per_stimulus"]
    if o["calibration"] == LIU2019 and max_samples != "unlimited":
        raise PlanError(
            "Liu et al. 2019 do not bound a person's samples",
            where=spec.where,
            expected='max_samples_per_stimulus = "unlimited" with calibration = "liu2019"',
        )
    stimuli = len(facts.names)
    parameters = HeatmapParameters(
        stimuli=stimuli,
        rows=o.get("height_px", screen.height_px),
        columns=o.get("width_px", screen.width_px),
        cap=o["cap"],
        max_samples=None if max_samples == "unlimited" else max_samples,
        max_stimuli=min(o.get("max_stimuli_per_person", stimuli), stimuli),
        assignment_public="assignment" in source.options["assume_public"],
        neighbours=neighbours,
        noise=o["mechanism"],
        calibration=o["calibration"],
        blur_px=float(o.get("blur_px", _BLUR_SHARE * screen.width_px)),
        people=people_if_public(facts, neighbours),
    )
    return HeatmapOutput(spec, source, facts, screen, parameters)
