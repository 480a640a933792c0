"""Synthetic people as a mechanism: with few features, and made of people that tests make."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from noisy_rounds import Sums, exact_sums
from variants.features import FeaturesVariant
from variants.people import BUDGET, Person

from synthrelease.dp.budget import GAUSSIAN, Budget
from synthrelease.dp.event import Event
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.contributions import Rows
from synthrelease.kinds.parameters import Feature
from synthrelease.kinds.people.design import design_for
from synthrelease.kinds.people.form import PeopleForm
from synthrelease.kinds.people.mechanism import SyntheticPeople
from synthrelease.kinds.people.public import BINS, COARSE, COSINES, DEPENDENCE, FINE, PeopleParameters

ROUNDS = (COARSE, FINE, DEPENDENCE)
PEOPLE, FEATURES, RECORDINGS, WINDOWS = 40, 3, 2, 6
MADE = FeaturesVariant("people", GAUSSIAN, None, features=FEATURES, recordings=RECORDINGS)


@cache
def mechanism() -> SyntheticPeople:
    """Return one of `PEOPLE` people, of whom those that are not there have no windows."""
    features = tuple(
        Feature(f"feature {f}", float(low), float(high)) for f, (low, high) in enumerate(MADE.limits)
    )
    form = PeopleForm(FEATURES, RECORDINGS, COSINES, BINS)
    parameters = PeopleParameters(
        name="rounds",
        people=PEOPLE,
        names="listed",
        features=features,
        lattice=(None, None, (features[2].high - features[2].low) / 4),
        recordings=tuple(f"recording {r}" for r in range(RECORDINGS)),
        windows=WINDOWS,
        max_windows=2 * WINDOWS,
        synthetic_people=10,
        sampling_seed=0,
        design=design_for(form, windows=WINDOWS, people=PEOPLE, mu=1.0),
    )
    return SyntheticPeople(parameters=parameters, neighbours=Neighbours.REPLACE_ONE, noise=GAUSSIAN)


def event(budget: Budget = BUDGET) -> Event:
    """Return what a budget buys."""
    return mechanism().calibrate(budget)


def collected(people: Sequence[Person], order: int | None = None) -> Rows:
    """Return what people contribute; their rows block by block, or shuffled."""
    return mechanism().collect(MADE.data(people, order))


def exact(rows: Rows, released: Sums, budget: Budget = BUDGET) -> Sums:
    """Return exact sums of the three rounds, if the rounds before released what they are said to."""
    return exact_sums(mechanism(), rows, released, budget)


@cache
def before(forced: str) -> Sums:
    """Return what the first two rounds released: of uniform marginals, or what noise alone looks like."""
    random = np.random.default_rng(5)
    form = mechanism().parameters.form
    scale = 0.0 if forced == "uniform" else 2e6
    shape = (form.features, form.cosines)
    return {path: np.rint(scale * random.normal(size=shape)).astype(np.int64) for path in (COARSE, FINE)}


def adversaries() -> list[Person]:
    """Return people whose sums are far apart: also people whose values are far from the middle in one feature only, and who change between recordings."""
    t = np.arange(WINDOWS)
    made = MADE.made_adversaries()
    for u in (-1.0, 1.0):
        for f in range(FEATURES):
            series = np.zeros((WINDOWS, FEATURES))
            series[:, f] = u
            made.append(MADE.person(series, f"{u} in feature {f}"))
        there = MADE.person(np.full(WINDOWS, u), "", [0]).rows
        back = MADE.person(np.full(WINDOWS, -u), "", [1]).rows
        made.append(Person(np.concatenate([there, back]), name=f"{u} and back"))
        made.append(MADE.person(u * np.cos(np.pi * t), f"{u} turning"))
    return made
