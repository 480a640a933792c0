"""Which messages of an EyeLink recording say what was on the screen."""

from __future__ import annotations

import re
from pathlib import Path

from synthrelease.data.readers.opening import opened

_MESSAGE = re.compile(r"MSG\s+\S+\s+(.*)")
_PLAIN_WORD = re.compile(r"!?[A-Z][A-Z_]{1,29}")  # of an experiment's program, and no label of a participant
_MOST_WORDS = 12
# What an experiment that follows SR Research's own conventions writes before a trial's samples, the likeliest first, and after them.
_BEGINNINGS = (r"!V IMGLOAD \S+ (?P<stimulus>\S+)", r"TRIALID (?P<stimulus>\S+)")
_END = "(?P<stimulus>TRIAL_RESULT)"


def trial_messages(path: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return regular expressions for `messages`, and the plain first words of all messages.

    The expressions are those of messages that a trial begins with, and with which it ends, if any are there; else there are none.

    Args:
        path: of the .asc file.

    Raises:
        DataError, MachineError: it cannot be opened.
    """
    words: dict[str, None] = {}
    fitting: set[str] = set()
    with opened(path) as file:
        for line in file:
            message = _MESSAGE.match(line.decode("utf-8", errors="replace"))
            if message and (word := message[1].split(maxsplit=1)):
                fitting |= {
                    expression for expression in (*_BEGINNINGS, _END) if re.match(expression, message[1])
                }
                if len(words) < _MOST_WORDS and _PLAIN_WORD.fullmatch(word[0]):
                    words[word[0]] = None
    beginning = [expression for expression in _BEGINNINGS if expression in fitting][:1]
    end = [_END] if beginning and _END in fitting else []
    return (*beginning, *end), tuple(words)
