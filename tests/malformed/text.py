"""Text, plain and packed, that is not as a plan has it."""

from __future__ import annotations

import codecs
import gzip
import os
from collections.abc import Callable
from pathlib import Path

from malformed.case import GAZE, PERSON, VALUE, Case, Family, Write, bytewise, cut, put, rows, swapped

FILE, PACKED = "gaze.csv", "gaze.csv.gz"
HEADER = "who,picture,x,y,t"
LINE = f"{PERSON},sea,{VALUE},102.25,2\n"  # line 12
TEXT = HEADER + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows())
PLAIN = Family("text", "text", put(FILE, TEXT), {**GAZE, "path": FILE}, FILE)
GZIP = Family(
    "gzip",
    "text",
    put(PACKED, gzip.compress(TEXT.encode(), mtime=0)),
    {**GAZE, "path": PACKED},
    PACKED,
)


def _line(new: str | bytes) -> Write:
    return swapped(FILE, LINE, new)


def _cell(old: str, new: str) -> Write:
    return _line(LINE.replace(old, new))


def _text(change: Callable[[str], str]) -> Write:
    return bytewise(FILE, lambda content: change(content.decode()).encode())


def _unpacked(change: Callable[[bytes], bytes]) -> Write:
    return bytewise(PACKED, lambda content: gzip.compress(change(gzip.decompress(content)), mtime=0))


def _with_semicolons(text: str) -> str:
    return text.replace(",", ";")


def _with_decimal_commas(text: str) -> str:
    return text.replace(",", ";").replace(".", ",")


def _renamed(name: str) -> Write:
    return lambda folder: (folder / FILE).rename(folder / name)


def _piped(folder: Path) -> None:
    (folder / FILE).unlink()
    os.mkfifo(folder / FILE)


def _endless(folder: Path) -> None:
    (folder / FILE).unlink()
    (folder / FILE).symlink_to("/dev/zero")


_HTML = f"<!DOCTYPE html>\n<html><title>Sign in</title><p>{PERSON}</p></html>\n"
_LAST = TEXT.count("\n")

_PLAIN_CASES = [
    ("empty", put(FILE, b""), "empty-file", ""),
    ("blank lines only", put(FILE, b"\r\n\r\n  \n"), "empty-file", ""),
    ("a header only", put(FILE, HEADER + "\n"), "no-rows", ""),
    ("a blank first line", _text(lambda text: "\n" + text), "blank-first-line", "line 1"),
    ("a name twice", _text(lambda text: text.replace("\n", ",1\n").replace("t,1", "t,x", 1)), "duplicate-column", ""),
    ("a missing column", swapped(FILE, ",x,", ",x_px,"), "unknown-column", "'x'"),
    ("names in other letters", swapped(FILE, HEADER, HEADER.upper()), "unknown-column", "'who'"),
    ("no header", swapped(FILE, HEADER + "\n", ""), "no-header", ""),
    ("a line of remarks above the header", _text(lambda text: "# exported\n" + text), "unknown-column", "'who'"),
    ("semicolons", _text(_with_semicolons), "one-column", "line 1"),
    ("tabs", _text(lambda text: text.replace(",", "\t")), "one-column", "line 1"),
    ("decimal commas between commas", _text(lambda text: text.replace(".", ",")), "too-many-fields", "line 2 "),
    ("a row cut short", _line(f"{PERSON},sea,{VALUE}\n"), "too-few-fields", "line 12"),
    ("a row with a cell too many", _line(LINE.replace("\n", ",\n")), "too-many-fields", "line 12"),
    ("a blank line between rows", _line("\n" + LINE), "blank-line", "line 12"),
    ("a footer", _text(lambda text: text + "end of file\n"), "too-few-fields", f"line {_LAST + 1}"),
    ("cut off in the last row", bytewise(FILE, lambda text: text[:-9]), "too-few-fields", f"line {_LAST}"),
    ("a quote that is not closed", _cell(PERSON, '"' + PERSON), "open-quote", "line 12"),
    ("quotes within a cell, and a comma in them", _cell(PERSON, 'Zach"ari,a"s'), "stray-quote", "line 12"),
    ("latin-1", _line(LINE.replace(PERSON, PERSON + "ü").encode("latin-1")), "not-utf8", "line 12"),
    ("UTF-16", bytewise(FILE, lambda text: codecs.BOM_UTF16_LE + text.decode().encode("utf-16-le")), "utf16-or-binary", ""),
    ("UTF-16 without a mark", bytewise(FILE, lambda text: text.decode().encode("utf-16-be")), "utf16-or-binary", ""),
    ("a NUL byte", _line(LINE.encode().replace(b".8", b"\0.8")), "damaged-file", "line 12"),
    ("NUL bytes at the end", bytewise(FILE, lambda text: text + bytes(512)), "damaged-file", f"line {_LAST + 1}"),
    ("lines that end in CR", _text(lambda text: text.replace("\n", "\r")), "lines-not-told-apart", "line 1"),
    ("text where a number belongs", _cell(str(VALUE), f"{VALUE}px"), "bad-number", "line 12, column 'x'"),
    ("thousands apart by points", _cell(str(VALUE), "1.271.8281"), "bad-number", "line 12, column 'x'"),
    ("NaN", _cell("102.25", "NaN"), "nan", "line 12, column 'y'"),
    ("an infinite number", _cell("102.25", "-inf"), "infinite-number", "line 12, column 'y'"),
    ("no one", _cell(PERSON, " "), "missing-label", "line 12, column 'who'"),
    ("a control character in a label", _cell(PERSON, PERSON + "\x1b[31m"), "bad-label", "line 12, column 'who'"),
    ("a line break in a label", _cell(PERSON, f'"{PERSON}\nI"'), "bad-label", "line 12, column 'who'"),
    ("a label of a page", _cell(PERSON, PERSON * 50), "bad-label", "line 12, column 'who'"),
    ("a point off the screen", _cell("102.25", "301"), "point-off-screen", "line 12, column 'x' or 'y'"),
    ("a point left of the screen", _cell(str(VALUE), f"-{VALUE}"), "point-off-screen", "line 12, column 'x' or 'y'"),
    ("a time twice", _cell(",2\n", ",1\n"), "duplicate-time", "line 12, column 't'"),
    ("a time missing", _cell(",2\n", ",\n"), "missing-time", "line 12, column 't'"),
    ("a time of the clock", _cell(",2\n", ",12:30:01\n"), "bad-number", "line 12, column 't'"),
    ("a page of the web", put(FILE, _HTML), "unknown-column", "'who'"),
    ("a pointer to the file", put(FILE, "version https://git-lfs.github.com/spec/v1\noid sha256:8281\nsize 9\n"), "git-lfs-pointer", ""),
    ("a pipe", _piped, "not-a-regular-file", ""),
    ("a device without an end", _endless, "not-a-regular-file", ""),
    ("a file that is not there", lambda folder: (folder / FILE).unlink(), "no-such-file", ""),
]  # fmt: skip
_GZIP_CASES = [
    ("cut off", cut(PACKED), "cannot-unpack", ""),
    ("cut off before its end", bytewise(PACKED, lambda content: content[:-4]), "cannot-unpack", ""),
    ("not packed", put(PACKED, TEXT), "cannot-unpack", ""),
    ("a wrong sum", bytewise(PACKED, lambda content: content[:-8] + b"0000" + content[-4:]), "cannot-unpack", ""),
    ("bytes overwritten", bytewise(PACKED, lambda content: content[:60] + bytes(40) + content[100:]), "cannot-unpack", ""),
    ("more behind it", bytewise(PACKED, lambda content: content + PERSON.encode()), "cannot-unpack", ""),
    ("packed twice", _unpacked(lambda text: gzip.compress(text, mtime=0)), "packed-by-gzip", ""),
    ("no bytes", put(PACKED, b""), "empty-file", ""),
    ("nothing in it", _unpacked(lambda _: b""), "empty-file", ""),
    ("a row cut short", _unpacked(lambda text: text.replace(b",2\n", b"\n", 1)), "too-few-fields", "line 4"),
    ("latin-1", _unpacked(lambda text: text.replace(b"Zach", b"Z\xe4ch", 1)), "not-utf8", "line 10"),
]  # fmt: skip
CASES = [
    *(Case(name, PLAIN, damage, code, place) for name, damage, code, place in _PLAIN_CASES),
    Case("decimal commas", PLAIN, _text(_with_decimal_commas), "decimal-comma", "line 2, column 'x'", input={"separator": ";"}),
    Case("a decimal comma among points", PLAIN, _text(lambda text: _with_semicolons(text).replace("271.8", "271,8", 1)), "decimal-comma", "line 10, column 'x'", input={"separator": ";"}),
    Case("another separator than the plan has", PLAIN, lambda _: None, "unknown-column", "'who'", input={"separator": "|"}),
    Case("too few names in the plan", PLAIN, swapped(FILE, HEADER + "\n", ""), "too-many-fields", "line 1 ", input={"header": ["who", "picture", "x", "y"], "columns": {**GAZE["columns"], "time": "y"}}),
    Case("a header where the plan has names", PLAIN, lambda _: None, "bad-number", "line 1, column 'x'", input={"header": HEADER.split(",")}),
    Case("a negative duration", PLAIN, _cell(",2\n", ",-2\n"), "bad-duration", "line 12, column 't'", input={"columns": {**GAZE["columns"], "time": "y", "duration": "t"}}),
    Case("a name with another ending", PLAIN, _renamed("gaze.dat"), "no-reader", file="gaze.dat", input={"path": "gaze.dat"}),
    Case("text called packed", PLAIN, _renamed("gaze.csv.gz"), "cannot-unpack", file="gaze.csv.gz", input={"path": "gaze.csv.gz"}),
    *(Case(name, GZIP, damage, code, place) for name, damage, code, place in _GZIP_CASES),
]  # fmt: skip
