"""What to do about an error in the words of pages: functions name arguments, and commands options."""

from __future__ import annotations

import re

from synthrelease.errors import Argument, Remedy

_BUILD = "on the page Build"
_VALUE = r"(\"[^\"]*\"|'[^']*'|[^\s;,]+)"
# In this order. What a page has no field for is done in a terminal, with the command below the page.
_WORDS = (
    (r", or name another file with -o", ""),
    (r"build --dry-run", "the page Check"),
    (r"--force", f"tick “Replace the bundle” {_BUILD}"),
    (r"--allow-losses", f"tick “Build even if most is left out” {_BUILD}"),
    (rf"--person {_VALUE}", r"choose \1 as the person"),
    (rf"(?<![`\w-])--[a-z]+[a-z-]*( {_VALUE})?", r"`\g<0>` in a terminal"),
)


def in_the_studio(remedy: str) -> str:
    """Return what to do, in the words of pages.

    Example:
        >>> in_the_studio("look with build --dry-run; if that is correct, --allow-losses")
        'look with the page Check; if that is correct, tick “Build even if most is left out” on the page Build'
    """
    text = remedy.spelt(_option) if isinstance(remedy, Remedy) else remedy
    for pattern, words in _WORDS:
        text = re.sub(pattern, words, text)
    return text


def _option(argument: Argument) -> str:
    """As commands spell it, so that both are one to the table above."""
    option = f"--{argument.name.replace('_', '-')}"
    return option if argument.value is True else f"{option} {argument.value}"
