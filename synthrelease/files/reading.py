"""Reading files at any place, on systems with POSIX calls and on those without them."""

from __future__ import annotations

import os
import threading

# At once: a pipe would never open. Windows has neither these two nor pipes among files, and changes line ends unless asked not to.
OPEN_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_seeking = threading.Lock()  # place and reading belong together


def read_at(handle: int, size: int, offset: int) -> bytes:
    """Return at most so many bytes of an open file from a place on; none at its end. Threads may share the handle."""
    if hasattr(os, "pread"):
        return os.pread(handle, size, offset)
    with _seeking:
        os.lseek(handle, offset, os.SEEK_SET)
        return os.read(handle, size)
