"""The SQLite file: entries are only added, by one writer at a time, and each is on the disk before anything follows from it."""

from __future__ import annotations

import os
import secrets
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synthrelease.errors import MachineError, PlanError, SynthReleaseError
from synthrelease.files.locks import refuse_without_locks
from synthrelease.ledgers import chain
from synthrelease.ledgers.chain import LedgerEntry, LedgerFault

_APPLICATION = 0x5372_4C67  # "SrLg": how `file` and `check` recognise a ledger
_VERSION = 1
_PATIENCE_S = 300  # in which no process has written anything
_NEVER = (
    "CREATE TRIGGER never_{0} BEFORE {1} ON entries "
    "BEGIN SELECT RAISE(ABORT, 'entries of a ledger are never {0}'); END"
)
_OBJECTS = (
    # AUTOINCREMENT: SQLite remembers the highest number that ever was
    "CREATE TABLE entries (number INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL, digest TEXT NOT NULL)",
    _NEVER.format("changed", "UPDATE"),
    _NEVER.format("deleted", "DELETE"),
)
_MARKS = (f"PRAGMA application_id = {_APPLICATION}", f"PRAGMA user_version = {_VERSION}")


@dataclass
class LedgerContent:
    """What a ledger's file holds at one moment."""

    entries: list[LedgerEntry]  # all, in their order
    faults: list[LedgerFault]  # what is wrong with the file around them


def create(path: Path) -> None:
    """Make an empty ledger that its owner alone may read; nothing happens where there is one.

    It is made under another name and gets its own when it is whole: no one ever sees a part of it, not after a crash either.

    Raises:
        PlanError: an empty file is there, which may have been a ledger.
        MachineError: it cannot be made.
    """
    if os.path.lexists(path):
        _refuse_empty(path)
        return
    refuse_without_locks(str(path))
    unfinished = path.with_name(f".ledger-{secrets.token_hex(8)}.new")
    try:
        try:
            os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL, 0o600))
            with _curators_errors(path):
                _fill(unfinished)
            _sync(unfinished)
            with suppress(FileExistsError):  # another process was quicker, and its ledger is as good
                os.link(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)
        _sync(path.parent)
    except OSError as error:
        raise MachineError(
            "cannot-make-ledger",
            "the ledger cannot be made here",
            where=str(path),
            found=error.strerror or "",
            remedy="make the folder first, for example with mkdir -p; or correct the path"
            if isinstance(error, FileNotFoundError)
            else "choose a folder that you may write, on a local disk (hard links and locks are needed)",
        ) from None


def _fill(path: Path) -> None:
    """Make a ledger of an empty file."""
    with closing(_connected(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        for statement in (*_OBJECTS, *_MARKS):
            connection.execute(statement)
        connection.execute("COMMIT")


def _sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refuse_empty(path: Path) -> None:
    if path.is_file() and path.stat().st_size == 0:
        raise PlanError(
            "empty-file",
            "the file is empty",
            where=str(path),
            expected="a ledger, or no file",
            remedy="if it was a ledger, restore it from a backup; otherwise delete the file",
        )


def read(path: Path, dataset: str = "NAME") -> LedgerContent:
    """Return what a ledger holds.

    Raises:
        PlanError: there is no such ledger, or the file is none.
        MachineError: it cannot be read.
    """
    with _curators_errors(path), closing(_opened(path, dataset)) as connection:
        connection.execute("BEGIN")
        return _content(connection)


class LedgerWriter:
    """A ledger while no other process writes: what is read stays true until what is added is on the disk."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.content = _content(connection)

    def add(self, body: dict[str, Any]) -> LedgerEntry:
        """Add an entry, and return it; it is there for good once the block of `writing` has ended."""
        entry = chain.following(self.content.entries, body)
        self._connection.execute(
            "INSERT INTO entries VALUES (?, ?, ?)", (entry.number, entry.text, entry.digest)
        )
        self.content.entries.append(entry)
        return entry


@contextmanager
def writing(path: Path) -> Iterator[LedgerWriter]:
    """Wait for the other writers, then write alone; all of the block is written or, where it raises, nothing.

    Raises:
        PlanError: there is no such ledger, or the file is none.
        MachineError: it cannot be written.
    """
    with _curators_errors(path), closing(_opened(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield LedgerWriter(connection)
        connection.execute("COMMIT")  # closing without it takes everything back


class _PatientConnection(sqlite3.Connection):
    """Waits for other processes as long as they write, in turns of a second, between which Python sees an interruption."""

    path: Path

    def execute(self, statement: str, values: Any = (), /) -> sqlite3.Cursor:
        idle_turns, last_write_ns = 0, 0
        while True:
            try:
                return super().execute(statement, values)
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY or idle_turns >= _PATIENCE_S:
                    raise
                write_ns = self.path.stat().st_mtime_ns
                idle_turns, last_write_ns = (idle_turns + 1 if write_ns == last_write_ns else 0), write_ns


def _opened(path: Path, dataset: str = "NAME") -> _PatientConnection:
    if not path.is_file():
        raise PlanError(
            "no-such-ledger",
            "there is no such ledger",
            where=str(path),
            remedy=f"create it: synthrelease ledger grant {shlex.quote(path.name)} --dataset {shlex.quote(dataset)} --epsilon E --delta D",
        )
    connection = _connected(path)
    with _closed_by_errors(connection):
        (application,), (version,) = (
            connection.execute(f"PRAGMA {word}").fetchone() for word in ("application_id", "user_version")
        )
    if application != _APPLICATION or version != _VERSION:
        connection.close()
        raise PlanError(
            "unknown-ledger-version",
            "the file is not a ledger, or a ledger of another version",
            where=str(path),
            found=f"a ledger of version {version}" if application == _APPLICATION else "something else",
            expected=f"a ledger of version {_VERSION}",
            remedy="use the version of synthrelease that wrote it"
            if application == _APPLICATION
            else "correct the path",
        )
    return connection


def _connected(path: Path) -> _PatientConnection:
    connection = sqlite3.connect(
        path.absolute(), timeout=1.0, isolation_level=None, factory=_PatientConnection
    )
    connection.path = path
    connection.text_factory = bytes  # what is no text is a fault of the entry, and repeated in no message
    with _closed_by_errors(connection):  # SQLite reads the file here for the first time
        connection.execute("PRAGMA synchronous = EXTRA")  # a debit outlives the power that fails after it,
        connection.execute("PRAGMA fullfsync = ON")  # under macOS, too
    return connection


@contextmanager
def _closed_by_errors(connection: sqlite3.Connection) -> Iterator[None]:
    """Close a connection that the caller does not get."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


def _content(connection: sqlite3.Connection) -> LedgerContent:
    rows = connection.execute("SELECT number, body, digest FROM entries ORDER BY number")
    entries = [LedgerEntry(number, _text(body), _text(digest)) for number, body, digest in rows]
    return LedgerContent(entries, list(_faults(connection, len(entries))))


def _faults(connection: sqlite3.Connection, entries: int) -> Iterator[LedgerFault]:
    objects = connection.execute("SELECT sql FROM sqlite_master WHERE name != 'sqlite_sequence'")
    if sorted(_text(sql) for (sql,) in objects) != sorted(_OBJECTS):
        yield LedgerFault("other-tables", "", "tables and triggers are not those of a ledger")
    (highest,) = connection.execute("SELECT max(seq) FROM sqlite_sequence WHERE name = 'entries'").fetchone()
    if (highest or 0) != entries:
        yield LedgerFault("entries-lost", "", f"there were {highest} entries, and there are {entries}")
    (state,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if state != b"ok":
        yield LedgerFault("file-damaged", "", "the file is damaged")


def _text(stored: object) -> str:
    return stored.decode("utf-8", "replace") if isinstance(stored, bytes) else repr(stored)


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the extension


@contextmanager
def _curators_errors(path: Path) -> Iterator[None]:
    """Raise the system's errors as errors that say what a curator can do."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if _code(error) == sqlite3.SQLITE_ERROR:  # a table is not there
            raise _no_ledger(path, str(error)) from None
        raise _unreachable(path, str(error)) from None
    except sqlite3.DatabaseError as error:
        raise _no_ledger(path, str(error)) from None
    except UnicodeDecodeError:  # SQLite repeats a name of the file, which is no text
        raise _no_ledger(path, "tables or triggers whose names are no text") from None
    except OSError as error:
        raise _unreachable(path, error.strerror or "an error of the file system") from None


def _no_ledger(path: Path, reason: str) -> SynthReleaseError:
    return PlanError(
        "not-a-ledger",
        "the file is not a ledger, or is damaged",
        where=str(path),
        found=reason,
        expected="a ledger",
        remedy="restore it from a backup",
    )


def _unreachable(path: Path, reason: str) -> SynthReleaseError:
    return MachineError(
        "cannot-use-ledger",
        "the ledger cannot be read or written",
        where=str(path),
        found=reason,
        remedy="check the disk and the permissions of file and folder, and that no other program uses the file",
    )
