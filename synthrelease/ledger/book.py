"""A ledger as its users see it: grant, pay, draw, release; ask, check."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synthrelease.errors import PlanError, PolicyError
from synthrelease.ledger import audit, chain, history, statement, store
from synthrelease.ledger.account import Account, Paid, Standing
from synthrelease.ledger.audit import dataset_id
from synthrelease.ledger.chain import now
from synthrelease.ledger.charge import Charge, Grant, is_name
from synthrelease.ledger.debit import Debit
from synthrelease.ledger.history import History
from synthrelease.ledger.owner import Owner
from synthrelease.privacy.guarantee import Neighbours


@dataclass(frozen=True)
class Checked:
    """What a check found.

    Attributes:
        faults: what is wrong; empty if nothing is.
        entries: how many there are.
        head: digest of the last: whoever notes it notices if anything before it is changed later.
    """

    faults: list[str]
    entries: int
    head: str


class Ledger:
    """A ledger file; it is opened for each step alone, and may be shared by any number of processes."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def grant(self, dataset: str, epsilon: float, delta: float, neighbours: Neighbours) -> None:
        """Grant ε and δ to all releases of a dataset together, in place of what was granted before.

        Raises:
            PlanError: name or numbers have no meaning, or the relation is another than that of releases already paid for.
            PolicyError: the ledger was changed by other means than its own.
            MachineError: it cannot be written.
        """
        granted = self._meant(dataset, epsilon, delta, neighbours)
        store.create(self.path)
        with store.writing(self.path) as ledger:
            known = history.trusted(self.path, ledger.kept)
            if not ledger.kept.entries:
                ledger.add({"kind": history.CREATED, "at": now(), "key": secrets.token_hex(32)})
            account = known.accounts.get(dataset)
            if account is not None and account.debits and account.grant.neighbours is not neighbours:
                raise PlanError(
                    "releases under another relation were paid for already",
                    where=f"{self.path}: {dataset}",
                    found=str(neighbours),
                    expected=str(account.grant.neighbours),
                )
            ledger.add({"kind": history.GRANT, "at": now(), "dataset": dataset, **granted.to_json()})

    def standing(self, charge: Charge) -> tuple[Grant, Standing]:
        """Return how the dataset stands with a charge; nothing is paid.

        Raises:
            PolicyError: it would exceed the grant, or there is none for the dataset or for this relation.
        """
        account = self._account(history.trusted(self.path, store.read(self.path)), charge)
        return account.grant, self._quote(account, charge, account.left_over(charge))

    def debit(self, charge: Charge) -> Debit:
        """Pay for a release, and return what noise may be drawn on.

        What an earlier process paid for the same plan, and did not draw noise on before it ended, is used instead.

        Raises:
            PolicyError: it would exceed the grant, or there is none for the dataset or for this relation.
        """
        with store.writing(self.path) as ledger:
            known = history.trusted(self.path, ledger.kept)
            account = self._account(known, charge)
            left_over = account.left_over(charge)
            standing = self._quote(account, charge, left_over)
            body = {
                "at": now(),
                "owner": Owner.this().to_json(),
                "grant": account.granted_by,
                "standing": standing.to_json(),
            }
            what = (
                {"kind": history.DEBIT, "charge": charge.to_json()}
                if left_over is None
                else {"kind": history.TAKEN_OVER, "debit": left_over.number}
            )
            made = ledger.add({**body, **what})
            known.read(made)  # else nobody could, ever after
        spending = {
            "dataset_id": dataset_id(known.key, charge.dataset),
            "entry": made.digest,
            "delta": account.grant.delta,
            "spent_before": standing.before,
            "spent_here": standing.here,
            "spent_after": standing.after,
        }
        return Debit(self.path, made.number if left_over is None else left_over.number, spending)

    def to_json(self, dataset: str | None = None) -> dict[str, Any]:
        """Return grants and debits for a program, of one dataset or of all."""
        return {name: statement.as_json(one) for name, one in self._some(dataset).items()}

    def summary(self, dataset: str | None = None) -> list[str]:
        """Return grants and debits for a person, of one dataset or of all."""
        return [line for name, one in self._some(dataset).items() for line in statement.as_lines(name, one)]

    def check(
        self, *, digests: Sequence[str] = (), manifests: Mapping[str, dict[str, Any]] | None = None
    ) -> Checked:
        """Return what is wrong with the ledger; see `audit.faults`.

        Raises:
            PlanError: there is no such ledger, or the file is none.
            MachineError: it cannot be read.
        """
        kept = store.read(self.path)
        found = [*kept.faults, *audit.faults(kept.entries, digests=digests, manifests=manifests)]
        head = kept.entries[-1].digest if kept.entries else chain.START.hex()
        return Checked(found, len(kept.entries), head)

    def _some(self, dataset: str | None) -> dict[str, Account]:
        found = history.trusted(self.path, store.read(self.path)).accounts
        if dataset is None:
            return found
        if dataset not in found:
            raise PlanError(
                "the ledger has no such dataset",
                where=str(self.path),
                found=dataset,
                expected="one of " + ", ".join(found) if found else "",
            )
        return {dataset: found[dataset]}

    def _meant(self, dataset: str, epsilon: float, delta: float, neighbours: Neighbours) -> Grant:
        if not is_name(dataset):
            raise PlanError(
                "no plan can name a dataset so",
                where=str(self.path),
                found=ascii(dataset),
                expected="1 to 64 letters, digits, - and _, a letter or digit first and last",
            )
        try:
            return Grant(float(epsilon), float(delta), neighbours)
        except ValueError:
            raise PlanError(
                "such a grant has no meaning",
                where=str(self.path),
                found=f"ε = {epsilon:g}, δ = {delta:g}",
                expected="ε above 0 and finite, δ from 0 to below 0.5",
            ) from None

    def _account(self, known: History, charge: Charge) -> Account:
        account = known.accounts.get(charge.dataset)
        where = f"{self.path}: {charge.dataset}"
        if account is None:
            raise PolicyError(
                "nothing is granted to this dataset",
                where=where,
                remedy=f"synthrelease ledger grant {self.path.name} --dataset {charge.dataset} --epsilon E --delta D",
            )
        if account.grant.neighbours is not charge.neighbours:
            raise PolicyError(
                "the ledger counts under another neighbouring relation, and the two do not add up",
                where=where,
                found=str(charge.neighbours),
                expected=str(account.grant.neighbours),
            )
        return account

    def _quote(self, account: Account, charge: Charge, left_over: Paid | None) -> Standing:
        """How the dataset will stand, within its grant; what is left over was paid for before."""
        grant = account.grant
        before, here, after = account.costs(charge, paid=left_over.number if left_over else None)
        if after <= grant.epsilon:
            return Standing(before, here, after)
        where = f"{self.path}: {charge.dataset}"
        if math.isinf(after):
            raise PolicyError(
                "the dataset's releases need a δ, and the grant has none",
                where=where,
                found="ε has no bound at δ = 0"
                if grant.delta == 0
                else f"ε has no bound at δ = {grant.delta:.2g}",
                expected=f"at most ε = {grant.epsilon:g}",
                remedy="noise without δ (Laplace), or let whoever answers for the people grant a δ",
            )
        raise PolicyError(
            "the release would cost more than is left of the grant",
            where=where,
            found=f"ε = {after:g} with this release (ε = {here:g} by itself) at δ = {grant.delta:.2g}",
            expected=f"at most {grant.epsilon:g}, of which {before:g} are spent and "
            f"{max(0.0, grant.epsilon - before):g} remain",
            remedy="lower the plan's ε, publish less, or let whoever answers for the people grant more",
        )
