"""Values as YAML has them: in the forms that every reader takes alike, YAML 1.1 too."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from typing import Any

_INDENT = " " * 6  # of lines below a key of the third level


def scalar(value: Any) -> str:
    """Return a number, or a text between quotation marks."""
    if isinstance(value, float):
        digits, power, exponent = repr(value).partition("e")
        # Without a point, 1e-06 is a text to readers of YAML 1.1.
        return f"{digits if '.' in digits else digits + '.0'}{power}{exponent}"
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return "".join(letter if _printable(letter) else f"\\U{ord(letter):08X}" for letter in text)


def bullets(sentences: Sequence[str]) -> str:
    """Return sentences as one text, a line each: as they are, if all of them can stand so."""
    lines = [f"- {sentence}" for sentence in sentences]
    if lines and all(line == line.rstrip() and all(map(_printable, line)) for line in lines):
        return "\n".join(["|-", *(f"{_INDENT}{line}" for line in lines)])
    return scalar("\n".join(lines))


def _printable(letter: str) -> bool:
    """Whether a letter can stand in a file that a person completes: not if it turns the line round, or is not seen."""
    return letter.isprintable() or unicodedata.category(letter) == "Zs"
