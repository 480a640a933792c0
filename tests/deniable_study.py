"""Trials of made-up people and a plan of scanpaths with plausible deniability; the same as arrays, and the model of their records."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scanpath_study
from numpy.typing import NDArray

from synthrelease.data.gaze import GazeData
from synthrelease.data.screen import Screen
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.records.public_scanpaths import ScanpathRecordsParameters
from synthrelease.kinds.records.scanpaths import ScanpathRecords
from synthrelease.kinds.records.tokens import Tokens

Integers = NDArray[np.int64]
Trials = dict[tuple[int, int], list[tuple[float, float, float]]]  # x and y in pixels, milliseconds
SCREEN = Screen(80, 60)
STIMULI = ("a", "b", "c")
_NAMES = ("who", "picture", "x", "y", "ms")


def plan(options: str = "", *, tokens: str = "fixations = 5, scanpaths = 6", public: bool = True) -> str:
    """Return a plan of one output on the table of `scanpath_study`."""
    whole = scanpath_study.plan(options)
    before, _, after = whole.partition('kind = "scanpaths"')
    if not public:
        before = before.replace('assume_public = ["assignment"]\n', "")
    after = after.partition("scanpaths = 12\n")[2]
    return (
        f'{before}kind = "records"\ninput = "fixations"\nmodel = "seeded"\ntokens = {{ {tokens} }}\n{after}'
    )


def study(folder: Path, options: str = "", *, people: int = 40, **words: Any) -> Path:
    """Write table and plan, and return the plan's path."""
    (folder / "fixations.csv").write_text(scanpath_study.table(people))
    (folder / "plan.toml").write_text(plan(options, **words))
    return folder / "plan.toml"


def gaze(trials: Trials, *, people: int) -> GazeData:
    """Return trials (person, stimulus) as the reader does, fixations of all in the order of time."""
    rows = [(*trial, *fixation) for trial in sorted(trials) for fixation in trials[trial]]
    person, stimulus, x, y, duration = np.array(rows, dtype=np.float64).reshape(-1, 5).T
    return GazeData(
        screen=SCREEN,
        stimuli=STIMULI,
        people=people,
        assigned=np.ones((people, len(STIMULI)), dtype=np.bool_),
        person=person.astype(np.int64),
        stimulus=stimulus.astype(np.int64),
        x_px=x,
        y_px=y,
        duration=np.rint(duration * 1_000_000).astype(np.int64),
    )


def mechanism(
    tokens: Tokens, *, people: int = 6, kept: tuple[int, ...] = (1,), **changes: Any
) -> ScanpathRecords:
    """Return scanpaths of so many people, who all saw three stimuli."""
    attributes = tokens.attributes(STIMULI)
    scanpaths = changes.pop("scanpaths", 4)
    parameters = ScanpathRecordsParameters(
        name="deniable",
        people=people,
        names="listed",
        fit="exact",
        dependence="chain",
        task=True,
        per_task=True,
        attributes=attributes,
        order=tuple(range(len(attributes))),
        resampled=tuple(sorted(len(attributes) - 1 - number for number in kept)),
        threshold="fixed",
        k=2,
        gamma=4.0,
        counted="person",
        copies="keep",
        rows=scanpaths * len(STIMULI),
        max_stimuli_per_person=len(STIMULI),
        assignment_public=True,
        screen=SCREEN,
        stimuli=STIMULI,
        tokens=tokens,
        viewers=(people,) * len(STIMULI),
        scanpaths=scanpaths,
        sampling_seed=0,
    )
    return ScanpathRecords(
        parameters=replace(parameters, **changes),
        neighbours=Neighbours.REPLACE_ONE,
        noise=None,
        trials=100_000,
        duration_unit="ms",
    )


def random_trials(random: np.random.Generator, *, people: int, most: int) -> Trials:
    """Return trials of people who look anywhere; some have none on a stimulus."""
    trials: Trials = {}
    for person in range(people):
        for stimulus in range(len(STIMULI)):
            if count := int(random.integers(0, most + 1)):
                x, y = random.uniform(0, SCREEN.width_px, count), random.uniform(0, SCREEN.height_px, count)
                trials[person, stimulus] = list(zip(x, y, random.uniform(20, 900, count), strict=True))
    return trials
