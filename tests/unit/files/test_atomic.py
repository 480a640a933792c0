"""Partial files: swept when no one writes them, and never while someone does."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from pathlib import Path

import pytest
from refusals import refused

from synthrelease.errors import MachineError
from synthrelease.files import atomic, locks, partial_files
from synthrelease.files.atomic import (
    move_into_place,
    move_together,
    refuse_unwritable,
    write_atomically,
    write_durably,
)
from synthrelease.files.partial_files import Partial, make_partial, partials, sweep
from synthrelease.files.unwritable import cannot_write


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "r.h5"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def left_by_a_killed_process(target: Path) -> Path:
    """A partial file whose lock ended with its process."""
    made = make_partial(target)
    os.close(made.handle)
    return made.path


def test_what_no_one_writes_is_swept_and_what_someone_writes_is_not(target: Path) -> None:
    stale = left_by_a_killed_process(target)
    with partials(target) as (live,):
        sweep(target)
        assert live.path.exists()
        assert not stale.exists()
        write_durably(live, b"whole")
        move_into_place(live, force=False)
        sweep(target)
    assert names(target.parent) == ["r.h5"]
    assert target.read_bytes() == b"whole"


def test_what_a_killed_process_left_is_removed_before_the_target_is_written_again(target: Path) -> None:
    stale, other = left_by_a_killed_process(target), left_by_a_killed_process(target.with_suffix(".txt"))
    write_atomically(target, b"whole", force=False)
    assert names(target.parent) == sorted([other.name, "r.h5"])
    assert not stale.exists()


@pytest.mark.parametrize("alone", [False, True])
def test_a_target_that_another_process_writes_is_refused_where_it_is_asked_for(
    target: Path, *, alone: bool
) -> None:
    with partials(target) as (first,):
        if alone:
            for targets in ((target,), (target.with_suffix(".json"), target)):
                with refused(MachineError, "being-written", where=target), partials(*targets, alone=True):
                    raise AssertionError
        else:
            with partials(target) as (second,):
                assert first.path != second.path
        assert first.path.exists()
    assert names(target.parent) == []


@pytest.mark.parametrize("force", [False, True])
def test_what_is_no_file_is_never_replaced(target: Path, *, force: bool) -> None:
    os.mkfifo(target)
    with refused(MachineError, "output-is-no-file", where=target):
        refuse_unwritable(target, {}, force=force)


def test_a_link_to_what_a_page_is_made_from_is_not_replaced(target: Path) -> None:
    target.symlink_to("data.csv")
    with refused(MachineError, "output-replaces-input", where=target):
        refuse_unwritable(target, {"the data": target.with_name("data.csv")}, force=True)


def test_names_and_things_that_are_not_ours_are_left_alone(target: Path, tmp_path: Path) -> None:
    others = [
        ".r.h5.short.partial",
        ".r.h5.NINELETTR.partial",
        ".r.h5.a2345678.part",
        "r.h5.a2345678.partial",
        ".s.h5.a2345678.partial",
        ".r.h5.manifest.a2345678.partial",
        ".r.a2345678.partial",
        ".r.h5.a2345678.partial~",
    ]
    for name in others:
        (tmp_path / name).touch()
    (tmp_path / "precious").touch()
    (tmp_path / ".r.h5.folder_1.partial").mkdir()
    (tmp_path / ".r.h5.linked_1.partial").symlink_to("precious")
    os.mkfifo(tmp_path / ".r.h5.fifo___1.partial")
    before = names(tmp_path)
    sweep(target)
    assert names(tmp_path) == before


def test_a_target_s_name_is_no_pattern(tmp_path: Path) -> None:
    target = tmp_path / "r[1]*.h5\nnew"
    stale, other = left_by_a_killed_process(target), left_by_a_killed_process(tmp_path / "r1x.h5\nnew")
    sweep(target)
    assert (stale.exists(), other.exists()) == (False, True)


@pytest.mark.parametrize("folder", [False, True])
def test_what_is_made_and_not_locked_yet_is_not_swept(
    target: Path, monkeypatch: pytest.MonkeyPatch, *, folder: bool
) -> None:
    """A sweep waits for the lock on the folder, and then for none: what it finds is locked."""
    real, tried = fcntl.flock, []

    def looking(handle: int, what: int) -> None:
        if names(target.parent) and not tried:
            other = os.open(target.parent, os.O_RDONLY)
            with pytest.raises(BlockingIOError):
                real(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.close(other)
            tried.append(handle)
        real(handle, what)

    monkeypatch.setattr(fcntl, "flock", looking)
    if folder:
        with partials(target, folder=True) as (live,):
            assert live.path.is_dir()
    else:
        with partials(target) as (live,):
            sweep(target)
            assert live.path.exists()
    assert len(tried) == 1


def test_nothing_is_swept_in_a_folder_that_another_process_keeps_locked(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may just make what is there, and not have locked it yet; written is all the same."""
    monkeypatch.setattr(locks, "_LONGEST_WAIT_S", 0.05)
    made = left_by_a_killed_process(target)
    handle = os.open(target.parent, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        sweep(target)
        write_atomically(target, b"whole", force=False)
    finally:
        os.close(handle)
    assert names(target.parent) == [made.name, "r.h5"]


def test_a_file_that_is_moved_while_a_sweep_looks_at_it_keeps_its_name(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sweep has it open, its writer moves it and ends, and then the sweep gets the lock; another has the old name."""
    stale, real = left_by_a_killed_process(target), fcntl.flock

    def late(handle: int, what: int) -> None:
        if not target.exists() and not stat.S_ISDIR(os.fstat(handle).st_mode):
            stale.replace(target)
            stale.write_bytes(b"another")
        real(handle, what)

    monkeypatch.setattr(fcntl, "flock", late)
    sweep(target)
    assert target.exists()
    assert stale.read_bytes() == b"another"


def test_without_locks_all_is_written_and_nothing_swept(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stale = left_by_a_killed_process(target)

    def unknown(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "not supported")

    monkeypatch.setattr(fcntl, "flock", unknown)
    sweep(target)
    write_atomically(target, b"whole", force=False)
    assert names(target.parent) == [stale.name, "r.h5"]


def test_two_files_are_moved_and_partial_ones_swept_by_one_at_a_time(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else of two builds by force one's sidecar could come to stand beside the other's bundle."""
    real, locked = atomic.move_into_place, []

    def looking(beside: Partial, *, force: bool, mode: int) -> None:
        other = os.open(target.parent, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(other)
        locked.append(beside.target.name)
        real(beside, force=force, mode=mode)

    monkeypatch.setattr(atomic, "move_into_place", looking)
    with partials(target, target.with_suffix(".json")) as files:
        move_together(files, force=False)
    assert locked == ["r.h5", "r.json"]
    looked = []
    monkeypatch.setattr(
        partial_files, "_remove_if_left", lambda path, **_: looked.append(path) or looked_while_locked()
    )

    def looked_while_locked() -> None:
        other = os.open(target.parent, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(other)

    left_by_a_killed_process(target)
    sweep(target)
    assert len(looked) == 1


def test_a_file_in_its_place_is_not_locked_any_more(target: Path) -> None:
    """Readers of HDF5 files lock them."""
    with partials(target) as (beside,):
        move_into_place(beside, force=True)
        with target.open("rb") as reader:
            fcntl.flock(reader, fcntl.LOCK_SH | fcntl.LOCK_NB)


def test_an_old_second_file_is_back_if_the_first_cannot_be_replaced(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the old first one is immutable. A link is back as a link."""
    second = target.with_suffix(".json")
    target.write_bytes(b"old")
    (target.parent / "elsewhere").write_bytes(b"old text")
    second.symlink_to("elsewhere")
    real = Path.replace

    def refuse(path: Path, other: Path) -> Path:
        if other == target:
            raise PermissionError(errno.EPERM, "Operation not permitted")
        return real(path, other)

    monkeypatch.setattr(Path, "replace", refuse)
    with refused(MachineError, "cannot-write", where=target), partials(target, second) as files:
        move_together(files, force=True)
    assert names(target.parent) == ["elsewhere", "r.h5", "r.json"]
    assert second.readlink() == Path("elsewhere")
    assert target.read_bytes() == b"old"


def test_nothing_that_came_meanwhile_is_replaced_by_an_old_file_put_back(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = target.with_suffix(".json")
    second.write_bytes(b"old")

    def refuse(beside: Partial, **_: bool) -> None:
        second.write_bytes(b"new")
        raise cannot_write(beside.target, OSError(errno.EIO, "broken"))

    monkeypatch.setattr(atomic, "move_into_place", refuse)
    with pytest.raises(MachineError), partials(target, second) as files:
        move_together(files, force=True)
    assert (names(target.parent), second.read_bytes()) == (["r.json"], b"new")


@pytest.mark.parametrize(
    ("there", "code"),
    [("file", "file-exists"), ("broken-link", "file-exists"), ("folder", "output-is-folder")],
)
def test_without_force_nothing_is_replaced_with_or_without_hard_links(
    target: Path, there: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make() -> None:
        if there == "file":
            target.write_bytes(b"mine")
        elif there == "folder":
            target.mkdir()
        else:
            target.symlink_to("nowhere")

    make()
    before = target.lstat()
    for _ in range(2):
        with refused(MachineError, code, where=target):
            write_atomically(target, b"other", force=False)
        assert target.lstat().st_ino == before.st_ino
        assert names(target.parent) == ["r.h5"]

        def none(*_: object) -> None:
            raise PermissionError(errno.EPERM, "Operation not permitted")

        monkeypatch.setattr(os, "link", none)
    if there == "file":
        target.unlink()
        write_atomically(target, b"other", force=False)
        assert target.read_bytes() == b"other"


def test_an_error_names_the_target_and_not_the_partial_file(tmp_path: Path) -> None:
    error = cannot_write(tmp_path / ".r.h5.a2345678.partial", OSError(errno.ENOSPC, "full"))
    assert error.where == str(tmp_path / "r.h5")
    other = cannot_write(tmp_path / "r.h5", OSError("odd"))
    assert error.code == other.code == "cannot-write"
    assert error.found == os.strerror(errno.ENOSPC)
    assert other.found
    assert other.remedy not in ("", error.remedy)


def test_a_folder_that_cannot_be_asked_to_the_disk_is_none_in_the_way(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync

    def sync(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(number, "no")
        real(handle)

    monkeypatch.setattr(os, "fsync", sync)
    number = errno.EINVAL
    write_atomically(target, b"whole", force=False)
    number = errno.EIO
    with refused(MachineError, "cannot-write"):
        write_atomically(target, b"whole", force=True)


def test_a_written_file_has_the_mode_that_others_have(target: Path) -> None:
    before = os.umask(0o027)
    try:
        with partials(target) as (beside,):
            assert stat.S_IMODE(beside.path.stat().st_mode) == 0o600
            move_into_place(beside, force=False)
    finally:
        os.umask(before)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_private_file_is_read_by_its_owner_alone_from_the_start(target: Path) -> None:
    write_atomically(target, b"older", force=False)
    before = os.umask(0o022)
    try:
        write_atomically(target, b"private", force=True, mode=0o600)
    finally:
        os.umask(before)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert target.read_bytes() == b"private"


def test_a_sweep_of_a_folder_without_a_name_takes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data.csv").touch()
    monkeypatch.chdir(tmp_path)
    sweep(Path())
    assert (tmp_path / "data.csv").exists()
