"""Files that are whole or not there, and on the disk when they are said to be."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from synthrelease.errors import MachineError

PARTIAL = ".partial"  # how the names of files end that are not complete


def write_atomically(path: Path, content: bytes, *, force: bool) -> None:
    """Write a file so that a reader sees the whole of it or nothing, and a crash leaves the old one.

    Args:
        path: the target.
        content: all of it.
        force: replace what is there.

    Raises:
        MachineError: the target exists and `force` is not set, or the disk, the folder or a permission is in the way.
    """
    with partial(path) as beside:
        write_durably(beside, content)
        move_into_place(beside, path, force=force)


@contextmanager
def partial(path: Path) -> Iterator[Path]:
    """Give a new file beside a target, to be written and moved to it; what is left of it in the end is removed."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=PARTIAL, dir=path.parent)
    except OSError as error:
        raise cannot_write(path, error) from None
    os.close(handle)
    try:
        yield Path(name)
    finally:
        with suppress(OSError):
            Path(name).unlink()


def write_durably(path: Path, content: bytes) -> None:
    """Write a file, and come back once the disk has it.

    Raises:
        MachineError: the disk, the folder or a permission is in the way.
    """
    try:
        with path.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise cannot_write(path, error) from None


def move_into_place(beside: Path, path: Path, *, force: bool) -> None:
    """Give a complete file its name, at once and durably.

    Raises:
        MachineError: there is a file of that name and `force` is not set, or the folder or a permission is in the way.
    """
    try:
        beside.chmod(0o666 & ~_umask())
        if force:
            beside.replace(path)
        else:
            _give_new_name(beside, path)
        _sync_folder(path.parent)
    except OSError as error:
        raise cannot_write(path, error) from None


def _give_new_name(beside: Path, path: Path) -> None:
    """Move a file to a name that nothing has, not even something that another process put there just now."""
    try:
        path.hardlink_to(beside)
    except FileExistsError:
        raise exists_already(path) from None
    except OSError:  # a file system without hard links
        if path.exists():
            raise exists_already(path) from None
        beside.replace(path)
    else:
        beside.unlink()


def exists_already(path: Path) -> MachineError:
    """Return the refusal to replace a file unasked."""
    return MachineError(
        "the file exists already",
        where=str(path),
        remedy="choose another name, or pass --force to replace it",
    )


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def cannot_write(path: Path, error: OSError) -> MachineError:
    """Return what a person is told of an error of the system."""
    return MachineError(
        "the file cannot be written",
        where=str(path),
        found=os.strerror(error.errno) if error.errno else "an error of the file system",
        remedy="make room, or choose a folder that exists and may be written; nothing was left behind",
    )
