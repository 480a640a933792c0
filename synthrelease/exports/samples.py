"""Gaze samples of synthetic scanpaths: a compressed CSV file for each stimulus, and samples.json, which says by what they were rendered.

Nothing is in them that fixations do not have: all else follows from public constants and a public seed.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import polars as pl

from synthrelease.exports.csv import save_text
from synthrelease.exports.gaze import (
    GazeOutput,
    contents_of,
    how_rendered,
    label_warnings,
    opened_gaze,
    packed,
    refuse_no_gaze,
    sample_frame,
    stimuli_of,
)
from synthrelease.exports.table_files import write_readme
from synthrelease.exports.task import ExportTask
from synthrelease.kinds.synthetic_gaze import Trial
from synthrelease.numerics.gaze_samples import BLINK_MS, DRIFT_DEG, noise_deg
from synthrelease.reports.file_names import FileNames

ENDING, SIDECAR = "synthetic-samples.csv.gz", "samples.json"
_CONTENTS = f"Gaze samples in CSV (UTF-8, gzip), a file for each stimulus; {SIDECAR} says by which public constants they were rendered."
_COLUMNS = {
    "stimulus": {"Description": "Stimulus."},
    "scanpath": {"Description": "Number of the scanpath on the stimulus: of no participant."},
    "time_ms": {"Description": "Time from the beginning of the first fixation.", "Units": "ms"},
    "x_px": {"Description": "Gaze from the left of the screen; empty in a blink.", "Units": "px"},
    "y_px": {"Description": "Gaze from the top of the screen; empty in a blink.", "Units": "px"},
    "event": {"Description": "What the sample is in: fixation, saccade or blink."},
    "origin": {"Description": "The same in every row: the sample is synthetic."},
}


def write(task: ExportTask) -> list[str]:
    """Write the samples of every stimulus, samples.json, a README and the manifest.

    Raises:
        ArgumentError: the release has no synthetic trials.
    """
    names, files = FileNames(), dict[str, dict[str, Any]]()
    with opened_gaze(task) as outputs:
        refuse_no_gaze(task, outputs)
        for output, number, label in stimuli_of(outputs, "rendering"):
            file = f"{names.of(output.name, label)}-{ENDING}"
            counts = _write_stimulus(task, output, number, file)
            files[file] = {"Output": output.name, "Stimulus": label, **counts}
        task.write_json(
            SIDECAR, {"Outputs": list(map(_described, outputs)), "Columns": _COLUMNS, "Files": files}
        )
        lines = contents_of(
            outputs,
            [
                f"{file}: {about['Stimulus']}, {about['Scanpaths']} scanpaths, {about['Samples']} samples."
                for file, about in files.items()
            ],
        )
        warnings = label_warnings(outputs)
    return write_readme(task, lines, what=_CONTENTS, warnings=warnings)


def _write_stimulus(task: ExportTask, output: GazeOutput, number: int, file: str) -> dict[str, int]:
    scanpaths = rows = 0
    with packed(task.folder / file) as packed_file:
        for batch in output.batches(number):
            frame = pl.concat(_frame(output, trial) for trial in batch)
            save_text(frame, packed_file, header=not rows)
            scanpaths, rows = scanpaths + len(batch), rows + frame.height
    return {"Scanpaths": scanpaths, "Samples": rows}


def _frame(output: GazeOutput, trial: Trial) -> pl.DataFrame:
    rendering = output.rendering
    frame = sample_frame(trial.samples(rendering), rendering.hz)
    constants = {"stimulus": trial.stimulus, "scanpath": trial.number, "origin": output.gaze.origin}
    return frame.with_columns(pl.lit(value).alias(name) for name, value in constants.items()).select(
        *_COLUMNS
    )


def _described(output: GazeOutput) -> dict[str, Any]:
    rendering = output.rendering
    return {
        "Output": output.name,
        "Notice": output.notice,
        "Rendering": how_rendered(rendering),
        "SamplingFrequency": rendering.hz,
        "PixelsPerDegree": rendering.px_per_degree,
        "BlinksPerMinute": rendering.blinks_per_minute,
        "BlinkMilliseconds": BLINK_MS,
        "DriftStandardDeviationDegrees": DRIFT_DEG,
        "NoiseStandardDeviationDegrees": noise_deg(rendering.hz),
        "Screen": {key: value for key, value in asdict(output.gaze.screen).items() if value is not None},
        "Seed": str(output.gaze.seed),  # beyond what JSON's numbers hold exactly
        "Guarantee": output.task.output(output.name)["guarantee"],
        "TestSeed": output.task.test_seed,
    }
