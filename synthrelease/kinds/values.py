"""The values of an output: those that were drawn, and what follows from them, item by item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from synthrelease.dp.event import Event
from synthrelease.kinds.dataset import Array, Dataset, DerivedFrom, in_order
from synthrelease.kinds.parameters import Parameters

Place = tuple[int, ...]


class Values:
    """All datasets of an output, as a bundle stores them; what follows from others is derived when it is asked for.

    Kept is only what others follow from in their turn.

    Args:
        parameters: of the output.
        event: what was done.
        drawn: the datasets that follow from nothing, all items of each, by path.
    """

    def __init__(self, parameters: Parameters, event: Event, drawn: Mapping[str, Array]) -> None:
        self.datasets = {dataset.path: dataset for dataset in parameters.datasets(event)}
        self._drawn = drawn
        self._kept: dict[tuple[str, Place], Array] = {}
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
        sources = [self._source(source, index) for source in dataset.sources]
        place = (*index, slice(0, None)) if dataset.by_rows else index
        return np.asarray(dataset.stored(dataset.derive(place, *sources)))

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
        values = self.item(source.path, index)
        if self.datasets[source.path].derive is not None:
            self._kept[source.path, index] = values
        return values

    def __iter__(self) -> Iterator[tuple[Dataset, Place, Array]]:
        for dataset, index in self.places():
            yield dataset, index, self.item(dataset.path, index)
