"""Tables as CSV: UTF-8, as RFC 4180 has it. Numbers give back the same bits, and what is missing is empty.

Texts stand as they are in the release. Those that a spreadsheet would take for formulas are left as they are, too: a sign
before them would make another label of each, for every program that is no spreadsheet. The curator and the readers of the
README are warned of them.
"""

from __future__ import annotations

from typing import Any, BinaryIO

import polars as pl

from synthrelease.exports.table import ExportTable
from synthrelease.exports.table_files import TableFile, write_companions, write_tables
from synthrelease.exports.task import ExportTask

_ROWS = 1 << 16  # that are text in memory at a time
CONTENTS = "Tables in CSV (RFC 4180, UTF-8): the first line has the names of columns, empty cells are missing values."


def write(task: ExportTask) -> list[str]:
    """Write every table, a README and the manifest."""
    return write_companions(task, write_csv(task), what=CONTENTS)


def write_csv(task: ExportTask) -> list[TableFile]:
    """Write every table to a file of its own."""
    return write_tables(task, "csv", _save)


def save_text(frame: pl.DataFrame, file: BinaryIO, **form: Any) -> None:
    """Write a frame as text, some rows at a time.

    Args:
        frame: the rows.
        file: to write to.
        form: how, as polars calls it.

    Raises:
        OSError: the disk is full or fails: polars, given the file itself, would raise an exception of its own.
    """
    for number, rows in enumerate(frame.iter_slices(_ROWS)):
        text = rows.write_csv(include_header=number == 0, **form)
        file.write(text.encode("utf-8"))


def _save(table: ExportTable, file: BinaryIO) -> None:
    # A missing value by itself would be an empty line, which readers leave out.
    quotes = "always" if table.frame.width == 1 else "necessary"
    save_text(table.frame, file, line_terminator="\r\n", quote_style=quotes)
