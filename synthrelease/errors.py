"""Every error synthrelease raises on purpose, and the exit code it ends with.

    SynthReleaseError
    ├── BundleError      1   a bundle is not what it claims to be
    │   └── FaultyBundleError    verification failed; the findings are listed
    ├── InputError       3   what the curator wrote or supplied is not valid
    │   ├── PlanError        the plan
    │   ├── DataError        the data
    │   └── ArgumentError    what a program called a function with; a ValueError, too
    ├── PolicyError      4   refused, because the guarantee would not hold
    ├── MachineError     6   disk, permission, missing extra
    └── NotConfirmedError 130  the curator said no

An error has a `code`, which programs and tests compare, and which stays when a sentence is improved. A message says what
is wrong and where, what was found and expected, and what to do, in three short lines. It never repeats a cell of private
data: `found` holds the *kind* of a value ("text", "infinite number"), not the value.
"""

from __future__ import annotations

import difflib
import json
import shlex
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple, Self

from synthrelease.printable import printable

_MOST_NAMES = 8  # in a message
_WIDTH = 100  # of a line of a message


class Argument(NamedTuple):
    """An argument of a function that a message names; its text is a Python program's, as in `force=True`."""

    name: str
    value: str | Literal[True]

    def __str__(self) -> str:
        return (
            f"{self.name}={self.value if self.value is True else json.dumps(self.value, ensure_ascii=False)}"
        )


class Remedy(str):
    """What to do, where that names arguments: as a text, in the words of a Python program.

    Args:
        parts: of the text, and arguments among them.

    Example:
        >>> Remedy("replace it: ", Argument("force", True))
        'replace it: force=True'
    """

    __slots__ = ("parts",)
    parts: tuple[str | Argument, ...]

    def __new__(cls, *parts: str | Argument) -> Self:  # noqa: D102  as the class says
        self = super().__new__(cls, "".join(map(str, parts)))
        self.parts = parts
        return self

    def spelt(self, spelling: Callable[[Argument], str]) -> str:
        """Return the text with arguments as another surface spells them."""
        return "".join(spelling(part) if isinstance(part, Argument) else part for part in self.parts)

    @classmethod
    def joined(cls, remedies: Iterable[str]) -> Remedy:
        """Return several remedies as one."""
        joined: list[str | Argument] = []
        for remedy in remedies:
            joined += ["; "] if joined else []
            joined += remedy.parts if isinstance(remedy, Remedy) else (remedy,)
        return cls(*joined)

    def __reduce__(self) -> tuple[object, ...]:
        return Remedy, self.parts


def as_options(remedy: str) -> str:
    """Return what to do with options where it names arguments: `--force` for `force=True`."""
    return remedy.spelt(_option) if isinstance(remedy, Remedy) else remedy


def _option(argument: Argument) -> str:
    option = f"--{argument.name.replace('_', '-')}"
    return option if argument.value is True else f"{option} {shlex.quote(argument.value)}"


class SynthReleaseError(Exception):
    """The root of the hierarchy; its text is the message on the terminal."""

    exit_code = 1

    def __init__(
        self,
        code: str,
        problem: str,
        *,
        where: str = "",
        found: str = "",
        expected: str = "",
        remedy: str = "",
    ) -> None:
        self.code = code
        self.problem = problem
        self.where = where
        self.found = found
        self.expected = expected
        self.remedy: str = remedy
        super().__init__(problem)

    def __str__(self) -> str:
        lines = [f"{self.where}: {self.problem}" if self.where else self.problem]
        found, expected = self.found, self.expected
        both = f"{found} (expected: {expected})"
        if found and expected and len(both) <= _WIDTH - len("  found:    "):
            found, expected = both, ""
        parts = {"found:   ": found, "expected:": expected, "to do:   ": self.remedy}
        lines += [f"  {name} {text}" for name, text in parts.items() if text]
        return "\n".join(map(printable, lines))

    def add_remedy(self, also: str) -> None:
        """Say more of what to do."""
        self.remedy = Remedy.joined([self.remedy, also]) if self.remedy else also

    def to_json(self) -> dict[str, object]:
        """Return what the message says, for a program: kind, code, exit code, and the parts of the message."""
        parts = ("code", "problem", "where", "found", "expected", "remedy")
        message = {part: getattr(self, part) for part in parts}
        return {"kind": type(self).__name__, "exit_code": self.exit_code, **message}

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword-only arguments do not survive Exception's own pickling, and workers send errors home.
        return (_rebuild, (type(self), self.code, self.problem, dict(self.__dict__)))


def no_such(what: str, key: object, existing: Iterable[object]) -> KeyError:
    """Return the KeyError of a name that is not among some public ones: it says which there are, those most like it first."""
    names = dict.fromkeys(str(name) if isinstance(name, str) else repr(name) for name in existing)
    text = key if isinstance(key, str) else repr(key) if isinstance(key, tuple) else ""
    near = difflib.get_close_matches(text, names, n=_MOST_NAMES, cutoff=0.5)
    listed = list(dict.fromkeys([*near, *names]))
    more = f", and {len(listed) - _MOST_NAMES} more" if len(listed) > _MOST_NAMES else ""
    called = f" {text}" if text else ""
    return KeyError(
        f"there is no {what}{called}: there are {', '.join(listed[:_MOST_NAMES]) or 'none'}{more}"
    )


def _rebuild(
    kind: type[SynthReleaseError], code: str, problem: str, fields: dict[str, object]
) -> SynthReleaseError:
    error = kind(code, problem)
    error.__dict__.update(fields)
    return error


class BundleError(SynthReleaseError):
    """A file is not a bundle, or not the bundle it claims to be."""

    exit_code = 1


class FaultyBundleError(BundleError):
    """A bundle, or one of several, failed verification.

    Attributes:
        findings: all of them, each with `file`, `code`, `where` and `message`.
    """

    def __init__(
        self, code: str, problem: str, *, findings: Sequence[dict[str, str]] = (), **parts: str
    ) -> None:
        super().__init__(code, problem, **parts)
        self.findings: list[dict[str, str]] = list(findings)

    def to_json(self) -> dict[str, object]:
        """Return what the message says, and all findings."""
        return {**super().to_json(), "findings": self.findings}


class InputError(SynthReleaseError):
    """Something the curator wrote or supplied cannot be used as it is."""

    exit_code = 3


class PlanError(InputError):
    """The plan is not valid, or asks for something that cannot be computed."""


class DataError(InputError):
    """A data file cannot be read as the plan describes it."""


class ArgumentError(InputError, ValueError):
    """A function was called with an argument that it cannot use; also a ValueError, as Python's own functions raise."""


class PolicyError(SynthReleaseError):
    """The release was refused because its guarantee would be false or empty."""

    exit_code = 4


class NotConfirmedError(SynthReleaseError):
    """The curator did not agree to what a build would charge: nothing was charged, and nothing written."""

    exit_code = 130


class MachineError(SynthReleaseError):
    """The machine could not do it: disk full, no permission, a missing optional package."""

    exit_code = 6
