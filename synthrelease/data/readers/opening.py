"""Opening a private file, with one clear message for every way in which that can fail."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from synthrelease.errors import DataError, MachineError


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading.

    Raises:
        DataError: no such file, a folder, an impossible path.
        MachineError: no permission, or an error of the file system.
    """
    try:
        file = path.open("rb")
    except (FileNotFoundError, NotADirectoryError):
        raise DataError(
            "there is no such file", where=str(path), remedy="paths in a plan are relative to the plan"
        ) from None
    except IsADirectoryError:
        raise DataError(
            "the path is a folder",
            where=str(path),
            expected="one file, or a folder with a `pattern`",
            remedy="name the file, or say how the files are called: pattern = 'S_{person}_{task}.csv'",
        ) from None
    except PermissionError:
        raise MachineError(
            "the file may not be read", where=str(path), remedy="check its permissions"
        ) from None
    except (OSError, ValueError):
        raise DataError("the path cannot be one of a file", where=repr(str(path))[:300]) from None
    with file:
        try:
            yield file
        except OSError as error:
            raise MachineError(
                "the file cannot be read", where=str(path), found=error.strerror or ""
            ) from None
