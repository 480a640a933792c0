"""Utility against ε: the output's own mechanism, on the same data, with less and with more budget."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from synthrelease.appraisal.appraised import Curve, Measure, Values
from synthrelease.appraisal.matched import MadeOutput
from synthrelease.appraisal.yardsticks.yardstick import Yardstick
from synthrelease.errors import PlanError, PolicyError
from synthrelease.mechanisms.collected import Collected
from synthrelease.noise import SecureRandom
from synthrelease.outputs.resolved import Arrays, Derivation
from synthrelease.privacy.budget import Budget
from synthrelease.privacy.event import noise_of

if TYPE_CHECKING:
    from synthrelease.parallel import Progress

_TIMES = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the plan's ε
_DRAWS = 3  # fresh releases at each
_LEAST_PARTS, _MOST_VALUES = 3, 10_000_000  # of a release that are looked at; each part holds some items


def curve(
    made: MadeOutput,
    collected: Collected,
    yardstick: Yardstick,
    *,
    without_data: str | None,
    seed: int,
    progress: Progress | None = None,
) -> Curve | None:
    """Return what fresh releases of the same contributions are worth at other ε; None where no ε decides.

    Args:
        made: the output.
        collected: what all people contribute.
        yardstick: what is measured, by its first measure.
        without_data: which of the yardstick's ways without any data to compare with.
        seed: of the noise.
        progress: told of each release.
    """
    own, points = made.budget, []
    looked: _Looked | None = None
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
            if looked is None:
                looked = _looked(released.derivations, yardstick, without_data)
            drawn.append(looked.score(released.derivations))
        if len(drawn) == _DRAWS:
            points.append((times * own.epsilon, tuple(drawn)))
    return Curve(
        yardstick.measures[0],
        tuple(epsilon for epsilon, _ in points),
        tuple(values for _, values in points),
        own.epsilon,
        None if looked is None else looked.without_data,
        None if looked is None else looked.items,
    )


def over_items(items: Sequence[Values], measures: Sequence[Measure]) -> Values:
    """Return the mean, or the middle, of every measure over the items that have it; NaN if none has."""
    columns = list(zip(*items, strict=True)) or [()] * len(measures)
    return tuple(
        _over([value for value in column if not math.isnan(value)], measure)
        for column, measure in zip(columns, measures, strict=True)
    )


@dataclass(frozen=True)
class _Looked:
    """The parts of every release that are looked at, so that all are compared on the same items.

    Attributes:
        parts: numbers of the derivations.
        yardstick: what is measured, by its first measure.
        items: how many they hold; None if these are all.
        without_data: what whoever has no data scores on them, and how they do it.
    """

    parts: tuple[int, ...]
    yardstick: Yardstick
    items: int | None
    without_data: tuple[str, float] | None

    def score(self, derivations: Sequence[Derivation]) -> float:
        """Return what a release scores."""
        return _score(self.yardstick, (derivations[part]() for part in self.parts))


def _looked(derivations: Sequence[Derivation], yardstick: Yardstick, without_data: str | None) -> _Looked:
    """Choose as many parts as a moment suffices for, evenly."""
    size = sum(array.size for array in derivations[0]().values())
    count = min(len(derivations), max(_LEAST_PARTS, _MOST_VALUES // max(1, size)))
    parts = tuple(np.linspace(0, len(derivations) - 1, count).round().astype(int).tolist())
    items, guesses = 0, []
    for part in parts:
        arrays = derivations[part]()
        items += len(yardstick.of(arrays))
        if without_data is not None:
            guesses.append(yardstick.without_data(arrays)[without_data])
    told = None if without_data is None else (without_data, _score(yardstick, guesses))
    return _Looked(parts, yardstick, None if count == len(derivations) else items, told)


def _score(yardstick: Yardstick, parts: Iterable[Arrays]) -> float:
    return over_items(
        [values for arrays in parts for values in yardstick.of(arrays).values()], yardstick.measures
    )[0]


def _over(values: Sequence[float], measure: Measure) -> float:
    if not values:
        return math.nan
    if measure.middle:
        return statistics.median(values)
    return math.fsum(values) / len(values) if all(map(math.isfinite, values)) else math.inf
