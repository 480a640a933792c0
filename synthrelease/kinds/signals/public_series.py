"""Signals: what the public parameters of all mechanisms have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from synthrelease.kinds.dataset import Axis, Index
from synthrelease.kinds.parameters import Feature, Parameters, public_input
from synthrelease.kinds.signals.words import SENTENCES
from synthrelease.remarks import Remark, remark

MEAN, EACH = "mean", "each"


@dataclass(frozen=True, kw_only=True)
class SignalParameters(Parameters):
    """What the parameters of all signals have."""

    kind: ClassVar = "signals"
    sentences: ClassVar = SENTENCES
    input_kind: ClassVar = "features"
    listed: ClassVar = "recordings"

    query: str  # "mean", or "each" person's own
    length: int  # steps of every series
    completion: str  # of short series
    features: tuple[Feature, ...]
    recordings: tuple[str, ...]
    length_source: str = public_input(
        "length"
    )  # "listed" in the plan, or "assumed" public and taken from the data

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
    def places(self) -> tuple[Axis, Axis]:
        """The axes that number the series of a person."""
        return Axis("recording", self.recordings), Axis(
            "feature", [feature.name for feature in self.features]
        )

    @property
    def steps(self) -> Axis:
        """The axis of time."""
        return Axis("step", range(self.length), "steps")

    @property
    def series(self) -> Axis:
        """The axis of people, in random order."""
        return Axis("series", range(1, (self.people or 1) + 1))

    def feature(self, index: Index) -> Feature:
        """Return the feature of an item."""
        number = index[1]
        assert isinstance(number, int)
        return self.features[number]
