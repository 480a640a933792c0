"""Tables as a derivative dataset of BIDS: TSV of a whole group, each with a sidecar that describes its columns; synthetic records as subjects.

BIDS has names for what is of a subject, and none for a table of a group that is of no subject. So these tables stand in a
folder of their own, which .bidsignore lists: the validator checks everything else.
"""

from __future__ import annotations

from typing import Any, BinaryIO

from synthrelease.errors import DataError
from synthrelease.exports import guarantee_text
from synthrelease.exports.bids_gaze import MISSING, write_gaze
from synthrelease.exports.csv import save_text
from synthrelease.exports.subjects import NOT_PARTICIPANTS, Subjects
from synthrelease.exports.table import Column, ExportTable, free_name
from synthrelease.exports.table_files import RecordFiles, whole, write_companions, write_tables
from synthrelease.exports.task import ExportTask

TABLES = "group"
_VERSION = "1.11.1"  # of BIDS
_UNITS = {"px": "pixel"}  # where BIDS calls one otherwise
_CONTENTS = (
    "A derivative dataset of BIDS: tables of the whole group as TSV, each next to a JSON file that describes its columns; n/a "
    "is a missing value. BIDS has no names for group tables: .bidsignore lists their folder."
)

_SUBJECTS = (
    "Synthetic records are subjects (participants.tsv): each has a file for every recording, described by the JSON file at the "
    "root of the dataset that is named like its task."
)

_RECORDINGS = "Synthetic scanpaths are subjects (sub-syn…), one each, as none belongs to another: samples as eyetrack recordings, with fixations and saccades as their events."


def write(task: ExportTask) -> list[str]:
    """Write every table with its sidecar, a README, the manifest below sourcedata, and what the dataset is.

    Raises:
        DataError: a label is what BIDS writes for a missing value.
    """
    subjects = Subjects(task, _save, lambda table, rows: _sidecar(task, table, rows))
    files = write_tables(task, "tsv", _save, below=TABLES, divide=subjects.write)
    for file in whole(files):
        sidecar = _sidecar(task, file.table, file.rows, digest=file.digest)
        task.write_json(file.path.with_suffix(".json"), sidecar)
    recordings = write_gaze(task, subjects)
    subjects.finish()
    task.write_json("dataset_description.json", _description(task))
    (task.folder / ".bidsignore").write_text(f"/{TABLES}\n", encoding="utf-8", newline="\n")
    has_subjects = any(isinstance(file, RecordFiles) for file in files)
    parts = [
        _CONTENTS,
        *([_SUBJECTS] if has_subjects else []),
        *([_RECORDINGS] if recordings else []),
        *([NOT_PARTICIPANTS] if has_subjects or recordings else []),
    ]
    return write_companions(task, files, what=" ".join(parts), below="sourcedata", more=recordings)


def _save(table: ExportTable, file: BinaryIO) -> None:
    for column in table.columns:
        if column.kind == "string" and (table.frame[column.name] == MISSING).any():
            raise DataError(
                "label-means-missing",
                f"a label is '{MISSING}', which means a missing value in BIDS",
                where=f"output '{table.output}'",
                remedy="export another form, such as csv",
            )
    save_text(table.frame, file, separator="\t", null_value=MISSING)


def _description(task: ExportTask) -> dict[str, Any]:
    release, tool, privacy = task.manifest["release"], task.manifest["tool"], task.privacy
    source = f"bundle of {release['name']} {release['version']}, SHA-256 {task.bundle_digest}"
    description = {
        "Name": guarantee_text.title(task.manifest),
        "BIDSVersion": _VERSION,
        "DatasetType": "derivative",
        "License": release.get("license", ""),
        "HowToAcknowledge": f"Contact: {release['contact']}" if "contact" in release else "",
        "GeneratedBy": [
            {"Name": tool["name"], "Version": tool["version"], "Description": privacy["meaning"]}
        ],
        "SourceDatasets": [{"Version": source}],
        "Privacy": {_in_capitals(key): value for key, value in privacy.items()},
    }
    return {key: value for key, value in description.items() if value != ""}


def _in_capitals(key: str) -> str:
    """A key as BIDS spells its keys: `ManifestSHA256`."""
    return key.title().replace("_", "").replace("Sha", "SHA")


def _sidecar(task: ExportTask, table: ExportTable, rows: int, *, digest: str = "") -> dict[str, Any]:
    """What describes a file of a table, or several that are alike."""
    about = {
        "Title": table.title,
        "Description": table.description,
        "Rows": rows,
        "Guarantee": task.output(table.output)["guarantee"],
        "TestSeed": task.test_seed,
        **({"SHA256": digest} if digest else {}),
    }
    columns = {column.name: _column(column) for column in table.columns}
    # A feature may be called anything, and must not take the guarantee's place.
    return {free_name("synthrelease:table", columns): about, **columns}


def _column(column: Column) -> dict[str, Any]:
    description = {
        "Description": column.description,
        "Units": _UNITS.get(column.unit, column.unit) or None,
        "Levels": {label: label for label in column.labels} or None,
        "Minimum": column.lowest,
        "Maximum": column.highest,
    }
    return {key: value for key, value in description.items() if value is not None}
