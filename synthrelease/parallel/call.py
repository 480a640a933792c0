"""Work that any process may do: calls of pure functions, and jobs that ask for them.

A job is a generator. It yields a `Round` of calls that may go on side by side, and is sent their results; an error of one of
them is raised in it, at the yield. Between two rounds it runs in the coordinator, alone: there it draws noise and charges.
Because a call is pure, one whose worker was killed is made again, and the result is the same.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Call:
    """A function and its arguments by position; all of it can be pickled, and is pure: however often it is made, it makes the same."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Round:
    """Calls that do not wait for each other."""

    what: str  # they do, for progress
    calls: Sequence[Call]
    join: Callable[[Any, Any], Any] | None = None  # two results, in any order; None lists all in theirs
    local: bool = False  # to be made on the coordinator's machine, in whose folders they write

    def __post_init__(self) -> None:
        if not self.calls:
            raise ValueError("Expected at least one call in a round, found none")


Job = Generator[Round, Any, T]


@dataclass(frozen=True)
class Failed:
    """What a call or a job came to instead of a result."""

    error: Exception
    at: str = ""  # file and line: no value


def attempted(call: Call) -> Any:
    """Return the result of a call, or `Failed`: nothing is raised through a worker."""
    try:
        return call.function(*call.arguments)
    except Exception as error:  # noqa: BLE001  whatever it is, the coordinator decides
        return Failed(error, place_of(error))


def place_of(error: Exception) -> str:
    """Return file and line where an error was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
