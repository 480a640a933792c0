"""Utility against ε: the output's own mechanism, on the same data, with less and with more budget."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from synthrelease.dp.budget import Budget
from synthrelease.dp.event import noise_of
from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import PlanError, PolicyError
from synthrelease.evaluation.arrays import Arrays, Derivation
from synthrelease.evaluation.ground_truth import kind_of, parts
from synthrelease.evaluation.ground_truth.ground_truth import GroundTruth
from synthrelease.evaluation.matched import MadeOutput
from synthrelease.evaluation.result import Curve, Measure, Values
from synthrelease.kinds.contributions import Contribution
from synthrelease.kinds.values import Values as Released

if TYPE_CHECKING:
    from synthrelease.parallel import Progress

_TIMES = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the plan's ε
_DRAWS = 3  # fresh releases at each
_LEAST_PARTS, _MOST_VALUES = 3, 10_000_000  # of a release that are looked at; each part holds some items


def curve(
    made: MadeOutput,
    collected: Contribution,
    yardstick: GroundTruth,
    *,
    items: int,
    together: bool,
    seed: int,
    progress: Progress | None = None,
) -> Curve | None:
    """Return how fresh releases of the same contributions score at other ε; None where no ε decides.

    A parameter that was chosen privately stays as it was chosen, and its part of ε is spent on that.

    Args:
        made: the output.
        collected: what all people contribute.
        yardstick: what is measured, by its first measure.
        items: how many the output has. Of many some are looked at, the same in every release, and in what needs no data.
        together: whether all of a release is looked at at once, as one order of people is for all of everybody's own.
        seed: of the noise.
        progress: told of each release.
    """
    own, points, without = made.budget, [], None
    if own is None or noise_of(made.event) is None:
        return None
    random = SecureRandom.for_tests(seed).spawn("curve", made.name)
    done = itertools.count()
    for times in _TIMES:
        drawn = []
        for number in range(_DRAWS):
            if progress is not None:
                progress(f"at other ε: {made.name}", next(done), len(_TIMES) * _DRAWS)
            budget = Budget(times * (own.epsilon - made.spent_on_choice), own.delta)  # the choice is made
            try:
                released = made.mechanism.draw(collected, budget, random.spawn(str(times), str(number)))
            except (
                PolicyError,
                PlanError,
            ):  # nothing can be had for so little, or noise that 64 bits cannot hold
                break
            values = Released(released.parameters, released.event, released.arrays)
            some = _some(parts(kind_of(made.mechanism), values, made.mechanism), together=together)
            scores = [scored for part in some for scored in yardstick.of(part).values()]
            drawn.append(over_items(scores, yardstick.measures)[0])
            without = without or (_without_data(some, yardstick), len(scores))
        if len(drawn) == _DRAWS:
            points.append((times * own.epsilon, tuple(drawn)))
    epsilons = tuple(epsilon for epsilon, _ in points)
    best, looked_at = without or (None, 0)
    return Curve(
        yardstick.measures[0],
        epsilons,
        tuple(values for _, values in points),
        own.epsilon,
        best,
        (looked_at, items),
    )


def best_without_data(measure: Measure, scores: Mapping[str, float]) -> tuple[str, float] | None:
    """Return the best score without any data, and how it is reached; None if there is no way."""
    best = measure.best
    ranked = [
        (abs(value - best) if math.isfinite(best) else -value, what, value)
        for what, value in scores.items()
        if not math.isnan(value)
    ]
    return min(ranked)[1:] if ranked else None


def over_items(items: Sequence[Values], measures: Sequence[Measure]) -> Values:
    """Return the mean, or the middle, of every measure over the items that have it; NaN if none has."""
    columns = list(zip(*items, strict=True)) or [()] * len(measures)
    return tuple(
        _over([value for value in column if not math.isnan(value)], measure)
        for column, measure in zip(columns, measures, strict=True)
    )


def _some(derivations: Sequence[Derivation], *, together: bool) -> list[Arrays]:
    """Some parts of a release, the same each time, as many as a moment suffices for; or all of it in one."""
    if together:
        return [{labels: array for derive in derivations for labels, array in derive().items()}]
    size = sum(array.size for array in derivations[0]().values())
    count = min(len(derivations), max(_LEAST_PARTS, _MOST_VALUES // max(1, size)))
    chosen = np.linspace(0, len(derivations) - 1, count).round().astype(int)
    return [derivations[number]() for number in chosen]


def _without_data(parts: Sequence[Arrays], yardstick: GroundTruth) -> tuple[str, float] | None:
    items: dict[str, list[Values]] = {}
    for part in parts:
        for what, guess in yardstick.without_data(part).items():
            items.setdefault(what, []).extend(yardstick.of(guess).values())
    scores = {what: over_items(values, yardstick.measures)[0] for what, values in items.items()}
    return best_without_data(yardstick.measures[0], scores)


def _over(values: Sequence[float], measure: Measure) -> float:
    if not values:
        return math.nan
    if measure.middle:
        return statistics.median(values)
    return math.fsum(values) / len(values) if all(map(math.isfinite, values)) else math.inf
