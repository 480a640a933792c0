"""Signals: what the public parameters of all mechanisms have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from synthrelease.dp.event import Event
from synthrelease.dp.guarantee import Neighbours
from synthrelease.field_schema import Labels, among, described
from synthrelease.kinds.dataset import Axis, Index
from synthrelease.kinds.parameters import BoundedFeatures, Feature, Parameters, public_input
from synthrelease.kinds.signals import words
from synthrelease.remarks import Remark, remark

MEAN, EACH = "mean", "each"


Chunk = Annotated[
    int | None, described("L, time steps of a chunk; null for LPA and FPA.", minimum=1, maximum=4096)
]


@dataclass(frozen=True, kw_only=True)
class SignalParameters(Parameters):
    """What the parameters of all signals have."""

    kind: ClassVar = "signals"
    sentences: ClassVar = words.SENTENCES
    input_kind: ClassVar = "features"
    listed: ClassVar = "recordings"

    query: Annotated[str, among(MEAN, EACH)]  # or of each person
    length: Annotated[int, described("Time steps of every series.", minimum=2, maximum=1000000)]
    completion: Annotated[
        str,
        described(
            "What too short series were completed with: their last value, or the centre of the bounds.",
            **among("hold", "centre"),
        ),
    ]
    features: BoundedFeatures
    recordings: Labels
    length_source: Annotated[
        str,
        described(
            "Whether the length was listed in the plan, or taken from the data.", **among("listed", "assumed")
        ),
    ] = public_input("length")
    step_s: Annotated[
        float | None,
        described(
            "Seconds from one time step to the next; null if the plan does not say.", exclusiveMinimum=0
        ),
    ] = None

    def summary(self) -> str:
        """Return what is released, in a sentence."""
        return words.summary(self)

    def biases(self) -> list[str]:
        """Return what draws the released values away from the data."""
        return words.biases(self)

    def reading(self, event: Event, neighbours: Neighbours) -> list[str]:
        """Return how noise shows."""
        if not self.is_each:
            return super().reading(event, neighbours)
        return [words.NOISE_OF_EACH]

    @property
    def bounded(self) -> tuple[Feature, ...]:
        """The features."""
        return self.features

    @property
    def feature_names(self) -> tuple[str, ...]:
        """What the features are called."""
        return tuple(feature.name for feature in self.features)

    @property
    def series_count(self) -> int:
        """How many series a person has."""
        return len(self.recordings) * len(self.features)

    @property
    def series_of_a_person(self) -> dict[str, int]:
        """How many series a person has, as fields of a remark."""
        return {"recordings": len(self.recordings), "features": len(self.features)}

    @property
    def completion_warning(self) -> Remark:
        """What becomes of series that are too long, too short, or have gaps."""
        code = "completed-by-last" if self.completion == "hold" else "completed-by-centre"
        return remark(code, length=self.length)

    @property
    def is_each(self) -> bool:
        """Whether every person's own series are released."""
        return self.query == EACH

    @property
    def product(self) -> str:
        """What catalogues call a release of such outputs only."""
        return "Dataset" if self.query == EACH else super().product

    @property
    def places(self) -> tuple[Axis, Axis]:
        """The axes that number the series of a person."""
        return (
            Axis("recording", self.recordings, words="Recording that the series is of."),
            Axis("feature", [feature.name for feature in self.features], words="What was measured."),
        )

    @property
    def steps(self) -> Axis:
        """The axis of time: in seconds, if the plan says how long a step is."""
        if self.step_s is None:
            return Axis("step", range(self.length), "steps", words="Number of the time step, from 0.")
        words = "Time since the first step, in seconds."
        return Axis("time_s", np.arange(self.length) * self.step_s, "s", words=words)

    @property
    def unit(self) -> str:
        """The unit that the plan states of all features, as HDF5 attributes can have it; "" if they differ or have none."""
        unit, *others = {feature.unit for feature in self.features}
        return unit if unit and not others and unit.isascii() else ""

    @property
    def series(self) -> Axis:
        """The axis of people, in random order."""
        words = (
            "Number of the participant's series, in random order; the same in all features and recordings."
        )
        return Axis("series", range(1, (self.people or 1) + 1), words=words)

    @property
    def quantity(self) -> str:
        """What the released series are."""
        return "value in the unit of the feature" if self.is_each else "mean in the unit of the feature"

    def feature(self, index: Index) -> Feature:
        """Return the feature of an item."""
        number = index[1]
        assert isinstance(number, int)
        return self.features[number]
