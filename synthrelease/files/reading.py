"""Opening a file that a user names: a regular one, at once, and no more of it than it may have; at any place, on systems with POSIX calls and on those without them."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from synthrelease.errors import InputError, MachineError
from synthrelease.files.missing import missing_folder, nearest_file

# At once: a pipe would never open. Windows has neither these nor pipes among files, and changes line ends unless asked not to.
_AT_ONCE = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"))
_seeking = threading.Lock()  # place and reading belong together


class NotRegularError(OSError):
    """A path leads to a pipe, a device or a socket."""


def open_regular(path: str | Path, flags: int = os.O_RDONLY) -> int:
    """Return the handle of a file, open for reading: what has no end, or may never begin, is never read.

    Args:
        path: of the file.
        flags: for more than to read; a file that is made is for its owner.

    Raises:
        NotRegularError: it is no file.
        IsADirectoryError: it is a folder.
        OSError: it cannot be opened, or no file can have this name.
    """
    try:
        handle = os.open(path, flags | _AT_ONCE, 0o600)
    except ValueError as error:
        raise OSError(errno.ENAMETOOLONG, "no file can have this name") from error
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket
            raise NotRegularError(errno.EINVAL, "not a regular file") from None
        raise
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return handle
    os.close(handle)
    raise (
        IsADirectoryError(errno.EISDIR, "a folder")
        if stat.S_ISDIR(mode)
        else NotRegularError(errno.EINVAL, "not a regular file")
    )


@contextmanager
def opened(
    path: Path,
    kind: type[InputError],
    what: str = "file",
    *,
    missing: str = "correct the path",
    folder: str = "name the file",
) -> Iterator[BufferedReader]:
    """Open a file that a user names, for reading, with one clear message for every way in which that can fail.

    Args:
        path: of the file.
        kind: of the error.
        what: it is.
        missing: what to do if it is not there, and no file has a similar name.
        folder: what to do if a folder is there.

    Raises:
        InputError: of that kind: no such file, a folder, a pipe or a device, an impossible path.
        MachineError: no permission, or an error of the file system.
    """
    with os.fdopen(handle_of(path, kind, what, missing=missing, folder=folder), "rb") as file:
        try:
            yield file
        except OSError as error:
            raise _cannot_read(
                path, what, error.strerror or "", "check the disk, or copy the file elsewhere"
            ) from None


def handle_of(
    path: Path,
    kind: type[InputError],
    what: str = "file",
    *,
    missing: str = "correct the path",
    folder: str = "name the file",
) -> int:
    """Return the handle of a file that a user names, open for reading; arguments and errors as of `opened`."""
    try:
        return open_regular(path)
    except OSError as error:
        raise _not_opened(path, error, kind, what, missing, folder) from None


def content_of(
    path: Path,
    kind: type[InputError],
    what: str = "file",
    *,
    most_bytes: int,
    missing: str = "correct the path",
) -> bytes:
    """Return what is in a file that a user names; arguments and errors as of `opened`, and InputError of more than so many bytes."""
    with opened(path, kind, what, missing=missing) as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise kind(
            "file-too-large",
            f"the {what} is too large",
            where=str(path),
            expected=f"at most {most_bytes} bytes",
            remedy=f"give the right file: a {what} is small",
        )
    return content


def beginning_of(path: Path, most_bytes: int) -> bytes:
    """Return so many bytes of a file at most; OSError if it is none, or cannot be read."""
    with os.fdopen(open_regular(path), "rb") as file:
        return file.read(most_bytes)


def _not_opened(  # noqa: PLR0917  as `opened`
    path: Path, error: OSError, kind: type[InputError], what: str, missing: str, folder: str
) -> InputError | MachineError:
    if isinstance(error, PermissionError):
        return _cannot_read(path, what, "no permission", "check its permissions")
    if isinstance(error, NotRegularError):
        return kind(
            "not-a-regular-file",
            "the path is not a regular file",
            where=str(path),
            found="a pipe, a device or a socket",
            expected="a file, which can be read more than once",
            remedy=f"write the {what} to a file, and name that file",
        )
    if isinstance(error, IsADirectoryError):
        return kind(
            "path-is-folder", "the path is a folder", where=str(path), expected="one file", remedy=folder
        )
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        return kind(
            "bad-path",
            "no file can have this path",
            where=repr(str(path))[1:-1][:300],
            remedy="correct the path: a name is too long, or has characters that no name may have",
        )
    if path.is_symlink():
        return kind(
            "broken-link",
            f"the {what} is a link, and its target is missing",
            where=str(path),
            remedy="fetch the target: git annex get, or datalad get",
        )
    return kind(
        "no-such-file",
        f"there is no such {what}",
        where=str(path),
        found=f"no folder {lost}" if (lost := missing_folder(path)) else f"nothing at {path.absolute()}",
        remedy=nearest_file(path) or missing,
    )


def _cannot_read(path: Path, what: str, found: str, remedy: str) -> MachineError:
    return MachineError(
        "cannot-read", f"the {what} cannot be read", where=str(path), found=found, remedy=remedy
    )


def read_at(handle: int, size: int, offset: int) -> bytes:
    """Return at most so many bytes of an open file from a place on; none at its end. Threads may share the handle."""
    if hasattr(os, "pread"):
        return os.pread(handle, size, offset)
    with _seeking:
        os.lseek(handle, offset, os.SEEK_SET)
        return os.read(handle, size)
