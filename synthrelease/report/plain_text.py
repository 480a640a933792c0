"""Text from files of anybody, where a person is to read it."""

from __future__ import annotations


def plain(text: str) -> str:
    """Return text without characters that could steer a terminal or turn a line round: such a one as its number."""
    return "".join(c if c.isprintable() or c == "\n" else f"\\u{ord(c):04x}" for c in text)
