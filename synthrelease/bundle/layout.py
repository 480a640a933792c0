"""Where things stand in a bundle, and the block of plain text before it. Described in docs/reference/format.md."""

from __future__ import annotations

import hashlib
import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.files.labels import quoted

FORMAT = "synthrelease"
FORMAT_VERSION = 1
ENDING = ".h5"  # of every bundle that is built
SIDECAR_ENDING = ".manifest.json"  # of its manifest as a file of its own
FIRST_WORDS = b"synthrelease bundle "
MANIFEST_BEGINS = b'{\n  "digests": {'  # keys stand in order
HDF5_BEGINS = b"\x89HDF\r\n\x1a\n"
MANIFEST = "/manifest"
SIGNATURE = "/signature"
OUTPUTS = "/outputs"
_CHUNK_BYTES = 1 << 20
_COMPACT_BYTES = 1 << 11
USER_BLOCK = 512  # bytes before the HDF5 signature
TEST_SEED_WORDS = "TEST SEED - DO NOT PUBLISH"

_BLOCK_TEXT = """synthrelease bundle {version}
An HDF5 file with a privacy manifest, preceded by these {size} bytes of text.
SHA-256 of everything after them:
{digest}
By hand:   tail -c +{after} FILE | sha256sum
In full:   synthrelease verify FILE
{marks}
"""
_DIGEST_LINE = re.compile(rb"^[0-9a-f]{64}$", re.MULTILINE)


def user_block(body: bytes, *, test_seed: bool) -> bytes:
    """Return the 512 bytes that precede `body`: what the file is, and the digest of everything after."""
    return block_of(hashlib.sha256(body).hexdigest(), test_seed=test_seed)


def block_of(digest: str, *, test_seed: bool) -> bytes:
    """Return the 512 bytes that precede a body of this SHA-256."""
    text = _BLOCK_TEXT.format(
        version=FORMAT_VERSION,
        size=USER_BLOCK,
        digest=digest,
        after=USER_BLOCK + 1,
        marks=TEST_SEED_WORDS if test_seed else "Source of the noise: the operating system",
    )
    return text.encode("ascii").ljust(USER_BLOCK - 1) + b"\n"


def sealed_digest(block: bytes) -> str | None:
    """Return the digest a user block states, or None if it is not exactly a block of ours."""
    match = _DIGEST_LINE.search(block)
    if match is None:
        return None
    digest = match.group().decode()
    possible = (block_of(digest, test_seed=test_seed) for test_seed in (False, True))
    return digest if block in possible else None


def stated_version(block: bytes) -> int | None:
    """Return the version of the format that a user block states, or None if it states none."""
    match = re.match(rb"synthrelease bundle ([1-9][0-9]{0,8})\n", block)
    return int(match.group(1)) if match else None


def is_marked_test_seed(block: bytes) -> bool:
    """Whether the user block says that the noise came from a test seed."""
    return TEST_SEED_WORDS.encode() in block


def dataset_path(output: str, path: str = "") -> str:
    """Return where a dataset of an output stands, or its group: /outputs/attention/heatmap.

    Args:
        output: its name.
        path: below it, of HDF5 names; "" for the group.
    """
    return "/".join([OUTPUTS, quoted(output), *([path] if path else [])])


def is_compact(shape: tuple[int, ...], itemsize: int) -> bool:
    """Whether a dataset stands in its object's header, as it is: an index of chunks would take more room than it does."""
    return math.prod(shape) * itemsize <= _COMPACT_BYTES


def chunk_shape(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Return how a dataset is cut into chunks of about a mebibyte; smaller datasets are one chunk.

    One axis is cut, along those before it every index by itself, so that chunks hold the values in their order.
    """
    cut = 0
    while cut < len(shape) - 1 and math.prod(shape[cut + 1 :]) * itemsize > _CHUNK_BYTES:
        cut += 1
    row = math.prod(shape[cut + 1 :]) * itemsize
    return (*[1] * cut, max(1, min(shape[cut], _CHUNK_BYTES // row)), *shape[cut + 1 :])


def digest(array: NDArray[np.generic]) -> str:
    """Return the SHA-256 of an array's type, shape and little-endian bytes."""
    state = ValuesDigest(array.dtype, array.shape)
    state.add(array)
    return state.hexdigest()


class ValuesDigest:
    """The digest of an array whose rows come one after the other.

    Args:
        dtype: of the array.
        shape: of the whole of it.
    """

    def __init__(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
        self._dtype = dtype.newbyteorder("<")
        self._state = hashlib.sha256(f"{self._dtype.str} {list(shape)}\n".encode())

    def add(self, rows: NDArray[np.generic]) -> None:
        """Take the next rows."""
        self._state.update(np.ascontiguousarray(rows, dtype=self._dtype).data)

    def hexdigest(self) -> str:
        """Return the SHA-256 of everything so far."""
        return self._state.hexdigest()
