"""What a benchmark returns: tables as they are read, and what its row of the summary says."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import linear_regression
from textwrap import fill
from typing import TYPE_CHECKING

from benchmarks._measure import machine, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks._measure import Target

WIDTH = 120  # of text on a screen
NEAR = 2.0  # times its limit that a work may take before its report has to say why


@dataclass(frozen=True)
class Section:
    """A table, its text before and after, and whether it is on the page, too: else it is only printed."""

    before: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    after: str = ""
    on_page: bool = True


@dataclass(frozen=True)
class Figure:
    """A measured number, what it is a number of, and its target if it has one."""

    value: float
    unit: str
    target: Target | None = None

    @property
    def met(self) -> bool:
        """Whether the target is met; where there is none, it is."""
        return self.target is None or self.target.met(self.value)

    def __str__(self) -> str:
        """Say number and target, such as `4.1 s (≤ 10 met)`."""
        target = f" ({self.target.beside(self.value)})" if self.target else ""
        return f"{rounded(self.value)} {self.unit}{target}"


@dataclass(frozen=True)
class Peer:
    """Who else does the same work, and how many times as long it takes as we do."""

    name: str
    times: float

    def __str__(self) -> str:
        """Say it so that the number is at least 1."""
        if self.times >= 1:
            return f"{rounded(self.times)} × faster than {self.name}"
        return f"{rounded(1 / self.times)} × slower than {self.name}"


@dataclass(frozen=True)
class Growth:
    """Seconds and bytes at several sizes of the same work."""

    of: str
    sizes: Sequence[float]
    seconds: Sequence[float]
    bytes: Sequence[float]

    @property
    def time(self) -> float:
        """The exponent of time."""
        return exponent(self.sizes, self.seconds)

    @property
    def memory(self) -> float:
        """The exponent of memory."""
        return exponent(self.sizes, self.bytes)

    def __str__(self) -> str:
        """Say both exponents and between which sizes they hold."""
        sizes = f"{self.of} {rounded(min(self.sizes))} to {rounded(max(self.sizes))}"
        return f"time {self.time:.2f}, memory {self.memory:.2f} ({sizes})"


@dataclass(frozen=True)
class Limit:
    """What the work could not be done faster than: the resource that binds, and the seconds that it takes."""

    what: str
    seconds: float


@dataclass(frozen=True)
class Report:
    """What one benchmark found.

    Attributes:
        work: the words of the summary's row.
        packages: whose versions it depends on.
        sections: its tables.
        figures: what has targets, and what else the summary should state.
        seconds: how long the work took that `limit` is the limit of.
        limit: see there.
        why: why it is slower than half its limit, for the reader if it is.
        peers: others that do the same.
        growth: how it grows; None if there is one size only, for the reason in `why`.
        agreed: whether the answers are those that the peers, or what was asked for, call for.
    """

    work: str
    packages: Sequence[str]
    sections: Sequence[Section]
    figures: Sequence[Figure]
    seconds: float
    limit: Limit
    why: str
    peers: Sequence[Peer] = field(default=())
    growth: Growth | None = None
    agreed: bool = True

    @property
    def met(self) -> bool:
        """Whether every target was met and the answers are right."""
        return self.agreed and all(figure.met for figure in self.figures)

    @property
    def from_limit(self) -> float:
        """How many times the seconds of its limit the work took."""
        return self.seconds / self.limit.seconds

    @property
    def verdict(self) -> str:
        """Whether all targets were met, in a sentence."""
        if not self.agreed:
            return "Answers DIFFER."
        return "All targets met." if self.met else "A target was MISSED."


def rounded(value: float) -> str:
    """Return a number with three digits, and larger ones without their fraction."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return b of v ≈ a·s^b: the slope of the line of least squares through the logarithms.

    Raises:
        ValueError: there are fewer than two sizes, or a number is not positive.
    """
    if len(set(sizes)) < 2 or min(*sizes, *values) <= 0:
        raise ValueError(f"Expected positive numbers at two sizes or more, found {sizes}, {values}")
    return linear_regression([math.log(s) for s in sizes], [math.log(v) for v in values]).slope


def print_report(report: Report) -> None:
    """Print everything, tables first."""
    print(machine(*report.packages))
    for section in report.sections:
        print(f"\n{fill(section.before, WIDTH)}\n")
        print_table(section.head, section.rows)
        if section.after:
            print(f"\n{fill(section.after, WIDTH)}")
    print(f"\n{report.work}\n")
    facts = [("measured", str(figure)) for figure in report.figures]
    facts += [("peer", str(peer)) for peer in report.peers]
    facts += [("growth", str(report.growth))] if report.growth else []
    facts += [("limit", f"{report.limit.what}: {report.limit.seconds:.3g} s, × {rounded(report.from_limit)}")]
    for name, fact in facts:
        print(f"  {name:<10}{fact}")
    if report.from_limit > NEAR:
        print(f"\n{fill(report.why, WIDTH)}")
    print(f"\n{report.verdict}")
