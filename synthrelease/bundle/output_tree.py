"""An output of an open bundle as nested mappings: by datasets, by parts of their paths, and by the labels of items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from synthrelease.bundle.lazy_dataset import LazyDataset, ways
from synthrelease.bundle.stored_values import StoredValues
from synthrelease.dp.guarantee import Guarantee
from synthrelease.errors import no_such


class Tree(Mapping[str, Any]):
    """A mapping in which paths lead on. It lists its keys; `in` and `[…]` also know paths and labels. Two are equal if they are the same object."""

    def find(self, path: str) -> Any:
        """Return what a path leads to, without reading it; None if that is nothing."""
        raise NotImplementedError

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.find(key) is not None

    def __eq__(self, other: object) -> bool:  # as Mapping has it, all values would be read
        return self is other

    def __hash__(self) -> int:
        return id(self)


class Part(Tree):
    """Datasets by what is left of their paths: those below a first step ("mean"), or those of an item ("1005")."""

    def __init__(self, name: str, datasets: Mapping[str, LazyDataset]) -> None:
        self.name, self._datasets = name, datasets

    def __iter__(self) -> Iterator[str]:
        return iter(self._datasets)

    def __len__(self) -> int:
        return len(self._datasets)

    def find(self, path: str) -> Any:
        """Return a dataset, or datasets, by a path of steps and labels, percent-encoded or not."""
        if path in self._datasets:
            return self._datasets[path]
        for name, dataset in self._datasets.items():
            if unquote(name) == path:
                return dataset
        if part := self._step(path):
            return part
        for first, rest in ways(path):
            way = self._datasets[first] if first in self._datasets else self._step(first)
            found = None if way is None else way.find(rest)
            if found is not None:
                return found
        return None

    def __getitem__(self, key: str) -> Any:
        """Return a dataset, or datasets, by a path of steps and labels; a number if no axes are left, KeyError if it leads to nothing."""
        found = self.find(key) if isinstance(key, str) else None
        if found is not None:
            return found.whole_or_number() if isinstance(found, LazyDataset) else found
        for first, rest in ways(key) if isinstance(key, str) else ():
            way = self.find(first)
            if isinstance(way, Part | LazyDataset):
                return way[rest]  # a KeyError of what is there
        labels = (label for dataset in self._datasets.values() for label in dataset.labels)
        raise no_such(f"array in '{self.name}'", key, [*self, *labels])

    def _step(self, step: str) -> Part | None:
        """The datasets whose paths begin with a step, and what is at a label of that name along the first axis of others."""
        items = ((path, dataset.at(step)) for path, dataset in self._datasets.items())
        found = {path: item for path, item in items if item is not None}
        for path, dataset in self._datasets.items():
            first, _, rest = path.partition("/")
            if rest and step in (first, unquote(first)):
                found[rest] = dataset
        return Part(f"{self.name}/{step}", found) if found else None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: {', '.join(self)}>"


class Output(Part):
    """The datasets of one output by their path below it, such as "heatmap"; read, and compared with their digests, when asked for.

    `output["heatmap"]` is a `LazyDataset`, `output["1005"]["heatmap"]` or `output["1005/heatmap"]` the item of a label, and
    `output["mean"]["value"]` the dataset "mean/value". A dataset comes before a label of the same name.

    Attributes:
        name: of the output.
        guarantee: of this output by itself.
    """

    def __init__(self, stored: StoredValues, name: str, guarantee: Guarantee) -> None:
        self._stored, self.guarantee = stored, guarantee
        datasets = stored.output(name).datasets
        super().__init__(name, {dataset.path: LazyDataset(stored, name, dataset) for dataset in datasets})
