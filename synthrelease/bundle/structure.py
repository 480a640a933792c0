"""What an HDF5 file must not contain to be read as a bundle: judged by metadata, before any value is read."""

from __future__ import annotations

from collections.abc import Iterator

import h5py
import numpy as np

from synthrelease.bundle.layout import FORMAT, FORMAT_VERSION, MANIFEST, OUTPUTS, chunk_shape

_FILTERS = {h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32}
_TYPES = {np.dtype(name) for name in ("i1", "<i2", "<i4", "<i8", "<f4", "<f8", "u1")}
_MOST_MANIFEST_BYTES = 1 << 24
_LEAST_CHUNK_BYTES = 5  # a checksum of four and something that it is of; the library crashes on less
_MOST_BYTES = 1 << 31  # logical bytes of a dataset, which a reader holds in memory
_LARGEST_RATIO = 1100  # of logical to stored bytes: deflate cannot do better, a bomb must
_SMALL = 4096  # bytes below which no ratio is asked for
_DEEPEST = 8


def structure_faults(file: h5py.File) -> list[str]:
    """Return the faults: links that are not hard, foreign types, filters and attributes, values elsewhere, bombs."""
    faults = list(_attribute_faults(file, {"format", "format_version"}))
    faults.extend(_group_faults(file["/"], 0, seen=set()))
    if faults:
        return faults
    if (bytes(file.attrs.get("format", b"")), file.attrs.get("format_version")) != (
        FORMAT.encode(),
        FORMAT_VERSION,
    ):
        return [f"the root does not say format = {FORMAT}, format_version = {FORMAT_VERSION}"]
    if set(file) != {MANIFEST.strip("/"), OUTPUTS.strip("/")}:
        return ["the root holds something else than /manifest and /outputs"]
    if not isinstance(file[MANIFEST], h5py.Dataset) or not isinstance(file[OUTPUTS], h5py.Group):
        return ["/manifest is no dataset or /outputs no group"]
    return []


def _group_faults(group: h5py.Group, depth: int, seen: set[int]) -> Iterator[str]:
    if depth > _DEEPEST:
        yield f"{group.name}: groups lie too deep"
        return
    for name in group:
        place = f"{group.name.rstrip('/')}/{name}"
        if not isinstance(group.get(name, getlink=True), h5py.HardLink):
            yield f"{place}: only hard links are allowed"
            continue
        member = group[name]
        address = h5py.h5o.get_info(member.id).addr
        if address in seen:
            yield f"{place}: the object is linked twice"
            continue
        seen.add(address)
        if isinstance(member, h5py.Group):
            yield from _attribute_faults(member, {"encoding_type", "encoding_version"})
            yield from _group_faults(member, depth + 1, seen)
        elif isinstance(member, h5py.Dataset):
            yield from _dataset_faults(member)
        else:
            yield f"{place}: neither group nor dataset"


def _attribute_faults(item: h5py.HLObject, allowed: set[str]) -> Iterator[str]:
    for name in item.attrs:
        if name not in allowed:
            yield f"{item.name}: an attribute that does not belong to the format"
            continue
        attribute = item.attrs.get_id(name)
        value = item.attrs[name] if attribute.shape == () and attribute.dtype.kind in "iS" else None
        exact = (
            np.dtype("<i8")
            if isinstance(value, np.integer)
            else np.dtype(f"S{max(len(bytes(value or b'')), 1)}")
        )
        if value is None or attribute.dtype != exact:
            yield f"{item.name}: attribute '{name}' is neither a 64-bit integer nor a string of its own length"


def _dataset_faults(dataset: h5py.Dataset) -> Iterator[str]:
    yield from _attribute_faults(dataset, set())
    creation = dataset.id.get_create_plist()
    exact = dataset.dtype in _TYPES and dataset.id.get_type().equal(h5py.h5t.py_create(dataset.dtype))
    if not exact:
        yield f"{dataset.name}: a type that is not a whole little-endian integer or floating-point number"
        return
    if dataset.is_virtual or creation.get_external_count():
        yield f"{dataset.name}: values stored outside the file"
        return
    if not {creation.get_filter(i)[0] for i in range(creation.get_nfilters())} <= _FILTERS:
        yield f"{dataset.name}: a filter that is not deflate, shuffle or Fletcher-32"
    logical = int(dataset.size) * int(dataset.dtype.itemsize)
    if dataset.name == MANIFEST and logical > _MOST_MANIFEST_BYTES:
        yield f"{dataset.name}: too large"
    yield from _chunk_faults(dataset)
    if logical > _MOST_BYTES:
        yield f"{dataset.name}: too large"
    if logical > _SMALL and logical > _LARGEST_RATIO * dataset.id.get_storage_size():
        yield f"{dataset.name}: far larger than what is stored of it"


def _chunk_faults(dataset: h5py.Dataset) -> Iterator[str]:
    if dataset.size == 0:
        return
    if dataset.chunks != chunk_shape(dataset.shape, dataset.dtype.itemsize):
        yield f"{dataset.name}: not cut into the chunks that a dataset of its shape has"
        return
    end = dataset.file.id.get_filesize()
    for number in range(dataset.id.get_num_chunks()):
        chunk = dataset.id.get_chunk_info(number)
        if chunk.filter_mask or chunk.size < _LEAST_CHUNK_BYTES or chunk.byte_offset + chunk.size > end:
            yield f"{dataset.name}: a chunk is not stored as the filters of its dataset store it"
            return
