"""Tables as files of a folder, one after the other, and what accompanies them: a README, the manifest and its signatures."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import polars as pl

from synthrelease.bundle.signing.expectations import signature_file
from synthrelease.exports.readme import item, readme, table_lines
from synthrelease.exports.table import ExportTable
from synthrelease.exports.tables import tables_of
from synthrelease.exports.task import MANIFEST, ExportTask
from synthrelease.files.digest import sha256_of
from synthrelease.number_words import several

README = "README.txt"
FORMULAS = (
    "Some texts begin with =, +, - or @, as in the release. A spreadsheet may run them as formulas: import these "
    "columns as text."
)


@dataclass(frozen=True)
class TableFile:
    """A table that is in a file."""

    path: Path  # of the file, below the folder
    table: ExportTable  # without its rows
    rows: int
    size: int  # of the file, in bytes
    digest: str  # SHA-256 of the file
    formulas: bool  # whether a text of it begins as a formula of a spreadsheet does

    @property
    def about(self) -> str:
        """Where it is, and of how many rows."""
        return f"{self.path.as_posix()}: {self.table.title}, {several(self.rows, 'row')}."


@dataclass(frozen=True)
class RecordFiles:
    """A table of synthetic records that is in many files, each of them of one record."""

    first: Path  # of the files, below the folder
    last: Path
    table: ExportTable  # without its rows, and of columns that its files have
    files: int
    rows: int  # of each file
    formulas: bool  # as of a table

    @property
    def about(self) -> str:
        """Where they are, and of how many rows."""
        files = f"{several(self.files, 'file')} of {several(self.rows, 'row')}"
        return f"{self.first.as_posix()} to {self.last.as_posix()}: {self.table.title}, {files}."


Save = Callable[[ExportTable, BinaryIO], None]


def write_tables(
    task: ExportTask,
    ending: str,
    save: Save,
    *,
    below: str = "",
    divide: Callable[[ExportTable], RecordFiles | None] = lambda _table: None,
) -> list[TableFile | RecordFiles]:
    """Write every table of a bundle to a file called after it.

    Args:
        task: the export.
        ending: of the files' names.
        save: writes a table to an open file.
        below: a folder within the task's; "" for none.
        divide: writes a table of synthetic records to files of its own; None if it leaves it to this function.
    """
    files: list[TableFile | RecordFiles] = []
    folder = task.folder / below
    folder.mkdir(exist_ok=True)
    names = task.bundle.names
    for table in tables_of(task.bundle):
        task.report_progress(f"writing {table.name}", names.index(table.output), len(names))
        if table.record and (divided := divide(table)) is not None:
            files.append(divided)
            continue
        path = folder / f"{table.name}.{ending}"
        with path.open("xb") as file:
            save(table, file)
        files.append(
            TableFile(
                path.relative_to(task.folder),
                replace(table, frame=table.frame.clear()),
                table.frame.height,
                path.stat().st_size,
                sha256_of(path),
                has_formulas(table),
            )
        )
    return files


def whole(files: Iterable[TableFile | RecordFiles]) -> list[TableFile]:
    """Return the tables that are in one file each."""
    return [file for file in files if isinstance(file, TableFile)]


def write_companions(
    task: ExportTask,
    files: Sequence[TableFile | RecordFiles],
    *,
    what: str,
    below: str = "",
    more: Iterable[str] = (),
) -> list[str]:
    """Write a README about tables, and `more` below them, and the manifest; else as `write_readme`."""
    return write_readme(
        task,
        [*table_lines(files), *itertools.chain.from_iterable(map(item, more))],
        what=what,
        warnings=[FORMULAS] if any(file.formulas for file in files) else [],
        below=below,
    )


def write_readme(
    task: ExportTask, contents: Iterable[str], *, what: str, warnings: Sequence[str] = (), below: str = ""
) -> list[str]:
    """Write README.txt and the manifest, and return what the curator should know: the warnings among it.

    Args:
        task: the export.
        contents: lines about its files.
        what: the files are, in a sentence.
        warnings: about them, for their readers.
        below: the folder for the manifest, within the task's; "" for none.
    """
    faults = write_manifest(task, below=below)
    text = readme(task, contents, what=what, warnings=warnings, below=below)
    (task.folder / README).write_bytes(text)
    return [*warnings, *faults]


def write_manifest(task: ExportTask, *, below: str = "") -> list[str]:
    """Write the manifest as it stands in the bundle, and the signatures of it; result as of `write_readme`."""
    folder = task.folder / below
    folder.mkdir(exist_ok=True)
    for name, raw in {MANIFEST: task.manifest_bytes, **task.signatures}.items():
        (folder / name).write_bytes(raw)
    fault, name = task.detached[1], signature_file(task.bundle.path).name
    return [f"{name} next to the bundle is not a signature of it, and was left out: {fault}"] if fault else []


def has_formulas(table: ExportTable) -> bool:
    """Return whether a text of a table, or the name of a column, begins as a formula of a spreadsheet does."""
    names = [column.name for column in table.columns]
    texts = [table.frame[column.name] for column in table.columns if column.kind == "string"]
    return any(map(begin_formulas, [pl.Series(names), *texts]))


def begin_formulas(texts: pl.Series) -> bool:
    """Return whether one of some texts begins as a formula of a spreadsheet does."""
    return bool(texts.cast(pl.String).str.contains("^[=+@-]").any())
