"""Scores of many items as one, and the best of what needs no data."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence

from synthrelease.evaluation.result import Measure, Scores


def best_without_data(measure: Measure, scores: Mapping[str, float]) -> tuple[str, float] | None:
    """Return the best score without any data, and how it is reached; None if there is no way."""
    best = measure.best
    ranked = [
        (abs(value - best) if math.isfinite(best) else -value, baseline, value)
        for baseline, value in scores.items()
        if not math.isnan(value)
    ]
    return min(ranked)[1:] if ranked else None


def over_items(items: Sequence[Scores], measures: Sequence[Measure]) -> Scores:
    """Return the mean, the middle, or the root of the mean square, of every measure over the items that have it; NaN if none has."""
    columns = list(zip(*items, strict=True)) or [()] * len(measures)
    return tuple(
        _over([value for value in column if not math.isnan(value)], measure)
        for column, measure in zip(columns, measures, strict=True)
    )


def _over(values: Sequence[float], measure: Measure) -> float:
    if not values:
        return math.nan
    if measure.middle:
        return statistics.median(values)
    if measure.squared:
        return math.hypot(*values) / math.sqrt(len(values))
    return math.fsum(values) / len(values) if all(map(math.isfinite, values)) else math.inf
