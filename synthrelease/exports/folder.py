"""A folder that is complete or not there, and replaces nothing but what an export wrote.

It is written next to its target, locked, and swept as files are (`files.partial_files`). Where an older export is replaced, that one is put aside
as `.<target>.<eight characters>.old` for a moment; if the machine stops just then, the next export puts it back first.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from synthrelease.errors import Argument, DataError, MachineError, Remedy, SynthReleaseError
from synthrelease.files.atomic import less_umask, sync
from synthrelease.files.digest import sha256_of
from synthrelease.files.partial_files import alone_beside, partials
from synthrelease.files.reading import content_of
from synthrelease.files.unwritable import PARTIAL, cannot_write, target_of, writing

LIST = ".synthrelease-export.json"  # what an export wrote, by path, with SHA-256
_MOST_LIST_BYTES = 1 << 26
_OLD = ".old"
_FOR_ALL = 0o777
_FEW, _AT_A_TIME = 200, 8  # files and folders that are waited for one after the other, and together


@contextmanager
def atomic_folder(target: Path, *, force: bool) -> Iterator[Path]:
    """Yield an empty folder that becomes `target` at the end, or is removed on an error.

    Args:
        target: new or empty; its parents are made.
        force: replace what an export wrote there, and what is as it wrote it.

    Raises:
        MachineError: the target holds something else, or the disk, the folder or a permission is in the way.
    """
    target = Path(os.path.realpath(target))
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with alone_beside(target):
            _settle_old(target)
            _refuse_taken(target, force=force)
    with partials(target, folder=True) as (partial,):
        try:
            yield partial.path
            _write_list(partial.path)
            _sync_all(partial.path)
            partial.path.chmod(less_umask(_FOR_ALL))
            with alone_beside(target):
                _refuse_taken(target, force=force)  # again: writing took its time
                _move(partial.path, target)
        except OSError as error:
            raise _cannot_write(target, error) from None
        except MachineError as error:
            error.where = error.where.replace(str(partial.path), str(target))  # which is where a person looks
            raise


def refuse_target(target: Path, *, force: bool) -> None:
    """Refuse to write a folder in the place of anything but an export.

    Raises:
        MachineError: there is a file, the folder that the program runs in, or a folder that is not empty; with `force`, one that
            holds anything but what an export wrote.
    """
    if os.path.lexists(target):
        with writing(target), alone_beside(target):  # else it could be half of one and half of another export
            _refuse_taken(target, force=force)


def _refuse_taken(target: Path, *, force: bool) -> None:
    if not os.path.lexists(target):
        return
    if not target.is_dir():
        raise MachineError(
            "output-is-file",
            "the output is a file",
            where=str(target),
            expected="the name of a folder",
            remedy="choose the name of a folder",
        )
    if target.samefile(Path.cwd()):
        raise MachineError(
            "output-is-working-folder",
            "this is the current folder",
            where=str(target),
            remedy="choose the name of another one",
        )
    if not any(target.iterdir()):
        return
    foreign = _not_exported(target)
    if foreign is not None:
        raise MachineError(
            "foreign-files",
            "the folder contains files that no export wrote",
            where=str(target),
            found=foreign,
            remedy="choose a new or empty folder, or move these files",
        )
    if not force:
        raise MachineError(
            "export-exists",
            "the folder contains an export already",
            where=str(target),
            remedy=Remedy("choose another one, or replace it: ", Argument("force", True)),
        )


def files_in(folder: Path) -> list[Path]:
    """Return all files below a folder but its list, in the order of their paths."""
    paths = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted(path for path in paths if path != folder / LIST)


def _not_exported(target: Path) -> str | None:
    """The first file that no export wrote, or that was changed since; None if there is none."""
    try:
        listed = json.loads(content_of(target / LIST, DataError, "list", most_bytes=_MOST_LIST_BYTES))[
            "files"
        ]
        for path in files_in(target):
            name = path.relative_to(target).as_posix()
            if path.is_symlink() or not path.is_file() or listed.get(name) != sha256_of(path):
                return name
    except SynthReleaseError as error:
        is_missing = error.code == "no-such-file"
        return "no list of what an export wrote" if is_missing else "files that cannot be read"
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return "files that cannot be read, or a list that cannot"
    return None


def _sync_all(folder: Path) -> None:
    """Wait until a folder and all below it is on the disk."""
    paths = [*folder.rglob("*"), folder]
    if len(paths) <= _FEW:
        for path in paths:
            sync(path)
        return
    with ThreadPoolExecutor(
        _AT_A_TIME
    ) as pool:  # 20 times as fast: the disk writes what is waited for together
        for _ in pool.map(sync, paths):
            pass


def _write_list(folder: Path) -> None:
    listed = {path.relative_to(folder).as_posix(): sha256_of(path) for path in files_in(folder)}
    text = json.dumps({"files": listed}, indent=2, ensure_ascii=False, sort_keys=True)
    (folder / LIST).write_text(text + "\n", encoding="utf-8", newline="\n")


def _move(partial: Path, target: Path) -> None:
    """Give a complete folder its name: at once in place of nothing or an empty folder, in two steps in place of an export."""
    if not (target.is_dir() and any(target.iterdir())):
        partial.rename(target)  # an empty folder gives way
        sync(target.parent)
        return
    old = partial.with_name(partial.name.removesuffix(PARTIAL) + _OLD)
    target.rename(old)
    try:
        partial.rename(target)
    except BaseException:
        old.rename(target)
        raise
    sync(target.parent)
    shutil.rmtree(old, ignore_errors=True)


def _settle_old(target: Path) -> None:
    """Put back what a killed export had put aside, or remove it if the target was written since; the parent is locked."""
    for path in target.parent.iterdir():
        if target_of(path.name, _OLD) != target.name or path.is_symlink() or not path.is_dir():
            continue
        if not os.path.lexists(target):
            with suppress(OSError):
                path.rename(target)
        elif _not_exported(path) is None:
            shutil.rmtree(path, ignore_errors=True)


def _cannot_write(target: Path, error: OSError) -> MachineError:
    if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
        return MachineError(
            "folder-changed",
            "another program wrote to the folder during the export",
            where=str(target),
            remedy="choose another one",
        )
    return cannot_write(target, error)
