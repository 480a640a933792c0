"""NumPy's archives of arrays."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np

from synthrelease.data.readers.arrays import Array, Arrays, Flaw, Shape, StoredArray, plain
from synthrelease.errors import DataError

_MOST_MEMBERS = 30_000


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
            if len(members) > _MOST_MEMBERS:
                raise DataError(
                    "too-many-objects",
                    "the archive holds too many arrays",
                    where=str(path),
                    found=str(len(members)),
                    expected=f"at most {_MOST_MEMBERS}",
                    remedy="write what belongs together as one array, with an axis for each thing that distinguishes values",
                )
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
        shape, dtype, complete = array_head(file, member.file_size)
    incomplete = Flaw("values-missing", "another number of values than it declares")
    flaw = plain(dtype) or (None if complete else incomplete)
    return StoredArray(shape, math.prod(shape) * dtype.itemsize, flaw, partial(_read, archive, member))


def array_head(file: IO[bytes], size_bytes: int) -> tuple[Shape, np.dtype[Any], bool]:
    """Return shape and type of an array in NumPy's format, and whether a file of a size holds as many values: an array is made before its values are read.

    Raises:
        Exception: it is no such file.
    """
    version = np.lib.format.read_magic(file)
    head = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = head(file)
    values_bytes = math.prod(shape) * dtype.itemsize
    return shape, dtype, dtype.hasobject or size_bytes == file.tell() + values_bytes


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Array:
    with archive.open(member) as file:
        array: Array = np.lib.format.read_array(file, allow_pickle=False)
    return array
