"""Numbers on the axes of what a page draws, and on its colour bars."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from synthrelease.number_words import short
from synthrelease.reports.exhibits import Tick

_TICKS = 5  # intervals of an axis, at most: there is room for so many numbers on a phone


def ticks(low: float, high: float, *, signed: bool = False) -> tuple[Tick, ...]:
    """Return round numbers from `low` to `high`, with their places between 0 and 1; with `signed` those above 0 have a plus."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415  slow to import

    if not high > low:
        return (Tick(0.0, short(low, 3)),)
    span = high - low
    numbers = MaxNLocator(_TICKS, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    within = [float(n) for n in numbers if low - 1e-9 * span <= n <= high + 1e-9 * span]
    return tuple(
        Tick(round((n - low) / span, 4), f"{'+' if signed and n > 0 else ''}{short(n, 4)}") for n in within
    )


def edge_ticks(edges: ArrayLike) -> tuple[Tick, ...]:
    """Return edges of bins of equal width, the first and some evenly after it, with their places between 0 and 1.

    Args:
        edges: increasing, shape (bins + 1,).
    """
    numbers = np.asarray(edges, dtype=np.float64)
    bins = len(numbers) - 1
    chosen = range(0, bins + 1, -(-bins // _TICKS))
    return tuple(Tick(round(n / bins, 4), short(float(numbers[n]))) for n in chosen)


def end_ticks(low: str, high: str) -> tuple[Tick, ...]:
    """Return what stands at both ends of an axis without numbers."""
    return Tick(0.0, low), Tick(1.0, high)
