"""CSV and TSV, plain or gzip, UTF-8, with a header line or with names that the plan gives.

The file is opened and unpacked here, so that a truncated archive is an error and a name with brackets is no pattern;
rows are counted and measured here, so that a short row is an error and a message names the line an editor
shows. What is left, splitting and casting, is the library's.
"""

from __future__ import annotations

import csv
import gzip
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.data.readers.lists import refuse_missing_lists, unpacked_lists
from synthrelease.data.readers.opening import opened
from synthrelease.data.readers.reader import Piece, RowFilter, SingleFile, sliced, with_column
from synthrelease.data.readers.unpacking import STREAMED_TIMES, refuse_unpacked
from synthrelease.data.readers.unreadable import refuse_unreadable
from synthrelease.data.readers.utf8 import check_text, without_mark
from synthrelease.data.source import Source
from synthrelease.errors import DataError

_OTHER_SEPARATORS = ";\t,|"
_NUMBER = re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?")
_LONGEST_ROW_BYTES = 1 << 24  # and of the header
_MOST_BLANK_BYTES = 1 << 20  # blank lines between rows, or at the end
_BLOCK_BYTES = 1 << 22  # text that is parsed at a time, or as much as a row has
_QUOTES = (
    "close the quote, or double it within a cell in quotes; a cell with a quote of its own stands in quotes"
)


class Delimited(SingleFile):
    """Reader of comma-, tab- or otherwise separated text; every cell arrives as text."""

    name = "text"
    formats = ".csv, .tsv or .txt, plain or .gz"
    endings: tuple[str, ...] = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")
    uses: tuple[str, ...] = ("separator", "header", "stop_at_blank", "lists")

    def column_names(self, source: Source) -> list[str]:
        """Return the header's names, or those that the source gives."""
        with _unpacked(source.path) as (_, file):
            names = _column_names(source, _first_line(source.path, file))
        refuse_missing_lists(source, names)
        return names

    def slices(
        self, source: Source, columns: list[str], most_rows: int, row_filter: RowFilter | None = None
    ) -> Iterator[Piece]:
        """Yield the named columns as text, and the line of each row as an editor counts."""
        needed = list(dict.fromkeys([*columns, *source.lists]))  # the lists say how many rows there are
        for rows in _parsed_blocks(source, with_column(needed, row_filter)):
            chosen = rows if row_filter is None else row_filter.chosen(rows, needed)
            frame, lines = unpacked_lists(chosen, source) if source.lists else chosen
            yield from sliced((frame.select(columns), lines), most_rows)

    def place(self, source: Source, line: int) -> str:  # noqa: ARG002  as all formats
        """Name a line."""
        return f"line {line}"


def other_table(source: Source) -> int | None:
    """Return the first blank line below which another table seems to begin: with another number of cells, or a first line without any number; None if there is none."""
    separator, columns = _separator(source), len(Delimited().column_names(source))
    blank, line = b"", 0
    for before, block in _blocks(source.path):
        rows = block
        if not blank:
            start = _blank_line(block, separator.encode(), is_first=not before)
            if start is None:
                continue
            line = before + block.count(b"\n", 0, start) + 1
            blank, _, rows = block[start:].partition(b"\n")
        below = rows.lstrip(f"\r\n \t{separator}".encode()).split(b"\n", 1)[0].decode(errors="replace")
        if below:
            cells = next(csv.reader([below.strip("\r")], delimiter=separator))
            if separator.encode() in blank:  # filled up with empty cells, as spreadsheets do
                cells = "\0".join(cells).rstrip("\0 ").split("\0")
            return line if len(cells) != columns or not any(map(_NUMBER.fullmatch, cells)) else None
    return None


def _first_line(path: Path, file: BinaryIO | gzip.GzipFile) -> bytes:
    """Return the first line; nothing if the whole file is blank, as far as is looked."""
    line = file.readline(_LONGEST_ROW_BYTES + 1)
    if len(line) > _LONGEST_ROW_BYTES:
        raise _too_long(path, 1)
    if line.strip():
        return line
    below = file.read(_MOST_BLANK_BYTES)
    return line if below.strip() or len(below) == _MOST_BLANK_BYTES else b""


@contextmanager
def _unpacked(path: Path) -> Iterator[tuple[int, BinaryIO | gzip.GzipFile]]:
    """The size of a file, and the file as text."""
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


def _parsed_blocks(source: Source, columns: list[str]) -> Iterator[Piece]:
    """Yield the named columns of one block after the other, and the line of each row."""
    path, chosen, header = source.path, _separator(source), b""
    for before, block in _blocks(path, ends_with=chosen.encode() if source.stop_at_blank else None):
        rows, first = block, before + 1
        if not header:
            line, _, below = block.partition(b"\n")
            names = _column_names(source, line)
            places = sorted({names.index(column) for column in columns})
            if source.header:  # the library is given a header all the same
                header = chosen.encode().join(b"%d" % number for number in range(len(names)))
            else:
                header, rows, first = line, below, before + 2
        check_text(path, rows, first_line=first)
        data = header + b"\n" + rows
        lines = _row_lines(path, data, chosen.encode(), len(names), first_line=first)
        try:
            frame = pl.read_csv(
                data, columns=places, separator=chosen, infer_schema=False, raise_if_empty=False
            )
        except pl.exceptions.PolarsError:  # its message quotes cells; ours must not
            frame = None
        if frame is None or frame.height != lines.size:
            raise DataError(
                "stray-quote",
                "the file cannot be read as delimited text",
                where=f"{path}{_stray_quote(data, chosen.encode(), first_line=first)}",
                expected="one record a line, and quotes only around whole cells, doubled inside them",
                remedy=_QUOTES,
            )
        frame.columns = [names[place] for place in places]  # as the header is read here: without blanks
        yield frame.select(columns), lines


def _blocks(path: Path, *, ends_with: bytes | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield the unpacked file in blocks of whole rows, with the number of lines before each.

    Without byte order mark and blank lines at the end; the last line always ends.

    Args:
        path: of the file.
        ends_with: the separator, where the rows end at the first line of nothing but blanks and separators.
    """
    with _unpacked(path) as (packed, unpacked):
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
                end = None if ends_with is None else _blank_line(block, ends_with, is_first=first)
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


def _blank_line(block: bytes, separator: bytes, *, is_first: bool) -> int | None:
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
        raise _not_closed(path, lines + 1) if carried.count(b'"') % 2 else _too_long(path, lines + 1)


def _whole_rows(data: bytes) -> int:
    """How many of some bytes, which begin with a row, are whole rows: none ends within quotes, or before blank lines."""
    raw = np.frombuffer(data, dtype=np.uint8)
    newline, quote = raw == ord("\n"), raw == ord('"')
    marks = np.flatnonzero(newline | quote)
    outside = np.cumsum(quote[marks]) % 2 == 0
    ends = marks[newline[marks] & outside]
    # The line end after the last row with anything in it: what follows may be the blank end of the file.
    filled = len(data.rstrip(b"\r\n"))
    ends = ends[ends < filled]
    return int(ends[-1]) + 1 if ends.size else 0


def _column_names(source: Source, line: bytes) -> list[str]:
    """The names of the columns: of the first line, or those that the source gives."""
    path = source.path
    refuse_unreadable(path, line)
    line = without_mark(line)
    check_text(path, line)
    if not line:
        raise DataError(
            "empty-file",
            "the file is empty",
            where=str(path),
            expected="at least one row" if source.header else "a header line and at least one row",
            remedy="check that the file was copied, or exported, completely",
        )
    if source.header:
        return list(source.header)
    text = line.decode("utf-8").strip("\r\n")
    if not text.strip():
        raise DataError(
            "blank-first-line",
            "the first line is blank",
            where=f"{path}, line 1",
            expected="a header line, and rows below it",
            remedy="take out the blank lines above the header",
        )
    chosen = _separator(source)
    try:
        names = [name.strip() for name in next(csv.reader([text], delimiter=chosen))]
    except csv.Error:
        raise DataError(
            "lines-not-told-apart",
            "the lines of the file cannot be separated",
            where=f"{path}, line 1",
            expected="lines that end in \\n or \\r\\n",
            remedy="end its lines otherwise; for example: tr '\\r' '\\n' < OLD > NEW",
        ) from None
    if len(names) == 1 and source.separator is None:
        _suggest_separator(path, text, chosen)
    return names


def _suggest_separator(path: Path, text: str, chosen: str) -> None:
    for candidate in _OTHER_SEPARATORS:
        if candidate in text and candidate != chosen:
            shown = '"\\t"' if candidate == "\t" else f"'{candidate}'"
            raise DataError(
                "one-column",
                "the header is one column only",
                where=f"{path}, line 1",
                found=f"columns separated by {shown}",
                expected="columns separated by a tab"
                if chosen == "\t"
                else f"columns separated by '{chosen}'",
                remedy=f"add separator = {shown} to the input in the plan",
            )


def _row_lines(
    path: Path, data: bytes, separator: bytes, fields: int, *, first_line: int
) -> NDArray[np.int64]:
    """Return the line on which each data row begins; DataError if a row has not as many fields as there are names.

    The data begin with a line of names; the row below is on line `first_line` of the file. Quotes open and close alternately, a
    doubled one closes and opens: separators and line ends count outside.
    """
    raw = np.frombuffer(data, dtype=np.uint8)
    newline, quote, comma = raw == ord("\n"), raw == ord('"'), raw == separator[0]
    marks = np.flatnonzero(newline | quote | comma)
    outside = np.cumsum(quote[marks]) % 2 == 0
    line_of_mark = np.cumsum(newline[marks]) - newline[marks] + first_line - 1
    if not outside[-1]:
        opening = line_of_mark[np.flatnonzero(quote[marks])[-1]]
        raise _not_closed(path, int(opening))
    ends = np.flatnonzero(newline[marks] & outside)
    commas = np.cumsum(comma[marks] & outside)[ends]
    counted = np.diff(commas, prepend=0) + 1
    # Of the names, and of each row.
    first_lines = np.concatenate([[first_line - 1], line_of_mark[ends[:-1]] + 1])
    wrong = np.flatnonzero(counted != fields)
    if wrong.size:
        row = wrong[0]
        more = f" (and {wrong.size - 1} more)" if wrong.size > 1 else ""
        begin, end = (int(marks[ends[row - 1]]) + 1 if row else 0), int(marks[ends[row]])
        if not data[begin:end].strip():
            raise _blank(path, int(first_lines[row]))
        raise DataError(
            "too-many-fields" if counted[row] > fields else "too-few-fields",
            f"a row has {'more' if counted[row] > fields else 'fewer'} fields than the header",
            where=f"{path}, line {first_lines[row]}{more}",
            found=f"{counted[row]} fields",
            expected=f"{fields} fields",
            remedy="complete the row or take it out; put quotes around cells that hold the separator",
        )
    return first_lines[1:].astype(np.int64)


def _stray_quote(data: bytes, separator: bytes, *, first_line: int) -> str:
    """The line of the first quote that opens in the midst of a cell, which only some take for one; the data are those of `_row_lines`."""
    raw = np.frombuffer(data, dtype=np.uint8)
    opening = np.flatnonzero(raw == ord('"'))[::2]
    before = raw[opening - 1]
    stray = opening[(opening > 0) & ~np.isin(before, list(separator + b'\n"'))]
    return f", line {first_line - 1 + data.count(bytes([10]), 0, int(stray[0]))}" if stray.size else ""


def _separator(source: Source) -> str:
    path, separator = source.path, source.separator
    if separator is None:
        return "\t" if ".tsv" in path.name.lower() else ","
    if len(separator.encode()) != 1 or separator in '"\r\n':
        raise DataError(
            "bad-separator",
            "the separator cannot be used",
            where=str(path),
            expected="one ASCII character that is no quote",
            remedy="correct the input's `separator`",
        )
    return separator


def _blank(path: Path, line: int) -> DataError:
    return DataError(
        "blank-line",
        "a line is blank, and there are others below it",
        where=f"{path}, line {line}",
        expected="one table, without blank lines between its rows",
        remedy="if another table begins below it, add stop_at_blank = true to the input in the plan, which reads the rows above; otherwise take the line out",
    )


def _not_closed(path: Path, line: int) -> DataError:
    return DataError(
        "open-quote",
        "a quote is opened and not closed",
        where=f"{path}, line {line}",
        expected="quotes in pairs",
        remedy=_QUOTES,
    )


def _too_long(path: Path, line: int) -> DataError:
    return DataError(
        "row-too-long",
        "a line is too long for a table",
        where=f"{path}, line {line}",
        expected=f"at most {_LONGEST_ROW_BYTES >> 20} MiB",
        remedy="check that the file is a table, and that its lines end in \\n or \\r\\n",
    )
