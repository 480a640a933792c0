"""What the HDF5 library makes of a bundle: it must be what was read by hand, since other programs read it by the library."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import h5py

from synthrelease.bundle.layout import USER_BLOCK, chunk_shape, is_compact
from synthrelease.bundle.strict_hdf5.anatomy import Anatomy, StoredDataset
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.bundle.strict_hdf5.messages import DIMENSION_LIST, REFERENCE_LIST

_FILTERS = [h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_FLETCHER32]


def disagreements(file: BundleFile) -> list[str]:
    """Return where the library sees other objects, types, shapes or bytes than those that were found by hand."""
    try:
        with h5py.File(_View(file), "r") as view:
            return list(_disagreements(view.id, file.anatomy))
    except (OSError, RuntimeError, ValueError, KeyError):
        return ["the HDF5 library cannot read the file"]


class _View(io.RawIOBase):
    """The bytes of the file that is already open: the library opens none."""

    def __init__(self, file: BundleFile) -> None:
        self._file, self._place = file, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._place = (
            offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._file.size}[whence]
        )
        return self._place

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer: Any) -> int:
        read = self._file.read(self._place, len(buffer))
        buffer[: len(read)] = read
        self._place += len(read)
        return len(read)


def _disagreements(file: h5py.h5f.FileID, anatomy: Anatomy) -> Iterator[str]:
    paths = {"/"}
    h5py.h5o.visit(file, lambda name: paths.add("/" + name.decode("utf-8", "replace")))
    expected = {*anatomy.groups, *anatomy.datasets}
    for path in sorted(paths ^ expected):
        yield f"{path}: the HDF5 library sees another list of objects"
    if paths != expected:
        return
    for path, attributes in anatomy.groups.items():
        group = h5py.h5o.open(file, path.encode())
        if not isinstance(group, h5py.h5g.GroupID) or h5py.h5a.get_num_attrs(group) != len(attributes):
            yield f"{path}: the HDF5 library sees no such group"
    for path, stored in anatomy.datasets.items():
        dataset = h5py.h5o.open(file, path.encode())
        if not isinstance(dataset, h5py.h5d.DatasetID) or not _is_alike(file, dataset, stored):
            yield f"{path}: the HDF5 library sees another dataset"


def _is_alike(file: h5py.h5f.FileID, dataset: h5py.h5d.DatasetID, stored: StoredDataset) -> bool:
    return (
        dataset.dtype == stored.dtype
        and dataset.shape == stored.shape
        and is_laid_out(dataset, chunk=stored.chunk)
        and (stored.is_compact or _has_chunks(dataset, stored))
        and _has_attributes(file, dataset, stored)
    )


def _has_attributes(file: h5py.h5f.FileID, dataset: h5py.h5d.DatasetID, stored: StoredDataset) -> bool:
    """Whether the library sees the scales and texts that were read by hand, and no other attribute."""
    attributes = dict(h5py.Dataset(dataset).attrs)
    users = attributes.pop(REFERENCE_LIST, ())
    scales = attributes.pop(DIMENSION_LIST, ())
    expected = dict(stored.attributes)
    if stored.axis:
        expected |= {"CLASS": "DIMENSION_SCALE", "NAME": stored.axis}
    led_to = [h5py.h5r.get_name(reference, file) for axis in scales for reference in axis]
    return (
        {name: value.decode() for name, value in attributes.items() if isinstance(value, bytes)} == expected
        and led_to == [path.encode() for path in stored.scales]
        and bool(len(users)) <= bool(stored.axis)
    )


def is_laid_out(dataset: h5py.h5d.DatasetID, *, chunk: tuple[int, ...] | None = None) -> bool:
    """Return whether a dataset is stored as a bundle stores one of its shape: in its header, or in chunks by its filters.

    Args:
        dataset: as the library sees it.
        chunk: shape of its chunks; default that of the newest format.
    """
    creation, itemsize = dataset.get_create_plist(), dataset.dtype.itemsize
    filters = [creation.get_filter(number)[0] for number in range(creation.get_nfilters())]
    if creation.get_external_count():
        return False
    if is_compact(dataset.shape, itemsize):
        return creation.get_layout() == h5py.h5d.COMPACT and not filters
    chunked = creation.get_layout() == h5py.h5d.CHUNKED and filters == _FILTERS
    return chunked and creation.get_chunk() == (chunk or chunk_shape(dataset.shape, itemsize))


def _has_chunks(dataset: h5py.h5d.DatasetID, stored: StoredDataset) -> bool:
    chunks: list[tuple[int, int]] = []
    dataset.chunk_iter(lambda chunk: chunks.append((chunk.byte_offset, chunk.size)))
    # From the beginning of the file, or of HDF5 up to version 1.14.2 of its library.
    return any(chunks == [(place - base, size) for place, size in stored.chunks] for base in (0, USER_BLOCK))
