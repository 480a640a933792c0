"""Nested cell arrays, structs and arrays: the values at one path in all records together, since one record may lack what others have.

Every cell array, and every struct array that anywhere has more than one struct, is a *level*: its elements are records within records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from synthrelease.errors import DataError

Array = np.ndarray[Any, Any]
Names = tuple[str, ...]
Column = tuple[Names, pl.Series]
INDEX = pl.UInt32()  # the type of indices, and of no other column
_EMPTY: Array = np.zeros((0, 0))
_NO_COLUMN = {
    "complex-numbers": "complex numbers",
    "too-many-dimensions": "an array of more than two dimensions",
    "function-handle": "a function handle",
    "sparse-matrix": "a sparse matrix",
    "matlab-object": "an object",
}
_KINDS = {"O": "cell", "U": "text", "c": "complex-numbers", **dict.fromkeys("biuf", "number")}
_CHOOSE = "name in the input what is to be read: table = 'variable.field'"


@dataclass(frozen=True)
class _Level:
    path: Names
    is_cell: bool
    depth: int  # of cells directly within cells
    index: Array  # of each record, counted from 1; shape (records, axes)

    def columns(self) -> Iterator[Column]:
        """Yield a column for each axis."""
        name = self.path[-1] + (f" level {self.depth + 1}" if self.depth else "")
        axes = self.index.shape[1]
        for axis in range(axes):
            more = f" dim {axis + 1}" if axes > 1 else ""
            yield (*self.path[:-1], name + more), pl.Series(self.index[:, axis], dtype=INDEX)


@dataclass(frozen=True)
class RecordLocation:
    """A file, and the levels that some records of it are in."""

    file: str
    levels: tuple[_Level, ...] = ()

    def of(self, path: Names, record: int | None = None) -> str:
        """Return a place as one would write it in MATLAB."""
        text, done = "", 0
        for level in self.levels if record is not None else ():
            indices = ",".join(map(str, level.index[record]))
            text += "".join(f".{name}" for name in level.path[done:])
            text += f"{{{indices}}}" if level.is_cell else f"({indices})"
            done = len(level.path)
        text = (text + "".join(f".{name}" for name in path[done:])).lstrip(".")
        return f"{self.file}, {text}" if text else self.file


@dataclass(frozen=True)
class RecordValues:
    """A value for each record, at one path."""

    place: RecordLocation
    path: Names
    values: Sequence[Any]
    chosen_fields: Names = ()  # fields that lead to what is to be read
    unchosen: bool = False  # another field was chosen where this one is
    depth: int = 0  # of cells directly within cells

    @property
    def name(self) -> str:
        """As a plan's `table` has it."""
        return ".".join(self.path)

    @cached_property
    def kind(self) -> str:
        """What all are: text, number, cell or struct; "" where there is nothing, "unread" what was not chosen and cannot be read."""
        first: dict[str, int] = {}
        for record, value in enumerate(self.values):
            first.setdefault(_kind(value), record)
        first.pop("", None)
        wrong = next((kind for kind in first if kind in _NO_COLUMN), "")
        if not wrong and len(first) < 2:
            return next(iter(first), "")
        if self.unchosen:
            return "unread"
        if wrong:
            raise DataError(
                wrong,
                "what is there cannot be a column",
                where=self.place.of(self.path, first[wrong]),
                found=_NO_COLUMN[wrong],
                expected="texts, real numbers, vectors, matrices, cell arrays and structs",
                remedy=f"leave it out of the file, or {_CHOOSE}",
            )
        raise DataError(
            "mixed-kinds",
            "values of the same name are of several kinds",
            where=self.place.of(self.path, list(first.values())[1]),
            found="a " + " after a ".join(reversed(first)),
            expected="one kind in all of them",
            remedy=f"correct the file, or {_CHOOSE}",
        )

    @cached_property
    def is_grid(self) -> bool:
        """Whether more than one dimension is longer than 1."""
        return any(_long(value) > 1 for value in self.values)

    @property
    def longest(self) -> int:
        """Return the most elements that a value has."""
        return max((value.size for value in self.values), default=0)

    @property
    def is_level(self) -> bool:
        """Whether its elements are records: cells, unless all hold one text or number and are a vector so."""
        if self.kind == "struct":
            return self.longest > 1
        return self.kind == "cell" and (
            self.is_grid or self.elements.kind not in ("", "text", "number") or self.elements.longest > 1
        )

    @property
    def owner(self) -> Array:
        """The record that each element is in."""
        return np.repeat(np.arange(len(self.values)), [value.size for value in self.values])

    @cached_property
    def elements(self) -> RecordValues:
        """What is in the cells, or the structs of arrays, in MATLAB's order: records within the records."""
        axes = max((value.ndim for value in self.values), default=1) if self.is_grid else 1
        index = [np.zeros((0, axes), dtype=np.int64)]
        for value in self.values:
            shape = (*value.shape, *[1] * (axes - value.ndim)) if axes > 1 else (value.size,)
            index.append(np.stack(np.unravel_index(np.arange(value.size), shape, order="F"), axis=1) + 1)
        is_cell = self.kind == "cell"
        owner = self.owner
        outer_levels = (replace(level, index=level.index[owner]) for level in self.place.levels)
        place = replace(
            self.place, levels=(*outer_levels, _Level(self.path, is_cell, self.depth, np.concatenate(index)))
        )
        elements = [element for value in self.values for element in value.ravel(order="F")]
        return replace(self, place=place, values=elements, depth=self.depth + is_cell)

    def fields(self) -> list[RecordValues]:
        """Return what is in single structs, field by field; nothing where one is missing.

        Raises:
            DataError: a field is chosen that none has.
        """
        structs = [value.flat[0] if value.size else None for value in self.values]
        names = list(
            dict.fromkeys(name for struct in structs if struct is not None for name in struct.dtype.names)
        )
        self.check_choice(names)
        return [
            RecordValues(
                self.place,
                (*self.path, name),
                [
                    struct[name] if struct is not None and name in struct.dtype.names else _EMPTY
                    for struct in structs
                ],
                self.chosen_fields[1:],
                self.unchosen or (bool(self.chosen_fields) and name != self.chosen_fields[0]),
            )
            for name in names
        ]

    def check_choice(self, names: Sequence[str] = ()) -> None:
        """Refuse a choice of a field that is not there.

        Raises:
            DataError: it is not.
        """
        if self.unchosen or not self.chosen_fields or self.chosen_fields[0] in names:
            return
        raise DataError(
            "unknown-field",
            f"there is no field '{self.chosen_fields[0]}'",
            where=self.place.of(self.path),
            found=", ".join(names[:20]) + (" and others" if len(names) > 20 else "") or "no fields",
            expected="one of them in the input's `table`" if names else "a shorter `table` in the input",
            remedy="correct the input's `table`",
        )

    # Of texts and numbers

    @property
    def is_text(self) -> bool:
        """Whether they are texts, in cells or not."""
        return "text" in (self.kind, self.kind == "cell" and self.elements.kind)

    @property
    def is_matrix(self) -> bool:
        """Whether their rows are rows."""
        return self.is_grid and self.kind != "cell"

    @property
    def widths(self) -> list[int]:
        """Numbers of columns of matrices."""
        return sorted({value.shape[-1] if value.ndim > 1 else 1 for value in self.values if value.size})

    def pieces(self) -> list[Array]:
        """Return vectors in MATLAB's order, or matrices."""
        if self.is_matrix:
            return [value if value.size else np.zeros((0, self.widths[-1])) for value in self.values]
        vectors = [value.ravel(order="F") for value in self.values]
        if self.kind != "cell":
            return vectors
        empty = np.asarray(["" if self.is_text else np.nan])
        return [
            np.concatenate([value.ravel() if value.size else empty for value in cells])
            if cells.size
            else empty[:0]
            for cells in vectors
        ]


def _long(value: Any) -> int:
    return sum(size > 1 for size in getattr(value, "shape", ()))


def _kind(value: Any) -> str:
    """Text, number, cell or struct; "" of nothing; or the code of what is no column."""
    if not isinstance(value, np.void) and type(value) is not np.ndarray:
        if type(value).__name__ == "MatlabFunction":
            return "function-handle"
        return "sparse-matrix" if hasattr(value, "nnz") else "matlab-object"
    kind = "struct" if value.dtype.names is not None else _KINDS.get(value.dtype.kind, "matlab-object")
    if kind not in ("text", "number"):
        return kind
    if _long(value) > 2:
        return "too-many-dimensions"
    return kind if value.size else ""
