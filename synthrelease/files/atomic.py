"""Files and folders that are whole or not there, whatever happens to the disk, the process or the power.

A file or a folder is written beside its target under another name, `.<target>.<eight characters>.partial`, and gets the target's
when it is whole and on the disk. A process that is killed leaves it behind: it is swept away before the target is written
next. What another process writes is not swept away, because that holds a lock on it (flock), which ends with the process:

* Made, and not locked yet, or put aside without a lock, as an old sidecar (`move_together`): making, putting aside and sweeping lock the
  folder meanwhile.
* Moved while a sweep looks at it: it is locked, or it has lost the name that would be removed. A sweep asks for the lock first, and
  then whether the name is still that of the file it has locked.
* A copy of the lock in a forked process: it lives as long as that one does, and the file with it. Python closes it on exec.
* A file system without locks: nothing is swept. One whose locks other hosts do not see: a sweep on another host may take what
  is written; that build then fails, and nothing is replaced.
* A file of another program: only names that we make, and ordinary files that we may write, are looked at.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from synthrelease.errors import MachineError
from synthrelease.files.unwritable import (
    PARTIAL,
    REPLACE,
    cannot_write,
    refuse_replacing,
    refuse_taken,
    target_of,
    writing,
)

FOR_ALL = 0o666
OWNER_ALONE = 0o600
_CANNOT = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)  # of a file system that has no such call


@dataclass(frozen=True)
class Partial:
    """A file or a folder that is written under another name until it is whole."""

    path: Path  # where it is meanwhile: open it there, and make no new file if it is gone
    target: Path  # the name that it is for
    handle: int  # holds its lock

    @property
    def has_its_name(self) -> bool:
        """Whether it is in its place."""
        return _is(self.handle, self.target)


def write_atomically(path: Path, content: bytes, *, force: bool, mode: int = FOR_ALL) -> None:
    """Write a file so that a reader sees the whole of it or nothing, and a crash leaves the old one.

    Args:
        path: the target.
        content: all of it.
        force: replace what is there.
        mode: who may read and write it, less what the umask takes; until it has its name, its owner alone.

    Raises:
        MachineError: the target exists and `force` is not set, or the disk, the folder or a permission is in the way.
    """
    with partials(path) as (beside,):
        write_durably(beside, content)
        move_into_place(beside, force=force, mode=mode)


@contextmanager
def partials(*targets: Path, alone: bool = False, folder: bool = False) -> Iterator[list[Partial]]:
    """Give a new file beside each target, to be written and moved to it; what is left of them in the end is removed.

    What killed processes left of them is removed before. An error of the machine says afterwards whether anything was left: a folder
    that may not be written any more is one from which nothing can be removed.

    Args:
        targets: of one folder.
        alone: refuse if another process writes one of them, where the file system has locks.
        folder: give a new folder beside each, in place of a file.

    Raises:
        MachineError: they cannot be made, or another process writes one of them.
    """
    made: list[Partial] = []
    try:
        with alone_beside(targets[0]):
            for target in targets:
                _sweep(target, alone=alone, folder=folder)
            for target in targets:
                made.append(_made(target, folder=folder))  # noqa: PERF401  if the next fails, this is removed
        yield made
    except MachineError as error:
        left = ", ".join(_removed(made))
        error.add_remedy(
            f"{left} could not be removed: the next attempt does" if left else "nothing was left behind"
        )
        raise
    finally:
        _removed(made)
        for one in made:
            os.close(one.handle)  # which unlocks it


def allocate(beside: Partial, size: int) -> None:
    """Take room on the disk for a partial file, where the file system can: it keeps it until it is written.

    Args:
        beside: the file, empty.
        size: in bytes.

    Raises:
        MachineError: there is not so much.
    """
    try:
        take_room(beside.handle, 0, size)
    except OSError as error:
        refusal = cannot_write(beside.target, error)
        refusal.expected = f"room for {size / 1e6:.2f} MB, which it can take at most"
        raise refusal from None


def take_room(handle: int, start: int, size: int) -> None:
    """Take room for an open file, where the file system can; OSError if there is none."""
    try:
        os.posix_fallocate(handle, start, size)
    except OSError as error:
        if error.errno not in _CANNOT:
            raise


def write_durably(beside: Partial, content: bytes) -> None:
    """Write a partial file, and come back once the disk has it.

    Raises:
        MachineError: the disk, the folder or a permission is in the way.
    """
    with writing(beside.target), beside.path.open("r+b", buffering=0) as file:
        left = memoryview(content)
        while left:
            left = left[file.write(left) :]
        os.fsync(file.fileno())


def move_together(files: list[Partial], *, force: bool, mode: int = FOR_ALL) -> None:
    """Give two complete files of one folder their names, of which the second says what the first is: never of another.

    Whatever the second replaces is put aside before, and back if the first does not get its name. So a crash leaves both
    old ones, the old first alone, the new first alone, or both new ones; but no old one beside a new one, and nothing
    that was not asked for is replaced.

    Args:
        files: both, as `partials` gave them; what is put aside joins them, to be removed in the end.
        force: replace what is there.
        mode: of both, as for `write_atomically`.

    Raises:
        MachineError: as `move_into_place`. The first may have its name: `has_its_name`.
    """
    first, second = files
    with alone_beside(first.target):
        if not force:
            for file in (first, second):
                refuse_taken(file.target)
        aside = _made(second.target) if os.path.lexists(second.target) else None
        if aside is not None:
            files.append(aside)
        try:
            if aside is not None:
                _rename(aside.target, aside.path)
            move_into_place(first, force=force, mode=mode)
        except BaseException:
            if aside is not None and not first.has_its_name:
                _put_back(aside)
            raise
        move_into_place(second, force=force, mode=mode)


def move_into_place(beside: Partial, *, force: bool, mode: int | None = FOR_ALL) -> None:
    """Give a complete file its name, at once and durably; `mode` as for `write_atomically`, None leaves it as it is.

    A symbolic link of that name is a file of that name: it is replaced where `force` allows it, and never followed.

    Raises:
        MachineError: there is a file of that name and `force` is not set, or the folder or a permission is in the way.
    """
    with writing(beside.target):
        if mode is not None:
            os.fchmod(beside.handle, less_umask(mode))
        os.fsync(beside.handle)  # by whatever process it was written
        if force:
            beside.path.replace(beside.target)
        else:
            _give_new_name(beside.path, beside.target)
        with suppress(OSError):
            fcntl.flock(beside.handle, fcntl.LOCK_UN)  # readers of HDF5 files lock them, too
        sync(beside.target.parent)


def replace_as_it_was(beside: Partial) -> None:
    """Give a complete file the name of one that it replaces, who may read and write it, and its owner and group as far as we may.

    Raises:
        MachineError: there is none, or the folder or a permission is in the way.
    """
    with writing(beside.target):
        before = beside.target.stat()
        for owner, group in ((-1, before.st_gid), (before.st_uid, -1)):
            with suppress(OSError):
                os.fchown(beside.handle, owner, group)
        os.fchmod(beside.handle, stat.S_IMODE(before.st_mode) & 0o777)
    move_into_place(beside, force=True, mode=None)


def sweep(target: Path) -> None:
    """Remove the partial files of a target that no process writes any more, as far as that can be known and done."""
    with suppress(OSError, MachineError), alone_beside(target):
        _sweep(target)


def refuse_unwritable(
    target: Path, used: Mapping[str, Path], *, force: bool, what: str = "page", remedy: str = REPLACE
) -> None:
    """Refuse early to write a page, or another file, where it must not stand, or cannot.

    Args:
        target: of the page.
        used: by what they are, the files that it is made from: none is replaced, `force` or not.
        force: replace what else is there.
        what: is written, for messages.
        remedy: what to do about a target that exists.

    Raises:
        MachineError: the target exists and `force` is not set, it is one of those files, or a folder, or it cannot be made.
    """
    if not target.absolute().parent.is_dir():
        raise cannot_write(target, FileNotFoundError(errno.ENOENT, ""))
    refuse_replacing(target, used.items(), what)
    refuse_taken(target, remedy, force=force)
    with partials(target):  # as it will be written: what is in the way then is in the way now
        pass


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk, where a file system can be asked for it."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
    finally:
        os.close(handle)


def _made(target: Path, *, folder: bool = False) -> Partial:
    """Make a partial file or folder, and lock it; the folder that it is in is locked."""
    begin, place = f".{target.name}.", target.parent
    with writing(target):
        if folder:
            name = tempfile.mkdtemp(PARTIAL, begin, place)
            handle = os.open(name, os.O_RDONLY)
        else:
            handle, name = tempfile.mkstemp(PARTIAL, begin, place)
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
    return Partial(Path(name), target, handle)


def _removed(made: Sequence[Partial]) -> list[str]:
    """Remove partial files and folders that are not in their places, and return the names of those that are left."""
    left = []
    for partial in made:
        try:
            _remove(partial.path)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError:
            left.append(partial.path.name)
    return left


def _remove(path: Path) -> None:
    shutil.rmtree(path) if stat.S_ISDIR(path.lstat().st_mode) else path.unlink()


def _sweep(target: Path, *, alone: bool = False, folder: bool = False) -> None:
    """Remove what killed processes left of a target; the folder is locked. MachineError if another process writes it, and must not."""
    written = False
    with writing(target):
        paths = list(target.parent.iterdir())
    for path in paths:
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


def _remove_if_left(path: Path, *, folder: bool) -> None:
    """Remove a partial file or folder unless a process holds its lock; OSError if one does, or if it is none of ours."""
    is_kind, access = (stat.S_ISDIR, os.O_RDONLY) if folder else (stat.S_ISREG, os.O_RDWR)
    if not is_kind(path.lstat().st_mode):
        return
    handle = os.open(path, access | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _is(handle, path):
            _remove(path)
    finally:
        os.close(handle)


@contextmanager
def alone_beside(target: Path) -> Iterator[None]:
    """Let no other process move or sweep in the folder of a target meanwhile, where its file system has locks; it takes a moment."""
    with writing(target):
        handle = os.open(target.parent, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _give_new_name(beside: Path, path: Path) -> None:
    """Move a file to a name that nothing has, not even something that another process put there just now."""
    try:
        path.hardlink_to(beside)
    except FileExistsError:
        refuse_taken(path)
        raise
    except OSError:  # a file system without hard links
        refuse_taken(path)
        beside.replace(path)
    else:
        beside.unlink()


def _put_back(aside: Partial) -> None:
    """Give a file that was put aside its name again, as far as that can be done, unless something else has it."""
    if not _is(aside.handle, aside.path):  # else it is what was made to have a name for it
        with suppress(OSError, MachineError):
            _give_new_name(aside.path, aside.target)


def _rename(path: Path, other: Path) -> None:
    with writing(path):
        path.replace(other)
        sync(path.parent)


def _is(handle: int, path: Path) -> bool:
    """Whether a name is that of an open file."""
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except OSError:
        return False


def less_umask(mode: int) -> int:
    """Return who may read and write a new file or folder: whom a mode allows it, less what the umask takes."""
    current = os.umask(0)
    os.umask(current)
    return mode & ~current
