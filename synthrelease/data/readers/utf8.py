"""Whether bytes are UTF-8 text, with the line on which they are not."""

from __future__ import annotations

import codecs
from pathlib import Path

from synthrelease.errors import DataError


def without_mark(data: bytes) -> bytes:
    """The beginning of a file without byte order marks: joined exports have several."""
    while data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
    return data


def check_text(
    path: Path, data: bytes, *, first_line: int = 1, anew: str = "save or export it as UTF-8"
) -> None:
    """Refuse what is no UTF-8 text.

    Args:
        path: of the file, for messages.
        data: whole lines of it.
        first_line: the number of the first.
        anew: how the file is made anew, for messages.

    Raises:
        DataError: it is none, or has NUL bytes.
    """
    if first_line == 1 and (data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or b"\0" in data[:2]):
        raise _not_utf8(
            "utf16-or-binary",
            str(path),
            "UTF-16 or binary data",
            f"{anew}; for example: iconv -f utf-16 -t utf-8 OLD > NEW",
        )
    if b"\0" in data:
        line = first_line + data.count(b"\n", 0, data.index(b"\0"))
        raise DataError(
            "damaged-file",
            "the file is damaged",
            where=f"{path}, line {line}",
            found="a NUL byte: binary data",
            expected="text",
            remedy=f"copy it anew, or {anew}; NUL bytes at its end are what a crash leaves of a file",
        )
    if data.isascii():
        return
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = first_line + data.count(b"\n", 0, error.start)
        raise _not_utf8(
            "not-utf8",
            f"{path}, line {line}",
            "bytes that are not UTF-8",
            f"{anew}; for example: iconv -f latin1 -t utf-8 OLD > NEW",
        ) from None


def _not_utf8(code: str, where: str, content: str, remedy: str) -> DataError:
    return DataError(
        code, "the file is not UTF-8 text", where=where, found=content, expected="UTF-8", remedy=remedy
    )
