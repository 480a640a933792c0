"""HDF5 files of arrays, for reading."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import h5py
import numpy as np
from numpy.typing import NDArray

from synthrelease.data.readers.arrays import Arrays, Flaw, StoredArray, plain
from synthrelease.data.readers.opening import library_faults_as, opened
from synthrelease.errors import DataError

_MOST_OBJECTS, _MOST_DEPTH = 30_000, 32


class Hdf5(Arrays):
    """Reader of `.h5`: datasets by their paths, without the first slash.

    Nothing outside the file is read: external links and data are refused, soft links are left alone.
    """

    name = "h5"
    formats = ".h5, .hdf5"
    endings = (".h5", ".hdf5")
    broken = "bad-hdf5"
    article = "HDF5"

    @contextmanager
    def contents(self, path: Path, file: BinaryIO) -> Iterator[dict[str, StoredArray]]:
        """Return all datasets that can be reached by hard links, each once."""
        with h5py.File(file, "r") as body:
            datasets = dict(_datasets(path, body))
            yield {name: _stored_array(dataset) for name, dataset in sorted(datasets.items())}


def _datasets(path: Path, body: h5py.File) -> Iterator[tuple[str, h5py.Dataset]]:
    """Yield what can be reached by hard links, with its path; each object once."""
    seen, groups = set[int](), [("", body)]
    links = 0
    while groups:
        place, group = groups.pop(0)
        links += len(group)
        if links > _MOST_OBJECTS or place.count("/") > _MOST_DEPTH:
            raise DataError(
                "too-many-objects",
                "the file holds too many objects, or too many groups in each other",
                where=str(path),
                expected=f"at most {_MOST_OBJECTS} objects, {_MOST_DEPTH} groups deep",
                remedy="write what belongs together as one array, with an axis for each thing that distinguishes values",
            )
        for name in group:
            link = group.get(name, getlink=True)
            if isinstance(link, h5py.ExternalLink):
                raise DataError(
                    "external-link",
                    "a link leads out of the file",
                    where=f"{path}, {place}{name}",
                    expected="all data in this file",
                    remedy="copy the data into it: h5repack --merge, or h5copy",
                )
            if not isinstance(link, h5py.HardLink):
                continue
            item = group[name]
            address = h5py.h5o.get_info(item.id).addr
            if address in seen:
                continue
            seen.add(address)
            if isinstance(item, h5py.Dataset):
                yield f"{place}{name}", item
            elif isinstance(item, h5py.Group):
                groups.append((f"{place}{name}/", item))


def whole_numbers(path: Path, names: Sequence[str], rows: int) -> Iterator[list[NDArray[np.integer]]]:
    """Yield arrays of whole numbers of a file, of shape (N,) or (N, m), so many rows at a time; of no rows, once.

    Args:
        path: the file.
        names: of its datasets.
        rows: of a block.

    Raises:
        DataError, MachineError: the file has no such arrays, or cannot be read.
    """
    with opened(path) as file, library_faults_as(Hdf5().unreadable(path)), h5py.File(file, "r") as body:
        datasets = [_of_whole_numbers(path, body, name) for name in names]
        lengths = {len(dataset) for dataset in datasets}
        if len(lengths) > 1:
            raise DataError(
                "unequal-arrays",
                "the arrays are not of one length",
                where=str(path),
                expected="one row of each for every record",
                remedy="write arrays of the same records",
            )
        for start in range(0, max(lengths.pop(), 1), rows):
            yield [dataset[start : start + rows] for dataset in datasets]


def _of_whole_numbers(path: Path, body: h5py.File, name: str) -> Any:
    dataset = body.get(name)
    is_usable = isinstance(dataset, h5py.Dataset) and dataset.ndim in (1, 2) and dataset.dtype.kind in "iu"
    if not is_usable or _stored_array(dataset).flaw:
        raise DataError(
            "bad-array",
            f"the file has no array '{name}' of whole numbers",
            where=str(path),
            expected="an array of shape (records,), or (records, attributes), all of it in the file",
            remedy="name arrays of the file",
        )
    return dataset


def _stored_array(dataset: Any) -> StoredArray:
    shape = tuple(dataset.shape) if dataset.shape is not None else ()
    flaw = plain(dataset.dtype)
    if h5py.check_string_dtype(dataset.dtype) is not None and dataset.dtype.hasobject:
        # A damaged heap of them keeps the library busy for ever.
        flaw = Flaw("texts-of-any-length", "texts of any length")
    size_bytes = math.prod(shape) * max(dataset.dtype.itemsize, 1)
    return StoredArray(
        shape, size_bytes, flaw or _not_there(dataset, shape, size_bytes), lambda: np.asarray(dataset[()])
    )


def _not_there(dataset: Any, shape: tuple[int, ...], size_bytes: int) -> Flaw | None:
    """What of a dataset is not in the file: a small file may declare a large shape, and all of it would be allocated."""
    if dataset.shape is None:
        return Flaw("values-missing", "no values")
    if dataset.is_virtual or dataset.external:
        return Flaw("values-in-other-files", "values in other files")
    if dataset.chunks is None:
        complete = dataset.id.get_storage_size() == size_bytes
    else:
        expected = math.prod(-(-length // chunk) for length, chunk in zip(shape, dataset.chunks, strict=True))
        complete = dataset.id.get_num_chunks() == expected
    return None if complete else Flaw("values-missing", "fewer values than it declares")
