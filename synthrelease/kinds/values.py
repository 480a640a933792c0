"""The values of an output: those that were drawn, and what follows from them, item by item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from synthrelease.kinds.dataset import Array, Dataset, Index, Source


class Values:
    """All datasets of an output, made from those that were drawn.

    What a whole dataset is needed for is derived once and kept; everything else when it is asked for, as a bundle stores it.

    Args:
        datasets: of the output, sources before what follows.
        drawn: those that follow from nothing, by path.
    """

    def __init__(self, datasets: Sequence[Dataset], drawn: Mapping[str, Array]) -> None:
        self.datasets = {dataset.path: dataset for dataset in datasets}
        self._known: dict[str, Array] = dict(drawn)
        self._parts: dict[Source, Array] = {}

    def item(self, path: str, index: Index = ()) -> Array:
        """Return an item of a dataset, or some rows of it."""
        dataset = self.datasets[path]
        if path in self._known:
            return self._known[path][index]
        assert dataset.derive is not None
        return dataset.stored(dataset.derive(index, *(self._source(one, index) for one in dataset.sources)))

    def whole(self, path: str) -> Array:
        """Return all items of a dataset."""
        dataset = self.datasets[path]
        if path in self._known:
            return self._known[path]
        return np.array([self.item(path, index) for index in dataset.indices()]).reshape(dataset.shape)

    def items(self, path: str) -> Iterator[tuple[tuple[int, ...], Array]]:
        """Yield every item of a dataset with its index."""
        for index in self.datasets[path].indices():
            yield index, self.item(path, index)

    def arrays(self) -> dict[str, Array]:
        """Return every dataset by its path."""
        return {path: self.whole(path) for path in self.datasets}

    def _source(self, source: Source, index: Index) -> Array:
        if not source.whole:
            return self._kept(source.path)[index]
        if source not in self._parts:
            whole = self._kept(source.path)
            self._parts[source] = whole if source.part is None else source.part(whole)
        return self._parts[source]

    def _kept(self, path: str) -> Array:
        if path not in self._known:
            self._known[path] = self.whole(path)
        return self._known[path]
