"""Heatmaps: what a plan asks for, as every mechanism takes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from synthrelease.data.facts import Facts
from synthrelease.data.input_spec import InputSpec
from synthrelease.data.screen import Screen
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.preparing import assignment_is_public, counted_stimuli, names_source, people_if_public


@dataclass(frozen=True)
class HeatmapRequest:
    """What the parameters of every mechanism are made of: a plan's output, its input, and what is public of the data."""

    spec: OutputSpec
    source: InputSpec
    facts: Facts
    neighbours: Neighbours
    screen: Screen
    blur_px: float

    @property
    def max_stimuli(self) -> int:
        """M, on how many stimuli a person counts."""
        return counted_stimuli(self.spec, self.source, self.facts, self.neighbours)[0]

    @property
    def viewers(self) -> tuple[int, ...] | None:
        """How many people count on each stimulus, if that is public."""
        return counted_stimuli(self.spec, self.source, self.facts, self.neighbours)[1]

    @property
    def people(self) -> int | None:
        """How many people there are, if that is public."""
        return people_if_public(self.facts, self.neighbours)

    @property
    def common(self) -> dict[str, Any]:
        """What all mechanisms have."""
        return {
            "people": self.people,
            "names": names_source(self.source),
            "max_stimuli_per_person": self.max_stimuli,
            "assignment_public": assignment_is_public(self.source),
            "screen": self.screen,
            "stimuli": tuple(self.facts.names),
            "blur_px": self.blur_px,
        }
