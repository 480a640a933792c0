"""A ledger as its users see it: grant, pay, draw, release; ask, check."""

from __future__ import annotations

import hmac
import math
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from synthrelease.errors import PlanError, PolicyError
from synthrelease.ledger import account, chain, statement, store
from synthrelease.ledger.account import Account, Charge, Grant, Paid, Standing
from synthrelease.ledger.chain import Entry, now
from synthrelease.ledger.debit import Debit
from synthrelease.ledger.owner import Owner
from synthrelease.privacy.guarantee import Neighbours


class Ledger:
    """A ledger file; it is opened for each step alone, and may be shared by any number of processes."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def grant(self, dataset: str, epsilon: float, delta: float, neighbours: Neighbours) -> None:
        """Grant ε and δ to all releases of a dataset together, in place of what was granted before.

        Raises:
            PlanError: a number is out of range, or the relation is another than that of releases already paid for.
        """
        if not (0 < epsilon < math.inf and 0 <= delta < 1):
            raise PlanError(
                "such a grant has no meaning",
                where=str(self.path),
                found=f"ε = {epsilon:g}, δ = {delta:g}",
                expected="ε above 0 and finite, δ from 0 to below 1",
            )
        store.create(self.path)
        with store.writing(self.path) as ledger:
            if not ledger.entries:
                key = secrets.token_hex(32)
                ledger.add(chain.following([], {"kind": account.CREATED, "at": now(), "key": key}))
            self._refuse_damaged(ledger.entries)
            known = account.accounts(ledger.entries).get(dataset, Account())
            if known.debits and known.grant is not None and known.grant.neighbours is not neighbours:
                raise PlanError(
                    "releases under another relation were paid for already",
                    where=f"{self.path}: {dataset}",
                    found=str(neighbours),
                    expected=str(known.grant.neighbours),
                )
            body = {
                "kind": account.GRANT,
                "at": now(),
                "dataset": dataset,
                "epsilon": repr(float(epsilon)),
                "delta": repr(float(delta)),
                "neighbours": str(neighbours),
            }
            ledger.add(chain.following(ledger.entries, body))

    def standing(self, charge: Charge) -> tuple[Grant, Standing]:
        """Return how the dataset stands with a charge; nothing is paid.

        Raises:
            PolicyError: it would exceed the grant, or there is none for the dataset or for this relation.
        """
        entries = store.read(self.path)
        known = self._account(entries, charge)
        assert known.grant is not None
        return known.grant, self._quote(known, charge)[1]

    def debit(self, charge: Charge) -> Debit:
        """Pay for a release, and return what noise may be drawn on.

        What an earlier process paid for the same plan, and did not draw noise on before it ended, is used instead.

        Raises:
            PolicyError: it would exceed the grant, or there is none for the dataset or for this relation.
        """
        with store.writing(self.path) as ledger:
            known = self._account(ledger.entries, charge)
            left, standing = self._quote(known, charge)
            body: dict[str, Any] = {"at": now(), "owner": Owner.this().to_json()}
            if left is not None:
                body |= {"kind": account.TAKEN_OVER, "debit": left.number}
            else:
                body |= {"kind": account.DEBIT, "grant": known.granted_by}
                body |= {"charge": charge.to_json(), "standing": standing.to_json()}
            made = chain.following(ledger.entries, body)
            ledger.add(made)
            key = bytes.fromhex(ledger.entries[0].body["key"])
        assert known.grant is not None
        number, digest = (made.number, made.digest) if left is None else (left.number, left.digest)
        spending = {
            "dataset_id": hmac.digest(key, charge.dataset.encode(), "sha256").hex()[:32],
            "entry": digest,
            "delta": known.grant.delta,
            "spent_before": standing.before,
            "spent_here": standing.here,
            "spent_after": standing.after,
        }
        return Debit(self.path, number, spending)

    def to_json(self, dataset: str | None = None) -> dict[str, Any]:
        """Return grants and debits for a program, of one dataset or of all."""
        return {name: statement.as_json(one) for name, one in self._some(dataset).items()}

    def summary(self, dataset: str | None = None) -> list[str]:
        """Return grants and debits for a person, of one dataset or of all."""
        return [line for name, one in self._some(dataset).items() for line in statement.as_lines(name, one)]

    def _some(self, dataset: str | None) -> dict[str, Account]:
        found = account.accounts(store.read(self.path))
        if dataset is None:
            return found
        if dataset not in found:
            raise PlanError(
                "the ledger has no such dataset",
                where=str(self.path),
                found=dataset,
                expected="one of " + ", ".join(found),
            )
        return {dataset: found[dataset]}

    def size(self) -> int:
        """Return the number of entries."""
        return len(store.read(self.path))

    def head(self) -> str:
        """Return the digest of the last entry: whoever notes it notices if anything before it is changed later."""
        entries = store.read(self.path)
        return entries[-1].digest if entries else chain.START.hex()

    def faults(self, *, digests: Sequence[str] = ()) -> list[str]:
        """Return what is wrong with the ledger: entries that do not hang together, or digests that it should hold.

        Args:
            digests: of entries, as a bundle's manifest holds one, or as were noted.
        """
        entries = store.read(self.path)
        found = list(chain.faults(entries))
        held = {entry.digest for entry in entries}
        found += [f"no entry has the digest {digest}" for digest in digests if digest not in held]
        return found or list(account.faults(entries))

    def _refuse_damaged(self, entries: Sequence[Entry]) -> None:
        fault = next(chain.faults(entries), None)
        if fault is not None:
            raise PolicyError(
                "the ledger was changed by other means than its own",
                where=str(self.path),
                found=fault,
                remedy="take it from a backup; `synthrelease ledger check` tells more",
            )

    def _account(self, entries: Sequence[Entry], charge: Charge) -> Account:
        self._refuse_damaged(entries)
        known = account.accounts(entries).get(charge.dataset)
        where = f"{self.path}: {charge.dataset}"
        if known is None or known.grant is None:
            raise PolicyError(
                "nothing is granted to this dataset",
                where=where,
                remedy=f"synthrelease ledger grant {self.path.name} --dataset {charge.dataset} --epsilon E --delta D",
            )
        if known.grant.neighbours is not charge.neighbours:
            raise PolicyError(
                "the ledger counts under another neighbouring relation, and the two do not add up",
                where=where,
                found=str(charge.neighbours),
                expected=str(known.grant.neighbours),
            )
        return known

    def _quote(self, known: Account, charge: Charge) -> tuple[Paid | None, Standing]:
        """What an ended process paid for the same and did not use, and how the dataset stands."""
        for paid in known.debits.values():
            if not paid.drawn and paid.charge == charge and paid.owner.has_ended():
                return paid, paid.standing
        standing, grant = known.standing(charge), known.grant
        assert grant is not None
        if standing.after <= grant.epsilon:
            return None, standing
        raise PolicyError(
            "the release would cost more than is left of the grant",
            where=f"{self.path}: {charge.dataset}",
            found=f"ε = {standing.after:g} with this release (ε = {standing.here:g} by itself) at δ = {grant.delta:.2g}",
            expected=f"at most {grant.epsilon:g}, of which {standing.before:g} are spent and "
            f"{max(0.0, grant.epsilon - standing.before):g} remain",
            remedy="lower the plan's ε, publish less, or let whoever answers for the people grant more",
        )
