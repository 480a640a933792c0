"""What people contribute before any noise: exact integers of some of them, which join those of the others.

Whoever collects what from whom, in whatever order it is joined, the whole is the same integers: so workers may collect it, and
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


class Collected(Protocol):
    """What one output takes from some people."""

    def joined(self, other: Self) -> Self:
        """Return that of both; neither is to be used afterwards."""
        ...

    def numbered(self, numbers: Integers) -> Self:
        """Return the same where person i is person `numbers[i]` of all; whole numbers, shape (people,)."""
        ...


@dataclass(frozen=True)
class Sums:
    """Integers that add up over people.

    Attributes:
        arrays: by name, of one shape whoever the people are.
    """

    arrays: Mapping[str, Integers]

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

    def numbered(self, numbers: Integers) -> Sums:  # noqa: ARG002  nobody is told apart
        """Return itself."""
        return self


@dataclass(frozen=True)
class Tally:
    """Integers that add up over people, most of which are 0.

    Attributes:
        key: which integers are not 0, increasing, shape (N,).
        number: what they are, shape (N,).
    """

    key: Integers
    number: Integers

    @classmethod
    def of(cls, key: Integers, number: Integers) -> Tally:
        """Return the sums of numbers with equal keys."""
        keys, place = np.unique(key, return_inverse=True)
        total = np.zeros(keys.size, dtype=np.int64)
        np.add.at(total, place, number)
        return cls(keys, total)

    def joined(self, other: Tally) -> Tally:
        """Return the sums over both."""
        return Tally.of(np.append(self.key, other.key), np.append(self.number, other.number))

    def numbered(self, numbers: Integers) -> Tally:  # noqa: ARG002  nobody is told apart
        """Return itself."""
        return self


@dataclass(frozen=True)
class PersonRows:
    """One row of numbers of each person, all of one shape, which are released side by side.

    Their order is that of people's labels, and tells whose a row is: so nothing that releases them can have them but in an order
    drawn by lot.
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
        """Return everybody's rows in an order that is drawn, shape (people, …)."""
        _, rows = self._rows.whole()
        shuffled: NDArray[Any] = rows[random.permutation(len(rows))]
        return shuffled


def by_label(collected: PersonRows) -> NDArray[Any]:
    """Return everybody's rows in the order of people's labels, shape (people, …): for evaluations alone, which release nothing."""
    _, rows = collected._rows.whole()  # noqa: SLF001  beside it, so that no release comes across it
    return rows


@dataclass(frozen=True)
class Several:
    """What one output takes for several purposes.

    Attributes:
        parts: by name.
    """

    parts: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        """Return that of a name."""
        return self.parts[name]

    def joined(self, other: Several) -> Several:
        """Return that of both, name by name."""
        return Several({name: part.joined(other.parts[name]) for name, part in self.parts.items()})

    def numbered(self, numbers: Integers) -> Several:
        """Return the same where person i is person `numbers[i]` of all; whole numbers, shape (people,)."""
        return Several({name: part.numbered(numbers) for name, part in self.parts.items()})


@dataclass(frozen=True)
class Rows:
    """Rows that stand side by side, each with whose it is.

    Attributes:
        blocks: of each, the number of every row's person, shape (N,), and the rows, integers in steps or category numbers, shape (N, …).
    """

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
        """Return everybody's rows in order of people, those of one as they came: however they were divided."""
        if len(self.blocks) == 1 and (np.diff(self.blocks[0][0]) >= 0).all():
            return self.blocks[0]
        person = np.concatenate([own for own, _ in self.blocks])
        order = np.argsort(person, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        first = self.blocks[0][1]
        rows = np.empty((order.size, *first.shape[1:]), dtype=first.dtype)
        begun = 0
        for (
            _,
            own,
        ) in self.blocks:  # one after the other to where they belong: there may be as many as memory holds
            rows[place[begun : begun + len(own)]] = own
            begun += len(own)
        return person[order], rows
