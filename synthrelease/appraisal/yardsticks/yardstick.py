"""What a release of one output is held against: the truth, computed from the data without noise, caps or clips."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from synthrelease.appraisal.appraised import Measure, Values
from synthrelease.outputs.resolved import Arrays, Collector, Derivation
from synthrelease.privacy.event import Event
from synthrelease.report.exhibits import Exhibit

NEXT_TO_NONE = 1e-3  # standard deviation of noise, in steps, for which nothing is shrunk


class Yardstick(Protocol):
    """The truth of one output, and how to measure against it."""

    @property
    def noun(self) -> str:
        """What an item of the output is called: "stimulus"."""
        ...

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What is measured, the most telling first."""
        ...

    def of(self, released: Arrays) -> dict[str, Values]:
        """Return the measures of every item, from the arrays of some items by their labels below the output."""
        ...

    def without_data(self, released: Arrays) -> Mapping[str, Arrays]:
        """Return what whoever has no data would publish in place of these arrays, by how they do it."""
        ...

    def exhibits(self, released: Arrays) -> Sequence[Exhibit]:
        """Return the truth beside the release, and what they differ by."""
        ...


@dataclass(frozen=True)
class Kind:
    """How outputs of one kind are judged. The functions take the output with all its public parameters.

    Attributes:
        truth: what takes from some people's data what the truth is made of.
        yardstick: from what all people gave.
        exact: what would be released if there were no noise, from the sums that noise was drawn on and the event; None where
            there are none.
        labels: of the arrays in the bundle that are judged, in groups that are read together.
        counts: of outputs without `exact`: the integers that noise was drawn on, from what the truth is made of; {} where that is
            not known.
    """

    truth: Callable[[Any], Collector]
    yardstick: Callable[[Any, Any], Yardstick]
    exact: Callable[[Any, Any, Event], Sequence[Derivation]] | None
    labels: Callable[[Any], Sequence[Sequence[tuple[str, ...]]]]
    counts: Callable[[Any, Any], Arrays] | None = None
