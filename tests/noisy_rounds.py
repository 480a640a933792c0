"""Exact sums of mechanisms in rounds, if rounds before released what a test says."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.budget import Budget
from synthrelease.kinds.adaptive import AdaptiveMechanism
from synthrelease.kinds.contributions import Rows

Integers = NDArray[np.int64]
Sums = dict[str, Integers]


def exact_sums(mechanism: AdaptiveMechanism[Any], rows: Rows, released: Sums, budget: Budget) -> Sums:
    """Return the exact sums of all rounds; a round that nothing is said of released its exact sum."""
    sums: Sums = {}

    def remember(path: str, total: Integers) -> Any:
        sums[path] = total
        return released.get(path, total)

    mechanism.rounds(rows, mechanism.calibrate(budget), remember)
    return sums
