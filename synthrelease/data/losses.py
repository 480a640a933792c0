"""Rows and values that do not count as they stand: what is dropped, clipped or left out. For the curator only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

MOST = 0.5  # of all: then a unit, a screen or a code may be mistaken


class Reason(Enum):
    """Why rows or values do not count as they stand."""

    CHOSEN = "chosen"  # the plan leaves them out
    DROPPED = "dropped"  # nothing could be made of them
    CLIPPED = "clipped"  # to a bound


@dataclass(frozen=True)
class Loss:
    """How many rows, or values of a feature, do not count as they stand."""

    count: int  # so many
    total: int  # of so many
    what: str  # became of them, as "lie off the screen and were dropped"
    reason: Reason  # why
    feature: str | None = None  # whose values are counted; None if rows are

    @property
    def share(self) -> float:
        """Which part of all."""
        return self.count / self.total if self.total else 0.0

    @property
    def is_most(self) -> bool:
        """Whether it is more than half of all, and nothing that the plan asks for."""
        return self.reason is not Reason.CHOSEN and self.share > MOST

    @property
    def words(self) -> str:
        """What became of what, without the numbers: "rows lie off the screen and were dropped"."""
        unit = "rows" if self.feature is None else f"values of '{self.feature}'"
        return f"{unit} {self.what}"

    def __str__(self) -> str:
        return f"{self.count} of {self.total} {self.words}"


def of_output(losses: Iterable[Loss], name: str) -> tuple[Loss, ...]:
    """Return losses of what an output made of its input, with its name: others may make the same with other bounds."""
    return tuple(replace(loss, what=f"{loss.what}, in '{name}'") for loss in losses)


def added(losses: Iterable[Loss]) -> tuple[Loss, ...]:
    """Return losses of parts of one input as those of the whole; what was lost nowhere stays, since its total counts."""
    total: dict[tuple[str, str | None], Loss] = {}
    for loss in losses:
        key = loss.what, loss.feature
        before = total.get(key)
        total[key] = (
            loss
            if before is None
            else replace(before, count=before.count + loss.count, total=before.total + loss.total)
        )
    return tuple(total.values())


def notes(losses: Iterable[Loss]) -> tuple[str, ...]:
    """Return a sentence for everything that was lost."""
    return tuple(str(loss) for loss in losses if loss.count)
