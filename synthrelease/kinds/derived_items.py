"""Items of datasets as they are asked for: several derived at once where that is faster, and they are asked for one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from synthrelease.kinds.dataset import Array, Dataset


class DerivedItems:
    """Derives items of an output's datasets. An item behind the one that was asked for before brings those that are derived with it."""

    def __init__(self) -> None:
        self._before: dict[str, int] = {}  # number of the item that was asked for last, by path
        self._ready: dict[str, dict[Any, Array]] = {}  # those that were not asked for yet

    def of(
        self, dataset: Dataset, index: tuple[Any, ...], sources_at: Callable[[Any], Sequence[Array]]
    ) -> Array:
        """Return the exact values of an item, or of some rows, in the dataset's unit; what `derive` returns.

        Args:
            dataset: that follows from others.
            index: of the item; its rows as a slice, if it is read in parts.
            sources_at: what the sources have at an index: that one, or one of those behind it.
        """
        assert dataset.derive is not None
        if dataset.derive_several is None:
            return dataset.derive(index, *sources_at(index))
        path, number = dataset.path, dataset.number(index)
        ready = self._ready.get(path, {})
        if index not in ready:
            follows = number == self._before.get(path, -2) + 1
            indices = dataset.together_from(index) if follows else [index]
            several = dataset.derive_several(indices, [sources_at(one) for one in indices])
            ready = self._ready[path] = dict(zip(indices, several, strict=True))
        self._before[path] = number
        return ready.pop(index)
