"""The six blocks of numbers that scanpaths are learnt by: orthonormal functions of public coordinates, and how precisely each is asked for (`scanpaths.proof.md`)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

_SLOWEST = 2.0  # order from which on a function is asked for less precisely
_CIRCLE_ORDER = 1.5  # of a frequency on the circle, as an order of cosines
CLASSES = (1, 2, 3, 4, 6, 9)  # first fixations of the classes of `order`: 1, 2, 3, 4–5, 6–8, 9 and later
_FIXATIONS_PER_SECOND = 3.1  # expected of people: of the public data that the priors are from


@dataclass(frozen=True)
class Cosines:
    """1, √2·cos πu, √2·cos 2πu, …: so many functions of [0, 1]."""

    count: int

    @property
    def orders(self) -> Numbers:
        """How fast each function changes, shape (count,)."""
        return np.arange(self.count, dtype=np.float64)

    def at(self, u: Numbers) -> Numbers:
        """Return the functions at places of [0, 1], dimensionless, shape (places, count)."""
        values = math.sqrt(2) * np.cos(math.pi * np.outer(u, np.arange(self.count)))
        values[:, 0] = 1.0
        return values


@dataclass(frozen=True)
class Circle:
    """1, and √2·cos 2πlu, √2·sin 2πlu of so many frequencies: functions of a circle."""

    frequencies: int

    @property
    def count(self) -> int:
        """How many functions there are."""
        return 1 + 2 * self.frequencies

    @property
    def orders(self) -> Numbers:
        """How fast each function changes, shape (count,)."""
        return np.append(0.0, _CIRCLE_ORDER * np.repeat(np.arange(1.0, self.frequencies + 1), 2))

    def at(self, u: Numbers) -> Numbers:
        """Return the functions at places of [0, 1], dimensionless, shape (places, count)."""
        angle = 2 * math.pi * np.outer(u, np.arange(1, self.frequencies + 1))
        waves = math.sqrt(2) * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        return np.concatenate([np.ones((len(u), 1)), waves.reshape(len(u), -1)], axis=1)


@dataclass(frozen=True)
class Block:
    """Products of functions of one or two coordinates, without the constant."""

    name: str
    coordinates: tuple[str, ...]
    functions: tuple[Cosines | Circle, ...]
    importance: float
    cells: tuple[int, ...]  # of the released density along each coordinate
    classes: int = 1  # that each have the functions

    @property
    def functions_size(self) -> int:
        """How many functions there are without the constant, of each class."""
        return math.prod(one.count for one in self.functions) - 1

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return self.classes * self.functions_size

    @cached_property
    def orders(self) -> Numbers:
        """How fast each function changes, dimensionless, shape (functions,)."""
        squares = np.zeros(())
        for one in self.functions:
            squares = squares[..., None] + one.orders**2
        return np.asarray(np.sqrt(squares).ravel()[1:])

    @property
    def weights(self) -> Numbers:
        """ω: how precisely each number is asked for, relative to the first functions of other blocks, dimensionless, shape (size,)."""
        return np.tile(self.importance / (1 + (self.orders / _SLOWEST) ** 2), self.classes)

    def at_cells(self) -> Numbers:
        """Return the functions at the middles of the density's cells, dimensionless, shape (cells, functions)."""
        table = np.ones((1, 1))
        for one, cells in zip(self.functions, self.cells, strict=True):
            values = one.at((np.arange(cells) + 0.5) / cells)
            table = np.einsum("ij,kl->ikjl", table, values).reshape(len(table) * cells, -1)
        return table[:, 1:]


SACCADES = Block("saccades", ("amplitude", "direction"), (Cosines(9), Circle(4)), 1.0, (24, 16))
TURNS = Block("turns", ("ratio", "turn"), (Cosines(6), Cosines(6)), 0.8, (12, 12))
DURATIONS = Block("durations", ("duration_ms",), (Cosines(12),), 1.0, (60,))
TRIALS = Block("trials", ("rate_per_s", "fixated_share"), (Cosines(8), Cosines(8)), 0.6, (40, 40))
STARTS = Block("starts", ("first_x", "first_y"), (Cosines(5), Cosines(5)), 0.5, (40, 30))
ORDER = Block("order", ("level",), (Cosines(4),), 0.35, (12,), classes=len(CLASSES))
BLOCKS = SACCADES, TURNS, DURATIONS, TRIALS, STARTS, ORDER
SIZE = sum(block.size for block in BLOCKS)


def places() -> dict[str, slice]:
    """Return which of all numbers are each block's."""
    ends = np.cumsum([0, *(block.size for block in BLOCKS)])
    return {block.name: slice(int(a), int(b)) for block, a, b in zip(BLOCKS, ends, ends[1:], strict=False)}


def weights() -> Numbers:
    """Return ω of all numbers, dimensionless, shape (SIZE,)."""
    return np.concatenate([block.weights for block in BLOCKS])


def events_expected(trials: int, seconds: float) -> dict[str, float]:
    """Return how many events of each block are expected of a person.

    Args:
        trials: M, of a person.
        seconds: T, that a stimulus is shown for.
    """
    fixations = max(_FIXATIONS_PER_SECOND * seconds, 3.0)
    each = {"saccades": fixations - 1, "turns": fixations - 2, "durations": fixations}
    return {block.name: trials * max(each.get(block.name, 1.0), 1.0) for block in BLOCKS}


def class_of(ordinal: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the class of fixations, a whole number, by their place in the trial, from 0, of the same shape."""
    return np.searchsorted(np.array(CLASSES[1:]), ordinal + 1, side="right")
