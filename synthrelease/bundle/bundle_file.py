"""A bundle's file, read by hand: its seal, its anatomy, and the values of its datasets, chunk by chunk.

A small dataset stands in its object's header, as it is. A chunk of a larger one is what HDF5's filters make of rows: their
bytes shuffled, deflated, with a Fletcher-32 checksum behind. It must be exactly that: nothing behind the end of the
deflate stream, and zeros in the rows that the last chunk has too many.
"""

from __future__ import annotations

import errno
import functools
import hashlib
import os
import stat
import zlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle import manifest as manifest_text
from synthrelease.bundle.anatomy import Anatomy, StoredDataset
from synthrelease.bundle.dissection import dissect
from synthrelease.bundle.layout import MANIFEST, SIGNATURE, USER_BLOCK
from synthrelease.errors import BundleError
from synthrelease.parallel import available_cores

_PIECE = 1 << 20  # bytes hashed at a time
_AHEAD = 4  # chunks unpacked before they are asked for
MOST_MANIFEST_BYTES = 1 << 24
_SMALL_MANIFEST = 1 << 20  # bytes; of a larger one they are at most this many times those of the file:
_MANIFEST_RATIO = 8
_WORDS = 1 << 16  # of a checksum at a time: their weighted sum is exact in 64-bit floating point
_WEIGHTS = np.arange(_WORDS, 0, -1, dtype=np.float64)


class BundleFile:
    """A file that may be a bundle, opened once and closed by `close` or the end of a `with`.

    Args:
        path: the file; OSError if it is no regular file that can be read.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            # Without waiting: a pipe would never open.
            self._handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except ValueError as error:
            raise OSError(errno.EINVAL, "no file can have this name") from error
        found = os.fstat(self._handle)
        if not stat.S_ISREG(found.st_mode):
            self.close()
            raise OSError(0, "not a regular file")
        self.size = found.st_size
        self._coming: dict[str, deque[Future[NDArray[Any]]]] = {}

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

    def read(self, place: int, number: int) -> bytes:
        """Return so many bytes from a place on, fewer at the end of the file."""
        pieces = []
        while number and (piece := os.pread(self._handle, number, place)):
            pieces.append(piece)
            place, number = place + len(piece), number - len(piece)
        return b"".join(pieces)

    @functools.cached_property
    def text_block(self) -> bytes:
        """The bytes before HDF5 begins."""
        return self.read(0, USER_BLOCK)

    def body_digest(self) -> str:
        """Return the SHA-256 of everything after the text block."""
        state, place = hashlib.sha256(), USER_BLOCK
        while piece := self.read(place, _PIECE):
            state.update(piece)
            place += len(piece)
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

    def blocks(self, path: str, *, then: str | None = None) -> Iterator[NDArray[Any]]:
        """Yield the rows of a dataset, some at a time, in order; BundleError if their bytes are damaged.

        Args:
            path: the dataset.
            then: another that will be asked for after it: threads begin to unpack it while this one is used.
        """
        coming = self._coming.pop(path, None) or deque()
        chunks = range(len(self.anatomy.datasets[path].chunks))
        begun = len(coming)
        for _ in chunks:
            begun += self._begin(path, coming, chunks[begun:])
            if begun == len(chunks) and then is not None and then not in self._coming:
                self._coming[then] = deque()
                self._begin(then, self._coming[then], range(len(self.anatomy.datasets[then].chunks)))
            yield coming.popleft().result()

    def array(self, path: str, *, then: str | None = None) -> NDArray[Any]:
        """Return a dataset; BundleError if its bytes are damaged. As `blocks`."""
        dataset = self.anatomy.datasets[path]
        if len(dataset.chunks) == 1:
            return next(self.blocks(path, then=then))
        whole = np.empty(dataset.shape, dtype=dataset.dtype)
        start = 0
        for block in self.blocks(path, then=then):
            whole[start : start + len(block)] = block
            start += len(block)
        return whole

    def _begin(self, path: str, coming: deque[Future[NDArray[Any]]], chunks: range) -> int:
        """Let threads unpack some more chunks, a few ahead of what is asked for, and return how many."""
        dataset, before = self.anatomy.datasets[path], len(coming)
        for number in chunks[: max(0, _AHEAD - before)]:
            coming.append(self._threads.submit(self._unpacked, path, dataset, number))
        return len(coming) - before

    @functools.cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(max_workers=min(_AHEAD, available_cores()))

    @functools.cache  # noqa: B019  a file lives shortly
    def manifest(self) -> dict[str, Any]:
        """Return the manifest; BundleError if there is none or it is not strict JSON in the one form it has."""
        dataset = self.anatomy.datasets.get(MANIFEST)
        if dataset is None or dataset.dtype != np.uint8 or len(dataset.shape) != 1:
            raise BundleError("bad-manifest-dataset", "the manifest is not a row of bytes", where=MANIFEST)
        if dataset.logical_bytes > min(MOST_MANIFEST_BYTES, _SMALL_MANIFEST + _MANIFEST_RATIO * self.size):
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
        """Return the rows of one chunk."""
        place, size = dataset.chunks[number]
        raw = self.read(place, size)
        if dataset.is_compact and len(raw) == size:
            return np.frombuffer(raw, dtype=dataset.dtype).reshape(dataset.shape).copy()
        itemsize = dataset.dtype.itemsize
        values = int(np.prod(dataset.chunk, dtype=np.int64))
        packed = raw[:-4]
        if len(raw) != size or _fletcher32(packed) != int.from_bytes(raw[-4:], "little"):
            raise BundleError("bad-checksum", "a chunk's checksum is not that of its bytes", where=path)
        planes = _inflated(packed, values * itemsize, path)
        whole = np.empty((values, itemsize), dtype=np.uint8)
        for byte in range(itemsize):
            whole[:, byte] = planes[byte * values : (byte + 1) * values]
        rows = whole.reshape(-1).view(dataset.dtype).reshape(dataset.chunk)
        there = min(dataset.chunk[0], dataset.shape[0] - number * dataset.chunk[0])
        if rows[there:].view(np.uint8).any():
            raise BundleError(
                "values-beyond-end", "a chunk has values beyond the end of its dataset", where=path
            )
        return rows[:there]


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
    for start in range(0, len(words), _WORDS):
        some = words[start : start + _WORDS].astype(np.float64)
        high += low * len(some) + int(some @ _WEIGHTS[_WORDS - len(some) :])
        low += int(some.sum())
    if even < len(data):
        low += data[-1] << 8
        high += low
    return _folded(high) << 16 | _folded(low)


def _folded(total: int) -> int:
    return (total - 1) % 0xFFFF + 1 if total else 0
