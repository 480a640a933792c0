"""A dataset of an open bundle, or an item of it: nothing is read before it is asked for."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from synthrelease.bundle.stored_values import StoredValues
from synthrelease.errors import no_such
from synthrelease.files.labels import quoted
from synthrelease.kinds.dataset import Axis, Dataset

# They change an array in place: here one that was read, which nothing refers to afterwards.
_IN_PLACE = frozenset(
    {"byteswap", "fill", "itemset", "partition", "put", "resize", "setfield", "setflags", "sort"}
)


class LazyDataset(NDArrayOperatorsMixin):
    """A dataset of an open bundle, or an item of it: read, and compared with its digest, when values are asked for.

    `shape`, `dtype`, `dims`, `coords` and `unit` read no values. `[…]` reads what it needs, chunk by chunk, and returns arrays of
    NumPy in the dataset's unit; a label such as `["1005"]` chooses along the first axis and reads nothing. Operators, `np.asarray`
    and the methods of arrays (`.mean()`) read all of it, each time: keep `dataset[:]` if you need it often.
    """

    def __init__(
        self, stored: StoredValues, output: str, dataset: Dataset, index: tuple[int, ...] = ()
    ) -> None:
        self._stored, self._output, self._dataset, self._index = stored, output, dataset, index

    @property
    def name(self) -> str:
        """Its path below the output, and the labels that were chosen: `heatmap/1005`."""
        axes = zip(self._dataset.axes, self._index, strict=False)
        return "/".join([self._dataset.path, *(quoted(str(axis.coordinates[place])) for axis, place in axes)])

    @property
    def quantity(self) -> str:
        """What the values are, such as "relative fixation density"."""
        return self._dataset.quantity

    @property
    def unit(self) -> str:
        """The unit of the values; empty if they have none."""
        return self._dataset.unit

    @property
    def dims(self) -> tuple[str, ...]:
        """The names of its axes, such as ("stimulus", "y_px", "x_px")."""
        return tuple(axis.name for axis in self._axes)

    @property
    def coords(self) -> dict[str, NDArray[Any]]:
        """What is along each axis, shape (n,) each: labels as texts, or numbers in the axis's unit."""
        return {
            axis.name: np.array(list(map(str, axis.coordinates)))
            if axis.dtype.kind == "S"
            else axis.values.copy()
            for axis in self._axes
        }

    @property
    def shape(self) -> tuple[int, ...]:
        """How long each axis is."""
        return self._dataset.shape[len(self._index) :]

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many values it has."""
        return math.prod(self.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its values."""
        return self._stored.dtype(self._output, self._dataset.path)

    @property
    def labels(self) -> list[str]:
        """The labels along the first axis; none if it has only numbers."""
        if not self._axes or not self._has_labels:
            return []
        return list(map(str, self._axes[0].coordinates))

    def at(self, label: str) -> LazyDataset | None:
        """Return what is at a label along the first axis, percent-encoded or not; None if that has no such label."""
        labels = self.labels
        found = labels if label in labels else [quoted(one) for one in labels]
        if label not in found:
            return None
        index = (*self._index, found.index(label))
        return LazyDataset(self._stored, self._output, self._dataset, index)

    def find(self, path: str) -> LazyDataset | None:
        """Return what is at a label, or at one label after the other; None if a label is not there."""
        item = self.at(path)
        if item is not None:
            return item
        for first, rest in ways(path):
            item = self.at(first)
            found = None if item is None else item.find(rest)
            if found is not None:
                return found
        return None

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a single value has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(np.asarray(self))

    def __getitem__(self, key: Any) -> Any:
        """Return values as NumPy indexes them; of a label along the first axis the item, a number if nothing is left of its axes.

        Raises:
            KeyError: no such label.
            IndexError: as of NumPy's arrays.
            BundleError: the values are not those that the manifest lists.
            ArgumentError: the bundle was closed.
        """
        if isinstance(key, str):
            found = self.find(key)
            if found is None:
                raise no_such(f"label of '{self.name}'", key, self.labels)
            return found.whole_or_number()
        keys = key if isinstance(key, tuple) else (key,)
        if not all(one is None or one is Ellipsis or isinstance(one, slice) or _is_int(one) for one in keys):
            return np.asarray(self)[key]  # which axes go together is for NumPy to say
        shape, place = self.shape, 0
        start = 0  # counted in values of what is left
        while place < min(len(keys), len(shape)) and _is_int(keys[place]):
            start = (start * shape[place]) + _in_range(operator.index(keys[place]), shape[place], place)
            place += 1
        left, rest = shape[place:], keys[place:]
        start *= math.prod(left)
        if not left or not rest or not isinstance(rest[0], slice):
            return self._run(start, math.prod(left)).reshape(left)[rest]
        rows = range(left[0])[rest[0]]
        row = math.prod(left[1:])
        lowest, highest = sorted((rows[0], rows[-1])) if rows else (0, -1)
        block = self._run(start + lowest * row, (highest + 1 - lowest) * row).reshape(-1, *left[1:])
        return block[(slice(None, None, rows.step), *rest[1:])]

    def whole_or_number(self) -> Any:
        """Return the dataset, or its number if it has no axes."""
        return self if self.shape else self[()]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: FBT001  NumPy's protocol
        if copy is False:
            raise ValueError("a dataset is read into a new array: that it is not copied cannot be had")
        array = self._run(0, self.size).reshape(self.shape)
        return array if dtype is None else array.astype(dtype, copy=False)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if any(isinstance(one, LazyDataset) for one in options.get("out", ())):
            return NotImplemented  # bundles are for reading
        arrays = (np.asarray(one) if isinstance(one, LazyDataset) else one for one in inputs)
        return getattr(ufunc, method)(*arrays, **options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in _IN_PLACE or not hasattr(np.ndarray, name):
            raise AttributeError(f"a {type(self).__name__} has no attribute '{name}'")
        return getattr(np.asarray(self), name)

    def __repr__(self) -> str:
        axes = ", ".join(f"{name}: {length}" for name, length in zip(self.dims, self.shape, strict=True))
        return f"<{type(self).__name__} {self._output}/{self.name}: {axes}>"

    @property
    def _axes(self) -> tuple[Axis, ...]:
        return self._dataset.axes[len(self._index) :]

    @property
    def _has_labels(self) -> bool:
        """Whether the first axis can be chosen along by labels: it numbers items, or its coordinates are texts."""
        return len(self._index) < self._dataset.items or isinstance(self._axes[0].coordinates[0], str)

    def _run(self, start: int, number: int) -> NDArray[Any]:
        """So many values from one on, all axes in one."""
        before = 0
        for place, length in zip(self._index, self._dataset.shape, strict=False):
            before = before * length + place
        start += before * self.size
        return self._stored.run(self._output, self._dataset.path, start, start + number)


def ways(path: str) -> Iterator[tuple[str, str]]:
    """Yield each first part of a path with what follows: labels may contain a slash."""
    for place, letter in enumerate(path):
        if letter == "/":
            yield path[:place], path[place + 1 :]


def _is_int(key: Any) -> bool:
    return isinstance(key, int | np.integer) and not isinstance(key, bool)


def _in_range(place: int, length: int, axis: int) -> int:
    if not -length <= place < length:
        raise IndexError(f"index {place} is out of bounds for axis {axis} with size {length}")
    return place % length
