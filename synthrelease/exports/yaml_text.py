"""YAML of plain values: the part of it that every reader takes alike, with room for what is still to be written."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from typing import Any

_INDENT = "  "


def as_yaml(document: dict[str, Any], *, blanks: dict[str, str]) -> str:
    """Return a document of mappings, lists, texts and numbers as YAML.

    Args:
        document: keys are of letters, digits and `_`.
        blanks: what is to be filled in, by the path of its key with slashes: `a/b` stands as a comment at the end of `a`.
    """
    return "".join(f"{line}\n" for line in _mapping(document, "", "", blanks))


def _mapping(document: dict[str, Any], indent: str, path: str, blanks: dict[str, str]) -> Iterator[str]:
    for key, value in document.items():
        here = f"{path}{key}/"
        if isinstance(value, dict) and value:
            yield f"{indent}{key}:"
            yield from _mapping(value, indent + _INDENT, here, blanks)
        elif isinstance(value, list) and value:
            yield f"{indent}{key}:"
            yield from _items(value, indent + _INDENT, here, blanks)
        elif isinstance(value, str) and "\n" in value and _literal(value):
            yield f"{indent}{key}: |-"
            yield from (f"{indent}{_INDENT}{line}" for line in value.split("\n"))
        else:
            yield f"{indent}{key}: {_scalar(value)}"
    for key, told in blanks.items():
        if key.rpartition("/")[0] == path.rstrip("/"):
            yield f"{indent}# {key.rpartition('/')[2]}: {told}"


def _items(values: list[Any], indent: str, path: str, blanks: dict[str, str]) -> Iterator[str]:
    for value in values:
        if isinstance(value, dict):
            head, *rest = _mapping(value, indent + _INDENT, path, blanks)
            yield f"{indent}- {head.lstrip()}"
            yield from rest
        else:
            yield f"{indent}- {_scalar(value)}"


def _literal(text: str) -> bool:
    """Whether a text can stand as it is: nothing but what can be printed, and lines that begin and end with a word."""
    lines = text.split("\n")
    return all(line and line == line.strip() and all(map(_printable, line)) for line in lines)


def _printable(letter: str) -> bool:
    """Whether a letter can stand in a file that a person completes: not if it turns the line round, or is not seen."""
    return letter.isprintable() or unicodedata.category(letter) == "Zs"


def _scalar(value: Any) -> str:
    if isinstance(value, float):
        digits, power, exponent = repr(value).partition("e")
        # Without a point, 1e-06 is a text to readers of YAML 1.1.
        return f"{digits if '.' in digits else digits + '.0'}{power}{exponent}"
    if not isinstance(value, str) or all(map(_printable, value)):
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    return "".join(
        letter if _printable(letter) else f"\\U{ord(letter):08X}"
        for letter in json.dumps(value, ensure_ascii=False)
    )
