"""Text from files of anybody, where a person is to read it."""

from __future__ import annotations


def plain(text: str) -> str:
    """Return text without characters that could steer a terminal or turn a line round: such a one as its number."""
    return "\n".join(line if line.isprintable() else _with_numbers(line) for line in text.split("\n"))


def _with_numbers(line: str) -> str:
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in line)
