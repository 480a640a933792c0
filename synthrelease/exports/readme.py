"""The README of an export: what it is, what it guarantees each person, what is not protected, and how to check all that."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from synthrelease.exports import guarantee_text
from synthrelease.exports.table import Column
from synthrelease.exports.task import MANIFEST, ExportTask
from synthrelease.exports.templated import filled
from synthrelease.kinds.registry import parameters_of
from synthrelease.printable import printable_lines
from synthrelease.reports.guarantee_words import guarantee_words

if TYPE_CHECKING:
    from synthrelease.exports.table_files import RecordFiles, TableFile

_WIDTH = 100


def readme(
    task: ExportTask, contents: Iterable[str], *, what: str, warnings: Sequence[str], below: str
) -> bytes:
    """Return the text of `templates/README.txt`, in UTF-8: the same for the same bundle.

    Args:
        task: the export.
        contents: lines about its files.
        what: the files are, in a sentence.
        warnings: about the files, besides those of the manifest.
        below: the folder that manifest and signatures stand in; "" for the README's own.
    """
    manifest, *signatures = (str(PurePosixPath(below, name)) for name in (MANIFEST, *task.signatures))
    text = filled(
        "README.txt",
        {"headed": _headed, "item": lambda text: "\n".join(item(text)), "wrapped": _wrapped},
        task=task,
        release=task.manifest["release"],
        people=task.manifest["privacy"]["people"],
        guarantee=guarantee_words(task.manifest),
        what=what,
        notices=_notices(task),
        warnings=[*guarantee_text.warnings(task.manifest), *warnings],
        contents=list(contents),
        manifest=manifest,
        signatures=signatures,
    )
    return printable_lines(text).encode("utf-8")


def _notices(task: ExportTask) -> list[str]:
    """What is said of synthetic trials, if a release has any."""
    known = (parameters_of(output).synthetic_gaze() for output in task.manifest["outputs"])
    return list(dict.fromkeys(gaze.notice for gaze in known if gaze is not None))


def table_lines(files: Sequence[TableFile | RecordFiles]) -> Iterator[str]:
    """Yield what tables are, and their columns, in lines."""
    first_file: dict[tuple[Column, ...], str] = {}
    for file in files:
        table = file.table
        yield from item(f"{file.about} {table.description}")
        columns = tuple(replace(column, labels=()) for column in table.columns)
        if columns in first_file:
            yield f"    Columns as in {first_file[columns]}."
            continue
        first_file[columns] = file.about.partition(":")[0]
        for column in columns:
            unit = f" [{column.unit}]" if column.unit else ""
            yield from item(f"{column.name}{unit}: {column.description}", indent=4)


def item(text: str, *, indent: int = 0) -> list[str]:
    """Return an entry of a list in lines."""
    margin = " " * indent
    return textwrap.wrap(
        text, _WIDTH, initial_indent=f"{margin}* ", subsequent_indent=f"{margin}  ", break_long_words=False
    )


def _headed(text: str) -> str:
    return f"{text}\n{'-' * min(len(text), _WIDTH)}"


def _wrapped(text: str) -> str:
    """A paragraph, and an empty line after it."""
    return textwrap.fill(text.strip(), _WIDTH, break_long_words=False) + "\n"
