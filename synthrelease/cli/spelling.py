"""Arguments as messages of the library name them, `force=True` or `person="who"`, spelt as options of the command line.

Whoever calls a function reads them as they are; this is the only place where they become `--force` and `--person who`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click

_ARGUMENT = re.compile(r'\b([a-z_]+)=(True\b|"[^"\\]*")')


def as_options(text: str, commands: click.Group) -> str:
    """Return a message with options where it names arguments that any of the commands has."""
    options = {option for param in _params(commands) for option in param.opts}

    def spelt(found: re.Match[str]) -> str:
        option = f"--{found[1].replace('_', '-')}"
        if option not in options:
            return found[0]
        return option if found[2] == "True" else f"{option} {shlex.quote(found[2][1:-1])}"

    return _ARGUMENT.sub(spelt, text)


def _params(commands: click.Group) -> Iterator[click.Parameter]:
    for command in commands.commands.values():
        yield from command.params
        if isinstance(command, click.Group):
            yield from _params(command)
