"""A table of a release, with what a catalogue says of its columns."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl


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
    key: tuple[str, ...]  # names of the columns that tell rows apart; empty if rows may repeat
    frame: pl.DataFrame  # its rows
    guarantee: str = ""  # of the output alone, as it stands at the end of the description
