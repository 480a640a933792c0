"""Directions of gaze shifts: public parameters, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from synthrelease.dp.event import Event, Noise
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.sensitivity import Sensitivity, area_shares
from synthrelease.field_schema import described
from synthrelease.kinds.dataset import INTEGERS, Array, Axis, Counts, Dataset, DerivedFrom, Index, Role
from synthrelease.kinds.kind import Kind
from synthrelease.kinds.parameters import NOISES, WRONG_NAME, Fault
from synthrelease.kinds.stimuli import StimulusParameters
from synthrelease.number_words import participants, several
from synthrelease.numerics import derived
from synthrelease.numerics.simplex import onto_simplex
from synthrelease.numerics.steps import HALF_RANGE
from synthrelease.remarks import Remark, remark


@dataclass(frozen=True, kw_only=True)
class DirectionParameters(StimulusParameters):
    """The public parameters (`directions.proof.md`)."""

    kind: ClassVar = "directions"
    mechanisms: ClassVar = ("laplace", "gaussian")
    sentences: ClassVar = {
        "divided-directions": "a person divides their gaze shifts among {directions} directions, on at most {most} of {stimuli} stimuli",
        "shares-by-sum": "proportions: noisy grid units divided by their sum, then the nearest ones that are not negative and sum to 1",
        "no-shift": "a participant without a gaze shift on a stimulus does not count there",
    }

    directions: Annotated[int, described("How many there are.", minimum=2, maximum=360)]

    def datasets(self, event: Event) -> Iterator[Dataset]:  # noqa: ARG002
        """Yield the noisy integers and the proportions."""
        degrees = np.arange(self.directions) * (360 / self.directions)
        direction = Axis(
            "direction_deg", degrees, "deg", words="Direction on the screen: 0 is right, 90 is down."
        )
        axes = (self.stimulus, direction)
        yield Dataset("noisy", axes, Role.NOISY, INTEGERS, quantity="noisy grid units", items=1)
        yield Dataset(
            "proportions",
            axes,
            Role.ESTIMATE,
            quantity="proportion of gaze shifts",
            items=1,
            sources=(DerivedFrom("noisy"),),
            derive=self._proportions,
        )

    def _proportions(self, _index: Index, noisy: Array) -> Array:
        return onto_simplex(noisy / derived.dwell_normalization(noisy, viewers=None), 1.0)

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """Return the sensitivity of all integers together."""
        return area_shares(
            stimuli=len(self.stimuli),
            max_stimuli=self.max_stimuli_per_person,
            transitions=False,
            neighbours=neighbours,
        )

    def counts(self) -> Iterator[Counts]:
        """Yield all integers: H on each stimulus for each participant who counts there."""
        yield Counts("noisy", slice(None), self.viewings(None) * HALF_RANGE)

    def derivation(self, neighbours: Neighbours) -> Remark:  # noqa: ARG002
        """Return why the sensitivity is what it is."""
        most, stimuli = self.max_stimuli_per_person, len(self.stimuli)
        return remark("divided-directions", directions=self.directions, most=most, stimuli=stimuli)

    def post_processing(self) -> list[Remark]:
        """Return what is done to the noisy integers."""
        return [remark("shares-by-sum")]

    def warnings(self) -> list[Remark]:
        """Return what a reader must know."""
        return [remark("no-shift")]

    def summary(self) -> str:
        """Return what is released."""
        stimuli = several(len(self.stimuli), "stimulus", "stimuli")
        return f"In which of {self.directions} directions gaze of {participants(self.people)} shifted on {stimuli}."

    def parameter_faults(self, event: Event, noise: Noise | None) -> Iterator[Fault]:  # noqa: ARG002
        """Yield where name and noise contradict each other."""
        if not isinstance(noise, NOISES[self.name]):
            yield "noise", WRONG_NAME
        yield from self.stimulus_faults()


DIRECTIONS = Kind(
    name="directions",
    title="Directions of gaze shifts",
    subject="gaze directions",
    package="gaze_directions",
    parameters=(DirectionParameters,),
    relations=tuple(Neighbours),
)
