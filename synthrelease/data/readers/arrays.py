"""Files of arrays with declared axes: a row for every cell, in C order."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import polars as pl

from synthrelease.data.readers.opening import library_faults_as, opened
from synthrelease.data.readers.reader import refuse_wide
from synthrelease.data.readers.unpacking import WHOLE_TIMES, refuse_unpacked
from synthrelease.data.readers.whole import WholeFile
from synthrelease.data.source import Source
from synthrelease.errors import DataError

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]
_MOST_BYTES = 1 << 33


@dataclass(frozen=True)
class Flaw:
    """Why an array cannot be a column: the code of the error, and words."""

    code: str
    words: str


@dataclass(frozen=True)
class StoredArray:
    """An array of a file, not read yet."""

    shape: Shape
    size_bytes: int
    flaw: Flaw | None  # why it cannot be read; None if it can
    read: Callable[[], Array]  # reads it: real numbers, or texts


class Arrays(WholeFile):
    """A format of files that hold arrays by name; `axes` of the input says what their axes are.

    Every array of the axes' lengths is a column. A vector called like an axis holds its labels; other axes count from 0.
    """

    uses: tuple[str, ...] = ("axes",)
    broken: str  # the code of a file that is no such file
    article: str  # the format in words, after "cannot be read as"

    @abstractmethod
    def contents(self, path: Path, file: BinaryIO) -> AbstractContextManager[dict[str, StoredArray]]:
        """Return all arrays by name, reading none.

        Raises:
            DataError: something leads out of the file, or there is no end of it.
        """

    def table(self, source: Source) -> pl.DataFrame:
        """Read the arrays that have the axes."""
        with self._opened(source.path) as contents:
            shape, names = _shape(source, contents)
            refuse_wide(source, len(names))
            axes = [axis for axis in source.axes if axis in contents]
            for name in (*names, *axes):
                _check_readable(source.path, name, contents[name])
            # As a table, of numbers of eight bytes, or of texts.
            cells = math.prod(shape)
            unpacked = sum(max(contents[name].size_bytes, 8 * cells) for name in names)
            unpacked += 8 * cells * len(source.axes) + sum(contents[axis].size_bytes for axis in axes)
            if sum(contents[name].size_bytes for name in names) > _MOST_BYTES:
                raise DataError(
                    "arrays-too-large",
                    "the arrays are too large to be read at once",
                    where=str(source.path),
                    found=f"more than {_MOST_BYTES >> 30} GiB",
                    remedy="write them as Parquet, which is read in parts",
                )
            refuse_unpacked(
                source.path,
                packed_bytes=source.path.stat().st_size,
                unpacked_bytes=unpacked,
                times=WHOLE_TIMES,
            )
            labels = {axis: _column(source.path, axis, contents[axis]) for axis in axes}
            values = {name: _column(source.path, name, contents[name]) for name in names}
        index = np.arange(math.prod(shape))
        columns = {}
        for number, axis in enumerate(source.axes):
            stride = math.prod(shape[number + 1 :])
            label_index = index // max(stride, 1) % max(shape[number], 1)
            columns[axis] = labels[axis].gather(label_index) if axis in labels else pl.Series(label_index)
        return pl.DataFrame({**columns, **values})

    def place(self, source: Source, line: int) -> str:
        """Name a row as an array's index."""
        with self._opened(source.path) as contents:
            shape, _ = _shape(source, contents)
        return "at [" + ", ".join(str(int(index)) for index in np.unravel_index(line, shape)) + "]"

    def counts(self, source: Source, column: str) -> bool:
        """Whether a column is an axis of which the file has no labels."""
        with self._opened(source.path) as contents:
            return column in source.axes and column not in contents

    def unreadable(self, path: Path) -> DataError:
        """Return the refusal of a file that is not of this format."""
        return DataError(
            self.broken,
            f"the file cannot be read as {self.article}",
            where=str(path),
            expected=f"a complete {self.formats} file of numbers and texts",
            remedy="check that the file was copied completely",
        )

    @contextmanager
    def _opened(self, path: Path) -> Iterator[dict[str, StoredArray]]:
        with (
            opened(path) as file,
            library_faults_as(self.unreadable(path)),
            self.contents(path, file) as contents,
        ):
            yield contents


def _shape(source: Source, contents: dict[str, StoredArray]) -> tuple[Shape, list[str]]:
    """The lengths of the axes, and the names of the arrays that have them."""
    axes = source.axes
    if not axes:
        raise _no_axes(source.path, contents)
    duplicates = sorted({axis for axis in axes if axes.count(axis) > 1})
    if duplicates:
        raise DataError(
            "duplicate-axis",
            f"two axes are called '{duplicates[0]}'",
            where=str(source.path),
            expected="names of their own",
            remedy="call one otherwise in the input's `axes`",
        )
    axis_lengths = {}
    for axis in axes:
        if axis in contents:
            if len(contents[axis].shape) != 1:
                raise DataError(
                    "axis-not-labels",
                    f"the array '{axis}' is called like an axis, and is no list of its labels",
                    where=str(source.path),
                    found=_shape_in_words(contents[axis].shape),
                    expected="a vector",
                    remedy="call the axis otherwise in the input's `axes`, or write its labels as a vector",
                )
            axis_lengths[axis] = contents[axis].shape[0]
    fitting = {
        name: array.shape
        for name, array in contents.items()
        if name not in axes
        and len(array.shape) == len(axes)
        and all(axis_lengths.get(axis, size) == size for axis, size in zip(axes, array.shape, strict=True))
    }
    shapes = set(fitting.values())
    if len(shapes) == 1:
        return shapes.pop(), list(fitting)
    lengths = ", ".join(f"{axis} {axis_lengths[axis]}" if axis in axis_lengths else axis for axis in axes)
    raise DataError(
        "several-shapes" if shapes else "axes-do-not-fit",
        "arrays of several shapes have these axes" if shapes else "no array has these axes",
        where=str(source.path),
        found=_shapes_in_words(contents),
        expected=f"arrays of one shape, with the axes {lengths}",
        remedy="correct the input's `axes`; a vector called like an axis is the list of its labels, and gives its length",
    )


def _no_axes(path: Path, contents: dict[str, StoredArray]) -> DataError:
    return DataError(
        "axes-missing",
        "the input does not say what the axes of the arrays are",
        where=str(path),
        found=_shapes_in_words(contents),
        expected="the names of their axes in the input, the outermost first",
        remedy='axes = ["person", "recording", "step"] in the plan, or --axes person,recording,step',
    )


def _shape_in_words(shape: Shape) -> str:
    return " × ".join(map(str, shape)) or "one value"


def _shapes_in_words(contents: dict[str, StoredArray]) -> str:
    shapes = [f"{name}: {_shape_in_words(array.shape)}" for name, array in list(contents.items())[:12]]
    return "; ".join(shapes) + ("; and others" if len(contents) > 12 else "") or "no arrays"


def _check_readable(path: Path, name: str, array: StoredArray) -> None:
    if array.flaw:
        raise DataError(
            array.flaw.code,
            f"the array '{name}' cannot be a column",
            where=str(path),
            found=array.flaw.words,
            expected="real numbers or texts, all of them in the file",
            remedy="write it anew as numbers, or as texts of one length: np.array(names, dtype='S')",
        )


def plain(dtype: np.dtype[Any]) -> Flaw | None:
    """Return why values of a type cannot be a column; None if they can."""
    if dtype.hasobject:
        return Flaw("python-objects", "objects")
    if dtype.kind == "c":
        return Flaw("complex-numbers", "complex numbers")
    if dtype.kind in "biufUS" and dtype.subdtype is None:
        return None
    return Flaw("values-of-other-type", "values of several parts, or of another type")


def _column(path: Path, name: str, stored: StoredArray) -> pl.Series:
    """An array as a column; bytes are text in UTF-8."""
    values = stored.read().reshape(-1)
    if values.dtype.kind == "S":
        try:
            return pl.Series([cell.decode("utf-8") for cell in values], dtype=pl.String)
        except UnicodeDecodeError:
            raise DataError(
                "not-utf8",
                f"texts of the array '{name}' are not UTF-8",
                where=str(path),
                expected="UTF-8",
                remedy="write them anew: np.char.encode(names, 'utf-8')",
            ) from None
    if values.dtype.kind == "U":
        return pl.Series(values.tolist(), dtype=pl.String)
    if values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8):
        values = values.astype(np.float64)
    return pl.Series(values.astype(values.dtype.newbyteorder("="), copy=False))
