"""How a dataset stands: its grants, its debits, and what all its releases cost a person together.

Each release is chosen by someone who has seen those before it, so a privacy filter counts them (`dp.filter`); the first release
and its grant have decided which. One release by itself is composed exactly. Both at the δ of the grant in force.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import astuple, dataclass, field
from itertools import chain
from typing import NamedTuple

from synthrelease.dp.filter import Filter, FilterSums, private_parts
from synthrelease.ledgers.charge import Charge, Grant
from synthrelease.ledgers.owner import Owner


@dataclass(frozen=True)
class AccountStanding:
    """How a dataset stands with a charge, at the grant's δ.

    `after` is never below `before`. It can be below `here` where that is a sum of ε without δ: many such cost less at a δ.
    """

    before: float  # ε of all other releases
    here: float  # ε of the charge alone, exact
    after: float  # ε of all together; infinity, as the others, if there is none at this δ

    def __post_init__(self) -> None:
        if not all(epsilon >= 0 for epsilon in astuple(self)):
            raise ValueError(f"Expected ε >= 0, found {astuple(self)}")

    @classmethod
    def from_json(cls, form: dict[str, str]) -> AccountStanding:
        """Read it back; KeyError, TypeError or ValueError if it is none that was paid."""
        standing = cls(*(float(form[key]) for key in ("before", "here", "after")))
        if math.inf in astuple(standing):
            raise ValueError("Expected a finite ε, found infinity")
        return standing

    def to_json(self) -> dict[str, str]:
        """Return the ledger's form."""
        return {"before": repr(self.before), "here": repr(self.here), "after": repr(self.after)}


@dataclass(frozen=True)
class AccountDebit:
    """A debit as it stands."""

    number: int  # of its entry
    digest: str  # of its entry, or of the one by which it was taken over last
    at: str  # when it was paid, UTC
    charge: Charge  # for what
    standing: AccountStanding  # as it was composed then, or when it was taken over last
    owner: Owner  # the process that may draw noise on it
    drawn: bool = False  # whether one has begun to
    released: str | None = None  # the digest of the manifest that came of it, if one did

    @property
    def state(self) -> str:
        """How far it came."""
        if self.released is not None:
            return "released"
        return "noise drawn, no bundle recorded" if self.drawn else "charged, no noise drawn"

    def is_left_over(self, charge: Charge) -> bool:
        """Whether it is of this very charge, by a process that has ended and drew no noise on it."""
        unused = not self.drawn and self.released is None
        return unused and self.charge == charge and self.owner.has_ended()


class AccountGrant(NamedTuple):
    """A grant as it stands."""

    number: int  # of its entry
    at: str  # when it was made, UTC
    grant: Grant


@dataclass
class Account:
    """Grants and debits of one dataset, in their order.

    A debit counts even if no bundle resulted: once noise may have been drawn, someone may have seen the output.
    """

    grants: list[AccountGrant] = field(default_factory=list)
    debits: dict[int, AccountDebit] = field(default_factory=dict)
    # Of the first debit that cost anything, and of its grant: nothing later changes it.
    filter: Filter | None = None
    _sums: FilterSums = field(default_factory=FilterSums)

    @property
    def grant(self) -> Grant:
        """The grant in force, the last."""
        return self.grants[-1].grant

    @property
    def granted_by(self) -> int:
        """The number of its entry."""
        return self.grants[-1].number

    def add(self, debit: AccountDebit) -> None:
        """Count a debit."""
        self.debits[debit.number] = debit
        self.filter = self.filter or self._filter_of(debit.charge)
        if self.filter is not None:
            self._sums += self.filter.sums(debit.charge.events, delta=debit.charge.delta)

    def spent(self) -> float:
        """Return ε of all releases together at the grant's δ; infinity if they have none there."""
        return self._spent(self.filter, self._sums, self._charges())

    def left_over(self, charge: Charge) -> AccountDebit | None:
        """Return a debit of the same charge that a process did not use before it ended."""
        return next((debit for debit in self.debits.values() if debit.is_left_over(charge)), None)

    def costs(self, *charges: Charge, debit: int | None = None) -> AccountStanding:
        """Return how the dataset stands with one charge, or with several in turn.

        Args:
            charges: one at least.
            debit: number of the debit that a single charge has already.
        """
        rule = self.filter or self._filter_of(charges[0])
        sums = FilterSums()
        if rule is not None:
            for charge in charges:
                sums += rule.sums(charge.events, delta=charge.delta)
        other_sums = self._sums if debit is None else self._sums - sums
        before = self._spent(rule, other_sums, self._charges(without=debit))
        events = tuple(event for charge in charges for event in charge.events)
        alone = self.grant.cost(events)
        after = self._spent(rule, other_sums + sums, chain(self._charges(without=debit), charges))
        # True of the numbers as they should be; here, of what rounding made of them, too.
        least = alone if len(charges) == 1 and private_parts(events).needs_delta else 0.0
        return AccountStanding(before, alone, max(after, before, least))

    def _filter_of(self, first: Charge) -> Filter | None:
        return Filter.of(first.events, epsilon=self.grant.epsilon, delta=self.grant.delta)

    def _charges(self, *, without: int | None = None) -> Iterable[Charge]:
        return (debit.charge for number, debit in self.debits.items() if number != without)

    def _spent(self, rule: Filter | None, sums: FilterSums, charges: Iterable[Charge]) -> float:
        """ε of releases: by the filter, or exactly, if one of them alone costs anything."""
        if rule is None:
            return 0.0
        grant = self.grant
        epsilon = rule.epsilon(sums, delta=grant.delta, budget=grant.epsilon)
        if sums.releases == 1:
            epsilon = min(epsilon, max(grant.cost(charge.events) for charge in charges))
        return epsilon
