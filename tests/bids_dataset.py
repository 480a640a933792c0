"""A small BIDS dataset with eye tracking, valid by the standard's own validator, and the table that its samples are."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

from synthrelease.data.source import Source

RUN = "sub-01/beh/sub-01_task-look"
EYE1 = f"{RUN}_recording-eye1_physio"
SUBJECTS, TASKS, EYES = ("01", "02"), ("look", "read"), {"eye1": "left", "eye2": "right"}
IMAGES = ("sea.png", "sky.png")
ROWS, STEP_MS = 40, 4  # 250 Hz
COLUMNS = ["timestamp", "x_coordinate", "y_coordinate", "pupil_size"]
# Seconds from the first sample, which is 20 ms after the task began: samples 5 … 14 and 20 … 29 hold an event.
ONSETS, DURATION = (0.040, 0.100), 0.040
SCREEN = {
    "ScreenDistance": 0.6,
    "ScreenOrigin": ["top", "left"],
    "ScreenResolution": [800, 600],
    "ScreenSize": [0.4, 0.3],
    "ScreenRefreshRate": 60,
}
SIDECAR: dict[str, Any] = {
    "PhysioType": "eyetrack",
    "Columns": COLUMNS,
    "SamplingFrequency": 250,
    "SampleCoordinateSystem": "gaze-on-screen",
    "Manufacturer": "Invented",
    "timestamp": {"Description": "Time of the device", "Units": "ms"},
    "x_coordinate": {"Description": "Gaze position, across", "Units": "pixel"},
    "y_coordinate": {"Description": "Gaze position, down", "Units": "pixel"},
    "pupil_size": {"Description": "Pupil diameter", "Units": "mm"},
}
EVENTS: dict[str, Any] = {
    "StimulusPresentation": SCREEN,
    "trial_type": {"Description": "What was asked", "Levels": {"free": "Free viewing", "search": "Search"}},
    "stim_file": {"Description": "The image shown"},
}
PHYSIOEVENTS = {
    "Columns": ["onset", "duration", "trial_type", "blink", "message"],
    "Description": "What the device told",
    "OnsetSource": "timestamp",
    "trial_type": {"Description": "Kind", "Levels": {"fixation": "A fixation", "saccade": "A saccade"}},
    "blink": {"Description": "Whether the eye was shut", "Levels": {"0": "Open", "1": "Shut"}},
    "message": {"Description": "Text of the device"},
}


def samples(subject: str, task: str, recording: str) -> list[list[str]]:
    """Cells of a recording: the device's clock has some zero, sample 7 has no position."""
    seed = [SUBJECTS.index(subject), TASKS.index(task), list(EYES).index(recording)]
    rng = np.random.default_rng(seed)
    begin = 5000 * (1 + seed[0]) + 700 * seed[1]
    x, y, size = rng.uniform(0, 800, ROWS), rng.uniform(0, 600, ROWS), rng.uniform(2, 5, ROWS)
    rows = [
        [str(begin + STEP_MS * row), f"{x[row]:.2f}", f"{y[row]:.2f}", f"{size[row]:.3f}"]
        for row in range(ROWS)
    ]
    rows[7][1:] = ["n/a"] * 3
    return rows


def event_of(row: int) -> tuple[str, str]:
    """What a sample's `stimulus` and `trial_type` are."""
    if 5 <= row < 15:
        return IMAGES[0], "free"
    return (IMAGES[1], "search") if 20 <= row < 30 else ("n/a", "n/a")


def table() -> list[tuple[str, ...]]:
    """All rows: subject, task, recording, eye, the samples' cells, stimulus, trial_type."""
    return [
        (subject, task, recording, eye, *cells, *event_of(row))
        for subject in SUBJECTS
        for task in TASKS
        for recording, eye in EYES.items()
        for row, cells in enumerate(samples(subject, task, recording))
    ]


def written(root: Path) -> Path:
    """Write the dataset into a new folder."""
    root.mkdir()
    dump(root / "dataset_description.json", description())
    (root / "README").write_text(
        "# Invented\n\nPoints drawn at random; no one looked at anything. For tests of readers.\n" * 3
    )
    (root / "participants.tsv").write_text("participant_id\tage\nsub-01\t30\nsub-02\t40\n")
    dump(root / "participants.json", {"age": {"Description": "Age", "Units": "year"}})
    (root / "stimuli").mkdir()
    for image in IMAGES:
        (root / "stimuli" / image).write_bytes(b"\x89PNG\r\n\x1a\n")
    for task in TASKS:
        about = {"TaskName": task, "TaskDescription": "Invented"}
        dump(root / f"task-{task}_events.json", {**EVENTS, **about})
        dump(root / f"task-{task}_physioevents.json", {**PHYSIOEVENTS, **about})
        dump(root / f"task-{task}_physio.json", {**SIDECAR, **about})
    for subject in SUBJECTS:
        for task in TASKS:
            _write_run(root / f"sub-{subject}" / "beh", subject, task)
    return root


def description() -> dict[str, Any]:
    """What the dataset says of itself."""
    return {
        "Name": "Invented gaze",
        "BIDSVersion": "1.11.1",
        "DatasetType": "raw",
        "License": "CC0",
        "Authors": ["A. Body", "S. Body"],
    }


def dump(path: Path, document: Any) -> None:
    """Write JSON."""
    path.write_text(json.dumps(document, indent=2) + "\n")


def pack(path: Path, rows: list[list[str]]) -> None:
    """Write a compressed table without a header."""
    path.write_bytes(gzip.compress("".join("\t".join(row) + "\n" for row in rows).encode(), mtime=0))


def source(root: Path, **more: Any) -> Source:
    """The dataset as a plan has it."""
    return Source(root, format="bids", **more)


def edited(path: Path, **keys: Any) -> None:
    """Change keys of a JSON file; None takes one out."""
    document = {**json.loads(path.read_text()), **keys}
    dump(path, {key: value for key, value in document.items() if value is not None})


def events(root: Path, *rows: str, header: str = "onset\tduration\ttrial_type\tstim_file") -> None:
    """Write other events of the first run."""
    (root / f"{RUN}_events.tsv").write_text("\n".join([header, *rows]) + "\n")


def _write_run(folder: Path, subject: str, task: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"sub-{subject}_task-{task}"
    events = [
        f"{onset:.3f}\t{DURATION:.3f}\t{kind}\t{image}"
        for onset, kind, image in zip(ONSETS, ("free", "search"), IMAGES, strict=True)
    ]
    (folder / f"{stem}_events.tsv").write_text(
        "\n".join(["onset\tduration\ttrial_type\tstim_file", *events]) + "\n"
    )
    for recording, eye in EYES.items():
        rows = samples(subject, task, recording)
        own = folder / f"{stem}_recording-{recording}_physio"
        pack(own.with_suffix(".tsv.gz"), rows)
        dump(own.with_suffix(".json"), {"RecordedEye": eye, "StartTime": 0.02})
        told = [[rows[0][0], "60", "fixation", "0", "n/a"], [rows[20][0], "8", "saccade", "0", "TRIAL 1"]]
        pack(own.with_name(own.name + "events").with_suffix(".tsv.gz"), told)
