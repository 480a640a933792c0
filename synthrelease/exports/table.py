"""A table of a release, with what a catalogue says of its columns."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: as in the file's header.
        kind: "number", "integer" or "string".
        description: what it is, in a sentence.
        unit: of its values; empty if it has none.
        lowest: public lower bound; None if there is none.
        highest: public upper bound; None if there is none.
        labels: all that there can be; empty if that is not limited.
        missing: whether cells may be empty.
    """

    name: str
    kind: str
    description: str
    unit: str = ""
    lowest: float | None = None
    highest: float | None = None
    labels: tuple[str, ...] = ()
    missing: bool = False


@dataclass(frozen=True)
class Table:
    """What one file of an export holds.

    Attributes:
        name: of the file, without an ending: letters, digits, - and _.
        output: the name of the output that it is of.
        title: what it is, in a few words.
        description: what it is, and what its guarantee is, in sentences.
        columns: in the order of the frame's.
        key: names of the columns that tell rows apart; empty if rows may repeat.
        frame: its rows.
        guarantee: of the output alone, as it stands at the end of the description.
    """

    name: str
    output: str
    title: str
    description: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    frame: pl.DataFrame
    guarantee: str = ""
