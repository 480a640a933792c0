"""Heatmaps that start from public maps of the stimuli: right ones, and those of other stimuli.

How maps are blurred, mixed and believed was chosen on images 1001–1010 (mouse-tracked attention as public maps of eye-tracked people, and the other way round);
the tables are of images 1011–1020.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studies._osie_mouse import CELLS, REPORTED, SCREEN, attention, exact_maps, with_trials_of
from studies.heatmaps import spectral_heatmap
from studies.uncertainty import judged
from synthrelease.data.gaze import GazeData, load_gaze
from synthrelease.dp.budget import Budget
from synthrelease.dp.noise import SecureRandom
from synthrelease.kinds.heatmap.map_sums import looks, people_maps
from synthrelease.kinds.heatmap.public_maps import GAZE, MAPS, PublicMaps
from synthrelease.kinds.heatmap.spectral import SpectralHeatmap
from synthrelease.kinds.values import Values
from synthrelease.numerics.map_belief import on_grid
from synthrelease.numerics.spectrum import rendered

DELTA = 1e-5
DRAWS = 5
NONE, RIGHT, OTHERS = "no public maps", "public maps", "public maps of other images"
HEAD = f"{'':<52}   CC   in cells   at peak   weight   spread"


def run(folder: Path) -> None:
    """Print all tables."""
    mouse = attention(folder)
    eye = eye_tracked(folder, mouse.stimuli)
    print(
        f"CC with the exact map, and how often two uncertainties reach it, images 1011–1020, {DRAWS} releases\n{HEAD}"
    )
    reported = some_stimuli(eye, REPORTED)
    of_mouse = maps_of(some_stimuli(mouse, REPORTED))
    _print_alone("eye-tracked", reported, of_mouse)
    for people in (15, 50, 100):
        gaze = reported if people == reported.people else resampled(reported, people)
        images = range(len(REPORTED))
        _print_rows(
            f"{people} eye-tracked, 10 images",
            gaze,
            of_mouse,
            truth=reported,
            epsilons=(1.0, 3.0),
            images=images,
        )
    of_eye = maps_of(eye)
    _print_alone("mouse-tracked", mouse, of_eye)
    _print_rows(
        f"{mouse.people} mouse-tracked, 20 images",
        mouse,
        of_eye,
        truth=mouse,
        epsilons=(0.5, 1.0, 3.0),
        images=REPORTED,
    )


def _print_rows(
    name: str,
    gaze: GazeData,
    public: NDArray[np.int32],
    *,
    truth: GazeData,
    epsilons: tuple[float, ...],
    images: range,
) -> None:
    exact = exact_maps(truth, CELLS)
    for epsilon in epsilons:
        for prior, maps in ((NONE, None), (RIGHT, public), (OTHERS, np.roll(public, 1, axis=0))):
            mechanism = heatmap(gaze, maps)
            collected = mechanism.collect(gaze)
            rows, beliefs = [], []
            for draw in range(DRAWS):
                random = SecureRandom.for_tests(draw).spawn(f"{name} {epsilon}")
                drawn = mechanism.draw(collected, Budget(epsilon, DELTA), random)
                values = Values(drawn.parameters, drawn.event, drawn.arrays)
                shown, errs = values.array("heatmap"), values.array("uncertainty")
                rows += [judged(shown[j], errs[j], exact[j]) for j in images]
                beliefs.append(values.array("belief") if maps is not None else (np.nan, np.nan))
            correlation, _, peaks, cells, _ = np.array(rows, dtype=np.float64).mean(axis=0)
            weight, spread = np.mean(beliefs, axis=0)
            print(
                f"{f'{name}, ε = {epsilon:g}, {prior}':<52}{correlation:5.2f}{cells:10.1%}{peaks:10.0%}{weight:9.2f}{spread:9.2f}",
                flush=True,
            )


def _print_alone(name: str, gaze: GazeData, public: NDArray[np.int32]) -> None:
    form = heatmap(gaze).parameters.form
    exact = exact_maps(gaze, CELLS)
    shown = [rendered(one / one[0] * form.band.attenuation, form.band, form.places()) for one in public]
    numbers = range(len(exact))[-len(REPORTED) :]
    alone = np.mean([np.corrcoef(shown[j].ravel(), exact[j].ravel())[0, 1] for j in numbers])
    print(f"{f'public maps alone, of {name} people':<52}{alone:5.2f}")


def heatmap(gaze: GazeData, public: NDArray[np.int32] | None = None) -> SpectralHeatmap:
    """Return spectral maps of all stimuli of a dataset, from public ones if there are any."""
    mechanism = spectral_heatmap(gaze)
    if public is None:
        return mechanism
    stated = PublicMaps("0" * 64, GAZE, 1)
    return replace(
        mechanism,
        parameters=replace(mechanism.parameters, prior=MAPS, maps=stated),
        public_maps=public,
    )


def maps_of(gaze: GazeData) -> NDArray[np.int32]:
    """Return the mean of people's maps on every stimulus, as a release would have it of public people, shape (S, K)."""
    parameters = heatmap(gaze).parameters
    totals = np.zeros((len(gaze.stimuli), parameters.form.band.count))
    people = np.zeros(len(gaze.stimuli))
    for block in people_maps(looks(gaze, parameters), parameters.form.band):
        np.add.at(totals, block.stimulus, block.coefficients)
        np.add.at(people, block.stimulus, 1)
    return on_grid(totals / people[:, None])


def eye_tracked(folder: Path, images: tuple[str, ...]) -> GazeData:
    """Return the fixations of OSIE's 15 people on images."""
    gaze = load_gaze(
        folder / "osie" / "fixations_tidy.csv.gz",
        columns={"person": "observer", "stimulus": "image", "x": "x_px", "y": "y_px"},
        screen=SCREEN,
        stimuli=[f"{image}.jpg" for image in images],
        off_screen="drop",
    )
    return replace(gaze, stimuli=images)


def some_stimuli(gaze: GazeData, numbers: range) -> GazeData:
    """Return the gaze on some stimuli, by their numbers."""
    kept = np.isin(gaze.stimulus, numbers)
    return replace(
        gaze,
        stimuli=tuple(gaze.stimuli[number] for number in numbers),
        assigned=gaze.assigned[:, list(numbers)],
        person=gaze.person[kept],
        stimulus=gaze.stimulus[kept] - numbers.start,
        x_px=gaze.x_px[kept],
        y_px=gaze.y_px[kept],
    )


def resampled(gaze: GazeData, people: int) -> GazeData:
    """Return made-up people, each of whom has half of one participant's stimuli, and of each other stimulus a participant at random."""
    random = np.random.default_rng(people)
    home = random.integers(0, gaze.people, people)
    stimuli = len(gaze.stimuli)
    by_chance = random.integers(0, gaze.people, (people, stimuli))
    source = np.where(random.random((people, stimuli)) < 0.5, home[:, None], by_chance)
    return with_trials_of(gaze, source)
