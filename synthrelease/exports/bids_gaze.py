"""Synthetic trials of gaze in a BIDS dataset: each is a recording of a subject of its own, so that no two of them look like one person's.

Samples are a physiological recording of type eyetrack (BIDS 1.11), fixations and saccades its events. What describes them stands at the root, once for each stimulus, which is a task.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from synthrelease.exports.csv import save_text
from synthrelease.exports.gaze import (
    FIXATION,
    SACCADE,
    GazeOutput,
    how_rendered,
    opened_gaze,
    packed,
    refuse_no_gaze,
    sample_frame,
    shown_on,
    stimuli_of,
)
from synthrelease.exports.pymovements_events import events_of
from synthrelease.exports.subjects import Subjects
from synthrelease.exports.table import padded
from synthrelease.exports.task import ExportTask
from synthrelease.kinds.synthetic_gaze import Trial

MISSING = "n/a"
_RECORDING = "recording-eye1"
_SAMPLES = {"time_ms": "timestamp", "x_px": "x_coordinate", "y_px": "y_coordinate"}
_EVENTS = ("onset", "duration", "trial_type")
_ABOUT = "synthrelease:gaze"  # in sidecars: what is guaranteed, and how samples were rendered


def write_gaze(task: ExportTask, subjects: Subjects) -> list[str]:
    """Write the recordings of all trials, and return lines about them for a README; [] if there are none.

    Raises:
        ArgumentError: something was asked of samples, and the release has no synthetic trials.
    """
    lines = []
    with opened_gaze(task) as outputs:
        if task.options.given:
            refuse_no_gaze(task, outputs)
        most = sum(len(output.gaze.stimuli) * output.most_trials for output in outputs)
        done = 0
        for output in outputs:
            labels = subjects.task_labels(output.gaze.stimuli)
            begun = done
            for _, number, label in stimuli_of([output], "rendering"):
                _write_sidecars(task, output, label, labels[label])
                for trial in output.trials(number):
                    done += 1
                    subject = f"sub-syn{padded(done, most)}"
                    subjects.enlist(subject, output.name, trial.number, stimulus=label)
                    _write_trial(task, output, trial, f"{subject}_task-{labels[label]}")
            first, last = (f"sub-syn{padded(end, most)}" for end in (begun + 1, done))
            lines.append(
                f"{first} to {last}: a scanpath each of {output.name}, {how_rendered(output.rendering)}."
            )
    return lines


def _write_trial(task: ExportTask, output: GazeOutput, trial: Trial, stem: str) -> None:
    rendering = output.rendering
    folder = task.folder / stem.partition("_")[0] / "beh"
    folder.mkdir(parents=True)
    frame = sample_frame(trial.samples(rendering), rendering.hz).select(*_SAMPLES).rename(_SAMPLES)
    # Onsets are in the unit of timestamps, and durations in seconds, as the standard has it.
    events = events_of(trial).rename({"name": "trial_type"}).with_columns(pl.col("duration") / 1000)
    for suffix, rows in (("physio", frame), ("physioevents", events.select(_EVENTS))):
        with packed(folder / f"{stem}_{_RECORDING}_{suffix}.tsv.gz") as file:
            save_text(rows, file, header=False, separator="\t", null_value=MISSING)
    _, _, onset, duration = trial.fixations[-1]
    shown = pl.DataFrame(
        {
            "onset": [0.0],
            "duration": [(onset + duration) / 1000],
            "trial_type": [trial.stimulus],
            "origin": [trial.gaze.origin],
        }
    )
    with (folder / f"{stem}_events.tsv").open("xb") as file:
        save_text(shown, file, separator="\t")


def _write_sidecars(task: ExportTask, output: GazeOutput, label: str, task_label: str) -> None:
    rendering, screen = output.rendering, output.gaze.screen
    seen = shown_on(output.gaze, rendering.px_per_degree)
    about = {
        "TaskName": label,
        "TaskDescription": f"Synthetic scanpaths on the stimulus {label}.",
        "Description": output.notice,
    }
    guarantee = {
        "Output": output.name,
        "Guarantee": task.output(output.name)["guarantee"],
        "TestSeed": task.test_seed,
        "Rendering": how_rendered(rendering),
        "ScreenDistanceAndSizeDeclared": seen.is_declared,
    }
    sidecars: dict[str, dict[str, Any]] = {
        "physio": {
            "PhysioType": "eyetrack",
            "SamplingFrequency": rendering.hz,
            "StartTime": 0,
            "Columns": list(_SAMPLES.values()),
            "SampleCoordinateSystem": "gaze-on-screen",
            "RecordedEye": "cyclopean",
            "timestamp": {"Description": "Time from the beginning of the first fixation.", "Units": "ms"},
            "x_coordinate": {"Description": "Gaze from the left of the screen.", "Units": "pixel"},
            "y_coordinate": {"Description": "Gaze from the top of the screen.", "Units": "pixel"},
        },
        "physioevents": {
            "Columns": list(_EVENTS),
            "OnsetSource": "timestamp",
            "onset": {"Description": "Beginning of the event.", "Units": "ms"},
            "duration": {"Description": "Duration of the event.", "Units": "s"},
            "trial_type": {
                "Description": "What the event is.",
                "Levels": {FIXATION: "A synthetic fixation.", SACCADE: "A synthetic saccade."},
            },
        },
        "events": {
            "StimulusPresentation": {
                "ScreenDistance": seen.distance_m,
                "ScreenOrigin": ["top", "left"],
                "ScreenResolution": [screen.width_px, screen.height_px],
                "ScreenSize": [seen.width_m, seen.height_m],
            },
            "trial_type": {"Description": "The stimulus."},
            "origin": {"Description": "The same in every row: the trial is synthetic."},
        },
    }
    for suffix, own in sidecars.items():
        task.write_json(f"task-{task_label}_{suffix}.json", {**about, **own, _ABOUT: guarantee})
