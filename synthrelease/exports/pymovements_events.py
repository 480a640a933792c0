"""Fixations and saccades of synthetic scanpaths as tables of events that pymovements reads, and dataset.yaml, which describes them to it.

Its `Events` have the columns name, onset, offset and duration, in whole milliseconds; the place of an event is location_x and location_y, in pixels, as its
own `unnest` calls the parts of a location: of a saccade where it begins, and where it ends in two columns more.
"""

from __future__ import annotations

import json

import numpy as np
import polars as pl

from synthrelease.exports import guarantee_text
from synthrelease.exports.csv import save_text
from synthrelease.exports.gaze import (
    FIXATION,
    SACCADE,
    GazeOutput,
    contents_of,
    label_warnings,
    opened_gaze,
    refuse_no_gaze,
    shown_on,
    stimuli_of,
)
from synthrelease.exports.table_files import write_readme
from synthrelease.exports.task import ExportTask
from synthrelease.exports.templated import filled
from synthrelease.kinds.synthetic_gaze import Trial
from synthrelease.reports.file_names import FileNames

DEFINITION, FOLDER, ENDING = "dataset.yaml", "precomputed_events", "synthetic-events.csv"
TRIAL_COLUMNS = ("stimulus", "scanpath")
_CONTENTS = (
    f"Fixations and saccades as pymovements reads them, a CSV file for each stimulus. {DEFINITION} is the definition of the dataset: "
    f"pymovements.DatasetDefinition.from_yaml. {TRIAL_COLUMNS[0]} and {TRIAL_COLUMNS[1]} are its trial columns; times are in ms, places in px."
)


def write(task: ExportTask) -> list[str]:
    """Write the events of every stimulus, dataset.yaml, a README and the manifest.

    Raises:
        ArgumentError: the release has no synthetic trials.
    """
    names, lines = FileNames(), []
    (task.folder / FOLDER).mkdir()
    with opened_gaze(task) as outputs:
        refuse_no_gaze(task, outputs)
        for output, number, label in stimuli_of(outputs, "writing events of"):
            file = f"{FOLDER}/{names.of(output.name, label)}-{ENDING}"
            rows = _write_stimulus(task, output, number, file)
            lines.append(f"{file}: {label}, {rows} events.")
        _write_definition(task, outputs)
        contents = contents_of(outputs, lines)
        warnings = label_warnings(outputs)
    return write_readme(task, contents, what=_CONTENTS, warnings=warnings)


def _write_stimulus(task: ExportTask, output: GazeOutput, number: int, file: str) -> int:
    rows = 0
    with (task.folder / file).open("xb") as opened:
        for batch in output.batches(number):
            frame = pl.concat(map(events_of, batch))
            save_text(frame, opened, header=not rows)
            rows += frame.height
    return rows


def events_of(trial: Trial) -> pl.DataFrame:
    """Return fixations and saccades of a trial in the order of time, with whole milliseconds."""
    x, y, onset, duration = trial.fixations.T
    saccades = trial.saccades
    none = np.full(len(x), np.nan)
    parts = (
        (FIXATION, onset, duration, x, y, none, none),
        (SACCADE, saccades.onset_ms, saccades.duration_ms, *saccades.start_px.T, *saccades.end_px.T),
    )
    columns = ("onset", "duration", "location_x", "location_y", "location_end_x", "location_end_y")
    frames = [
        pl.DataFrame(dict(zip(columns, values, strict=True))).with_columns(pl.lit(name).alias("name"))
        for name, *values in parts
    ]
    return (
        pl.concat(frames)
        .with_columns(pl.col("onset", "duration").cast(pl.Int64), pl.col("^location_.*$").fill_nan(None))
        .with_columns(
            (pl.col("onset") + pl.col("duration")).alias("offset"),
            pl.lit(trial.stimulus).alias("stimulus"),
            pl.lit(trial.number).alias("scanpath"),
            pl.lit(trial.gaze.origin).alias("origin"),
        )
        .sort("onset")
        .select(*TRIAL_COLUMNS, "name", "onset", "offset", *columns[1:], "origin")
    )


def _write_definition(task: ExportTask, outputs: list[GazeOutput]) -> None:
    """Write what pymovements calls a definition: YAML, whose texts are written as JSON writes them."""
    gaze = outputs[0].gaze
    text = filled(
        "pymovements.yaml",
        {"quoted": lambda text: json.dumps(text, ensure_ascii=False)},
        notices=dict.fromkeys(output.notice for output in outputs),
        name=task.manifest["release"]["name"],
        title=guarantee_text.title(task.manifest),
        meaning=task.privacy["meaning"],
        ending=ENDING,
        screen=gaze.screen,
        seen=shown_on(gaze, gaze.px_per_degree),
        has_one_screen=len({output.gaze.screen for output in outputs}) == 1,
    )
    (task.folder / DEFINITION).write_bytes(text.encode("utf-8"))
