"""What every byte of a bundle is for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from synthrelease.bundle.layout import is_compact

_CALLED = {"text-block": "text block", "chunk-index": "chunk index", "gap": "nothing"}


class Part(NamedTuple):
    """A structure of the file; its text is what messages call it.

    Attributes:
        kind: text-block, superblock, header, names, index, chunk-index, chunks, values or gap.
        path: the group or dataset that it is of; "" if it is of the file.
    """

    kind: str
    path: str = ""

    def __str__(self) -> str:
        called = _CALLED.get(self.kind, self.kind)
        return f"{called} of {self.path}" if self.path else called


@dataclass(frozen=True)
class Region:
    """Bytes of the file and what they are: `start` ≤ byte < `stop`, from the beginning of the file."""

    start: int
    stop: int
    part: Part

    @property
    def what(self) -> str:
        """What messages call the part."""
        return str(self.part)


@dataclass(frozen=True)
class StoredDataset:
    """Where a dataset lies: its chunks are whole rows, in order, compressed each; or all of it stands in its header, as it is.

    Attributes:
        dtype: of its values.
        shape: of the dataset.
        chunk: shape of each chunk; the last may be only partly filled.
        chunks: place in the file and size of each, in bytes; of a compact dataset those of its values.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    chunk: tuple[int, ...]
    chunks: tuple[tuple[int, int], ...]

    @property
    def is_compact(self) -> bool:
        """Whether the values stand in the header."""
        return is_compact(self.shape, self.dtype.itemsize)

    @property
    def logical_bytes(self) -> int:
        """Size of all values."""
        return math.prod(self.shape) * self.dtype.itemsize


@dataclass(frozen=True)
class Anatomy:
    """What a bundle's HDF5 consists of.

    Attributes:
        groups: attributes of every group by path; "/" is the root.
        datasets: by path.
        regions: what every byte of the file is for, in order, without gaps.
    """

    groups: dict[str, dict[str, int | bytes]]
    datasets: dict[str, StoredDataset]
    regions: tuple[Region, ...]
