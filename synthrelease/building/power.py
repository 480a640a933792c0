"""Power curves: the accuracy to expect of an output at other numbers of participants and other ε, from the plan and public facts only."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from synthrelease.building.design import Design, PlannedOutput
from synthrelease.dp.event import Event
from synthrelease.dp.guarantee import Neighbours
from synthrelease.errors import PolicyError
from synthrelease.kinds.expectation import Expectation

_FACTORS = (1 / 3, 1.0, 3.0)  # of the plan's ε
_REACH = 10  # times: the curve goes from a tenth of the participants to ten times as many
_POINTS = 13  # of a curve, the participants of the data in the middle
_UNKNOWN_PEOPLE = (10, 1000)  # ends of the curve where the number of participants is private


@dataclass(frozen=True)
class PowerLine:
    """What to expect at one ε of the output, by the number of participants."""

    epsilon: float
    expected: tuple[Expectation, ...]  # one for each number of participants


@dataclass(frozen=True)
class PowerCurve:
    """What to expect of one kind of released value, or of several that are alike."""

    subjects: tuple[str, ...]  # what is released
    people: tuple[int, ...]  # numbers of participants, increasing
    here: int | None  # that of the data; None where it is private
    lines: tuple[PowerLine, ...]  # by ε, increasing
    planned: int  # which of the lines has the plan's ε

    @property
    def first(self) -> Expectation:
        """An expectation of it: measure and direction are the same of all."""
        return self.lines[0].expected[0]

    @property
    def is_share(self) -> bool:
        """Whether values are drawn as shares of what public bounds leave: then features in different units are alike."""
        return not self.first.higher_is_better and any(
            one.scale != 1 for line in self.lines for one in line.expected
        )

    def values(self, line: PowerLine, name: str) -> list[float]:
        """Return `best`, `worst` or `without_data` at each number of participants, in the unit of the drawing."""
        scales = [one.scale if self.is_share else 1.0 for one in line.expected]
        return [
            getattr(one, name) / scale if scale else math.nan
            for one, scale in zip(line.expected, scales, strict=True)
        ]


def power_curves(
    design: Design,
    output: PlannedOutput,
    epsilons: Sequence[float] | None = None,
    people: Sequence[int] | None = None,
) -> tuple[PowerCurve, ...]:
    """Return how accurate an output is expected to be, by ε and participants; reads no private value.

    Args:
        design: the release.
        output: one of its outputs.
        epsilons: of the output, at the δ of its part of the budget; default a third of the plan's, the plan's, and three times it.
        people: numbers of participants, each with as much data as those there are; default a tenth of them to ten times as many.

    Returns:
        A curve for each kind of released value, where several with the same curve are one. None where ε does not decide, or nothing can be said. An ε
        for which the output cannot be had is left out.
    """
    budget = output.budget
    if budget is None or not output.private:
        return ()
    here = people_here(design, output)
    counts = tuple(sorted({*(people or _counts(here))}))
    chosen = {budget.epsilon * factor for factor in _FACTORS} if epsilons is None else {*epsilons}
    chosen.add(budget.epsilon)
    events: dict[float, Event] = {}
    for epsilon in sorted(chosen):
        try:
            events[epsilon] = (
                output.event
                if epsilon == budget.epsilon
                else output.mechanism.calibrate(replace(budget, epsilon=epsilon))
            )
        except PolicyError:  # not for this ε
            continue
    mechanisms = [(number, output.mechanism.with_people(number)) for number in counts]
    expected = {
        epsilon: [
            mechanism.expected(event, replace(budget, epsilon=epsilon), number)
            for number, mechanism in mechanisms
        ]
        for epsilon, event in events.items()
    }
    return tuple(_merged(_curves(expected, counts, here, budget.epsilon)))


def people_here(design: Design, output: PlannedOutput) -> int | None:
    """Return how many participants an output's input has; None where their number is private."""
    is_public = design.plan.neighbours is Neighbours.REPLACE_ONE
    return design.facts[output.spec.input].people if is_public else None


def _counts(here: int | None) -> list[int]:
    """Numbers of participants, evenly on a logarithmic axis."""
    low, high = _UNKNOWN_PEOPLE if here is None else (max(1, here / _REACH), here * _REACH)
    counts = np.rint(np.geomspace(low, high, _POINTS)).astype(int).tolist()
    return counts if here is None else [*counts, here]


def _curves(
    expected: dict[float, list[tuple[Expectation, ...]]],
    counts: tuple[int, ...],
    here: int | None,
    plan_epsilon: float,
) -> Iterator[PowerCurve]:
    planned = list(expected).index(plan_epsilon)
    for number, first in enumerate(expected[plan_epsilon][0]):
        lines = tuple(
            PowerLine(epsilon, tuple(each[number] for each in by_people))
            for epsilon, by_people in expected.items()
        )
        yield PowerCurve((first.subject,), counts, here, lines, planned)


def _merged(curves: Iterator[PowerCurve]) -> list[PowerCurve]:
    """The same with one for all that are drawn alike: an error is mostly the same share of what the bounds of each feature leave."""
    merged: dict[tuple[object, ...], PowerCurve] = {}
    for curve in curves:
        drawn = tuple(
            tuple(
                f"{value:.4g}"
                for name in ("best", "worst", "without_data")
                for value in curve.values(line, name)
            )
            for line in curve.lines
        )
        key = (curve.first.measure, curve.is_share, drawn)
        before = merged.get(key)
        subjects = curve.subjects if before is None else (*before.subjects, *curve.subjects)
        merged[key] = replace(before or curve, subjects=subjects)
    return list(merged.values())
