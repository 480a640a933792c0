"""Entries read one after the other: which account each changes, and which can follow those before it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from synthrelease.errors import PolicyError
from synthrelease.ledger import chain
from synthrelease.ledger.account import Account, AccountStanding, Paid
from synthrelease.ledger.chain import Fault, LedgerEntry
from synthrelease.ledger.charge import Charge, Grant, is_name
from synthrelease.ledger.owner import Owner
from synthrelease.ledger.store import Kept


class EntryKind(StrEnum):
    """What an entry says."""

    CREATED = "created"
    GRANT = "grant"
    DEBIT = "debit"
    TAKEN_OVER = "taken over"
    DRAWING = "drawing"
    RELEASED = "released"


class MisfitError(ValueError):
    """An entry that no ledger writes, or not after those before it."""

    def __init__(self, code: str, problem: str, where: str = "") -> None:
        super().__init__(problem)
        self.code, self.where = code, where

    @property
    def fault(self) -> Fault:
        """What `check` reports."""
        return Fault(self.code, self.where, str(self))


class History:
    """What entries amount to.

    Attributes:
        accounts: by dataset.
        key: of the digests that stand for datasets in manifests.
    """

    def __init__(self, entries: Iterable[LedgerEntry] = ()) -> None:
        self.accounts: dict[str, Account] = {}
        self.key = b""
        self._of_debit: dict[int, Account] = {}
        for entry in entries:
            self.read(entry)

    def read(self, entry: LedgerEntry) -> Paid | None:
        """Take in one more entry, and return the debit that it makes or hands over, if it does.

        Raises:
            MisfitError: it is none that can follow those before it.
        """
        where = f"entry {entry.number}"
        try:
            return self._read(entry, entry.body)
        except MisfitError as misfit:
            raise MisfitError(misfit.code, f"{where}: {misfit}", where) from None
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError):
            raise MisfitError("not-an-entry", f"{where} is none that a ledger writes", where) from None

    def _read(self, entry: LedgerEntry, body: dict[str, Any]) -> Paid | None:
        kind = body["kind"]
        if (kind == EntryKind.CREATED) is bool(self.key):
            raise MisfitError("second-beginning", "a ledger begins once, with its first entry")
        if not isinstance(body["at"], str):
            raise MisfitError("no-time", "it does not say when")
        match kind:
            case EntryKind.CREATED:
                self.key = bytes.fromhex(body["key"])
            case EntryKind.GRANT:
                self._grant(entry, body)
            case EntryKind.DEBIT:
                return self._debit(entry, body)
            case EntryKind.TAKEN_OVER:
                return self._taken_over(entry, body)
            case EntryKind.DRAWING | EntryKind.RELEASED:
                self._went_on(kind, body)
            case _:
                raise MisfitError("unknown-kind", "of a kind that no ledger writes")
        return None

    def _grant(self, entry: LedgerEntry, body: dict[str, Any]) -> None:
        if not is_name(body["dataset"]):
            raise MisfitError("bad-dataset-name", "a dataset cannot have this name")
        account, grant = self.accounts.setdefault(body["dataset"], Account()), Grant.from_json(body)
        if account.debits and account.grant.neighbours is not grant.neighbours:
            raise MisfitError(
                "other-neighbours", "granted under another relation than that of releases already paid for"
            )
        account.grants.append((entry.number, body["at"], grant))

    def _debit(self, entry: LedgerEntry, body: dict[str, Any]) -> Paid:
        charge, standing = Charge.from_json(body["charge"]), AccountStanding.from_json(body["standing"])
        account = self.accounts.get(charge.dataset)
        if account is None or account.grant.neighbours is not charge.neighbours:
            raise MisfitError("nothing-granted", "paid from a grant that was none")
        owner = Owner.from_json(body["owner"])
        paid = Paid(entry.number, entry.digest, body["at"], charge, standing, owner)
        account.add(paid)
        self._of_debit[entry.number] = account
        return paid

    def _taken_over(self, entry: LedgerEntry, body: dict[str, Any]) -> Paid:
        owner, standing = Owner.from_json(body["owner"]), AccountStanding.from_json(body["standing"])
        paid = self.paid(body["debit"])
        if paid.drawn or paid.released is not None:
            raise MisfitError("taken-over-late", "a debit was taken over that noise had been drawn on")
        return self._change(paid, owner=owner, standing=standing, digest=entry.digest)

    def _went_on(self, kind: str, body: dict[str, Any]) -> None:
        paid = self.paid(body["debit"])
        if paid.released is not None or (paid.drawn and kind == EntryKind.DRAWING):
            raise MisfitError("used-twice", "a debit was used twice")
        self._change(
            paid,
            **{"drawn": True}
            if kind == EntryKind.DRAWING
            else {"released": bytes.fromhex(body["manifest"]).hex()},
        )

    def account_of(self, paid: Paid) -> Account:
        """Return the account that a debit belongs to."""
        return self._of_debit[paid.number]

    def paid(self, number: int) -> Paid:
        """Return the debit of an entry's number; KeyError if there is none."""
        return self._of_debit[number].debits[number]

    def _change(self, paid: Paid, **changes: Any) -> Paid:
        changed = replace(paid, **changes)
        self.account_of(paid).debits[paid.number] = changed
        return changed


def trusted(path: Path, kept: Kept) -> History:
    """Return the history of a ledger that nothing was done to by other means than its own.

    Raises:
        PolicyError: something was, and what is left of the grant is not known.
    """
    fault = next(iter(kept.faults), None) or next(chain.faults(kept.entries), None)
    try:
        if fault is None:
            return History(kept.entries)
    except MisfitError as misfit:
        fault = misfit.fault
    raise PolicyError(
        "ledger-tampered",
        "the ledger was changed by other means than its own",
        where=str(path),
        found=str(fault),
        remedy="take it from a backup; `synthrelease ledger check` tells more",
    )
