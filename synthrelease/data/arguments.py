"""Checks of function arguments. Messages show only types, never values: an argument may be a private column in the wrong place."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl

from synthrelease.data.screen import Screen
from synthrelease.errors import ArgumentError

_PLAIN = (str, int, float)


def libraries_kinds(value: object) -> set[tuple[str, str]]:
    """Return the types that an object is of, each with the library that it comes from."""
    return {(kind.__module__.partition(".")[0], kind.__name__) for kind in type(value).__mro__}


def is_frame(value: object) -> bool:
    """Whether it is a DataFrame of polars or pandas."""
    return bool(libraries_kinds(value) & {("polars", "DataFrame"), ("pandas", "DataFrame")})


def by_names(argument: object, where: str, *, example: str, columns: bool = False) -> dict[str, Any]:
    """Return a table by names as a dict.

    Args:
        argument: a dict, or a DataFrame.
        where: its place, such as "statistics().values".
        example: how to write it.
        columns: whether it may be a DataFrame, which has columns by their names.

    Raises:
        ArgumentError: it is no table, or a name is no text.
    """
    if not (isinstance(argument, Mapping) or (columns and is_frame(argument))):
        raise ArgumentError(
            "not-a-table",
            "a column, not a table of columns" if columns else "not a table by names",
            where=where,
            found=f"one {type(argument).__name__}",
            expected="a dict, or a DataFrame" if columns else "a dict",
            remedy=f"write {example}",
        )
    table: Any = argument
    names = list(table.columns if is_frame(argument) else table)
    if not_text := [name for name in names if not isinstance(name, str)]:
        raise ArgumentError(
            "name-not-text",
            "a name is not text",
            where=where,
            found=f"a name that is of the type {type(not_text[0]).__name__}",
            expected="names that are text",
            remedy=f"write {example}",
        )
    return {name: table[name] for name in names}


def listed(argument: object, where: str, *, example: str) -> list[str]:
    """Return a public list of labels as texts; arguments as of `by_names`.

    Raises:
        ArgumentError: it is no list of labels; a text is none, although Python would take it for one of its letters.
    """
    entries = (
        argument
        if isinstance(argument, Iterable) and not isinstance(argument, str | bytes | Mapping)
        else None
    )
    labels = None if entries is None or is_frame(argument) else _items(entries)
    if labels is None or not all(isinstance(label, _PLAIN) for label in labels):
        raise ArgumentError(
            "not-labels",
            "this is not a list of labels",
            where=where,
            found=f"one {type(argument).__name__}"
            if labels is None
            else "entries that are neither text nor numbers",
            expected="the public list, of text or whole numbers",
            remedy=f"write {example}",
        )
    return [str(label) for label in labels]


def named(argument: object, where: str, expected: str, remedy: str) -> list[str | Path]:
    """Return one name or path, or several, as a list; a column or a frame is not looked into, for its cells would be taken for names.

    Raises:
        ArgumentError: it is, or holds, something else.
    """
    names = argument if isinstance(argument, list | tuple) else [argument]
    if not all(isinstance(name, str | Path) for name in names):
        kinds = dict.fromkeys(type(name).__name__ for name in names)
        raise ArgumentError(
            "no-names",
            "it has no name",
            where=where,
            found=", ".join(kinds),
            expected=expected,
            remedy=remedy,
        )
    return list(names)


def flag(argument: object, where: str) -> bool:
    """Return a truth value; ArgumentError if it is neither True nor False."""
    if not isinstance(argument, bool | np.bool_):
        raise ArgumentError(
            "not-boolean",
            "neither True nor False",
            where=where,
            found=f"one {type(argument).__name__}",
            expected="True or False",
            remedy=f"write True, or leave {where.rpartition('.')[2]} out",
        )
    return bool(argument)


def screen_keys(argument: object, where: str) -> dict[str, Any]:
    """Return what is known of a screen, in a plan's words: of a Screen, or of width and height in pixels; ArgumentError if it is none."""
    sizes = argument if isinstance(argument, list | tuple) else ()
    if len(sizes) == 2 and all(isinstance(size, int | np.integer) for size in sizes):
        return {"width_px": int(sizes[0]), "height_px": int(sizes[1])}
    if not isinstance(argument, Screen):
        raise ArgumentError(
            "not-a-screen",
            "not a screen",
            where=where,
            found=f"one {type(argument).__name__}",
            expected="a synthrelease.Screen, or width and height in pixels",
            remedy="write screen=Screen(800, 600), or screen=(800, 600)",
        )
    return {key: plain(value, f"{where}.{key}") for key, value in vars(argument).items() if value is not None}


def plain(value: object, where: str) -> Any:
    """Return a public argument as TOML would have been read: text, numbers, lists and tables of them.

    Raises:
        ArgumentError: it is, or holds, something else, such as a column.
    """
    if isinstance(value, Mapping):
        return {str(key): plain(entry, where) for key, entry in value.items()}
    if isinstance(value, np.generic | np.ndarray):
        return plain(cast("Any", value).tolist(), where)
    if isinstance(value, list | tuple):
        return [plain(entry, where) for entry in value]
    if value is None or isinstance(value, _PLAIN):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(cast("os.PathLike[str]", value))
    raise ArgumentError(
        "argument-not-public",
        "the argument is nothing public that could be written in a plan",
        where=where,
        found=f"one {type(value).__name__}",
        expected="text, a number, True or False, or a list or dict of these",
        remedy='write the value itself; give a column by its name: by="mood", with labels={"mood": column} '
        'and categories={"mood": ["calm", "tense"]}',
    )


def _items(values: Iterable[Any]) -> list[Any] | None:
    """The entries of a list, an array or a column as Python's own; None if it has not one axis."""
    if isinstance(values, pl.Series):
        return values.to_list()
    if hasattr(values, "tolist"):  # an array, or a column of pandas
        entries = values.tolist()
        return entries if isinstance(entries, list) else None
    return [entry.item() if isinstance(entry, np.generic) else entry for entry in values]
