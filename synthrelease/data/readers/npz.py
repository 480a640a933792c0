"""NumPy's archives of arrays."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

import numpy as np

from synthrelease.data.readers.arrays import Array, Arrays, Flaw, StoredArray, plain
from synthrelease.errors import DataError


class Npz(Arrays):
    """Reader of `.npz`; nothing in them is unpickled."""

    name = "npz"
    formats = ".npz"
    endings = (".npz",)
    broken = "bad-npz"
    article = "an archive of NumPy's"

    @contextmanager
    def contents(self, path: Path, file: BinaryIO) -> Iterator[dict[str, StoredArray]]:
        """Return the members that are arrays, from their heads."""
        with zipfile.ZipFile(file) as archive:
            members = [entry for entry in archive.infolist() if entry.filename.endswith(".npy")]
            names = [entry.filename.removesuffix(".npy") for entry in members]
            if len(set(names)) < len(names):
                raise DataError(
                    "duplicate-variable",
                    "two arrays of the file have the same name",
                    where=str(path),
                    expected="names of their own",
                    remedy="write it anew: np.savez(NAME, x=…, y=…)",
                )
            yield {name: _stored_array(archive, member) for name, member in zip(names, members, strict=True)}


def _stored_array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> StoredArray:
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        head = (
            np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        )
        shape, _, dtype = head(file)
        size_bytes = math.prod(shape) * dtype.itemsize
        # An array is made before its values are read: there must be as many as it declares.
        complete = dtype.hasobject or member.file_size == file.tell() + size_bytes
    incomplete = Flaw("values-missing", "another number of values than it declares")
    flaw = plain(dtype) or (None if complete else incomplete)
    return StoredArray(shape, size_bytes, flaw, partial(_read, archive, member))


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Array:
    with archive.open(member) as file:
        array: Array = np.lib.format.read_array(file, allow_pickle=False)
    return array
