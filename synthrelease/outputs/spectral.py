"""Spectral heatmaps: from the plan's words to the mechanism, and to the manifest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.facts import Facts
from synthrelease.data.screen import Screen
from synthrelease.maths.spectral import CONSTANT_STEPS, CUTOFF, RADIUS
from synthrelease.mechanisms.collected import Sums
from synthrelease.mechanisms.spectral import (
    SpectralParameters,
    calibrate,
    collect,
    draw,
    held_masses,
    maps_of,
)
from synthrelease.noise.entropy import SecureRandom
from synthrelease.outputs.heatmap_quality import Predicted, Quality
from synthrelease.outputs.resolved import Collector, Derivation, Release, names_source
from synthrelease.plan import InputSpec, OutputSpec
from synthrelease.privacy.budget import GAUSSIAN, Budget
from synthrelease.privacy.event import Event

_TOGETHER = 4  # maps that are derived in one go, of about 10 ms each


@dataclass(frozen=True)
class SpectralOutput(Predicted):
    """A spectral heatmap output with all its public parameters."""

    spec: OutputSpec
    source: InputSpec
    facts: Facts
    screen: Screen
    blur: tuple[float, float | None]  # σ_b in pixels, and over time in the unit of the data
    parameters: SpectralParameters
    quality: Quality
    noise: str = GAUSSIAN
    takes_delta: bool = True

    @property
    def largest_array(self) -> int:
        """How many numbers the largest array that is made at once has."""
        return math.prod(self.parameters.form.cells)

    def calibrate(self, budget: Budget | None) -> Event:
        """Return the event that the budget buys."""
        assert budget is not None
        return calibrate(self.parameters, budget)

    def collector(self) -> Collector:
        """Return what takes people's contributions."""
        return partial(collect, parameters=self.parameters)

    def release(self, collected: Sums, budget: Budget | None, random: SecureRandom) -> Release:
        """Draw on what all people contribute."""
        assert budget is not None
        noisy, event = draw(collected, self.parameters, budget, random=random)
        return Release(self.derivations(noisy, event.standard_deviation), event)

    def derivations(self, noisy: NDArray[np.int64], deviation: float) -> list[Derivation]:
        """Return what makes the release of noised integers, shape (S, K)."""
        p, names = self.parameters, self.facts.names
        held = held_masses(noisy, p, deviation)
        some = [slice(start, start + _TOGETHER) for start in range(0, len(names), _TOGETHER)]
        return [partial(maps_of, noisy[s], held[s], names[s], p.form, deviation) for s in some]

    def mechanism(self) -> dict[str, Any]:
        """Return the manifest's entry."""
        p = self.parameters
        *frames, rows, columns = p.form.cells
        return {
            "name": "spectral",
            "parameters": {
                "rows": rows,
                "columns": columns,
                "frames": frames[0] if frames else None,
                "window": None if p.window is None else list(p.window),
                "blur_px": self.blur[0],
                "blur_time": self.blur[1],
                "cutoff": CUTOFF,
                "exponent": p.form.exponent,
                "clip": p.form.clip,
                "clipping": "joint" if p.joint else "per-stimulus",
                "radius_steps": RADIUS,
                "constant_steps": CONSTANT_STEPS,
                "max_stimuli_per_person": p.max_stimuli,
                "assignment_public": p.assignment_public,
                "weight": p.weight,
                "prior": p.form.prior,
                "screen": dict(self.source.options["screen"]),
                "stimuli": list(self.facts.names),
            },
            "public_inputs": {
                "people": p.people,
                "names": names_source(self.source),
                "viewers": None if p.viewers is None else list(p.viewers),
            },
        }

    def derivation(self) -> str:
        """Return why the sensitivity is what it is."""
        p = self.parameters
        count = f"the {p.form.band.count} weighted coefficients of a person's map"
        if p.stimuli == 1:
            return f"{count} are clipped to a ball of {RADIUS} steps"
        if p.joint:
            return f"{count}, on all {p.stimuli} stimuli together, are clipped to a ball of {RADIUS} steps"
        return (
            f"{count} on each stimulus are clipped to a ball of {RADIUS} steps, and a person counts on at most "
            f"{p.max_stimuli} of {p.stimuli} stimuli"
        )

    def post_processing(self) -> list[str]:
        """Return what was done to the noised coefficients."""
        p = self.parameters
        shares = "public numbers of viewers and the noised constants" if p.viewers else "the noised constants"
        prior = "the centre bias of public data" if p.form.prior == "centre" else "an even map"
        shown = (
            f"heatmap: coefficients divided by mass and weight, shrunk towards {prior} as the known noise calls for, then "
            f"the nearest map that is nowhere negative, blurred with σ = {self.blur[0]:g} px"
        )
        return [
            f"mass: how many people's worth of map is left after clipping, from {shares}",
            shown,
            "uncertainty: standard deviation of the heatmap's error before negative values are ruled out",
        ]

    def warnings(self) -> list[str]:
        """Return what a reader must know."""
        if self.parameters.form.prior == "centre":
            return [
                "where noise drowns the data a map looks like the centre bias of photographs: read it with its uncertainty"
            ]
        return []
