"""Options of a function that are those of a plan's output: `scripts/make_plan_classes.py` writes them into its signature and docstring."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, ParamSpec, TypeVar

from synthrelease.kinds.registry import SHIPPED
from synthrelease.plan.named_arguments import by_name, written

P = ParamSpec("P")
R = TypeVar("R")


def takes_options(kind: str, *, but: Collection[str] = ()) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function with all options of a kind of output, except some: misspelt and missing arguments are ArgumentErrors."""
    return by_name(_names(kind, but))


def options_in(arguments: Mapping[str, Any], kind: str, *, but: Collection[str] = ()) -> dict[str, Any]:
    """Return the output in a plan's words, of a function's arguments: what was left out is not in it, and so a plan's default."""
    return {"kind": kind, **written(arguments, _names(kind, but))}


def _names(kind: str, but: Collection[str]) -> list[str]:
    (own,) = (shipped.options["properties"] for shipped in SHIPPED if shipped.name == kind)
    return [name for name in own if name not in but]
