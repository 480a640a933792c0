"""Entries that hang together: each holds the digest of the one before, so that none can be changed, left out or slipped in.

    digest(n) = SHA-256(digest(n − 1) ‖ body(n)),   digest(0) = 32 zero bytes

Someone with access to the file can rewrite it from any entry on; a digest that was published or noted before (every bundle holds
that of its debit) cannot be rewritten. A body carries a random nonce, so that its digest reveals nothing of it.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

START = bytes(32)


@dataclass(frozen=True)
class LedgerFault:
    """Something wrong with a ledger; its text is the sentence that is shown."""

    code: str  # for programs
    where: str  # `entry 3`, or the name of a bundle; empty if it is the file
    message: str  # the sentence

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class LedgerEntry:
    """One entry."""

    number: int  # 1, 2, 3, …
    text: str  # the body as it is stored: JSON, keys sorted
    digest: str  # of this entry and all before it, hexadecimal

    @property
    def body(self) -> dict[str, Any]:
        """The body read; ValueError if it is not JSON."""
        body: dict[str, Any] = json.loads(self.text)
        return body


def following(entries: Sequence[LedgerEntry], body: dict[str, Any]) -> LedgerEntry:
    """Return the entry of a body that is to follow others."""
    text = json.dumps({**body, "nonce": secrets.token_hex(16)}, sort_keys=True, allow_nan=False)
    before = bytes.fromhex(entries[-1].digest) if entries else START
    return LedgerEntry(len(entries) + 1, text, _digest(before, text))


def faults(entries: Sequence[LedgerEntry]) -> Iterator[LedgerFault]:
    """Yield where entries do not hang together."""
    before = START
    for place, entry in enumerate(entries, start=1):
        where = f"entry {place}"
        if entry.number != place:
            yield LedgerFault(
                "entry-missing", where, f"{where} is missing: entry {entry.number} is in its place"
            )
            return
        if _digest(before, entry.text) != entry.digest:
            yield LedgerFault("entry-changed", where, f"{where} was changed, or an entry before it")
            return
        before = bytes.fromhex(entry.digest)


def now() -> str:
    """Return the time, UTC, as entries state it."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


def _digest(before: bytes, text: str) -> str:
    return hashlib.sha256(before + text.encode()).hexdigest()
