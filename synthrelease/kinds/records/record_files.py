"""Records in files, some at a time: category numbers, and one more number of each, such as whose it is (`records.proof.md`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.data.readers.hdf5 import Hdf5, whole_numbers
from synthrelease.data.source import Source
from synthrelease.data.tables import Table, read_slices
from synthrelease.errors import DataError

_MOST = np.iinfo(np.int64).max


class _Column(NamedTuple):
    """Some rows of a column."""

    numbers: NDArray[Any]
    missing: NDArray[np.bool_] | None  # where a cell is empty
    place: Callable[[int], str]  # of a row, in words

    def checked(self, highest: int) -> NDArray[Any]:
        """Return the numbers; DataError if one of them is no whole number of 0 … `highest`."""
        numbers = self.numbers
        invalid = np.zeros(numbers.shape, dtype=np.bool_) if self.missing is None else self.missing
        if numbers.dtype.kind not in "iu":
            invalid = np.ones(numbers.shape, dtype=np.bool_)
        elif numbers.size and not (numbers.min() >= 0 and int(numbers.max()) <= highest):
            invalid = invalid | (numbers < 0) | (numbers > highest)
        if invalid.any():
            is_category = highest < _MOST
            raise DataError(
                "bad-category-number" if is_category else "bad-record-number",
                "a cell is not the number of a category"
                if is_category
                else "a cell is no number of a person or a record",
                where=self.place(int(np.flatnonzero(invalid)[0])),
                expected=f"a whole number from 0 to {highest}"
                if is_category
                else "a whole number of 0 or more",
                remedy="number the categories as the model does"
                if is_category
                else "number people and records from 0",
            )
        return numbers


@dataclass(frozen=True)
class RecordFile:
    """Where records are, and in which columns.

    Attributes:
        path: a table, such as Parquet; or an HDF5 file of arrays.
        attributes: the columns, or arrays of shape (N,), in the order of the model's attributes; or one array of shape (N, m).
        number: the column, or array, of one more whole number of each record; "" numbers them as they stand.
    """

    path: Path
    attributes: tuple[str, ...]
    number: str

    def blocks(
        self, categories: Sequence[int], rows: int
    ) -> Iterator[tuple[NDArray[Any], NDArray[np.int64]]]:
        """Yield records, at most so many at a time: category numbers, shape (n, m), and the further numbers, shape (n,).

        Args:
            categories: how many each attribute has, shape (m,).
            rows: of a block.

        Raises:
            DataError, MachineError: the file cannot be used.
        """
        kind = np.min_scalar_type(max(categories) - 1)
        start = 0
        for columns in self._arrays(rows) if Hdf5().matches(self.path) else self._tables(rows):
            attributes = columns[: len(columns) - bool(self.number)]
            if len(attributes) != len(categories):
                raise DataError(
                    "wrong-attributes",
                    "the records have not as many attributes as the model",
                    where=str(self.path),
                    found=str(len(attributes)),
                    expected=str(len(categories)),
                    remedy="name the columns of the model's attributes, in its order",
                )
            values = np.empty((len(columns[0].numbers), len(categories)), dtype=kind)
            for attribute, (column, size) in enumerate(zip(attributes, categories, strict=True)):
                values[:, attribute] = column.checked(size - 1)
            yield (
                values,
                columns[-1].checked(_MOST).astype(np.int64)
                if self.number
                else np.arange(start, start + len(values)),
            )
            start += len(values)

    @property
    def _names(self) -> list[str]:
        return [*self.attributes, *([self.number] if self.number else [])]

    def _tables(self, rows: int) -> Iterator[list[_Column]]:
        for table in read_slices(Source(self.path), self._names, most_rows=rows):
            yield [_of_table(table, name) for name in self._names]

    def _arrays(self, rows: int) -> Iterator[list[_Column]]:
        start = 0
        for arrays in whole_numbers(self.path, self._names, rows):
            yield [
                _Column(numbers, None, partial(_index, f"{self.path}, {name}", start))
                for name, array in zip(self._names, arrays, strict=True)
                for numbers in np.atleast_2d(array.T)
            ]
            start += len(arrays[0])


def _of_table(table: Table, name: str) -> _Column:
    series = table.frame[name]
    if series.dtype == pl.String:  # as of CSV
        series = series.str.strip_chars().cast(pl.Int64, strict=False)
    missing = series.is_null().to_numpy() if series.null_count() else None
    numbers = series.to_numpy() if missing is None else series.fill_null(0).to_numpy()
    return _Column(numbers, missing, partial(table.place, column=name))


def _index(where: str, start: int, row: int) -> str:
    return f"{where}, row {start + row}"
