"""The only reader and writer of HDF5.

A bundle goes to disk through Python's own files: a full disk is then an exception and not a process that dies when the HDF5
library closes a file. It is written once, from front to end, so that no old bytes lie in free space.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import h5py
import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle import manifest as manifest_text
from synthrelease.bundle.layout import (
    ENCODING_VERSION,
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
    OUTPUTS,
    USER_BLOCK,
    block_of,
    chunk_shape,
    digest,
    is_marked_test_seed,
    user_block,
)
from synthrelease.durable import cannot_write
from synthrelease.errors import BundleError

T = TypeVar("T")


def write_bundle(
    path: Path,
    arrays: Iterable[tuple[str, NDArray[np.generic]]],
    kinds: Mapping[str, str],
    *,
    completed: Callable[[dict[str, str]], dict[str, Any]],
    test_seed: bool,
) -> dict[str, Any]:
    """Write a bundle into a file, durably, and return its manifest; the same bytes for the same content.

    Arrays are written as they come, and none is held afterwards; then the manifest; then the seal.

    Args:
        path: the file, which is there and whose content is lost: a partial one.
        arrays: datasets with their absolute paths.
        kinds: encoding type by output group, such as {"/outputs/attention": "heatmap"}.
        completed: gives the manifest, once the digests of all arrays are known.
        test_seed: whether the noise is repeatable: the seal says so.

    Raises:
        MachineError: the disk, the folder or a permission is in the way.
    """
    try:
        with path.open("r+b", buffering=0) as file:  # made anew, nobody would know that it is partial
            file.truncate(0)  # what a worker left that was killed
            spool = _Spool(file)
            try:
                manifest = _write_body(spool, arrays, kinds, completed)
            finally:
                spool.check()  # whatever the library makes of it
            block = block_of(_digest_after_block(file), test_seed=test_seed)
            file.seek(0)
            file.write(block)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise cannot_write(path, error) from None
    return manifest


def _write_body(
    spool: _Spool,
    arrays: Iterable[tuple[str, NDArray[np.generic]]],
    kinds: Mapping[str, str],
    completed: Callable[[dict[str, str]], dict[str, Any]],
) -> dict[str, Any]:
    digests: dict[str, str] = {}
    with h5py.File(spool, "w", userblock_size=USER_BLOCK) as file:
        file.attrs["format"] = np.bytes_(FORMAT)
        file.attrs["format_version"] = np.int64(FORMAT_VERSION)
        file.create_group(OUTPUTS)
        for group, kind in kinds.items():
            created = file.create_group(group)
            created.attrs["encoding_type"] = np.bytes_(kind)
            created.attrs["encoding_version"] = np.int64(ENCODING_VERSION)
        for path, array in arrays:
            _store(file, path, array)
            digests[path] = digest(array)
            spool.check()
        manifest = completed(digests)
        _store(file, MANIFEST, np.frombuffer(manifest_text.to_bytes(manifest), dtype=np.uint8))
    return manifest


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


def _digest_after_block(file: BinaryIO) -> str:
    state = hashlib.sha256()
    file.seek(USER_BLOCK)
    while piece := file.read(1 << 20):
        state.update(piece)
    return state.hexdigest()


def _store(file: h5py.File, path: str, array: NDArray[np.generic]) -> None:
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    if little.size == 0:
        file.create_dataset(path, data=little)
        return
    file.create_dataset(
        path,
        data=little,
        chunks=chunk_shape(little.shape, little.itemsize),
        compression="gzip",
        compression_opts=4,
        shuffle=True,
        fletcher32=True,
    )


@contextmanager
def opened(path: Path) -> Iterator[h5py.File]:
    """Open a sealed file read-only; BundleError if the HDF5 library refuses it."""
    try:
        file = h5py.File(path, "r", locking=False)
    except (OSError, RuntimeError, ValueError):
        raise BundleError("the file is not HDF5 behind its seal", where=str(path)) from None
    try:
        yield file
    finally:
        file.close()


def dataset_paths(file: h5py.File) -> list[str]:
    """Return the paths of all datasets, the manifest's excepted, in sorted order."""
    paths: list[str] = []
    file.visititems(lambda name, item: paths.append("/" + name) if isinstance(item, h5py.Dataset) else None)
    return sorted(path for path in paths if path != MANIFEST)


def group_paths(file: h5py.File) -> list[str]:
    """Return the paths of all groups but the root, in sorted order."""
    paths: list[str] = []
    file.visititems(lambda name, item: paths.append("/" + name) if isinstance(item, h5py.Group) else None)
    return sorted(paths)


def read_array(file: h5py.File, path: str) -> NDArray[Any]:
    """Return a dataset; BundleError if its stored bytes are damaged."""
    try:
        array: NDArray[Any] = file[path][()]
    except (OSError, RuntimeError, KeyError, ValueError):
        raise BundleError("a dataset cannot be read", where=path) from None
    return array


def read_manifest(file: h5py.File) -> dict[str, Any]:
    """Return the manifest; BundleError if there is none or it is not strict JSON."""
    raw = read_array(file, MANIFEST)
    if raw.dtype != np.uint8 or raw.ndim != 1:
        raise BundleError("the manifest is not a row of bytes", where=MANIFEST)
    try:
        manifest = manifest_text.from_bytes(raw.tobytes())
        if manifest_text.to_bytes(manifest) != raw.tobytes():
            raise ValueError("the manifest is not written in the one form that a manifest has")  # noqa: TRY301
    except ValueError as error:
        raise BundleError(str(error), where=MANIFEST) from None
    return manifest


def encoding(file: h5py.File, output_group: str) -> tuple[str, int]:
    """Return encoding type and version of an output's group; ("", 0) if it has none."""
    attributes = file[output_group].attrs if output_group in file else {}
    kind = attributes.get("encoding_type", b"")
    return bytes(kind).decode("ascii", "replace"), int(attributes.get("encoding_version", 0))


def reseal(path: str | Path, manifest: Mapping[str, Any] | None = None) -> None:
    """Renew digests and seal of a file whose content was changed: for tests of forged content.

    Args:
        path: the bundle, changed in place.
        manifest: what to write as its manifest; default the one that is there. Its digests are computed anew.
    """
    path = Path(path)
    with h5py.File(path, "r+", locking=False) as file:
        renewed = dict(manifest if manifest is not None else read_manifest(file))
        renewed["digests"] = {p: digest(read_array(file, p)) for p in dataset_paths(file)}
        del file[MANIFEST]
        _store(file, MANIFEST, np.frombuffer(manifest_text.to_bytes(renewed), dtype=np.uint8))
    content = path.read_bytes()
    marked = is_marked_test_seed(content[:USER_BLOCK])
    path.write_bytes(user_block(content[USER_BLOCK:], test_seed=marked) + content[USER_BLOCK:])


def body_digest(path: Path) -> tuple[bytes, str]:
    """Return the user block and the SHA-256 of everything after it, without touching HDF5."""
    with path.open("rb") as file:
        return file.read(USER_BLOCK), _digest_after_block(file)
