"""Locks of files and folders (flock), which end with the process; a system without them, such as Windows, gives none."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from synthrelease.errors import MachineError

try:
    import fcntl
except ImportError:  # Windows
    AVAILABLE = False
else:
    AVAILABLE = True


def lock(handle: int, *, wait: bool = True) -> None:
    """Lock an open file or folder for this process.

    Args:
        handle: of it.
        wait: until no other process has it locked.

    Raises:
        BlockingIOError: another process has it locked, and `wait` is not set.
        OSError: the system, or the file system, has no locks.
    """
    if not AVAILABLE:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
    fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def unlock(handle: int) -> None:
    """Take the lock away; OSError if the system, or the file system, has no locks."""
    if not AVAILABLE:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
    fcntl.flock(handle, fcntl.LOCK_UN)


def open_folder(path: Path) -> int:
    """Return a handle of a folder, to lock it; on a system without locks, which opens no folders, one that locks nothing."""
    return os.open(path if AVAILABLE else os.devnull, os.O_RDONLY)


def refuse_without_locks(where: str = "") -> None:
    """Refuse to make or write what needs locks, so that a crash or a second process spoils nothing.

    Args:
        where: what would be written.

    Raises:
        MachineError: this system has none.
    """
    if not AVAILABLE:
        raise MachineError(
            "needs-posix",
            "this system has no POSIX file locks, which building and writing need",
            where=where,
            expected="Linux or macOS; elsewhere only verify, show, open_bundle and export work",
            remedy="on Windows, run this command in WSL (Windows Subsystem for Linux)",
        )
