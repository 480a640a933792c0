"""The file: made once, added to, and everything that it could be instead of a ledger."""

import errno
import multiprocessing
import os
import signal
import sqlite3
import stat
import struct
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from goldens import figures
from refusals import refused
from spending import REPLACE, bodies, granted, kinds, tamper
from unprivileged import unprivileged_folder

from synthrelease.errors import MachineError, PlanError
from synthrelease.ledgers import Ledger, store

BODY = {"kind": "note"}


@pytest.fixture
def path(tmp_path):
    """Return the path of an empty ledger."""
    store.create(tmp_path / "l.sqlite")
    return tmp_path / "l.sqlite"


@pytest.fixture
def mortal():
    """Return the path of an empty ledger of someone to whom things can be forbidden: not root, who runs this test."""
    with unprivileged_folder() as folder:
        store.create(folder / "l.sqlite")
        yield folder / "l.sqlite"


def add_one(path, error=None):
    with store.writing(path) as ledger:
        ledger.add(BODY)
        if error is not None:
            raise error


def test_a_new_ledger_is_empty_and_its_owners_alone(path):
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert store.read(path) == store.LedgerContent([], [])


def test_what_is_there_already_stays(path):
    with store.writing(path) as ledger:
        ledger.add(BODY)
    store.create(path)
    assert kinds(path) == ["note"]


def make_together(folder, ledgers, ready, granted):
    """In a process: grant to many fresh ledgers, each at the moment at which the others do."""
    from synthrelease.ledgers import Ledger

    for number in range(ledgers):
        ready.wait(60)
        Ledger(Path(folder) / f"{number}.sqlite").grant("study", 3.0, 0.0, REPLACE)
        with granted.get_lock():
            granted.value += 1


@pytest.mark.thorough
def test_processes_that_make_the_same_ledgers_at_once_all_find_a_whole_one(tmp_path):
    context, ledgers, processes = multiprocessing.get_context("fork"), 40, 4
    ready, done = context.Barrier(processes), context.Value("i", 0)
    running = [
        context.Process(target=make_together, args=(str(tmp_path), ledgers, ready, done))
        for _ in range(processes)
    ]
    for one in running:
        one.start()
    for one in running:
        one.join()
    assert [one.exitcode for one in running] == [0] * processes
    assert done.value == ledgers * processes
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted(f"{n}.sqlite" for n in range(ledgers))
    for path in tmp_path.iterdir():
        assert kinds(path) == ["created", *["grant"] * processes]
        assert (stat.S_IMODE(path.stat().st_mode), path.stat().st_nlink) == (0o600, 1)


@pytest.mark.parametrize("step", ["open", "_fill", "_sync", "link", "unlink"])
def test_killed_while_it_is_made_there_is_none_or_a_whole_one(tmp_path, step):
    """Whatever is left under another name is in no one's way."""
    child = os.fork()
    if child == 0:
        owner = {"open": os, "link": os, "unlink": Path}.get(step, store)
        setattr(owner, step, lambda *_a, **_k: os.kill(os.getpid(), signal.SIGKILL))
        store.create(tmp_path / "ledger.sqlite")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    path = tmp_path / "ledger.sqlite"
    assert path.exists() == (step == "unlink")
    assert kinds(granted(tmp_path).path) == ["created", "grant"]


def test_a_ledger_that_cannot_be_made_leaves_nothing_behind(tmp_path, monkeypatch):
    """As on file systems without hard links."""

    def never(*_arguments):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", never)
    with refused(MachineError, "cannot-make-ledger", where=tmp_path):
        granted(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_is_added_is_there_after_the_block(path):
    with store.writing(path) as ledger:
        ledger.add(BODY)
        ledger.add(BODY)
        assert [entry.number for entry in ledger.content.entries] == [1, 2]
    assert [entry.number for entry in store.read(path).entries] == [1, 2]
    assert [one.name for one in path.parent.iterdir()] == ["l.sqlite"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, PlanError("x", "x")])
def test_where_the_block_raises_nothing_was_written(path, error):
    with pytest.raises((ValueError, KeyboardInterrupt, PlanError)):
        add_one(path, error)
    assert kinds(path) == []
    with store.writing(path) as ledger:  # and nothing holds the file
        ledger.add(BODY)


def test_a_writer_waits_for_the_one_before(path):
    inside, order = threading.Event(), []

    def second():
        inside.wait()
        with store.writing(path) as ledger:
            order.append(len(ledger.content.entries))
            ledger.add(BODY)

    thread = threading.Thread(target=second)
    thread.start()
    with store.writing(path) as ledger:
        inside.set()
        thread.join(0.2)
        assert order == []
        ledger.add(BODY)
    thread.join()
    assert order == [1]


def test_readers_go_on_while_one_writes(path):
    with store.writing(path) as ledger:
        ledger.add(BODY)
        assert kinds(path) == []
    assert kinds(path) == ["note"]


def test_a_writer_waits_for_a_reader_in_turns_and_gives_up(path, monkeypatch):
    monkeypatch.setattr(store, "_PATIENCE_S", 2)
    connect = store._connected

    def hasty(*arguments):
        connection = connect(*arguments)
        connection.execute("PRAGMA busy_timeout = 10")
        return connection

    monkeypatch.setattr(store, "_connected", hasty)
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM entries").fetchall()
        with refused(MachineError, "cannot-use-ledger", where=path) as refusal:
            add_one(path)
        assert refusal.value.exit_code == 6
        assert "locked" in refusal.value.found
    assert kinds(path) == []


@pytest.mark.thorough
def test_a_writer_that_waited_for_a_reader_writes(path):
    reader = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM entries").fetchall()
    timer = threading.Timer(1.3, reader.close)  # more than a turn
    timer.start()
    with store.writing(path) as ledger:
        ledger.add(BODY)
    timer.join()
    assert kinds(path) == ["note"]


@pytest.mark.parametrize("others_write", [True, False])
def test_one_waits_as_long_as_others_write(path, monkeypatch, others_write):
    """Patience begins anew with whatever is written meanwhile."""
    monkeypatch.setattr(store, "_PATIENCE_S", 1)
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as holder,
        closing(store._opened(path)) as waiting,
    ):
        holder.execute("BEGIN IMMEDIATE")
        waiting.execute("PRAGMA busy_timeout = 1")
        turns = []

        class Watched:
            def stat(self):
                turns.append(1)
                if len(turns) == 10:
                    holder.execute("COMMIT")
                return SimpleNamespace(st_mtime_ns=len(turns) if others_write else 5)

        waiting.path = Watched()
        if others_write:
            waiting.execute("BEGIN IMMEDIATE")
            assert len(turns) == 10
        else:
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                waiting.execute("BEGIN IMMEDIATE")
            assert len(turns) == 2


def test_entries_are_never_changed_or_deleted(path):
    with store.writing(path) as ledger:
        ledger.add(BODY)
    with closing(sqlite3.connect(path)) as connection:
        for statement in ("UPDATE entries SET body = ''", "DELETE FROM entries"):
            with pytest.raises(sqlite3.IntegrityError) as refusal:
                connection.execute(statement)
            assert refusal.value.sqlite_errorname == "SQLITE_CONSTRAINT_TRIGGER"


# What it could be instead


def test_no_file(tmp_path):
    with refused(PlanError, "no-such-ledger", where=tmp_path / "l.sqlite") as refusal:
        store.read(tmp_path / "l.sqlite")
    assert " grant l.sqlite " in refusal.value.remedy
    assert list(tmp_path.iterdir()) == []


def test_a_folder(tmp_path):
    with refused(PlanError, "path-is-folder", where=tmp_path):
        store.read(tmp_path)
    with refused(PlanError, "path-is-folder", where=tmp_path):
        Ledger(tmp_path).grant("study", 1, 0, REPLACE)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "l.sqlite")
    with refused(PlanError, "not-a-regular-file", where=tmp_path):
        store.read(tmp_path / "l.sqlite")
    with refused(PlanError, "not-a-regular-file", where=tmp_path):
        Ledger(tmp_path / "l.sqlite").grant("study", 1, 0, REPLACE)


def test_a_folder_that_does_not_exist(tmp_path):
    with refused(MachineError, "cannot-make-ledger", where=tmp_path / "no"):
        granted(tmp_path / "no")


def test_an_empty_file_is_no_ledger_and_none_is_made_of_it(tmp_path):
    """It may have been one: making it anew would forget what was spent."""
    (tmp_path / "ledger.sqlite").touch()
    with refused(PlanError, "empty-file", where=tmp_path / "ledger.sqlite"):
        granted(tmp_path)
    with refused(PlanError, "not-a-ledger", where=tmp_path / "ledger.sqlite"):
        store.read(tmp_path / "ledger.sqlite")
    assert (tmp_path / "ledger.sqlite").read_bytes() == b""


def test_another_kind_of_file(tmp_path):
    (tmp_path / "ledger.sqlite").write_text("who,picture\np1,garden\n" * 100)
    for use in (lambda: granted(tmp_path), lambda: store.read(tmp_path / "ledger.sqlite")):
        with refused(PlanError, "not-a-ledger", where=tmp_path / "ledger.sqlite") as refusal:
            use()
        assert "garden" not in str(refusal.value)


def test_another_sqlite_database(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE entries (number, body, digest)")
    for use in (lambda: granted(tmp_path), lambda: store.read(path)):
        with refused(PlanError, "unknown-ledger-version", where=path) as refusal:
            use()
        assert figures(refusal.value.found) == []


@pytest.mark.parametrize(
    ("done", "undone"),
    [
        ("PRAGMA journal_mode = WAL", "PRAGMA journal_mode = DELETE"),
        ("PRAGMA page_size = 512; VACUUM", "PRAGMA page_size = 4096; VACUUM"),
        ("ANALYZE", "DROP TABLE sqlite_stat1"),
    ],
)
def test_what_another_program_did_to_a_sound_ledger_can_be_undone(path, done, undone):
    """A backup would lack the last debits."""
    add_one(path)
    run(path, done)
    with refused(PlanError, "ledger-stored-otherwise", where=path, names=[f"'{undone}'"]) as refusal:
        store.read(path)
    assert "restore" not in refusal.value.remedy
    run(path, undone)
    assert kinds(path) == ["note"]
    add_one(path)


@pytest.mark.parametrize(
    "done",
    [f"PRAGMA page_size = {size}; VACUUM" for size in (1024, 8192, 65536)]
    + ["PRAGMA auto_vacuum = 1; VACUUM"],
)
def test_what_makes_no_difference_is_accepted(path, done):
    run(path, done)
    add_one(path)
    assert kinds(path) == ["note"]


def run(path, statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements.split(";"):
            connection.execute(statement).fetchall()


def test_a_later_version(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 2")
    with refused(PlanError, "unknown-ledger-version", where=path) as refusal:
        store.read(path)
    assert (figures(refusal.value.found), figures(refusal.value.expected)) == ([2], [1])


def test_no_refusal_leaves_the_file_open(tmp_path, monkeypatch):
    made = []

    class Watched(store._PatientConnection):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            made.append(self)

    monkeypatch.setattr(store, "_PatientConnection", Watched)
    path = granted(tmp_path).path
    made.clear()
    for damage in (b"\xff", b"\0"):
        path.write_bytes(path.read_bytes()[:105] + damage * 9000)
        with pytest.raises(PlanError):
            store.read(path)
    assert len(made) == 2
    for connection in made:
        with pytest.raises(sqlite3.ProgrammingError):  # it is closed
            connection.execute("SELECT 1")


def test_a_ledger_without_its_table(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE entries")
    assert [fault.code for fault in store.read(path).faults] == ["other-tables"]


@pytest.mark.parametrize("size", [1, 100, 4096, 5000])
def test_a_truncated_ledger(tmp_path, size):
    ledger = granted(tmp_path)
    for _ in range(10):
        ledger.grant("study", 3, 0, REPLACE)
    os.truncate(ledger.path, size)
    with pytest.raises(PlanError):
        ledger.check()


def test_a_symlink_leads_to_the_ledger(path):
    link = path.with_name("link")
    link.symlink_to(path)
    with store.writing(link) as ledger:
        ledger.add(BODY)
    assert kinds(path) == ["note"]


def test_a_name_that_sqlite_would_take_for_memory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ledger = Ledger(":memory:")
    ledger.grant("study", 1, 0, REPLACE)
    assert kinds(tmp_path / ":memory:") == ["created", "grant"]


def test_a_file_that_may_not_be_written(mortal):
    mortal.chmod(0o400)
    assert kinds(mortal) == []
    with refused(MachineError, "cannot-use-ledger", where=mortal), store.writing(mortal) as ledger:
        ledger.add(BODY)


def test_a_folder_that_may_not_be_written(mortal):
    mortal.parent.chmod(0o500)
    assert kinds(mortal) == []
    with refused(MachineError, "cannot-use-ledger", where=mortal), store.writing(mortal) as ledger:
        ledger.add(BODY)


def test_a_folder_that_may_not_be_read(mortal):
    mortal.parent.chmod(0)
    with pytest.raises((MachineError, PlanError)):
        store.read(mortal)


def test_a_full_disk(path):
    """SQLite's own limit of pages stands for it: writing fails in the same way."""
    real = store._connected

    def limited(*arguments):
        connection = real(*arguments)
        connection.execute("PRAGMA max_page_count = 1")
        return connection

    store._connected = limited
    try:
        with (
            refused(MachineError, "cannot-use-ledger", where=path) as refusal,
            store.writing(path) as ledger,
        ):
            ledger.add({"kind": "x" * 100_000})
        assert "full" in refusal.value.found
    finally:
        store._connected = real
    assert kinds(path) == []


# What was done to it


def with_entries(path, count=3):
    with store.writing(path) as ledger:
        for _ in range(count):
            ledger.add(BODY)


def test_entries_removed_at_the_end_are_missed(path):
    with_entries(path)
    tamper(path, "DELETE FROM entries WHERE number = 3")
    (fault,) = store.read(path).faults
    assert (fault.code, figures(str(fault))) == ("entries-lost", [3, 2])


def test_a_trigger_that_is_gone_or_another_table_is_found(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TRIGGER never_deleted")
    assert [fault.code for fault in store.read(path).faults] == ["other-tables"]


def test_a_trigger_that_allows_everything_is_found(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TRIGGER never_changed")
        connection.execute("CREATE TRIGGER never_changed BEFORE UPDATE ON entries BEGIN SELECT 1; END")
    assert [fault.code for fault in store.read(path).faults] == ["other-tables"]


@pytest.mark.parametrize("value", ["x'ff00'", "7", "''", "x''", "CAST(x'ff' AS TEXT)"])
@pytest.mark.parametrize("column", ["body", "digest"])
def test_what_is_no_text_is_read_and_repeated_nowhere(path, column, value):
    with_entries(path, 1)
    tamper(path, f"UPDATE entries SET {column} = {value}")  # noqa: S608
    (entry,) = store.read(path).entries
    assert isinstance(entry.text, str)
    assert isinstance(entry.digest, str)
    (fault,) = Ledger(path).check().faults
    assert (fault.code, fault.where) == ("entry-changed", "entry 1")


def test_bodies_are_read_back(path):
    with store.writing(path) as ledger:
        ledger.add({"kind": "é", "n": 1.5})
    assert [(body["kind"], body["n"]) for body in bodies(path)] == [("é", 1.5)]


def test_a_journal_cannot_have_another_file_deleted(path, tmp_path):
    """SQLite deletes the file that the end of a journal names, as one of several files of a transaction."""
    other, mark, name = tmp_path / "thesis.txt", bytes.fromhex("d9d505f920a163d7"), b"thesis.txt"
    other.write_text("years")
    pages = path.stat().st_size // 4096
    head = mark + struct.pack(">IIIII", 0, 1, pages, 512, 4096)
    end = struct.pack(">I", 0x40001) + name + struct.pack(">II", len(name), sum(name)) + mark
    path.with_name(f"{path.name}-journal").write_bytes(head.ljust(512, b"\0") + end)
    with refused(PlanError, "not-a-ledger", where=path):
        store.read(path)
    assert other.read_text() == "years"


def test_reading_in_another_thread_leaves_the_lock_of_a_writer(path):
    """Where one handle of a file is closed, POSIX takes all locks of the process from it."""
    write = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None).execute('BEGIN IMMEDIATE')"
    with store.writing(path):
        store.read(path)
        done = subprocess.run(
            [sys.executable, "-c", write, path], capture_output=True, text=True, check=False
        )
        assert "database is locked" in done.stderr  # not a sentence: SQLite says it
    assert subprocess.run([sys.executable, "-c", write, path], check=False).returncode == 0
