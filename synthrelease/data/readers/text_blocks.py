"""Text, plain or packed by gzip, in blocks of whole rows: of any length, in little memory.

The file is opened and unpacked here, so that a truncated archive is an error and a name with brackets is no pattern.
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

from synthrelease.data.readers.opening import opened
from synthrelease.data.readers.unpacking import STREAMED_TIMES, refuse_unpacked
from synthrelease.data.readers.utf8 import without_mark
from synthrelease.errors import DataError

_LONGEST_ROW_BYTES = 1 << 24  # and of the header
_MOST_BLANK_BYTES = 1 << 20  # blank lines between rows, or at the end
_BLOCK_BYTES = 1 << 22  # text that is parsed at a time, or as much as a row has
QUOTES = (
    "close the quote, or double it within a cell in quotes; a cell with a quote of its own stands in quotes"
)


@contextmanager
def unpacked_text(path: Path) -> Iterator[tuple[int, BinaryIO | gzip.GzipFile]]:
    """Give the size of a file, and the file as text; DataError if it is no gzip of that name, or not all of it."""
    is_packed = path.name.lower().endswith(".gz")
    with opened(path) as file, gzip.open(file) if is_packed else file as unpacked:
        try:
            yield os.fstat(file.fileno()).st_size, unpacked
        except (gzip.BadGzipFile, zlib.error, EOFError):
            raise DataError(
                "cannot-unpack",
                "the file cannot be unpacked",
                where=str(path),
                expected="gzip, as the name says",
                remedy="check that the file was copied completely",
            ) from None


def first_line_of(path: Path, file: BinaryIO | gzip.GzipFile) -> bytes:
    """Return the first line; nothing if the whole file is blank, as far as is looked."""
    line = file.readline(_LONGEST_ROW_BYTES + 1)
    if len(line) > _LONGEST_ROW_BYTES:
        raise row_too_long(path, 1)
    if line.strip():
        return line
    below = file.read(_MOST_BLANK_BYTES)
    return line if below.strip() or len(below) == _MOST_BLANK_BYTES else b""


def text_blocks(path: Path, *, ends_with: bytes | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield the unpacked file in blocks of whole rows, with the number of lines before each.

    Without byte order mark and blank lines at the end; the last line always ends.

    Args:
        path: of the file.
        ends_with: the separator, where the rows end at the first line of nothing but blanks and separators.
    """
    with unpacked_text(path) as (packed, unpacked):
        lines, first, carried, size = 0, True, b"", 0
        while True:
            new_bytes = unpacked.read(_BLOCK_BYTES)
            size += len(new_bytes)
            refuse_unpacked(path, packed_bytes=packed, unpacked_bytes=size, times=STREAMED_TIMES)
            data = carried + new_bytes
            if first:
                data = without_mark(data)
            whole_bytes = len(data.rstrip(b"\r\n")) if not new_bytes else _whole_rows(data)
            if not new_bytes or whole_bytes:
                block, carried = data[:whole_bytes], data[whole_bytes:]
                end = None if ends_with is None else blank_line(block, ends_with, is_first=first)
                if end is not None:
                    yield lines, block[:end]
                    return
                if first or block:
                    block += b"" if new_bytes else b"\n"
                    yield lines, block
                    lines, first = lines + block.count(b"\n"), False
            else:
                carried = data
                _refuse_endless(path, carried, lines)
            if not new_bytes:
                return


def blank_line(block: bytes, separator: bytes, *, is_first: bool) -> int | None:
    """Where the first line of nothing but blanks and separators begins in some whole rows; None if there is none. The file's first line is not looked at."""
    quotes = counted = 0
    for match in re.finditer(rb"\n[ \t\r%s]*(?=\n)" % re.escape(separator), b"\n" + block):
        start = match.start()  # in the block, of what follows the line's end
        quotes, counted = quotes + block.count(b'"', counted, start), start
        if not (is_first and start == 0) and not quotes % 2:
            return start
    return None


def _refuse_endless(path: Path, carried: bytes, lines: int) -> None:
    """Refuse blank lines without end, and a row that is too long; some bytes that begin with a row, and hold no whole one."""
    filled = len(carried.rstrip(b"\r\n"))
    if len(carried) - filled > _MOST_BLANK_BYTES:
        raise DataError(
            "too-many-blank-lines",
            "the file has blank lines without end",
            where=f"{path}, after line {lines + 1 + carried.count(10, 0, filled)}",
            expected=f"at most {_MOST_BLANK_BYTES >> 20} MiB of them",
            remedy="take the blank lines out",
        )
    if filled > _LONGEST_ROW_BYTES:
        raise quote_not_closed(path, lines + 1) if carried.count(b'"') % 2 else row_too_long(path, lines + 1)


def _whole_rows(data: bytes) -> int:
    """How many of some bytes, which begin with a row, are whole rows: none ends within quotes, or before blank lines."""
    # The line end after the last row with anything in it: what follows may be the blank end of the file.
    filled = len(data.rstrip(b"\r\n"))
    if b'"' not in data:
        return data.rfind(b"\n", 0, filled) + 1
    raw = np.frombuffer(data, dtype=np.uint8)
    newline, quote = raw == ord("\n"), raw == ord('"')
    marks = np.flatnonzero(newline | quote)
    outside = np.cumsum(quote[marks]) % 2 == 0
    ends = marks[newline[marks] & outside]
    ends = ends[ends < filled]
    return int(ends[-1]) + 1 if ends.size else 0


def quote_not_closed(path: Path, line: int) -> DataError:
    """Return the refusal of a quote that is opened on a line."""
    return DataError(
        "open-quote",
        "a quote is opened and not closed",
        where=f"{path}, line {line}",
        expected="quotes in pairs",
        remedy=QUOTES,
    )


def row_too_long(path: Path, line: int) -> DataError:
    """Return the refusal of a line."""
    return DataError(
        "row-too-long",
        "a line is too long for a table",
        where=f"{path}, line {line}",
        expected=f"at most {_LONGEST_ROW_BYTES >> 20} MiB",
        remedy="check that the file is a table, and that its lines end in \\n or \\r\\n",
    )
