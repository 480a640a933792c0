"""Any input as one plain table, Parquet or CSV: the rows and cells that a plan would read of it, for other tools. As private as the data."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from synthrelease.data.cells import label_texts
from synthrelease.data.one_type import refuse_mixed_types
from synthrelease.data.readers import reader_for
from synthrelease.data.readers.folder import Folder
from synthrelease.data.source import Source
from synthrelease.data.tables import Table, read_slices, refuse_missing_columns, untyped
from synthrelease.errors import DataError, PolicyError
from synthrelease.files.atomic import OWNER_ALONE, move_into_place
from synthrelease.files.locks import refuse_without_locks
from synthrelease.files.partial_files import Partial, partials
from synthrelease.files.scratch import scratch
from synthrelease.files.unwritable import cannot_write, writing

ENDINGS = (".parquet", ".csv")
_SLICE_ROWS = 1 << 20  # in memory at a time, where the format can be read in parts


@dataclass(frozen=True)
class Converted:
    """A table that was written; private."""

    path: Path
    rows: int
    columns: tuple[str, ...]


@scratch()
def convert(source: Source, target: Path, *, person: str | None = None, force: bool = False) -> Converted:
    """Write a source as one table that its owner alone can read; of a folder, the columns that all files have.

    Args:
        source: a file, a folder of files.
        target: its name ends in .parquet, which keeps the types, or .csv.
        person: the column that says whose rows are; None if that is not known, where no column counts places.
        force: replace a file of that name.

    Raises:
        DataError: the source cannot be read, or its columns cannot be columns of such a table.
        PolicyError: labels of people are places in the file, or may be, and would not be known as such any more.
        MachineError: the target exists and `force` is not set, or the disk, the folder or a permission is in the way.
    """
    refuse_without_locks(str(target))
    columns = _columns(source)
    _refuse_positions(source, columns, person)
    tables = read_slices(source, columns, most_rows=_SLICE_ROWS)
    with partials(target, folder=True) as (folder,), writing(target):
        whole = folder.path / target.name
        rows = (_write_csv if target.suffix == ".csv" else _write_parquet)(tables, whole)
        handle = os.open(whole, os.O_RDWR)
        try:
            move_into_place(Partial(whole, target, handle), force=force, mode=OWNER_ALONE)
        finally:
            os.close(handle)
    return Converted(target, rows, tuple(columns))


def _columns(source: Source) -> list[str]:
    reader = reader_for(source)
    if isinstance(reader, Folder) and not source.format:
        return reader.columns_of_all(source)[0]
    return reader.column_names(source)


def _refuse_positions(source: Source, columns: Sequence[str], person: str | None) -> None:
    if person is not None:
        refuse_missing_columns(source, [person], remedy="name a column of the data as the person")
    reader = reader_for(source)
    for column in columns if person is None else [person]:
        if reader.counts(source, column):
            raise PolicyError(
                "label-is-position",
                "a place in the file would become a label, and not be known as one any more",
                where=str(source.path),
                found=f"'{column}', which the file does not hold",
                expected="people with labels of their own",
                remedy="name the column that says who each one is, with --person or in the plan; if there is none, write it into the file: of arrays a vector called as the axis, of structs a field",
            )


def _write_csv(tables: Iterator[Table], path: Path) -> int:
    """Write tables below each other; numbers have the texts that they have as labels."""
    rows = 0
    with path.open("xb") as file:
        for table in tables:
            frame = table.frame.select(_texts(table, series) for series in table.frame)
            frame.write_csv(file, include_header=not rows)
            rows += frame.height
    return rows


def _texts(table: Table, series: pl.Series) -> pl.Series:
    try:
        return label_texts(series)
    except TypeError:
        raise DataError(
            "column-not-for-csv",
            "the column cannot be one of a CSV file",
            where=f"{table.source.path}, column '{series.name}'",
            found="lists, or values of several parts",
            expected="text or numbers",
            remedy="write Parquet: -o NAME.parquet",
        ) from None


def _write_parquet(tables: Iterator[Table], path: Path) -> int:
    """Write tables below each other, in the types that hold all: each by itself first, since a later one may need wider ones."""
    rows, ends = 0, _Ends()
    parts: list[Path] = []
    for table in tables:
        parts.append(path.with_name(f"{len(parts)}.part"))
        table.frame.with_columns(untyped(table.frame)).write_parquet(parts[-1])
        ends.add(table)
        rows += table.frame.height
    ends.refuse_mixed()
    try:
        whole = pl.concat([pl.scan_parquet(part, glob=False) for part in parts], how="vertical_relaxed")
        whole.with_columns(pl.col(pl.Null).cast(pl.String)).sink_parquet(path)
    except pl.exceptions.PolarsError:
        raise cannot_write(path, OSError()) from None
    return rows


class _Ends:
    """The smallest and the largest cell of every column in each of several tables: what their types must hold."""

    def __init__(self) -> None:
        self._frames: list[pl.DataFrame] = []
        self._tables: list[Table] = []

    def add(self, table: Table) -> None:
        plain = [
            series.name
            for series in table.frame
            if not series.dtype.is_nested() and series.dtype != pl.Object
        ]
        frame = table.frame.select(plain)
        self._frames.append(pl.concat([frame.min(), frame.max()]))
        self._tables.append(replace(table, frame=table.frame.clear(), lines=table.lines[:1]))

    def refuse_mixed(self) -> None:
        for column in self._frames[0].columns:
            refuse_mixed_types(
                column,
                [frame[column] for frame in self._frames],
                self._place,
                remedy="write it as one type in all files",
            )

    def _place(self, number: int) -> str:
        table = self._tables[number]
        return f"{table.source.path}, {table.reader.place(table.source, int(table.lines[0]))}"
