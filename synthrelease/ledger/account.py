"""What a ledger's entries amount to: grants, debits, and what all releases of a dataset cost a person together.

Releases are composed as the outputs of one release are (`privacy.accounting`): exactly, over the events of all, at the
grant's δ. What a release states at its own δ is not added up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from synthrelease.ledger.chain import Entry
from synthrelease.ledger.owner import Owner
from synthrelease.privacy import accounting
from synthrelease.privacy import event as events
from synthrelease.privacy.event import Event
from synthrelease.privacy.guarantee import ApproxDP, Neighbours, PureDP

_CARE = 1e-6  # relative: what two versions of the accounting library may differ in the last digits
CREATED, GRANT, DEBIT, TAKEN_OVER, DRAWING, RELEASED = (
    "created",
    "grant",
    "debit",
    "taken over",
    "drawing",
    "released",
)


@dataclass(frozen=True)
class Grant:
    """What all releases of a dataset may cost a person together.

    Attributes:
        epsilon: ε.
        delta: δ at which all is composed.
        neighbours: the relation under which; releases of another do not compose with it into one number.
    """

    epsilon: float
    delta: float
    neighbours: Neighbours


@dataclass(frozen=True)
class Standing:
    """How a dataset stands with a charge, composed at the grant's δ.

    Attributes:
        before: ε spent before.
        here: ε of the charge alone.
        after: ε of all together.
    """

    before: float
    here: float
    after: float

    @classmethod
    def from_json(cls, form: dict[str, str]) -> Standing:
        """Read it back."""
        return cls(*(float(form[key]) for key in ("before", "here", "after")))

    def to_json(self) -> dict[str, str]:
        """Return the ledger's form."""
        return {"before": repr(self.before), "here": repr(self.here), "after": repr(self.after)}


@dataclass(frozen=True)
class Charge:
    """What a release is to pay for.

    Attributes:
        dataset: the ledger's name for the private data.
        release: name and version.
        plan: digest of the plan's text.
        neighbours: the release's relation.
        events: of the differentially private outputs.
        uncounted: outputs that are not differentially private, which no ε counts, by name.
    """

    dataset: str
    release: dict[str, str]
    plan: str
    neighbours: Neighbours
    events: tuple[Event, ...]
    uncounted: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the ledger's form."""
        return {
            "dataset": self.dataset,
            "release": self.release,
            "plan": self.plan,
            "neighbours": str(self.neighbours),
            "events": [event.to_json() for event in self.events],
            "uncounted": list(self.uncounted),
        }

    @classmethod
    def from_json(cls, form: dict[str, Any]) -> Charge:
        """Read a charge back."""
        return cls(
            form["dataset"],
            form["release"],
            form["plan"],
            Neighbours(form["neighbours"]),
            tuple(events.from_json(event) for event in form["events"]),
            tuple(form["uncounted"]),
        )


@dataclass(frozen=True)
class Paid:
    """A debit as it stands.

    Attributes:
        number: of its entry.
        digest: of its entry.
        at: when, UTC.
        charge: for what.
        standing: as it was composed when it was paid.
        grant: number of the entry that granted it.
        owner: the process that may draw noise on it.
        drawn: whether one has begun to.
        released: the digest of the manifest that came of it, if one did.
    """

    number: int
    digest: str
    at: str
    charge: Charge
    standing: Standing
    grant: int
    owner: Owner
    drawn: bool = False
    released: str | None = None

    @property
    def state(self) -> str:
        """How far it came."""
        if self.released is not None:
            return "released"
        return "noise drawn, nothing released" if self.drawn else "paid, no noise drawn"


@dataclass
class Account:
    """Grant and debits of one dataset, in their order.

    A debit counts whether or not a bundle came of it: noise may have been drawn, and nobody knows who saw it.
    """

    grant: Grant | None = None
    granted_by: int = 0  # number of the entry
    debits: dict[int, Paid] = field(default_factory=dict)

    def events(self) -> list[Event]:
        """Return what was paid for, all releases together."""
        return [event for debit in self.debits.values() for event in debit.charge.events]

    def spent(self) -> float:
        """Return ε of all releases together at the grant's δ: as the last one left it, unless another grant came after it."""
        assert self.grant is not None
        last = next(reversed(self.debits.values()), None)
        if last is not None and last.grant == self.granted_by:
            return last.standing.after
        return composed_epsilon(self.events(), self.grant)

    def standing(self, charge: Charge) -> Standing:
        """Return how the dataset would stand with a charge."""
        assert self.grant is not None
        here = composed_epsilon(charge.events, self.grant)
        if not self.debits:
            return Standing(0.0, here, here)
        return Standing(self.spent(), here, composed_epsilon([*self.events(), *charge.events], self.grant))


def composed_epsilon(together: Sequence[Event], grant: Grant) -> float:
    """Return ε of events together at a grant's δ, rounded up; infinity if they need a δ and the grant has none."""
    if not together:
        return 0.0
    if grant.delta == 0 and accounting.method(together) != "pure":
        return float("inf")
    promise = accounting.compose(
        together, delta=grant.delta or 0.5, neighbours=grant.neighbours, budget=grant.epsilon
    )
    return promise.epsilon if isinstance(promise, PureDP | ApproxDP) else float("inf")


def accounts(entries: Sequence[Entry]) -> dict[str, Account]:
    """Return the account of every dataset."""
    found: dict[str, Account] = {}
    of_debit: dict[int, Account] = {}
    for entry in entries:
        body = entry.body
        match body["kind"]:
            case "grant":
                account = found.setdefault(body["dataset"], Account())
                epsilon, delta = float(body["epsilon"]), float(body["delta"])
                account.grant = Grant(epsilon, delta, Neighbours(body["neighbours"]))
                account.granted_by = entry.number
            case "debit":
                account = found[body["charge"]["dataset"]]
                account.debits[entry.number] = Paid(
                    entry.number,
                    entry.digest,
                    body["at"],
                    Charge.from_json(body["charge"]),
                    Standing.from_json(body["standing"]),
                    body["grant"],
                    Owner.from_json(body["owner"]),
                )
                of_debit[entry.number] = account
            case "taken over":
                _change(of_debit, body, owner=Owner.from_json(body["owner"]))
            case "drawing":
                _change(of_debit, body, drawn=True)
            case "released":
                _change(of_debit, body, released=body["manifest"])
    return found


def _change(of_debit: dict[int, Account], body: dict[str, Any], **changes: Any) -> None:
    debits = of_debit[body["debit"]].debits
    debits[body["debit"]] = replace(debits[body["debit"]], **changes)


def faults(entries: Sequence[Entry]) -> Iterator[str]:
    """Yield where what was composed is not what the events amount to, or exceeds its grant; of entries that hang together."""
    for at, entry in enumerate(entries, start=1):
        if entry.body["kind"] != DEBIT:
            continue
        charge, stated = Charge.from_json(entry.body["charge"]), Standing.from_json(entry.body["standing"])
        known = accounts(entries[: at - 1]).get(charge.dataset, Account())
        if known.grant is None or known.granted_by != entry.body["grant"]:
            yield f"entry {at}: paid from a grant that was none"
            continue
        after = composed_epsilon([*known.events(), *charge.events], known.grant)
        if abs(after - stated.after) > _CARE * after:
            yield f"entry {at}: stated ε = {stated.after:g} after it, the events amount to {after:g}"
        if stated.after > known.grant.epsilon:
            yield f"entry {at}: ε = {stated.after:g} spent of {known.grant.epsilon:g} granted"
