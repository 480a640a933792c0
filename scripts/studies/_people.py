"""People with windows of features, and what is public of them: the nouns of the studies of synthetic people. Nothing here is private."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import polars as pl

Array = np.ndarray


@dataclass(frozen=True)
class People:
    """Values, shape (people, conditions, windows, features), NaN where there is none; and where there is a window."""

    values: Array
    there: Array

    def some(self, numbers: Array) -> People:
        """Return some of them, perhaps more than once."""
        return People(self.values[numbers], self.there[numbers])


@dataclass(eq=False)
class Public:
    """What is public of people, from what can be and not from the data."""

    names: tuple[str, ...]
    conditions: tuple[str, ...]
    low: Array
    high: Array
    steps: tuple[float | None, ...]
    windows: int  # nominally, of a condition
    most_windows: int

    def table(self, people: People) -> pl.DataFrame:
        """Return people as rows: person, recording, window, and the features."""
        person, condition, window = np.nonzero(people.there)
        labels = {"person": person, "recording": np.array(self.conditions)[condition], "window": window}
        values = people.values[people.there].T
        return pl.DataFrame(labels | dict(zip(self.names, values, strict=True)), nan_to_null=True)


class Population(Protocol):
    """People without end, and what is public of them (`Public`)."""

    names: tuple[str, ...]
    conditions: tuple[str, ...]
    low: Array
    high: Array
    steps: tuple[float | None, ...]
    windows: int
    most_windows: int

    def draw(self, people: int, seed: int) -> People:
        """Return so many of them."""
        ...
