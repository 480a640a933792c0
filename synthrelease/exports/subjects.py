"""Synthetic records that have rows of their own as subjects of a BIDS dataset: a file for each subject and label, such as a condition.

The files of a label have one sidecar at the root of the dataset, which BIDS lets them inherit: what it says holds of each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from synthrelease.exports.csv import save_text
from synthrelease.exports.table import ExportTable, padded
from synthrelease.exports.table_files import RecordFiles, Save, has_formulas
from synthrelease.exports.task import ExportTask

NOT_PARTICIPANTS = "Subjects are synthetic: none is a participant, and tests on them are not valid."
_LONGEST = 120  # characters of a label
_ORIGIN = "synthetic"


@dataclass
class Subjects:
    """The subjects of a dataset that is being written: those of one output after those of another.

    Attributes:
        task: the export.
        save: writes the rows of a file.
        sidecar: what describes columns and says what a table guarantees, by the number of rows of each file.
    """

    task: ExportTask
    save: Save
    sidecar: Callable[[ExportTable, int], dict[str, Any]]
    _participants: list[dict[str, Any]] = field(default_factory=list)
    _labels: set[str] = field(default_factory=set)

    def write(self, table: ExportTable) -> RecordFiles:
        """Write the files of a table of synthetic records, and their sidecars."""
        by = next((c.name for c in table.columns if c.name in table.key and c.kind == "string"), "")
        labels = self.task_labels(_labels_of(table, by))
        kept = tuple(column for column in table.columns if column.name not in (table.record, by))
        of_file = replace(
            table,
            columns=kept,
            key=tuple(name for name in table.key if name not in (table.record, by)),
            frame=table.frame.select([column.name for column in kept]).clear(),
        )
        paths: list[Path] = []
        rows = 0
        first = len(self._participants) + 1
        numbers = table.frame[table.record].n_unique()
        for place, (number, record) in enumerate(table.records()):
            subject = f"sub-{padded(first + place, first + numbers - 1)}"
            self.enlist(subject, table.output, number)
            folder = self.task.folder / subject / "beh"
            folder.mkdir(parents=True)
            for original, part in _parts(record, by, table.output):
                rows = part.height
                path = folder / f"{subject}_task-{labels[original]}_beh.tsv"
                with path.open("xb") as file:
                    self.save(replace(of_file, frame=part.select(of_file.frame.columns)), file)
                paths.append(path.relative_to(self.task.folder))
        for original, label in labels.items():
            self.task.write_json(f"task-{label}_beh.json", self._described(of_file, by, original, rows))
        return RecordFiles(paths[0], paths[-1], of_file, len(paths), rows, has_formulas(table))

    def enlist(self, subject: str, output: str, number: int, **more: str) -> None:
        """Add a subject to the list, by its label, the output that it is of, its number there, and further columns."""
        row = {"participant_id": subject, "origin": _ORIGIN, "output": output, "number": number}
        self._participants.append({**row, **more})

    def task_labels(self, originals: Sequence[str]) -> Mapping[str, str]:
        """Return new labels of tasks by what they are of."""
        labels = _task_labels(originals, self._labels)
        self._labels |= {label.lower() for label in labels.values()}
        return labels

    def finish(self) -> None:
        """Write the list of subjects, if there are any."""
        if not self._participants:
            return
        frame = pl.DataFrame(self._participants, infer_schema_length=None)  # not all have the same columns
        with (self.task.folder / "participants.tsv").open("xb") as file:
            save_text(frame, file, separator="\t", null_value="n/a")
        of_stimuli = {"stimulus": {"Description": "Stimulus of the subject's only trial."}}
        self.task.write_json(
            "participants.json",
            {
                "Description": NOT_PARTICIPANTS,
                "participant_id": {"Description": "Label of a synthetic subject, who is no participant."},
                "origin": {
                    "Description": "Where the subject comes from.",
                    "Levels": {_ORIGIN: "Synthetic: not a participant."},
                },
                "output": {"Description": "Output of the release that the subject is of."},
                "number": {"Description": "Number of the subject in this output."},
                **(of_stimuli if "stimulus" in frame.columns else {}),
            },
        )

    def _described(self, table: ExportTable, by: str, original: str, rows: int) -> dict[str, Any]:
        about = {
            "TaskName": original,
            "TaskDescription": f"Synthetic subjects; {by or 'output'}: {original}.",
            "Description": NOT_PARTICIPANTS,
        }
        return about | self.sidecar(table, rows)


def _labels_of(table: ExportTable, by: str) -> list[str]:
    return list(table.frame[by].unique(maintain_order=True)) if by else [table.output]


def _parts(record: pl.DataFrame, by: str, output: str) -> Iterator[tuple[str, pl.DataFrame]]:
    """A subject's rows by the label of their file."""
    if not by:
        yield output, record
        return
    for (label,), rows in record.group_by(by, maintain_order=True):
        yield str(label), rows


def _task_labels(originals: Sequence[str], taken: set[str]) -> Mapping[str, str]:
    """Return labels as BIDS has them, of letters and digits, no two alike on any file system, by what they are of."""
    labels: dict[str, str] = {}
    for original in originals:
        plain = re.sub("[^A-Za-z0-9]", "", original)[:_LONGEST] or "task"
        label, number = plain, 1
        while label.lower() in {*taken, *(other.lower() for other in labels.values())}:
            number += 1
            label = f"{plain}{number}"
        labels[original] = label
    return labels
