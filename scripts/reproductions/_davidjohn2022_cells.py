"""What is asked of each release of `reproductions/davidjohn2022.py`, in cells that are computed, and kept, one by one.

Who is it: classifiers trained on rows with names name the person of others. What is it: classifiers trained on all people but one
name the task of that one. Trained on a release and tested on the same release is how papers do it, and shows neither what an
attacker gets nor what a release is worth; so each question is also asked with real rows on one side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

import numpy as np
from joblib import delayed
from studies._ier2023 import BOUNDS, CONDITIONS, FITTED, STRAYING, TESTED, Limits, without_means
from studies._makers import MAKERS, NO_ONE, Maker, Release, as_it_is, k_same

from reproductions._kept import Kept
from reproductions._tasks import in_parallel, seed_of
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.attacks import AttackVerdict, Windows, identifications
from synthrelease.evaluation.metrics.classification import CLASSIFIERS, Accuracy, split_accuracy

SEED = 2022
RAW = "real data"
SAME = (4, 8)  # k of k-same-select
MODELS = tuple(maker for maker in MAKERS if maker.fit == "exact")
RELEASES = (RAW, *(f"k-same-select, k = {k}" for k in SAME), *(maker.name for maker in MODELS))
HALVES_ONE, HALVES = "halves, one release", "halves, real rows known"
RECORDINGS_ONE, RECORDINGS = "recordings, one release", "recordings, real rows known"
PERSON = (HALVES_ONE, HALVES, RECORDINGS_ONE, RECORDINGS)
TASK_ONE, TASK = "task, one release", "task, tested on real rows"
AS_THEY_ARE, STRAYED = "as they are", "own mean off"

Told = dict[str, dict[str, float]]  # by classifier: shares of windows and by vote, whether anything was found


@dataclass(frozen=True)
class Cell:
    """One question to one release.

    Attributes:
        question: one of `PERSON`, `TASK_ONE`, `TASK`.
        release: one of `RELEASES`.
        features: `AS_THEY_ARE`, or `STRAYED`: each person's own mean taken off.
        number: of the draw; of `TASK`, the person who is left out.
    """

    question: str
    release: str
    features: str = AS_THEY_ARE
    number: int = 0


@dataclass(frozen=True)
class Data:
    """The rows: all people's windows under all conditions.

    Attributes:
        rows: every so many windows.
        gap: how many of them to leave out so that no two overlap.
        left_out: the people whose task is to be told, each by itself.
    """

    rows: Windows
    gap: int
    left_out: tuple[int, ...]


def cells(left_out: Sequence[int], draws: int) -> list[Cell]:
    """Return everything that is asked."""
    asked = [Cell(q, r, number=d) for q in PERSON for r in RELEASES for d in range(draws)]
    for features in (AS_THEY_ARE, STRAYED):
        for release in RELEASES:
            asked += [Cell(TASK, release, features, person) for person in left_out]
            asked.append(Cell(TASK_ONE, release, features))
    return asked


def answers(
    data: Data, asked: Sequence[Cell], kept: Kept, *, jobs: int | None = None
) -> tuple[dict[Cell, Told], int]:
    """Return the answers of all cells, and how many were there before; what is computed is kept at once."""
    found = {cell: told for cell in asked if (told := kept.get(asdict(cell))) is not None}
    before, left = len(found), [cell for cell in asked if cell not in found]
    tasks = (delayed(answer)(data, cell) for cell in left)
    for cell, told in zip(left, in_parallel(tasks, len(left), "cells", jobs), strict=True):
        kept.put(asdict(cell), told)
        found[cell] = told
    return found, before


def answer(data: Data, cell: Cell) -> Told:
    """Return what classifiers tell: the same for the same cell, whoever works on it and when."""
    random = SecureRandom.for_tests(SEED).spawn("davidjohn2022")
    seed = seed_of(random, *map(str, asdict(cell).values())) % 2**31
    noise = random.spawn(cell.release, cell.features, str(cell.number))
    if cell.question in PERSON:
        known, given = sides(data, cell, noise)
        results = identifications(known, given, seed=seed)
        return {
            name: {
                "windows": one.further["windows"].value,
                "vote": one.main.value,
                "found": float(one.verdict is AttackVerdict.SIGNIFICANT),
            }
            for name, one in zip(CLASSIFIERS, results, strict=True)
        }
    folds = task_folds(data, cell, noise)
    told = {}
    for name in CLASSIFIERS:
        shares = [_task_of(known, asked, name, seed) for known, asked in folds]
        told[name] = {
            "windows": float(np.mean([share.windows for share in shares])),
            "vote": float(np.mean([share.voted for share in shares])),
        }
    return told


def sides(data: Data, cell: Cell, random: SecureRandom) -> tuple[Windows, Windows]:
    """Return what someone knows, with names, and the rows that they are to name. No recording, or half of one, is on both sides."""
    release, rows = releases(BOUNDS)[cell.release], data.rows
    fitted, tested = ([CONDITIONS.index(name) for name in names] for names in (FITTED, TESTED))
    if cell.question == RECORDINGS:
        known, given = rows.of_recordings(fitted), release(rows.of_recordings(tested), random)
    elif cell.question == RECORDINGS_ONE:
        made = release(rows, random)
        known, given = made.of_recordings(fitted), made.of_recordings(tested)
    elif cell.question == HALVES:
        known, rest = rows.halves(data.gap)
        given = release(rest, random)
    else:
        known, given = release(rows, random).halves()
    given = given.of_people(known.names)  # of a few seeded records, some people have none to be known by
    # Halves are recordings of their own; and a smoothed model draws a rare record of a condition that no one had.
    return known, replace(given, recordings=given.recordings + len(CONDITIONS))


def task_folds(data: Data, cell: Cell, random: SecureRandom) -> list[tuple[Windows, Windows]]:
    """Return pairs of rows to train on and rows to test on; whom the second are of, the first are not, by name.

    In one release copies and models hold everyone all the same. Tested on real rows, nothing was made of the person's.
    """
    strayed = cell.features == STRAYED
    rows = without_means(data.rows) if strayed else data.rows
    release = releases(STRAYING if strayed else BOUNDS)[cell.release]
    if cell.question == TASK:
        out = rows.people == cell.number
        return [(release(rows.where(~out), random), rows.where(out))]
    made = release(rows, random)
    there = np.intersect1d(data.left_out, made.names)  # of a few seeded records, not everyone has one
    return [(made.where(made.people != name), made.of_people([name])) for name in there]


def releases(limits: Limits) -> dict[str, Release]:
    """Return the mechanisms, from rows to as many rows, each with the person of its seed; features lie within public limits."""
    copied = (partial(k_same, k) for k in SAME)
    drawn = (partial(_records, maker, limits) for maker in MODELS)
    return dict(zip(RELEASES, (as_it_is, *copied, *drawn), strict=True))


def _records(maker: Maker, limits: Limits, rows: Windows, random: SecureRandom) -> Windows:
    made = replace(maker, records=len(rows.people))(rows, random, limits)
    return made if made.people[0] != NO_ONE else named_by_lot(made, rows, random.spawn("names"))


def named_by_lot(made: Windows, rows: Windows, random: SecureRandom) -> Windows:
    """Return records that no seed has a part in, each with the person of a row drawn by lot, of its condition if there is one: a seed in name alone."""
    people = np.empty_like(made.people)
    for condition in np.unique(made.recordings):
        here = made.recordings == condition
        owners = rows.people[rows.recordings == condition]
        owners = owners if owners.size else rows.people
        people[here] = owners[random.integers(len(owners), int(here.sum()))]
    return replace(made, people=people)


def _task_of(known: Windows, asked: Windows, classifier: str, seed: int) -> Accuracy:
    return split_accuracy(
        (known.values, known.recordings),
        (asked.values, asked.recordings),
        asked.units().unit,
        classifier=classifier,
        seed=seed,
    )
