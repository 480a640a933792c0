"""One output of a bundle with all that is known of it beside the private data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from synthrelease.data.features import Features
from synthrelease.data.gaze import Gaze
from synthrelease.evaluation.ground_truth import ComparedKind, GroundTruth, kind_of
from synthrelease.evaluation.matched import MadeOutput
from synthrelease.kinds.contributions import Contribution, PersonRows, Rows


@dataclass(frozen=True)
class Case:
    """An output and its data, however many parts that was read in."""

    made: MadeOutput
    collected: Contribution  # what all people contribute to the release
    truth: Contribution  # what the release is compared with
    sample: Gaze | Features  # the data of the people of the first part
    parts: int = 1  # how many there are

    @property
    def kind(self) -> ComparedKind:
        """How the output is judged."""
        return kind_of(self.made.mechanism)

    @cached_property
    def yardstick(self) -> GroundTruth:
        """The truth that the output is compared with."""
        return self.kind.yardstick(self.made.mechanism, self.truth, self.made.people)

    @property
    def of_each(self) -> bool:
        """Whether what is released is a series of each person, in an order drawn by lot."""
        return isinstance(self.collected, PersonRows | Rows)

    @property
    def sampled(self) -> tuple[str, ...]:
        """That only some people were asked about, in words; nothing if all could be."""
        if self.parts == 1:
            return ()
        return (f"Single people were asked about among the first of {self.parts} parts of the data.",)
