"""Arguments of functions, held against what is asked for. Nothing of them is shown but types: any may be a private column in the wrong place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl

from synthrelease.data.screen import Screen
from synthrelease.errors import ArgumentError

_PLAIN = (str, int, float)


def libraries_kinds(what: object) -> set[tuple[str, str]]:
    """Return the types that an object is of, each with the library that it comes from."""
    return {(kind.__module__.partition(".")[0], kind.__name__) for kind in type(what).__mro__}


def is_frame(what: object) -> bool:
    """Whether it is a DataFrame of polars or pandas."""
    return bool(libraries_kinds(what) & {("polars", "DataFrame"), ("pandas", "DataFrame")})


def by_names(given: object, where: str, *, example: str, columns: bool = False) -> dict[str, Any]:
    """Return what is given by names as a dict.

    Args:
        given: the argument.
        where: its place, such as "statistics().values".
        example: how to write it.
        columns: whether it may be a DataFrame, which has columns by their names.

    Raises:
        ArgumentError: it is no table, or a name is no text.
    """
    if not (isinstance(given, Mapping) or (columns and is_frame(given))):
        raise ArgumentError(
            "not-a-table",
            "a column, not a table of columns" if columns else "not a table by names",
            where=where,
            found=f"one {type(given).__name__}",
            expected="a dict, or a DataFrame" if columns else "a dict",
            remedy=f"write {example}",
        )
    table: Any = given
    names = list(table.columns if is_frame(given) else table)
    if odd := [name for name in names if not isinstance(name, str)]:
        raise ArgumentError(
            "name-not-text",
            "a name is no text",
            where=where,
            found=f"a name that is of the type {type(odd[0]).__name__}",
            expected="names that are text",
            remedy=f"write {example}",
        )
    return {name: table[name] for name in names}


def listed(given: object, where: str, *, example: str) -> list[str]:
    """Return a public list of labels as texts; arguments as of `by_names`.

    Raises:
        ArgumentError: it is no list of labels; a text is none, although Python would take it for one of its letters.
    """
    several = given if isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping) else None
    labels = None if several is None or is_frame(given) else _items(several)
    if labels is None or not all(isinstance(label, _PLAIN) for label in labels):
        raise ArgumentError(
            "not-labels",
            "not a list of labels",
            where=where,
            found=f"one {type(given).__name__}"
            if labels is None
            else "entries that are neither text nor numbers",
            expected="the public list, of text or whole numbers",
            remedy=f"write {example}",
        )
    return [str(label) for label in labels]


def named(given: object, where: str, expected: str, remedy: str) -> list[str | Path]:
    """Return one name or path, or several, as a list; a column or a frame is not looked into, for its cells would be taken for names.

    Raises:
        ArgumentError: it is, or holds, something else.
    """
    several = given if isinstance(given, list | tuple) else [given]
    if not all(isinstance(one, str | Path) for one in several):
        kinds = dict.fromkeys(type(one).__name__ for one in several)
        raise ArgumentError(
            "no-names",
            "there is no name in it",
            where=where,
            found=", ".join(kinds),
            expected=expected,
            remedy=remedy,
        )
    return list(several)


def flag(given: object, where: str) -> bool:
    """Return whether something was asked for; ArgumentError if it is neither True nor False."""
    if not isinstance(given, bool | np.bool_):
        raise ArgumentError(
            "not-boolean",
            "neither True nor False",
            where=where,
            found=f"one {type(given).__name__}",
            expected="True or False",
            remedy=f"write {where.rpartition('.')[2]}=True, or leave it out",
        )
    return bool(given)


def screen_keys(given: object, where: str) -> dict[str, Any]:
    """Return what is known of a screen, in a plan's words; ArgumentError if it is none."""
    if not isinstance(given, Screen):
        raise ArgumentError(
            "not-a-screen",
            "not a screen",
            where=where,
            found=f"one {type(given).__name__}",
            expected="a synthrelease.Screen",
            remedy="write screen=Screen(800, 600)",
        )
    return {key: plain(value, f"{where}.{key}") for key, value in vars(given).items() if value is not None}


def plain(value: object, where: str) -> Any:
    """Return a public argument as TOML would have been read: text, numbers, lists and tables of them.

    Raises:
        ArgumentError: it is, or holds, something else, such as a column.
    """
    if isinstance(value, Mapping):
        return {str(key): plain(own, where) for key, own in value.items()}
    if isinstance(value, np.generic | np.ndarray):
        return plain(cast("Any", value).tolist(), where)
    if isinstance(value, list | tuple):
        return [plain(own, where) for own in value]
    if value is None or isinstance(value, _PLAIN):
        return value
    raise ArgumentError(
        "argument-not-public",
        "the argument is nothing public that could be written in a plan",
        where=where,
        found=f"one {type(value).__name__}",
        expected="text, a number, True or False, or a list or dict of these",
        remedy='write the value itself; a column is meant by its name: by="mood", with labels={"mood": column} '
        'and categories={"mood": ["calm", "tense"]}',
    )


def _items(several: Iterable[Any]) -> list[Any] | None:
    """The entries of a list, an array or a column as Python's own; None if it has not one axis."""
    if isinstance(several, pl.Series):
        return several.to_list()
    if hasattr(several, "tolist"):  # an array, or a column of pandas
        found = several.tolist()
        return found if isinstance(found, list) else None
    return [one.item() if isinstance(one, np.generic) else one for one in several]
