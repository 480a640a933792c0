"""TOML from anyone: what a file may cost to parse is limited, since Python's parser has no limits."""

from __future__ import annotations

import re
import tomllib
from typing import Any

MOST_TOML_BYTES = 1 << 19  # of a file: 5000 stimuli with long names, or as many areas, are half of it
_MOST_PARTS = 16  # of a dotted key: each is stored with all before it
_TEXT = r"""(?:"(?:[^"\\\n]|\\.)*+"?+|'[^'\n]*+'?+)"""  # in one line, also if it is not closed
_PART = rf"(?:[\w-]++|{_TEXT})"
_DOT = r"[ \t]*+\.[ \t]*+"
# What may hold anything, or a key: a text of several lines, a comment, or parts with dots between them, such as one text.
_KEY_OR_TEXT = re.compile(
    r'"""(?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*+(?:"{3,5})?+'
    r"|'''(?:[^']|'{1,2}(?!'))*+(?:'{3,5})?+"
    rf"|#[^\n]*+|(?P<key>{_PART}(?:{_DOT}{_PART})*+)",
    re.ASCII,
)
_LONG_KEY = re.compile(rf"(?:{_PART}{_DOT}){{{_MOST_PARTS}}}", re.ASCII)
_LONG_NUMBER = re.compile(r"(?<![\w-])[0-9_]{1000}", re.ASCII)


def toml_tables(text: str) -> dict[str, Any]:
    """Return the tables of a text.

    Raises:
        TOMLDecodeError: it is not TOML, is too long, or has a key or a number that no one writes.
        RecursionError: it is nested too deeply.
    """
    if len(text) > MOST_TOML_BYTES:
        raise tomllib.TOMLDecodeError(f"More than {MOST_TOML_BYTES} characters (at end of document)")
    for key in _KEY_OR_TEXT.finditer(text):
        if key["key"] and _LONG_KEY.match(key["key"]):
            raise _error(f"A dotted key of more than {_MOST_PARTS} parts", text, key.start())
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # Python makes no whole number of thousands of digits
        found = _LONG_NUMBER.search(text)
        raise _error("A number of thousands of digits", text, found.start() if found else 0) from None


def _error(what: str, text: str, place: int) -> tomllib.TOMLDecodeError:
    """As the parser itself says where something is."""
    column = place - text.rfind("\n", 0, place)
    return tomllib.TOMLDecodeError(f"{what} (at line {text.count(chr(10), 0, place) + 1}, column {column})")
