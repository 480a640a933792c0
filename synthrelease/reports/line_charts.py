"""Charts of lines, as values: over numbers on a logarithmic axis, or over time in steps. `charts.html` draws them, as SVG that follows light and dark."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from synthrelease.number_words import short
from synthrelease.reports.exhibits import TableExhibit, Tick

_MOST_TICKS = 6
# Leading digits of numbers on a logarithmic axis, the more of them the better.
_DECADES = ((1, 2, 5), (1, 3), (1,))
_ABOVE = 1.04  # of the highest value: the top of an axis that begins at 0


@dataclass(frozen=True)
class ChartLine:
    """A line, or what is between two of them."""

    name: str  # in the legend; "" to leave it out
    path: str  # as SVG has it, in units of the drawing
    tone: str  # "main", "less", "more", "limit" or "band"


@dataclass(frozen=True)
class ChartMark:
    """A dot on a line."""

    x: float  # from 0 to 1
    y: float  # from 0, at the top, to 1
    label: str = ""  # above, with a line up to it; "" for neither


@dataclass(frozen=True)
class LineChart:
    """Lines on common axes."""

    form: ClassVar[str] = "lines"
    is_lead: ClassVar[bool] = False
    width: ClassVar[int] = 320
    height: ClassVar[int] = 160
    title: str
    lines: tuple[ChartLine, ...]  # the lowest in the drawing first
    marks: tuple[ChartMark, ...]
    x: tuple[Tick, ...]
    y: tuple[Tick, ...]
    x_label: str
    y_label: str
    alt: str  # what it shows, for screen readers
    table: TableExhibit | None = None  # its numbers, folded
    note: str = ""  # below; "" for none


@dataclass(frozen=True)
class ChartScale:
    """Where numbers are on an axis, from 0 to 1."""

    low: float
    high: float
    is_log: bool = False

    @classmethod
    def from_zero(cls, values: Iterable[float]) -> ChartScale:
        """Return a scale from 0 to a little above the highest of some numbers."""
        return cls(0.0, _ABOVE * max((value for value in values if math.isfinite(value)), default=0.0) or 1.0)

    def place(self, value: float) -> float:
        """Return the place of a number, which may be outside."""
        low, high, here = (
            (math.log(number) for number in (self.low, self.high, value))
            if self.is_log
            else (self.low, self.high, value)
        )
        return 0.5 if low == high else (here - low) / (high - low)


def line_path(x: Sequence[float], y: Sequence[float]) -> str:
    """Return a line through points, left out where there is no number, as SVG has paths; places from 0 to 1, y from the bottom."""
    steps, pen = [], "M"
    for across, up in zip(x, y, strict=True):
        if not math.isfinite(up):
            pen = "M"
            continue
        steps.append(f"{pen}{_point(across, up)}")
        pen = "L"
    return "".join(steps)


def band_path(x: Sequence[float], low: Sequence[float], high: Sequence[float]) -> str:
    """Return what is between two lines; "" where they are the same."""
    points = [
        one for one in zip(x, low, high, strict=True) if math.isfinite(one[1]) and math.isfinite(one[2])
    ]
    if all(below == above for _, below, above in points):
        return ""
    there = [_point(across, above) for across, _, above in points]
    back = [_point(across, below) for across, below, _ in reversed(points)]
    return f"M{'L'.join([*there, *back])}Z"


def stepped(x: Sequence[float], y: Sequence[float]) -> tuple[list[float], list[float]]:
    """Return the corners of a line that keeps each value until the next place, and the last one to the right end."""
    across = [place for place in (*x, 1.0) for _ in range(2)][1:-1]
    return across, [value for value in y for _ in range(2)]


def log_ticks(low: float, high: float) -> tuple[Tick, ...]:
    """Return round numbers on a logarithmic axis, with their places between 0 and 1."""
    scale = ChartScale(low, high, is_log=True)
    for digits in _DECADES:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        numbers = [digit * 10.0**power for power in powers for digit in digits]
        within = [number for number in numbers if low <= number <= high]
        if len(within) <= _MOST_TICKS:
            break
    return tuple(Tick(round(scale.place(number), 4), short(number)) for number in within)


def _point(across: float, up: float) -> str:
    return f"{_across(across)} {_down(up)}"


def _across(place: float) -> str:
    return f"{LineChart.width * place:.2f}"


def _down(place: float) -> str:
    return f"{LineChart.height * (1 - place):.2f}"
