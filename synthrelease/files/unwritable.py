"""Names of files that are being written, and why one cannot be."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from synthrelease.errors import Argument, MachineError, Remedy

PARTIAL = ".partial"  # how the names of files end that are not complete
ADDED_BYTES = len(f"..8letters{PARTIAL}")  # by which such a name is longer than the target's
_REMEDIES = {
    errno.ENOSPC: "make room",
    errno.EDQUOT: "make room in the quota",
    errno.EFBIG: "raise the limit of file sizes (ulimit -f), or use a file system that allows larger files",
    errno.EACCES: "choose a folder that you may write, or ask for the permission",
    errno.EPERM: "choose a folder that you may write, or ask for the permission",
    errno.EROFS: "choose a folder that you may write",
    errno.ENOENT: "make the folder (mkdir -p), or correct the path: it is missing, or was moved or deleted",
    errno.ENOTDIR: "check the folder: it is missing, or was moved or deleted",
    errno.EISDIR: "choose another name: a folder has this one",
    errno.ENAMETOOLONG: "choose a shorter name",
}
REPLACE = Remedy("choose another name, or replace it: ", Argument("force", True))


def refuse_taken(path: Path, remedy: str = REPLACE, *, force: bool = False) -> None:
    """Refuse to replace folders and devices, and unasked whatever has a name, be it a link that leads nowhere.

    Args:
        path: of that name.
        remedy: what to do about a file.
        force: replace a file.

    Raises:
        MachineError: something has the name.
    """
    for in_the_way, code, problem in (
        (path.is_dir(), "output-is-folder", "the output is an existing folder"),
        (
            path.exists() and not path.is_file(),
            "output-is-no-file",
            "the output is a device or another special file",
        ),
    ):
        if in_the_way:
            raise MachineError(
                code,
                problem,
                where=str(path),
                expected="the name of a file",
                remedy="choose another name",
            )
    if not force and os.path.lexists(path):
        raise MachineError(
            "file-exists",
            "the file exists",
            where=str(path),
            remedy=remedy,
        )


def refuse_replacing(target: Path, used: Iterable[tuple[str, Path | None]], what: str) -> None:
    """Refuse a target that is one of the files that it is made from.

    Args:
        target: the file to be written.
        used: what each of those files is, and its path; None if there is none.
        what: is written.

    Raises:
        MachineError: it is, be it by a link or another spelling of its path.
    """
    for name, path in used:
        if path is not None and _are_same(target, path):
            raise MachineError(
                "output-replaces-input",
                f"the {what} would replace {name}",
                where=str(target),
                remedy=f"choose another name for the {what}",
            )


def _are_same(path: Path, other: Path) -> bool:
    try:
        return os.path.realpath(path) == os.path.realpath(other) or path.samefile(other)
    except (OSError, ValueError):  # one of them is not there, out of reach, or no name that a file could have
        return False


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """Turn an error of the system into the message that a file cannot be written.

    Raises:
        MachineError: as `cannot_write` returns it.
    """
    try:
        yield
    except OSError as error:
        raise cannot_write(target, error) from None


def cannot_write(path: Path, error: OSError) -> MachineError:
    """Return how a message describes an error of the system: of a partial file under its target's name."""
    return MachineError(
        "cannot-write",
        "the file cannot be written",
        where=str(path.parent / (target_of(path.name) or path.name)),
        found=os.strerror(error.errno) if error.errno else "an error of the file system",
        remedy=_REMEDIES.get(error.errno or 0, "check the disk, or choose another"),
    )


def target_of(name: str, ending: str = PARTIAL) -> str | None:
    """Return the name that a partial file is for; None if it is none. Names are as mkstemp makes them."""
    parts = re.fullmatch(rf"\.(.+)\.[a-z0-9_]{{8}}{re.escape(ending)}", name, re.DOTALL)
    return parts[1] if parts else None
