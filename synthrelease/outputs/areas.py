"""Areas of interest: from the plan's words to the mechanism, and to the manifest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.area_shapes import ELSEWHERE, LABEL
from synthrelease.data.areas import read_areas
from synthrelease.data.facts import Facts
from synthrelease.data.screen import Screen
from synthrelease.errors import PlanError
from synthrelease.maths.steps import HALF_RANGE
from synthrelease.mechanisms.areas import DURATION, AreaParameters, calibrate, collect, draw, shares_of
from synthrelease.mechanisms.collected import Sums
from synthrelease.noise.entropy import SecureRandom
from synthrelease.outputs.resolved import (
    Collector,
    Derivation,
    Release,
    counted_stimuli,
    names_source,
    people_if_public,
)
from synthrelease.plan import InputSpec, OutputSpec
from synthrelease.privacy.budget import GAUSSIAN, Budget
from synthrelease.privacy.event import DiscreteLaplace, Event, noise_of
from synthrelease.privacy.guarantee import Neighbours

_GOOD_ERROR = 0.05  # of a share, at 95 %


@dataclass(frozen=True)
class AreasOutput:
    """An areas output with all its public parameters."""

    spec: OutputSpec
    source: InputSpec
    facts: Facts
    screen: Screen
    parameters: AreaParameters

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
        return self.parameters.size

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
        return Release(self.derivations(noisy), event)

    def derivations(self, noisy: NDArray[np.int64]) -> list[Derivation]:
        """Return what makes the release of noised integers, shape (S, size)."""
        return [partial(shares_of, noisy, self.facts.names, self.parameters)]

    def mechanism(self) -> dict[str, Any]:
        """Return the manifest's entry."""
        p = self.parameters
        nothing = {"name": ELSEWHERE, "shape": None, "coordinates": None, "label": None, "stimuli": None}
        return {
            "name": p.noise,
            "parameters": {
                "areas": [*(area.to_json() for area in p.areas.areas), nothing],
                "transitions": p.transitions,
                "weight": p.weight,
                "half_range_steps": HALF_RANGE,
                "max_stimuli_per_person": p.max_stimuli,
                "assignment_public": p.assignment_public,
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
        also = ", and as many among the transitions between them" if p.transitions else ""
        return (
            f"a person divides {HALF_RANGE} shares among the {len(p.areas.names)} areas of a stimulus{also}, on at most "
            f"{p.max_stimuli} of {p.stimuli} stimuli; all as one integer vector"
        )

    def post_processing(self) -> list[str]:
        """Return what was done to the noised shares."""
        p = self.parameters
        mass = "the public number of viewers" if p.viewers else "their sum"
        told = [
            f"shares: noised steps divided by {mass}, then the nearest shares that are not negative and sum to 1"
        ]
        if p.transitions:
            most = ", or the number of viewers if that is less" if p.viewers else ""
            told.append(f"shares of transitions: divided by their own sum{most}, the diagonal being left out")
        return told

    def warnings(self) -> list[str]:
        """Return what a reader must know."""
        p = self.parameters
        told = [
            "everybody weighs the same on a stimulus, however long they looked or how often they went back and forth"
        ]
        if p.viewers is not None:
            told.append(
                "who has rows on a stimulus but no usable one counts as having looked at all areas alike"
            )
        if any(area.shape == LABEL for area in p.areas.areas):
            told.append(
                "areas that are labels of an image: the image is not in the bundle, publish it as well"
            )
        return told

    def prediction(
        self,
        event: Event,
        budget: Budget | None,  # noqa: ARG002  for others
        people: int | None,
    ) -> tuple[str, str]:
        """Return the 95 % error of a share, and how many people on a stimulus make it five points."""
        noise = noise_of(event)
        assert noise is not None
        # P(|Laplace| > b·ln 20) = P(|normal| > 1.96·σ) = 1/20
        reach = noise.scale * (math.log(20) if isinstance(noise, DiscreteLaplace) else 1.959964)
        each = reach / HALF_RANGE  # in people
        needed = f"{math.ceil(each / _GOOD_ERROR)} on each stimulus for shares ± 5 percentage points"
        viewers = self.parameters.viewers
        if people is None:
            return f"95 %: shares ± {each:.3g} people's", needed
        if each > (people if viewers is None else max(viewers)):
            return "shares are noise: ± more than 100 percentage points (95 %)", needed
        if viewers is None:
            return f"95 %: shares ± {100 * each / people:.3g} percentage points where all people look", needed
        fewest, most = max(min(viewers), 1), max(*viewers, 1)
        error = f"95 %: shares ± {100 * each / most:.3g}"
        if fewest < most:
            error += f" (of {most} people) to ± {100 * each / fewest:.3g} (of {fewest})"
        return f"{error} percentage points", needed


def resolve(spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours) -> AreasOutput:
    """Fill in the public parameters of an areas output.

    Raises:
        PlanError: areas that cannot be used, or weights without a column.
    """
    o = spec.options
    screen = Screen(**source.options["screen"])
    if o["weight"] == DURATION and "duration" not in source.options["columns"]:
        raise PlanError(
            "no-duration-column",
            "rows are to be weighted by their duration, but no column tells it",
            where=spec.where,
            expected=f'duration = "COLUMN" under columns of inputs.{source.name}',
            remedy="name the column, or leave out weight",
        )
    areas = read_areas(
        o["areas"],
        label_image=o.get("label_image"),
        folder=spec.folder,
        screen=screen,
        stimuli=facts.names,
        where=spec.where,
    )
    most, viewers = counted_stimuli(spec, source, facts, neighbours)
    return AreasOutput(
        spec,
        source,
        facts,
        screen,
        AreaParameters(
            areas=areas,
            stimuli=len(facts.names),
            transitions=o["transitions"],
            weight=o["weight"],
            noise=o["noise"],
            max_stimuli=most,
            viewers=viewers,
            assignment_public="assignment" in source.options["assume_public"],
            neighbours=neighbours,
            people=people_if_public(facts, neighbours),
        ),
    )
