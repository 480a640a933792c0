"""The SQLite file: entries that are only added, one writer at a time, each on the disk before anything follows from it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from synthrelease.errors import MachineError, PlanError
from synthrelease.ledger.chain import Entry

_APPLICATION = 0x5372_4C67  # "SrLg": what `file` and `check` know a ledger by
_VERSION = 1
_PATIENCE_S = 600.0  # for the other writers: each holds the file for what composing takes
_NEVER = (
    "CREATE TRIGGER never_{0} BEFORE {1} ON entries "
    "BEGIN SELECT RAISE(ABORT, 'entries of a ledger are never {0}'); END"
)
_TABLES = (
    "CREATE TABLE entries (number INTEGER PRIMARY KEY, body TEXT NOT NULL, digest TEXT NOT NULL)",
    _NEVER.format("changed", "UPDATE"),
    _NEVER.format("deleted", "DELETE"),
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {_VERSION}",
)


def create(path: Path) -> None:
    """Make an empty ledger that its owner alone may read; nothing happens where there is one."""
    try:
        os.close(os.open(path, os.O_CREAT, 0o600))
    except OSError as error:
        raise MachineError(
            "the ledger cannot be made here", where=str(path), found=error.strerror or ""
        ) from None
    with _told(path), closing(_connected(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")  # of two that make it, one waits, and finds it made
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
            for statement in _TABLES:
                connection.execute(statement)
        connection.execute("COMMIT")


def read(path: Path) -> list[Entry]:
    """Return all entries, in their order.

    Raises:
        PlanError: there is no such ledger, or the file is none.
        MachineError: it cannot be read.
    """
    with _told(path), closing(_opened(path)) as connection:
        return _entries(connection)


class Writing:
    """A ledger while nobody else writes: what is read stays true until what is added is on the disk."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.entries = _entries(connection)

    def add(self, entry: Entry) -> None:
        """Add an entry; it is there for good once the block of `writing` has ended."""
        self._connection.execute(
            "INSERT INTO entries VALUES (?, ?, ?)", (entry.number, entry.text, entry.digest)
        )
        self.entries.append(entry)


@contextmanager
def writing(path: Path) -> Iterator[Writing]:
    """Wait for the other writers, then write alone; all of the block is written or, where it raises, nothing.

    Raises:
        PlanError: there is no such ledger, or the file is none.
        MachineError: it cannot be written.
    """
    with _told(path), closing(_opened(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield Writing(connection)
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


def _opened(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise PlanError(
            "there is no such ledger",
            where=str(path),
            remedy=f"make one: synthrelease ledger grant {path.name} --dataset NAME --epsilon E --delta D",
        )
    connection = _connected(path)
    try:
        (application,), (version,) = (
            connection.execute(f"PRAGMA {word}").fetchone() for word in ("application_id", "user_version")
        )
    except sqlite3.DatabaseError:
        connection.close()
        raise
    if application != _APPLICATION or version != _VERSION:
        connection.close()
        raise PlanError(
            "the file is no ledger that this version knows",
            where=str(path),
            found="another database" if application != _APPLICATION else f"version {version}",
            expected=f"a ledger of version {_VERSION}",
        )
    return connection


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_PATIENCE_S, isolation_level=None)
    connection.execute("PRAGMA synchronous = EXTRA")  # a debit outlives the power that fails after it
    return connection


def _entries(connection: sqlite3.Connection) -> list[Entry]:
    rows = connection.execute("SELECT number, body, digest FROM entries ORDER BY number")
    return [Entry(*row) for row in rows]


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turns what SQLite says into what a curator can do."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise MachineError(
            "the ledger cannot be read or written",
            where=str(path),
            found=str(error),
            remedy="check the disk, the permissions of file and folder, and that no other program holds the file",
        ) from None
    except sqlite3.DatabaseError as error:
        raise PlanError(
            "the file is no ledger, or a damaged one", where=str(path), found=str(error), expected="a ledger"
        ) from None
