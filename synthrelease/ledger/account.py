"""How a dataset stands: its grants, its debits, and what all its releases cost a person together.

Releases are composed as the outputs of one release are (`privacy.accounting`): exactly, over the events of all, at the
grant's δ. What a release states at its own δ is not added up.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass, field

from synthrelease.ledger.charge import Charge, Grant
from synthrelease.ledger.owner import Owner
from synthrelease.privacy.event import Event


@dataclass(frozen=True)
class Standing:
    """How a dataset stands with a charge, composed at the grant's δ.

    `after` can be below `before`, or below `here`: a sum of ε without δ is more than the same releases cost at a δ, once
    one among them needs it.

    Attributes:
        before: ε of all other releases.
        here: ε of the charge alone.
        after: ε of all together.
    """

    before: float
    here: float
    after: float

    def __post_init__(self) -> None:
        if not all(0 <= epsilon < math.inf for epsilon in astuple(self)):
            raise ValueError(f"Expected ε >= 0 and finite, found {astuple(self)}")

    @classmethod
    def from_json(cls, form: dict[str, str]) -> Standing:
        """Read it back; KeyError, TypeError or ValueError if it is none."""
        return cls(*(float(form[key]) for key in ("before", "here", "after")))

    def to_json(self) -> dict[str, str]:
        """Return the ledger's form."""
        return {"before": repr(self.before), "here": repr(self.here), "after": repr(self.after)}


@dataclass(frozen=True)
class Paid:
    """A debit as it stands.

    Attributes:
        number: of its entry.
        digest: of its entry, or of the one by which it was taken over last.
        at: when it was paid, UTC.
        charge: for what.
        standing: as it was composed then, or when it was taken over last.
        owner: the process that may draw noise on it.
        drawn: whether one has begun to.
        released: the digest of the manifest that came of it, if one did.
    """

    number: int
    digest: str
    at: str
    charge: Charge
    standing: Standing
    owner: Owner
    drawn: bool = False
    released: str | None = None

    @property
    def state(self) -> str:
        """How far it came."""
        if self.released is not None:
            return "released"
        return "noise drawn, no bundle noted" if self.drawn else "paid, no noise drawn"

    def is_left_over(self, charge: Charge) -> bool:
        """Whether it was paid for this very charge by a process that has ended and drew nothing on it."""
        unused = not self.drawn and self.released is None
        return unused and self.charge == charge and self.owner.has_ended()


@dataclass
class Account:
    """Grants and debits of one dataset, in their order.

    A debit counts whether or not a bundle came of it: noise may have been drawn, and nobody knows who saw it.
    """

    grants: list[tuple[int, str, Grant]] = field(default_factory=list)  # number of the entry, when, what
    debits: dict[int, Paid] = field(default_factory=dict)

    @property
    def grant(self) -> Grant:
        """The grant in force, the last."""
        return self.grants[-1][2]

    @property
    def granted_by(self) -> int:
        """The number of its entry."""
        return self.grants[-1][0]

    def events(self, *, without: int | None = None) -> list[Event]:
        """Return what was paid for, all releases together, but for one debit."""
        others = [paid for number, paid in self.debits.items() if number != without]
        return [event for paid in others for event in paid.charge.events]

    def spent(self) -> float:
        """Return ε of all releases together at the grant's δ; infinity if they need one and it has none."""
        return self.grant.cost(self.events())

    def left_over(self, charge: Charge) -> Paid | None:
        """Return a debit that a process paid for the same charge and did not use before it ended."""
        return next((paid for paid in self.debits.values() if paid.is_left_over(charge)), None)

    def costs(self, charge: Charge, *, paid: int | None = None) -> tuple[float, float, float]:
        """Return ε of all others, of a charge alone, of all together; `paid` is its debit, if it has one already."""
        others = self.events(without=paid)
        return (
            self.grant.cost(others),
            self.grant.cost(charge.events),
            self.grant.cost([*others, *charge.events]),
        )
