"""A dataset of an output, declared once: where it stands, what its axes are, and what its values follow from."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.stored import are_stored_multiples, is_stored_form, stored, stored_multiples

Array = NDArray[Any]
Index = tuple[int | slice, ...]  # of an item, or of some rows of one
INTEGERS = (np.dtype(np.int32), np.dtype(np.int64))
STORED = (np.dtype(np.float32),)
EXACT = (np.dtype(np.float64),)
ITERATED = 1e-9  # care for values that are found step by step: errors of 1e-16 grow a little
# Items that are derived at once, where that is faster, and values of all of them: at most. A power of two, so that the blocks of
# datasets that follow from one another begin together.
ITEMS_TOGETHER, _VALUES_TOGETHER = 8, 1 << 20


class Role(StrEnum):
    """What the values of a dataset are."""

    NOISY = "noisy"  # integers that carry noise
    CHOICE = "choice"  # numbers of candidates that were chosen privately
    RECORD = "record"  # of synthetic records: categories, and values in their bins
    ESTIMATE = "estimate"
    UNCERTAINTY = "uncertainty"  # standard deviation of an estimate
    INTERVAL = "interval"  # its lower and upper end
    NORMALIZATION = "normalization"  # what was divided by
    PUBLIC = "public"  # public numbers that the plan named, from which others follow
    MODEL = "model"  # fitted numbers that estimates are computed, or synthetic values drawn, by
    COORDINATE = "coordinate"  # public numbers that belong to coordinates, such as the edges of bins


@dataclass(frozen=True)
class ColumnWords:
    """What a column of a table is."""

    words: str  # in a sentence
    unit: str = ""


@dataclass(frozen=True)
class Axis:
    """An axis: its name, as data frames have it, and what stands along it: labels, or numbers in its unit, one for each place."""

    name: str
    coordinates: Sequence[str] | Sequence[int] | NDArray[Any]
    unit: str = ""
    path: str = ""  # of the coordinates, below the output; default the name
    words: str = ""  # what stands along it, in a sentence
    is_columns: bool = False  # whether tables have a column for each of its labels, and not a row
    of_columns: Mapping[str, ColumnWords] = field(
        default_factory=dict
    )  # what these are, by label, if they differ

    def __len__(self) -> int:
        return len(self.coordinates)

    @property
    def place(self) -> str:
        """The path of its coordinates below the output."""
        return self.path or self.name

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Type of the coordinates in a bundle: 64-bit floating-point numbers, whole numbers, or labels in UTF-8."""
        if isinstance(self.coordinates, np.ndarray):
            return np.dtype(np.float64)
        if isinstance(self.coordinates[0], str):
            return np.dtype(f"S{max(map(len, self._encoded(self.coordinates)))}")
        return np.dtype(np.int32)

    @property
    def values(self) -> Array:
        """The coordinates as a bundle stores them, shape (n,)."""
        return self.part(0, len(self))

    def part(self, start: int, stop: int) -> Array:
        """Return some of the values: there may be more than memory holds, as a manifest states how many."""
        coordinates: Any = self.coordinates[start:stop]
        if isinstance(coordinates, range):
            np.array(
                coordinates[-1:], self.dtype
            )  # raises if it is too large, where arange begins again below
            numbers: Array = np.arange(
                coordinates.start, coordinates.stop, coordinates.step, dtype=self.dtype
            )
            return numbers
        return np.array(self._encoded(coordinates) if self.dtype.kind == "S" else coordinates, self.dtype)

    @staticmethod
    def _encoded(labels: Sequence[Any]) -> list[bytes]:
        return [str(label).encode("utf-8") for label in labels]


@dataclass(frozen=True)
class DerivedFrom:
    """A dataset that another follows from; of the dataset's shape and unit, or what `part` makes of that.

    `whole` asks for all of its items at once, of which `part` takes what is needed (which alone is kept while a bundle is read).
    """

    path: str
    _: KW_ONLY
    whole: bool = False
    part: Callable[[Array], Array] | None = None


@dataclass(frozen=True)
class Counts:
    """Noisy integers of a dataset that count people: each adds so many grid units at most, on every stimulus or in every group where they count."""

    path: str
    part: slice  # of the last axis
    most: int  # what all of them sum to at most, without noise


@dataclass(frozen=True)
class Dataset:
    """A dataset of an output, in its unit; its shape is that of its axes.

    The first `items` axes number items, each of which is derived, judged and stored by itself; with `by_rows` so is every index of the next axis.
    `derive` is called with the index of an item (its rows as a slice, if it is read in parts) and what `sources` have there;
    `derive_several`, where that is faster, with some indices and what the sources have at each: it returns the same, bit for bit.
    """

    path: str  # below the output: "heatmap", or "category/pupil_mm"
    axes: tuple[Axis, ...]
    role: Role
    types: tuple[np.dtype[Any], ...] = STORED
    _: KW_ONLY
    quantity: str  # what the values are, in ASCII, such as "relative fixation density"
    unit: str = ""
    codes: Axis | None = None  # whose places the values number
    items: int = 0
    by_rows: bool = False
    sources: tuple[DerivedFrom, ...] = ()
    derive: Callable[..., Array] | None = None
    derive_several: Callable[[Sequence[Index], Sequence[Sequence[Array]]], Sequence[Array]] | None = None
    steps: Array | None = (
        None  # public, along the last axis: values are multiples of these, not of a grid that follows from the largest
    )
    care: float = 1e-12  # relative to the largest value: what 64-bit arithmetic may differ between machines
    most: int | None = None  # of drawn numbers: they are from 0 to this
    present: str = (
        ""  # the label along the last axis whose value is 0 where a row is none, as rows differ in number
    )
    in_tables: str = ""  # the quantity in tables, which leave out rows that are none; default `quantity`

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the dataset."""
        return tuple(map(len, self.axes))

    @property
    def item_shape(self) -> tuple[int, ...]:
        """Of one item."""
        return self.shape[self.items :]

    @property
    def size(self) -> int:
        """How many values it has."""
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of a value, at most."""
        return max(kind.itemsize for kind in self.types)

    def indices(self) -> Iterator[tuple[int, ...]]:
        """Yield the index of every item, in the order in which they are stored."""
        return itertools.product(*map(range, self.shape[: self.items]))

    @property
    def items_together(self) -> int:
        """How many items are derived at once."""
        if self.derive_several is None:
            return 1
        most = max(1, _VALUES_TOGETHER // max(1, math.prod(self.item_shape)))
        return min(ITEMS_TOGETHER, 1 << (most.bit_length() - 1))

    def together_from(self, index: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Return the items that are derived at once with one, from that on."""
        first, together, shape = self.number(index), self.items_together, self.shape[: self.items]
        last = min((first // together + 1) * together, math.prod(shape))
        return [tuple(map(int, np.unravel_index(number, shape))) for number in range(first, last)]

    def number(self, index: tuple[int, ...]) -> int:
        """Return how many items stand before one."""
        return int(np.ravel_multi_index(index, self.shape[: self.items]))

    def stored(self, exact: Array) -> Array:
        """Return derived values of one item, or of rows, as a bundle stores them, of the same shape and unit."""
        if self.steps is not None:
            return stored_multiples(exact, self.steps)
        if self.types == STORED:
            return stored(exact, by_rows=self.by_rows)
        return exact.astype(self.types[0])

    def fault(self, values: Array, exact: Array | None) -> str | None:
        """Return what is wrong with the values of an item, or of some of its rows, if anything, of the dataset's shape and unit.

        Args:
            values: as they are stored.
            exact: what is derived there, of datasets that follow from others.
        """
        if exact is not None:
            return self._derived_fault(values, exact)
        if self.most is not None and ((values < 0) | (values > self.most)).any():
            return f"expected numbers from 0 to {self.most}"
        return None

    def _derived_fault(self, values: Array, exact: Array) -> str | None:
        if self.steps is not None:
            if are_stored_multiples(values, exact, self.steps, care=self.care):
                return None
        elif self.types == STORED:
            if is_stored_form(values, exact, care=self.care, by_rows=self.by_rows):
                return None
        elif _same_bits(values, exact):
            return None
        return "the values do not follow from those that they are derived from"


def _same_bits(values: Array, expected: Array) -> bool:
    """Whether floating-point values are the same bit for bit: a NaN has room in it."""
    return bool(np.array_equal(values.view(np.uint64), expected.view(np.uint64)))


def in_order(datasets: Sequence[Dataset]) -> Iterator[tuple[Dataset, tuple[int, ...]]]:
    """Yield every item of every dataset after its sources, those that depend on one another item by item close together."""
    for _, group in itertools.groupby(sorted(datasets, key=_stages(datasets)), key=_stages(datasets)):
        members = list(group)
        together = max(dataset.items_together for dataset in members)
        indices = members[0].indices()
        while some := list(itertools.islice(indices, together)):
            yield from itertools.product(members, some)


def _stages(datasets: Sequence[Dataset]) -> Callable[[Dataset], tuple[int, tuple[int, ...]]]:
    """How often all items of something must be known before a dataset, and how many items it has."""
    stage: dict[str, int] = {}
    for dataset in datasets:
        stage[dataset.path] = max(
            (stage[source.path] + source.whole for source in dataset.sources), default=0
        )
    return lambda dataset: (stage[dataset.path], dataset.shape[: dataset.items])
