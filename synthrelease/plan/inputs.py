"""What a plan says of release, privacy and inputs, as classes: generated from the schema of plans by `scripts/make_plan_classes.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar, Literal

from synthrelease.plan.entries import InputEntry, PlanEntry, ScreenLike, leading
from synthrelease.plan.tables import FeatureColumns, GazeColumns


class ReleaseInfo(PlanEntry):
    """Publisher and title. All of it is public.

    Args:
        name: Short name of lower-case letters, digits, - and _; the bundle is called <name>-<version>.h5.
        version: Version of the release: letters, digits, dots, + and -, no blanks.
        title: Title in catalogues, at most 200 characters.
        license: SPDX identifier, such as CC-BY-4.0; at most 200 characters.
        contact: Address for questions, at most 200 characters.
    """

    name: str
    version: str
    title: str
    license: str | None = None
    contact: str | None = None


class Privacy(PlanEntry):
    """The guarantee for each person, over all outputs together.

    Args:
        unit: Unit of privacy: all rows of one person (user-level). Default "person".
        neighbours: Neighbouring relation. replace-one (bounded): one person's data are replaced by another's; the number of participants is public.
            add-remove-one (unbounded): one person more or less; the number is not public. Default "replace-one".
        epsilon: Privacy budget: total ε of all differentially private outputs together.
        delta: Total δ of these outputs, far below 1/participants, such as 1e-6. Gaussian noise needs one above 0. Default 0.
        ledger: Path of the ledger, which tracks what all releases of a dataset cost together; needs `dataset`. Without one, earlier releases are not
            counted.
        dataset: Name of the dataset in the ledger: the same for all releases about the same participants. Only randomised deniability tests need
            another one.
        distinct_labels: Confirm that similar labels (P1, p1, P_01) are different people. Otherwise labels are refused that differ only in capitals,
            blanks, signs between letters and digits, the coding of letters or the form of numbers: one person under two labels is protected half as
            well.
    """

    unit: Literal["person"] = "person"
    neighbours: Literal["replace-one", "add-remove-one"] = "replace-one"
    epsilon: float
    delta: float = 0
    ledger: str | PathLike[str] | None = None
    dataset: str | None = None
    distinct_labels: bool = False


class Gaze(InputEntry):
    """Points on a screen.

    Args:
        data: the file or folder, relative to the plan or, of a plan made in Python, to the working folder; or rows in memory: a DataFrame of polars
            or pandas, or a Gaze or Dataset of pymovements.
        format: Layout of a folder. bids: the root of a BIDS dataset with eye tracking; a `pattern` chooses among its recordings.
        pattern: File names in a folder: {name} becomes a column, {name:3} one of three characters; `*` is any text, `**/` any folders.
        separator: Separator of delimited text, if not comma or tab.
        header: Names of all columns of text without a header line, or of a matrix in a .mat file.
        stop_at_blank: Read delimited text only down to its first blank line, where another table stands below it. Lines of nothing but separators are
            blank.
        lists: Columns of delimited text whose cells hold lists, such as [0.1, 0.2] or 0.1 0.2: each element becomes a row, next to copies of the
            other cells. The lists of one row need one length.
        table: Which of several tables to read. In a .mat file, the variable and the fields that lead to the rows, with dots between.
        axes: Names of the axes of arrays, outermost first. Each becomes a column.
        messages: Regular expressions for messages of EyeLink, such as "TRIALID (?P<stimulus>.+)". Where one fits the beginning of a message, its
            named groups become columns up to the next such message. Samples before the first are left out.
        columns: Column names by role.
        stimulus: all: all rows are of one stimulus, also those of several images, as one map.
        screen: The screen; all its edges belong to it.
        missing: Numbers and texts that mark a missing value, such as -1, "n/a", nan, inf.
        only: By column, the labels of rows to keep. Other rows are left out, but each person with a row in the file still counts as a participant.
        valid: By column, [lowest, highest] or labels of a good measurement. Rows with other values, or none, are dropped.
        coordinates: Unit of x and y: pixels, proportions of the screen, or degrees of visual angle, which need its width_mm and distance_mm. Default
            "pixels".
        origin: Where x and y are 0. y grows downwards from top-left and centre, upwards from the others. Default "top-left".
        off_screen: Points off the screen. Default "error".
        assume_public: What your study design makes public, to be taken from the data: the list of stimuli; assignment, who saw which.
        stimuli: Public list of stimuli. Rows of others, and of none, are dropped.
    """

    kind: ClassVar[str] = "gaze"
    data: Any = leading(kw_only=False)
    format: Literal["bids", "gazebase", "mpiidpeye", "mpiiprivaceye"] | None = None
    pattern: str | None = None
    separator: str | None = None
    header: Sequence[str] | None = None
    stop_at_blank: bool | None = None
    lists: Sequence[str] | None = None
    table: str | None = None
    axes: Sequence[str] | None = None
    messages: Sequence[str] | None = None
    columns: GazeColumns
    stimulus: Literal["all"] | None = None
    screen: ScreenLike | Mapping[str, float]
    missing: Sequence[float | str] = ()
    only: Mapping[str, Sequence[str]] | None = None
    valid: Mapping[str, Sequence[float | str]] | None = None
    coordinates: Literal["pixels", "normalised", "degrees"] = "pixels"
    origin: Literal["top-left", "bottom-left", "centre", "centre-y-up"] = "top-left"
    off_screen: Literal["error", "drop"] = "error"
    assume_public: Sequence[Literal["stimuli", "assignment"]] = ()
    stimuli: Sequence[str] | None = None


class Features(InputEntry):
    """Feature time series.

    Args:
        data: the file or folder, relative to the plan or, of a plan made in Python, to the working folder; or rows in memory: a DataFrame of polars
            or pandas, or a Gaze or Dataset of pymovements.
        format: Layout of a folder. bids: the root of a BIDS dataset with eye tracking; a `pattern` chooses among its recordings.
        pattern: File names in a folder: {name} becomes a column, {name:3} one of three characters; `*` is any text, `**/` any folders.
        separator: Separator of delimited text, if not comma or tab.
        header: Names of all columns of text without a header line, or of a matrix in a .mat file.
        stop_at_blank: Read delimited text only down to its first blank line, where another table stands below it. Lines of nothing but separators are
            blank.
        lists: Columns of delimited text whose cells hold lists, such as [0.1, 0.2] or 0.1 0.2: each element becomes a row, next to copies of the
            other cells. The lists of one row need one length.
        table: Which of several tables to read. In a .mat file, the variable and the fields that lead to the rows, with dots between.
        axes: Names of the axes of arrays, outermost first. Each becomes a column.
        messages: Regular expressions for messages of EyeLink, such as "TRIALID (?P<stimulus>.+)". Where one fits the beginning of a message, its
            named groups become columns up to the next such message. Samples before the first are left out.
        columns: Column names by role. Without `recording` every person has one.
        missing: Numbers and texts that mark a missing value, such as -1, "n/a", nan, inf.
        only: By column, the labels of rows to keep. Other rows are left out, but each person with a row in the file still counts as a participant.
        valid: By column, [lowest, highest] or labels of a good measurement. In rows with other values, or none, features count as missing.
        assume_public: What your study design makes public, to be taken from the data: the list of recordings; lengths, their numbers of steps.
        recordings: Public list of recordings. Rows of others, and of none, are dropped.
        categories: By column, the public list of its labels, for records and groups of statistics. Empty cells are missing values.
        bounds: Public [lower, upper] bound of every feature, in its unit; values are clipped to them.
        units: By feature, its unit, such as "mm": reports and tables state it. Default: the unit that the column's name ends in.
        labels: By column, the name that reports show in its place, such as "pupil diameter".
    """

    kind: ClassVar[str] = "features"
    data: Any = leading(kw_only=False)
    format: Literal["bids", "gazebase", "mpiidpeye", "mpiiprivaceye"] | None = None
    pattern: str | None = None
    separator: str | None = None
    header: Sequence[str] | None = None
    stop_at_blank: bool | None = None
    lists: Sequence[str] | None = None
    table: str | None = None
    axes: Sequence[str] | None = None
    messages: Sequence[str] | None = None
    columns: FeatureColumns
    missing: Sequence[float | str] = ()
    only: Mapping[str, Sequence[str]] | None = None
    valid: Mapping[str, Sequence[float | str]] | None = None
    assume_public: Sequence[Literal["recordings", "lengths"]] = ()
    recordings: Sequence[str] | None = None
    categories: Mapping[str, Sequence[str]] | None = None
    bounds: Mapping[str, Sequence[float]]
    units: Mapping[str, str] | None = None
    labels: Mapping[str, str] | None = None


INPUTS: dict[str, type[InputEntry]] = {"gaze": Gaze, "features": Features}
