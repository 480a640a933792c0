"""Ranges that are usual in the field, by what a column is called: those of usual_ranges.toml, and of the spreads and variances of what they are of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from synthrelease.proposals.roles import plain_name
from synthrelease.proposals.trackers import table

PER_SECOND = {"s": 1.0, "ms": 1e3, "µs": 1e6}
_PUPIL = re.compile(r"pupil|diameter")
_MILLISECONDS = re.compile(r"(^|_)(ms|msec|millis\w*)($|_)")
_VARIANCE = re.compile(r"(?:^|_)(?:var|variance)(?=$|_)")
# Of pupils, whose ranges are of diameters in mm.
_OTHER_UNIT = re.compile(r"(^|_)(px|pix|pixels?|area|radius|au)($|_)")
_SPREAD = re.compile(r"(?:^|_)(?:sd|std)(?=$|_)")
_HALF = "no more than half of the range: Popoviciu 1935"
_POPOVICIU = "no more than a quarter of the square of the range: Popoviciu 1935"


@dataclass(frozen=True)
class UsualRange:
    """What a feature can be, and who says so."""

    quantity: str
    ends: Sequence[float]  # lowest and highest
    source: str
    unit: str = ""

    def __str__(self) -> str:
        """Return it as a comment on a feature."""
        low, high = self.ends
        unit = f" {self.unit}" if self.unit else ""
        return f"usual for {self.quantity}: {low:g} to {high:g}{unit} ({self.source})"


def usual_range(column: str, *, unit: str = "") -> UsualRange | None:
    """Return what is usual for a column of this name; None if nothing is known.

    Args:
        column: its name.
        unit: of a time, where the name says none: "s", "ms" or "µs".
    """
    name = plain_name(column)
    variances = len(_VARIANCE.findall(name))
    if variances:
        mean = usual_range(_VARIANCE.sub("", name), unit=unit) if variances == 1 else None
        return None if mean is None or not mean.unit else _variance_of(mean)
    if _SPREAD.search(name) and not _PUPIL.search(name):  # of pupils, our own
        mean = usual_range(_SPREAD.sub("", name), unit=unit)
        return None if mean is None else _spread_of(mean)
    usual = next((usual for expression, usual in _ranges() if expression.search(name)), None)
    if usual is None or (usual.unit == "mm" and _OTHER_UNIT.search(name)):
        return None
    if usual.unit == "s":
        unit = "ms" if _MILLISECONDS.search(name) else unit or "s"
        return replace(usual, ends=[end * PER_SECOND[unit] for end in usual.ends], unit=unit)
    return usual


@cache
def _ranges() -> list[tuple[re.Pattern[str], UsualRange]]:
    document = table("usual_ranges")
    return [
        (
            re.compile(entry.pop("pattern")),
            UsualRange(**entry | {"source": document["source"][entry["source"]]}),
        )
        for entry in document["range"]
    ]


def _spread_of(mean: UsualRange) -> UsualRange:
    low, high = mean.ends
    return UsualRange(f"the spread of {mean.quantity}", (0, (high - low) / 2), _HALF, mean.unit)


def _variance_of(mean: UsualRange) -> UsualRange:
    low, high = mean.ends
    unit = f"{mean.unit}, squared"
    return UsualRange(f"the variance of {mean.quantity}", (0, (high - low) ** 2 / 4), _POPOVICIU, unit)
