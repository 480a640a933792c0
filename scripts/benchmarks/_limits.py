"""What this machine can do at best, measured in the run whose figures are held against it."""

from __future__ import annotations

import hashlib
import os
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks._measure import median_seconds
from benchmarks._report import Limit
from synthrelease.dp.noise import SecureRandom

RUNS = 5
NAMES = {
    "memory": "memory, copying",
    "words": "words of AES-256-CTR",
    "products": "multiply-adds of a matrix product",
    "inflate": "decompressing (deflate)",
    "sha256": "SHA-256",
    "disk_write": "writing a file, with fsync",
    "disk_read": "reading a file, page cache dropped",
    "cache_read": "reading a file from the page cache",
}
UNITS = {"products": "10⁹ a second"}  # of all others GB/s


@dataclass(frozen=True)
class Limits:
    """Bytes a second, or multiply-adds a second, of what `NAMES` says."""

    memory: float
    words: float
    products: float
    inflate: float
    sha256: float
    disk_write: float
    disk_read: float
    cache_read: float

    def least(self, **amounts: float) -> Limit:
        """Return which of some amounts, each by the name of its limit, takes longest, and how long."""
        seconds = {name: amount / getattr(self, name) for name, amount in amounts.items()}
        binding = max(seconds, key=seconds.__getitem__)
        return Limit(NAMES[binding], seconds[binding])

    def table(self) -> list[list[str]]:
        """Return a row for each limit."""
        return [
            [NAMES[f.name], f"{getattr(self, f.name) / 1e9:.3g}", UNITS.get(f.name, "GB/s")]
            for f in fields(self)
        ]


def measure_limits(*, quick: bool = False) -> Limits:
    """Measure all; quick ones use less memory and disk."""
    size = 1 << (25 if quick else 29)
    one = np.ones(size, dtype=np.uint8)
    memory = 2 * size / _seconds(partial(np.copyto, np.zeros_like(one), one))  # read and written
    block = 1 << 15  # of words: as the samplers draw them, within the cache
    random = SecureRandom()
    words = 64 * 8 * block / _seconds(lambda: [random.words(block) for _ in range(64)])
    side = 1000 if quick else 2000
    matrix = np.ones((side, side))
    products = side**3 / _seconds(lambda: matrix @ matrix)
    some = np.random.default_rng(0).integers(0, 64, 1 << (21 if quick else 25), dtype=np.uint8).tobytes()
    packed = zlib.compress(some, 4)  # as much smaller as bundles are
    inflate = len(some) / _seconds(lambda: zlib.decompress(packed))
    sha256 = len(some) / _seconds(lambda: hashlib.sha256(some).digest())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        disk_write = size / _seconds(lambda: _write(path, one))
        disk_read = size / _seconds(lambda: _read(path, dropped=True))
        cache_read = size / _seconds(lambda: _read(path, dropped=False))
    return Limits(memory, words, products, inflate, sha256, disk_write, disk_read, cache_read)


def _seconds(work: Callable[[], object]) -> float:
    return median_seconds({"": work}, RUNS)[""]


def _write(path: Path, content: NDArray[np.uint8]) -> None:
    with path.open("wb", buffering=0) as file:
        left = memoryview(content.data)
        while left:
            left = left[file.write(left) :]
        os.fsync(file.fileno())


def _read(path: Path, *, dropped: bool) -> None:
    piece = bytearray(1 << 20)
    with path.open("rb", buffering=0) as file:
        if dropped and hasattr(os, "posix_fadvise"):  # where there is none, the page cache is in both
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        while file.readinto(piece):
            pass
