"""The rows of nested cell arrays, structs and arrays.

Levels become columns of indices, counted from 1; fields become columns, called by their name and as much of the path before it as
tells them apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from synthrelease.data.readers.nested import Array, NestedError, Node, Scope

INDEX = pl.UInt32()  # the type of indices, and of no other column
_EXACT = 1 << 53  # whole numbers up to it are exact in fractions' 64 bits
_EMPTY: Array = np.zeros((0, 0))


class _Records:
    """What is gathered of a scope, record by record.

    Args:
        root: of what is read.
        scope: how.
    """

    def __init__(self, root: Node, scope: Scope) -> None:
        self._root = root
        self.levels: list[Node] = []
        self.scalars: list[Node] = []
        while True:
            self.scalars += [node for node, _ in scope.scalars]
            if scope.level is None or scope.inner is None:
                break
            self.levels.append(scope.level)
            scope = scope.inner
        self.vectors = [node for node, _ in scope.vectors]
        self.places: list[tuple[tuple[int, ...], ...]] = []
        self.cells: list[list[Array]] = []
        self.counts: list[int] = []
        self.pieces: dict[int, list[Array]] = {number: [] for number in range(len(self.vectors))}

    def walk(
        self, scope: Scope, value: Array, place: tuple[tuple[int, ...], ...], cells: list[Array]
    ) -> None:
        """Gather a value's records."""
        own = [*cells, *(_listed(_at(value, fields)) for _, fields in scope.scalars)]
        if scope.level is None or scope.inner is None:
            self._record(scope, value, place, own)
            return
        many = _at(value, scope.level_fields)
        flat = many.ravel(order="F")
        for number in range(flat.size):
            element = flat[number : number + 1] if scope.level.struct else flat[number]
            index: tuple[int, ...] = (number + 1,)
            if scope.level.grid:
                index = tuple(int(one) + 1 for one in np.unravel_index(number, many.shape, order="F"))
            self.walk(scope.inner, element, (*place, index), own)

    def _record(
        self, scope: Scope, value: Array, place: tuple[tuple[int, ...], ...], cells: list[Array]
    ) -> None:
        found = [_rows(node, _at(value, fields)) for node, fields in scope.vectors]
        lengths = [len(one) for one, node in zip(found, self.vectors, strict=True) if not node.aside]
        rows = lengths[0] if lengths else 1
        if lengths and len(set(lengths)) > 1:
            names = [node for node in self.vectors if not node.aside]
            other = next(node for node, length in zip(names, lengths, strict=True) if length != rows)
            raise NestedError(
                "lengths-differ",
                "vectors of one struct have several lengths",
                self.named(place, other),
                found=f"{lengths[names.index(other)]} elements beside {rows} of '{names[0].path[-1]}'",
                expected="one length",
                remedy=f"name one of them: table = '{other.name}' in the plan; --table {other.name} of init",
            )
        self.places.append(place)
        self.cells.append(cells)
        self.counts.append(rows)
        for number, one in enumerate(found):
            if number in self.pieces and len(one) == rows:
                self.pieces[number].append(one)
            else:  # beside what was chosen, and not always as long
                self.pieces.pop(number, None)

    def named(self, place: Sequence[tuple[int, ...]], node: Node) -> str:
        """A place as one would write it in MATLAB."""
        text, done = "", 0
        for level, index in zip(self.levels, place, strict=False):
            text += "".join(f".{part}" for part in level.path[done:])
            done = len(level.path)
            marks = "{}" if level.cell else "()"
            text += marks[0] + ",".join(map(str, index)) + marks[1]
        return (text + "".join(f".{part}" for part in node.path[done:])).lstrip(".")


def table_of(root: Node, scope: Scope, value: Array, header: tuple[str, ...]) -> pl.DataFrame:
    """Return the rows of a value as a table: indices, then values.

    Args:
        root: what `survey` saw of it.
        scope: how its records are read.
        value: the value.
        header: names of a matrix's columns, if the plan has any.

    Raises:
        NestedError: vectors of several lengths beside each other, no matrix of so many columns, a name twice.
    """
    records = _Records(root, scope)
    records.walk(scope, value, (), [])
    counts = np.asarray(records.counts, dtype=np.int64)
    owner = np.repeat(np.arange(counts.size), counts)
    columns: list[tuple[tuple[str, ...], pl.Series]] = []
    for number, level in enumerate(records.levels):
        grid = np.asarray([place[number] for place in records.places], dtype=np.uint32)
        columns += _indices(level, grid.reshape(counts.size, -1)[owner])
    if records.pieces:
        starts = np.cumsum(counts) - counts
        row = np.arange(owner.size) - starts[owner] + 1
        columns.append(((*root.path, "row"), pl.Series(row, dtype=INDEX)))
    for number, node in enumerate(records.scalars):
        cells = [one[number] for one in records.cells]
        columns.append((_own_path(node), _scalars(cells, node)[owner]))
    for number, pieces in records.pieces.items():
        columns += _vectors(records.vectors[number], pieces, header)
    names = unique_names(path for path, _ in columns)
    if header and not set(header) <= set(names):
        raise NestedError(
            "header-without-matrix",
            "the plan names columns of a matrix, and there is none",
            root.name,
            remedy="leave the input's `header` out",
        )
    if len(set(names)) < len(names):
        raise NestedError(
            "duplicate-column",
            "two columns have the same name",
            root.name,
            remedy="name them otherwise in the file",
        )
    return pl.DataFrame([series.rename(name) for name, (_, series) in zip(names, columns, strict=True)])


def _at(value: Array, fields: tuple[str, ...]) -> Array:
    """What fields of single structs lead to; nothing where one is missing."""
    for name in fields:
        if value.dtype.names is None or name not in value.dtype.names or not value.size:
            return _EMPTY
        value = value.flat[0][name]
    return value


def _listed(value: Array) -> Array:
    """Elements in MATLAB's order; of a cell array what is in the cells."""
    flat = value.ravel(order="F")
    if flat.dtype.kind != "O" or flat.dtype.names is not None:
        return flat
    ones = [one.ravel() if one.size else np.full(1, "" if one.dtype.kind == "U" else np.nan) for one in flat]
    return np.concatenate(ones) if ones else np.zeros(0)


def _rows(node: Node, value: Array) -> Array:
    """A vector's elements, or a matrix's rows."""
    if not node.grid or node.cell:
        return _listed(value)
    return value if value.size else np.zeros((0, max(node.widths)))


def _is_text(node: Node) -> bool:
    return node.text or (node.inner is not None and node.inner.text)


def _own_path(node: Node) -> tuple[str, ...]:
    """Values in cells are no fields: their column cannot have the name of the cells' indices."""
    return (*node.path, "value") if node.depth else node.path


def _indices(level: Node, grid: Array) -> list[tuple[tuple[str, ...], pl.Series]]:
    name = level.path[-1] + (f" level {level.depth + 1}" if level.depth else "")
    if grid.shape[1] == 1:
        return [((*level.path[:-1], name), pl.Series(grid[:, 0], dtype=INDEX))]
    return [
        ((*level.path[:-1], f"{name} dim {axis + 1}"), pl.Series(grid[:, axis], dtype=INDEX))
        for axis in range(grid.shape[1])
    ]


def _scalars(cells: Sequence[Array], node: Node) -> pl.Series:
    """One cell a record; empty where there is nothing."""
    present = np.asarray([one.size > 0 for one in cells], dtype=bool)
    filled = column_of([one for one in cells if one.size], text=_is_text(node), at=node.name)
    where = np.cumsum(present) - 1
    taken = pl.Series(np.where(present, where, 0)).set(pl.Series(~present), None)
    if not len(filled):
        return pl.Series([None] * len(cells), dtype=filled.dtype)
    return filled.to_frame("v").select(pl.col("v").gather(taken))["v"]


def _vectors(
    node: Node, pieces: Sequence[Array], header: tuple[str, ...]
) -> list[tuple[tuple[str, ...], pl.Series]]:
    if not node.grid or node.cell:
        return [(_own_path(node), column_of(pieces, text=_is_text(node), at=node.name))]
    if len(node.widths) > 1:
        raise NestedError(
            "widths-differ",
            "matrices of the same name have several numbers of columns",
            node.name,
            found=", ".join(map(str, sorted(node.widths)[:5])),
            expected="one number",
            remedy="give all of them the same columns, or name another field in the input's `table`",
        )
    width = max(node.widths)
    if header and len(header) != width:
        raise NestedError(
            "header-does-not-fit",
            "the plan names another number of columns than the matrix has",
            node.name,
            found=f"{len(header)} names, and {width} columns",
            expected="a name for every column",
            remedy="correct the input's `header`",
        )
    names = header or [f"column {number + 1}" for number in range(width)]
    return [
        ((*node.path, names[column]), column_of([one[:, column] for one in pieces], text=False, at=node.name))
        for column in range(width)
    ]


def unique_names(paths: Iterable[tuple[str, ...]]) -> list[str]:
    """Return the last part of each path, with as many before it as tell it apart."""
    paths = list(paths)
    lengths = [1] * len(paths)
    while True:
        names = [".".join(path[-length:]) for path, length in zip(paths, lengths, strict=True)]
        longer = [
            min(length + 1, len(path)) if names.count(name) > 1 else length
            for name, path, length in zip(names, paths, lengths, strict=True)
        ]
        if longer == lengths:
            return names
        lengths = longer


def column_of(pieces: Sequence[Array], *, text: bool, at: str) -> pl.Series:
    """Return arrays one after the other, as text or as numbers.

    Raises:
        NestedError: whole numbers too large to stand beside fractions.
    """
    if text:
        return pl.Series([str(one) or None for piece in pieces for one in piece], dtype=pl.String)
    filled = [piece for piece in pieces if piece.size]
    if not filled:
        return pl.Series([], dtype=pl.Float64)
    whole = np.concatenate(filled)
    whole = whole.astype(whole.dtype.newbyteorder("="), copy=False)
    if whole.dtype.kind == "f" and any(
        piece.dtype.kind in "iu" and piece.dtype.itemsize == 8 and (abs(piece.astype(float)) > _EXACT).any()
        for piece in filled
    ):
        raise NestedError(
            "integers-too-large",
            "whole numbers are too large to stand beside fractions",
            at,
            found="numbers of several types",
            expected="one type",
            remedy="save them as one type: double(x)",
        )
    return pl.Series(whole.astype(np.int64) if whole.dtype == np.uint32 else whole)
