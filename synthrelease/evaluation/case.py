"""One output of a bundle with its private data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from synthrelease.data.features import FeatureData
from synthrelease.data.gaze import GazeData
from synthrelease.evaluation.ground_truth import ComparedKind, GroundTruth, kind_of
from synthrelease.evaluation.matched import BundleOutput
from synthrelease.kinds.contributions import Contribution, PersonRows


@dataclass(frozen=True)
class Case:
    """An output and its data, however many parts that was read in."""

    output: BundleOutput
    collected: Contribution  # what all people contribute to the release
    truth: Contribution  # what the release is compared with
    sample: GazeData | FeatureData  # the data of the people of the first part
    parts: int = 1  # how many there are

    @property
    def kind(self) -> ComparedKind:
        """How the output is judged."""
        return kind_of(self.output.mechanism)

    @cached_property
    def ground_truth(self) -> GroundTruth:
        """The truth that the output is compared with."""
        return self.kind.ground_truth(self.output.mechanism, self.truth, self.output.people)

    @property
    def of_each(self) -> bool:
        """Whether what is released is a series of each person, in random order."""
        return isinstance(self.collected, PersonRows)

    @property
    def sampled(self) -> tuple[str, ...]:
        """A sentence that only some people were attacked; nothing if all were."""
        if self.parts == 1:
            return ()
        return (f"Single participants were attacked in the first of {self.parts} parts of the data.",)
