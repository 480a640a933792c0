"""Ground truth of areas: the true shares of dwell and of transitions, of all people on all their stimuli."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.event import Event
from synthrelease.evaluation.arrays import Arrays
from synthrelease.evaluation.ground_truth.ground_truth import ComparedKind, exact_derivations
from synthrelease.evaluation.result import Measure, Scores
from synthrelease.kinds.areas.mechanism import AreaShares
from synthrelease.kinds.areas.public import DWELL, TRANSITIONS
from synthrelease.kinds.contributions import Sums
from synthrelease.kinds.mechanism import QUIET, Collector
from synthrelease.number_words import percent
from synthrelease.reports.area_plates import DrawnAreas
from synthrelease.reports.exhibits import Exhibit, TableCell, TableExhibit

MEASURES = (
    Measure("TV", 0.0, "total variation: the total proportion that is in a wrong area"),
    Measure("largest error", 0.0, "of any proportion (0 to 1)"),
)
_ROWS = 30  # of a table


@dataclass(frozen=True)
class AreaTruth:
    """True shares, and what they are measured by."""

    mechanism: AreaShares
    shares: Mapping[tuple[str, ...], NDArray[np.float64]]  # by the labels of the arrays in the bundle
    noun: str = "stimulus"
    measures: tuple[Measure, ...] = MEASURES

    def of(self, released: Arrays) -> dict[str, Scores]:
        """Return the measures of the dwell, and of the transitions, of every stimulus."""
        measured: dict[str, Scores] = {}
        for labels, truth in self.shares.items():
            if labels in released:
                errors = np.abs(np.asarray(released[labels], dtype=np.float64) - truth)
                measured[f"{labels[0]}, {labels[1]}"] = (float(errors.sum()) / 2, float(errors.max()))
        return measured

    def without_data(self, released: Arrays) -> Mapping[str, Arrays]:
        """Return equal shares of the areas that a stimulus has."""
        even: Arrays = {labels: self._even(labels) for labels in released if labels in self.shares}
        return {"baseline: equal proportions": even}

    def _even(self, labels: tuple[str, ...]) -> NDArray[np.float64]:
        p = self.mechanism.parameters
        present = p.present(p.stimuli.index(labels[0]))
        if labels[1] == TRANSITIONS:
            present = present[:, None] & present & ~np.eye(len(present), dtype=np.bool_)
        return present / max(1, int(present.sum()))

    def part_of(self, item: str) -> str:
        """Return "dwell" or "transitions"."""
        return item.rpartition(", ")[2]

    def exhibits(self, released: Arrays, event: Event) -> Sequence[Exhibit | DrawnAreas]:  # noqa: ARG002  as all kinds
        """Return for every stimulus its areas, and their shares, true and released."""
        dwell = {
            labels[0]: (truth.tolist(), released[labels].tolist())
            for labels, truth in self.shares.items()
            if labels[1] == DWELL and labels in released
        }
        exhibits: list[Exhibit | DrawnAreas] = []
        for stimulus, shares in dwell.items():
            exhibits += [*self._drawn(stimulus, *shares), self._table(stimulus, *shares)]
        return exhibits

    def _drawn(
        self, stimulus: str, true_shares: list[float], released_shares: list[float]
    ) -> Iterator[DrawnAreas]:
        p = self.mechanism.parameters
        names = [area.name for area in p.areas]
        panels = {"exact (private)": true_shares, "released": released_shares}
        shares = {heading: dict(zip(names, values, strict=True)) for heading, values in panels.items()}
        if corners := p.shapes(stimulus):
            yield DrawnAreas(stimulus, p.screen, corners, shares)

    def _table(self, stimulus: str, true_shares: list[float], released_shares: list[float]) -> TableExhibit:
        names = [area.name for area in self.mechanism.parameters.areas]
        rows = tuple(
            (name, _cells(true_share, released_share))
            for name, true_share, released_share in zip(names, true_shares, released_shares, strict=True)
        )
        head = ("area", "exact (private)", "released", "difference")
        return TableExhibit(f"{stimulus}: proportion of viewing", head, rows[:_ROWS])


def _cells(true_share: float, released_share: float) -> tuple[TableCell, ...]:
    return (
        TableCell(percent(true_share), true_share),
        TableCell(percent(released_share), released_share),
        TableCell(f"{100 * (released_share - true_share):+.1f} points"),
    )


def truth_collector(mechanism: AreaShares) -> Collector:
    """Return what takes people's shares on all stimuli that they saw, however many."""
    p = mechanism.parameters
    uncapped = replace(p, max_stimuli_per_person=len(p.stimuli))
    return replace(mechanism, parameters=uncapped).collect


def ground_truth(mechanism: AreaShares, collected: Sums, people: int) -> AreaTruth:  # noqa: ARG001  as all kinds
    """Return what the output is compared with."""
    private = replace(mechanism.parameters, viewers=None)  # divided by what is there
    (derive,) = exact_derivations(AREAS, replace(mechanism, parameters=private), collected, QUIET)
    shares = {k: np.asarray(v, dtype=np.float64) for k, v in derive().items() if k[-1] == "shares"}
    return AreaTruth(mechanism, shares)


def labels(mechanism: AreaShares) -> list[list[tuple[str, ...]]]:
    """Return the arrays that are judged, stimulus by stimulus."""
    p = mechanism.parameters
    kinds = (DWELL, TRANSITIONS) if p.transitions else (DWELL,)
    return [[(stimulus, kind, "shares") for kind in kinds] for stimulus in p.stimuli]


AREAS = ComparedKind(truth_collector, ground_truth, labels)
