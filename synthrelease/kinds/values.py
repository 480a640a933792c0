"""The values of an output: those that were drawn, and what follows from them, item by item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from synthrelease.dp.event import Event
from synthrelease.kinds.dataset import Array, Dataset, DerivedFrom, in_order
from synthrelease.kinds.derived_items import DerivedItems
from synthrelease.kinds.parameters import Parameters

Place = tuple[int, ...]
MOST_KEPT_BYTES = 1 << 26  # of an output, of what may be asked for again


class Values:
    """All datasets of an output, as a bundle stores them; what follows from others is derived when it is asked for.

    Kept is only what others follow from in their turn, up to `MOST_KEPT_BYTES`: what was asked for last.

    Args:
        parameters: of the output.
        event: what was done.
        drawn: the datasets that follow from nothing, all items of each, by path.
    """

    def __init__(self, parameters: Parameters, event: Event, drawn: Mapping[str, Array]) -> None:
        self.datasets = {dataset.path: dataset for dataset in parameters.datasets(event)}
        self._drawn = drawn
        self._kept: dict[tuple[str, Place], Array] = {}
        self._kept_bytes, self._derived = 0, DerivedItems()
        self._sources = {
            source.path for one in self.datasets.values() for source in one.sources if not source.whole
        }
        self._parts: dict[DerivedFrom, Array] = {}

    def places(self) -> Iterator[tuple[Dataset, Place]]:
        """Yield every item of every dataset, sources before what follows."""
        return in_order(list(self.datasets.values()))

    def item(self, path: str, index: Place) -> Array:
        """Return an item of a dataset; KeyError if there is no such dataset."""
        dataset = self.datasets[path]
        if dataset.derive is None:
            return np.asarray(self._drawn[path][index])
        if (path, index) in self._kept:
            return self._kept[path, index]
        place = (*index, slice(0, None)) if dataset.by_rows else index
        exact = self._derived.of(
            dataset, place, lambda at: [self._source(one, at[: dataset.items]) for one in dataset.sources]
        )
        values = np.asarray(dataset.stored(exact))
        if path in self._sources:
            self._keep(path, index, values)
        return values

    def _keep(self, path: str, index: Place, values: Array) -> None:
        self._kept[path, index] = values
        self._kept_bytes += values.nbytes
        while self._kept_bytes > MOST_KEPT_BYTES and len(self._kept) > 1:
            oldest = next(iter(self._kept))
            self._kept_bytes -= self._kept.pop(oldest).nbytes

    def array(self, path: str) -> Array:
        """Return all items of a dataset, of the dataset's shape."""
        dataset = self.datasets[path]
        if dataset.derive is None:
            return np.asarray(self._drawn[path]).reshape(dataset.shape)
        return np.array([self.item(path, index) for index in dataset.indices()]).reshape(dataset.shape)

    def _source(self, source: DerivedFrom, index: Place) -> Array:
        if source.whole:
            if source not in self._parts:
                whole = self.array(source.path)
                self._parts[source] = whole if source.part is None else source.part(whole)
            return self._parts[source]
        return self.item(source.path, index)

    def __iter__(self) -> Iterator[tuple[Dataset, Place, Array]]:
        for dataset, index in self.places():
            yield dataset, index, self.item(dataset.path, index)
