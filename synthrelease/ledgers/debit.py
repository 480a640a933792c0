"""What was paid for, in the hands of the process that paid: it says when noise is drawn on it, and what came of it."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import Any

from synthrelease.errors import PolicyError
from synthrelease.ledgers import chain, history, store
from synthrelease.ledgers.history import EntryKind
from synthrelease.ledgers.owner import Owner


class Debit:
    """A release that was paid for."""

    def __init__(self, path: Path, number: int, spending: dict[str, Any]) -> None:
        self._path, self._number = path, number
        # What its manifest states: identity of the dataset, digest of the entry, ε before, here and after.
        self.spending = spending
        self._begun = False
        self._lock = threading.Lock()

    def begin_drawing(self) -> None:
        """Note that noise is drawn from now on, on the disk before the first of it is; once, however often it is called.

        Raises:
            PolicyError: the debit is another process' by now, or the ledger is gone or an older copy.
            MachineError: the ledger cannot be written.
        """
        if self._begun:
            return
        with self._lock:
            if not self._begun:
                self._add({"kind": EntryKind.DRAWING})
                self._begun = True

    def release(self, manifest: bytes) -> None:
        """Note what came of it.

        Raises:
            PolicyError: that was noted already, or the ledger is gone or an older copy.
            MachineError: the ledger cannot be written.
        """
        self._add({"kind": EntryKind.RELEASED, "manifest": hashlib.sha256(manifest).hexdigest()})

    def failure_remedy(self) -> str:
        """Return what becomes of the debit if no bundle comes of it, as a remedy for that error."""
        if self._begun:
            return "the ledger counts this release, since noise was drawn: building again is charged again"
        return "the ledger counts this release, but no noise was drawn: building the same plan again uses this charge"

    def _add(self, body: dict[str, Any]) -> None:
        """Add what became of the debit, if it is still this process' own, and as far as this process knows."""
        if not self._path.is_file():
            raise self._lost("lost-ledger", "the ledger that this release was charged to is missing")
        with store.writing(self._path) as ledger:
            past = history.trusted(self._path, ledger.content)
            try:
                debit = past.debit(self._number)
            except KeyError:
                raise self._lost("lost-debit", "the ledger no longer has the debit of this release") from None
            state = (debit.digest, debit.owner, debit.drawn, debit.released)
            if state != (self.spending["entry"], Owner.this(), self._begun, None):
                raise PolicyError(
                    "debit-taken-over",
                    "another process has taken this debit over, or it was used already",
                    where=str(self._path),
                    remedy="build again: that build will be charged",
                )
            past.read(ledger.add({**body, "at": chain.now(), "debit": self._number}))

    def _lost(self, code: str, problem: str) -> PolicyError:
        """A ledger that was deleted, or set back to an earlier copy, while this release was built."""
        return PolicyError(
            code,
            problem,
            where=str(self._path),
            expected="the ledger that this release was charged to, as it was then or later",
            remedy="restore its newest copy: an older copy, or a new ledger, does not count all releases",
        )
