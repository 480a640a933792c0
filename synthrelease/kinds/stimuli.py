"""Public parameters of what is released stimulus by stimulus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from synthrelease.data.screen import Screen
from synthrelease.field_schema import Labels, PositiveInt, among, described
from synthrelease.kinds.dataset import Axis
from synthrelease.kinds.parameters import Fault, Parameters

Viewers = Annotated[
    tuple[Annotated[int, {"minimum": 0}], ...] | None,
    described(
        "Of each stimulus, how many participants count on it, on average over the labels that decide; null where it is private.",
        maxItems=100000,
    ),
]
SAMPLES, DURATION = "samples", "duration"
Weight = Annotated[str, among(SAMPLES, DURATION)]


def viewers_among(viewers: tuple[int, ...] | None, people: int, *, of: int | None) -> tuple[int, ...] | None:
    """Return how many of so many participants count on each stimulus, if each sees as many as those that `viewers` are of."""
    return None if viewers is None or of is None else tuple(round(one * people / of) for one in viewers)


@dataclass(frozen=True, kw_only=True)
class StimulusParameters(Parameters):
    """What the parameters of all kinds have that are made of gaze."""

    input_kind: ClassVar = "gaze"
    listed: ClassVar = "stimuli"

    max_stimuli_per_person: PositiveInt  # M
    assignment_public: bool
    screen: Screen
    stimuli: Labels

    @property
    def stimulus(self) -> Axis:
        """The axis of stimuli."""
        return Axis("stimulus", self.stimuli, words="What was looked at.")

    def stimulus_faults(self) -> Iterator[Fault]:
        """Yield where a person counts on more stimuli than there are."""
        if self.max_stimuli_per_person > len(self.stimuli):
            yield "manifest", "more stimuli per person than there are"

    def viewer_faults(self, viewers: Sequence[int] | None) -> Iterator[Fault]:
        """Yield where numbers of viewers cannot be what they are said to be."""
        if (viewers is None) != (self.people is None or not self.assignment_public):
            yield "manifest", "numbers of viewers stand where the assignment and n are public, and only there"
        elif viewers is not None and (len(viewers) != len(self.stimuli) or max(viewers) > (self.people or 0)):
            yield "manifest", "not one number of viewers for each stimulus, or more viewers than participants"
        elif viewers is not None and sum(viewers) - len(viewers) // 2 > self.viewings(None):
            yield "manifest", "more viewers than participants may count on so many stimuli"

    def viewings(self, viewers: Sequence[int] | None) -> int:
        """Return on how many stimuli all people count together, at most: each number of viewers is rounded to a whole person."""
        most = (self.people or 0) * self.max_stimuli_per_person
        return most if viewers is None else min(most, sum(viewers) + len(viewers) // 2)
