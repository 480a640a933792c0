"""What every byte of a bundle is for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from synthrelease.bundle.layout import is_compact

_CALLED = {"text-block": "text block", "chunk-index": "chunk index", "gap": "nothing"}


class Structure(NamedTuple):
    """A structure of the file; its text is what messages call it."""

    kind: str  # text-block, superblock, header, names, index, chunk-index, chunks, values, references or gap
    path: str = ""  # the group or dataset that it is of; "" if it is of the file

    def __str__(self) -> str:
        called = _CALLED.get(self.kind, self.kind)
        return f"{called} of {self.path}" if self.path else called


@dataclass(frozen=True)
class Region:
    """Bytes of the file and what they are: `start` ≤ byte < `stop`, from the beginning of the file."""

    start: int
    stop: int
    structure: Structure


@dataclass(frozen=True, kw_only=True)
class Form:
    """What a dataset is, but for its values."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    axis: str = ""  # whose coordinates it has, if it is a dimension scale
    scales: tuple[str, ...] = ()  # paths of the dimension scales of its axes
    attributes: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_compact(self) -> bool:
        """Whether the values stand in the header."""
        return is_compact(self.shape, self.dtype.itemsize)

    @property
    def logical_bytes(self) -> int:
        """Size of all values."""
        return math.prod(self.shape) * self.dtype.itemsize


@dataclass(frozen=True, kw_only=True)
class StoredDataset(Form):
    """Where a dataset lies: in chunks that hold its values in their order, compressed each; or all of it in its header, as it is."""

    # Shape of each chunk; the last along the axis that is cut may be only partly filled.
    chunk: tuple[int, ...]
    # Place in the file and size in bytes, in order; of a compact dataset that of its values.
    chunks: tuple[tuple[int, int], ...]

    @property
    def form(self) -> Form:
        """What it is, without its place."""
        return Form(
            dtype=self.dtype,
            shape=self.shape,
            axis=self.axis,
            scales=self.scales,
            attributes=self.attributes,
        )

    def values_in(self, number: int) -> int:
        """Return how many values of the dataset a chunk has."""
        return values_in_chunk(self.shape, self.chunk, number)

    def chunk_of(self, value: int) -> tuple[int, int]:
        """Return in which chunk a value is, by its number, and the number of the chunk's first value."""
        cut = _cut_axis(self.shape, self.chunk)
        per_row = math.prod(self.shape[cut + 1 :])
        whole, remainder = divmod(value, self.shape[cut] * per_row)
        within = remainder // (self.chunk[cut] * per_row)
        number = whole * -(-self.shape[cut] // self.chunk[cut]) + within
        return number, whole * self.shape[cut] * per_row + within * self.chunk[cut] * per_row


def values_in_chunk(shape: tuple[int, ...], chunk: tuple[int, ...], number: int) -> int:
    """Return how many values of a dataset a chunk has: fewer than it has room for at the end of the axis that is cut."""
    cut = _cut_axis(shape, chunk)
    start = number % -(-shape[cut] // chunk[cut]) * chunk[cut]
    return min(chunk[cut], shape[cut] - start) * math.prod(shape[cut + 1 :])


def _cut_axis(shape: tuple[int, ...], chunk: tuple[int, ...]) -> int:
    """The axis that is cut into chunks: those behind it are whole in each."""
    sides = enumerate(zip(shape, chunk, strict=True))
    return max((axis for axis, (side, part) in sides if part < side), default=0)


@dataclass(frozen=True)
class Anatomy:
    """What a bundle's HDF5 consists of."""

    groups: dict[str, dict[str, int | bytes]]  # attributes of every group by path; "/" is the root
    datasets: dict[str, StoredDataset]  # by path
    regions: tuple[Region, ...]  # what every byte of the file is for, in order, without gaps
