"""Ground truth of one output, computed from the data without noise, caps or clips."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from synthrelease.dp.event import Event
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.arrays import Arrays, Derivation, Labels
from synthrelease.evaluation.attack_run import Attacked, AttackRun
from synthrelease.evaluation.result import Measure, Scores
from synthrelease.kinds.dataset import Dataset
from synthrelease.kinds.mechanism import QUIET, Collector, Mechanism
from synthrelease.kinds.values import Values
from synthrelease.reports.area_plates import DrawnAreas
from synthrelease.reports.compared_maps import ComparedMap
from synthrelease.reports.exhibits import Exhibit
from synthrelease.reports.released import labels_of, shape_of


class GroundTruth(Protocol):
    """The truth of one output, and how to measure against it."""

    @property
    def noun(self) -> str:
        """What an item of the output is called: "stimulus"."""
        ...

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What is measured, the most informative first."""
        ...

    def of(self, released: Arrays) -> dict[str, Scores]:
        """Return the measures of every item, from the arrays of some items by their labels below the output."""
        ...

    def without_data(self, released: Arrays) -> Mapping[str, Arrays]:
        """Return what someone without data would publish in place of these arrays, by their method."""
        ...

    def part_of(self, item: str) -> str:
        """Return the part of the output that an item is judged with: items of one part are of one kind, and their scores have one scale."""
        ...

    def exhibits(self, released: Arrays, event: Event) -> Sequence[Exhibit | ComparedMap | DrawnAreas]:
        """Return truth and release side by side, and their difference; maps are drawn once all of a release are known."""
        ...


NO_DATA, HALF = "baseline: no data", "half of the participants"


class HalvedTruth(Protocol):
    """A truth that random halves of the participants can be compared with."""

    def half(self, random: SecureRandom) -> Mapping[str, Scores]:
        """Return the measures of halves, on average; {} of too few participants."""
        ...


def scores_of_half(truth: HalvedTruth, random: SecureRandom) -> Mapping[str, Mapping[str, Scores]]:
    """Return what halves of the participants give without protection: what sampling alone costs."""
    scores = truth.half(random)
    return {HALF: scores} if scores else {}


@dataclass(frozen=True)
class ComparedKind:
    """How outputs of one kind are judged. The functions take the output's mechanism."""

    collector: Callable[[Any], Collector]  # what takes from some people's data what the truth is made of
    ground_truth: Callable[[Any, Any, int], GroundTruth]  # from what all people gave, and their number
    # labels of arrays in the bundle that are judged, in groups that are read together
    labels: Callable[[Any], Sequence[Sequence[Labels]]]
    is_exact: bool = True  # whether it can be computed what would be released without noise
    is_shrunk: bool = True  # whether the noise's deviation shrinks values; else intervals follow from it
    by_item: bool = False  # whether items are large, and are compared one after the other
    # Of outputs that are not exact: the integers that noise was drawn on, from what the truth is made of; {} if not known.
    counts: Callable[[Any, Any], Arrays] | None = None
    # How many measures decide, from the first on: if several, each whether the output is useful in what it measures.
    judged: int = 1
    # Scores of what the data give without protection, by what it is, item by item, from the ground truth.
    with_data: Callable[[Any, SecureRandom], Mapping[str, Mapping[str, Scores]]] | None = None
    draws: int = 3  # fresh releases at each ε of its curve
    # Attacks on what follows from noisy sums, besides the strongest one on the sums: of the mechanism, the release's event, and what the truth is made of.
    attacks: Callable[[Any, Event, Any, AttackRun], Attacked] | None = None
    remarks: tuple[str, ...] = ()  # how outputs are attacked, in sentences


def exact_derivations(
    kind: ComparedKind, mechanism: Mechanism[Any], collected: Any, event: Event
) -> list[Derivation]:
    """Return what makes the release without noise, in parts: what clips, caps and bounds leave."""
    quiet = QUIET if kind.is_shrunk else event
    arrays = {**mechanism.public_arrays, **mechanism.exact(collected)}
    return derivations(kind, Values(mechanism.parameters, quiet, arrays), mechanism)


def derivations(kind: ComparedKind, values: Values, mechanism: Mechanism[Any]) -> list[Derivation]:
    """Return what makes the arrays of a release by their labels, in one part, or item by item."""
    parameters = mechanism.parameters
    by_index: dict[tuple[int, ...], list[tuple[Dataset, tuple[int, ...]]]] = {}
    for dataset, index in values.places():
        by_index.setdefault(index if kind.by_item else (), []).append((dataset, index))

    def derivation(places: list[tuple[Dataset, tuple[int, ...]]]) -> Derivation:
        return lambda: {
            labels_of(parameters, dataset, index): values.item(dataset.path, index).reshape(
                shape_of(parameters, dataset)
            )
            for dataset, index in places
        }

    return [derivation(places) for places in by_index.values()]
