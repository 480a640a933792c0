"""People as the tables of rows that other synthesisers read, and their rows as people.

* `one`: a random window of each person;
* `avg`: a person's mean in a random condition;
* `all`: all windows, at ε over the cap of windows: group privacy;
* `flat`: one row of a person's means in every condition.

In all but `flat` the last column is the condition. All values are numbers of the cells of a public grid. A peer's neighbours
differ by one row, which protects less than replacing a person: a favour to it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from studies._populations import Array, People, Population

MODES = ("one", "avg", "all", "flat")
CELLS = 20  # of each feature's range


@dataclass(frozen=True)
class Table:
    """Whole numbers, shape (rows, columns), and how many values each column may have."""

    rows: Array
    sizes: Array


def table_of(people: People, population: Population, mode: str, random: Generator) -> Table:
    """Return the table that a mode makes of people."""
    number, conditions, _, features = people.values.shape
    sizes = np.full(features, CELLS)
    if mode == "flat":
        cells = _cells(np.nanmean(people.values, axis=2), population)
        return Table(cells.reshape(number, -1), np.tile(sizes, conditions))
    if mode == "all":
        _, condition, _ = np.nonzero(people.there)
        values = people.values[people.there]
    elif mode == "one":
        there = people.there.reshape(number, -1)
        chosen = np.array([random.choice(np.flatnonzero(one)) for one in there])
        condition = chosen // people.there.shape[2]
        values = people.values.reshape(number, -1, features)[np.arange(number), chosen]
    elif mode == "avg":
        condition = random.integers(conditions, size=number)
        values = np.nanmean(people.values[np.arange(number), condition], axis=1)
    else:
        raise ValueError(f"Expected one of {MODES}, found {mode}")
    return Table(np.column_stack([_cells(values, population), condition]), np.append(sizes, conditions))


def budget_of(population: Population, mode: str, epsilon: float, delta: float) -> tuple[float, float]:
    """Return the ε and δ of a row, so that those of a person are as given: k rows of (ε/k, δ/(k·e^ε)) make (ε, δ) at most."""
    rows = len(population.conditions) * population.most_windows if mode == "all" else 1
    return (epsilon, delta) if rows == 1 else (epsilon / rows, delta / (rows * math.exp(epsilon)))


def people_of(rows: Array, population: Population, mode: str, number: int, random: Generator) -> People:
    """Return so many people of synthetic rows, uniform within cells.

    A row of `flat` is a person with one window in each condition. Other rows are dealt to people at random, each in its condition;
    a condition without rows gets those of all.
    """
    features, conditions = len(population.names), len(population.conditions)
    if mode == "flat":
        cells = rows[random.integers(len(rows), size=number)].reshape(number, conditions, 1, features)
        return _whole(_values(cells, population, random))
    values = _on_lattice(_values(rows[:, :features], population, random), population)
    people = np.empty((number, conditions, population.windows, features))
    for c in range(conditions):
        here = np.flatnonzero(rows[:, features] == c)
        here = here if len(here) else np.arange(len(rows))
        people[:, c] = values[random.choice(here, size=people.shape[:1] + people.shape[2:3])]
    return _whole(people)


def means_of(people: People) -> People:
    """Return people with one window in each condition: the mean of theirs."""
    return _whole(np.nanmean(people.values, axis=2, keepdims=True))


def _whole(values: Array) -> People:
    return People(values, np.ones(values.shape[:3], dtype=bool))


def _cells(values: Array, population: Population) -> Array:
    place = (values - population.low) / (population.high - population.low)
    return (np.clip(place, 0, 1 - 1e-9) * CELLS).astype(int)


def _values(cells: Array, population: Population, random: Generator) -> Array:
    place = (cells + random.random(cells.shape)) / CELLS
    return np.asarray(population.low + place * (population.high - population.low))


def _on_lattice(values: Array, population: Population) -> Array:
    for f, step in enumerate(population.steps):
        if step is not None:
            nearest = np.round(values[:, f] / step) * step
            values[:, f] = np.clip(nearest, population.low[f], population.high[f])
    return values
