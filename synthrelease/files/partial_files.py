"""Files and folders under another name until they are whole: their names, their locks, and what sweeps them away.

A file or a folder is written next to its target under another name, `.<target>.<eight characters>.partial`, and gets the target's
when it is whole and on the disk. A process that is killed leaves it behind: it is swept away before the target is written
next. What another process writes is not swept away, because that holds a lock on it (flock), which ends with the process:

* Made, and not locked yet, or put aside without a lock, as an old sidecar (`move_together`): making, putting aside and sweeping lock the
  folder meanwhile.
* Moved while a sweep looks at it: it is locked, or it has lost the name that would be removed. A sweep asks for the lock first, and
  then whether the name is still that of the file it has locked.
* A copy of the lock in a forked process: it lives as long as that one does, and the file with it. Python closes it on exec.
* A file system without locks: nothing is swept. One whose locks other hosts do not see: a sweep on another host may take what
  is written; that build then fails, before it is paid for if its files were gone by then, and nothing is replaced.
* A folder that another process keeps locked, as any user may who can read it: after a while it is used as it is, but nothing is swept, and
  no build begins, since of two of one name both could be paid for. One that has begun ends: no other writes its files, which are locked. A sweep
  that gets the folder's lock meanwhile may take the old sidecar that was put aside, as a crash may: the old bundle alone stands if the new one fails.
* A file of another program: only names that we make, and ordinary files that we may write, are looked at.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from synthrelease.errors import MachineError
from synthrelease.files.locks import AVAILABLE, lock, open_folder, refuse_without_locks
from synthrelease.files.unwritable import PARTIAL, target_of, writing


@dataclass(frozen=True)
class Partial:
    """A file or a folder that is written under another name until it is whole."""

    path: Path  # where it is meanwhile: open it there, and make no new file if it is gone
    target: Path  # the name that it is for
    handle: int  # holds its lock

    @property
    def is_there(self) -> bool:
        """Whether it is still where it was made."""
        return is_named(self.handle, self.path)

    @property
    def has_its_name(self) -> bool:
        """Whether it is in its place."""
        return is_named(self.handle, self.target)


@contextmanager
def partials(*targets: Path, alone: bool = False, folder: bool = False) -> Iterator[list[Partial]]:
    """Give a new file next to each target, to be written and moved to it; what is left of them in the end is removed.

    What killed processes left of them is removed before. An error of the machine says afterwards whether anything was left: a folder
    that may not be written any more is one from which nothing can be removed.

    Args:
        targets: of one folder.
        alone: refuse if another process writes one of them, or keeps the folder locked, where the file system has locks.
        folder: give a new folder next to each, in place of a file.

    Raises:
        MachineError: they cannot be made, or another process writes one of them.
    """
    created: list[Partial] = []
    if not folder:
        refuse_without_locks(str(targets[0]))
    try:
        with alone_beside(targets[0]) as is_alone:
            if alone and not is_alone:
                _refuse_locked_folder(targets[0])
            for target in targets if is_alone else ():
                _sweep(target, alone=alone, folder=folder)
            for target in targets:
                created.append(make_partial(target, folder=folder))  # noqa: PERF401  if the next fails, this is removed
        yield created
    except MachineError as error:
        remaining = ", ".join(_remove_all(created))
        error.add_remedy(
            f"{remaining} could not be removed: the next build removes it"
            if remaining
            else "no partial file was left behind"
        )
        raise
    finally:
        _remove_all(created)
        for partial in created:
            os.close(partial.handle)  # which unlocks it


def sweep(target: Path) -> None:
    """Remove the partial files of a target that no process writes any more, as far as that can be known and done."""
    with suppress(OSError, MachineError), alone_beside(target) as is_alone:
        if is_alone:
            _sweep(target)


@contextmanager
def alone_beside(target: Path) -> Iterator[bool]:
    """Let no other process of ours move or sweep in the folder of a target meanwhile, where its file system has locks; it takes a moment.

    What it gives is whether none does: not if another process has kept the folder locked for long.
    """
    with writing(target):
        handle = open_folder(target.parent)
    is_alone = True
    try:
        try:
            lock(handle)
        except BlockingIOError:
            is_alone = False
        except OSError:  # a file system without locks
            pass
        yield is_alone
    finally:
        os.close(handle)


def make_partial(target: Path, *, folder: bool = False) -> Partial:
    """Make a partial file or folder, and lock it; the folder that it is in is locked."""
    begin, place = f".{target.name}.", target.parent
    with writing(target):
        if folder:
            name = tempfile.mkdtemp(PARTIAL, begin, place)
            handle = open_folder(Path(name))
        else:
            handle, name = tempfile.mkstemp(PARTIAL, begin, place)
        with suppress(OSError):  # a file system without locks
            lock(handle)
    return Partial(Path(name), target, handle)


def _remove_all(created: Sequence[Partial]) -> list[str]:
    """Remove partial files and folders that are not in their places, and return the names of those that are left."""
    remaining = []
    for partial in created:
        try:
            _remove(partial.path)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError:
            remaining.append(partial.path.name)
    return remaining


def _remove(path: Path) -> None:
    shutil.rmtree(path) if stat.S_ISDIR(path.lstat().st_mode) else path.unlink()


def _sweep(target: Path, *, alone: bool = False, folder: bool = False) -> None:
    """Remove what killed processes left of a target; the folder is locked. MachineError if another process writes it, and must not."""
    if not AVAILABLE:
        return
    written = False
    with writing(target):
        names = os.listdir(target.parent)  # noqa: PTH208  a folder may have very many
    begin = f".{target.name}."
    for path in (target.parent / name for name in names if name.startswith(begin)):
        if target_of(path.name) == target.name:
            try:
                _remove_if_left(path, folder=folder)
            except BlockingIOError:
                written = True
            except OSError:  # not ours, or a file system without locks
                pass
    if alone and written:
        raise MachineError(
            "being-written",
            "another build is writing this file",
            where=str(target),
            remedy="wait until it has ended, or choose another name",
        )


def _refuse_locked_folder(target: Path) -> NoReturn:
    raise MachineError(
        "being-written",
        "another process keeps the folder of this file locked, and may be writing it",
        where=str(target),
        remedy="wait until it has ended, or choose a folder that no one else may read",
    )


def _remove_if_left(path: Path, *, folder: bool) -> None:
    """Remove a partial file or folder unless a process holds its lock; OSError if one does, or if it is none of ours."""
    is_kind, access = (stat.S_ISDIR, os.O_RDONLY) if folder else (stat.S_ISREG, os.O_RDWR)
    if not is_kind(path.lstat().st_mode):
        return
    handle = os.open(path, access | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        lock(handle, wait=False)
        if is_named(handle, path):
            _remove(path)
    finally:
        os.close(handle)


def is_named(handle: int, path: Path) -> bool:
    """Whether a name is that of an open file."""
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except OSError:
        return False
