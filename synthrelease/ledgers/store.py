"""The SQLite file: entries are only added, by one writer at a time, and each is on the disk before anything follows from it."""

from __future__ import annotations

import itertools
import os
import secrets
import shlex
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synthrelease.errors import MachineError, PlanError, SynthReleaseError
from synthrelease.files.locks import refuse_without_locks
from synthrelease.files.reading import handle_of, read_at
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
# As SQLite lists them: kind, name, table, text; the last keeps AUTOINCREMENT's number.
_LISTED = (
    ("table", "entries", "entries", _OBJECTS[0]),
    ("trigger", "never_changed", "entries", _OBJECTS[1]),
    ("trigger", "never_deleted", "entries", _OBJECTS[2]),
    ("table", "sqlite_sequence", "sqlite_sequence", "CREATE TABLE sqlite_sequence(name,seq)"),
)
# Of a ledger from anyone: bytes of the file, of an entry, entries, and steps of SQLite's machine for all that is asked.
_MOST_BYTES, _MOST_ENTRY_BYTES, _MOST_ENTRIES, _MOST_STEPS = 1 << 27, 1 << 22, 200_000, 200_000_000
_STEPS = 1_000_000  # between two looks at how many there were
_HEAD_BYTES, _LEAF = (
    105,
    0x0D,
)  # of SQLite's file and its first page, on which the list stands if it is as short as ours
_SMALL_PAGE = 512  # bytes, on which the list of ours has no room
_OF_SEVERAL = bytes.fromhex("d9d505f920a163d7")  # ends a journal that names another one
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
    with _HANDLES.kept(), _curators_errors(path), closing(_opened(path, dataset)) as connection:
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
    with _HANDLES.kept(), _curators_errors(path), closing(_opened(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield LedgerWriter(connection)
        connection.execute("COMMIT")  # closing without it takes everything back


class _Handles:
    """Open handles of ledgers' files: closing one takes all locks of this process from the file (POSIX), so all stay open while there is a connection."""

    def __init__(self) -> None:
        # Re-entrant: an interruption may leave it with this thread, which must not wait for itself.
        self._guard, self._connections, self._open = threading.RLock(), 0, list[int]()

    def opened(self, path: Path) -> int:
        """Return a handle, within a block of `kept`; errors as of `handle_of`."""
        handle = handle_of(path, PlanError, "ledger")
        with self._guard:
            self._open.append(handle)
        return handle

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep all handles open until the last such block has ended."""
        with self._guard:
            self._connections += 1
        try:
            yield
        finally:
            with self._guard:
                self._connections -= 1
                while not self._connections and self._open:
                    os.close(self._open.pop())


_HANDLES = _Handles()


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
    if not os.path.lexists(path):
        grant = f"synthrelease ledger grant {shlex.quote(path.name)} --dataset {shlex.quote(dataset)} --epsilon E --delta D"
        raise PlanError(
            "no-such-ledger", "there is no such ledger", where=str(path), remedy=f"create it: {grant}"
        )
    handle = _HANDLES.opened(path)
    head, size = read_at(handle, _HEAD_BYTES, 0), os.fstat(handle).st_size
    if len(head) < _HEAD_BYTES or not head.startswith(b"SQLite format 3\0"):
        raise _no_ledger(path, "a file of another kind")
    version, application = int.from_bytes(head[60:64]), int.from_bytes(head[68:72])
    if application != _APPLICATION or version != _VERSION:
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
    _refuse_other_form(path, head)
    _refuse_large(path, size)
    return _connected(path, handle)


def _refuse_other_form(path: Path, head: bytes) -> None:
    """Refuse a file that SQLite would read otherwise than what we write: in a sound ledger it can be undone, and a backup may lack debits."""
    if head[18:20] == b"\2\2":
        reason, undone = "a write-ahead log (WAL)", "PRAGMA journal_mode = DELETE"
    elif head[18:20] != b"\1\1":
        raise _no_ledger(path, "a file of a later SQLite, or a damaged one")
    elif head[100] == _LEAF and int.from_bytes(head[103:105]) <= len(_LISTED):
        return
    elif int.from_bytes(head[16:18]) == _SMALL_PAGE:
        reason, undone = f"pages of {_SMALL_PAGE} bytes", "PRAGMA page_size = 4096; VACUUM"
    else:
        reason, undone = "other tables and triggers than those of a ledger", "DROP TABLE sqlite_stat1"
    raise PlanError(
        "ledger-stored-otherwise",
        "the file is not stored as a ledger is",
        where=str(path),
        found=reason,
        expected="a file that no other program has written to",
        remedy=f"if it is your ledger, undo what another program did: sqlite3 {shlex.quote(path.name)} '{undone}'; a backup may lack debits",
    )


def _refuse_large(path: Path, size: int) -> None:
    """Refuse a file that no one's releases fill, and files next to it that SQLite would read with it and that are not its own."""
    journal, log = (path.resolve().with_name(path.resolve().name + ending) for ending in ("-journal", "-wal"))
    if os.path.lexists(log):
        raise _no_ledger(path, f"{log.name} next to it, which no ledger has")
    if os.path.lexists(journal):  # of a writer, at this moment or when the machine stopped
        with suppress(FileNotFoundError):
            status = journal.stat()
            is_regular = stat.S_ISREG(status.st_mode)
            size = max(size, status.st_size) if is_regular else _MOST_BYTES + 1
            # SQLite deletes the file that such an end names; no ledger shares a transaction with other files.
            if is_regular and journal.read_bytes()[-len(_OF_SEVERAL) :] == _OF_SEVERAL:
                raise _no_ledger(path, f"{journal.name} next to it, which names another file")
    if size > _MOST_BYTES:
        raise _no_ledger(
            path, f"more than {_MOST_BYTES >> 20} MiB, or something else than a file as its journal"
        )


def _connected(path: Path, handle: int | None = None) -> _PatientConnection:
    """Return a connection to a file; where its handle is given, one that still has our list of tables when a journal is played back."""
    connection = sqlite3.connect(
        path.absolute(), timeout=1.0, isolation_level=None, factory=_PatientConnection
    )
    connection.path = path
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_ENTRY_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    looks = itertools.count(1)
    connection.set_progress_handler(lambda: next(looks) * _STEPS > _MOST_STEPS, _STEPS)
    connection.text_factory = bytes  # what is no text is a fault of the entry, and repeated in no message
    with _closed_by_errors(connection):  # SQLite reads the file here for the first time
        connection.execute("PRAGMA application_id").fetchone()
        if handle is not None:
            _refuse_other_form(path, read_at(handle, _HEAD_BYTES, 0))
        connection.execute("PRAGMA trusted_schema = OFF")
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
    """What is in a ledger's file, which may be anyone's: no table is read before it is known to be ours, and whole."""
    listed = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
    if sorted(tuple(map(_text, row)) for row in listed) != sorted(_LISTED):
        problem = "tables and triggers are not those of a ledger, and are not read"
        return LedgerContent([], [LedgerFault("other-tables", "", problem)])
    (state,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if state != b"ok":
        return LedgerContent([], [LedgerFault("file-damaged", "", "the file is damaged, and is not read")])
    (highest,) = connection.execute("SELECT max(seq) FROM sqlite_sequence WHERE name = 'entries'").fetchone()
    query = "SELECT number, body, digest FROM entries ORDER BY number LIMIT ?"
    rows = connection.execute(query, (_MOST_ENTRIES,))
    entries = [LedgerEntry(number, _text(body), _text(digest)) for number, body, digest in rows]
    lost = f"there were {highest} entries, and there are {len(entries)}"
    faults = [LedgerFault("entries-lost", "", lost)] if (highest or 0) != len(entries) else []
    return LedgerContent(entries, faults)


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
        if _code(error) in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_INTERRUPT):  # no table; too many steps
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
