"""How far neighbours that are made in files move the exact sums, over what is stated: formats × kinds × M × relations, next to more people."""

from __future__ import annotations

import argparse
from typing import Any


def main(arguments: list[str]) -> int:
    """Print a bar of every format and kind; 1 if one is above 1."""
    parser = argparse.ArgumentParser(prog="scripts/stress neighbours", description=__doc__)
    parser.add_argument("--people", type=int, default=60, metavar="N", help="in a file (default: 60)")
    parser.add_argument("--only", default="", metavar="TEXT", help="formats with this in their name")
    told = parser.parse_args(arguments)
    from random_plans import corners as cases
    from random_plans.files import FORMATS
    from random_plans.observed import Observer

    study, worst = cases.study_of(told.people), 0.0
    with Observer() as observer:
        for relation in cases.RELATIONS:
            for most in (1, 5, 6):
                print(f"{relation}, M = {most}".ljust(28), *(f"{name:>10}" for name in cases.OUTPUTS))
                for stored in (one for one in FORMATS if told.only in one.name):
                    bars = []
                    for name in cases.OUTPUTS:
                        plan = cases.plan_of(name, relation, most)
                        shown = observer.of(plan, study, stored=stored, whole=False)
                        others = [] if shown.refused else cases.neighbours(study, relation)
                        far = [
                            _bar(shown, observer.of(plan, one, stored=stored, whole=False)) for one in others
                        ]
                        worst = max([worst, *far])
                        bars.append(f"{max(far):10.3f}" if far else "   refused")
                    print(stored.name.ljust(28), *bars, flush=True)
    print(f"the largest is {worst:.3f} of what is stated")
    return int(worst > 1)


def _bar(one: Any, other: Any) -> float:
    """How far the integers of either are apart, over the stated sensitivity: those of an event are one vector."""
    bars = []
    for before, after in zip(one.drawn.values(), other.drawn.values(), strict=True):
        for event in dict.fromkeys(event for _, event in before.integers):
            power = 1 if event.norm == "l1" else 2
            moved = [
                abs(move) ** power
                for (exact, stated), (again, _) in zip(before.integers, after.integers, strict=True)
                if stated == event
                for move in (exact - again).ravel().tolist()
            ]
            bars.append(float(sum(moved) ** (1 / power) / event.sensitivity))
    return max(bars, default=0.0)
