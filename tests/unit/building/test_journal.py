"""The journal of a batch: one batch at a time, on the disk before it is believed, torn by a crash and still read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from refusals import refused

from synthrelease.building.journal import DONE, MOVING, NAME, Journal, JournalEntry
from synthrelease.errors import MachineError

FIRST, SECOND = JournalEntry("a.h5", "p", "1", MOVING, "m"), JournalEntry("b.h5", "q", "2", DONE, "m")


def test_what_is_added_is_there_for_the_next(tmp_path: Path) -> None:
    with Journal(tmp_path / "new" / "folder") as journal:
        assert journal.entries == {}
        journal.add(FIRST)
        journal.add(SECOND)
        journal.add(JournalEntry("a.h5", "p", "1", DONE, "m"))
        assert journal.entries["a.h5"].state == DONE
    with Journal(tmp_path / "new" / "folder") as journal:
        assert journal.entries == {"a.h5": JournalEntry("a.h5", "p", "1", DONE, "m"), "b.h5": SECOND}
    assert stat.S_IMODE((tmp_path / "new" / "folder" / NAME).stat().st_mode) == 0o600


def test_what_is_added_is_on_the_disk_before_anything_else_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal(tmp_path) as journal:
        synced: list[bytes] = []
        monkeypatch.setattr(os, "fsync", lambda _: synced.append(journal.path.read_bytes()))
        journal.add(JournalEntry("a.h5", "plan", "checksum", MOVING, "m"))
        assert [b"a.h5" in content for content in synced] == [True]


def test_two_batches_in_one_folder_are_one_too_many(tmp_path: Path) -> None:
    with Journal(tmp_path), refused(MachineError, "folder-locked", where=tmp_path):
        Journal(tmp_path)
    with Journal(tmp_path):
        pass


def test_a_line_that_a_crash_has_torn_did_not_happen(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        journal.add(FIRST)
        journal.add(SECOND)
    whole = (tmp_path / NAME).read_bytes()
    first = whole.index(b"\n") + 1
    for length in range(len(whole) + 1):
        (tmp_path / NAME).write_bytes(whole[:length])
        with Journal(tmp_path) as journal:
            expected = [FIRST] * (length >= first) + [SECOND] * (length == len(whole))
            assert list(journal.entries.values()) == expected
            journal.add(JournalEntry("c.h5", "r", "3", DONE, "m"))
        with Journal(tmp_path) as journal:
            assert list(journal.entries) == [*(entry.bundle for entry in expected), "c.h5"]


@pytest.mark.parametrize(
    "line", ["{}", "[]", "nonsense", '{"bundle": "a", "plan": "p", "checksum": "m", "state": "odd"}']
)
def test_a_journal_that_is_none_is_left_alone(tmp_path: Path, line: str) -> None:
    (tmp_path / NAME).write_text(line + "\n")
    with refused(MachineError, "damaged-journal", where=tmp_path / NAME):
        Journal(tmp_path)
    assert (tmp_path / NAME).read_text() == line + "\n"


@pytest.mark.parametrize(
    ("put_there", "code"),
    [(os.mkfifo, "damaged-journal"), (lambda path: path.symlink_to("other"), "cannot-write")],
    ids=["pipe", "link"],
)
def test_what_is_no_file_of_the_folder_is_refused_at_once(
    tmp_path: Path, put_there: Callable[[Path], object], code: str
) -> None:
    (tmp_path / "other").write_text("kept")
    put_there(tmp_path / NAME)
    with refused(MachineError, code, where=tmp_path / NAME):
        Journal(tmp_path)
    assert (tmp_path / "other").read_text() == "kept"


def test_a_folder_that_cannot_be_one(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with refused(MachineError, "cannot-write", where=tmp_path / "file"):
        Journal(tmp_path / "file")
