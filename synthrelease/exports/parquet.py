"""Tables as Parquet. The guarantee, the title, the licence and the digest of the manifest are in each file's metadata."""

from __future__ import annotations

import json
from functools import partial
from io import BytesIO
from typing import BinaryIO

from synthrelease.exports import guarantee_text
from synthrelease.exports.table import ExportTable
from synthrelease.exports.table_files import write_companions, write_tables
from synthrelease.exports.task import ExportTask

_CONTENTS = "Tables in Parquet; the guarantee is also in the metadata of every file, under keys that begin with synthrelease."


def write(task: ExportTask) -> list[str]:
    """Write every table, a README and the manifest."""
    return write_companions(task, write_tables(task, "parquet", partial(_save, task)), what=_CONTENTS)


def metadata(task: ExportTask, table: ExportTable) -> dict[str, str]:
    """Return what a file says of itself: texts, some of them JSON."""
    release = task.manifest["release"]
    values = {
        "title": guarantee_text.title(task.manifest),
        "release": f"{release['name']} {release['version']}, {release['date']}",
        "license": release.get("license", ""),
        "contact": release.get("contact", ""),
        **task.privacy,
        "output": table.output,
        "output_guarantee": task.output(table.output)["guarantee"],
        "description": table.description,
        "columns": {
            column.name: {"description": column.description, "unit": column.unit} for column in table.columns
        },
    }
    texts = {
        key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for key, value in values.items()
    }
    return {f"synthrelease.{key}": text for key, text in texts.items() if text}


def _save(task: ExportTask, table: ExportTable, file: BinaryIO) -> None:
    buffer = BytesIO()  # polars, given the file itself, would report a full disk by an exception of its own
    table.frame.write_parquet(buffer, metadata=metadata(task, table))
    file.write(buffer.getbuffer())
