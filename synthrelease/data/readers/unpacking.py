"""What a packed file may unpack to: a small file that becomes gigabytes is a mistake, or was made to do harm.

Tables of the field pack to a third, or to a tenth; columns of one value to a hundredth.
"""

from __future__ import annotations

from pathlib import Path

from synthrelease.errors import DataError

FREELY_BYTES = 1 << 28  # whatever the file's size
STREAMED_TIMES = 200  # the file's size, of text that is read in pieces
WHOLE_TIMES = 64  # the file's size, of a table that is read at once


def most_unpacked(packed_bytes: int, times: int) -> int:
    """Return how many bytes a file of a size may come to."""
    return FREELY_BYTES + times * packed_bytes


def refuse_unpacked(path: Path, *, packed_bytes: int, unpacked_bytes: int, times: int) -> None:
    """Refuse a file that unpacks to far more than tables do.

    Args:
        path: of the file.
        packed_bytes: its size, in bytes.
        unpacked_bytes: so many bytes it comes to, as far as is known.
        times: its size that it may come to beyond what is free.

    Raises:
        DataError: so it is.
    """
    if unpacked_bytes > most_unpacked(packed_bytes, times):
        raise DataError(
            "unpacks-to-too-much",
            "the file unpacks to far more than tables do",
            where=str(path),
            found=f"{unpacked_bytes / 1e6:.0f} MB or more, of a file of {packed_bytes / 1e6:.1f} MB",
            expected=f"at most {FREELY_BYTES >> 20} MiB, and {times} times its size",
            remedy="if it is sound, write it as text that is not packed (.csv)",
        )
