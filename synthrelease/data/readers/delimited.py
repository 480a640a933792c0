"""CSV and TSV, plain or gzip, UTF-8, with a header line."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import polars as pl

from synthrelease.errors import DataError

_ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")


class Delimited:
    """Reader of comma-, tab- or otherwise separated text; every cell arrives as text."""

    formats = ".csv or .tsv, plain or .gz, with a header line"

    def matches(self, path: Path) -> bool:
        """Whether the name ends like delimited text."""
        return path.name.lower().endswith(_ENDINGS)

    def column_names(self, path: Path, separator: str | None) -> list[str]:
        """Return the header's names."""
        header = _first_line(path)
        chosen = separator or _default_separator(path)
        frame = _guarded(path, lambda: pl.read_csv(header.encode(), separator=chosen, infer_schema=False))
        if len(frame.columns) == 1 and separator is None:
            for other in (";", "\t", ",", "|"):
                if other in header:
                    raise DataError(
                        "the header is one column only",
                        where=str(path),
                        found=f"columns separated by {other!r}",
                        expected=f"columns separated by {chosen!r}",
                        remedy=f"add separator = {other!r} to the input in the plan",
                    )
        return frame.columns

    def read(self, path: Path, columns: list[str], separator: str | None) -> pl.DataFrame:
        """Return the named columns as text."""
        chosen = separator or _default_separator(path)
        return _guarded(
            path, lambda: pl.read_csv(path, columns=columns, separator=chosen, infer_schema=False)
        ).select(columns)

    def line(self, row: int) -> str:
        """Lines are counted from 1 and the header is the first."""
        return f"line {row + 2}"


def _default_separator(path: Path) -> str:
    return "\t" if ".tsv" in path.name.lower() else ","


def _first_line(path: Path) -> str:
    try:
        with gzip.open(path) if path.name.endswith(".gz") else path.open("rb") as file:
            raw = file.readline(1 << 20)
    except (gzip.BadGzipFile, zlib.error, EOFError):
        raise DataError(
            "the file cannot be unpacked",
            where=str(path),
            expected="gzip, as the name says",
            remedy="check that the file was copied completely",
        ) from None
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in raw:
        raise _not_utf8(path, "UTF-16 or binary data")
    if not raw.strip():
        raise DataError("the file is empty", where=str(path), expected="a header line and at least one row")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _not_utf8(path, "bytes that are not UTF-8 in the header") from None


def _guarded(path: Path, read: object) -> pl.DataFrame:
    # The library's messages quote cells; ours must not, hence no chaining.
    try:
        frame: pl.DataFrame = read()  # type: ignore[operator]
    except pl.exceptions.NoDataError:
        raise DataError(
            "the file has no rows", where=str(path), expected="a header line and at least one row"
        ) from None
    except pl.exceptions.DuplicateError:
        raise DataError("two columns have the same name", where=str(path)) from None
    except pl.exceptions.PolarsError as error:
        text = str(error).lower()
        if "utf" in text:
            raise _not_utf8(path, "bytes that are not UTF-8") from None
        raise DataError(
            "the file cannot be read as delimited text",
            where=str(path),
            found="more fields in a row than in the header" if "more fields" in text else "broken rows",
            expected="as many fields in every row as the header has, quotes closed",
        ) from None
    return frame


def _not_utf8(path: Path, found: str) -> DataError:
    return DataError(
        "the file is not UTF-8 text",
        where=str(path),
        found=found,
        expected="UTF-8",
        remedy="save it as UTF-8; for example: iconv -f latin1 -t utf-8 OLD > NEW",
    )
