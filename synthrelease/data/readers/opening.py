"""Opening a private file, with one clear message for every way in which that can fail."""

from __future__ import annotations

import errno
import os
import stat
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from synthrelease.errors import DataError, MachineError, SynthReleaseError


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading.

    Raises:
        DataError: no such file, a folder, a pipe or a device, an impossible path.
        MachineError: no permission, or an error of the file system.
    """
    try:
        mode = path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # opening a pipe may wait for ever
            raise DataError(
                "not-a-regular-file",
                "the path leads to no regular file",
                where=str(path),
                found="a pipe, a device or a socket",
                expected="a file, which is read more than once",
                remedy="write the data to a file, and name that",
            )
        file = path.open("rb")
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            raise DataError(
                "broken-link",
                "the file is a link to one that is not there",
                where=str(path),
                remedy="fetch what it leads to: git annex get, or datalad get, in a dataset that they keep",
            ) from None
        raise DataError(
            "no-such-file",
            "there is no such file",
            where=str(path),
            remedy="paths in a plan are relative to the plan",
        ) from None
    except IsADirectoryError:
        raise DataError(
            "path-is-folder",
            "the path is a folder",
            where=str(path),
            expected="one file, or a folder with a `pattern`",
            remedy="name the file, or say how the files are called: pattern = 'S_{person}_{task}.csv'",
        ) from None
    except PermissionError:
        raise MachineError(
            "cannot-read", "the file may not be read", where=str(path), remedy="check its permissions"
        ) from None
    except (OSError, ValueError):
        raise DataError(
            "bad-path",
            "no file can have this path",
            where=repr(str(path))[:300],
            remedy="correct the input's `path`: a name is too long, or has characters that no name may have",
        ) from None
    with file:
        try:
            yield file
        except OSError as error:
            raise MachineError(
                "cannot-read",
                "the file cannot be read",
                where=str(path),
                found=error.strerror or "",
                remedy="check the disk, or copy the file elsewhere",
            ) from None


def folders_below(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    """Yield a folder and all folders below it, with the names of their files.

    Raises:
        DataError: there is no such folder.
        MachineError: one cannot be read.
    """
    if not folder.is_dir():
        raise DataError(
            "no-such-folder",
            "there is no such folder",
            where=str(folder),
            remedy="paths in a plan are relative to the plan",
        )

    def cannot(error: OSError) -> None:
        raise MachineError(
            "cannot-read",
            "the folder cannot be read",
            where=str(error.filename),
            found=error.strerror or "",
            remedy="check its permissions",
        ) from None

    for path, folders, files in os.walk(folder, onerror=cannot):
        folders.sort()
        yield Path(path), files


@contextmanager
def refused(error: DataError) -> Iterator[None]:
    """Raise an error of ours for whatever a library says of a file that it cannot read, or warns of: it may quote the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield
    except SynthReleaseError:
        raise
    except Exception as said:
        # A place before the file's beginning is the file's fault, all else the machine's.
        if isinstance(said, OSError) and said.errno not in (None, errno.EINVAL):
            raise
        raise error from None
