"""The only writer of HDF5.

A bundle goes to disk through Python's own files: a full disk is then an exception and not a process that dies when the HDF5
library closes a file. It is written once, from front to end, so that no old bytes lie in free space.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import h5py
import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle import manifest as manifest_text
from synthrelease.bundle.dissection import gaps
from synthrelease.bundle.layout import (
    ENCODING_VERSION,
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
    OUTPUTS,
    SIGNATURE,
    USER_BLOCK,
    block_of,
    chunk_shape,
    digest,
    is_compact,
)
from synthrelease.unwritable import cannot_write

Attributes = Mapping[str, int | bytes]

T = TypeVar("T")


def write_bundle(
    path: Path,
    arrays: Iterable[tuple[str, NDArray[np.generic]]],
    kinds: Mapping[str, str],
    *,
    completed: Callable[[dict[str, str]], dict[str, Any]],
    test_seed: bool,
    signature: bytes = b"",
) -> dict[str, Any]:
    """Write a bundle into a file, durably, and return its manifest; the same bytes for the same content.

    Arrays are written as they come, and none is held afterwards; then the manifest; then the seal.

    Args:
        path: the file, which is there and whose content is lost: a partial one.
        arrays: datasets with their absolute paths.
        kinds: encoding type by output group, such as {"/outputs/attention": "heatmap"}.
        completed: gives the manifest, once the digests of all arrays are known.
        test_seed: whether the noise is repeatable: the seal says so.
        signature: an envelope that signs the manifest; empty if there is none.

    Raises:
        MachineError: the disk, the folder or a permission is in the way.
    """
    try:
        with path.open("r+b", buffering=0) as file:  # made anew, nobody would know that it is partial
            file.truncate(0)  # what a worker left that was killed
            spool = _Spool(file)
            try:
                groups = {OUTPUTS: {}, **{path: _encoding(kind) for path, kind in kinds.items()}}
                manifest = write_body(spool, arrays, groups, completed, signature)
                clear_gaps(spool)
            finally:
                spool.check()  # whatever the library makes of it
            file.seek(USER_BLOCK)
            block = block_of(hashlib.file_digest(file, "sha256").hexdigest(), test_seed=test_seed)
            file.seek(0)
            file.write(block)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise cannot_write(path, error) from None
    return manifest


def _encoding(kind: str) -> Attributes:
    return {"encoding_type": kind.encode("ascii"), "encoding_version": ENCODING_VERSION}


def write_body(
    file: BinaryIO | io.RawIOBase,
    arrays: Iterable[tuple[str, NDArray[np.generic]]],
    groups: Mapping[str, Attributes],
    completed: Callable[[dict[str, str]], dict[str, Any]],
    signature: bytes = b"",
) -> dict[str, Any]:
    """Write everything after the text block, and return the manifest; as `write_bundle`, with the groups' attributes."""
    digests: dict[str, str] = {}
    # The oldest form, which every HDF5 library reads and `dissection` knows, whatever the library's newest is.
    with h5py.File(file, "w", userblock_size=USER_BLOCK, libver=("earliest", "v108")) as body:
        root: Attributes = {"format": FORMAT.encode("ascii"), "format_version": FORMAT_VERSION}
        for path, attributes in {"/": root, **groups}.items():
            group = body.require_group(path)
            for name, value in attributes.items():
                group.attrs[name] = np.int64(value) if isinstance(value, int) else np.bytes_(value)
        for path, array in arrays:
            store(body, path, array)
            digests[path] = digest(array)
            if isinstance(file, _Spool):
                file.check()
        manifest = completed(digests)
        store(body, MANIFEST, np.frombuffer(manifest_text.to_bytes(manifest), dtype=np.uint8))
        if signature:
            store(body, SIGNATURE, np.frombuffer(signature, dtype=np.uint8))
    return manifest


def clear_gaps(file: BinaryIO | io.RawIOBase) -> None:
    """Write zeros where nothing is kept: a list of names was there, if the library wrote it before it moved it.

    Raises:
        BundleError: what is in the file is not as a bundle's.
    """

    def read(place: int, number: int) -> bytes:
        file.seek(place)
        return file.read(number) or b""

    for gap in gaps(read, file.seek(0, io.SEEK_END)):
        file.seek(gap.start)
        file.write(bytes(gap.stop - gap.start))


class _Spool(io.RawIOBase):
    """A file for the HDF5 library, to which nothing ever fails: the library could die of it when it closes the file.

    Args:
        file: where everything goes until something fails; from then on nothing does.
    """

    def __init__(self, file: io.FileIO) -> None:
        self._file = file
        self._failed: BaseException | None = None

    def check(self) -> None:
        """Raise the error of the file, or the interruption, if there was one."""
        if self._failed is not None:
            raise self._failed

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: Any) -> int:
        read = self._try(lambda: self._file.read(len(buffer))) or b""
        buffer[:] = read.ljust(len(buffer), b"\0")
        return len(buffer)

    def write(self, data: Any) -> int:
        self._try(lambda: self._write_all(data))
        return len(data)

    def _write_all(self, data: Any) -> None:
        left = memoryview(data).cast("B")
        while left:
            left = left[self._file.write(left) :]

    def truncate(self, size: int | None = None) -> int:
        self._try(lambda: self._file.truncate(size))
        return self.tell() if size is None else size

    def flush(self) -> None:
        self._try(self._file.flush)

    def _try(self, work: Callable[[], T]) -> T | None:
        if self._failed is None:
            try:
                return work()
            except BaseException as error:  # noqa: BLE001  h5py would forget Ctrl-C, and what was to be written
                self._failed = error
        return None


def store(file: h5py.File, path: str, array: NDArray[np.generic]) -> None:
    """Add a dataset, in the one form that a bundle's datasets have."""
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    if little.size == 0:
        raise ValueError(f"Expected a dataset of some values, found none in {path}")
    if is_compact(little.shape, little.itemsize):
        _store_compact(file, path, little)
        return
    file.create_dataset(
        path,
        data=little,
        chunks=chunk_shape(little.shape, little.itemsize),
        compression="gzip",
        compression_opts=4,
        shuffle=True,
        fletcher32=True,
        fill_time="ifset",
    )


def _store_compact(file: h5py.File, path: str, array: NDArray[np.generic]) -> None:
    """As `create_dataset` does, which knows of no compact ones."""
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_layout(h5py.h5d.COMPACT)
    creation.set_obj_track_times(False)
    linking = h5py.h5p.create(h5py.h5p.LINK_CREATE)
    linking.set_create_intermediate_group(True)
    space = h5py.h5s.create_simple(array.shape)
    kind = h5py.h5t.py_create(array.dtype, logical=True)
    dataset = h5py.h5d.create(file.id, path.encode("ascii"), kind, space, creation, linking)
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, array)
