"""Areas of interest: public parameters, and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.area_shapes import ELSEWHERE, LABEL
from synthrelease.data.screen import Screen
from synthrelease.dp.error_bounds import reach
from synthrelease.dp.event import DiscreteLaplace, Event, Noise, noise_of
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.sensitivity import Sensitivity, area_shares
from synthrelease.field_schema import described
from synthrelease.kinds.areas import words
from synthrelease.kinds.areas.expected import total_variation
from synthrelease.kinds.dataset import INTEGERS, Array, Axis, Counts, Dataset, DerivedFrom, Index, Role
from synthrelease.kinds.expectation import VARIATION, Expectation
from synthrelease.kinds.parameters import NOISES, WRONG_NAME, Fault, deviation_of, public_input
from synthrelease.kinds.public_area import PublicArea
from synthrelease.kinds.stimuli import StimulusParameters, Viewers, Weight, viewers_among
from synthrelease.numerics import derived
from synthrelease.numerics.steps import HALF_RANGE
from synthrelease.remarks import Remark, remark

DWELL, TRANSITIONS = "dwell", "transitions"
_NORMALIZATIONS = {DWELL: derived.dwell_normalization, TRANSITIONS: derived.transition_normalization}


@dataclass(frozen=True, kw_only=True)
class AreasParameters(StimulusParameters):
    """The public parameters of an areas output."""

    mechanisms: ClassVar = ("gaussian", "laplace")
    kind: ClassVar = "areas"
    sentences: ClassVar = words.SENTENCES

    areas: Annotated[
        tuple[PublicArea, ...],
        described(
            "In the order in which they are tried and released; the last is what lies in no other.",
            minItems=2,
            maxItems=1001,
        ),
    ]
    transitions: bool
    weight: Weight
    viewers: Viewers = public_input()  # noqa: RUF009  a field
    half_range_grid_units: Annotated[
        int, described("W: what a person's shares on a stimulus sum to.", const=HALF_RANGE)
    ] = HALF_RANGE

    @property
    def map_scale(self) -> tuple[Screen, float | None]:
        """The screen; nothing is blurred."""
        return self.screen, None

    def shapes(self, item: str) -> dict[str, tuple[tuple[float, float], ...]]:
        """Return the corners of a stimulus's areas, by name; those that are labels of an image have none."""
        of_item = [area for area in self.areas if area.stimuli is None or item in area.stimuli]
        return {area.name: area.corners for area in of_item if area.corners}

    def datasets(self, event: Event) -> Iterator[Dataset]:
        """Yield the noisy shares of looking, and what they are; and of moves, if these are released."""
        names = [area.name for area in self.areas]
        area = Axis("area", names, words="Area of interest; elsewhere is what no area holds.")
        yield from self._of(DWELL, (area,), "proportion of looking", event)
        if self.transitions:
            from_area = Axis("from_area", names, words="Area that was left.")
            to_area = Axis("to_area", names, words="Area that was looked at next.")
            quantity = "proportion of all moves on the stimulus"
            yield from self._of(TRANSITIONS, (from_area, to_area), quantity, event)

    def _of(self, name: str, axes: tuple[Axis, ...], quantity: str, event: Event) -> Iterator[Dataset]:
        all_axes, deviation = (self.stimulus, *axes), deviation_of(event)
        integers = "noisy grid units that participants divide"
        yield Dataset(f"{name}/noisy", all_axes, Role.NOISY, INTEGERS, quantity=integers, items=1)
        yield Dataset(
            f"{name}/shares",
            all_axes,
            Role.ESTIMATE,
            quantity=quantity,
            items=1,
            sources=(DerivedFrom(f"{name}/noisy"),),
            derive=partial(self._shares, name, deviation),
        )
        if self.viewers is not None and name == DWELL:
            yield Dataset(
                f"{name}/uncertainty",
                (self.stimulus,),
                Role.UNCERTAINTY,
                quantity=f"standard deviation of the error in each {quantity}, before impossible ones are corrected",
                derive=partial(self._uncertainty, deviation),
            )

    def _uncertainty(self, deviation: float, _index: Index) -> Array:
        viewers = np.maximum(np.array(self.viewers), 1)
        noise: Array = deviation / (self.half_range_grid_units * viewers)
        present = (derived.ShareShrinkage(self.present(number), one) for number, one in enumerate(noise))
        return np.array([shrinkage.error for shrinkage in present])

    def _shares(self, name: str, deviation: float, index: Index, integers: Array) -> Array:
        number = index[0]
        assert isinstance(number, int)
        # Too few viewers are a fault of their own.
        viewers = None if self.viewers is None else (*self.viewers[number : number + 1], None)[0]
        normalization = _NORMALIZATIONS[name](integers, viewers=viewers)
        present = self.present(number)
        if name == TRANSITIONS:
            present = present[:, None] & present & ~np.eye(len(present), dtype=np.bool_)
        return derived.ShareShrinkage(present, deviation / normalization).shares(integers / normalization)

    def expected(self, event: Event, people: float, neighbours: Neighbours) -> tuple[Expectation, ...]:  # noqa: ARG002
        """Return the total variation to expect of the proportions of viewing, on the stimuli of most and of fewest viewers."""
        deviation = deviation_of(event) / self.half_range_grid_units
        is_laplace = isinstance(noise_of(event), DiscreteLaplace)
        on_stimulus = people * min(1.0, self.max_stimuli_per_person / len(self.stimuli))
        viewers = self.viewers or (on_stimulus,)
        places = {viewers.index(choose(viewers)) for choose in (max, min)}
        errors, guesses = zip(
            *(
                total_variation(
                    int(self.present(place).sum()), deviation / max(viewers[place], 1), is_laplace=is_laplace
                )
                for place in places
            ),
            strict=True,
        )
        return (
            Expectation(
                "proportions of viewing", VARIATION, min(errors), max(errors), float(np.mean(guesses))
            ),
        )

    def with_people(self, people: int) -> Self:
        """Return the parameters as if so many participants were in the data, each with as many stimuli."""
        viewers = viewers_among(self.viewers, people, of=self.people)
        return replace(super().with_people(people), viewers=viewers)

    def present(self, stimulus: int) -> NDArray[np.bool_]:
        """Return whether a stimulus, by its number, has each of the areas; elsewhere always, shape (A + 1,)."""
        name = self.stimuli[stimulus]
        return np.array([area.stimuli is None or name in area.stimuli for area in self.areas])

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """Return the sensitivity of all shares of a person."""
        return area_shares(
            stimuli=len(self.stimuli),
            max_stimuli=self.max_stimuli_per_person,
            transitions=self.transitions,
            neighbours=neighbours,
        )

    def summary(self) -> str:
        """Return what is released, in a sentence."""
        return words.summary(self)

    def procedure(self) -> str:
        """Return what is done to the data, before and with the noise."""
        return words.procedure(self)

    def reading(self, event: Event, neighbours: Neighbours) -> list[str]:  # noqa: ARG002
        """Return how noise shows."""
        noise = noise_of(event)
        return [] if noise is None else [words.reading(self, reach(noise))]

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
        done = ["shares-shrunk", "shares-by-viewers" if self.viewers else "shares-by-sum"]
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

    def most_counts(self, event: Event) -> int | None:  # noqa: ARG002
        """Return a bound of the shares in an area: W for each person who counts on the stimulus.

        Viewers are those to expect; labels, which decide, may make it more, but hardly by eight standard deviations.
        """
        if self.people is None:
            return None
        in_area = self.people
        if self.viewers:
            most = max(self.viewers)
            in_area = min(in_area, math.ceil(most + 8 * math.sqrt(most) + 8))
        return in_area * HALF_RANGE

    def counts(self) -> Iterator[Counts]:
        """Yield all shares: W on each stimulus for each person who counts there."""
        for name in (DWELL, TRANSITIONS)[: 1 + self.transitions]:
            yield Counts(f"{name}/noisy", slice(None), self.viewings(self.viewers) * HALF_RANGE)

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
            yield from area.faults(self.stimuli)
