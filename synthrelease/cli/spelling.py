"""What a message says to do, with arguments of functions as options of the command line: `--force` for `force=True`."""

from __future__ import annotations

import shlex

from synthrelease.errors import Argument, Remedy


def as_options(remedy: str) -> str:
    """Return what to do with options where it names arguments."""
    return remedy.spelt(_option) if isinstance(remedy, Remedy) else remedy


def _option(argument: Argument) -> str:
    option = f"--{argument.name.replace('_', '-')}"
    return option if argument.value is True else f"{option} {shlex.quote(argument.value)}"
