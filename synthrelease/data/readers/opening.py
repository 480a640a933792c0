"""Opening private files and folders, with one clear message for every way in which that can fail."""

from __future__ import annotations

import errno
import os
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO

from synthrelease.errors import DataError, MachineError, SynthReleaseError
from synthrelease.files import reading
from synthrelease.files.missing import nearest_file


def opened(path: Path) -> AbstractContextManager[BinaryIO]:
    """Open a private file for reading; errors as of `files.reading.opened`: DataError and MachineError."""
    return reading.opened(
        path,
        DataError,
        missing="correct the path; paths in a plan are relative to the plan",
        folder="name the file, or add a pattern of file names: pattern = 'S_{person}_{task}.csv'",
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
