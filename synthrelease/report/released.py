"""The values of a bundle that was verified: its file opened once, whatever is read of it compared with its digest."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle.format_1 import labels_of, shape_of
from synthrelease.bundle.items import StoredOutput
from synthrelease.bundle.layout import ValuesDigest
from synthrelease.bundle.manifest import FORMAT_OF
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile, Stream
from synthrelease.errors import BundleError
from synthrelease.kinds.dataset import Dataset
from synthrelease.kinds.values import Values

_BLOCK_VALUES = 1 << 17  # in memory at a time


class Released:
    """A verified bundle, open for reading until `close` or the end of a `with`.

    Attributes:
        manifest: the manifest that was verified; values of another file do not have its digests.

    Args:
        path: the file.
        manifest: as above.

    Raises:
        BundleError: the file cannot be read any more.
    """

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path, self.manifest = path, manifest
        self._outputs: dict[str, StoredOutput] = {}
        self._labels: dict[str, dict[tuple[str, ...], tuple[Dataset, tuple[int, ...]]]] = {}
        self._compared: set[str] = set()
        try:
            self._file = BundleFile(path)
        except OSError:
            raise BundleError("cannot-read", "the file cannot be read any more", where=str(path)) from None

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def values(self, output: str, *labels: str) -> NDArray[Any]:
        """Return an item of an output's dataset by labels, such as `values("attention", "1001", "heatmap")`.

        Raises:
            BundleError: it is not that of the manifest: the file was changed after it was verified.
        """
        dataset, index = self._labelled(output)[labels]
        return self.item(output, dataset.path, index).reshape(
            shape_of(self._output(output).parameters, dataset)
        )

    def array(self, output: str, path: str) -> NDArray[Any]:
        """Return a dataset of an output, all of its items; errors as `values`.

        What bundles of format 1 do not have follows from what they have.
        """
        stored = self._output(output)
        if not stored.has(path):
            return self._derived(output).array(path)
        dataset = stored.dataset(path)
        if stored.version > 1:
            place = stored.path(dataset)
            self._compare(place)
            return self._file.array(place)
        items = [self.item(output, path, index) for index in dataset.indices()]
        return np.concatenate([item.reshape(-1) for item in items]).reshape(dataset.shape)

    def item(self, output: str, path: str, index: tuple[int, ...] = ()) -> NDArray[Any]:
        """Return an item of an output's dataset, such as `item("attention", "heatmap", (0,))`, of the item's shape; errors as `values`."""
        stored = self._output(output)
        if not stored.has(path):
            return self._derived(output).item(path, index)
        shape = stored.dataset(path).item_shape
        return np.concatenate(list(self._pieces(output, path, index))).reshape(shape)

    def blocks(self, output: str, path: str, index: tuple[int, ...] = ()) -> Iterator[NDArray[Any]]:
        """Yield an item some rows at a time, for those that may be larger than memory; errors as `values`."""
        shape = self._output(output).dataset(path).item_shape
        row = math.prod(shape[1:])
        stream = Stream(self._pieces(output, path, index))
        most = max(1, _BLOCK_VALUES // row)
        for start in range(0, shape[0], most):
            yield stream.take(min(most, shape[0] - start) * row).reshape(-1, *shape[1:])

    def _pieces(self, output: str, path: str, index: tuple[int, ...]) -> Iterator[NDArray[Any]]:
        """The values of an item, of a dataset that is the manifest's."""
        stored = self._output(output)
        dataset = stored.dataset(path)
        place = stored.path(dataset, index)
        self._compare(place)
        size = math.prod(dataset.item_shape)
        start = 0
        if stored.version > 1 and index:
            start = int(np.ravel_multi_index(index, dataset.shape[: dataset.items])) * size
        return self._file.pieces(place, start, start + size)

    def _output(self, name: str) -> StoredOutput:
        if name not in self._outputs:
            entry = next(output for output in self.manifest["outputs"] if output["name"] == name)
            self._outputs[name] = StoredOutput(entry, FORMAT_OF[self.manifest["manifest_version"]])
        return self._outputs[name]

    def _derived(self, output: str) -> Values:
        """What follows from the datasets of an output."""
        stored = self._output(output)
        drawn = {
            dataset.path: self.array(output, dataset.path)
            for dataset in stored.datasets
            if dataset.derive is None
        }
        return Values(stored.parameters, stored.event, drawn)

    def _labelled(self, name: str) -> dict[tuple[str, ...], tuple[Dataset, tuple[int, ...]]]:
        if name not in self._labels:
            stored = self._output(name)
            self._labels[name] = {
                labels_of(stored.parameters, dataset, index): (dataset, index)
                for dataset in stored.datasets
                for index in dataset.indices()
            }
        return self._labels[name]

    def _compare(self, path: str) -> None:
        """Read a dataset once, to see that it is the manifest's."""
        if path in self._compared:
            return
        form = self._file.anatomy.datasets[path]
        state = ValuesDigest(form.dtype, form.shape)
        for piece in self._file.pieces(path):
            state.add(piece)
        if state.hexdigest() != self.manifest["digests"][path]:
            raise BundleError(
                "values-changed",
                "the values are not those that the manifest lists",
                where=f"{self.path}: {path}",
                remedy="get the file again from its source, and run: synthrelease verify",
            )
        self._compared.add(path)
