"""What outputs of any kind are compared with: the same release without noise, of everything that follows from sums."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from synthrelease.dp.event import Event
from synthrelease.evaluation.arrays import Arrays
from synthrelease.evaluation.ground_truth.ground_truth import ComparedKind, exact_derivations
from synthrelease.evaluation.result import Measure, Scores
from synthrelease.kinds.dataset import Role
from synthrelease.kinds.mechanism import QUIET, Collector, Mechanism
from synthrelease.reports.exhibits import Exhibit
from synthrelease.reports.released import labels_of

MEASURES = (
    Measure("RMSE", 0.0, "root of the mean squared error, in the unit of the values"),
    Measure("correlation", 1.0, "Pearson's correlation with the values without noise; 0 is chance"),
)
_UNKNOWN: Event = QUIET


@dataclass(frozen=True)
class WithoutNoise:
    """The values without noise, and what they are measured by."""

    values: Arrays  # estimates only, by their labels
    noun: str = "item"
    measures: tuple[Measure, ...] = MEASURES

    def of(self, released: Arrays) -> dict[str, Scores]:
        """Return the measures of every item."""
        measured: dict[str, Scores] = {}
        for labels, exact in self.values.items():
            if labels in released:
                truth, shown = (
                    np.asarray(array, dtype=np.float64).reshape(-1) for array in (exact, released[labels])
                )
                error = math.sqrt(float(np.mean((shown - truth) ** 2)))
                varied = truth.std() > 0 and shown.std() > 0
                measured[", ".join(labels)] = (
                    error,
                    float(np.corrcoef(truth, shown)[0, 1]) if varied else math.nan,
                )
        return measured

    def without_data(self, released: Arrays) -> Mapping[str, Arrays]:
        """Return zeros."""
        return {"baseline: zeros": {labels: np.zeros(array.shape) for labels, array in released.items()}}

    def part_of(self, item: str) -> str:  # noqa: ARG002
        """Return that all items are judged together."""
        return ""

    def exhibits(self, released: Arrays, event: Event) -> Sequence[Exhibit]:  # noqa: ARG002  as all kinds
        """Return nothing: what the values look like only their kind knows."""
        return []


def truth_collector(mechanism: Mechanism[Any]) -> Collector:
    """Return what takes people's contributions."""
    return mechanism.collect


def ground_truth(mechanism: Mechanism[Any], collected: Any, people: int) -> WithoutNoise:  # noqa: ARG001  as all kinds
    """Return what the output is compared with."""
    (derive,) = exact_derivations(GENERIC, mechanism, collected, QUIET)
    estimates = {labels for group in labels_of_estimates(mechanism) for labels in group}
    return WithoutNoise({labels: array for labels, array in derive().items() if labels in estimates})


def labels_of_estimates(mechanism: Mechanism[Any]) -> list[list[tuple[str, ...]]]:
    """Return the arrays that are judged: estimates, item by item."""
    parameters = mechanism.parameters
    estimates = [dataset for dataset in parameters.datasets(_UNKNOWN) if dataset.role is Role.ESTIMATE]
    return [[labels_of(parameters, dataset, index) for dataset in estimates for index in dataset.indices()]]


GENERIC = ComparedKind(truth_collector, ground_truth, labels_of_estimates)
