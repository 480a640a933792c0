"""The values of a bundle as reports and evaluations ask for them: items by their labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle.stored_values import StoredValues
from synthrelease.kinds.dataset import Dataset
from synthrelease.kinds.parameters import Parameters


class ReadValues(Protocol):
    """Values of outputs: of a bundle, or in memory."""

    def array(self, output: str, path: str) -> NDArray[Any]:
        """Return a dataset of an output, of the dataset's shape."""

    def item(self, output: str, path: str, index: tuple[int, ...] = ()) -> NDArray[Any]:
        """Return an item of a dataset, of the item's shape."""

    def blocks(self, output: str, path: str, index: tuple[int, ...] = ()) -> Iterator[NDArray[Any]]:
        """Yield an item some rows at a time."""


class InMemory:
    """Values of one output in memory, by the paths of its datasets.

    Args:
        values: all of them.
    """

    def __init__(self, values: Mapping[str, NDArray[Any]]) -> None:
        self._values = values

    def array(self, output: str, path: str) -> NDArray[Any]:  # noqa: ARG002  as there is one
        """Return a dataset, of the dataset's shape."""
        return self._values[path]

    def item(self, output: str, path: str, index: tuple[int, ...] = ()) -> NDArray[Any]:  # noqa: ARG002
        """Return an item of a dataset, of the item's shape."""
        return np.asarray(self._values[path][index])

    def blocks(self, output: str, path: str, index: tuple[int, ...] = ()) -> Iterator[NDArray[Any]]:
        """Yield an item at once."""
        yield self.item(output, path, index)


def labels_of(parameters: Parameters, dataset: Dataset, index: tuple[int, ...]) -> tuple[str, ...]:
    """Return the labels of an item of an output's dataset: ("1001", "heatmap")."""
    first, *below = map(unquote, dataset.path.split("/"))
    places = [str(axis.coordinates[number]) for axis, number in zip(dataset.axes, index, strict=False)]
    match parameters.kind:
        case "records":  # by attributes, and last what of them
            return (*below, first)
        case "statistics":  # by statistics, and last what of them
            return (first, *places, *below)
    return (*places, first, *below)


def shape_of(parameters: Parameters, dataset: Dataset) -> tuple[int, ...]:
    """Return the shape of an item: a single number is a list of one."""
    if parameters.kind == "statistics" and not {axis.name for axis in dataset.axes} & {"integer", "bin"}:
        return (1, *dataset.item_shape)
    return dataset.item_shape


class Released(StoredValues):
    """A verified bundle, open for reading until `close` or the end of a `with`."""

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        super().__init__(path, manifest)
        self._items: dict[str, dict[tuple[str, ...], tuple[Dataset, tuple[int, ...]]]] = {}

    def values(self, output: str, *labels: str) -> NDArray[Any]:
        """Return an item of an output's dataset by labels, such as `values("attention", "1001", "heatmap")`.

        Raises:
            BundleError: it is not that of the manifest: the file was changed after it was verified.
        """
        stored = self.output(output)
        if output not in self._items:
            self._items[output] = {
                labels_of(stored.parameters, dataset, index): (dataset, index)
                for dataset in stored.datasets
                for index in dataset.indices()
            }
        dataset, index = self._items[output][labels]
        return self.item(output, dataset.path, index).reshape(shape_of(stored.parameters, dataset))
