"""A folder that is whole or not there, and takes the place of nothing but what an export wrote.

It is written beside its target as `.<target>.<eight characters>.partial`, and gets the target's name when everything in it is on
the disk. Whoever writes it holds a lock on it, which ends with the process: the next export to the same target removes what
nobody holds. Where an older export is replaced, that one is put aside as `….old` for a moment; if the machine stops just
then, the next export puts it back first.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from synthrelease.durable import sync_folder
from synthrelease.errors import Argument, MachineError, Remedy
from synthrelease.unwritable import cannot_write

LIST = ".synthrelease-export.json"  # what an export wrote, by path, with SHA-256
_PARTIAL, _OLD = ".partial", ".old"
_FOR_ALL = 0o777


@contextmanager
def whole_folder(target: Path, *, force: bool) -> Iterator[Path]:
    """Give an empty folder that becomes `target` in the end, or is removed if that is not reached.

    Args:
        target: new or empty; its parents are made.
        force: replace what an export wrote there, and nobody changed since.

    Raises:
        MachineError: the target holds something else, or the disk, the folder or a permission is in the way.
    """
    target = Path(os.path.realpath(target))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target)
        refuse_target(target, force=force)
        partial, handle = _made(target)
    except OSError as error:
        raise cannot_write(target, error) from None
    try:
        yield partial
        _list(partial)
        _sync(partial)
        partial.chmod(_FOR_ALL & ~_umask())
        refuse_target(target, force=force)  # again: writing took its time
        _move(partial, target)
    except OSError as error:
        raise _cannot_write(target, error) from None
    except MachineError as error:
        error.where = error.where.replace(str(partial), str(target))  # which is where a person looks
        raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        os.close(handle)


def refuse_target(target: Path, *, force: bool) -> None:
    """Refuse to write a folder in the place of what is not an export's.

    Raises:
        MachineError: there is a file, the folder that the program runs in, or a folder that is not empty; with `force`, one that
            holds anything but what an export wrote.
    """
    try:
        _refuse_taken(target, force=force)
    except OSError as error:
        raise cannot_write(target, error) from None


def _refuse_taken(target: Path, *, force: bool) -> None:
    if not os.path.lexists(target):
        return
    if not target.is_dir():
        raise MachineError(
            "output-is-file",
            "the output is a file",
            where=str(target),
            expected="the name of a folder",
            remedy="choose the name of a folder",
        )
    if target.samefile(Path.cwd()):
        raise MachineError(
            "output-is-working-folder",
            "this is the folder that you are in",
            where=str(target),
            remedy="choose the name of another one",
        )
    if not any(target.iterdir()):
        return
    other = _not_exported(target)
    if other is not None:
        raise MachineError(
            "foreign-files",
            "the folder holds what no export wrote",
            where=str(target),
            found=other,
            remedy="choose a new or empty folder, or take that away",
        )
    if not force:
        raise MachineError(
            "export-exists",
            "the folder holds an export already",
            where=str(target),
            remedy=Remedy("choose another one, or replace it: ", Argument("force", True)),
        )


def files_in(folder: Path) -> list[Path]:
    """Return all files below a folder but its list, in the order of their paths."""
    found = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted(path for path in found if path != folder / LIST)


def _not_exported(target: Path) -> str | None:
    """The first file that no export wrote, or that was changed since; None if there is none."""
    try:
        listed = json.loads((target / LIST).read_bytes())["files"]
        for path in files_in(target):
            name = path.relative_to(target).as_posix()
            if path.is_symlink() or not path.is_file() or listed.get(name) != _digest(path):
                return name
    except FileNotFoundError:
        return "no list of what an export wrote"
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return "files that cannot be read, or a list that cannot"
    return None


def _list(folder: Path) -> None:
    listed = {path.relative_to(folder).as_posix(): _digest(path) for path in files_in(folder)}
    text = json.dumps({"files": listed}, indent=2, ensure_ascii=False, sort_keys=True)
    (folder / LIST).write_text(text + "\n", encoding="utf-8")


def _sync(folder: Path) -> None:
    for path in [*files_in(folder), folder / LIST]:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    for path in [folder, *(one for one in folder.rglob("*") if one.is_dir())]:
        sync_folder(path)


def _move(partial: Path, target: Path) -> None:
    """Give a whole folder its name: at once where there is nothing or an empty folder, in two steps where an export is."""
    if not (target.is_dir() and any(target.iterdir())):
        partial.rename(target)  # an empty folder gives way
        sync_folder(target.parent)
        return
    old = partial.with_name(partial.name.removesuffix(_PARTIAL) + _OLD)
    with _locked(target):
        target.rename(old)
        try:
            partial.rename(target)
        except BaseException:
            old.rename(target)
            raise
        sync_folder(target.parent)
        shutil.rmtree(old, ignore_errors=True)


def _made(target: Path) -> tuple[Path, int]:
    while True:
        path = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=_PARTIAL, dir=target.parent))
        handle = os.open(path, os.O_RDONLY)
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        if path.is_dir() and os.path.samestat(os.fstat(handle), path.stat()):
            return path, handle
        os.close(handle)  # somebody swept it away before it was locked


def _sweep(target: Path) -> None:
    """Remove what exports to a target left that were killed, and put back what they had put aside."""
    ours = re.compile(rf"\.{re.escape(target.name)}\.[a-z0-9_]{{8}}(\{_PARTIAL}|\{_OLD})")
    for path in target.parent.iterdir():
        found = ours.fullmatch(path.name)
        if found is None or path.is_symlink() or not path.is_dir():
            continue
        with suppress(OSError), _locked(path):
            if found[1] == _OLD and not os.path.lexists(target):
                path.rename(target)
            elif found[1] == _PARTIAL or _not_exported(path) is None:
                shutil.rmtree(path, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; OSError if somebody else does."""
    handle = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def _cannot_write(target: Path, error: OSError) -> MachineError:
    if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
        return MachineError(
            "folder-changed",
            "somebody else wrote into the folder meanwhile",
            where=str(target),
            remedy="choose another one",
        )
    if error.errno == errno.EWOULDBLOCK:
        return MachineError(
            "folder-locked",
            "another export to this folder is going on",
            where=str(target),
            remedy="wait until it ends, or choose another one",
        )
    return cannot_write(target, error)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
