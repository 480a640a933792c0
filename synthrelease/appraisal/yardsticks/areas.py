"""What areas are held against: the true shares of dwell and of transitions, of all people on all their stimuli."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from synthrelease.appraisal.appraised import Measure, Values
from synthrelease.appraisal.yardsticks.yardstick import Kind
from synthrelease.kinds.collected import Sums
from synthrelease.mechanisms.areas import collect
from synthrelease.outputs.areas import AreasOutput
from synthrelease.outputs.resolved import Arrays, Collector, Derivation
from synthrelease.privacy.event import Event
from synthrelease.report.exhibits import Cell, Exhibit, Table
from synthrelease.number_words import percent

MEASURES = (
    Measure("TV", 0.0, "total variation: the part of the shares that lies in a wrong area"),
    Measure("largest error", 0.0, "of any share, as a part of 1"),
)
_ROWS = 30  # of a table


@dataclass(frozen=True)
class AreaShares:
    """True shares, and what they are measured by.

    Attributes:
        output: with all its public parameters.
        shares: the truth, by the labels of the arrays in the bundle.
    """

    output: AreasOutput
    shares: Mapping[tuple[str, ...], NDArray[np.float64]]
    noun: str = "stimulus"
    measures: tuple[Measure, ...] = MEASURES

    def of(self, released: Arrays) -> dict[str, Values]:
        """Return the measures of the dwell, and of the transitions, of every stimulus."""
        found: dict[str, Values] = {}
        for labels, truth in self.shares.items():
            if labels in released:
                apart = np.abs(np.asarray(released[labels], dtype=np.float64) - truth)
                found[f"{labels[0]}, {labels[1]}"] = (float(apart.sum()) / 2, float(apart.max()))
        return found

    def without_data(self, released: Arrays) -> Mapping[str, Arrays]:
        """Return equal shares."""
        even: Arrays = {
            labels: np.full(array.shape, 1 / array.size)
            for labels, array in released.items()
            if labels in self.shares
        }
        return {"no data: equal shares": even}

    def exhibits(self, released: Arrays) -> Sequence[Exhibit]:
        """Return for every stimulus the shares of its areas, true and released."""
        names = self.output.parameters.areas.names
        return [
            Table(
                f"{labels[0]}: shares of dwell",
                ("area", "true, private", "released", "difference"),
                tuple(
                    (name, (Cell(percent(a), a), Cell(percent(b), b), Cell(f"{100 * (b - a):+.1f} points")))
                    for name, a, b in zip(names, truth.tolist(), released[labels].tolist(), strict=True)
                )[:_ROWS],
            )
            for labels, truth in self.shares.items()
            if labels[1] == "dwell" and labels in released
        ]


def truth(output: AreasOutput) -> Collector:
    """Return what takes people's shares on all stimuli that they saw, however many."""
    everything = replace(output.parameters, max_stimuli=output.parameters.stimuli)
    return partial(collect, parameters=everything)


def yardstick(output: AreasOutput, collected: Sums) -> AreaShares:
    """Return what the output is held against."""
    private = replace(output, parameters=replace(output.parameters, viewers=None))  # divided by what is there
    arrays = {k: v for derive in private.derivations(collected["shares"]) for k, v in derive().items()}
    shares = {
        labels: np.asarray(v, dtype=np.float64) for labels, v in arrays.items() if labels[-1] == "shares"
    }
    return AreaShares(output, shares)


def exact(
    output: AreasOutput,
    collected: Sums,
    event: Event,  # noqa: ARG001  as all kinds
) -> list[Derivation]:
    """Return what makes the release without noise."""
    return output.derivations(collected["shares"])


def labels(output: AreasOutput) -> list[list[tuple[str, ...]]]:
    """Return the arrays that are judged, stimulus by stimulus."""
    parts = ("dwell", "transitions") if output.parameters.transitions else ("dwell",)
    return [[(stimulus, part, "shares") for part in parts] for stimulus in output.facts.names]


AREAS = Kind(truth, yardstick, exact, labels)
