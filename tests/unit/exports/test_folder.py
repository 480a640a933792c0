"""Folders that are whole or not there: nothing half, nothing of anyone else's replaced."""

import errno
import fcntl
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from goldens import check_text
from refusals import refused

from synthrelease.errors import MachineError
from synthrelease.exports import folder as module
from synthrelease.exports.folder import LIST, atomic_folder, files_in, refuse_target
from synthrelease.files import partial_files


@pytest.fixture
def target(tmp_path):
    return tmp_path / "out"


def write(target, *, force=False, **texts):
    with atomic_folder(target, force=force) as folder:
        for name, text in (texts or {"a": "one"}).items():
            (folder / name).write_text(text)


def names_in(folder):
    return [path.name for path in folder.iterdir()]


def there(folder):
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files_in(folder)}


def test_a_folder_is_made_with_its_parents(tmp_path):
    write(tmp_path / "x" / "y" / "out", a="one", b="two")
    assert there(tmp_path / "x" / "y" / "out") == {"a": "one", "b": "two"}
    assert names_in(tmp_path / "x" / "y") == ["out"]


def test_an_empty_folder_is_taken(target):
    target.mkdir()
    write(target)
    assert there(target) == {"a": "one"}


def test_a_folder_has_the_rights_of_others(target):
    old = os.umask(0o027)
    try:
        write(target)
    finally:
        os.umask(old)
    assert target.stat().st_mode & 0o777 == 0o750


def test_an_export_is_replaced_only_with_force(target):
    write(target, a="one", b="two")
    with refused(MachineError, "export-exists", where=target) as error:
        write(target, a="three")
    assert "force=True" in error.value.remedy
    assert there(target) == {"a": "one", "b": "two"}
    write(target, force=True, a="three")
    assert there(target) == {"a": "three"}
    assert names_in(target.parent) == ["out"]


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(
    "what",
    ["added", "changed", "below", "link", "no list", "bad list", "other list", "no files", "deep list"],
)
def test_what_no_export_wrote_is_never_replaced(target, what, force):
    write(target)
    match what:
        case "added":
            (target / "mine").write_text("precious")
        case "changed":
            (target / "a").write_text("my notes")
        case "below":
            (target / "deep").mkdir()
            (target / "deep" / "mine").write_text("precious")
        case "link":
            (target / "a").unlink()
            (target / "a").symlink_to("/dev/null")
        case "no list":
            (target / LIST).unlink()
        case "bad list":
            (target / LIST).write_text("{")
        case "other list":
            (target / LIST).write_text("[1]")
        case "no files":
            (target / LIST).write_text("{}")
        case "deep list":
            (target / LIST).write_text("[" * 100_000)
    before = sorted(path.name for path in target.rglob("*"))
    with refused(MachineError, "foreign-files", where=target):
        write(target, force=force, b="new")
    assert sorted(path.name for path in target.rglob("*")) == before


def test_a_file_and_the_folder_that_one_is_in_are_refused(target, monkeypatch):
    target.write_text("precious")
    with refused(MachineError, "output-is-file", where=target):
        write(target, force=True)
    assert target.read_text() == "precious"
    (target.parent / "here").mkdir()
    monkeypatch.chdir(target.parent / "here")
    with refused(MachineError, "output-is-working-folder", where=target.parent / "here"):
        write(Path())


def test_a_link_to_a_folder_stays_one(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert there(tmp_path / "real") == {"a": "one"}


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, OSError(errno.ENOSPC, "full")])
@pytest.mark.parametrize("force", [False, True])
def test_nothing_is_left_of_a_folder_that_was_not_finished(target, error, force):
    if force:
        write(target)

    def fail():
        with atomic_folder(target, force=force) as folder:
            (folder / "half").write_text("half")
            raise error

    with pytest.raises((RuntimeError, KeyboardInterrupt, MachineError)) as told:
        fail()
    if isinstance(error, OSError):
        assert (told.value.code, told.value.where) == ("cannot-write", str(target))
        assert told.value.found == os.strerror(errno.ENOSPC)
        check_text("exports/disk-full", told.value.remedy)
    assert names_in(target.parent) == (["out"] if force else [])
    assert not force or there(target) == {"a": "one"}


def test_errors_name_the_folder_that_was_asked_for(target):
    with pytest.raises(MachineError) as told, atomic_folder(target, force=False) as folder:
        raise MachineError("cannot-write", "the pictures cannot be written", where=str(folder))
    assert told.value.where == str(target)


def test_a_folder_that_cannot_be_looked_at_is_told(target, monkeypatch):
    target.mkdir()
    monkeypatch.setattr(
        module.Path, "iterdir", lambda _: (_ for _ in ()).throw(PermissionError(errno.EACCES, "no"))
    )
    with refused(MachineError, "cannot-write", where=target) as told:
        refuse_target(target, force=False)
    assert told.value.found == os.strerror(errno.EACCES)


def test_who_was_killed_leaves_nothing_for_long(target):
    script = (
        "import os, signal, sys; from pathlib import Path\n"
        "from synthrelease.exports.folder import atomic_folder\n"
        "with atomic_folder(Path(sys.argv[1]), force=False) as folder:\n"
        "    (folder / 'half').write_text('half'); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(target)], check=False)
    assert not target.exists()
    (left,) = target.parent.iterdir()
    assert left.name.startswith(".out.")
    write(target)
    assert names_in(target.parent) == ["out"]


def test_what_someone_is_writing_is_left_alone(target):
    other = target.parent / ".out.12345678.partial"
    other.mkdir()
    handle = os.open(other, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    write(target)
    assert other.exists()
    os.close(handle)
    write(target, force=True)
    assert not other.exists()


@pytest.mark.parametrize("moved", [".out.12345678.old", None])
def test_an_export_waits_while_another_replaces_the_folder(target, moved):
    """Whatever moves holds a lock on the parent: nothing that it has put aside is taken for what a killed export left."""
    write(target)
    handle = os.open(target.parent, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    if moved is not None:
        target.rename(target.parent / moved)
    other = threading.Thread(target=write, args=(target,), kwargs={"force": True, "a": "two"})
    other.start()
    other.join(0.2)
    assert other.is_alive()
    assert names_in(target.parent) == [moved or "out"]
    if moved is not None:
        (target.parent / moved).rename(target)
    os.close(handle)
    other.join()
    assert there(target) == {"a": "two"}
    assert names_in(target.parent) == ["out"]


def test_a_look_at_a_folder_waits_while_an_export_is_moved_there(target):
    """Else it could see the list of one export and the files of another, and take them for foreign."""
    write(target)
    handle = os.open(target.parent, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    look = threading.Thread(target=refuse_target, args=(target,), kwargs={"force": True})
    look.start()
    look.join(0.2)
    assert look.is_alive()
    os.close(handle)
    look.join()


def test_of_many_exports_to_one_folder_each_leaves_a_whole_one(target):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: write(target, force=True, a=str(n), b=str(n)), range(40)))
    assert names_in(target.parent) == ["out"]
    assert len(set(there(target).values())) == 1


def test_without_locks_an_export_is_replaced_and_nothing_swept(target, monkeypatch):
    def unknown(*_):
        raise OSError(errno.ENOTSUP, "not supported")

    (target.parent / ".out.12345678.partial").mkdir()
    monkeypatch.setattr(fcntl, "flock", unknown)
    write(target)
    write(target, force=True, a="two")
    assert there(target) == {"a": "two"}
    assert sorted(names_in(target.parent)) == [".out.12345678.partial", "out"]


@pytest.mark.parametrize("name", ["out.12345678.partial", ".out.1234567.partial", ".other.12345678.partial"])
def test_folders_of_other_names_are_left_alone(target, name):
    (target.parent / name).mkdir()
    write(target)
    assert (target.parent / name).exists()


def test_what_was_put_aside_when_the_machine_stopped_comes_back(target):
    write(target)
    target.rename(target.parent / ".out.12345678.old")
    with refused(MachineError, "export-exists", where=target):
        write(target)
    assert there(target) == {"a": "one"}


def test_what_was_put_aside_and_replaced_is_removed(target):
    write(target)
    write(target.parent / "older")
    (target.parent / "older").rename(target.parent / ".out.12345678.old")
    write(target, force=True, a="new")
    assert names_in(target.parent) == ["out"]
    (target.parent / ".out.12345678.old").mkdir()
    (target.parent / ".out.12345678.old" / "mine").write_text("precious")
    write(target, force=True)
    assert (target.parent / ".out.12345678.old" / "mine").exists()


def test_the_older_export_comes_back_if_the_new_one_cannot_have_its_name(target, monkeypatch):
    write(target)
    rename = Path.rename

    def failing(self, other):
        if self.name.endswith(".partial"):
            raise OSError(5, "Input/output error")
        return rename(self, other)

    monkeypatch.setattr(module.Path, "rename", failing)
    with pytest.raises(MachineError):
        write(target, force=True, a="new")
    monkeypatch.undo()
    assert there(target) == {"a": "one"}
    assert names_in(target.parent) == ["out"]


def test_what_came_meanwhile_is_not_replaced(target):
    with pytest.raises(MachineError), atomic_folder(target, force=False) as folder:  # noqa: PT012
        (folder / "a").write_text("one")
        target.mkdir()
        (target / "mine").write_text("precious")
    assert there(target) == {"mine": "precious"}


def test_what_cannot_be_removed_is_named_and_removed_by_the_next_export(target, monkeypatch):
    def forbidden(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(partial_files.shutil, "rmtree", forbidden)
    with refused(MachineError, "cannot-write", where=target) as error, atomic_folder(target, force=False):
        raise OSError(errno.EACCES, "Permission denied")
    (left,) = names_in(target.parent)
    assert left in error.value.remedy
    monkeypatch.undo()
    write(target)
    assert names_in(target.parent) == ["out"]


def test_refusals_come_before_any_work(target):
    refuse_target(target, force=False)
    write(target)
    with pytest.raises(MachineError):
        refuse_target(target, force=False)
    refuse_target(target, force=True)
