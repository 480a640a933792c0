"""Rows of features, whose they are, and from which recording."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Labels = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Windows:
    """Windows of features, or whatever else a row describes.

    Raises:
        ValueError: shapes differ, there is no row, or a value is not a finite number.
    """

    values: Numbers  # finite numbers, shape (N, F)
    # whose each row is, shape (N,); of a released row, whose data it was made from: the attacker does not
    # know it, it is only for scoring
    people: Labels
    recordings: Labels  # from which recording each row is, shape (N,)

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or not self.values.size:
            raise ValueError(f"Expected rows of features, found an array of shape {self.values.shape}")
        if not self.people.shape == self.recordings.shape == (len(self.values),):
            raise ValueError(
                f"Expected a person and a recording for each of {len(self.values)} rows, found shapes "
                f"{self.people.shape} and {self.recordings.shape}"
            )
        if not all(np.issubdtype(a.dtype, np.integer) for a in (self.people, self.recordings)):
            raise ValueError("Expected people and recordings as whole numbers")
        if not np.isfinite(self.values).all():
            raise ValueError("Expected finite numbers: leave out rows with a missing value, or fill it")

    @property
    def names(self) -> Labels:
        """The people, each once, in increasing order: the order of every result that has an entry for each."""
        return np.unique(self.people)

    def where(self, chosen: Flags) -> Windows:
        """Return some rows."""
        return Windows(self.values[chosen], self.people[chosen], self.recordings[chosen])

    def of_people(self, people: Iterable[int]) -> Windows:
        """Return the rows of some people."""
        return self.where(np.isin(self.people, list(people)))

    def of_recordings(self, recordings: Iterable[int]) -> Windows:
        """Return the rows of some recordings."""
        return self.where(np.isin(self.recordings, list(recordings)))

    def thinned(self, every: int) -> Windows:
        """Return the first, and from there every so many-th row of each person's each recording, in their order.

        Windows that overlap say nearly the same; they are not separate observations.
        """
        if every < 1:
            raise ValueError(f"Expected every >= 1, found every={every}")
        return self.where(self._places()[0] % every == 0)

    def halves(self, gap: int = 0) -> tuple[Windows, Windows]:
        """Return the first and the second half of each person's each recording, in their order; a middle row is of the first.

        Args:
            gap: so many rows after the middle are left out: windows that overlap would be in both halves.

        Raises:
            ValueError: gap < 0, or nothing is left of the second halves.
        """
        if gap < 0:
            raise ValueError(f"Expected gap >= 0, found gap={gap}")
        place, count = self._places()
        return self.where(2 * place < count), self.where(2 * (place - gap) >= count)

    def _places(self) -> tuple[Labels, Labels]:
        """Number of each row within its person's recording, and how many that has."""
        place, count = np.empty_like(self.people), np.empty_like(self.people)
        for rows in self.units().rows:
            place[rows], count[rows] = np.arange(rows.size), rows.size
        return place, count

    def units(self) -> Units:
        """Return what votes together: each person's each recording."""
        pairs = np.stack([self.people, self.recordings], axis=1)
        names, unit = np.unique(pairs, axis=0, return_inverse=True)
        return Units(unit.reshape(-1).astype(np.int64), names[:, 0].astype(np.int64))


@dataclass(frozen=True)
class Units:
    """Rows by person and recording."""

    unit: Labels  # number of the unit of each row, 0, 1, …, shape (N,)
    people: Labels  # whose each unit is, shape (U,)

    @property
    def rows(self) -> list[Labels]:
        """The rows of each unit, in their order."""
        order = np.argsort(self.unit, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.unit))[:-1])


def share_by_person(values: Numbers, people: Labels) -> Numbers:
    """Return the mean of the values of each person, in the order of `np.unique(people)`: however many rows, one number each."""
    _, person = np.unique(people, return_inverse=True)
    means: Numbers = np.bincount(person, weights=values) / np.bincount(person)
    return means
