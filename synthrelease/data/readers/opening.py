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
from synthrelease.files.missing import missing_folder, nearest_file


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading.

    Raises:
        DataError: no such file, a folder, a pipe or a device, an impossible path.
        MachineError: no permission, or an error of the file system.
    """
    try:
        _refuse_special(path)
        file = path.open("rb")
    except PermissionError:
        raise MachineError(
            "cannot-read", "the file may not be read", where=str(path), remedy="check its permissions"
        ) from None
    except (OSError, ValueError) as error:
        raise _not_opened(path, error) from None
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


def _refuse_special(path: Path) -> None:
    """Refuse what is neither a file nor a folder: opening a pipe may never end."""
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise DataError(
            "not-a-regular-file",
            "the path is not a regular file",
            where=str(path),
            found="a pipe, a device or a socket",
            expected="a file, which can be read more than once",
            remedy="write the data to a file, and name that file",
        )


def _not_opened(path: Path, error: OSError | ValueError) -> DataError:
    """Why a path cannot be opened, whatever its permissions."""
    if isinstance(error, IsADirectoryError):
        return DataError(
            "path-is-folder",
            "the path is a folder",
            where=str(path),
            expected="one file, or a folder with a `pattern`",
            remedy="name the file, or add a pattern of file names: pattern = 'S_{person}_{task}.csv'",
        )
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        return DataError(
            "bad-path",
            "no file can have this path",
            where=repr(str(path))[:300],
            remedy="correct the input's `path`: a name is too long, or has characters that no name may have",
        )
    if path.is_symlink():
        return DataError(
            "broken-link",
            "the file is a link, and its target is missing",
            where=str(path),
            remedy="fetch the target: git annex get, or datalad get",
        )
    return DataError(
        "no-such-file",
        "there is no such file",
        where=str(path),
        found=f"no folder {folder}" if (folder := missing_folder(path)) else f"nothing at {path.absolute()}",
        remedy=nearest_file(path) or "correct the path; paths in a plan are relative to the plan",
    )


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
            found=f"nothing at {folder.absolute()}",
            remedy=nearest_file(folder) or "correct the path; paths in a plan are relative to the plan",
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
def library_faults_as(error: DataError) -> Iterator[None]:
    """Raise an error of ours for every error or warning of a library about a file: its own text may quote the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield
    except SynthReleaseError:
        raise
    except Exception as fault:
        # A place before the file's beginning is the file's fault, all else the machine's.
        if isinstance(fault, OSError) and fault.errno not in (None, errno.EINVAL):
            raise
        raise error from None
