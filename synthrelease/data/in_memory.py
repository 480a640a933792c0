"""Rows that a Python program already holds, in place of a file: frames of polars and pandas, gaze of pymovements."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from synthrelease.data.arguments import libraries_kinds
from synthrelease.data.one_type import refuse_mixed_types
from synthrelease.errors import DataError, MachineError

# As pymovements names those of one eye, of two, and of two with the cyclopean one.
_COMPONENTS = {
    2: ("x", "y"),
    4: ("xl", "yl", "xr", "yr"),
    6: ("xl", "yl", "xr", "yr", "xa", "ya"),
}
_EYES = ("left", "right")
_EXPECTED = "a DataFrame of polars or pandas, or a Gaze or Dataset of pymovements"


@dataclass(frozen=True)
class InMemoryFrame:
    """A frame with plain columns that no longer changes.

    Two of them are equal, and hash alike, if their rows do; so a copy in a worker process is the same.
    """

    name: str  # of the frame, as messages name the place of an error
    frame: pl.DataFrame = field(repr=False, compare=False)  # the rows; never shown
    digest: str = field(repr=False)  # of names, types and rows

    @classmethod
    def of(cls, value: object, name: str) -> InMemoryFrame:
        """Take the rows of an object; lists of coordinates become columns such as `pixel_x` and `pixel_y`.

        Args:
            value: a DataFrame of polars or pandas; a Gaze of pymovements, or a Dataset whose gaze is loaded.
            name: how messages call it.

        Raises:
            DataError: it is none of these, or its columns cannot be distinguished.
        """
        frame = split_coordinates(_rows(value, name), name)
        return cls(name, frame, _digest(frame))

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, ArrayLike], name: str) -> InMemoryFrame:
        """Take columns that are arrays, each of shape (N,): numbers, NaN where they are missing, or labels.

        Args:
            arrays: by the names of the columns.
            name: how messages call the whole.

        Raises:
            DataError: an array is not of one axis, not as long as the others, or holds what is neither text nor numbers.
        """
        columns = [_of_array(array, column, name) for column, array in arrays.items()]
        for column in columns:
            if len(column) != len(columns[0]):
                raise DataError(
                    "lengths-differ",
                    "the arrays have different lengths",
                    where=f"{name}, '{column.name}'",
                    found=f"{len(column)}, and {len(columns[0])} of '{columns[0].name}'",
                    expected="one entry of every array for each row",
                    remedy="take all arrays from the same rows",
                )
        frame = pl.DataFrame(columns)
        return cls(name, frame, _digest(frame))


def split_coordinates(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return a frame with a column for every component of coordinates.

    Lists of 2, 4 or 6 numbers are the x and y of one eye, of two, or of two and their mean: `pixel` becomes `pixel_x` and `pixel_y`,
    or `pixel_xl`, `pixel_yl`, `pixel_xr`, `pixel_yr`, then `pixel_xa` and `pixel_ya`; only a list of pupils becomes `pupil_left` and
    `pupil_right`. Where a list is missing, so are its components. Other lists stay as they are, for those who do not need them.

    Raises:
        DataError: a component has the name of another column.
    """
    columns: list[pl.Series] = []
    for series in frame:
        components = _components(series)
        lists = series.arr.to_list() if components and isinstance(series.dtype, pl.Array) else series
        columns += [
            lists.list.get(index, null_on_oob=True).alias(f"{series.name}_{component}")
            for index, component in enumerate(components)
        ] or [series]
    names = [series.name for series in columns]
    for column in frame.columns:
        if names.count(column) > 1:
            raise DataError(
                "component-named-as-column",
                "two columns have the same name",
                where=f"{name}, column '{column}'",
                found="a column, and a component of a column of lists",
                remedy="rename or drop one",
            )
    return pl.DataFrame(columns)  # another one than the program's, which may be changed


def _components(series: pl.Series) -> tuple[str, ...]:
    """Names of what the lists in a column are made of; none if it holds no lists, or none of coordinates."""
    dtype = series.dtype
    if not isinstance(dtype, pl.Array | pl.List) or not dtype.inner.is_numeric():
        return ()
    lists = series.arr.to_list() if isinstance(dtype, pl.Array) else series
    lengths = lists.list.len().drop_nulls().unique().to_list()
    if len(lengths) != 1:
        return ()
    return _EYES if (series.name, lengths[0]) == ("pupil", len(_EYES)) else _COMPONENTS.get(lengths[0], ())


def _rows(value: object, name: str) -> pl.DataFrame:
    """The rows of any object that is offered."""
    if isinstance(value, pl.DataFrame):
        return value
    kinds = libraries_kinds(value)
    if ("pandas", "DataFrame") in kinds:
        return _of_pandas(value, name)
    if ("pymovements", "Gaze") in kinds:
        return _of_gaze(value)
    if ("pymovements", "Dataset") in kinds:
        return _of_dataset(value, name)
    raise DataError(
        "not-rows",
        "this object has no rows",
        where=name,
        found=type(value).__name__,
        expected=_EXPECTED,
        remedy="read it first: frame.collect()"
        if ("polars", "LazyFrame") in kinds
        else "make a frame of it: polars.DataFrame(…)",
    )


def _of_pandas(frame: Any, name: str) -> pl.DataFrame:
    """Its columns; its index is none of them. NaN is a missing value there, and so it is here."""
    if not all(isinstance(column, str) for column in frame.columns):
        raise DataError(
            "name-not-text",
            "a column of the frame has a name that is not text",
            where=name,
            expected="columns with names",
            remedy='name them: frame.columns = ["person", …]',
        )
    if not frame.columns.is_unique:
        raise DataError(
            "duplicate-column", "two columns have the same name", where=name, remedy="rename or drop one"
        )
    try:
        return pl.DataFrame([_of_column(frame[column]) for column in frame.columns])
    except ImportError:
        raise MachineError(
            "extra-missing",
            "frames of pandas need pyarrow, which is not installed",
            remedy="pip install 'synthrelease[pandas]'",
        ) from None


def _of_column(series: Any) -> pl.Series:
    """A copy: the column's own memory may change while it is read."""
    try:
        return cast("pl.Series", pl.from_pandas(series.copy(), nan_to_null=True)).alias(str(series.name))
    except ImportError:
        raise
    except Exception:  # noqa: BLE001  whatever polars cannot read; refused where a plan names the column
        return pl.Series(series.name, [None] * len(series), dtype=pl.Object)


def _of_array(array: ArrayLike, column: str, name: str) -> pl.Series:
    """An array as a column."""
    where = f"{name}, '{column}'"
    try:
        values = np.asarray(array)
        if values.dtype.kind == "U" and not isinstance(array, np.ndarray):
            # In an array of texts NumPy would write the number 1 as another label.
            values = np.asarray(array, dtype=object)
    except (TypeError, ValueError):  # lists of several lengths, say
        values = np.asarray(None)
    if values.ndim != 1:
        raise DataError(
            "array-not-flat",
            "an array has more or less than one axis",
            where=where,
            found=f"the shape {values.shape}",
            expected="(N,)",
            remedy="give one entry for every row: array.ravel(), if its order is that of the others",
        )
    try:
        if values.dtype.kind == "O":  # labels of pandas, say, with NaN for none
            cells = [None if cell is None or cell != cell else cell for cell in values]  # noqa: PLR0124
            return pl.Series(column, cells)
        series = pl.Series(column, values)
    except (TypeError, ValueError, pl.exceptions.PolarsError):
        raise DataError(
            "bad-array",
            "the array cannot be used",
            where=where,
            found=f"the type {values.dtype}",
            expected="numbers or text",
            remedy="make labels text, and measurements numbers: array.astype(str), array.astype(float)",
        ) from None
    return series.fill_nan(None) if series.dtype.is_float() else series


def _of_gaze(gaze: Any) -> pl.DataFrame:
    """Its samples, and what is known of the whole file as columns of one value."""
    samples: pl.DataFrame = gaze.samples
    constants = [
        pl.lit(value).alias(key)
        for key, value in (gaze.metadata or {}).items()
        if isinstance(value, str | int | float) and key not in samples.columns
    ]
    return samples.with_columns(constants)


def _of_dataset(dataset: Any, name: str) -> pl.DataFrame:
    """All its gaze, one below the other."""
    loaded = list(getattr(dataset, "gaze", None) or ())
    if not loaded:
        raise DataError(
            "no-gaze",
            "the dataset holds no gaze",
            where=name,
            expected="a Dataset that is loaded",
            remedy="call dataset.load() first",
        )
    frames = [split_coordinates(_of_gaze(gaze), name) for gaze in loaded]
    for column in dict.fromkeys(column for frame in frames for column in frame.columns):
        numbers = [number for number, frame in enumerate(frames) if column in frame.columns]
        refuse_mixed_types(
            column,
            [frames[number][column] for number in numbers],
            lambda piece, numbers=numbers: f"{name}, gaze {numbers[piece] + 1}",  # type: ignore[misc]
            remedy="cast it to one type in each gaze's samples, or drop it",
        )
    try:
        return pl.concat(frames, how="diagonal_relaxed")
    except pl.exceptions.PolarsError:
        raise DataError(
            "gaze-not-one-table",
            "gaze of the dataset cannot be put into one table",
            where=name,
            found="columns of one name and of different types",
            expected="the same columns in all of it",
            remedy="cast them to one type in each gaze's samples, or drop them",
        ) from None


def _digest(frame: pl.DataFrame) -> str:
    """A digest of the rows; used in this process and its workers only, and written nowhere."""
    state = hashlib.sha256(repr(frame.schema).encode())
    plain = [series for series in frame if not series.dtype.is_nested() and series.dtype != pl.Object]
    if plain:
        state.update(pl.DataFrame(plain).hash_rows(seed=1).to_numpy().tobytes())
    return state.hexdigest()
