"""Files that only their owner may read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO

_FOR_OWNER = 0o600


def open_private(path: Path) -> IO[str]:
    """Open a new or emptied text file that only its owner may read."""

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags, _FOR_OWNER)

    return open(path, "w", encoding="utf-8", opener=opener)
