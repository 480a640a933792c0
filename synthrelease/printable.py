"""Text from outside (paths, names, titles, files of others), where a person is to read it."""

from __future__ import annotations

import re

# What Python calls printable, and is not seen: default-ignorable code points that are letters or marks (Unicode 16, DerivedCoreProperties), and the
# blank pattern of Braille. A name with one looks like the name without it.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# Between the digits of our own numbers; Python does not call it printable.
_IN_NUMBERS = re.compile("(?<=[0-9])\N{NARROW NO-BREAK SPACE}(?=[0-9]{3})")


def printable(text: object) -> str:
    """Return text on one line, without characters that could steer a terminal, turn a line round, begin another, or not be seen: such a one as its number."""
    line = _IN_NUMBERS.sub(" ", str(text))
    if line.isprintable() and not _UNSEEN.search(line):
        return line
    return "".join(c if c.isprintable() and not _UNSEEN.match(c) else f"\\u{ord(c):04x}" for c in line)


def printable_lines(text: object) -> str:
    """Return text of several lines of our own: each as `printable` has it."""
    return "\n".join(map(printable, str(text).split("\n")))
