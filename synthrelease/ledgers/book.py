"""A ledger as its users see it: grant, pay, draw, release; ask, check."""

from __future__ import annotations

import math
import secrets
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synthrelease.dp.guarantee import Neighbours
from synthrelease.errors import Argument, ArgumentError, PlanError, PolicyError, Remedy
from synthrelease.extras import FIGURES, require
from synthrelease.files.atomic import refuse_unwritable
from synthrelease.ledgers import audit, chain, history, statement, store
from synthrelease.ledgers.account import Account, AccountStanding
from synthrelease.ledgers.audit import dataset_id
from synthrelease.ledgers.chain import LedgerFault, now
from synthrelease.ledgers.charge import Charge, Grant, is_name
from synthrelease.ledgers.debit import Debit
from synthrelease.ledgers.history import EntryKind, History
from synthrelease.ledgers.owner import Owner
from synthrelease.ledgers.quote import quoted
from synthrelease.ledgers.timeline import Moment, timelines


@dataclass(frozen=True)
class LedgerCheck:
    """What a check found."""

    faults: list[LedgerFault]  # what is wrong; empty if nothing is
    entries: int  # how many there are
    head: str  # digest of the last: note it, and you notice if anything before it is changed later


class Ledger:
    """A ledger file; it is opened for each step alone, and may be shared by any number of processes.

    Example:
        >>> import tempfile
        >>> ledger = Ledger(Path(tempfile.mkdtemp()) / "ledger.sqlite")
        >>> ledger.grant("supermarket-2026", epsilon=6.0, delta=1e-6)
        >>> ledger.to_json()["supermarket-2026"]["spent"]
        0.0
        >>> print(ledger.summary()[0])
        supermarket-2026: ε = 0 of 6 spent, 6 left
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def grant(
        self,
        dataset: str,
        epsilon: float,
        delta: float = 0.0,
        neighbours: Neighbours | str = Neighbours.REPLACE_ONE,
    ) -> None:
        """Grant ε and δ to all releases of a dataset together, in place of what was granted before.

        Args:
            dataset: your name for the private data; plans repeat it.
            epsilon: ε of all its releases together, per person.
            delta: δ of all of them together.
            neighbours: the relation of its releases, "replace-one" or "add-remove-one".

        Raises:
            ArgumentError: there is no such relation.
            PlanError: name or numbers have no meaning, or the relation is another than that of releases already paid for.
            PolicyError: the ledger was changed by other means than its own.
            MachineError: it cannot be written.
        """
        if neighbours not in list(Neighbours):
            raise ArgumentError(
                "unknown-neighbours",
                "there is no such neighbouring relation",
                where=f"{self.path}: {dataset}",
                expected="one of " + ", ".join(Neighbours),
                remedy=Remedy(
                    "write ",
                    Argument("neighbours", "replace-one"),
                    ", unless the number of participants is private",
                ),
            )
        grant = self._grant_of(dataset, epsilon, delta, Neighbours(neighbours))
        store.create(self.path)
        with store.writing(self.path) as ledger:
            past = history.trusted(self.path, ledger.content)
            if not ledger.content.entries:
                ledger.add({"kind": EntryKind.CREATED, "at": now(), "key": secrets.token_hex(32)})
            self._refuse_twin(dataset, past)
            account = past.accounts.get(dataset)
            if account is not None and account.debits and account.grant.neighbours is not grant.neighbours:
                raise PlanError(
                    "other-neighbours",
                    "releases under another neighbouring relation were charged before",
                    where=f"{self.path}: {dataset}",
                    found=str(grant.neighbours),
                    expected=str(account.grant.neighbours),
                    remedy=Remedy(Argument("neighbours", account.grant.neighbours), ", as before"),
                )
            ledger.add({"kind": EntryKind.GRANT, "at": now(), "dataset": dataset, **grant.to_json()})

    def standing(self, charge: Charge) -> tuple[Grant, AccountStanding]:
        """Return the standing of the dataset after a charge; nothing is charged.

        Raises:
            PolicyError: it would exceed the grant, or there is none for the dataset or for this relation.
        """
        account = self._account(history.trusted(self.path, store.read(self.path, charge.dataset)), charge)
        return account.grant, quoted(account, charge, account.left_over(charge), where=self._where(charge))

    def preview(self, charges: Sequence[Charge]) -> tuple[Grant, AccountStanding]:
        """Return how a dataset would stand with several charges, whether or not they are within the grant; nothing is charged.

        Args:
            charges: to one dataset, one at least, in the order in which they would be charged.

        Raises:
            PolicyError: there is no grant for the dataset or for this relation.
        """
        first = charges[0]
        account = self._account(history.trusted(self.path, store.read(self.path, first.dataset)), first)
        return account.grant, account.costs(*charges)

    def debit(self, charge: Charge, most_epsilon: float | None = None) -> Debit:
        """Charge a release, and return the debit that noise may be drawn on.

        A debit of an earlier process for the same plan, on which no noise was drawn before the process ended, is used instead.

        Args:
            charge: of the release.
            most_epsilon: a policy's limit for ε of all releases together, below the grant: compared after the charges of
                builds that run at the same time.

        Raises:
            PolicyError: it would exceed the grant or the policy's limit, or there is no grant for the dataset or for this
                relation.
        """
        self.standing(charge)  # composed now, and remembered: while it writes, others wait
        with store.writing(self.path) as ledger:
            past = history.trusted(self.path, ledger.content)
            account = self._account(past, charge)
            left_over = account.left_over(charge)
            standing = quoted(
                account, charge, left_over, where=self._where(charge), most_epsilon=most_epsilon
            )
            body = {
                "at": now(),
                "owner": Owner.this().to_json(),
                "grant": account.granted_by,
                "standing": standing.to_json(),
            }
            event = (
                {"kind": EntryKind.DEBIT, "charge": charge.to_json()}
                if left_over is None
                else {"kind": EntryKind.TAKEN_OVER, "debit": left_over.number}
            )
            entry = ledger.add({**body, **event})
            past.read(entry)  # raises here, before an entry is written that no ledger could read
        spending = {
            "dataset_id": dataset_id(past.key, charge.dataset),
            "entry": entry.digest,
            "delta": account.grant.delta,
            "spent_before": standing.before,
            "spent_here": standing.here,
            "spent_after": standing.after,
        }
        return Debit(self.path, entry.number if left_over is None else left_over.number, spending)

    def to_json(self, dataset: str | None = None) -> dict[str, Any]:
        """Return grants and debits for a program, of one dataset or of all."""
        return {name: statement.as_json(account) for name, account in self._accounts(dataset).items()}

    def summary(self, dataset: str | None = None) -> list[str]:
        """Return grants and debits as text, of one dataset or of all."""
        return [
            line
            for name, account in self._accounts(dataset).items()
            for line in statement.as_lines(name, account)
        ]

    def write_page(self, target: str | Path, dataset: str | None = None, *, force: bool = False) -> None:
        """Write grants and releases as a page, over time; only its owner can read it, as the ledger.

        Args:
            target: the page, HTML; one file with everything in it.
            dataset: only this one.
            force: replace an existing page.

        Raises:
            MachineError: the page cannot stand there, or the extra `report` is not installed.
        """
        require(*FIGURES)
        path = Path(target)
        refuse_unwritable(path, {"the ledger": self.path}, force=force, what="page")
        from synthrelease.ledgers.ledger_page import write_ledger_page  # noqa: PLC0415  slow to import

        write_ledger_page(self.over_time(dataset), path, name=self.path.name, force=force)

    def over_time(self, dataset: str | None = None) -> dict[str, tuple[Account, tuple[Moment, ...]]]:
        """Return how datasets stand, and how they stood after each grant and release; of one dataset or of all.

        Raises:
            PlanError: there is no such dataset or ledger, or the file is none.
        """
        content = store.read(self.path)  # once: a build may be charged meanwhile
        accounts, moments = self._accounts(dataset, content), timelines(content.entries)
        return {name: (account, moments[name]) for name, account in accounts.items()}

    def check(
        self, *, digests: Sequence[str] = (), manifests: Mapping[str, dict[str, Any]] | None = None
    ) -> LedgerCheck:
        """Return what is wrong with the ledger; see `audit.faults`.

        Raises:
            PlanError: there is no such ledger, or the file is none.
            MachineError: it cannot be read.
        """
        content = store.read(self.path)
        faults = [*content.faults, *audit.faults(content.entries, digests=digests, manifests=manifests)]
        head = content.entries[-1].digest if content.entries else chain.START.hex()
        return LedgerCheck(faults, len(content.entries), head)

    def _accounts(
        self, dataset: str | None, content: store.LedgerContent | None = None
    ) -> dict[str, Account]:
        accounts = history.trusted(self.path, content or store.read(self.path)).accounts
        if dataset is None:
            return accounts
        if dataset not in accounts:
            raise PlanError(
                "unknown-dataset",
                "the ledger has no such dataset",
                where=str(self.path),
                found=dataset,
                expected="one of " + ", ".join(accounts) if accounts else "",
                remedy="correct the name, or set a budget with synthrelease ledger grant",
            )
        return {dataset: accounts[dataset]}

    def _grant_of(self, dataset: str, epsilon: float, delta: float, neighbours: Neighbours) -> Grant:
        if not is_name(dataset):
            raise PlanError(
                "bad-dataset-name",
                "a dataset cannot have this name",
                where=str(self.path),
                found=ascii(dataset) if isinstance(dataset, str) else type(dataset).__name__,
                expected="1 to 64 letters, digits, - and _, a letter or digit first and last",
                remedy="choose another name",
            )
        try:
            return Grant(float(epsilon), float(delta), neighbours)
        except ValueError:
            delta_is_wrong = 0 < epsilon < math.inf
            raise PlanError(
                "bad-grant",
                "the budget is not valid",
                where="delta" if delta_is_wrong else "epsilon",
                found=f"{delta if delta_is_wrong else epsilon:g}",
                expected="at least 0 and below 0.5" if delta_is_wrong else "greater than 0, and finite",
                remedy="write for example --epsilon 3 --delta 1e-6",
            ) from None

    def _refuse_twin(self, dataset: str, past: History) -> None:
        """Refuse a name that a person could take for one that is there: it would be a second purse."""
        for name in past.accounts:
            if name != dataset and name.casefold() == dataset.casefold():
                raise PlanError(
                    "similar-dataset-name",
                    "the ledger has a dataset whose name differs only in capitals, and each name has its own budget",
                    where=str(self.path),
                    found=dataset,
                    expected=name,
                    remedy="write the name as in the ledger; for data of other participants choose another name",
                )

    def _where(self, charge: Charge) -> str:
        return f"{self.path}: {charge.dataset}"

    def _account(self, past: History, charge: Charge) -> Account:
        account = past.accounts.get(charge.dataset)
        if account is None:
            raise PolicyError(
                "nothing-granted",
                "the dataset has no budget",
                where=self._where(charge),
                remedy=f"set one: synthrelease ledger grant {shlex.quote(self.path.name)} --dataset {charge.dataset} --epsilon E --delta D",
            )
        if account.grant.neighbours is not charge.neighbours:
            raise PolicyError(
                "other-neighbours",
                "the ledger uses another neighbouring relation, and the two cannot be composed",
                where=self._where(charge),
                found=str(charge.neighbours),
                expected=str(account.grant.neighbours),
                remedy=f'set neighbours = "{account.grant.neighbours}" under [privacy]',
            )
        return account
