"""Which item of an output is meant: by feature, group, recording or stimulus."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from synthrelease.errors import ArgumentError
from synthrelease.inference.released import Released
from synthrelease.kinds.statistics.public import StatisticsParameters
from synthrelease.numerics.statistics import StatisticUnit


def chosen(what: str, name: str | None, names: Sequence[str]) -> int:
    """Return the number of a name in a public list; of the only one if none is given.

    Raises:
        ArgumentError: it is not in the list, or none is given of several.
    """
    if name is None and len(names) == 1:
        return 0
    name = str(name) if isinstance(name, int | np.integer) else name  # a study may number them
    if name is None or name not in names:
        shown = ", ".join(names[:8]) + (f", and {len(names) - 8} more" if len(names) > 8 else "")
        raise ArgumentError(
            f"no-such-{what}",
            f"there is no such {what}" if name is not None else f"there are several: name the {what}",
            where=what,
            found="none" if name is None else name,
            expected=shown,
            remedy=f"write {what}=… with one of these",
        )
    return list(names).index(name)


def place_of(
    found: Released, statistic: str, feature: str | None, group: str | None
) -> tuple[tuple[int, ...], StatisticUnit]:
    """Return the index of a statistic of a feature in a group, and what its integers stand for.

    Raises:
        ArgumentError: it was not released, or there is no such feature or group.
    """
    p = found.parameters
    assert isinstance(p, StatisticsParameters)
    if statistic not in p.noisy:
        raise ArgumentError(
            "no-such-statistic",
            f"no {statistic} was released",
            where=found.name,
            found=", ".join(p.statistics),
            expected=f'statistics = ["{statistic}", …]',
            remedy=f"ask the curator for a release with {statistic}",
        )
    number = chosen("feature", feature, [one.name for one in p.features])
    unit = p.unit(p.features[number])
    if p.groups is None:
        if group is not None:
            raise ArgumentError(
                "no-groups",
                "the output has no groups",
                where="group",
                found=group,
                expected="none",
                remedy="leave out group",
            )
        return (number,), unit
    return (chosen("group", group, p.groups), number), unit
