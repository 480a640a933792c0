"""Synthetic scanpaths as a mechanism, and fixations of made-up people."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from noisy_rounds import Sums, exact_sums
from numpy.typing import NDArray

from synthrelease.data.gaze import GazeData
from synthrelease.data.screen import Screen
from synthrelease.dp.budget import GAUSSIAN, Budget
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.contributions import Rows as CollectedRows
from synthrelease.kinds.scanpaths.coordinates import STEPS
from synthrelease.kinds.scanpaths.datasets import NOISY_DYNAMICS, NOISY_MAPS
from synthrelease.kinds.scanpaths.dynamics import norm_for
from synthrelease.kinds.scanpaths.dynamics_prior import dynamics_prior
from synthrelease.kinds.scanpaths.fixations import Fixations
from synthrelease.kinds.scanpaths.mechanism import SyntheticScanpaths
from synthrelease.kinds.scanpaths.public import ScanpathParameters
from synthrelease.numerics.spectral import RADIUS

Rows = NDArray[np.float64]  # stimulus, x, y and duration in milliseconds
ROUNDS = (NOISY_MAPS, NOISY_DYNAMICS)
PEOPLE = 40
BUDGET = Budget(1.0, 1e-6)
SCREEN = Screen(80, 60)
PROPORTIONS = 0.75
# Two people who move the sums of both rounds far apart at once, by a search (simulated annealing): x, y and duration of fixations by stimulus.
_FAR_APART = {
    "searched, many": {
        0: "45,21,147 43,45,520 55,59,38 65,34,43 76,51,9 49,36,98 74,33,120 56,12,157 51,14,85 74,6,17 8,48,40 31,45,123 19,53,32",
        1: "32,29,11 26,50,26 69,9,9 60,17,16 41,16,6 18,10,94 8,25,124 6,48,1316",
        2: "67,20,193 16,38,25 38,49,62 26,4,101 8,11,10 76,51,368 8,21,158 66,30,300 57,8,23 58,52,51 36,27,116 52,43,12 25,43,5 11,52,89 40,15,11",
    },
    "searched, few": {
        0: "18,20,245 15,16,1289",
        1: "49,47,214 52,48,367 66,45,265 68,44,227",
    },
}


def fixations(trials: dict[tuple[int, int], list[tuple[float, float, float]]], people: int) -> Fixations:
    """Return fixations of trials (person, stimulus), each a list of x and y as shares of the screen and a duration in milliseconds."""
    rows = [(*trial, *one) for trial in sorted(trials) for one in trials[trial]]
    person, stimulus, x, y, duration = (
        (np.array(column) for column in zip(*rows, strict=True)) if rows else [np.zeros(0)] * 5
    )
    return Fixations(
        person.astype(np.int64),
        stimulus.astype(np.int64),
        (x * STEPS).astype(np.int64),
        (y * STEPS).astype(np.int64),
        np.rint(duration * 1000).astype(np.int64),
        people,
        PROPORTIONS,
    )


def crowd(
    people: int, *, stimuli: int = 3, seed: int = 0
) -> dict[tuple[int, int], list[tuple[float, float, float]]]:
    """Return trials of people who look about; some have one fixation, some none."""
    random = np.random.default_rng(seed)
    trials = {}
    for person in range(people):
        for stimulus in range(stimuli):
            count = int(random.integers(0, 12))
            if count:
                x, y = random.uniform(0, 1, (2, count))
                trials[person, stimulus] = list(zip(x, y, random.uniform(50, 600, count), strict=True))
    return trials


@cache
def mechanism(people: int | None = PEOPLE) -> SyntheticScanpaths:
    """Return scanpaths on three stimuli, of so many people or, without a number, of one who may come or go."""
    seconds = 2.0
    parameters = ScanpathParameters(
        name="gravity",
        people=people,
        names="listed",
        max_stimuli_per_person=3,
        assignment_public=False,
        screen=SCREEN,
        stimuli=("a", "b", "c"),
        rows=30,
        columns=40,
        blur_px=8.0,
        exponent=1.25,
        clip=0.35,
        prior="centre",
        maps=None,
        viewers=None,
        viewing_time_s=seconds,
        prior_flat=0.15,
        prior_sha256=dynamics_prior(0.15).sha256,
        dynamics_share=0.4,
        norm=norm_for(3, seconds),
        scanpaths=4,
        sampling_seed=0,
    )
    neighbours = Neighbours.REPLACE_ONE if people else Neighbours.ADD_REMOVE_ONE
    return SyntheticScanpaths(
        parameters=parameters, neighbours=neighbours, noise=GAUSSIAN, duration_unit="ms"
    )


def gaze(people: Sequence[Rows]) -> GazeData:
    """Return rows of stimulus, x, y and duration of each person, stimulus by stimulus."""
    person = np.repeat(np.arange(len(people)), [len(rows) for rows in people])
    rows = np.concatenate([rows.reshape(-1, 4) for rows in people])
    seen = np.zeros((len(people), 3), dtype=np.bool_)
    seen[person, rows[:, 0].astype(int)] = True
    labels = tuple(f"person {number}" for number in range(len(people)))
    order = np.lexsort((rows[:, 0], person))
    return GazeData(
        SCREEN,
        ("a", "b", "c"),
        len(people),
        seen,
        person[order],
        rows[order, 0].astype(np.int64),
        rows[order, 1],
        rows[order, 2],
        duration=(rows[order, 3] * 1_000_000).astype(np.int64),
        identities=labels,
    )


def radii() -> tuple[int, int]:
    """Return the radius of each round."""
    return RADIUS, mechanism().parameters.dynamics_radius


def collected(people: Sequence[Rows]) -> CollectedRows:
    """Return what people contribute."""
    return mechanism().collect(gaze(people))


def exact(people: Sequence[Rows], released: Sums) -> Sums:
    """Return exact sums of both rounds, if the first one released what it is said to."""
    return exact_sums(mechanism(), collected(people), released, BUDGET)


@cache
def before(forced: str) -> Sums:
    """Return what the first round released: nothing, or what noise alone looks like."""
    form = mechanism().parameters.of_maps.form
    random = np.random.default_rng(5)
    scale = 0.0 if forced == "nothing" else 2e6
    return {NOISY_MAPS: np.rint(scale * random.normal(size=(3, form.band.count))).astype(np.int64)}


def ordinary(people: int, seed: int = 0) -> list[Rows]:
    """Return people who look about on all stimuli."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(people):
        rows = []
        for stimulus in range(3):
            count = int(random.integers(1, 8))
            x, y = random.uniform(0, 1, (2, count)) * [[SCREEN.width_px], [SCREEN.height_px]]
            rows.append(np.column_stack([np.full(count, stimulus), x, y, random.uniform(50, 400, count)]))
        made.append(np.concatenate(rows))
    return made


def adversaries() -> dict[str, Rows]:
    """Return people whose sums are far apart."""
    width, height = SCREEN.width_px, SCREEN.height_px
    corners = {
        "left top": (0.0, 0.0),
        "right top": (width, 0.0),
        "left bottom": (0.0, height),
        "right bottom": (width, height),
    }
    everyone = {"nothing": np.empty((0, 4))}
    for name, (x, y) in corners.items():
        everyone[f"once {name}"] = np.array([[0, x, y, 100.0]])
        everyone[f"on all stimuli {name}"] = np.array([[s, x, y, 2000.0] for s in range(3)])
        everyone[f"thousands {name}"] = np.tile([[1, x, y, 0.5]], (3000, 1))
    ends = np.array([[0.0, 0.0], [width, height]])
    for name, places in (("diagonal", ends), ("horizontal", ends * [1, 0]), ("vertical", ends * [0, 1])):
        there = np.tile(places, (10, 1))
        everyone[f"to and fro, {name}"] = np.concatenate(
            [np.column_stack([np.full(20, s), there, np.full(20, 30.0)]) for s in range(3)]
        )
        everyone[f"to and fro on one stimulus, {name}"] = np.column_stack(
            [np.full(20, 2), there, np.full(20, 90.0)]
        )
    for name, trials in _FAR_APART.items():
        everyone[name] = np.array(
            [[s, *map(int, one.split(","))] for s, text in trials.items() for one in text.split()],
            dtype=float,
        )
    everyone["no time"] = np.array([[0, 1.0, 1.0, 0.0], [1, 1.0, 1.0, 0.0]])
    everyone["too late"] = np.array([[0, 1.0, 1.0, 5000.0], [0, 9.0, 9.0, 10.0]])
    return everyone
