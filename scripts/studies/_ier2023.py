"""The IER 2023 pupil features: windows of 10 s of 24 people under five conditions, and what is public of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from synthrelease.data.features import FeatureData, load_features
from synthrelease.evaluation.attacks import Windows

Limits = dict[str, tuple[float, float]]

FILE = Path("ier2023_vr_pupil") / "features_10s_0p5s.csv.gz"
CONDITIONS = ("control", "npc", "noise", "arithmetic", "combined")
FITTED, TESTED = ("control", "noise", "arithmetic"), ("npc", "combined")
# Least personal first, for the first are kept. Public: what pupils, eyelids and windows of 10 s can do; and how far they stray from a person's own mean.
BOUNDS = {
    "openness_mean": (0.0, 1.0),
    "blink_rate_hz": (0.0, 2.0),
    "openness_sd": (0.0, 0.5),
    "blink_dur_mean_s": (0.0, 1.0),
    "pupil_sd_mm": (0.0, 1.0),
    "pupil_lr_diff_mm": (-1.5, 1.5),
    "pupil_l_mean_mm": (1.5, 8.0),
    "pupil_r_mean_mm": (1.5, 8.0),
    "pupil_min_mm": (1.0, 8.0),
    "pupil_max_mm": (1.5, 9.0),
}
STRAYING = {
    "openness_mean": (-0.4, 0.2),
    "blink_rate_hz": (-0.5, 1.0),
    "openness_sd": (-0.2, 0.3),
    "blink_dur_mean_s": (-0.5, 1.0),
    "pupil_sd_mm": (-0.3, 0.5),
    "pupil_lr_diff_mm": (-0.5, 0.5),
    "pupil_l_mean_mm": (-1.0, 1.0),
    "pupil_r_mean_mm": (-1.0, 1.0),
    "pupil_min_mm": (-1.5, 1.5),
    "pupil_max_mm": (-1.5, 1.5),
}


def features(folder: Path, bounds: Limits) -> FeatureData:
    """Return features of all windows, from the folder of all data sets; recordings are conditions, in the order of `CONDITIONS`."""
    return load_features(
        folder / FILE,
        columns={"person": "participant", "recording": "condition", "time": "t_center_s"},
        bounds=bounds,
        recordings=CONDITIONS,
    )


def windows(folder: Path) -> Windows:
    """Return all windows that have each of `BOUNDS`."""
    data = features(folder, BOUNDS)
    there = np.isfinite(data.values).all(axis=1)
    return Windows(
        data.values[there], data.person[there].astype(np.int64), data.recording[there].astype(np.int64)
    )


def of_conditions(rows: Windows, names: tuple[str, ...]) -> Windows:
    """Return the rows of some conditions."""
    return rows.of_recordings([CONDITIONS.index(name) for name in names])


def without_means(rows: Windows) -> Windows:
    """Return rows with each person's own mean taken off."""
    values = rows.values.copy()
    for person in rows.names:
        values[rows.people == person] -= values[rows.people == person].mean(axis=0)
    return replace(rows, values=values)
