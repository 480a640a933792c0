"""What a build says of the data to the curator alone: nothing of it is in the release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from synthrelease.data.losses import Loss, notes

Sentences = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, repr=False)
class CuratorNotes:
    """What was lost, what looks like a mistake, and how tests went."""

    # what was dropped and clipped, by input
    losses: Mapping[str, tuple[Loss, ...]] = field(default_factory=dict)
    remarks: Sentences = field(default_factory=dict)  # what looks like a mistake in the plan, by input
    tests: Sentences = field(default_factory=dict)  # how deniability tests went, by output

    @property
    def sentences(self) -> dict[str, tuple[str, ...]]:
        """All of it in sentences, by input or output: an input and an output may have one name."""
        names = dict.fromkeys([*self.losses, *self.remarks, *self.tests])
        found = {
            name: (*notes(self.losses.get(name, ())), *self.remarks.get(name, ()), *self.tests.get(name, ()))
            for name in names
        }
        return {name: told for name, told in found.items() if told}

    @property
    def most_lost(self) -> tuple[str, ...]:
        """What more than half of the rows or values were lost to, in sentences: a unit or a code may be mistaken."""
        return tuple(
            f"{name}: {loss}" for name, losses in self.losses.items() for loss in losses if loss.is_most
        )

    def with_tests(self, tests: Sentences) -> CuratorNotes:
        """Return the same with how tests went."""
        return replace(self, tests={name: told for name, told in tests.items() if told})

    def __repr__(self) -> str:
        return "<CuratorNotes: private>"
