"""Areas of interest: public parameters, and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from synthrelease.data.area_shapes import ELSEWHERE, LABEL
from synthrelease.kinds.areas.words import SENTENCES
from synthrelease.kinds.dataset import INTEGERS, Array, Axis, Dataset, Index, Role, Source
from synthrelease.kinds.parameters import NOISES, WRONG_NAME, Fault, public_input
from synthrelease.kinds.stimuli import StimulusParameters
from synthrelease.maths import derived
from synthrelease.maths.steps import HALF_RANGE
from synthrelease.privacy.event import Event, Noise
from synthrelease.privacy.guarantee import Neighbours
from synthrelease.privacy.sensitivity import Sensitivity, area_shares
from synthrelease.remarks import Remark, remark

SAMPLES, DURATION = "samples", "duration"


@dataclass(frozen=True)
class PublicArea:
    """An area as a manifest has it; without a shape it is what lies in no other."""

    name: str
    shape: str | None
    coordinates: tuple[tuple[float, float], ...] | None
    label: int | None
    stimuli: tuple[str, ...] | None


@dataclass(frozen=True, kw_only=True)
class AreasParameters(StimulusParameters):
    """The public parameters of an areas output."""

    kind: ClassVar = "areas"
    sentences: ClassVar = SENTENCES

    areas: tuple[PublicArea, ...]
    transitions: bool
    weight: str  # "samples" or "duration"
    viewers: tuple[int, ...] | None = public_input()  # of every stimulus, if public
    half_range_steps: int = HALF_RANGE  # that a person divides on a stimulus

    def datasets(self, event: Event) -> Iterator[Dataset]:  # noqa: ARG002
        """Yield the noisy shares of looking, and what they are; and of moves, if these are released."""
        names = [area.name for area in self.areas]
        stimulus = Axis("stimulus", self.stimuli)
        of_what: dict[str, tuple[tuple[Axis, ...], Callable[..., Array]]] = {
            "dwell": ((Axis("area", names),), derived.dwell_shares)
        }
        if self.transitions:
            moves = (Axis("from_area", names), Axis("to_area", names))
            of_what["transitions"] = (moves, derived.transition_shares)
        for what, (axes, shares) in of_what.items():
            yield Dataset(f"{what}/noisy", (stimulus, *axes), Role.NOISY, INTEGERS, items=1)
            yield Dataset(
                f"{what}/shares",
                (stimulus, *axes),
                Role.ESTIMATE,
                items=1,
                sources=(Source(f"{what}/noisy"),),
                derive=partial(self._shares, shares),
            )

    def _shares(self, shares: Callable[..., Array], index: Index, integers: Array) -> Array:
        number = index[0]
        assert isinstance(number, int)
        viewers = None if self.viewers is None else self.viewers[number : number + 1]
        return shares(
            integers, viewers=viewers[0] if viewers else None
        )  # too few of them are a fault of their own

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """Return the sensitivity of all shares of a person."""
        return area_shares(
            stimuli=len(self.stimuli),
            max_stimuli=self.max_stimuli_per_person,
            transitions=self.transitions,
            neighbours=neighbours,
        )

    def derivation(self, neighbours: Neighbours) -> Remark:  # noqa: ARG002
        """Return why the sensitivity is what it is."""
        return remark(
            "divided-shares-and-moves" if self.transitions else "divided-shares",
            half_range=HALF_RANGE,
            areas=len(self.areas),
            most_stimuli=self.max_stimuli_per_person,
            stimuli=len(self.stimuli),
        )

    def post_processing(self) -> list[Remark]:
        """Return what is done to the noisy shares."""
        done = ["shares-by-viewers" if self.viewers else "shares-by-sum"]
        if self.transitions:
            done.append("transitions-by-sum-or-viewers" if self.viewers else "transitions-by-sum")
        return list(map(remark, done))

    def warnings(self) -> list[Remark]:
        """Return what a reader must know."""
        codes = ["equal-weights"]
        if self.viewers is not None:
            codes.append("unusable-rows")
        if any(area.shape == LABEL for area in self.areas):
            codes.append("label-image")
        return list(map(remark, codes))

    def most_counts(self, event: Event) -> tuple[int | None, int | None]:  # noqa: ARG002
        """Return bounds of the shares in an area, and of all shares: W on each stimulus of everybody who counts there.

        Viewers are those to expect; labels, which decide, may make it more, but hardly by eight standard deviations.
        """
        if self.people is None:
            return None, None
        each, vectors = self.people, self.people * self.max_stimuli_per_person
        if self.viewers:
            most, total = max(self.viewers), sum(self.viewers)
            each = min(each, math.ceil(most + 8 * math.sqrt(most) + 8))
            vectors = min(vectors, math.ceil(total + 8 * math.sqrt(total) + 8))
        return each * HALF_RANGE, vectors * HALF_RANGE * (2 if self.transitions else 1)

    def parameter_faults(self, event: Event, noise: Noise | None) -> Iterator[Fault]:  # noqa: ARG002
        """Yield where name, parameters and noise contradict each other."""
        if not isinstance(noise, NOISES[self.name]):
            yield "noise", WRONG_NAME
        yield from self.stimulus_faults()
        yield from self.viewer_faults(self.viewers)
        names = [area.name for area in self.areas]
        if len(set(names)) < len(names) or names[-1] != ELSEWHERE:
            yield "manifest", f"two areas of one name, or '{ELSEWHERE}' does not stand last"
        for area in self.areas:
            yield from self._area_faults(area)
        if self.viewers is not None and self.people is not None:
            # Each is rounded to a whole person.
            most = self.people * self.max_stimuli_per_person + len(self.stimuli) / 2
            if sum(self.viewers) > most:
                yield "manifest", "more viewers than people may count on so many stimuli"

    def _area_faults(self, area: PublicArea) -> Iterator[Fault]:
        corners = area.coordinates
        drawn = corners is not None and (len(corners) == 2 if area.shape == "rectangle" else len(corners) > 2)
        if (area.name == ELSEWHERE) != (area.shape is None) or (area.shape == LABEL) != (
            area.label is not None
        ):
            yield "manifest", f"the area '{area.name}' has not the shape it is said to have"
        elif (area.shape in ("rectangle", "polygon")) != drawn or (corners is not None and not drawn):
            yield "manifest", f"the area '{area.name}' has not the corners of its shape"
        if not set(area.stimuli or ()) <= set(self.stimuli):
            yield "manifest", f"the area '{area.name}' is of a stimulus that is not listed"
