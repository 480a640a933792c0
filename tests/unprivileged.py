"""A user to whom files can be forbidden: not root, who may run tests."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NOBODY = 65534


@contextmanager
def unprivileged_folder() -> Iterator[Path]:
    """Be a user without privileges, with a new folder of their own; who is one already stays who they are."""
    folder, root = Path(tempfile.mkdtemp()), os.geteuid() == 0
    try:
        if root:
            os.chown(folder, _NOBODY, _NOBODY)
            os.setresuid(_NOBODY, _NOBODY, 0)  # saved, so as to be root again
        yield folder
    finally:
        if root:
            os.setresuid(0, 0, 0)
        folder.chmod(0o700)
        shutil.rmtree(folder)
