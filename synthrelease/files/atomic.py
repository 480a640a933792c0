"""Files that are whole or not there, whatever happens to the disk, the process or the power: how a partial file gets its name."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from synthrelease.errors import MachineError
from synthrelease.files.locks import AVAILABLE, unlock
from synthrelease.files.partial_files import Partial, alone_beside, is_named, make_partial, partials
from synthrelease.files.unwritable import REPLACE, cannot_write, refuse_replacing, refuse_taken, writing

FOR_ALL = 0o666
OWNER_ALONE = 0o600
_UNSUPPORTED = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)  # of a file system that has no such call


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
    with partials(path) as (partial,):
        write_durably(partial, content)
        move_into_place(partial, force=force, mode=mode)


def allocate(partial: Partial, size: int) -> None:
    """Take room on the disk for a partial file, where the file system can: it keeps it until it is written.

    Args:
        partial: the file, empty.
        size: in bytes.

    Raises:
        MachineError: there is not so much.
    """
    try:
        take_room(partial.handle, 0, size)
    except OSError as error:
        refusal = cannot_write(partial.target, error)
        refusal.expected = f"up to {size / 1e6:.2f} MB of room"
        raise refusal from None


def take_room(handle: int, start: int, size: int) -> None:
    """Take room for an open file, where the file system can; OSError if there is none."""
    try:
        os.posix_fallocate(handle, start, size)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise


def write_durably(partial: Partial, content: bytes) -> None:
    """Write a partial file, and come back once the disk has it.

    Raises:
        MachineError: the disk, the folder or a permission is in the way.
    """
    with writing(partial.target), partial.path.open("r+b", buffering=0) as file:
        unwritten = memoryview(content)
        while unwritten:
            unwritten = unwritten[file.write(unwritten) :]
        os.fsync(file.fileno())


def move_together(files: list[Partial], *, force: bool, mode: int = FOR_ALL) -> None:
    """Give two complete files of one folder their names, of which the second says what the first is: never of another.

    Whatever the second replaces is put aside before, and back if the first does not get its name. So a crash leaves both
    old ones, the old first alone, the new first alone, or both new ones; but no old one next to a new one, and nothing
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
        aside = make_partial(second.target) if os.path.lexists(second.target) else None
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


def move_into_place(partial: Partial, *, force: bool, mode: int | None = FOR_ALL) -> None:
    """Give a complete file its name, at once and durably; `mode` as for `write_atomically`, None leaves it as it is.

    A symbolic link of that name is a file of that name: it is replaced where `force` allows it, and never followed.

    Raises:
        MachineError: there is a file of that name and `force` is not set, or the folder or a permission is in the way.
    """
    with writing(partial.target):
        if mode is not None:
            os.fchmod(partial.handle, less_umask(mode))
        os.fsync(partial.handle)  # by whatever process it was written
        if force:
            partial.path.replace(partial.target)
        else:
            _give_new_name(partial.path, partial.target)
        with suppress(OSError):
            unlock(partial.handle)  # readers of HDF5 files lock them, too
        sync(partial.target.parent)


def replace_as_it_was(partial: Partial) -> None:
    """Give a complete file the name of one that it replaces, who may read and write it, and its owner and group as far as we may.

    Raises:
        MachineError: there is none, or the folder or a permission is in the way.
    """
    with writing(partial.target):
        before = partial.target.stat()
        for owner, group in ((-1, before.st_gid), (before.st_uid, -1)):
            with suppress(OSError):
                os.fchown(partial.handle, owner, group)
        os.fchmod(partial.handle, stat.S_IMODE(before.st_mode) & 0o777)
    move_into_place(partial, force=True, mode=None)


def refuse_unwritable(
    target: Path, used: Mapping[str, Path], *, force: bool, what: str = "report", remedy: str = REPLACE
) -> None:
    """Refuse early to write a report, or another file, where it must not, or cannot, be written.

    Args:
        target: of the report.
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
    """Wait until a file, or the names in a folder, are on the disk, where system and file system can be asked for it."""
    if (
        not AVAILABLE
    ):  # Windows opens no folders, and has the disk written for files that may be written alone
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
    finally:
        os.close(handle)


def _give_new_name(path: Path, target: Path) -> None:
    """Move a file to a name that nothing has, not even something that another process put there just now."""
    try:
        target.hardlink_to(path)
    except FileExistsError:
        refuse_taken(target)
        raise
    except OSError:  # a file system without hard links
        refuse_taken(target)
        path.replace(target)
    else:
        path.unlink()


def _put_back(aside: Partial) -> None:
    """Give a file that was put aside its name again, as far as that can be done, unless something else has it."""
    if not is_named(aside.handle, aside.path):  # else it is what was made to have a name for it
        with suppress(OSError, MachineError):
            _give_new_name(aside.path, aside.target)


def _rename(path: Path, target: Path) -> None:
    with writing(path):
        path.replace(target)
        sync(path.parent)


def less_umask(mode: int) -> int:
    """Return who may read and write a new file or folder: whom a mode allows it, less what the umask takes."""
    current = os.umask(0)
    os.umask(current)
    return mode & ~current
