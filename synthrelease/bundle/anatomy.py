"""What every byte of a bundle is for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from synthrelease.bundle.layout import is_compact


@dataclass(frozen=True)
class Region:
    """Bytes of the file and what they are: `start` ≤ byte < `stop`, from the beginning of the file."""

    start: int
    stop: int
    what: str


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
