"""One random plan, and all that must be the same, or not far, for neighbours of its study."""

from __future__ import annotations

from dataclasses import dataclass

from random_plans.compared import differences, refused_late, same
from random_plans.draws import Draws, one_of
from random_plans.files import FORMATS
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
    """Return what a random plan shows of a random study, in memory or in files, of so many neighbours, of the same people renamed, and in parts."""
    plan, study = random_plan(draws), random_study(draws)
    has_pilot = any(
        "pilot" in output for output in plan.document["outputs"]
    )  # which is written like the input
    stored = one_of(draws, (None, *FORMATS[: 2 if has_pilot else None]))
    shown = observer.of(plan, study, stored=stored)
    found = refused_late(plan, shown)
    for number in range(neighbours):
        other = observer.of(plan, _neighbour(draws, plan, study), stored=stored, whole=number == 0)
        found += [
            f"neighbours in {stored.name if stored else 'memory'}: {line}"
            for line in differences(plan, shown, other)
        ]
    if not shown.refused:
        again = observer.of(plan, renamed(draws, study), stored=stored)
        found += [f"other labels: {line}" for line in same(plan, shown, again)]
        in_parts = observer.of(plan, study, stored=stored, cells=_PART_CELLS)
        found += [f"in parts: {line}" for line in same(plan, shown, in_parts)]
    return Trial(plan, shown.refused, tuple(dict.fromkeys(found)))


def _neighbour(draws: Draws, plan: RandomPlan, study: Study) -> Study:
    if plan.adds_or_removes:
        return without_one(draws, study, plan.public)
    return neighbour(draws, study, plan.public, same_label=plan.divides_people)
