"""What a plan says in tables of its entries, as types: generated from the schema of plans by `scripts/make_plan_classes.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Required, TypedDict


class GazeColumns(TypedDict, total=False):
    """The table `columns` of gaze.

    Keys:
        person: Participant; all rows of one label are one person.
        stimulus: Stimulus; required unless `stimulus` is "all".
        x: Horizontal coordinate, as `coordinates` and `origin` say.
        y: Vertical coordinate.
        time: Time stamps, to order a person's samples on a stimulus; none may occur twice.
        duration: Duration of a fixation, in any unit: its weight, and what statistics of fixations measure.
    """

    person: Required[str]
    stimulus: str
    x: Required[str]
    y: Required[str]
    time: str
    duration: str


class FeatureColumns(TypedDict, total=False):
    """The table `columns` of features.

    Keys:
        person: Participant; all rows of one label are one person.
        recording: Session, condition or task: what distinguishes a person's recordings.
        time: Time stamps, to order the steps of a recording; none may occur twice.
    """

    person: Required[str]
    recording: str
    time: str


class TrialTokens(TypedDict, total=False):
    """The table `tokens` of records.

    Keys:
        fixations: m: fixations of a trial; further ones do not count.
        columns: Cells across the screen that places of fixations are in. Default 4.
        rows: Cells down. Default 3.
        durations_ms: Ends of the classes of durations, increasing. Shorter and longer ones are of the first and the last class. Default [50, 150,
            250, 400, 800].
        kept: Of how many first fixations the cell is kept, one number or several to draw from. Few participants share more than one or two. All else
            is drawn from the model: further cells, all durations, and where a trial ends. Default [1].
        scanpaths: Scanpaths to publish on each stimulus. Each starts from a trial, and nothing bounds what many reveal together. Default 20.
        duration_unit: Of the input's column `duration`. Default "ms".
        sampling_seed: Public seed that places and durations are drawn with, each within its category. Default 0.
    """

    fixations: Required[int]
    columns: int
    rows: int
    durations_ms: Sequence[float]
    kept: Sequence[int]
    scanpaths: int
    duration_unit: Literal["ms", "s"]
    sampling_seed: int


class MeasureBounds(TypedDict, total=False):
    """The table `bounds` of statistics.

    Keys:
        fixation_count: Number of fixations; of a trial without any 0.
        fixation_duration: Mean duration of the fixations, in the unit of the column `duration`.
        total_fixation_duration: Sum of the durations of the fixations, likewise.
    """

    fixation_count: Sequence[float]
    fixation_duration: Sequence[float]
    total_fixation_duration: Sequence[float]
