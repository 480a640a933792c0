"""The steps by which a build touches the disk, counted; and what may happen to it before one of them.

It is for forked children: what is put in the place of the system's calls stays there.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from synthrelease.ledgers import Ledger
from synthrelease.ledgers.debit import Debit

NAMING = ("link", "replace", "unlink", "fsync-folder")  # around these, what has which name changes
LEDGER = ("pay", "note-drawing", "note-release")
_WRITING = ("make", "write", "rest-of-write", "truncate", "fsync-file", "link", "replace")
_FOLDER = ("make", "link", "replace", "unlink")


def killed(_kind: str) -> None:
    """End the process as nothing can prevent."""
    os.kill(os.getpid(), signal.SIGKILL)


class Once:
    """Raise something, once: Ctrl-C, or an error of a disk that recovers."""

    def __init__(self, error: BaseException) -> None:
        self._error: BaseException | None = error

    def __call__(self, _kind: str) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error


def full(kind: str) -> None:
    """Refuse what needs room, from here on."""
    if kind in _WRITING:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def forbidden(kind: str) -> None:
    """Refuse what changes the folder, from here on; files that are open may be written."""
    if kind in _FOLDER:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def broken(kind: str) -> None:
    """Refuse everything, from here on; the ledger is on another disk."""
    if kind not in LEDGER:
        raise OSError(errno.EIO, os.strerror(errno.EIO))


class Steps:
    """Counts.

    Args:
        first: the number of the step before which something happens, and before every later one; from 1.
        happens: what; it may let a kind of step pass.

    Attributes:
        kinds: of all steps so far.
    """

    def __init__(self, first: int | None = None, happens: Callable[[str], None] = killed) -> None:
        self._first, self._happens = first, happens
        self.kinds: list[str] = []

    def step(self, kind: str) -> None:
        """Count a step that is about to be done."""
        self.kinds.append(kind)
        if self._first is not None and len(self.kinds) >= self._first:
            self._happens(kind)

    def watch(self) -> None:
        """Put counting calls in the place of the system's."""
        self._before(os, "link", "link")
        self._before(os, "replace", "replace")
        self._before(os, "unlink", "unlink")
        self._before(os, "fchmod", "chmod")
        self._before(fcntl, "flock", "lock")
        self._before(tempfile, "mkstemp", "make")
        self._before(Ledger, "debit", "pay")
        self._before(Debit, "begin_drawing", "note-drawing")
        self._before(Debit, "release", "note-release")
        opened = Path.open

        def fsync(handle: int) -> None:
            folder = stat.S_ISDIR(os.fstat(handle).st_mode)
            self.step("fsync-folder" if folder else "fsync-file")  # and no more: only the power would tell

        def opening(path: Path, mode: str = "r", *arguments: Any, **options: Any) -> Any:
            file = opened(path, mode, *arguments, **options)
            return _Counted(file, self.step) if mode == "r+b" else file

        os.fsync, Path.open = fsync, opening  # type: ignore[assignment, method-assign]

    def _before(self, place: Any, name: str, kind: str) -> None:
        real = getattr(place, name)

        def counted(*arguments: Any, **options: Any) -> Any:
            self.step(kind)
            return real(*arguments, **options)

        setattr(place, name, counted)


class _Counted:
    """A file each of whose writes is torn in two, so that something may happen in between."""

    def __init__(self, file: Any, step: Callable[[str], None]) -> None:
        self._file, self._step = file, step

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        self._step("write")
        done: int = self._file.write(view[: len(view) // 2])
        self._step("rest-of-write")
        return done + int(self._file.write(view[done:]))

    def truncate(self, size: int | None = None) -> int:
        self._step("truncate")
        return int(self._file.truncate(size))

    def flush(self) -> None:
        self._step("flush")
        self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._step("close")
        self._file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)
