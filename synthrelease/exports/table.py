"""A table of a release, with what a catalogue says of its columns, and what tables are made from."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.kinds.dataset import Dataset
from synthrelease.kinds.parameters import Parameters

_DIGITS = 4  # of a padded number, at least


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str  # as in the file's header
    kind: str  # "number", "integer" or "string"
    description: str  # what it is, in a sentence
    unit: str = ""  # of its values; empty if it has none
    lowest: float | None = None  # public lower bound; None if there is none
    highest: float | None = None  # public upper bound; None if there is none
    labels: tuple[str, ...] = ()  # all that there can be; empty if that is not limited
    missing: bool = False  # whether cells may be empty


@dataclass(frozen=True)
class ExportTable:
    """What one file of an export holds."""

    name: str  # of the file, without an ending: letters, digits, - and _
    output: str  # the name of the output that it is of
    title: str  # what it is, in a few words
    description: str  # what it is, and what its guarantee is, in sentences
    columns: tuple[Column, ...]  # in the order of the frame's
    key: tuple[str, ...]  # names of the columns that identify a row; empty if rows may repeat
    frame: pl.DataFrame  # its rows
    guarantee: str = ""  # of the output only, as it stands at the end of the description
    # The column that numbers synthetic records, if each has rows of its own: as many as any other, and all together.
    record: str = ""

    def records(self) -> Iterator[tuple[int, pl.DataFrame]]:
        """Yield each record's number and its rows; the table has a `record`."""
        numbers = self.frame[self.record].unique(maintain_order=True).to_list()
        rows = self.frame.height // len(numbers)
        for place, number in enumerate(numbers):
            yield number, self.frame.slice(place * rows, rows)


@dataclass(frozen=True)
class OutputSource:
    """An output with its values, of an open bundle or of a call on arrays: what tables and datasets of xarray are made from."""

    name: str
    parameters: Parameters
    datasets: Sequence[Dataset]
    read: Callable[[str], NDArray[Any]]  # returns a dataset by its path below the output
    guarantee: str  # in sentences
    about: Mapping[str, str]  # what frames and datasets say of themselves in `attrs`

    def array(self, dataset: Dataset) -> NDArray[Any]:
        """Return the values of a dataset."""
        return self.read(dataset.path)


def padded(number: int, largest: int) -> str:
    """Return a number with zeros before it, so that files stand in its order: `0001`."""
    return f"{number:0{max(_DIGITS, len(str(largest)))}}"


def sentence_case(text: str) -> str:
    """Return a text with its first letter in upper case, the rest as it is."""
    return f"{text[:1].upper()}{text[1:]}"


def free_name(name: str, taken: Container[str]) -> str:
    """Return a name that is not taken yet: `size_bin`, or `size_bin_` if there is a `size_bin`."""
    while name in taken:
        name += "_"
    return name


def label_series(labels: Sequence[str], numbers: NDArray[np.integer[Any]] | pl.Series) -> pl.Series:
    """Return the label of each number: a column of texts that takes no more room than it must."""
    return pl.Series(labels, dtype=pl.String).gather(numbers)
