"""What a build shows the curator alone, none of it in the release: what was lost of the data, and what is about to be charged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from synthrelease.data.losses import Loss, notes
from synthrelease.errors import Argument, DataError, Remedy
from synthrelease.ledgers import AccountStanding, Grant

Sentences = Mapping[str, tuple[str, ...]]
CHOICE_LEAKS = (
    "These counts are private. If you change the plan because of them, the plan depends on the data, which ε does not cover: correct only "
    "what is wrong for any data (a unit, a screen, a missing code)."
)
CHECK_UNITS = "check that screen, bounds and missing codes are in the unit of the data"  # if most is lost


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
        return _without_empty(
            {
                name: (
                    *notes(self.losses.get(name, ())),
                    *self.remarks.get(name, ()),
                    *self.tests.get(name, ()),
                )
                for name in names
            }
        )

    @property
    def most_lost(self) -> tuple[str, ...]:
        """What more than half of the rows or values were lost to, in sentences: a unit or a code may be mistaken."""
        return tuple(
            f"{name}: {loss}" for name, losses in self.losses.items() for loss in losses if loss.is_most
        )

    def with_tests(self, tests: Sentences) -> CuratorNotes:
        """Return the same with how tests went."""
        return replace(self, tests=_without_empty(tests))

    def __repr__(self) -> str:
        return "<CuratorNotes: private>"


def _without_empty(notes_by_name: Sentences) -> dict[str, tuple[str, ...]]:
    return {name: sentences for name, sentences in notes_by_name.items() if sentences}


@dataclass(frozen=True)
class Payment:
    """A charge before it is made."""

    releases: tuple[str, ...]  # names and versions of what is paid for
    ledger: Path  # the file
    dataset: str  # whose budget it is, by its name in the ledger
    grant: Grant  # what is granted to it
    standing: AccountStanding  # ε of all releases before this one, of this one, and of all with it
    replaced: tuple[Path, ...] = ()  # bundles that will be replaced; they stay paid for
    private: CuratorNotes = field(default_factory=CuratorNotes)  # what was dropped and clipped
    weak_guarantee: tuple[str, ...] = ()  # warnings about a guarantee that hardly protects
    no_better: tuple[str, ...] = ()  # what is expected to be no better than a guess without data

    @property
    def left(self) -> float:
        """ε of the grant that is left afterwards."""
        return max(0.0, self.grant.epsilon - self.standing.after)

    @property
    def exceeds_grant(self) -> bool:
        """Whether it is more than is granted: some of several releases will be refused."""
        return self.standing.after > self.grant.epsilon


Confirm = Callable[[Payment], bool]
ConfirmAll = Callable[[Sequence[Payment]], bool]


def not_mostly_lost(payment: Payment) -> bool:
    """Agree to a charge that was agreed to before it was known, unless a unit or a code seems to be wrong.

    Raises:
        DataError: more than half of the rows or values would be dropped or clipped; how many is private.
    """
    if payment.private.most_lost:
        raise DataError(
            "most-dropped",
            "more than half of the rows or values would be dropped or clipped; nothing was charged",
            where=payment.releases[0],
            remedy=Remedy("look with build --dry-run; if that is correct, ", Argument("allow_losses", True)),
        )
    return True
