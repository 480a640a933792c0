"""CSV and TSV, plain or gzip, UTF-8, with a header line.

The file is opened and unpacked here, so that a truncated archive is an error and a name with brackets is no pattern;
rows are counted and measured here, so that a short row is an error and a message names the line an editor
shows. What is left, splitting and casting, is the library's.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import zlib
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.data.readers.opening import opened
from synthrelease.errors import DataError

_ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")
_OTHER_SEPARATORS = ";\t,|"
_LONGEST_HEADER = 1 << 24  # bytes


class Delimited:
    """Reader of comma-, tab- or otherwise separated text; every cell arrives as text."""

    formats = ".csv or .tsv, plain or .gz, with a header line"

    def matches(self, path: Path) -> bool:
        """Whether the name ends like delimited text."""
        return path.name.lower().endswith(_ENDINGS)

    def column_names(self, path: Path, separator: str | None) -> list[str]:
        """Return the header's names."""
        with opened(path) as file:
            if not path.name.lower().endswith(".gz"):
                return _header(path, _first_line(file), separator)
            try:
                with gzip.open(file) as unpacked:
                    return _header(path, _first_line(unpacked), separator)
            except (gzip.BadGzipFile, zlib.error, EOFError):
                raise _cannot_unpack(path) from None

    def read(
        self, path: Path, columns: list[str], separator: str | None
    ) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """Return the named columns as text, and the line of each row as an editor counts."""
        data = _content(path)
        names = _header(path, data.partition(b"\n")[0], separator)
        chosen = _separator(path, separator)
        places = sorted({names.index(column) for column in columns})
        lines = _measured(path, data, chosen.encode(), len(names))
        try:
            frame = pl.read_csv(
                data, columns=places, separator=chosen, infer_schema=False, raise_if_empty=False
            )
        except pl.exceptions.PolarsError:  # its message quotes cells; ours must not
            raise DataError(
                "the file cannot be read as delimited text",
                where=str(path),
                expected="quotes only around whole cells, doubled inside them",
            ) from None
        if frame.height != lines.size:
            raise DataError(
                "the rows of the file cannot be told apart", where=str(path), expected="one record a line"
            )
        frame.columns = [names[place] for place in places]  # as the header is read here: without blanks
        return frame.select(columns), lines

    def place(self, line: int) -> str:
        """Name a line."""
        return f"line {line}"


def _first_line(file: BinaryIO | gzip.GzipFile) -> bytes:
    """Return the first line; nothing if the whole file is blank."""
    line = file.readline(_LONGEST_HEADER)
    return line if line.strip() or file.read().strip() else b""


def _content(path: Path) -> bytes:
    """Return the unpacked file without byte order mark and blank lines at the end, checked to be UTF-8."""
    with opened(path) as file:
        data = file.read()
    if path.name.lower().endswith(".gz"):
        try:
            data = gzip.decompress(data)
        except (gzip.BadGzipFile, zlib.error, EOFError):
            raise _cannot_unpack(path) from None
    data = data.removeprefix(codecs.BOM_UTF8).rstrip(b"\r\n")
    _check_text(path, data)
    return data + b"\n"


def _check_text(path: Path, data: bytes) -> None:
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or b"\0" in data[:2]:
        raise _not_utf8(path, "UTF-16 or binary data", "utf-16")
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise DataError(
            "the file is damaged",
            where=f"{path}, line {line}",
            found="a NUL byte: binary data",
            expected="text",
        )
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), 1 << 20):
            decoder.decode(data[start : start + (1 << 20)])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise _not_utf8(path, "bytes that are not UTF-8", "latin1") from None


def _header(path: Path, line: bytes, separator: str | None) -> list[str]:
    line = line.removeprefix(codecs.BOM_UTF8)
    _check_text(path, line)
    text = line.decode("utf-8").strip("\r\n")
    if not line:
        raise DataError("the file is empty", where=str(path), expected="a header line and at least one row")
    if not text.strip():
        raise DataError(
            "the first line is blank", where=str(path), expected="a header line, and rows below it"
        )
    chosen = _separator(path, separator)
    try:
        names = [name.strip() for name in next(csv.reader([text], delimiter=chosen))]
    except csv.Error:
        raise DataError(
            "the lines of the file cannot be told apart",
            where=str(path),
            expected="lines that end in \\n or \\r\\n",
        ) from None
    if len(names) == 1 and separator is None:
        _suggest_separator(path, text, chosen)
    return names


def _suggest_separator(path: Path, text: str, chosen: str) -> None:
    for other in _OTHER_SEPARATORS:
        if other in text and other != chosen:
            shown = '"\\t"' if other == "\t" else f"'{other}'"
            raise DataError(
                "the header is one column only",
                where=str(path),
                found=f"columns separated by {shown}",
                expected="columns separated by a tab"
                if chosen == "\t"
                else f"columns separated by '{chosen}'",
                remedy=f"add separator = {shown} to the input in the plan",
            )


def _measured(path: Path, data: bytes, separator: bytes, fields: int) -> NDArray[np.int64]:
    """Return the line on which each data row begins; DataError if a row has not as many fields as the header.

    Quotes open and close alternately, a doubled one closes and opens: separators and line ends count outside.
    """
    raw = np.frombuffer(data, dtype=np.uint8)
    newline, quote, comma = raw == ord("\n"), raw == ord('"'), raw == separator[0]
    marks = np.flatnonzero(newline | quote | comma)
    outside = np.cumsum(quote[marks]) % 2 == 0
    line_of_mark = np.cumsum(newline[marks]) - newline[marks] + 1
    if not outside[-1]:
        opening = line_of_mark[np.flatnonzero(quote[marks])[-1]]
        raise DataError(
            "a quote is opened and not closed", where=f"{path}, line {opening}", expected="quotes in pairs"
        )
    ends = np.flatnonzero(newline[marks] & outside)
    commas = np.cumsum(comma[marks] & outside)[ends]
    counted = np.diff(commas, prepend=0) + 1
    first_lines = np.concatenate([[1], line_of_mark[ends[:-1]] + 1])
    wrong = np.flatnonzero(counted != fields)
    if wrong.size:
        row = wrong[0]
        more = f" (and {wrong.size - 1} more)" if wrong.size > 1 else ""
        raise DataError(
            f"a row has {'more' if counted[row] > fields else 'fewer'} fields than the header",
            where=f"{path}, line {first_lines[row]}{more}",
            found=f"{counted[row]} fields",
            expected=f"{fields} fields",
            remedy="complete the row or take it out; put quotes around cells that hold the separator",
        )
    return first_lines[1:].astype(np.int64)


def _separator(path: Path, separator: str | None) -> str:
    if separator is None:
        return "\t" if ".tsv" in path.name.lower() else ","
    if len(separator.encode()) != 1 or separator in '"\r\n':
        raise DataError(
            "the separator cannot be used", where=str(path), expected="one ASCII character that is no quote"
        )
    return separator


def _cannot_unpack(path: Path) -> DataError:
    return DataError(
        "the file cannot be unpacked",
        where=str(path),
        expected="gzip, as the name says",
        remedy="check that the file was copied completely",
    )


def _not_utf8(path: Path, found: str, encoding: str) -> DataError:
    return DataError(
        "the file is not UTF-8 text",
        where=str(path),
        found=found,
        expected="UTF-8",
        remedy=f"save it as UTF-8; for example: iconv -f {encoding} -t utf-8 OLD > NEW",
    )
