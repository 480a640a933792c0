"""What people contribute before any noise: exact integers of some of them, which join those of the others.

In whatever parts they are collected, and in whatever order joined, the whole is the same integers: so workers may collect them, and
one process draws noise on the whole. It is private until then. No mathematics but sums.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.noise.entropy import SecureRandom

Integers = NDArray[np.int64]


class Contribution(Protocol):
    """What some people contribute to an output."""

    def joined(self, other: Self) -> Self:
        """Return that of both; neither is to be used afterwards."""
        ...

    def numbered(self, numbers: Integers) -> Self:
        """Return the same where person i is person `numbers[i]` of all; whole numbers, shape (people,)."""
        ...


@dataclass(frozen=True)
class Sums:
    """Integers that add up over people."""

    arrays: Mapping[str, Integers]  # by name, of one shape for any people

    def __getitem__(self, name: str) -> Integers:
        """Return the sum of a name."""
        return self.arrays[name]

    def joined(self, other: Sums) -> Sums:
        """Return the sums over both, in this one's memory if that may be written: what came over a network may not."""
        return Sums(
            {
                name: np.add(array, other.arrays[name], out=array if array.flags.writeable else None)
                for name, array in self.arrays.items()
            }
        )

    def numbered(self, numbers: Integers) -> Sums:  # noqa: ARG002  sums have no people
        """Return itself."""
        return self


@dataclass(frozen=True)
class Tally:
    """Integers that add up over people, most of which are 0."""

    key: Integers  # which integers are not 0, increasing, shape (N,)
    number: Integers  # what they are, shape (N,)

    @classmethod
    def of(cls, key: Integers, number: Integers) -> Tally:
        """Return the sums of numbers with equal keys."""
        keys, place = np.unique(key, return_inverse=True)
        total = np.zeros(keys.size, dtype=np.int64)
        np.add.at(total, place, number)
        return cls(keys, total)

    def joined(self, other: Tally) -> Tally:
        """Return the sums over both; more than these and the result takes memory only as the other does."""
        place = np.searchsorted(self.key, other.key)
        is_new = place == self.key.size
        is_new[~is_new] = self.key[place[~is_new]] != other.key[~is_new]
        number = self.number.copy()
        number[place[~is_new]] += other.number[~is_new]  # no key is there twice
        place = place[is_new]
        return Tally(
            np.insert(self.key, place, other.key[is_new]), np.insert(number, place, other.number[is_new])
        )

    def numbered(self, numbers: Integers) -> Tally:  # noqa: ARG002  sums have no people
        """Return itself."""
        return self


@dataclass(frozen=True)
class PersonRows:
    """One row of numbers of each person, all of one shape, which are released side by side.

    Their order is that of people's labels, and reveals whose a row is: so nothing that releases them can have them but in an order
    drawn at random.
    """

    _rows: Rows

    @classmethod
    def of(cls, rows: NDArray[Any]) -> PersonRows:
        """Return those of people 0, 1, …; shape (people, …)."""
        return cls(Rows(((np.arange(len(rows)), rows),)))

    @property
    def row_bytes(self) -> int:
        """How much memory a person's row takes."""
        return self._rows.row_bytes

    def joined(self, other: PersonRows) -> PersonRows:
        """Return the rows of both."""
        return PersonRows(self._rows.joined(other._rows))

    def numbered(self, numbers: Integers) -> PersonRows:
        """Return the same rows with other numbers of people."""
        return PersonRows(self._rows.numbered(numbers))

    def shuffled(self, random: SecureRandom) -> NDArray[Any]:
        """Return the rows of all people in a random order, shape (people, …)."""
        _, rows = self._rows.whole()
        shuffled: NDArray[Any] = rows[random.permutation(len(rows))]
        return shuffled


def by_label(collected: PersonRows) -> NDArray[Any]:
    """Return the rows of all people in the order of their labels, shape (people, …): only for evaluations, which release nothing."""
    _, rows = collected._rows.whole()  # noqa: SLF001  in the same module, so that no release comes across it
    return rows


@dataclass(frozen=True)
class ContributionParts:
    """What one output takes for several purposes."""

    parts: Mapping[str, Any]  # by name

    def __getitem__(self, name: str) -> Any:
        """Return that of a name."""
        return self.parts[name]

    def joined(self, other: ContributionParts) -> ContributionParts:
        """Return that of both, name by name."""
        return ContributionParts({name: part.joined(other.parts[name]) for name, part in self.parts.items()})

    def numbered(self, numbers: Integers) -> ContributionParts:
        """Return the same where person i is person `numbers[i]` of all; whole numbers, shape (people,)."""
        return ContributionParts({name: part.numbered(numbers) for name, part in self.parts.items()})


@dataclass(frozen=True)
class Rows:
    """Rows that stand side by side, each with whose it is."""

    # of each, the number of every row's person, shape (N,), and the rows, integers in steps or category
    # numbers, shape (N, …)
    blocks: tuple[tuple[Integers, NDArray[Any]], ...]

    @property
    def row_bytes(self) -> int:
        """How much memory a row takes."""
        _, rows = self.blocks[0]
        return rows.itemsize * math.prod(rows.shape[1:])

    def joined(self, other: Rows) -> Rows:
        """Return the rows of both."""
        return Rows((*self.blocks, *other.blocks))

    def numbered(self, numbers: Integers) -> Rows:
        """Return the same rows with other numbers of people."""
        return Rows(tuple((numbers[person], rows) for person, rows in self.blocks))

    def whole(self) -> tuple[Integers, NDArray[Any]]:
        """Return the rows of all people in order of people, those of a person as they came: however they were divided."""
        if len(self.blocks) == 1 and (np.diff(self.blocks[0][0]) >= 0).all():
            return self.blocks[0]
        person = np.concatenate([people for people, _ in self.blocks])
        order = np.argsort(person, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        first = self.blocks[0][1]
        rows = np.empty((order.size, *first.shape[1:]), dtype=first.dtype)
        start = 0
        # One block after the other goes to where it belongs: there may be as many rows as memory holds.
        for _, block in self.blocks:
            rows[place[start : start + len(block)]] = block
            start += len(block)
        return person[order], rows
