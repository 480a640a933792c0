"""Entries read one after the other: which account each changes, and which can follow those before it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from synthrelease.errors import PolicyError
from synthrelease.ledgers import chain
from synthrelease.ledgers.account import Account, AccountDebit, AccountGrant, AccountStanding
from synthrelease.ledgers.chain import LedgerEntry, LedgerFault
from synthrelease.ledgers.charge import Charge, Grant, is_name
from synthrelease.ledgers.owner import Owner
from synthrelease.ledgers.store import LedgerContent


class EntryKind(StrEnum):
    """What an entry says."""

    CREATED = "created"
    GRANT = "grant"
    DEBIT = "debit"
    TAKEN_OVER = "taken over"
    DRAWING = "drawing"
    RELEASED = "released"


class InvalidEntryError(ValueError):
    """An entry that no ledger writes, or not after those before it."""

    def __init__(self, code: str, problem: str, where: str = "") -> None:
        super().__init__(problem)
        self.code, self.where = code, where

    @property
    def fault(self) -> LedgerFault:
        """What `check` reports."""
        return LedgerFault(self.code, self.where, str(self))


class History:
    """What entries amount to."""

    def __init__(self, entries: Iterable[LedgerEntry] = ()) -> None:
        self.accounts: dict[str, Account] = {}  # by dataset
        self.key = b""  # of the digests that stand for datasets in manifests
        self._account_of_debit: dict[int, Account] = {}
        for entry in entries:
            self.read(entry)

    def read(self, entry: LedgerEntry) -> AccountDebit | None:
        """Take in one more entry, and return the debit that it makes or hands over, if it does.

        Raises:
            InvalidEntryError: it is none that can follow those before it.
        """
        where = f"entry {entry.number}"
        try:
            return self._read(entry, entry.body)
        except InvalidEntryError as error:
            raise InvalidEntryError(error.code, f"{where}: {error}", where) from None
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError):
            raise InvalidEntryError(
                "not-an-entry", f"{where} is not an entry that a ledger writes", where
            ) from None

    def _read(self, entry: LedgerEntry, body: dict[str, Any]) -> AccountDebit | None:
        kind = body["kind"]
        if (kind == EntryKind.CREATED) is bool(self.key):
            raise InvalidEntryError("second-beginning", "a ledger begins once, with its first entry")
        if not isinstance(body["at"], str):
            raise InvalidEntryError("no-time", "it has no time")
        match kind:
            case EntryKind.CREATED:
                self.key = bytes.fromhex(body["key"])
            case EntryKind.GRANT:
                self._add_grant(entry, body)
            case EntryKind.DEBIT:
                return self._add_debit(entry, body)
            case EntryKind.TAKEN_OVER:
                return self._take_over(entry, body)
            case EntryKind.DRAWING | EntryKind.RELEASED:
                self._advance(kind, body)
            case _:
                raise InvalidEntryError("unknown-kind", "its kind is unknown")
        return None

    def _add_grant(self, entry: LedgerEntry, body: dict[str, Any]) -> None:
        if not is_name(body["dataset"]):
            raise InvalidEntryError("bad-dataset-name", "a dataset cannot have this name")
        account, grant = self.accounts.setdefault(body["dataset"], Account()), Grant.from_json(body)
        if account.debits and account.grant.neighbours is not grant.neighbours:
            raise InvalidEntryError(
                "other-neighbours",
                "granted under another neighbouring relation than that of releases already charged",
            )
        account.grants.append(AccountGrant(entry.number, body["at"], grant))

    def _add_debit(self, entry: LedgerEntry, body: dict[str, Any]) -> AccountDebit:
        charge, standing = Charge.from_json(body["charge"]), AccountStanding.from_json(body["standing"])
        account = self.accounts.get(charge.dataset)
        if account is None or account.grant.neighbours is not charge.neighbours:
            raise InvalidEntryError("nothing-granted", "charged to a grant that does not exist")
        owner = Owner.from_json(body["owner"])
        debit = AccountDebit(entry.number, entry.digest, body["at"], charge, standing, owner)
        account.add(debit)
        self._account_of_debit[entry.number] = account
        return debit

    def _take_over(self, entry: LedgerEntry, body: dict[str, Any]) -> AccountDebit:
        owner, standing = Owner.from_json(body["owner"]), AccountStanding.from_json(body["standing"])
        debit = self.debit(body["debit"])
        if debit.drawn or debit.released is not None:
            raise InvalidEntryError("taken-over-late", "a debit was taken over after noise was drawn on it")
        return self._change(debit, owner=owner, standing=standing, digest=entry.digest)

    def _advance(self, kind: str, body: dict[str, Any]) -> None:
        debit = self.debit(body["debit"])
        if debit.released is not None or (debit.drawn and kind == EntryKind.DRAWING):
            raise InvalidEntryError("used-twice", "a debit was used twice")
        self._change(
            debit,
            **{"drawn": True}
            if kind == EntryKind.DRAWING
            else {"released": bytes.fromhex(body["manifest"]).hex()},
        )

    def account_of(self, debit: AccountDebit) -> Account:
        """Return the account that a debit belongs to."""
        return self._account_of_debit[debit.number]

    def debit(self, number: int) -> AccountDebit:
        """Return the debit of an entry's number; KeyError if there is none."""
        return self._account_of_debit[number].debits[number]

    def _change(self, debit: AccountDebit, **changes: Any) -> AccountDebit:
        changed = replace(debit, **changes)
        self.account_of(debit).debits[debit.number] = changed
        return changed


def trusted(path: Path, content: LedgerContent) -> History:
    """Return the history of a ledger that no other program changed.

    Raises:
        PolicyError: something was, and what is left of the grant is not known.
    """
    fault = next(iter(content.faults), None) or next(chain.faults(content.entries), None)
    try:
        if fault is None:
            return History(content.entries)
    except InvalidEntryError as error:
        fault = error.fault
    raise PolicyError(
        "ledger-tampered",
        "the ledger was changed by another program",
        where=str(path),
        found=str(fault),
        remedy="restore it from a backup; `synthrelease ledger check LEDGER` shows details",
    )
