"""What two neighbours may differ in: integers by the stated sensitivity before noise is added, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from random_plans.observed import CRASH, Drawn, Observed
from random_plans.plans import RandomPlan

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Refusals that depend on the data; they reach the curator alone.
BY_LOT = "too-few-records"  # candidates that passed the deniability test
OF_DATA = {"only-selects-nothing", "no-listed-rows", BY_LOT, "no-complete-row"}


def differences(plan: RandomPlan, one: Observed, other: Observed) -> list[str]:
    """Return what neighbours show differently, and should not, each in a line."""
    if one.refused or other.refused:
        return _crashes(one, other) or (
            []
            if one.refused == other.refused or {one.refused, other.refused} & OF_DATA
            else [f"refused: {one.refused or 'built'} / {other.refused or 'built'}"]
        )
    previews = ["preview"] * (one.preview != other.preview)
    return [*previews, *_public(plan, one, other), *_moved(one, other)]


def same(plan: RandomPlan, one: Observed, other: Observed) -> list[str]:
    """Return what the same people show differently in another order, under other labels, or read in parts, each in a line."""
    if one.refused or other.refused:
        different = [f"refused: {one.refused or 'built'} / {other.refused or 'built'}"]
        by_lot = BY_LOT in (one.refused, other.refused)  # other labels, other seeds
        return _crashes(one, other) or (different if one.refused != other.refused and not by_lot else [])
    found = []
    if one.preview != other.preview and one.in_parts == other.in_parts:  # it tells the memory that parts take
        found.append("preview")
    return found + _public(plan, one, other) + _other_integers(plan, one, other)


def _crashes(one: Observed, other: Observed) -> list[str]:
    return [observed.refused for observed in (one, other) if observed.refused.startswith(CRASH)]


def _other_integers(plan: RandomPlan, one: Observed, other: Observed) -> list[str]:
    found = []
    outputs = plan.document["outputs"]
    picked = {output["name"] for output in outputs if "max_stimuli_per_person" in output}
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
            if not (_rows(exact) == _rows(again) if before.permuted else np.array_equal(exact, again)):
                found.append(f"{name}: other integers")
    return found


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
    """Whether values of an output are no function of noisy integers, as its manifest says: records that start from seeds, and the papers' own noise."""
    seeded = output["kind"] == "records" and (output["model"] == "seeded" or output.get("fit") != "dp")
    return seeded or output.get("calibration") == "bozkir2021"


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
                for what in (*_moved_utilities(before, after), *_moved_integers(before, after))
            ]
    return found


def _moved_utilities(before: Drawn, after: Drawn) -> Iterator[str]:
    for (utilities, sensitivity), (others, _) in zip(before.utilities, after.utilities, strict=True):
        far = max(abs(a - b) for a, b in zip(utilities, others, strict=True))
        if far > sensitivity:
            yield f"a utility moved by {far}, stated is {sensitivity}"


def _moved_integers(before: Drawn, after: Drawn) -> Iterator[str]:
    """All integers of one event are one vector."""
    for event in dict.fromkeys(event for _, event in before.integers):
        moves: list[int] = []
        for (exact, own), (again, _) in zip(before.integers, after.integers, strict=True):
            if own == event:
                moves += _moves(exact, again, permuted=before.permuted).tolist()
        power = 1 if event.norm == "l1" else 2
        if sum(abs(move) ** power for move in moves) > Fraction(event.sensitivity) ** power:
            far = sum(abs(move) ** power for move in moves) ** (1 / power)
            yield f"integers moved by {far:g} in {event.norm}, stated is {event.sensitivity:g}"


def _moves(exact: NDArray[np.int64], again: NDArray[np.int64], *, permuted: bool) -> NDArray[np.int64]:
    """How far integers moved; of rows whose order was drawn, only those that both do not have."""
    if not permuted:
        return (exact - again).ravel()
    gone, come = _rows(exact) - _rows(again), _rows(again) - _rows(exact)
    return (
        np.array(list(gone.elements()), dtype=np.int64).ravel()
        - np.array(list(come.elements()), dtype=np.int64).ravel()
    )


def _rows(exact: NDArray[np.int64]) -> Counter[tuple[int, ...]]:
    return Counter(map(tuple, exact.reshape(len(exact), -1).tolist()))
