"""The data sets that `reproductions/bozkir2021.py` runs on, as series of one length and the windows really recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reproductions._mpii_features import feature_files, load_feature_files
from synthrelease.data.features import FeatureData, load_features
from synthrelease.errors import DataError
from synthrelease.evaluation.attacks import Windows
from synthrelease.kinds.signals.completed_series import completed_series

Numbers = NDArray[np.float64]
Labels = NDArray[np.int64]

IER = "ier2023_vr_pupil"
IER_FILE = "features_10s_0p5s.csv.gz"
IER_LENGTH = 130  # windows, declared: near the mean of 132
IER_FEATURES = (
    "pupil_l_mean_mm",
    "pupil_r_mean_mm",
    "pupil_sd_mm",
    "pupil_min_mm",
    "pupil_max_mm",
    "pupil_lr_diff_mm",
    "openness_mean",
    "openness_sd",
    "blink_rate_hz",
    "blink_dur_mean_s",
    "valid_fraction",
)
_UNCLIPPED = (-1e12, 1e12)  # the paper clips nothing


@dataclass(frozen=True)
class Recording:
    """All series of one recording type.

    Attributes:
        name: condition, document or session.
        people: number of each series' person, shape (people,).
        series: without gaps, shape (people, features, n).
        recorded: whether the window is the person's own and not completed, shape (people, n).
    """

    name: str
    people: Labels
    series: Numbers
    recorded: NDArray[np.bool_]


@dataclass(frozen=True)
class Study:
    """A data set.

    Attributes:
        name: also of its pictures.
        features: names, constant ones left out.
        recordings: one for each recording type.
        people: how many there are.
        task: what the recording types are.
        step_s: seconds from window to window.
        shown: two features for the pictures of correlation.
        every_task: every so many windows are used to tell the task,
        every_person: and to tell people; as the paper has it.
        about: how the series came about.
    """

    name: str
    features: tuple[str, ...]
    recordings: tuple[Recording, ...]
    people: int
    task: str
    step_s: float
    shown: tuple[str, str]
    every_task: int
    every_person: int
    about: str

    @property
    def length(self) -> int:
        """N, windows of every series."""
        return self.recordings[0].series.shape[2]

    @property
    def count(self) -> int:
        """How many windows were really recorded."""
        return sum(int(recording.recorded.sum()) for recording in self.recordings)


def studies(data: Path) -> list[Study]:
    """Return the data sets in a folder: ier2023_vr_pupil, and every folder of feature files of MPII, DATA itself included.

    Raises:
        DataError: there is none, or a file is not as it should be.
    """
    found = []
    if (data / IER).is_dir():
        found.append(ier_study(data / IER / IER_FILE))
    folders = [data, *sorted(path for path in data.rglob("*") if path.is_dir())] if data.is_dir() else []
    for folder in folders:
        if feature_files(folder):
            study = mpii_study(folder)
            before = sum(other.name.startswith(study.name) for other in found)
            found.append(replace(study, name=f"{study.name}-{before + 1}") if before else study)
    if not found:
        raise DataError(
            "no-data-set",
            "no data set to reproduce on",
            where=str(data),
            expected=f"{IER}/{IER_FILE}, or Data_P<p>_R<r>_Pami_Features_52.csv of MPIIDPEye or MPIIPrivacEye",
        )
    return found


def ier_study(path: Path) -> Study:
    """Return the pupil features of IER 2023 in windows of 10 s every 0.5 s, conditions as recording types."""
    data = load_features(
        path,
        columns={"person": "participant", "recording": "condition", "time": "t_center_s"},
        bounds=dict.fromkeys(IER_FEATURES, _UNCLIPPED),
    )
    return Study(
        name=IER,
        features=data.features,
        recordings=recordings_of(data, IER_LENGTH, where=str(path)),
        people=data.people,
        task="condition",
        step_s=0.5,
        shown=("pupil_l_mean_mm", "blink_rate_hz"),
        every_task=10,
        every_person=5,
        about=f"cut or completed with their last value to {IER_LENGTH} windows, which is declared",
    )


def mpii_study(folder: Path) -> Study:
    """Return MPIIDPEye (documents as recording types) or, where the path says so, MPIIPrivacEye (sessions)."""
    data = load_feature_files(folder)
    groups = data.person * len(data.recordings) + data.recording
    length = int(np.unique(groups, return_counts=True)[1].max())
    privaceye = "privaceye" in str(folder).lower()
    return Study(
        name="MPIIPrivacEye" if privaceye else "MPIIDPEye",
        features=data.features,
        recordings=recordings_of(data, length, where=str(folder)),
        people=data.people,
        task="session" if privaceye else "document type",
        step_s=1.0 if privaceye else 0.5,
        shown=(data.features[min(8, len(data.features) - 1)], data.features[-1]),
        every_task=20 if privaceye else 10,
        every_person=10 if privaceye else 5,
        about=f"completed with their last value to the longest, {length} windows, as the paper's n is",
    )


def recordings_of(data: FeatureData, length: int, *, where: str) -> tuple[Recording, ...]:
    """Cut or complete all series, and note which windows were recorded.

    Raises:
        DataError: one recording type only, or one of fewer than two people: there is nothing to tell apart.
    """
    if len(data.recordings) < 2:
        raise DataError("one-recording-type", "there is one recording type only", where=where, expected="two")
    group, completed, _ = completed_series(data, length)
    person, kind = np.divmod(group, len(data.recordings))
    number = data.person * len(data.recordings) + data.recording
    whole = ~np.isnan(data.values).any(axis=1)
    recorded = np.zeros((group.size, length), dtype=bool)
    for row, own in enumerate(group):
        windows = whole[number == own][:length]
        recorded[row, : windows.size] = windows
    made = []
    for place, name in enumerate(data.recordings):
        of = kind == place
        if of.sum() < 2:
            raise DataError(
                "too-few-people",
                "too few people have a recording",
                where=where,
                found=f"{of.sum()} of {name}",
                expected="two",
            )
        made.append(Recording(name, person[of], np.moveaxis(completed[of], 1, 2), recorded[of]))
    return tuple(made)


def windows_of(study: Study, released: Sequence[Numbers], *, every: int) -> Windows:
    """Return every so many windows of what was released for each recording type, where one was recorded."""
    parts = []
    for number, (recording, values) in enumerate(zip(study.recordings, released, strict=True)):
        p, t = np.nonzero(recording.recorded)
        parts.append((values[p, :, t], recording.people[p], np.full(p.size, number)))
    return Windows(*(np.concatenate(columns) for columns in zip(*parts, strict=True))).thinned(every)
