"""Locks of files and folders (flock), which end with the process; a system without them, such as Windows, gives none."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

from synthrelease.errors import MachineError

try:
    import fcntl
except ImportError:  # Windows
    AVAILABLE = False
else:
    AVAILABLE = True

_LONGEST_WAIT_S = 20.0  # far longer than any of our processes holds a lock that others wait for
_PAUSE_S = 0.01


def lock(handle: int, *, wait: bool = True) -> None:
    """Lock an open file or folder for this process.

    Args:
        handle: of it.
        wait: until no other process has it locked, but not for ever: anyone who may read a folder can lock it.

    Raises:
        BlockingIOError: another process has it locked, and `wait` is not set, or it has been so for long.
        OSError: the system, or the file system, has no locks.
    """
    if not AVAILABLE:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
    until = time.monotonic() + (_LONGEST_WAIT_S if wait else 0)
    while True:
        try:
            return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise
        time.sleep(_PAUSE_S)


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
