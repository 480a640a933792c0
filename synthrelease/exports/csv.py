"""Tables as CSV: UTF-8, as RFC 4180 has it. Numbers give back the same bits, and what is missing is empty.

Texts stand as they are in the release. Those that a spreadsheet would take for formulas are left as they are, too: a sign
before them would make another label of each, for every program that is no spreadsheet. The curator and the readers of the
README are warned of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, BinaryIO

import polars as pl

from synthrelease.errors import ArgumentError
from synthrelease.exports.table import ExportTable, padded
from synthrelease.exports.table_files import (
    RecordFiles,
    TableFile,
    has_formulas,
    whole,
    write_companions,
    write_tables,
)
from synthrelease.exports.task import ExportTask

_ROWS = 1 << 16  # that are text in memory at a time
CONTENTS = "Tables in CSV (RFC 4180, UTF-8): the first line has the names of columns, empty cells are missing values."


def write(task: ExportTask) -> list[str]:
    """Write every table, or one file for each synthetic record of the tables that have any, a README and the manifest.

    Raises:
        ArgumentError: no table has the records that each file is asked for.
    """

    def divide(table: ExportTable) -> RecordFiles | None:
        return write_records(task, table) if table.record == task.options.one_file_per else None

    files = write_tables(task, "csv", _save, divide=divide)
    if task.options.one_file_per and not any(isinstance(file, RecordFiles) for file in files):
        numbered = dict.fromkeys(file.table.record for file in files if file.table.record)
        raise ArgumentError(
            "nothing-to-divide",
            "no output has synthetic records of this name, with rows of their own",
            where=str(task.bundle.path),
            found=task.options.one_file_per,
            expected=" or ".join(numbered) or "nothing: no file can be divided",
            remedy="write one of these" if numbered else "export without this option",
        )
    return write_companions(task, files, what=CONTENTS)


def write_csv(task: ExportTask) -> list[TableFile]:
    """Write every table to a file of its own."""
    return whole(write_tables(task, "csv", _save))


def write_records(task: ExportTask, table: ExportTable) -> RecordFiles:
    """Write a table to a folder called after it: a file for each synthetic record, with the columns of the whole."""
    folder = task.folder / table.name
    folder.mkdir()
    paths = []
    height = 0
    largest = int(table.frame[table.record].to_numpy().max())
    for number, rows in table.records():
        path = folder / f"{table.record}-{padded(number, largest)}.csv"
        with path.open("xb") as file:
            _save(replace(table, frame=rows), file)
        paths.append(path.relative_to(task.folder))
        height = rows.height
    empty = replace(table, frame=table.frame.clear())
    return RecordFiles(paths[0], paths[-1], empty, len(paths), height, has_formulas(table))


def save_text(frame: pl.DataFrame, file: BinaryIO, *, header: bool = True, **form: Any) -> None:
    """Write a frame as text, some rows at a time.

    Args:
        frame: the rows.
        file: to write to.
        header: whether the names of columns are its first line.
        form: how, as polars calls it.

    Raises:
        OSError: the disk is full or fails: polars, given the file itself, would raise an exception of its own.
    """
    for number, rows in enumerate(frame.iter_slices(_ROWS)):
        text = rows.write_csv(include_header=header and number == 0, **form)
        file.write(text.encode("utf-8"))


def _save(table: ExportTable, file: BinaryIO) -> None:
    # A missing value by itself would be an empty line, which readers leave out.
    quotes = "always" if table.frame.width == 1 else "necessary"
    save_text(table.frame, file, line_terminator="\r\n", quote_style=quotes)
