"""David-John et al. 2022, "For Your Eyes Only: Privacy-preserving eye-tracking datasets": who is named, what task is told.

On the pupil features of IER 2023 (ier2023_vr_pupil). k-same-select, and synthetic records with and without a seed, beside the real data.
Everything is seeded: nothing here may be published. Finished cells are kept in OUT: a run that was killed goes on.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from studies._ier2023 import CONDITIONS, FILE, windows
from studies._makers import GAMMA, K

from reproductions._davidjohn2022_cells import (
    PERSON,
    RELEASES,
    SAME,
    SEED,
    Data,
    answers,
    cells,
)
from reproductions._davidjohn2022_figures import draw_rates
from reproductions._davidjohn2022_tables import QUESTIONS, TITLES, VOTE, chance, rates, show, show_settings
from reproductions._kept import Kept, computed_from
from synthrelease.errors import DataError
from synthrelease.evaluation.attacks import Windows
from synthrelease.evaluation.metrics.classification import CLASSIFIERS

CODE = tuple(
    f"scripts/{name}.py"
    for name in (
        "reproductions/_davidjohn2022_cells",
        "reproductions/_tasks",
        "studies/_ier2023",
        "studies/_makers",
    )
)
WINDOW, STEP = 10.0, 0.5  # seconds
JOBS = min(2, os.cpu_count() or 1)


class Scale(NamedTuple):
    """How much of it to do.

    Attributes:
        every: of how many windows one is used.
        draws: releases that identification is averaged over.
        left: one of so many people is left out, and their task told.
    """

    every: int
    draws: int
    left: int


FULL, QUICK = Scale(every=8, draws=5, left=1), Scale(every=40, draws=1, left=4)


def run(data: Path, out: Path, *, quick: bool = False, jobs: int = JOBS) -> None:
    """Print the tables and write the pictures.

    Raises:
        DataError: the data set is not there, or has too few people.
        MachineError: nothing can be written to `out`.
    """
    scale = QUICK if quick else FULL
    rows = windows(data).thinned(scale.every)
    check_people(rows, where=str(data / FILE))
    settings = {"every": scale.every, "k": K, "gamma": GAMMA, "same": SAME, "seed": SEED}
    kept = Kept(out / "davidjohn2022_cells", computed_from(data / FILE, settings, CODE))
    left_out = tuple(rows.names.tolist()[:: scale.left])
    asked = cells(left_out, scale.draws)
    gap = int(np.ceil(WINDOW / STEP / scale.every)) - 1  # windows after the middle that overlap those before
    found, before = answers(Data(rows, gap, left_out), asked, kept, jobs=jobs)
    if before:
        print(f"{before} of {len(asked)} cells were kept from an earlier run.", file=sys.stderr)
    people = rows.names.size
    told = rates(found, people=people, left_out=len(left_out))
    majority = float(np.bincount(rows.recordings).max() / rows.recordings.size)
    print("## David-John et al. 2022\n")
    print(
        f"{people} people, {len(CONDITIONS)} conditions, {rows.values.shape[1]} features, {len(rows.values):,} windows. "
        f"Intervals are of {people} people, of tasks of {len(left_out)}. Seeded: nothing here may be published.\n"
        "Rows of models without a seed bear names drawn by lot. By vote: all rows that bear one name and one condition vote together, which no one "
        "could arrange who does not know\nwhose seeds they had: more than an attacker has."
    )
    show_settings(draws=scale.draws, every=scale.every)
    show(found, told, people=people, draws=scale.draws, majority=majority)
    print()
    for name, about, keys in (
        ("person", "Naming the person", [key for key in QUESTIONS if key[0] in PERSON]),
        ("task", "Telling the condition", [key for key in QUESTIONS if key[0] not in PERSON]),
    ):
        path = out / f"davidjohn2022_{name}.png"
        panels = {
            TITLES[key]: {r: [(n, told[key][r][n, VOTE]) for n in CLASSIFIERS] for r in RELEASES}
            for key in keys
        }
        lines = {TITLES[key]: chance(key[0], people) for key in keys}
        draw_rates(panels, lines, title=f"{about}: IER 2023, {people} people", path=path)
        print(f"Picture: {path.name}")


def check_people(rows: Windows, *, where: str) -> None:
    """Refuse data in which no k people are left in a condition once one is left out.

    Raises:
        DataError: there are too few.
    """
    least = min(rows.of_recordings([number]).names.size for number in np.unique(rows.recordings))
    needed = max(K, *SAME) + 1
    if least < needed or np.unique(rows.recordings).size < len(CONDITIONS):
        raise DataError(
            "too-few-people",
            "too few people in a condition",
            where=where,
            found=str(least),
            expected=f"{needed} in each of {len(CONDITIONS)}",
        )
