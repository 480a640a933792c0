"""Numbers of viewers: public where it is public who saw what, and how many people there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from synthrelease.kinds.parameters import Fault


class HasViewers(Protocol):
    """Parameters of an output that is made stimulus by stimulus."""

    @property
    def people(self) -> int | None:
        """How many people there are, if public."""
        ...

    @property
    def stimuli(self) -> tuple[str, ...]:
        """The public list."""
        ...

    @property
    def assignment_public(self) -> bool:
        """Whether it is public who saw which stimulus."""
        ...

    @property
    def viewers(self) -> tuple[int, ...] | None:
        """How many people count on each stimulus, if public."""
        ...


def viewer_faults(p: HasViewers) -> Iterator[Fault]:
    """Yield where numbers of viewers cannot be what they are said to be."""
    if (p.viewers is None) != (p.people is None or not p.assignment_public):
        yield "manifest", "numbers of viewers stand where the assignment and n are public, and only there"
    elif p.viewers is not None and (len(p.viewers) != len(p.stimuli) or max(p.viewers) > (p.people or 0)):
        yield "manifest", "not one number of viewers for each stimulus, or more viewers than people"
