"""A bundle's file, read by hand: its checksum, its anatomy, and the values of its datasets, chunk by chunk.

A small dataset stands in its object's header, as it is. A chunk of a larger one is what HDF5's filters make of rows: their
bytes shuffled, deflated, with a Fletcher-32 checksum behind. It must be exactly that: nothing behind the end of the
deflate stream, and zeros where a chunk has more room than its dataset has values.
"""

from __future__ import annotations

import functools
import hashlib
import math
import os
import zlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle import manifest as manifest_text
from synthrelease.bundle.layout import MANIFEST, SIGNATURE, USER_BLOCK
from synthrelease.bundle.strict_hdf5.anatomy import Anatomy, StoredDataset
from synthrelease.bundle.strict_hdf5.dissection import dissect
from synthrelease.errors import BundleError
from synthrelease.files.reading import open_regular, read_at
from synthrelease.parallel import available_cores

_PIECE_BYTES = 1 << 20  # bytes hashed at a time
_CHUNKS_AHEAD = 4  # chunks unpacked before they are asked for
_MOST_KEPT = 8  # datasets of which a chunk is kept, each of about a megabyte
MOST_MANIFEST_BYTES = 1 << 24
_SMALL_MANIFEST_BYTES = 1 << 20  # bytes; of a larger one they are at most this many times those of the file:
_MANIFEST_RATIO = 8
# Of a checksum at a time: their weighted sum is exact in 64-bit floating point, and so short that OpenBLAS wakes no threads for it.
_BLOCK_WORDS = 1 << 13
_WEIGHTS = np.arange(_BLOCK_WORDS, 0, -1, dtype=np.float64)


class BundleFile:
    """A file that may be a bundle, opened once and closed by `close` or the end of a `with`.

    Args:
        path: the file; OSError if it is no regular file that can be read.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._handle = open_regular(path)
        self.size = os.fstat(self._handle).st_size
        self._kept: dict[str, tuple[tuple[int, bytes], NDArray[Any]]] = {}  # chunks: number, bytes, values

    def close(self) -> None:
        """Close the file."""
        if "_threads" in self.__dict__:
            self._threads.shutdown(wait=True, cancel_futures=True)
        os.close(self._handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def is_at(self, path: Path) -> bool:
        """Whether a path still leads to this file."""
        try:
            return os.path.samestat(os.fstat(self._handle), path.stat())
        except OSError:
            return False

    def read(self, offset: int, size: int) -> bytes:
        """Return so many bytes from a place on, fewer at the end of the file."""
        pieces = []
        while size and (piece := read_at(self._handle, size, offset)):
            pieces.append(piece)
            offset, size = offset + len(piece), size - len(piece)
        return b"".join(pieces)

    @functools.cached_property
    def text_block(self) -> bytes:
        """The bytes before HDF5 begins."""
        return self.read(0, USER_BLOCK)

    def body_digest(self) -> str:
        """Return the SHA-256 of everything after the text block."""
        state, offset = hashlib.sha256(), USER_BLOCK
        while piece := self.read(offset, _PIECE_BYTES):
            state.update(piece)
            offset += len(piece)
        return state.hexdigest()

    @functools.cached_property
    def anatomy(self) -> Anatomy:
        """What the file consists of; BundleError if it is not HDF5 as a bundle is."""
        return dissect(self.read, self.size)

    def dataset_paths(self) -> list[str]:
        """Return the paths of all datasets but the manifest's and the signature's, in sorted order."""
        return sorted(path for path in self.anatomy.datasets if path not in (MANIFEST, SIGNATURE))

    def group_paths(self) -> list[str]:
        """Return the paths of all groups but the root, in sorted order."""
        return sorted(path for path in self.anatomy.groups if path != "/")

    def pieces(self, path: str, start: int = 0, stop: int | None = None) -> Iterator[NDArray[Any]]:
        """Yield the values of a dataset, some at a time, in order, each of shape (n,); BundleError if their bytes are damaged.

        Args:
            path: the dataset.
            start: number of the first value that is wanted, all axes in one.
            stop: number of the first that is not; default all that there are.
        """
        dataset = self.anatomy.datasets[path]
        end = math.prod(dataset.shape) if stop is None else stop
        number, before = dataset.chunk_of(start)
        remaining, skipped = end - start, start - before
        coming: deque[Future[NDArray[Any]]] = deque()
        while remaining > 0:
            last = (
                min(number + _CHUNKS_AHEAD, len(dataset.chunks))
                if remaining + skipped > dataset.values_in(number)
                else number
            )
            for ahead in range(number + len(coming), last):
                coming.append(self._threads.submit(self._unpacked, path, dataset, ahead))
            values = coming.popleft().result() if coming else self._unpacked(path, dataset, number)
            yield values[skipped : skipped + remaining]
            remaining, skipped, number = remaining - (len(values) - skipped), 0, number + 1

    def chunk(self, path: str, number: int) -> NDArray[Any]:
        """Return the values of one chunk of a dataset, shape (n,), not to be changed; BundleError if its bytes are damaged.

        A chunk holds several items: the last one of a dataset is kept, and returned again if its bytes are still the same.
        """
        raw = self.read(*self.anatomy.datasets[path].chunks[number])
        kept, values = self._kept.get(path, (None, np.empty(0)))
        if (number, raw) != kept:
            values = self._unpacked(path, self.anatomy.datasets[path], number)
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[path] = (number, raw), values
        return values

    def array(self, path: str) -> NDArray[Any]:
        """Return a dataset; BundleError if its bytes are damaged."""
        dataset = self.anatomy.datasets[path]
        pieces = self.pieces(path)
        if len(dataset.chunks) == 1:
            return next(pieces).reshape(dataset.shape)
        whole = np.empty(math.prod(dataset.shape), dtype=dataset.dtype)
        start = 0
        for piece in pieces:
            whole[start : start + len(piece)] = piece
            start += len(piece)
        return whole.reshape(dataset.shape)

    @functools.cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(max_workers=min(_CHUNKS_AHEAD, available_cores()))

    @functools.cache  # noqa: B019  a file lives shortly
    def manifest(self) -> dict[str, Any]:
        """Return the manifest; BundleError if there is none or it is not strict JSON in the one form it has."""
        dataset = self.anatomy.datasets.get(MANIFEST)
        if dataset is None or dataset.dtype != np.uint8 or len(dataset.shape) != 1:
            raise BundleError("bad-manifest-dataset", "the manifest is not a row of bytes", where=MANIFEST)
        if dataset.logical_bytes > min(
            MOST_MANIFEST_BYTES, _SMALL_MANIFEST_BYTES + _MANIFEST_RATIO * self.size
        ):
            raise BundleError("too-large", "too large", where=MANIFEST)
        raw = self.array(MANIFEST).tobytes()
        try:
            manifest = manifest_text.from_bytes(raw)
            if manifest_text.to_bytes(manifest) != raw:
                raise ValueError("the manifest is not written in the one form that a manifest has")  # noqa: TRY301
        except ValueError as error:
            raise BundleError("bad-manifest", str(error), where=MANIFEST) from None
        return manifest

    def _unpacked(self, path: str, dataset: StoredDataset, number: int) -> NDArray[Any]:
        """Return the values of one chunk, shape (n,)."""
        offset, size = dataset.chunks[number]
        raw = self.read(offset, size)
        if dataset.is_compact and len(raw) == size:
            return np.frombuffer(raw, dtype=dataset.dtype).copy()
        itemsize = dataset.dtype.itemsize
        room = math.prod(dataset.chunk)
        packed = raw[:-4]
        if len(raw) != size or _fletcher32(packed) != int.from_bytes(raw[-4:], "little"):
            raise BundleError("bad-checksum", "a chunk's checksum is not that of its bytes", where=path)
        planes = _inflated(packed, room * itemsize, path)
        whole = np.empty((room, itemsize), dtype=np.uint8)
        for byte in range(itemsize):
            whole[:, byte] = planes[byte * room : (byte + 1) * room]
        values = dataset.values_in(number)
        if whole[values:].any():
            raise BundleError(
                "values-beyond-end", "a chunk has values beyond the end of its dataset", where=path
            )
        return whole.reshape(-1).view(dataset.dtype)[:values]


class Stream:
    """The values of a dataset, as many at a time as are asked for.

    Args:
        pieces: the values, some at a time, each of shape (n,).
    """

    def __init__(self, pieces: Iterator[NDArray[Any]]) -> None:
        self._pieces, self._left = pieces, np.empty(0)

    def take(self, number: int) -> NDArray[Any]:
        """Return the next so many values, shape (number,); fewer if there are no more."""
        taken: list[NDArray[Any]] = []
        while number:
            if not len(self._left):
                self._left = next(self._pieces, np.empty(0))
                if not len(self._left):
                    break
            taken.append(self._left[:number])
            self._left, number = self._left[number:], number - len(taken[-1])
        if not len(self._left):  # a generator that waits behind its last piece would keep it in memory
            self._left = next(self._pieces, np.empty(0))
        if len(taken) == 1:
            return taken[0]
        return np.concatenate(taken) if taken else np.empty(0)


def _inflated(packed: bytes, size: int, path: str) -> NDArray[np.uint8]:
    stream = zlib.decompressobj()
    try:
        planes = stream.decompress(packed, size + 1)
    except zlib.error:
        planes = b""
    if len(planes) != size or not stream.eof or stream.unused_data:
        raise BundleError("bad-chunk", "a chunk is not exactly one deflate stream of its values", where=path)
    return np.frombuffer(planes, dtype=np.uint8)


def _fletcher32(data: bytes) -> int:
    """Return the checksum that HDF5 has of bytes: big-endian words, sums modulo 65535 that are never 0 but for zeros."""
    even = len(data) - len(data) % 2
    words = np.frombuffer(data, dtype=">u2", count=even // 2)
    low = high = 0
    for start in range(0, len(words), _BLOCK_WORDS):
        block = words[start : start + _BLOCK_WORDS].astype(np.float64)
        high += low * len(block) + int(block @ _WEIGHTS[_BLOCK_WORDS - len(block) :])
        low += int(block.sum())
    if even < len(data):
        low += data[-1] << 8
        high += low
    return _folded(high) << 16 | _folded(low)


def _folded(total: int) -> int:
    return (total - 1) % 0xFFFF + 1 if total else 0
