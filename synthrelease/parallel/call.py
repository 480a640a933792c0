"""Work that any process may do: calls of pure functions, and jobs that ask for them.

A job is a generator. It yields a `Round` of calls that may go on side by side, and is sent their results; an error of one of
them is raised in it, at the yield. Between two rounds it runs in the coordinator, alone: there it draws noise and pays.
Because a call is pure, one whose worker was killed is made again and nobody can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Call:
    """A function and its arguments; all of it can be pickled.

    Attributes:
        function: pure: of the same arguments and files it makes the same, however often.
        arguments: by position.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Round:
    """Calls that do not wait for each other.

    Attributes:
        what: what they do, for whoever watches.
        calls: at least one.
        join: puts two results together, in whatever order they come; None for the list of all, in the order of the calls.
        here: whether they are to be made on the coordinator's machine, in whose folders they write.
    """

    what: str
    calls: Sequence[Call]
    join: Callable[[Any, Any], Any] | None = None
    here: bool = False

    def __post_init__(self) -> None:
        if not self.calls:
            raise ValueError("Expected at least one call in a round, found none")


Job = Generator[Round, Any, T]


@dataclass(frozen=True)
class Failed:
    """What a call came to instead of a result.

    Attributes:
        error: what it raised.
        at: where, if that was no error on purpose: file and line, no value of anybody's.
    """

    error: Exception
    at: str = ""


def attempted(call: Call) -> Any:
    """Return the result of a call, or `Failed`: nothing is raised through a worker."""
    try:
        return call.function(*call.arguments)
    except Exception as error:  # noqa: BLE001  whatever it is, the coordinator decides
        return Failed(error, place_of(error))


def place_of(error: Exception) -> str:
    """Return file and line where an error was raised."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None:
        return ""
    return f"{Path(traceback.tb_frame.f_code.co_filename).name}, line {traceback.tb_lineno}"
