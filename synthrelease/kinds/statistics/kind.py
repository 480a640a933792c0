"""Statistics as the registry knows them."""

from __future__ import annotations

from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.kind import Kind
from synthrelease.kinds.statistics.noisy import NOISY_STATISTICS
from synthrelease.kinds.statistics.public import StatisticsParameters
from synthrelease.kinds.statistics.public_fixations import FixationParameters

STATISTICS = Kind(
    name="statistics",
    title="Statistics",
    subject="summary statistics",
    package="synthrelease.kinds.statistics",
    named={"statistics": ", ".join(NOISY_STATISTICS), "statistics in a pattern": "|".join(NOISY_STATISTICS)},
    parameters=(StatisticsParameters, FixationParameters),
    relations=tuple(Neighbours),
)
