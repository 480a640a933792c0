"""How far one person moves all noisy statistics of an output together. Claim: `statistics.proof.md`."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence

from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.sensitivity import Sensitivity
from synthrelease.kinds.statistics.noisy import NOISY_STATISTICS
from synthrelease.numerics.statistics import StatisticUnit


def sensitivity(
    names: Sequence[str],
    *,
    units: Sequence[StatisticUnit],
    neighbours: Neighbours,
    groups: int | None = None,
    max_groups: int = 1,
) -> Sensitivity:
    """Return the sensitivity of all statistics but quantiles, of all features and groups, side by side.

    A cell is one feature in one group. Added or removed, a person moves it by what they weigh, L (`Statistic.weight`). Replaced, they
    have values before and after and move it as far as two such are apart (`Statistic.apart`), or on one side only: T is the larger of
    the two. A person counts in at most M of G groups. Under replace-one j of them may stay, M − j leave and M − j others
    come: j·T + 2(M − j)·L, the largest at either end, j = M or j = max(0, 2M − G).

    Args:
        names: of the statistics, no quantiles.
        units: what the integers of every feature stand for; what is divided by a noisy count has that among them.
        neighbours: the neighbouring relation.
        groups: G; None for no groups.
        max_groups: M.
    """
    most = min(max_groups, groups or 1)
    in_place = max(0, 2 * most - (groups or 1))
    total = Sensitivity(0, 0)
    for unit in units:
        leaving = _side_by_side(NOISY_STATISTICS[name].weight(unit) for name in names)
        if neighbours is Neighbours.ADD_REMOVE_ONE:
            total = total.plus(leaving.times(most))
            continue
        cell = _side_by_side(NOISY_STATISTICS[name].apart(unit) for name in names).or_more(leaving)
        some_leave = cell.times(in_place).plus(leaving.times(2 * (most - in_place)))
        total = total.plus(cell.times(most).or_more(some_leave))
    return total


def _side_by_side(parts: Iterable[Sensitivity]) -> Sensitivity:
    return functools.reduce(Sensitivity.plus, parts, Sensitivity(0, 0))
