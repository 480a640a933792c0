"""Utility against ε: the output's own mechanism, on the same data, with less and with more budget."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from synthrelease.appraisal.appraised import Curve, Measure, Values
from synthrelease.appraisal.matched import MadeOutput
from synthrelease.appraisal.yardsticks.yardstick import Yardstick
from synthrelease.errors import PlanError, PolicyError
from synthrelease.mechanisms.collected import Collected
from synthrelease.noise import SecureRandom
from synthrelease.outputs.resolved import Derivation
from synthrelease.privacy.budget import Budget
from synthrelease.privacy.event import noise_of

if TYPE_CHECKING:
    from synthrelease.parallel import Progress

_TIMES = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the plan's ε
_DRAWS = 3  # fresh releases at each
_DERIVED = 3  # parts of a release that are looked at; each holds some items


def curve(
    made: MadeOutput,
    collected: Collected,
    yardstick: Yardstick,
    *,
    without_data: tuple[str, float] | None,
    seed: int,
    progress: Progress | None = None,
) -> Curve | None:
    """Return what fresh releases of the same contributions are worth at other ε; None where no ε decides.

    Args:
        made: the output.
        collected: what all people contribute.
        yardstick: what is measured, by its first measure.
        without_data: what whoever has no data scores.
        seed: of the noise.
        progress: told of each release.
    """
    own, points = made.budget, []
    if own is None or noise_of(made.event) is None:
        return None
    random = SecureRandom.for_tests(seed).spawn("curve", made.name)
    done = itertools.count()
    for times in _TIMES:
        drawn = []
        for number in range(_DRAWS):
            if progress is not None:
                progress(f"at other ε: {made.name}", next(done), len(_TIMES) * _DRAWS)
            budget = Budget(times * own.epsilon, own.delta)
            try:
                released = made.resolved.release(collected, budget, random.spawn(str(times), str(number)))
            except (
                PolicyError,
                PlanError,
            ):  # nothing can be had for so little, or noise that 64 bits cannot hold
                break
            drawn.append(_score(released.derivations, yardstick))
        if len(drawn) == _DRAWS:
            points.append((times * own.epsilon, tuple(drawn)))
    epsilons = tuple(epsilon for epsilon, _ in points)
    return Curve(
        _first(yardstick), epsilons, tuple(values for _, values in points), own.epsilon, without_data
    )


def over_items(items: Sequence[Values], measures: Sequence[Measure]) -> Values:
    """Return the mean, or the middle, of every measure over the items that have it; NaN if none has."""
    columns = list(zip(*items, strict=True)) or [()] * len(measures)
    return tuple(
        _over([value for value in column if not math.isnan(value)], measure)
        for column, measure in zip(columns, measures, strict=True)
    )


def _score(derivations: Sequence[Derivation], yardstick: Yardstick) -> float:
    """The first measure, over some parts of a release that are the same each time."""
    chosen = np.unique(np.linspace(0, len(derivations) - 1, _DERIVED).round().astype(int))
    items: list[Values] = []
    for number in chosen:
        items += yardstick.of(derivations[number]()).values()
    return over_items(items, yardstick.measures)[0]


def _first(yardstick: Yardstick) -> Measure:
    return yardstick.measures[0]


def _over(values: Sequence[float], measure: Measure) -> float:
    if not values:
        return math.nan
    if measure.middle:
        return statistics.median(values)
    return math.fsum(values) / len(values) if all(map(math.isfinite, values)) else math.inf
