"""The utility of an output: the release, the same without noise, and what needs no data, by the same measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from synthrelease.dp.event import noise_of
from synthrelease.evaluation.arrays import Arrays, Derivation, Labels
from synthrelease.evaluation.case import Case
from synthrelease.evaluation.curves import over_items
from synthrelease.evaluation.ground_truth import exact_parts
from synthrelease.evaluation.noise_check import NoiseTally
from synthrelease.evaluation.result import RELEASED, NoiseCheck, Utility, Values
from synthrelease.report.exhibits import Exhibit
from synthrelease.report.released import Released

if TYPE_CHECKING:
    from synthrelease.parallel import Progress

EXACT = "without noise"


def measured(
    case: Case, released: Released, *, pictures: int, progress: Progress | None = None
) -> tuple[Utility, NoiseCheck | None, tuple[Exhibit, ...]]:
    """Return what was released beside what else could have been, whether the noise is as stated, and what there is to see.

    Some arrays are in memory at a time.

    Args:
        case: the output and its data.
        released: the bundle.
        pictures: how many are made at most.
        progress: told of each part.
    """
    made, yardstick, tally = case.made, case.yardstick, _tally(case)
    items: dict[str, Values] = {}
    others: dict[str, dict[str, Values]] = {}
    exhibits: list[Exhibit] = []
    steps = _steps(case)
    for number, (derive, labels) in enumerate(steps):
        if progress is not None:
            progress(f"measuring {made.name}", number, len(steps))
        exact = {} if derive is None else derive()
        there = [one for one in labels if derive is None or one in exact]
        arrays: Arrays = {one: released.values(made.name, *one) for one in there}
        if tally is not None:
            for one, array in exact.items():
                if one[-1] == "noised":
                    tally.add(released.values(made.name, *one).astype(np.int64) - array.astype(np.int64))
        items |= yardstick.of(arrays)
        if derive is not None:
            others.setdefault(EXACT, {}).update(yardstick.of(exact))
        for what, guess in yardstick.without_data(arrays).items():
            others.setdefault(what, {}).update(yardstick.of(guess))
        if len(exhibits) < pictures:
            exhibits += yardstick.exhibits(arrays)
    _add_counts(tally, case, released)
    compared = {
        what: over_items(list(values.values()), yardstick.measures)
        for what, values in {RELEASED: items, **others}.items()
    }
    utility = Utility(yardstick.measures, compared, items, yardstick.noun)
    return utility, None if tally is None or not tally.count else tally.check(), tuple(exhibits[:pictures])


def _steps(case: Case) -> list[tuple[Derivation | None, Sequence[Labels]]]:
    """What makes arrays without noise, if there is such a thing, and which of the bundle's are judged with it."""
    made, groups = case.made, case.kind.labels(case.made.mechanism)
    if not case.kind.is_exact:
        return [(None, group) for group in groups]
    every = [labels for group in groups for labels in group]
    exact = exact_parts(case.kind, made.mechanism, case.collected, made.event)
    return [(derive, every) for derive in exact]


def _add_counts(tally: NoiseTally | None, case: Case, released: Released) -> None:
    """The noise of an output whose arrays are no derivations of what it was drawn on."""
    if tally is None or case.kind.counts is None:
        return
    for one, array in case.kind.counts(case.made.mechanism, case.truth).items():
        tally.add(released.values(case.made.name, *one).astype(np.int64) - array.astype(np.int64))


def _tally(case: Case) -> NoiseTally | None:
    """Of series of each person it is not known what to subtract: their order is drawn by lot."""
    noise, kind = noise_of(case.made.event), case.kind
    known = not case.of_each if kind.is_exact else kind.counts is not None
    return None if noise is None or not known else NoiseTally(noise)
