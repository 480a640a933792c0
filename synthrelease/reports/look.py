"""How maps are drawn on a page: the photographs under them, and the colour scales that all maps of a release share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from synthrelease.reports.photographs import Photographs

Range = tuple[float, float]  # ends of a colour scale
_FLAT = 0.02  # of the largest value: differences that a scale of their own would exaggerate
_SAME = 0.05  # of a scale: maps that fill it but for so much need none of their own


@dataclass(frozen=True)
class Look:
    """How maps are drawn."""

    photographs: Photographs = field(default_factory=Photographs)
    ranges: Mapping[str, Range] = field(default_factory=dict)  # by what the colours mean, with its unit

    def range_of(self, unit: str, own: Range) -> Range:
        """Return the ends of the scale that a panel shares with all others of the release."""
        return self.ranges.get(unit, own)

    def differs(self, unit: str, own: Range) -> bool:
        """Return whether a scale of a panel's own would show more."""
        low, high = self.range_of(unit, own)
        return abs(own[1] - high) + abs(own[0] - low) > _SAME * (high - low)


def joined(ranges: Iterable[tuple[str, Range]]) -> dict[str, Range]:
    """Return the ends of the scale that all panels of a unit share."""
    shared: dict[str, Range] = {}
    for unit, (low, high) in ranges:
        least, most = shared.get(unit, (low, high))
        shared[unit] = min(low, least), max(high, most)
    return shared


def legible(low: float, high: float) -> Range:
    """Return the ends of a scale on which differences can be read: from 0 where there are hardly any."""
    return (low, high) if high - low > _FLAT * high else (0.0, high)
