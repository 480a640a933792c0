"""Spectral heatmaps of one stimulus: from points to coefficients and noise, on a small screen and on a large one.

Targets: 30 ms a stimulus for 100 people and 10⁴ samples, the same for both screens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import made
import numpy as np

from benchmarks._limits import Limits
from benchmarks._measure import Target, median_seconds, peak_bytes
from benchmarks._report import Figure, Growth, Report, Section
from synthrelease.data.gaze import GazeData
from synthrelease.data.screen import Screen
from synthrelease.dp.budget import Budget
from synthrelease.dp.noise import SecureRandom
from synthrelease.kinds.heatmap.spectral import SpectralHeatmap
from synthrelease.numerics.spectral import SpectralForm

WORK = "spectral coefficients and noise, 100 people, 10⁴ samples"
SCREENS = (Screen(800, 600), Screen(3840, 2160))
BLURS = (0.04, 0.03)  # 24 px of 800×600; as large a share of the other screen
PEOPLE, EACH, CELLS, BUDGET = 100, 100, (100, 134), Budget(1.0, 1e-6)
GROWN = (1, 10, 100)  # times as many samples of each
RUNS = 15
MILLISECONDS, SAME = Target(30.0, at_most=True), Target(1.2, at_most=True)


def run(limits: Limits, *, quick: bool = False) -> Report:
    """Time both screens, and more and more samples of each person."""
    runs, grown = (5, GROWN[:2]) if quick else (RUNS, GROWN)
    mechanism = spectral_heatmap(1, PEOPLE, CELLS)
    works: dict[str, Callable[[], object]] = {}
    for screen in SCREENS:
        gaze = _crowd(screen, PEOPLE, EACH)
        works[f"{_size(screen)} noisy"] = _noisy(gaze, mechanism)
        works[f"{_size(screen)} shown"] = lambda gaze=gaze: made.release(
            mechanism, gaze, BUDGET, random=SecureRandom()
        )
    works["calibrated"] = lambda: mechanism.calibrate(BUDGET)
    seconds = median_seconds(works, runs)
    taken_by_screen = [seconds[f"{_size(screen)} noisy"] for screen in SCREENS]
    ratio = max(taken_by_screen) / min(taken_by_screen)
    rows = [
        [
            _size(screen),
            f"{1000 * one:.1f}",
            MILLISECONDS.beside(1000 * one),
            f"{1000 * seconds[f'{_size(screen)} shown']:.0f}",
            f"{peak_bytes(works[f'{_size(screen)} noisy']) / 1e6:.1f}",
        ]
        for screen, one in zip(SCREENS, taken_by_screen, strict=True)
    ]
    larger = {str(n): _noisy(_crowd(SCREENS[0], PEOPLE, n * EACH), mechanism) for n in grown}
    taken = list(median_seconds(larger, runs).values())
    growth = Growth(
        "samples", [n * PEOPLE * EACH for n in grown], taken, [peak_bytes(work) for work in larger.values()]
    )
    return Report(
        WORK,
        ("numpy", "scipy"),
        (
            Section(
                f"{PEOPLE} people, {EACH} samples each, one stimulus: coefficients, clipping, sum and noise; and the map from "
                f"these. Median of {runs} runs.",
                ("screen", "noisy, ms", "target", "with map, ms", "peak MB"),
                rows,
                f"The larger time over the smaller: × {ratio:.2f}, {SAME.beside(ratio)}.",
            ),
            Section(
                "More samples of each person, 800×600.",
                ("samples", "noisy, ms", "peak MB"),
                [
                    [f"{n:,}", f"{1000 * one:.1f}", f"{size / 1e6:.1f}"]
                    for n, one, size in zip(growth.sizes, growth.seconds, growth.bytes, strict=True)
                ],
            ),
        ),
        (
            Figure(1000 * max(taken_by_screen), "ms", MILLISECONDS),
            Figure(ratio, "× from one screen to the other", SAME),
        ),
        max(taken_by_screen),
        limits.least(products=multiply_adds(PEOPLE * EACH)),
        f"Each person has a matrix product of {EACH} samples, too small for the rate of a large one, and an exact clip. "
        f"Calibrating the noise takes {1000 * seconds['calibrated']:.2g} ms, once for any number of stimuli.",
        growth=growth,
    )


def spectral_heatmap(stimuli: int | Sequence[str], people: int, cells: tuple[int, int]) -> SpectralHeatmap:
    """Return a mechanism under which everyone counts on every stimulus."""
    number = stimuli if isinstance(stimuli, int) else len(stimuli)
    return made.spectral(
        stimuli=stimuli,
        form=SpectralForm(BLURS, cells),
        max_stimuli=number,
        viewers=(people,) * number,
        assignment_public=True,
        people=people,
    )


def multiply_adds(samples: int) -> float:
    """Return how many multiply-adds the coefficients of some samples take: one for each and each pair of frequencies."""
    return float(samples * math.prod(spectral_heatmap(1, 1, CELLS).parameters.form.band.box))


def _noisy(gaze: GazeData, mechanism: SpectralHeatmap) -> Callable[[], object]:
    return lambda: mechanism.draw(mechanism.collect(gaze), BUDGET, SecureRandom())


def _size(screen: Screen) -> str:
    return f"{screen.width_px}×{screen.height_px}"


def _crowd(screen: Screen, people: int, each: int) -> GazeData:
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(people), each)
    at = rng.uniform(0, 1, (2, person.size))
    return GazeData(
        screen,
        ("image",),
        people,
        np.ones((people, 1), dtype=np.bool_),
        person,
        np.zeros(person.size, dtype=np.int64),
        at[0] * screen.width_px,
        at[1] * screen.height_px,
    )
