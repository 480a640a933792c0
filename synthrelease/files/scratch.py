"""The private folder of a command, for what it would otherwise work out again and again: removed when the command ends, however it does.

Its owner alone may enter it. A process that is killed leaves it behind, until the next command sweeps it away, as all partial folders are
(`partial_files`). Worker processes of this machine share it; those of others have none.
"""

from __future__ import annotations

import os
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
            target = Path(tempfile.gettempdir()) / f"synthrelease-{os.getuid()}"
            with suppress(MachineError):  # a full disk, say: then there is none, and nothing depends on it
                (partial,) = _scratch.removal.enter_context(partials(target, folder=True))
                _scratch.folder = partial.path
        return _scratch.folder


def share_scratch(folder: Path | None) -> None:
    """Let this process, a worker, use the folder of its coordinator, which removes it: the command never ends here."""
    _scratch.commands, _scratch.folder = 1, folder
