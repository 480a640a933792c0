"""Tables as Parquet. The guarantee, the title, the licence and the digest of the manifest are in each file's metadata."""

from __future__ import annotations

import json
from functools import partial
from io import BytesIO
from typing import BinaryIO

from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.exports import promised
from synthrelease.exports.table import Table
from synthrelease.exports.task import Task
from synthrelease.exports.written import write_beside, write_tables
from synthrelease.report.promise_words import promise_of

_WHAT = "Tables in Parquet; the guarantee is also in the metadata of every file, under keys that begin with synthrelease."


def write(task: Task) -> list[str]:
    """Write every table, a README and the manifest."""
    return write_beside(task, write_tables(task, "parquet", partial(_save, task)), what=_WHAT)


def metadata(task: Task, table: Table) -> dict[str, str]:
    """Return what a file says of itself: texts, some of them JSON."""
    release, privacy = task.manifest["release"], task.manifest["privacy"]
    output = next(one for one in task.manifest["outputs"] if one["name"] == table.output)
    columns = {
        column.name: {"description": column.description, "unit": column.unit} for column in table.columns
    }
    promise = promise_of(task.manifest).headline
    told = {
        "title": promised.title(task.manifest),
        "release": f"{release['name']} {release['version']}, {release['date']}",
        "license": release.get("license", ""),
        "contact": release.get("contact", ""),
        "promise": f"{TEST_SEED_WORDS}: what is promised does not hold" if task.test_seed else promise,
        "guarantee": json.dumps(privacy["guarantee"], sort_keys=True),
        "not_protected": json.dumps(privacy["not_protected"], ensure_ascii=False),
        "warnings": json.dumps(promised.warnings(task.manifest), ensure_ascii=False),
        "test_seed": json.dumps(task.test_seed),
        "manifest_sha256": task.manifest_digest,
        "output": table.output,
        "output_guarantee": json.dumps(output["guarantee"], sort_keys=True),
        "description": table.description,
        "columns": json.dumps(columns, ensure_ascii=False),
    }
    return {f"synthrelease.{key}": value for key, value in told.items() if value}


def _save(task: Task, table: Table, file: BinaryIO) -> None:
    whole = BytesIO()  # polars, given the file itself, would tell of a full disk in an error of its own
    table.frame.write_parquet(whole, metadata=metadata(task, table))
    file.write(whole.getbuffer())
