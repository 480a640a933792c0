"""What a build is about to charge, and for what: shown to the curator, who may still say no. For them alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from synthrelease.building.curator_notes import CuratorNotes
from synthrelease.ledger import AccountStanding, Grant


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
