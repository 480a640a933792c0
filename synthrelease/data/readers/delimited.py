"""CSV and TSV, plain or gzip, UTF-8, with a header line or with names that the plan gives.

Rows are counted and measured here, so that a short row is an error and a message names the line an editor shows. What is left, splitting and
casting, is the library's.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.data.readers.lists import refuse_missing_lists, unpacked_lists
from synthrelease.data.readers.reader import Piece, RowFilter, SingleFile, sliced, with_column
from synthrelease.data.readers.text_blocks import (
    QUOTES,
    blank_line,
    first_line_of,
    quote_not_closed,
    text_blocks,
    unpacked_text,
)
from synthrelease.data.readers.unreadable import refuse_unreadable
from synthrelease.data.readers.utf8 import check_text, without_mark
from synthrelease.data.source import Source
from synthrelease.errors import DataError

_OTHER_SEPARATORS = ";\t,|"
_NUMBER = re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?")


class Delimited(SingleFile):
    """Reader of comma-, tab- or otherwise separated text; every cell arrives as text."""

    name = "text"
    formats = ".csv, .tsv or .txt, plain or .gz"
    endings: tuple[str, ...] = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")
    uses: tuple[str, ...] = ("separator", "header", "stop_at_blank", "lists")

    def column_names(self, source: Source) -> list[str]:
        """Return the header's names, or those that the source gives."""
        with unpacked_text(source.path) as (_, file):
            names = _column_names(source, first_line_of(source.path, file))
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

    def counts(self, source: Source, column: str) -> bool:  # noqa: ARG002  as all formats
        """Whether cells are places: all are in the file."""
        return False


def other_table(source: Source) -> int | None:
    """Return the first blank line below which another table seems to begin: with another number of cells, or a first line without any number; None if there is none."""
    separator, columns = _separator(source), len(Delimited().column_names(source))
    blank, line = b"", 0
    for before, block in text_blocks(source.path):
        rows = block
        if not blank:
            start = blank_line(block, separator.encode(), is_first=not before)
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


def _parsed_blocks(source: Source, columns: list[str]) -> Iterator[Piece]:
    """Yield the named columns of one block after the other, and the line of each row."""
    path, chosen, header = source.path, _separator(source), b""
    for before, block in text_blocks(path, ends_with=chosen.encode() if source.stop_at_blank else None):
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
                remedy=QUOTES,
            )
        frame.columns = [names[place] for place in places]  # as the header is read here: without blanks
        yield frame.select(columns), lines


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
    newline, comma = raw == ord("\n"), raw == separator[0]
    # Of the names, and of each row: where it ends, the line on which it begins, and its fields.
    if b'"' in data:
        quote = raw == ord('"')
        marks = np.flatnonzero(newline | quote | comma)
        outside = np.cumsum(quote[marks]) % 2 == 0
        line_of_mark = np.cumsum(newline[marks]) - newline[marks] + first_line - 1
        if not outside[-1]:
            opening = line_of_mark[np.flatnonzero(quote[marks])[-1]]
            raise quote_not_closed(path, int(opening))
        last_mark = np.flatnonzero(newline[marks] & outside)
        ends = marks[last_mark]
        first_lines = np.concatenate([[first_line - 1], line_of_mark[last_mark[:-1]] + 1])
        counted = np.diff(np.cumsum(comma[marks] & outside)[last_mark], prepend=0) + 1
    else:
        ends = np.flatnonzero(newline)
        first_lines = np.arange(first_line - 1, first_line - 1 + ends.size)
        begins = np.concatenate([[0], ends[:-1] + 1])
        counted = np.add.reduceat(comma.view(np.int8), begins, dtype=np.int64) + 1
    wrong = np.flatnonzero(counted != fields)
    if wrong.size:
        row = wrong[0]
        more = f" (and {wrong.size - 1} more)" if wrong.size > 1 else ""
        begin, end = (int(ends[row - 1]) + 1 if row else 0), int(ends[row])
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
