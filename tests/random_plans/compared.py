"""What two neighbours may differ in: integers by the stated sensitivity before noise is added, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from random_plans.observed import CRASH, Drawn, Observed
from random_plans.plans import RandomPlan
from synthrelease.data.cells import in_natural_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Refusals that depend on the data; they reach the curator alone.
BEFORE_NOISE = {"only-selects-nothing", "no-listed-rows", "nothing-left"}
BY_LOT = "too-few-records"  # candidates that passed the deniability test
AFTER_NOISE = {BY_LOT, "no-complete-row"}  # of records that start from seeds, which no ε covers


def differences(plan: RandomPlan, one: Observed, other: Observed) -> list[str]:
    """Return what neighbours show differently, and should not, each in a line."""
    if one.refused or other.refused:
        of_data = {one.refused, other.refused} & (BEFORE_NOISE | AFTER_NOISE)
        return [*refused_late(plan, one), *refused_late(plan, other)] or _refused_otherwise(
            one, other, allowed=bool(of_data)
        )
    previews = ["preview"] * (one.preview != other.preview)
    return [*previews, *_public(plan, one, other), *_moved(one, other)]


def same(plan: RandomPlan, one: Observed, other: Observed) -> list[str]:
    """Return what the same people show differently in another order, under other labels, or read in parts, each in a line."""
    if one.refused or other.refused:
        by_lot = BY_LOT in (one.refused, other.refused)  # other labels, other seeds
        return refused_late(plan, other) or _refused_otherwise(one, other, allowed=by_lot)
    found = []
    if one.preview != other.preview and one.in_parts == other.in_parts:  # it tells the memory that parts take
        found.append("preview")
    return found + _public(plan, one, other) + _other_integers(plan, one, other)


def refused_late(plan: RandomPlan, observed: Observed) -> list[str]:
    """Return why a refusal should not have been: it is no refusal, or came when noise had been drawn, and paid for."""
    if observed.refused.startswith(CRASH):
        return [observed.refused]
    drawn = any(one.integers or one.utilities for one in observed.drawn.values())
    seeded = any(is_exempt(output) for output in plan.document["outputs"])
    if not observed.refused or not drawn or (observed.refused in AFTER_NOISE and seeded):
        return []
    return [f"refused after noise was drawn: {observed.refused}"]


def _refused_otherwise(one: Observed, other: Observed, *, allowed: bool) -> list[str]:
    if allowed or one.refused == other.refused:
        return []
    return [f"refused: {one.refused or 'built'} / {other.refused or 'built'}"]


def _other_integers(plan: RandomPlan, one: Observed, other: Observed) -> list[str]:
    found = []
    outputs = plan.document["outputs"]
    picked = {output["name"] for output in outputs if "max_stimuli_per_person" in output}
    picked |= {o["name"] for o in outputs if o.get("by") == "stimulus" and "max_groups_per_person" in o}
    divided = {output["name"] for output in outputs if output.get("threshold") == "randomized"}
    for name, before, after in _both(one, other):
        if (
            name in picked and one.in_parts == other.in_parts
        ):  # a person's label picks the stimuli that they count on
            continue
        if name in divided and one.in_parts == other.in_parts:  # and into which half people fall
            continue
        if before.utilities != after.utilities:
            found.append(f"{name}: other utilities")
        for (exact, _), (again, _) in zip(before.integers, after.integers, strict=True):
            pair = exact, again
            if before.order is not None:
                pair = _of_study(before, exact, one.people), _of_study(after, again, other.people)
            if not np.array_equal(*pair):
                found.append(f"{name}: other integers")
    return found


def _of_study(drawn: Drawn, exact: NDArray[np.int64], people: Sequence[str]) -> NDArray[np.int64]:
    """Rows of people in the order of the study."""
    place = {label: number for number, label in enumerate(in_natural_order(people))}
    return drawn.by_label(exact)[[place[label] for label in people]]


def _both(one: Observed, other: Observed) -> Iterator[tuple[str, Drawn, Drawn]]:
    assert one.drawn.keys() == other.drawn.keys()
    for name, drawn in one.drawn.items():
        yield name, drawn, other.drawn[name]


def _public(plan: RandomPlan, one: Observed, other: Observed) -> list[str]:
    exempt = {o["name"] for o in plan.document["outputs"] if is_exempt(o)}
    if exempt:
        pair = [_without(observed.manifest, exempt) for observed in (one, other)]
        return ["manifest"] * (pair[0] != pair[1])
    both = one.public.keys() & other.public.keys()
    return sorted(name for name in both if one.public[name] != other.public[name])


def is_exempt(output: dict[str, Any]) -> bool:
    """Whether values of an output are no function of noisy integers, as its manifest says: records that start from seeds."""
    return output["kind"] == "records" and (output["model"] == "seeded" or output.get("fit") != "dp")


def _without(manifest: dict[str, Any], exempt: set[str]) -> dict[str, Any]:
    """The manifest without digests of their values."""
    paths = {path for entry in manifest["outputs"] if entry["name"] in exempt for path in entry["paths"]}
    digests = {path: digest for path, digest in manifest["digests"].items() if path not in paths}
    assert len(digests) < len(manifest["digests"])
    return {**manifest, "digests": {**digests, **dict.fromkeys(sorted(paths))}}


def _moved(one: Observed, other: Observed) -> list[str]:
    found = []
    for name, before, after in _both(one, other):
        shapes = [
            [(len(u), s) for u, s in drawn.utilities] + [(e, x.shape, x.dtype) for x, e in drawn.integers]
            for drawn in (before, after)
        ]
        if shapes[0] != shapes[1]:
            found.append(f"{name}: other events, shapes or types")
        else:
            found += [
                f"{name}: {what}"
                for what in (
                    *_moved_utilities(before, after),
                    *_moved_integers(before, after, (one.people, other.people)),
                )
            ]
    return found


def _moved_utilities(before: Drawn, after: Drawn) -> Iterator[str]:
    for (utilities, sensitivity), (others, _) in zip(before.utilities, after.utilities, strict=True):
        far = max(abs(a - b) for a, b in zip(utilities, others, strict=True))
        if far > sensitivity:
            yield f"a utility moved by {far}, stated is {sensitivity}"


def _moved_integers(
    before: Drawn, after: Drawn, people: tuple[Sequence[str], Sequence[str]]
) -> Iterator[str]:
    """All integers of one event are one vector; rows of people are compared person by person."""
    for event in dict.fromkeys(event for _, event in before.integers):
        moves: list[int] = []
        for (exact, stated), (again, _) in zip(before.integers, after.integers, strict=True):
            if stated == event:
                pair = exact, again
                if (
                    before.order is not None
                ):  # neighbours have the same people in the same places of the study, but for one
                    pair = _of_study(before, exact, people[0]), _of_study(after, again, people[1])
                moves += (pair[0] - pair[1]).ravel().tolist()
        power = 1 if event.norm == "l1" else 2
        if sum(abs(move) ** power for move in moves) > Fraction(event.sensitivity) ** power:
            far = sum(abs(move) ** power for move in moves) ** (1 / power)
            yield f"integers moved by {far:g} in {event.norm}, stated is {event.sensitivity:g}"
