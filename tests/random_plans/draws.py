"""Where a random plan comes from: examples of Hypothesis, which shrink, or a generator, which is fast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from hypothesis import strategies as st

if TYPE_CHECKING:
    from numpy.typing import NDArray

Item = TypeVar("Item")


class Draws(Protocol):
    """Random decisions."""

    def integer(self, low: int, high: int) -> int:
        """Return a whole number from low to high."""
        ...


class OfGenerator:
    """Decisions by a seed."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def integer(self, low: int, high: int) -> int:
        """Return a whole number from low to high."""
        return int(self._generator.integers(low, high + 1))


class OfHypothesis:
    """Decisions of an example."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def integer(self, low: int, high: int) -> int:
        """Return a whole number from low to high."""
        return self._data.draw(st.integers(low, high))


def one_of(draws: Draws, options: Sequence[Item]) -> Item:
    """Return one of some options; the first is the simplest."""
    return options[draws.integer(0, len(options) - 1)]


def happens(draws: Draws, in_so_many: int) -> bool:
    """Return whether something happens that does once in so many times."""
    return draws.integer(0, in_so_many - 1) == in_so_many - 1


def some_of(draws: Draws, options: Sequence[Item], *, least: int = 1) -> list[Item]:
    """Return some options, in their order, at least so many."""
    chosen = [happens(draws, 2) for _ in options]
    while sum(chosen) < least:
        chosen[chosen.index(False)] = True
    return [option for option, taken in zip(options, chosen, strict=True) if taken]


def rough(draws: Draws, count: int) -> NDArray[np.float64]:
    """Return numbers from 0 to 1, shape (count,): one decision for all of them, so that examples stay small."""
    return np.random.default_rng(draws.integer(0, 2**32 - 1)).uniform(size=count)
