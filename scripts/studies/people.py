"""Synthetic people against populations that are known: the tables of docs/evidence/people.md.

A population can be drawn from without end, so that errors are against 4000 of its people. A: smoothed bootstrap of the 24 people of
`ier2023_vr_pupil` (`_populations.py`). B: three kinds of people, heavy tails, discrete features. Every row is the mean of `REPEATS` releases, each of other people.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import numpy as np

from studies._populations import DELTA, People, Population, mechanism_of, populations, released
from synthrelease.dp.budget import Budget
from synthrelease.evaluation.metrics.people import PeopleErrors, PeopleRows, PeopleSummary, errors, summary

MEASURES = ("tv1", "tv2", "cor", "icc", "lag", "con")
REPEATS, TRUTH, DRAWN = 4, 4000, 1000
SIZES, EPSILONS = (100, 500, 2000), (1.0, 3.0)


def run(data: Path) -> None:
    """Print the table: of each population no data, releases, and half of the people."""
    print("| people | n, ε | " + " | ".join(MEASURES) + " | coverage | seconds |")
    print("|---|---|" + "---|" * (len(MEASURES) + 2))
    for name, population in populations(data / "ier2023_vr_pupil").items():
        truth = _summary(population.draw(TRUTH, 1), population)
        for people, epsilon in itertools.product(SIZES, EPSILONS):
            rows = list(_releases(population, truth, people, epsilon))
            _print(name, f"{people}, {epsilon:g}", rows)
            _print(name, f"{people}, {epsilon:g}, expected", [_expected(population, people, epsilon)])
        for people in SIZES:
            rows = [_half(population, truth, people, repeat) for repeat in range(REPEATS)]
            _print(name, f"{people}, half of the people", rows)


def _releases(
    population: Population, truth: PeopleSummary, people: int, epsilon: float
) -> Iterator[list[float]]:
    for repeat in range(REPEATS):
        sample = population.draw(people, 1000 + repeat)
        start = perf_counter()
        release = released(population, sample, epsilon=epsilon, seed=repeat, drawn=DRAWN)
        seconds = perf_counter() - start
        missed = _missed(errors(_summary(release.people, population), truth))
        yield [*missed, release.coverage(population), seconds]


def _expected(population: Population, people: int, epsilon: float) -> list[float]:
    """What `preview` says of so many people; nothing of pairs of features."""
    mechanism = mechanism_of(population, people, epsilon=epsilon, seed=0, drawn=1)
    event = mechanism.calibrate(Budget(epsilon, DELTA))
    best = {
        one.subject: one.best for one in mechanism.parameters.expected(event, people, mechanism.neighbours)
    }
    named = ("marginal distributions", "", "correlations", "intraclass correlations", "autocorrelations")
    return [*(best.get(name, np.nan) for name in (*named, "contrasts of recordings")), np.nan, np.nan]


def _half(population: Population, truth: PeopleSummary, people: int, repeat: int) -> list[float]:
    """Bootstrap of so many people from half of them: what sampling alone costs, without protection."""
    random = np.random.default_rng(repeat)
    sample = population.draw(people, 1000 + repeat)
    half = random.permutation(people)[: people // 2]
    drawn = sample.some(random.choice(half, people))
    return [*_missed(errors(_summary(drawn, population), truth)), np.nan, np.nan]


def _summary(people: People, population: Population) -> PeopleSummary:
    person, condition, _ = np.nonzero(people.there)
    places = (people.values[people.there] - population.low) / (population.high - population.low)
    return summary(PeopleRows(np.clip(places, 0, 1), person, condition, people.there.shape[1]))


def _missed(by_feature: PeopleErrors) -> list[float]:
    """Means over features, of correlations and contrasts roots of mean squares: as `MEASURES`."""
    roots = {name: np.sqrt(np.mean(getattr(by_feature, name) ** 2)) for name in ("correlation", "contrasts")}
    return [roots.get(name, values.mean()) for name, values in by_feature._asdict().items()]


def _print(population: str, what: str, rows: list[list[float]]) -> None:
    means = ("" if np.isnan(mean) else f"{mean:.3f}" for mean in np.mean(rows, axis=0))
    print(f"| {population} | {what} | " + " | ".join(means) + " |", flush=True)
