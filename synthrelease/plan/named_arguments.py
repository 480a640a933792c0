"""Arguments by name: misspelt and missing ones are our errors, and what was left out is known from what was stated."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any, ParamSpec, TypeVar, cast

from synthrelease.errors import ArgumentError
from synthrelease.plan.complaints import nearest

P = ParamSpec("P")
R = TypeVar("R")

# In place of the default that a signature shows: a plan treats a key that was written otherwise than one that was not.
UNSTATED: Any = object()


def by_name(options: Collection[str] = (), *, called: str = "") -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function that takes arguments by name only: it is called with all of `options`, those left out as UNSTATED.

    Args:
        options: names of arguments.
        called: what messages call the function, if not by its name.

    Raises:
        ArgumentError: on a call, if there is no such argument, or one is missing.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = inspect.signature(function).parameters
        by_keyword = {name: one for name, one in parameters.items() if one.kind is one.KEYWORD_ONLY}
        needed = [name for name, one in by_keyword.items() if one.default is one.empty]
        where = called or f"{function.__name__}()"
        first = len(parameters) - len(by_keyword)  # self, if it is a method

        @functools.wraps(function)
        def wrapper(*args: Any, **stated: Any) -> R:
            refuse_names(where, stated, by_keyword, needed, unnamed=len(args) - first)
            return cast("Callable[..., R]", function)(*args, **{**dict.fromkeys(options, UNSTATED), **stated})

        return cast("Callable[P, R]", wrapper)

    return decorate


def refuse_names(
    where: str, stated: Collection[str], known: Collection[str], needed: Collection[str], *, unnamed: int = 0
) -> None:
    """Refuse arguments that are misspelt, missing or without a name.

    Args:
        where: the call.
        stated: names of the arguments that it was given.
        known: those that there are.
        needed: those that may not be missing.
        unnamed: how many more it was given than may be without a name.

    Raises:
        ArgumentError: some are.
    """
    if unnamed > 0:
        raise ArgumentError(
            "argument-without-name",
            "an argument has no name",
            where=where,
            expected="arguments by name: " + ", ".join(known),
            remedy=f"write {next(iter(known))}=…",
        )
    if unknown := [name for name in stated if name not in known]:
        near = nearest(unknown[0], list(known))
        raise ArgumentError(
            "unknown-argument",
            f"there is no argument '{unknown[0]}'",
            where=where,
            expected="" if near else "one of " + ", ".join(known),
            remedy=near or "leave it out",
        )
    if missing := [name for name in needed if name not in stated]:
        raise ArgumentError(
            "argument-missing",
            f"the argument '{missing[0]}' is missing",
            where=where,
            expected=", ".join(needed),
            remedy=f"add {missing[0]}=…",
        )


def written(arguments: Mapping[str, Any], options: Collection[str]) -> dict[str, Any]:
    """Return those options that were stated: neither left out nor None."""
    named = {name: arguments[name] for name in options}
    return {name: value for name, value in named.items() if value is not None and value is not UNSTATED}
