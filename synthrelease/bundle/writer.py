"""The only writer of HDF5.

A bundle goes to disk through Python's own files: a full disk is then an exception and not a process that dies when the HDF5
library closes a file. It is written once, from front to end, so that no old bytes lie in free space.
"""

from __future__ import annotations

import hashlib
import io
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import h5py
import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle import manifest as manifest_text
from synthrelease.bundle.content import Content
from synthrelease.bundle.layout import (
    MANIFEST,
    SIGNATURE,
    USER_BLOCK,
    ValuesDigest,
    block_of,
    chunk_shape,
)
from synthrelease.bundle.strict_hdf5.anatomy import Form, values_in_chunk
from synthrelease.bundle.strict_hdf5.dissection import gaps
from synthrelease.bundle.strict_hdf5.messages import DATASET_ATTRIBUTES, DIMENSION_LIST, REFERENCE_LIST
from synthrelease.files.unwritable import cannot_write

T = TypeVar("T")


def write_bundle(
    path: Path,
    content: Content,
    *,
    completed: Callable[[dict[str, str]], dict[str, Any]],
    test_seed: bool,
    signature: bytes = b"",
) -> dict[str, Any]:
    """Write a bundle into a file, durably, and return its manifest; the same bytes for the same content.

    Values are written as they come, and none is held afterwards but what does not fill a chunk yet; then the manifest; then the checksum.

    Args:
        path: the file, which is there and whose content is lost: a partial one.
        content: what it is to hold.
        completed: gives the manifest, once the digests of all datasets are known.
        test_seed: whether the noise is repeatable: the checksum says so.
        signature: an envelope that signs the manifest; empty if there is none.

    Raises:
        MachineError: the disk, the folder or a permission is in the way.
    """
    try:
        # Not "w+b": a file made anew would not be known as a partial one.
        with path.open("r+b", buffering=0) as file:
            file.truncate(0)  # what a killed worker left
            spool = _Spool(file)
            try:
                manifest = write_body(spool, content, completed, signature)
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


def write_body(
    file: BinaryIO | io.RawIOBase,
    content: Content,
    completed: Callable[[dict[str, str]], dict[str, Any]],
    signature: bytes = b"",
) -> dict[str, Any]:
    """Write everything after the text block, and return the manifest; as `write_bundle`."""
    # The oldest form, which every HDF5 library reads and `dissection` knows, whatever the library's newest is.
    with h5py.File(file, "w", userblock_size=USER_BLOCK, libver=("earliest", "v108")) as body:
        for path, attributes in content.groups.items():
            group = body.require_group(path)
            for name, value in attributes.items():
                group.attrs[name] = np.int64(value) if isinstance(value, int) else np.bytes_(value)
        datasets = {path: _DatasetWriter(body, path, form) for path, form in content.forms.items()}
        _refer_back(body, content.forms)
        for path, values in content.values:
            datasets[path].add(values)
            if isinstance(file, _Spool):
                file.check()
        manifest = completed({path: dataset.hexdigest() for path, dataset in datasets.items()})
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
        remaining = memoryview(data).cast("B")
        while remaining:
            remaining = remaining[self._file.write(remaining) :]

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
    """Add a dataset without attributes, in the one form that a bundle's datasets have."""
    dataset = _DatasetWriter(file, path, Form(dtype=array.dtype, shape=array.shape))
    dataset.add(array)
    dataset.hexdigest()


class _DatasetWriter:
    """Writes a dataset as its values come: into its header once all are there, or chunk by chunk as each is full."""

    def __init__(self, file: h5py.File, path: str, form: Form) -> None:
        if 0 in form.shape:
            raise ValueError(f"Expected a dataset of some values, found none in {path}")
        self._dtype = form.dtype.newbyteorder("<")
        self._shape, self._digest = form.shape, ValuesDigest(form.dtype, form.shape)
        self._is_compact, itemsize = form.is_compact, self._dtype.itemsize
        self._chunk = form.shape if form.is_compact else chunk_shape(form.shape, itemsize)
        self._pending: list[NDArray[Any]] = []  # values of the next chunk
        self._pending_count, self._chunk_number = 0, 0
        self._dataset = self._create(file, path)
        _describe(file, self._dataset, form)

    def _create(self, file: h5py.File, path: str) -> h5py.Dataset:
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_obj_track_times(False)
        if self._is_compact:
            creation.set_layout(h5py.h5d.COMPACT)
        else:
            creation.set_chunk(self._chunk)
            creation.set_fill_time(h5py.h5d.FILL_TIME_IFSET)
            creation.set_shuffle()
            creation.set_deflate(4)
            creation.set_fletcher32()
        linking = h5py.h5p.create(h5py.h5p.LINK_CREATE)
        linking.set_create_intermediate_group(True)
        dataspace = h5py.h5s.create_simple(self._shape)
        access = h5py.h5p.create(h5py.h5p.DATASET_ACCESS)
        # Whole chunks are written, each at once: their index grows in one way.
        access.set_chunk_cache(0, 0, 0.0)
        stored_dtype = stored_type(self._dtype)
        return h5py.Dataset(
            h5py.h5d.create(file.id, path.encode("ascii"), stored_dtype, dataspace, creation, linking, access)
        )

    def add(self, values: NDArray[Any]) -> None:
        """Take the next values, of any shape."""
        flat = np.ascontiguousarray(values, dtype=self._dtype).reshape(-1)
        self._digest.add(flat)
        while len(flat):
            missing = self._chunk_size - self._pending_count
            self._pending.append(flat[:missing].copy() if len(flat) < missing else flat[:missing])
            self._pending_count += len(self._pending[-1])
            flat = flat[missing:]
            if self._pending_count == self._chunk_size:
                self._write_chunk()

    def hexdigest(self) -> str:
        """Return the digest of all values.

        Raises:
            ValueError: some have not come.
        """
        if self._pending_count or self._chunk_number < math.prod(self._chunks_per_axis):
            raise ValueError("Expected more values of a dataset")
        return self._digest.hexdigest()

    @property
    def _chunks_per_axis(self) -> list[int]:
        return [-(-side // length) for side, length in zip(self._shape, self._chunk, strict=True)]

    @property
    def _chunk_size(self) -> int:
        """How many values the next chunk has."""
        return values_in_chunk(self._shape, self._chunk, self._chunk_number)

    def _write_chunk(self) -> None:
        index = np.unravel_index(self._chunk_number, self._chunks_per_axis)
        start = tuple(int(number) * length for number, length in zip(index, self._chunk, strict=True))
        sides = zip(start, self._chunk, self._shape, strict=True)
        extent = tuple(min(length, side - first) for first, length, side in sides)
        values = self._pending[0] if len(self._pending) == 1 else np.concatenate(self._pending)
        dataspace = h5py.h5s.create_simple(self._shape)
        dataspace.select_hyperslab(start, extent)
        self._dataset.id.write(
            h5py.h5s.create_simple(extent),
            dataspace,
            np.ascontiguousarray(values.reshape(extent)),
            stored_type(self._dtype),
        )
        self._pending, self._pending_count = [], 0
        self._chunk_number += 1


def stored_type(dtype: np.dtype[Any]) -> h5py.h5t.TypeID:
    """Return a type as a bundle stores it: texts are UTF-8, of one length."""
    if dtype.kind != "S":
        return h5py.h5t.py_create(dtype, logical=True)
    text_type = h5py.h5t.C_S1.copy()
    text_type.set_size(dtype.itemsize)
    text_type.set_strpad(h5py.h5t.STR_NULLPAD)
    text_type.set_cset(h5py.h5t.CSET_UTF8)
    return text_type


def _describe(file: h5py.File, dataset: h5py.Dataset, form: Form) -> None:
    """Write what a dataset says of itself, and along which scales it lies."""
    if form.axis:
        h5py.h5ds.set_scale(dataset.id, form.axis.encode("ascii"))
    for name in sorted(form.attributes, key=DATASET_ATTRIBUTES.index):  # in whatever order they were read
        dataset.attrs[name] = np.bytes_(form.attributes[name])
    if form.scales:
        references = np.empty(len(form.scales), dtype=object)
        for axis, path in enumerate(form.scales):
            references[axis] = np.array([file[path].ref], dtype=h5py.ref_dtype)
        dataset.attrs.create(DIMENSION_LIST, references, dtype=h5py.vlen_dtype(h5py.ref_dtype))


def _refer_back(file: h5py.File, forms: Mapping[str, Form]) -> None:
    """Write what every scale stands along: the datasets in the order of their headers."""
    users: dict[str, list[tuple[h5py.Reference, int]]] = {}
    for path in sorted(forms, key=lambda path: h5py.h5o.get_info(file[path].id).addr):
        for axis, scale in enumerate(forms[path].scales):
            users.setdefault(scale, []).append((file[path].ref, axis))
    pair_type = np.dtype([("dataset", h5py.ref_dtype), ("dimension", "<i4")], align=True)
    for scale, pairs in users.items():
        file[scale].attrs.create(REFERENCE_LIST, np.array(pairs, dtype=pair_type), dtype=pair_type)
