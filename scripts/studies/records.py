"""Synthetic records of the IER 2023 pupil features: their utility and what they reveal (docs/evidence/utility.md).

Condition: five tasks, models fitted and tested on different people (6 folds). Person: 24 people, fitted on three conditions,
tested on the real windows of the other two; a synthetic record carries the person of its seed, which only an
attacker who knows the seeds has. Nearest: distance of a synthetic record to the nearest real one, over that of a
real one of another person. Membership: area under the curve of guessing, from the nearest synthetic record, whether
a person was in the data (12 of 24 people, 20 divisions).
"""

from __future__ import annotations

import statistics
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tqdm import tqdm

from studies._ier2023 import FITTED, STRAYING, TESTED, of_conditions, windows, without_means
from studies._makers import EPSILON, MAKERS, NO_ONE, Maker
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.attacks import Windows

EVERY = 4  # windows used, which overlap by 95 %
CROWDS = (200, 1000, 5000, 25000)


def run(data: Path) -> None:
    """Print the tables as Markdown."""
    everything = windows(data)
    raw, straying = (rows.thinned(EVERY) for rows in (everything, without_means(everything)))
    random = SecureRandom.for_tests(2022)
    print("| records | condition: forest | 11-NN | person: forest | 11-NN | pass | DCR | membership |")
    print("|---|---|---|---|---|---|---|---|")
    print(_line("real data", None, raw, straying, random))
    for maker in tqdm(MAKERS):
        print(_line(maker.name, maker, raw, straying, random), flush=True)
    print("| chance | 0.20 | 0.20 | 0.04 | 0.04 | – | – | 0.50 |\n")
    print(f"| DP fit at ε = {EPSILON:g}, participants | " + " | ".join(str(n) for n in CROWDS) + " |")
    print("|---|" + "---|" * len(CROWDS))
    for base in MAKERS[-2:]:
        scores = [
            statistics.mean(_condition(replace(base, people=n), straying, random)) for n in tqdm(CROWDS)
        ]
        print(f"| {base.name} | " + " | ".join(f"{score:.2f}" for score in scores) + " |", flush=True)


def _line(name: str, maker: Maker | None, raw: Windows, straying: Windows, random: SecureRandom) -> str:
    forest, neighbours = _condition(maker, straying, random)
    who = _person(maker, raw, random)
    rate, nearest, membership = _private(maker, raw, random)
    cells = [forest, neighbours, *who, rate, nearest, membership]
    return f"| {name} | " + " | ".join("–" if cell is None else f"{cell:.2f}" for cell in cells) + " |"


def _condition(maker: Maker | None, rows: Windows, random: SecureRandom) -> tuple[float, float]:
    """Accuracy on people that nothing was fitted on."""
    people = np.random.default_rng(1).permutation(rows.names)
    scores = []
    for fold in np.array_split(people, 6):
        held = np.isin(rows.people, fold)
        known = rows.where(~held)
        made = maker(known, random, STRAYING) if maker else known
        scores.append(_scores(made.values, made.recordings, rows.where(held).values, rows.recordings[held]))
    return tuple(np.mean(scores, axis=0))


def _person(maker: Maker | None, rows: Windows, random: SecureRandom) -> tuple[float | None, float | None]:
    """Accuracy of naming the person on the real windows of other conditions."""
    known = of_conditions(rows, FITTED)
    other = of_conditions(rows, TESTED)
    made = maker(known, random) if maker else known
    if made.people[0] == NO_ONE:
        return None, None
    return _scores(made.values, made.people, other.values, other.people)


def _scores(
    values: NDArray[np.float64],
    labels: NDArray[np.int64],
    tested: NDArray[np.float64],
    truth: NDArray[np.int64],
) -> tuple[float, float]:
    forest = RandomForestClassifier(100, min_samples_leaf=3, random_state=0, n_jobs=2)
    nearest = make_pipeline(StandardScaler(), KNeighborsClassifier(11))
    return tuple(float((c.fit(values, labels).predict(tested) == truth).mean()) for c in (forest, nearest))


def _private(maker: Maker | None, rows: Windows, random: SecureRandom) -> tuple[float | None, float, float]:
    """Pass rate, distance ratio, and area under the curve of membership, over 20 divisions of the people."""
    found = []
    people = rows.names
    for division in range(20):
        members = np.random.default_rng(division).permutation(people)[: len(people) // 2]
        inside = np.isin(rows.people, members)
        known = rows.where(inside)
        made, rate = maker.make(known, random) if maker else (known, 0.0)
        scale = StandardScaler().fit(rows.values)
        real, others, synthetic = (
            scale.transform(x) for x in (rows.values[inside], rows.values[~inside], made.values)
        )
        near = NearestNeighbors(n_neighbors=1).fit(real)
        ratio = np.median(near.kneighbors(synthetic)[0]) / np.median(near.kneighbors(others)[0])
        to_synthetic = (
            NearestNeighbors(n_neighbors=1).fit(synthetic).kneighbors(scale.transform(rows.values))[0]
        )
        closeness = [-float(to_synthetic[rows.people == p].mean()) for p in people]
        found.append((rate, float(ratio), float(roc_auc_score(np.isin(people, members), closeness))))
    rate, nearest, membership = np.mean(found, axis=0)
    return rate if maker else None, nearest, membership
