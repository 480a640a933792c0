"""The values of a bundle that was verified: its file opened once, whatever is read of it compared with its digest."""

from __future__ import annotations

import hashlib
import math
import os
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle.items import StoredOutput
from synthrelease.bundle.layout import ValuesDigest, digest
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile, Stream
from synthrelease.errors import ArgumentError, BundleError

_BLOCK_VALUES = 1 << 17  # in memory at a time


class StoredValues:
    """The values of a verified bundle. The file is opened, to be read only, when the first are asked for, until `close` or the end of a `with`.

    A digest is of a whole HDF5 dataset. The first time that a part is asked for, all of it is read, chunk by chunk, and the
    digest of each chunk is kept: what is read later is compared with that, and a file that changes meanwhile is found out.

    Attributes:
        path: the file.
        manifest: the manifest that was verified; values of another file do not have its digests.
    """

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path, self.manifest = path, manifest
        self.closed = False
        self._begin()
        _ALL.add(self)
        self._outputs: dict[str, StoredOutput] = {}
        self._chunks: dict[str, list[bytes]] = {}
        # The chunk that was compared last, as long as the file keeps it.
        self._compared: weakref.WeakValueDictionary[str, NDArray[Any]] = weakref.WeakValueDictionary()

    def _begin(self) -> None:
        self._lock = threading.RLock()  # one thread reads at a time, and none while the file is closed
        self._opened: BundleFile | None = None

    def begin_in_child(self) -> None:
        """Begin anew in a forked process: the threads that unpack chunks, and one that may have the lock, are not there."""
        if self._opened is not None:
            self._close_file.detach()
        self._begin()

    def close(self) -> None:
        """Close the file: nothing can be read any more."""
        with self._lock:
            self.closed = True
            if self._opened is not None:
                self._close_file()
                self._opened = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.manifest)  # another process opens the file itself

    def output(self, name: str) -> StoredOutput:
        """Return what an output has."""
        if name not in self._outputs:
            entry = next(output for output in self.manifest["outputs"] if output["name"] == name)
            self._outputs[name] = StoredOutput(entry)
        return self._outputs[name]

    def dtype(self, output: str, path: str) -> np.dtype[Any]:
        """Return the type of an output's dataset."""
        stored = self.output(output)
        dataset = stored.dataset(path)
        if len(dataset.types) == 1:
            return dataset.types[0]
        with self._lock:
            return self._file.anatomy.datasets[stored.path(dataset)].dtype

    def array(self, output: str, path: str) -> NDArray[Any]:
        """Return a dataset of an output, all of its items.

        Raises:
            BundleError: it is not that of the manifest: the file was changed after it was verified.
            ArgumentError: the file was closed.
        """
        stored = self.output(output)
        return self._whole(stored.path(stored.dataset(path)))

    def item(self, output: str, path: str, index: tuple[int, ...] = ()) -> NDArray[Any]:
        """Return an item of an output's dataset, such as `item("attention", "heatmap", (0,))`, of the item's shape; errors as `array`."""
        shape = self.output(output).dataset(path).item_shape
        with self._lock:
            return np.concatenate(list(self._pieces_of_item(output, path, index))).reshape(shape)

    def blocks(self, output: str, path: str, index: tuple[int, ...] = ()) -> Iterator[NDArray[Any]]:
        """Yield an item some rows at a time, for those that may be larger than memory; errors as `array`."""
        shape = self.output(output).dataset(path).item_shape
        row = math.prod(shape[1:])
        stream = Stream(self._pieces_of_item(output, path, index))
        most = max(1, _BLOCK_VALUES // row)
        for start in range(0, shape[0], most):
            yield stream.take(min(most, shape[0] - start) * row).reshape(-1, *shape[1:])

    def run(self, output: str, path: str, start: int, stop: int) -> NDArray[Any]:
        """Return values of a dataset that the bundle has, from one on until before another, all axes in one; errors as `array`."""
        stored = self.output(output)
        dataset = stored.dataset(path)
        if stop <= start:
            return np.empty(0, self.dtype(output, path))
        if stop - start == dataset.size:
            return self._whole(stored.path(dataset)).reshape(-1)
        with self._lock:
            return np.concatenate(list(self._pieces(stored.path(dataset), start, stop)))

    @property
    def _file(self) -> BundleFile:
        if self.closed:
            raise ArgumentError(
                "bundle-closed",
                "the bundle was closed: nothing of it can be read any more",
                where=str(self.path),
                remedy="read inside the `with`, or open the bundle again",
            )
        if self._opened is None:
            try:
                self._opened = BundleFile(self.path)
            except OSError:
                raise BundleError(
                    "cannot-read", "the file cannot be read any more", where=str(self.path)
                ) from None
            self._close_file = weakref.finalize(self, self._opened.close)
        return self._opened

    def _whole(self, place: str) -> NDArray[Any]:
        with self._lock:
            array = self._file.array(place)
        if digest(array) != self.manifest["digests"][place]:
            raise self._changed(place)
        return array

    def _pieces_of_item(self, output: str, path: str, index: tuple[int, ...]) -> Iterator[NDArray[Any]]:
        """The values of an item, of a dataset that is the manifest's."""
        stored = self.output(output)
        dataset = stored.dataset(path)
        size = math.prod(dataset.item_shape)
        start = 0
        if index:
            start = int(np.ravel_multi_index(index, dataset.shape[: dataset.items])) * size
        return self._pieces(stored.path(dataset), start, start + size)

    def _pieces(self, place: str, start: int, stop: int) -> Iterator[NDArray[Any]]:
        """Yield values of an HDF5 dataset chunk by chunk; each chunk is compared with its digest."""
        form = self._file.anatomy.datasets[place]
        digests = self._digests_of_chunks(place)
        number, begin = form.chunk_of(start)
        last, end = form.chunk_of(stop - 1)
        if number == last:
            yield self._one_chunk(place, number, digests[number])[start - begin : stop - begin].copy()
            return
        whole = self._file.pieces(place, begin, end + form.values_in(last))
        for expected, piece in zip(digests[number : last + 1], whole, strict=True):
            self._require(expected, piece, place)
            yield piece[max(0, start - begin) : stop - begin]
            begin += len(piece)

    def _one_chunk(self, place: str, number: int, expected: bytes) -> NDArray[Any]:
        """The values of a chunk, shape (n,); of one that is unpacked already the bytes are compared instead."""
        values = self._file.chunk(place, number)
        if values is not self._compared.get(place):
            self._require(expected, values, place)
            self._compared[place] = values
        return values

    def _require(self, expected: bytes, values: NDArray[Any], place: str) -> None:
        """Compare a chunk with its digest; BundleError if it changed."""
        if hashlib.sha256(values.data).digest() != expected:
            raise self._changed(place)

    def _digests_of_chunks(self, place: str) -> list[bytes]:
        """The digest of each chunk of a dataset, of which all was read once to see that it is the manifest's."""
        if place not in self._chunks:
            form = self._file.anatomy.datasets[place]
            state, chunks = ValuesDigest(form.dtype, form.shape), []
            for piece in self._file.pieces(place):
                state.add(piece)
                chunks.append(hashlib.sha256(piece.data).digest())
            if state.hexdigest() != self.manifest["digests"][place]:
                raise self._changed(place)
            self._chunks[place] = chunks
        return self._chunks[place]

    def _changed(self, place: str) -> BundleError:
        return BundleError(
            "values-changed",
            "the values are not those that the manifest lists",
            where=f"{self.path}: {place}",
            remedy="get the file again from its source, and run: synthrelease verify",
        )


_ALL: weakref.WeakSet[StoredValues] = weakref.WeakSet()


def _begin_in_child() -> None:
    for stored in _ALL:
        stored.begin_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)
