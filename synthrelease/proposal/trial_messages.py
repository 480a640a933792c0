"""Which messages of an EyeLink recording say what was on the screen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from synthrelease.data.readers.opening import opened
from synthrelease.settings_file import FILL_IN

_MESSAGE = re.compile(r"MSG\s+\S+\s+(.*)")
_PLAIN_WORD = re.compile(r"!?[A-Z][A-Z_]{1,29}")  # of an experiment's program, and no label of anybody
_MOST_WORDS = 12
# Patterns, the likeliest first: what an experiment that follows SR Research's own conventions writes before a trial's samples.
_PATTERNS = (
    (re.compile(r"!V IMGLOAD\b"), r"!V IMGLOAD \S+ (?P<stimulus>\S+)"),
    (re.compile(r"TRIALID\b"), r"TRIALID (?P<stimulus>\S+)"),
)
_END = (re.compile(r"TRIAL_RESULT\b"), "(?P<stimulus>TRIAL_RESULT)")


def trial_messages(path: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return regular expressions for `messages`, and the plain first words of all messages.

    The expressions are those of messages that a trial begins with, and with which it ends, if any are there; else there are none.

    Args:
        path: of the .asc file.

    Raises:
        DataError, MachineError: it cannot be opened.
    """
    with opened(path) as file:
        texts = [
            found[1] for line in file if (found := _MESSAGE.match(line.decode("utf-8", errors="replace")))
        ]
    chosen = next((pattern for sign, pattern in _PATTERNS if any(map(sign.match, texts))), None)
    if chosen is None:
        return (), _words(texts)
    ends = any(map(_END[0].match, texts))
    return (chosen, _END[1]) if ends else (chosen,), _words(texts)


def _words(texts: Iterable[str]) -> tuple[str, ...]:
    first = (text.split(maxsplit=1)[0] for text in texts if text.strip())
    return tuple(dict.fromkeys(word for word in first if _PLAIN_WORD.fullmatch(word)))[:_MOST_WORDS]


def messages_lines(messages: Iterable[str], words: Iterable[str]) -> list[str]:
    """Return the lines of a plan's input for messages, with what to decide beside them."""
    told = ", ".join(words)
    comment = "# What the samples belong to: a regular expression of the messages that say it, with a group of the column's name."
    return [
        comment + (f" There are messages {told}." if told else ""),
        "messages = [" + (", ".join(f"'{one}'" for one in messages) or f'"{FILL_IN}"') + "]",
    ]
