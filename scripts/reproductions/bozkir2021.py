"""Bozkir et al. 2021, "Differential privacy for eye tracking with temporal correlations": utility, correlations, classification.

On the pupil features of IER 2023 (ier2023_vr_pupil), and on MPIIDPEye and MPIIPrivacEye where DATA has their feature files. The
mechanisms are the paper's, and protect no one (`synthrelease/kinds/signals/bozkir2021.proof.md`). Everything is seeded: nothing here
may be published as private.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from benchmarks._measure import print_table

from reproductions._bozkir2021_data import Recording, Study, studies
from reproductions._bozkir2021_figures import draw_correlations
from reproductions._bozkir2021_told_tables import show_told
from reproductions._bozkir2021_utility_tables import show_worth, title
from reproductions._bozkir2021_ways import CHUNKS, FULL, QUICK
from reproductions._bozkir2021_worth import worths
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.metrics.signals import lag_correlation

AT = 4  # the fifth sample, counted from 0
LAGS_TOLD = (1, 2, 5, 10, 20, 40)
RAW, DIFFERENCES = "raw", "differences"


def run(data: Path, out: Path, *, quick: bool = False) -> None:
    """Print the tables and write the pictures."""
    scale = QUICK if quick else FULL
    found = studies(data)
    out.mkdir(parents=True, exist_ok=True)
    for study in found:
        random = SecureRandom.for_tests(2021).spawn(study.name)
        show_study(study, scale.epsilons[0])
        worth = worths(
            study,
            scale.ways,
            scale.epsilons,
            evaluations=scale.evaluations,
            draws=scale.draws,
            random=random.spawn("utility"),
        )
        show_worth(study, worth, scale, out / f"bozkir2021_{study.name}_utility.png")
        show_correlations(study, out / f"bozkir2021_{study.name}_correlation.png")
        pictured = out / f"bozkir2021_{study.name}_classification.png"
        show_told(study, worth, scale, pictured, random=random.spawn("classification"))


def show_study(study: Study, epsilon: float) -> None:
    """What is reproduced on what, and what its ε means."""
    features, types = len(study.features), len(study.recordings)
    chunks = -(-study.length // CHUNKS[0])
    print(
        f"{study.name}: {study.people} people, {types} recording types ({', '.join(r.name for r in study.recordings)}), "
        f"{features} features, {study.count:,} windows of {study.step_s:g} s;\n"
        f"series {study.about}. Seeded: nothing here may be published.\n"
        f"ε is that of one feature. The paper adds up the features, × {features}: {epsilon * features:g} for {epsilon:g}. "
        f"Chunks and recordings are one person's as well:\nwere Δ and k public, which they are not, a person would spend "
        f"ε × {features} features × {types} recordings × chunks: {epsilon * features * types * chunks:g} for {epsilon:g} in "
        f"chunks of {CHUNKS[0]}."
    )


def show_correlations(study: Study, path: Path) -> None:
    """Figures 3 to 6."""
    panels = {}
    rows = []
    band = math.tanh(1.96 / math.sqrt(max(study.people - 3, 1)))  # Fisher's transformation
    for kind in (RAW, DIFFERENCES):
        for feature in study.shown:
            place = study.features.index(feature)
            curves = {
                r.name: correlations(r, place, differenced=kind == DIFFERENCES) for r in study.recordings
            }
            panels[f"{feature}, {kind}"] = curves
            for name, points in curves.items():
                told = dict(points)
                cells = [f"{told[lag]:+.2f}" if lag in told else "–" for lag in LAGS_TOLD]
                rows.append([feature, kind, name, *cells])
    draw_correlations(
        panels,
        band=band,
        title=f"{study.name}: correlation of the fifth window with later ones, {study.people} people, steps of {study.step_s:g} s",
        path=path,
    )
    title(
        f"{study.name}  Figures 3–6  Correlation across people of sample 5 with sample 5 + Δt",
        "As far as everyone was recorded. Windows overlap, so that neighbours share data. Of series that have nothing to do with each "
        f"other,\n19 in 20 lie within ±{band:.2f}. Picture: {path.name}",
    )
    print_table(["feature", "series", study.task, *(f"Δt = {lag}" for lag in LAGS_TOLD)], rows)


def correlations(recording: Recording, feature: int, *, differenced: bool) -> list[tuple[int, float]]:
    """Return (Δt, correlation across people), as far as everyone was recorded."""
    missing = ~recording.recorded.all(axis=0)
    together = int(missing.argmax()) if missing.any() else missing.size
    series = recording.series[:, feature, :together]
    if differenced:
        series = np.diff(series, axis=1, prepend=0.0)
    lags = np.arange(1, together - AT)
    if not lags.size:
        return []
    return list(zip(lags.tolist(), lag_correlation(series, at=AT, lags=lags).tolist(), strict=True))
