"""The private folder of a command: one, for its owner alone, shared with workers, and gone when the command ends."""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from synthrelease.errors import MachineError
from synthrelease.files import locks, partial_files
from synthrelease.files.scratch import scratch, scratch_folder
from synthrelease.parallel import Call, run_calls


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A temporary folder in which nothing may be left."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield tmp_path
    assert list(tmp_path.iterdir()) == []


def made_folder() -> Path:
    folder = scratch_folder()
    assert folder is not None
    return folder


def test_there_is_one_folder_for_its_owner_alone_and_none_outside_of_commands(temporary: Path) -> None:
    assert scratch_folder() is None
    with scratch():
        assert list(temporary.iterdir()) == []  # made when it is asked for
        folder = made_folder()
        assert folder.parent.parent == temporary
        assert [stat.S_IMODE(one.stat().st_mode) for one in (folder, folder.parent)] == [0o700] * 2
        with scratch():
            assert scratch_folder() == folder
        (folder / "private").write_text("7")
        assert scratch_folder() == folder
    assert not folder.exists()
    assert scratch_folder() is None


@pytest.mark.parametrize(
    "error", [ValueError, KeyboardInterrupt, SystemExit, MachineError("cannot-read", "no")]
)
def test_it_is_gone_however_the_command_ends_and_errors_stay_as_they_are(
    error: type[BaseException] | MachineError,
) -> None:
    @scratch()
    def ended() -> None:
        (made_folder() / "private").write_text("7")
        raise error

    with pytest.raises(error if isinstance(error, type) else MachineError) as caught:
        ended()
    assert getattr(caught.value, "remedy", "") == ""


def test_what_a_killed_command_has_left_is_swept_away() -> None:
    with scratch():
        left = made_folder()
    left.mkdir(parents=True)
    (left / "private").write_text("7")
    with scratch():
        made_folder()
        assert not left.exists()


def test_without_room_there_is_none(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(temporary / "missing"))
    with scratch():
        assert scratch_folder() is None


def test_no_lock_of_another_user_is_waited_for(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not of the common folder at all; of one that others may read, not for ever."""
    monkeypatch.setattr(locks, "_LONGEST_WAIT_S", 0.05)
    asked = []
    monkeypatch.setattr(
        partial_files, "open_folder", lambda path: asked.append(path) or locks.open_folder(path)
    )
    handle = os.open(temporary, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with scratch():
            folder = made_folder()
        assert temporary not in asked
        with partial_files.partials(temporary / "bundle.h5") as (file,):
            assert file.path.is_file()
        assert temporary in asked
    finally:
        os.close(handle)
    assert not folder.exists()


@pytest.mark.parametrize("squatted", ["file", "link", "foreign"])
def test_a_folder_that_is_not_ours_is_not_used(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, squatted: str
) -> None:
    user, elsewhere = os.getuid() + (squatted == "foreign"), temporary / "elsewhere"
    place = temporary / f"synthrelease-{user}"
    elsewhere.mkdir()
    match squatted:
        case "file":
            place.write_text("")
        case "link":
            place.symlink_to(elsewhere)
        case _:
            place.mkdir()
            monkeypatch.setattr(os, "getuid", lambda: user)
    with scratch():
        assert scratch_folder() is None
        assert list(elsewhere.iterdir()) == []
    elsewhere.rmdir()
    place.rmdir() if squatted == "foreign" else place.unlink()


def test_workers_have_it_too_and_leave_it() -> None:
    with scratch():
        folder = made_folder()
        assert run_calls("asking", [Call(scratch_folder)] * 2, 2) == [folder] * 2
        assert folder.exists()
