"""Synthetic people against populations that are known, and against real people: the tables of docs/evidence/people.md.

A population can be drawn from without end, so that errors are against 4000 of its people. A, C: smoothed bootstrap of the 24 people of `ier2023_vr_pupil`, and of 12 of
them (`_pupil_people.py`). B: three kinds of people, heavy tails, discrete features (`_kinds_of_people.py`). D, E: of which no tuning knows (`_unseen_populations.py`). F: smoothed
bootstrap of people of `osie_mouse` (`_mouse_people.py`). Every row is the mean of `REPEATS` releases, each of other people.

`lost`: what the model does not have, and the features that it shows worst. `real`: releases from the real people of `osie_mouse` themselves, against themselves. `models`: mixed models of real people and of synthetic ones, side by side; needs the extra `study`. `draws`: how often
intervals from posterior draws hold what they should.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np

from studies import _posterior_draws as posterior_draws
from studies._mixed_models import Estimates, estimates
from studies._mouse_people import POINTING, pointers
from studies._people import People, Population, Public
from studies._people_metrics import MEASURES, UNMODELLED, by_feature, compared, summary, unmodelled
from studies._populations import DELTA, POPULATIONS, ManyPeople, mechanism_of, released
from studies._pupil_people import Piloted
from synthrelease.dp.budget import Budget
from synthrelease.errors import PolicyError
from synthrelease.evaluation.metrics.people import PeopleSummary

REPEATS, TRUTH, DRAWN = 4, 4000, 1000
COVERED, MANY = 24, 6000  # releases, and people in whom contrasts are known
SIZES, EPSILONS = (100, 500, 2000), (1.0, 3.0)
LOST, REAL, MODELS, DRAWS = "lost", "real", "models", "draws"
_DRAWS, _DRAWN_OF, _DRAWN_SIZES, _DRAWN_EPSILON, _DRAWN_RELEASES = 20, "ABDEF", (500, 2000), 3.0, 6
_MODELLED, _MODELLED_EPSILON = 500, 3.0
_LOST_OF, _LOST_PEOPLE, _LOST_EPSILON = "ABDEF", 2000, 3.0


def run(data: Path, only: Sequence[str] = ()) -> None:
    """Print the tables.

    Args:
        data: the folder of all data sets.
        only: which: names of populations, `lost`, `real`, `models`, `draws`; all of them if there are none.
    """
    parts = [*POPULATIONS, LOST, REAL, MODELS, DRAWS]
    unknown = set(only) - set(parts)
    if unknown:
        sys.exit(f"no table {', '.join(sorted(unknown))}: choose from {', '.join(parts)}")
    chosen = [part for part in parts if part in only or not only]
    if set(chosen) & set(POPULATIONS):
        print("| people | n, ε | " + " | ".join(MEASURES) + " | coverage | seconds |")
        print("|---|---|" + "---|" * (len(MEASURES) + 2))
    for name in chosen:
        if name in POPULATIONS:
            _population(name, POPULATIONS[name](data))
    if LOST in chosen:
        _lost(data)
    if REAL in chosen:
        _real(pointers(data))
    if MODELS in chosen:
        population = POPULATIONS["A"](data)
        _models(f"{_MODELLED} people of A", population.draw(_MODELLED, 1000), population)
        _models("the real people of `osie_mouse`", pointers(data), POINTING)
    if DRAWS in chosen:
        _draws(data)


def _population(name: str, population: Population) -> None:
    """Of a population: releases, what is expected of them, and half of the people."""
    truth = summary(population.draw(TRUTH, 1), population)
    for people, epsilon in itertools.product(SIZES, EPSILONS):
        what = f"{people}, {epsilon:g}"
        try:
            _print(name, f"{what}, expected", [_expected(population, people, epsilon)])
        except PolicyError as refusal:
            print(f"| {name} | {what} | refused: {refusal.code} |" + " |" * (len(MEASURES) + 1), flush=True)
            continue
        _print(name, what, list(_releases(population, truth, people, epsilon)))
    for people in SIZES:
        rows = [_half(population, truth, people, repeat) for repeat in range(REPEATS)]
        _print(name, f"{people}, half of the people", rows)
    if isinstance(population, Piloted):
        errors = compared(summary(population.pilot_people, population), truth)
        _print(name, "pilot itself", [[*errors, np.nan, np.nan]])


def _releases(
    population: Population, truth: PeopleSummary, people: int, epsilon: float
) -> Iterator[list[float]]:
    coverage = _coverage(population, people, epsilon)
    for repeat in range(REPEATS):
        sample = population.draw(people, 1000 + repeat)
        start = perf_counter()
        release = released(population, sample, epsilon=epsilon, seed=repeat, drawn=DRAWN)
        seconds = perf_counter() - start
        errors = compared(summary(release.people, population), truth)
        yield [*errors, coverage, seconds]


def _coverage(population: Population, people: int, epsilon: float) -> float:
    """How many intervals hold the contrasts, of more releases than the errors above: those of one release are right or wrong together."""
    p = mechanism_of(population, people, epsilon=epsilon, seed=0, drawn=1).parameters
    many = ManyPeople(population, p, people=MANY, seed=1)
    seeds = np.random.SeedSequence([people, round(epsilon)]).generate_state(COVERED)
    held = [
        released(population, population.draw(people, seed), epsilon=epsilon, seed=seed, drawn=1).coverage(
            many
        )
        for seed in map(int, seeds)
    ]
    return float(np.mean(held))


def _expected(population: Public | Population, people: int, epsilon: float) -> list[float]:
    """What `preview` says of so many people; nothing of pairs of features.

    Raises:
        PolicyError: people could not be learnt.
    """
    mechanism = mechanism_of(population, people, epsilon=epsilon, seed=0, drawn=1)
    event = mechanism.calibrate(Budget(epsilon, DELTA))
    errors = {
        one.subject: one.best for one in mechanism.parameters.expected(event, people, mechanism.neighbours)
    }
    named = ("marginal distributions", "", "correlations", "intraclass correlations", "autocorrelations")
    return [*(errors.get(name, np.nan) for name in (*named, "contrasts of recordings")), np.nan, np.nan]


def _half(population: Population, truth: PeopleSummary, people: int, repeat: int) -> list[float]:
    """Bootstrap of so many people from half of them: what sampling alone costs, without protection."""
    random = np.random.default_rng(repeat)
    sample = population.draw(people, 1000 + repeat)
    half = random.permutation(people)[: people // 2]
    errors = compared(summary(sample.some(random.choice(half, people)), population), truth)
    return [*errors, np.nan, np.nan]


def _lost(data: Path) -> None:
    """Of one release of each population: what the model does not have, of people and synthetic ones; and the feature of the largest error."""
    worst = ("tv1", "icc", "lag")
    columns = [name for measure in UNMODELLED for name in (measure, "synthetic")]
    columns += [f"worst {name}" for name in worst]
    print(f"\n| people | {' | '.join(columns)} |\n|---|" + "---|" * len(columns))
    for name in _LOST_OF:
        population = POPULATIONS[name](data)
        people = population.draw(TRUTH, 1)
        sample = population.draw(_LOST_PEOPLE, 1000)
        synthetic = released(population, sample, epsilon=_LOST_EPSILON, seed=0, drawn=_LOST_PEOPLE).people
        both = [unmodelled(one, population) for one in (people, synthetic)]
        cells = [f"{number:.2f}" for pair in zip(*both, strict=True) for number in pair]
        missed = by_feature(summary(synthetic, population), summary(people, population))
        for measure in worst:
            errors = missed[measure]
            cells.append(f"{errors.max():.2f} ({population.names[errors.argmax()]})")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def _real(people: People) -> None:
    """Releases from the real people against these, and halves of them against each other."""
    count, truth = len(people.values), summary(people, POINTING)
    print(f"\n| {count} real people | " + " | ".join(MEASURES) + " |\n|---|" + "---|" * len(MEASURES))
    for epsilon in EPSILONS:
        try:
            rows = [
                compared(
                    summary(
                        released(POINTING, people, epsilon=epsilon, seed=repeat, drawn=DRAWN).people, POINTING
                    ),
                    truth,
                )
                for repeat in range(REPEATS)
            ]
        except PolicyError as refusal:
            print(f"| ε = {epsilon:g} | refused: {refusal.code} |" + " |" * (len(MEASURES) - 1), flush=True)
            continue
        print(f"| ε = {epsilon:g} | {_means(rows)} |", flush=True)
    halves = []
    for repeat in range(REPEATS):
        order = np.random.default_rng(repeat).permutation(count)
        one, other = (summary(people.some(half), POINTING) for half in np.array_split(order, 2))
        halves.append(compared(one, other))
    print(f"| half of them, against the other half | {_means(halves)} |")


def _draws(data: Path) -> None:
    """Intervals of what an analyst computes: from posterior draws, and as if synthetic people were participants."""
    columns = [*posterior_draws.RESULTS, "means, as participants", "contrasts, as participants"]
    print(f"\n| people | n | {' | '.join(columns)} |\n|---|---|" + "---|" * len(columns))
    for name, people in itertools.product(_DRAWN_OF, _DRAWN_SIZES):
        population = POPULATIONS[name](data)
        truth = posterior_draws.results(population.draw(MANY, 1), population)
        seeds = np.random.SeedSequence([people, len(name)]).generate_state(_DRAWN_RELEASES)
        rows = [
            posterior_draws.coverage(
                released(
                    population, population.draw(people, seed), epsilon=_DRAWN_EPSILON, seed=seed, drawn=people
                ),
                population,
                truth,
                draws=_DRAWS,
            )
            for seed in map(int, seeds)
        ]
        print(f"| {name} | {people} | {_means(rows)} |", flush=True)


def _models(what: str, sample: People, public: Public | Population) -> None:
    """Mixed models of people and of as many synthetic ones."""
    count = len(sample.values)
    release = released(public, sample, epsilon=_MODELLED_EPSILON, seed=0, drawn=count)
    pairs = list(zip(estimates(sample), estimates(release.people), strict=True))
    columns = ("between people", "synthetic", "residual", "synthetic", "effects off by", "claimed error")
    print(f"\n| {what}, ε = {_MODELLED_EPSILON:g} | " + " | ".join(columns) + " |\n|---|" + "---|" * 6)
    for name, (real, synthetic) in zip(public.names, pairs, strict=True):
        cells = [f"{number:.3g}" for number in _compared_models(real, synthetic)]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def _compared_models(real: Estimates, synthetic: Estimates) -> list[float]:
    """Standard deviations in the feature's unit; how far effects are off and the synthetic model's standard errors, root mean squares in standard deviations of real values."""
    unit = np.hypot(real.between, real.residual)
    effects = (
        np.sqrt(np.mean(number**2)) / unit for number in (synthetic.effects - real.effects, synthetic.errors)
    )
    return [real.between, synthetic.between, real.residual, synthetic.residual, *effects]


def _print(population: str, what: str, rows: list[list[float]]) -> None:
    print(f"| {population} | {what} | {_means(rows)} |", flush=True)


def _means(rows: list[list[float]]) -> str:
    return " | ".join("" if np.isnan(mean) else f"{mean:.3f}" for mean in np.mean(rows, axis=0))
