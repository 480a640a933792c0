"""The private folder of a command, for what it would otherwise work out again and again: removed when the command ends, however it does.

Its owner alone may enter it, and the folder of the temporary folder that it is in, which other users could lock or make first. A process that is killed leaves it behind, until the next command sweeps it away, as all partial folders are
(`partial_files`). Worker processes of this machine share it; those of others have none.
"""

from __future__ import annotations

import os
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from synthrelease.errors import MachineError
from synthrelease.files.locks import AVAILABLE
from synthrelease.files.partial_files import partials


@dataclass
class _Scratch:
    commands: int = 0  # under way, one within the other
    folder: Path | None = None
    removal: ExitStack = field(default_factory=ExitStack)


_scratch = _Scratch()
_guard = threading.Lock()


@contextmanager
def scratch() -> Iterator[None]:
    """Let there be a folder meanwhile, for those who ask for it; within another such call, the same."""
    with _guard:
        _scratch.commands += 1
    try:
        yield
    finally:
        with _guard:
            _scratch.commands -= 1
            if not _scratch.commands:
                _scratch.folder = None
                _scratch.removal.close()


def scratch_folder() -> Path | None:
    """Return the folder, made when it is first asked for; None if no command is under way, or none can be made."""
    with _guard:
        if _scratch.folder is None and _scratch.commands and AVAILABLE:
            with suppress(
                MachineError, OSError
            ):  # a full disk, say: then there is none, and nothing depends on it
                place = _own_folder()
                (partial,) = _scratch.removal.enter_context(partials(place / "scratch", folder=True))
                _scratch.folder = partial.path
        return _scratch.folder


def _own_folder() -> Path:
    """The user's folder in the common temporary one; removed if nothing is left in it."""
    folder = Path(tempfile.gettempdir()) / f"synthrelease-{os.getuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise PermissionError(folder)
    folder.chmod(0o700)
    _scratch.removal.callback(_removed_if_empty, folder)
    return folder


def _removed_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def share_scratch(folder: Path | None) -> None:
    """Let this process, a worker, use the folder of its coordinator, which removes it: the command never ends here."""
    _scratch.commands, _scratch.folder = 1, folder
