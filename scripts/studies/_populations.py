"""Populations of people that are known, and what is released of some of them: what synthetic people are compared with. Nothing here is private."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from studies._kinds_of_people import Mixed
from studies._mouse_people import pointing
from studies._people import Array, People, Population
from studies._pupil_people import PUPIL, Piloted, measured
from studies._smoothed_people import Smoothed
from studies._unseen_populations import Readers, Searchers
from synthrelease.data.features import FeatureData
from synthrelease.dp.budget import GAUSSIAN, Budget
from synthrelease.dp.event import Event
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.noise import SecureRandom
from synthrelease.kinds.parameters import Feature, deviation_of
from synthrelease.kinds.people.design import design_for
from synthrelease.kinds.people.form import SCORE_STEPS, PeopleForm
from synthrelease.kinds.people.mechanism import SyntheticPeople
from synthrelease.kinds.people.model import ReleasedPopulation, released_model
from synthrelease.kinds.people.pilot import Pilot, pilot_of
from synthrelease.kinds.people.public import BINS, COSINES, PEOPLE, PeopleParameters
from synthrelease.kinds.people.scores import Scale
from synthrelease.kinds.people.vectors import MISSING, Windows
from synthrelease.kinds.values import Values

DELTA = 1e-5
POPULATIONS: dict[str, Callable[[Path], Population]] = {
    "A": lambda folder: Smoothed(measured(folder), PUPIL),
    "B": lambda _folder: Mixed(),
    "C": lambda folder: Piloted(measured(folder)),
    "D": lambda _folder: Readers(),
    "E": lambda _folder: Searchers(),
    "F": pointing,
}
"""By name, from the folder of all data sets."""


@dataclass(frozen=True)
class Released:
    """What was released of some people."""

    values: Values
    parameters: PeopleParameters
    event: Event
    density: Array

    @property
    def people(self) -> People:
        """The synthetic ones."""
        values = self.values.array(PEOPLE).astype(float)
        return People(values, np.ones(values.shape[:3], dtype=bool))

    @property
    def model(self) -> ReleasedPopulation:
        """What anyone may draw more from."""
        paths = (*self.parameters.population_paths, *self.parameters.sum_paths)
        return released_model(self.parameters, self.event, {path: self.values.array(path) for path in paths})

    def coverage(self, many: ManyPeople) -> float:
        """Return the share of intervals of contrasts that hold those of many people of the population, by the released scores."""
        truth = many.contrasts(self.parameters, self.density)
        interval = self.values.array("contrasts/interval")
        return float(((interval[..., 0] <= truth) & (truth <= interval[..., 1])).mean())


class ManyPeople:
    """People of a population in whom its contrasts are known: levels of their values are found once."""

    def __init__(self, population: Population, p: PeopleParameters, *, people: int, seed: int) -> None:
        many = population.draw(people, seed)
        self._there = many.there
        rows = many.values[many.there]
        self._levels = np.stack([scale.levels(rows[:, f]) for f, scale in enumerate(p.scales)], axis=1)

    def contrasts(self, p: PeopleParameters, density: Array) -> Array:
        """Return their mean differences from the first condition in released scores, shape (C − 1, F): a person's means about their own mean."""
        people, conditions, _ = self._there.shape
        person, condition, _ = np.nonzero(self._there)
        place, levels = person * conditions + condition, np.empty((conditions, len(p.scales)))
        for f, scale in enumerate(p.scales):
            level = self._levels[:, f]
            present = level != MISSING
            scores = scale.score_table(density[f])[level[present]]
            size = people * conditions
            number, total = (
                np.bincount(place[present], weight, size).reshape(people, conditions)
                for weight in (None, scores)
            )
            mean = total.sum(axis=1) / np.maximum(number.sum(axis=1), 1)
            about = np.where(number > 0, total / np.maximum(number, 1) - mean[:, None], 0)
            levels[:, f] = about.mean(axis=0) / SCORE_STEPS
        return np.asarray(levels[1:] - levels[0])


def mechanism_of(
    population: Population, people: int, *, epsilon: float, seed: int, drawn: int
) -> SyntheticPeople:
    """Return the mechanism for so many people of a population."""
    features = tuple(
        Feature(name, float(low), float(high))
        for name, low, high in zip(population.names, population.low, population.high, strict=True)
    )
    form = PeopleForm(len(features), len(population.conditions), COSINES, BINS)
    pilot = _pilot(population, form, features) if isinstance(population, Piloted) else None
    parameters = PeopleParameters(
        name="rounds",
        people=people,
        names="listed",
        features=features,
        lattice=population.steps,
        recordings=population.conditions,
        windows=population.windows,
        max_windows=population.most_windows,
        synthetic_people=drawn,
        sampling_seed=seed,
        design=design_for(form, windows=population.windows, people=people, mu=1.0, pilot=pilot),
        pilot=pilot,
    )
    mechanism = SyntheticPeople(parameters=parameters, neighbours=Neighbours.REPLACE_ONE, noise=GAUSSIAN)
    return mechanism.for_budget(Budget(epsilon, DELTA))


def _pilot(population: Piloted, form: PeopleForm, features: tuple[Feature, ...]) -> Pilot:
    """The population's pilot, which is no file here."""
    people = population.pilot_people
    scales = [Scale.of(feature, step) for feature, step in zip(features, population.steps, strict=True)]
    person, condition, _ = np.nonzero(people.there)
    rows = people.values[people.there]
    levels = np.stack([scale.levels(rows[:, f]) for f, scale in enumerate(scales)], axis=1)
    return pilot_of(Windows(person, condition, len(people.there)), levels, form, scales, sha256="0" * 64)


def released(population: Population, sample: People, *, epsilon: float, seed: int, drawn: int) -> Released:
    """Return a release of some people of a population, with noise of a seed."""
    people = len(sample.values)
    mechanism = mechanism_of(population, people, epsilon=epsilon, seed=seed, drawn=drawn)
    rows = sample.there
    person, condition, _ = np.nonzero(rows)
    bounds = np.stack([population.low, population.high], axis=1)
    data = FeatureData(
        population.names, bounds, population.conditions, people, person, condition, sample.values[rows]
    )
    release = mechanism.draw(mechanism.collect(data), Budget(epsilon, DELTA), SecureRandom.for_tests(seed))
    p: Any = release.parameters
    density = p.rounds(deviation_of(release.event)).marginals(
        release.arrays["noisy/coarse"], release.arrays["noisy/fine"]
    )
    return Released(Values(p, release.event, release.arrays), p, release.event, density.density)
