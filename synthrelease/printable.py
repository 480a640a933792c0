"""Text from outside (paths, names, titles, files of others), where a person is to read it."""

from __future__ import annotations

import re
from typing import Any

# What Python calls printable, and is not seen: default-ignorable code points that are letters or marks (Unicode 16, DerivedCoreProperties), and the
# blank pattern of Braille. A name with one looks like the name without it.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# Between the digits of our own numbers; Python does not call it printable.
_IN_NUMBERS = re.compile("(?<=[0-9])\N{NARROW NO-BREAK SPACE}(?=[0-9]{3})")

_REPR = 300  # characters of a `repr`
_SPACES = re.compile("([\N{NARROW NO-BREAK SPACE}\N{NO-BREAK SPACE}])")  # of numbers: they steer nothing


def printable(text: object) -> str:
    """Return text on one line, without characters that could steer a terminal, turn a line round, begin another, or not be seen: such a one as its number."""
    line = _IN_NUMBERS.sub(" ", str(text))
    if line.isprintable() and not _UNSEEN.search(line):
        return line
    return "".join(c if c.isprintable() and not _UNSEEN.match(c) else f"\\u{ord(c):04x}" for c in line)


def printable_lines(text: object) -> str:
    """Return text of several lines of our own: each as `printable` has it."""
    return "\n".join(map(printable, str(text).split("\n")))


def harmless(value: Any) -> Any:
    """Return text for a page without characters that could turn a line round; markup is ours, and what is no text stays as it is."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return "".join(
            part if n % 2 else printable_lines(part) for n, part in enumerate(_SPACES.split(value))
        )
    return value


def short_repr(value: object, text: str) -> str:
    """Return the `repr` of an object on one line of at most 300 characters: its class, and what it is."""
    line = f"<{type(value).__name__} {printable(text)}"
    return f"{line}>" if len(line) < _REPR else f"{line[: _REPR - 2]}…>"
