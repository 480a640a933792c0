"""Memory that is freed goes back to the system at once: what a process holds is then what it uses, and can be predicted.

Allocators keep some of it for later. Of parts of an input, one after the other, they kept up to 300 MB, and not the same in each run.
"""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress

# Arrays from this size on are pieces of memory of their own; of smaller ones so much is kept, as page after page would come back anew.
_MAPPED_BYTES = 1 << 22
_TRIMMED_BYTES = 8 * _MAPPED_BYTES
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # as malloc.h of the GNU C library has them
# Of that library, which NumPy allocates with, and of jemalloc, which polars brings along; both look at them when they are loaded.
RETURN_FREED = {
    "MALLOC_MMAP_THRESHOLD_": str(_MAPPED_BYTES),
    "MALLOC_TRIM_THRESHOLD_": str(_TRIMMED_BYTES),
    "_RJEM_MALLOC_CONF": "dirty_decay_ms:5",
}


def return_freed_memory() -> None:
    """Let this process, if it has not imported polars, and those that it starts give back what they free; elsewhere than on Linux nothing may change."""
    for name, setting in RETURN_FREED.items():
        os.environ.setdefault(name, setting)
    with suppress(OSError, AttributeError, TypeError):  # another C library
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _MAPPED_BYTES)
        ctypes.CDLL(None).mallopt(_TRIM_THRESHOLD, _TRIMMED_BYTES)
