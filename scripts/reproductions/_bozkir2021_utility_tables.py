"""Utility of noisy series as tables and a picture, and whether the published order holds (Bozkir et al. 2021, Figures 7 to 12)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from benchmarks._measure import print_table

from reproductions._bozkir2021_data import Numbers, Study
from reproductions._bozkir2021_figures import draw_worth
from reproductions._bozkir2021_paper import sensitivities
from reproductions._bozkir2021_ways import FPA, LPA, Scale, Way
from reproductions._bozkir2021_worth import Worth, Worths

GAIN = 100  # what "orders of magnitude" is held against
READINGS = {
    "utility": "NMSE of whole series",
    "by_chunk": "NMSE chunk by chunk",
    "typical": "NMSE of whole series, median over draws",
}

Means = Mapping[tuple[str, float], float]  # by way and ε


def show_worth(study: Study, worth: Worths, scale: Scale, path: Path) -> None:
    """Figures 7 to 12."""
    measures = (*READINGS, "relative_mse", "correlation")
    means = {measure: averaged(study, worth, lambda one, m=measure: getattr(one, m)) for measure in measures}
    head = ["", *(f"ε = {epsilon:g}" for epsilon in scale.epsilons)]
    left_out = sum(
        worth[LPA.name, scale.epsilons[0], recording.name].without for recording in study.recordings
    )
    title(
        f"{study.name}  Figures 7–12  Utility 1/|NMSE|",
        "Averaged so: |NMSE| of each series (Eq. 4, 5) over "
        f"{scale.draws} draws, then over people; inverted for each feature; then over features, then over\n"
        f"recording types. k by the oracle ({scale.evaluations} draws). {left_out} series of mean or variance 0 are left out. "
        "The mean of a noisy release can be near 0, so that |NMSE|\nhas no finite expectation: the mean over draws is that of "
        f"its worst draws. Picture: {path.name}",
    )
    print_table(head, _rows(scale, means["utility"]))
    title(
        "The same, NMSE chunk by chunk",
        "What the oracle chooses k for; of chunks of mean 0 there is none. LPA and FPA are one chunk.",
    )
    print_table(head, _rows(scale, means["by_chunk"]))
    title("The same, NMSE of whole series, median over draws", "What does not hang on the worst draws.")
    print_table(head, _rows(scale, means["typical"]))
    title(
        "What the utility does not tell: mean squared error over the variance of the series in time | correlation with it",
        "Median over people and features of the mean over draws | mean. A signal would have an error below 1.",
    )
    error, cc = means["relative_mse"], means["correlation"]
    cells = {
        way.name: [f"{error[way.name, e]:.2g} | {cc[way.name, e]:+.2f}" for e in scale.epsilons]
        for way in scale.ways
    }
    print_table(head, [[name, *row] for name, row in cells.items()])
    title(
        "The oracle's k",
        "Mean over features, chunks and recording types. With k = 1 a chunk is a constant, and its mean is noised by Δ₂/(√n·ε), n its "
        "length.\nΔ₂/√n is told as a multiple of FPA's: where people differ by a level Δ₂ grows as √n does, and chunks gain nothing.",
    )
    k = averaged(study, worth, lambda one: one.coefficients.mean())
    ratio = distances(study, scale)
    print_table([*head, "Δ₂/√n"], [[*row, f"{ratio[row[0]]:.2f}"] for row in _rows(scale, k)[1:]])
    for measure in ("utility", "by_chunk"):
        title(
            f"Utility by recording type, {READINGS[measure]}",
            "As above, before the mean over recording types.",
        )
        print_table(
            [study.task, *head],
            [
                [recording.name, way.name]
                + [f"{getattr(worth[way.name, e, recording.name], measure):.3g}" for e in scale.epsilons]
                for recording in study.recordings
                for way in scale.ways
            ],
        )
    title("Does the published order hold?", "Of the eight configurations, with one inverse at a time.")
    for line in verdicts(means, scale):
        print(line)
    draw_worth(
        {
            "utility,\nNMSE of whole series": _curves(means["utility"]),
            "utility,\nNMSE chunk by chunk": _curves(means["by_chunk"]),
            "MSE / variance in time": _curves(means["relative_mse"]),
        },
        {
            "LPA and FPA": [LPA.name, FPA.name],
            "CFPA": [way.name for way in scale.cfpa],
            "DCFPA, running sum and as printed": [way.name for way in (*scale.dcfpa, *scale.as_printed)],
        },
        dashed=[way.name for way in scale.as_printed],
        beside=FPA.name,
        title=f"{study.name}, {study.people} people, n = {study.length}, {len(study.features)} features; "
        f"mean over {len(study.recordings)} recording types, {scale.draws} draws",
        path=path,
    )


def averaged(
    study: Study, worth: Worths, measure: Callable[[Worth], float]
) -> dict[tuple[str, float], float]:
    """Return the mean of a measure over recording types, by way and ε."""
    return {
        (way, epsilon): float(np.mean([measure(worth[way, epsilon, r.name]) for r in study.recordings]))
        for way, epsilon, _ in worth
    }


def distances(study: Study, scale: Scale) -> dict[str, float]:
    """Return Δ₂/√n of a chunk over that of the whole series, mean over chunks, features and recording types."""

    def rms(way: Way, series: Numbers) -> Numbers:
        size = way.chunk or study.length
        steps = np.minimum(size, study.length - np.arange(0, study.length, size))
        return (sensitivities(series, way.parameters(1.0, 1)) / np.sqrt(steps)).mean(axis=1)

    def ratio(way: Way, series: Numbers) -> float:
        whole = rms(FPA, series)
        return float((rms(way, series)[whole > 0] / whole[whole > 0]).mean())

    return {
        way.name: float(np.mean([ratio(way, recording.series) for recording in study.recordings]))
        for way in scale.ways
        if way is not LPA
    }


def verdicts(means: Mapping[str, Means], scale: Scale) -> list[str]:
    """Say of two published claims whether they hold here, in every reading of them."""
    low = scale.epsilons[0]
    lines = []
    for reading, name in READINGS.items():
        mean = means[reading]
        gains = {
            (way.name, e): mean[way.name, e] / mean[FPA.name, e] for way in scale.cfpa for e in scale.epsilons
        }
        least, most = min(gains, key=lambda key: gains[key]), max(gains, key=lambda key: gains[key])
        lines.append(
            f"{name}: CFPA ≥ {GAIN} × FPA {_verdict(holds=gains[least] >= GAIN)}: {gains[least]:.2g} × ({least[0]}, ε = {least[1]:g}) "
            f"to {gains[most]:.2g} × ({most[0]}, ε = {most[1]:g})"
        )
        for inverse, theirs in (("running sum", scale.dcfpa), ("as printed", scale.as_printed)):
            eight = [LPA.name, FPA.name, *(way.name for way in (*scale.cfpa, *theirs))]
            order = sorted(eight, key=lambda way: -mean[way, low])
            own = theirs[0].name
            rank = order.index(own)
            other = order[1] if rank == 0 else order[0]
            lines.append(
                f"{name}: {own if inverse == 'as printed' else f'{own}, {inverse},'} first at ε = {low:g} {_verdict(holds=rank == 0)}: "
                f"number {rank + 1} of {len(eight)} with {mean[own, low]:.3g}; {other} has {mean[other, low]:.3g}"
            )
    return lines


def title(text: str, note: str) -> None:
    """Print the title of a table and what it holds."""
    print(f"\n{text}\n{'=' * len(text)}\n{note}\n")


def _verdict(*, holds: bool) -> str:
    return "holds" if holds else "does NOT hold"


def _rows(scale: Scale, mean: Means) -> list[list[str]]:
    return [[way.name, *(f"{mean[way.name, e]:.3g}" for e in scale.epsilons)] for way in scale.ways]


def _curves(mean: Means) -> dict[str, Sequence[tuple[float, float]]]:
    curves: dict[str, list[tuple[float, float]]] = {}
    for (way, epsilon), value in mean.items():
        curves.setdefault(way, []).append((epsilon, value))
    return {way: sorted(points) for way, points in curves.items()}
