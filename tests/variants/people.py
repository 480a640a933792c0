"""The people that mechanisms are attacked with, and a source of noise that is silent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from synthrelease.data.screen import Screen
from synthrelease.dp.budget import Budget
from synthrelease.dp.guarantee import Neighbours

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Numbers = NDArray[np.float64]
    Arrays = Mapping[tuple[str, ...], NDArray[np.generic]]

REPLACE, ADD_REMOVE = Neighbours.REPLACE_ONE, Neighbours.ADD_REMOVE_ONE
LAPLACE, GAUSSIAN = "laplace", "gaussian"
BUDGET = Budget(1.0, 1e-6)
SCREEN = Screen(50, 40)
ATTAINED = 0.85
MANY = 3000  # rows of a person who has far too many


@dataclass(frozen=True, eq=False)
class Person:
    """All rows of one person.

    Attributes:
        seen: the stimuli they have any row of, usable or not; of no meaning for features.
        rows: (stimulus, x_px, y_px), or (recording, u₁ … u_F) with u = ±1 at a feature's bounds, NaN missing.
    """

    rows: Numbers
    seen: tuple[int, ...] = ()
    name: str = ""


def in_turn(people: Sequence[Person], order: int | None) -> tuple[Integers, Numbers]:
    """Person numbers and rows: block by block, or shuffled without changing any person's own order."""
    number = np.repeat(np.arange(len(people)), [len(p.rows) for p in people])
    rows = np.concatenate([p.rows for p in people])
    if order is None:
        return number, rows
    shuffled = np.random.default_rng(order).permutation(number)
    place = np.empty_like(shuffled)
    place[np.argsort(shuffled, kind="stable")] = np.arange(shuffled.size)
    return shuffled, rows[place]


class Silence:
    """A source of words that all mean "no noise", and of choices that are always the first."""

    def words(self, count: int) -> NDArray[np.uint64]:
        return np.full(count, 2**64 - 1, dtype=np.uint64)

    def integers(self, _bound: int, size: int) -> Integers:
        return np.zeros(size, dtype=np.int64)

    def uniform(self, size: int) -> Numbers:
        return np.zeros(size)

    def permutation(self, count: int) -> Integers:
        return np.arange(count)
