"""What can be released of 15 people who looked at 700 photographs (OSIE): the table of docs/start/tutorial.md.

The truth of durations is that of all values, not cut to any bounds. A curator with private data cannot make this table: looking
at it is looking at the data.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import made
import numpy as np
from numpy.typing import NDArray

from studies._osie_mouse import CELLS, REPORTED, SCREEN, exact_maps
from studies.heatmaps import centre_map, spectral_heatmap
from synthrelease.data.features import FeatureData, load_features
from synthrelease.data.gaze import GazeData, load_gaze
from synthrelease.dp.budget import Budget
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.metrics import correlation

EPSILONS, DELTA, DRAWS, MAP_DRAWS = (1.0, 2.0, 3.0), 1e-6, 1000, 10
FILE = Path("osie") / "fixations_tidy.csv.gz"
BOUNDS, FAR_MS = (0.0, 640.0), 50.0
MEAN, MEDIAN = "mean", "quantile:0.5"
# What is released, of which statistic the error is told, and from how many intervals a quantile is chosen.
DURATIONS = (
    ("mean", (MEAN,), MEAN, 256),
    ("median, of 256 intervals", (MEDIAN,), MEDIAN, 256),
    ("median, of 64 intervals", (MEDIAN,), MEDIAN, 64),
    ("median, with the mean beside it", (MEAN, MEDIAN), MEDIAN, 64),
    ("median, with both quartiles", ("quantile:0.25", MEDIAN, "quantile:0.75"), MEDIAN, 64),
)


def run(data: Path) -> None:
    """Print the table as Markdown."""
    file = data / FILE
    print("| released | no data |" + "".join(f" ε = {epsilon:g} |" for epsilon in EPSILONS))
    print("|---|---|" + "---|" * len(EPSILONS))
    gaze = load_gaze(
        file, columns={"person": "observer", "stimulus": "image", "x": "x_px", "y": "y_px"}, screen=SCREEN
    )
    for told, chosen in (("10 heatmaps", list(REPORTED)), ("1 heatmap", list(REPORTED)[:1])):
        print_maps(told, some_images(gaze, chosen))
    data_ms = load_features(file, columns={"person": "observer"}, bounds={"duration_ms": (0.0, 1e4)})
    print(
        "Durations: ms from the truth in half of all releases; in 95 of 100; how many are further than 50 ms"
    )
    for told, names, judged, steps in DURATIONS:
        print_duration(told, data_ms, names, judged, steps)
    own = people_means(data_ms)
    print(f"\ntrue mean {own.mean():.0f} ms, median {np.median(own):.0f} ms")


def print_maps(told: str, gaze: GazeData) -> None:
    """One release of all images of a dataset: mean correlation with the exact maps."""
    exact = exact_maps(gaze, CELLS)
    none = np.mean([correlation(centre_map(), one) for one in exact])
    cells = []
    for epsilon in EPSILONS:
        found = []
        for draw in range(MAP_DRAWS):
            random = SecureRandom.for_tests(draw).spawn(told, str(epsilon))
            values, _ = made.release(spectral_heatmap(gaze), gaze, Budget(epsilon, DELTA), random=random)
            found += [
                correlation(values[s, "heatmap"].astype(np.float64), one)
                for s, one in zip(gaze.stimuli, exact, strict=True)
            ]
        cells.append(f"{np.mean(found):.2f}")
    print(f"| {told}: CC | {none:.2f} | {' | '.join(cells)} |", flush=True)


def print_duration(told: str, data: FeatureData, names: tuple[str, ...], judged: str, steps: int) -> None:
    """One release: within what distance of the truth half of the draws lie, and 95 of 100; how many are far off."""
    within = replace(data, values=data.values.clip(*BOUNDS), bounds=np.array([BOUNDS]))
    mechanism = made.statistics(names, of=within, people=data.people, quantile_steps=steps)
    truth = (np.mean if judged == MEAN else np.median)(people_means(data))
    sums, cells = mechanism.collect(within), []
    for epsilon in EPSILONS:
        random = SecureRandom.for_tests(2026).spawn(told, str(epsilon))
        values = []
        for _ in range(DRAWS):
            released = made.arrays(mechanism.draw(sums, Budget(epsilon, 0.0), random))
            values.append(np.asarray(released[judged, "duration_ms", "value"]).item())
        error = np.abs(np.array(values) - truth)
        half, most = np.quantile(error, [0.5, 0.95])
        cells.append(f"{half:.0f}; {most:.0f}; {100 * np.mean(error > FAR_MS):.0f} %")
    print(f"| {told} | {abs(sum(BOUNDS) / 2 - truth):.0f} | {' | '.join(cells)} |", flush=True)


def some_images(gaze: GazeData, chosen: list[int]) -> GazeData:
    """Return the gaze on some images, of the same people."""
    number = np.full(len(gaze.stimuli), -1)
    number[chosen] = np.arange(len(chosen))
    here = number[gaze.stimulus] >= 0
    return replace(
        gaze,
        stimuli=tuple(gaze.stimuli[j] for j in chosen),
        assigned=gaze.assigned[:, chosen],
        person=gaze.person[here],
        stimulus=number[gaze.stimulus[here]],
        x_px=gaze.x_px[here],
        y_px=gaze.y_px[here],
    )


def people_means(data: FeatureData) -> NDArray[np.float64]:
    """Return everyone's mean."""
    return np.bincount(data.person, data.values[:, 0]) / np.bincount(data.person)
