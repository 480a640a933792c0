"""What there is in nested cell arrays, structs and arrays, and what of it rows are made of.

Every cell array, and every struct array that anywhere has more than one struct, is a *level*. Below the innermost level vectors of one
length, or the rows of a matrix, are rows; what is one text or number is repeated over them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class NestedError(Exception):
    """What is nested makes no table; the arguments are those of a DataError, `at` the place within the file."""

    def __init__(
        self, code: str, problem: str, at: str, *, found: str = "", expected: str = "", remedy: str = ""
    ) -> None:
        super().__init__(problem)
        self.code, self.problem, self.at = code, problem, at
        self.more = {"found": found, "expected": expected, "remedy": remedy}


@dataclass
class Node:
    """What all values at one path have in common.

    Attributes:
        path: names of the variable and of fields.
        depth: of cells directly within cells.
        aside: whether another field was chosen where this one is.
    """

    path: tuple[str, ...]
    depth: int = 0
    aside: bool = False
    cell: bool = False
    struct: bool = False
    text: bool = False
    number: bool = False
    odd: bool = False
    listed: bool = True  # cells hold one text or number each
    grid: bool = False  # more than one dimension is longer than 1
    single: bool = True  # one element each
    largest: int = 0
    widths: set[int] = field(default_factory=set)
    fields: dict[str, Node] = field(default_factory=dict)
    inner: Node | None = None  # what is in cells

    @property
    def level(self) -> bool:
        """Whether it has a column of indices."""
        return (self.cell and not self.listed) or (self.struct and not self.single)

    @property
    def leaf(self) -> bool:
        """Whether its values are texts or numbers."""
        return not self.struct and not self.level

    @property
    def name(self) -> str:
        """As a plan's `table` has it."""
        return ".".join(self.path)


def survey(value: Array, node: Node, chosen: tuple[str, ...], at: str) -> None:
    """See what is at a path and below it.

    Raises:
        NestedError: something that is no text, number, cell or struct, or several of them in turn.
    """
    long = sum(size > 1 for size in getattr(value, "shape", ()))
    if value.dtype.names is not None:
        node.struct, node.grid = True, node.grid or long > 1
        node.single &= value.size <= 1
        _check_kind(node, at)
        for own, element in _elements(value, at, node):
            for name in value.dtype.names:
                aside = node.aside or (bool(chosen) and name != chosen[0])
                child = node.fields.setdefault(name, Node((*node.path, name), aside=aside))
                survey(element.flat[0][name], child, chosen[1:], f"{own}.{name}")
    elif type(value) is np.ndarray and value.dtype.kind == "O":
        node.cell, node.grid = True, node.grid or long > 1
        node.inner = node.inner or Node(node.path, node.depth + 1, node.aside)
        node.listed &= long < 2 and all(_is_one(one) for one in value.flat)
        node.largest = max(node.largest, value.size)
        _check_kind(node, at)
        for own, element in _elements(value, at, node):
            survey(element, node.inner, chosen, own)
    elif type(value) is not np.ndarray or value.dtype.kind not in "biufU" or long > 2:
        if not node.aside:
            code, found = _what(value, long)
            raise NestedError(
                code,
                "what is there cannot be a column",
                at,
                found=found,
                expected="texts, real numbers, vectors, matrices, cell arrays and structs",
                remedy="leave it out of the file, or name in the input what is to be read: table = 'variable.field'",
            )
        node.odd = True
    elif value.size:
        text = value.dtype.kind == "U"
        node.text |= text
        node.number |= not text
        node.grid |= long > 1
        node.largest = max(node.largest, value.size)
        node.widths.add(value.shape[-1] if value.ndim > 1 else 1)
        _check_kind(node, at)


def _check_kind(node: Node, at: str) -> None:
    found = [name for name in ("cell", "struct", "text", "number") if getattr(node, name)]
    if len(found) < 2:
        return
    if node.aside:
        node.odd = True
        return
    raise NestedError(
        "mixed-kinds",
        "values of the same name are of several kinds",
        at,
        found="a " + " after a ".join(found),
        expected="one kind in all of them",
        remedy="correct the file, or name in the input what is to be read: table = 'variable.field'",
    )


def _what(value: Array, long: int) -> tuple[str, str]:
    """The code and the words of what is no column."""
    kind = getattr(getattr(value, "dtype", None), "kind", "O")
    if type(value) is np.ndarray and kind == "c":
        return "complex-numbers", "complex numbers"
    if type(value) is np.ndarray and long > 2:
        return "too-many-dimensions", f"an array of {value.ndim} dimensions"
    if type(value).__name__ == "MatlabFunction":
        return "function-handle", "a function handle"
    return ("sparse-matrix", "a sparse matrix") if hasattr(value, "nnz") else ("matlab-object", "an object")


def _is_one(value: Any) -> bool:
    return type(value) is np.ndarray and value.dtype.kind in "biufU" and value.size <= 1


def _elements(value: Array, at: str, node: Node) -> Iterator[tuple[str, Array]]:
    """Places and elements in MATLAB's order; structs as arrays of one."""
    flat = value.ravel(order="F")
    marks = "{}" if value.dtype.names is None else "()"
    for number in range(flat.size):
        own = at if marks == "()" and flat.size == 1 else f"{at}{marks[0]}{number + 1}{marks[1]}"
        yield own, (flat[number : number + 1] if node.struct else flat[number])


@dataclass(frozen=True)
class Scope:
    """What one record is made of, down to the next level.

    Attributes:
        scalars: one text or number each, with the fields that lead to them.
        vectors: rows.
        level: whose elements are records of `inner`, if there is one.
        level_fields: lead to it.
        inner: of its elements.
    """

    scalars: list[tuple[Node, tuple[str, ...]]]
    vectors: list[tuple[Node, tuple[str, ...]]]
    level: Node | None = None
    level_fields: tuple[str, ...] = ()
    inner: Scope | None = None


def scope_of(root: Node) -> Scope:
    """Return how the records of a path are read.

    Raises:
        NestedError: rows could be made of several things.
    """
    if root.level:
        return Scope([], [], root, (), _inside(root))
    return _scope(list(_below(root, ())))


def _inside(level: Node) -> Scope:
    if level.cell:
        inner = level.inner
        return scope_of(inner) if inner is not None else Scope([], [])
    parts = [part for name, node in level.fields.items() for part in _below(node, (name,))]
    return _scope(parts)


def _below(node: Node, fields: tuple[str, ...]) -> Iterator[tuple[Node, tuple[str, ...]]]:
    if node.odd:
        return
    if node.struct and not node.level:
        for name, child in node.fields.items():
            yield from _below(child, (*fields, name))
    else:
        yield node, fields


def _scope(parts: list[tuple[Node, tuple[str, ...]]]) -> Scope:
    levels = [part for part in parts if part[0].level and not part[0].aside]
    vectors = [part for part in parts if part[0].leaf and part[0].largest > 1]
    rows = [part for part in vectors if not part[0].aside]
    if len(levels) > 1 or (levels and rows):
        raise several([node for node, _ in (*levels, *rows)])
    scalars = [part for part in parts if part[0].leaf and part[0].largest <= 1]
    if not levels:
        return Scope(scalars, vectors if rows else [])
    node, fields = levels[0]
    return Scope(scalars, [], node, fields, _inside(node))


def several(nodes: Sequence[Node]) -> NestedError:
    """Return the error of rows that could be made of several things."""
    names = [node.name for node in nodes[:10]]
    return NestedError(
        "several-tables",
        "rows can be made of more than one thing",
        ".".join(nodes[0].path[:-1]),
        found=", ".join(f"'{name}'" for name in names) + (" and others" if len(nodes) > 10 else ""),
        expected="cells, structs or vectors of one length, once",
        remedy=f"name one: table = '{names[0]}' in the plan; --table {names[0]} of init",
    )
