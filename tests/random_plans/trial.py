"""One random plan, and all that must be the same, or not far, for neighbours of its study."""

from __future__ import annotations

from dataclasses import dataclass

from random_plans.compared import differences, refused_late, same
from random_plans.draws import Draws
from random_plans.observed import Observer
from random_plans.plans import RandomPlan, random_plan
from random_plans.study import Study, neighbour, random_study, renamed, without_one

_PART_CELLS = 40


@dataclass(frozen=True)
class Trial:
    """What one random plan has shown.

    Attributes:
        plan: the plan.
        refused: why it cannot be built; empty if it can.
        found: what was wrong, each in a line.
    """

    plan: RandomPlan
    refused: str
    found: tuple[str, ...]


def tried(draws: Draws, observer: Observer, *, neighbours: int) -> Trial:
    """Return what a random plan shows of a random study, of so many neighbours, of the same people renamed, and in parts."""
    plan, study = random_plan(draws), random_study(draws)
    shown = observer.of(plan, study)
    found = refused_late(plan, shown)
    for number in range(neighbours):
        other = observer.of(plan, _neighbour(draws, plan, study), whole=number == 0)
        found += [f"neighbours: {line}" for line in differences(plan, shown, other)]
    if not shown.refused:
        again = observer.of(plan, renamed(draws, study))
        found += [f"other labels: {line}" for line in same(plan, shown, again)]
        in_parts = observer.of(plan, study, cells=_PART_CELLS)
        found += [f"in parts: {line}" for line in same(plan, shown, in_parts)]
    return Trial(plan, shown.refused, tuple(dict.fromkeys(found)))


def _neighbour(draws: Draws, plan: RandomPlan, study: Study) -> Study:
    if plan.adds_or_removes:
        return without_one(draws, study, plan.public)
    return neighbour(draws, study, plan.public, same_label=plan.divides_people)
