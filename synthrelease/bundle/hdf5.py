"""The only reader and writer of HDF5.

A bundle is composed in memory and goes to disk through Python's own files, in one piece: a full disk is then an
exception and not a process that dies when the HDF5 library closes a file, and no old bytes lie in free space.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

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
    digest,
    is_marked_test_seed,
    user_block,
)
from synthrelease.errors import BundleError, MachineError

_CHUNK_BYTES = 1 << 20
_FILTERS = {h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32}
_TYPES = "iuf"  # integers and floating-point numbers
_MOST_BYTES = 1 << 36  # logical bytes that a bundle may ask a reader to allocate, all datasets together
_LARGEST_RATIO = 1100  # of logical to stored bytes: deflate cannot do better, a bomb must
_DEEPEST = 8


def compose(
    manifest: Mapping[str, Any], arrays: Mapping[str, NDArray[np.generic]], kinds: Mapping[str, str]
) -> bytes:
    """Return a complete bundle: user block and HDF5 image, the same bytes for the same content.

    Args:
        manifest: the manifest, with the digests of all arrays.
        arrays: datasets by absolute path.
        kinds: encoding type by output group, such as {"/outputs/attention": "heatmap"}.
    """
    with h5py.File("bundle", "w", driver="core", backing_store=False, userblock_size=USER_BLOCK) as file:
        file.attrs["format"] = np.bytes_(FORMAT)
        file.attrs["format_version"] = np.int64(FORMAT_VERSION)
        file.create_group(OUTPUTS)
        for group, kind in kinds.items():
            created = file.create_group(group)
            created.attrs["encoding_type"] = np.bytes_(kind)
            created.attrs["encoding_version"] = np.int64(ENCODING_VERSION)
        for path, array in arrays.items():
            _store(file, path, array)
        _store(file, MANIFEST, np.frombuffer(manifest_text.to_bytes(dict(manifest)), dtype=np.uint8))
        file.flush()
        body = file.id.get_file_image()
    return user_block(body, test_seed=bool(manifest["randomness"]["test_seed"])) + body


def _store(file: h5py.File, path: str, array: NDArray[np.generic]) -> None:
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    if little.size == 0:
        file.create_dataset(path, data=little)
        return
    file.create_dataset(
        path,
        data=little,
        chunks=_chunks(little.shape, little.itemsize),
        compression="gzip",
        compression_opts=4,
        shuffle=True,
        fletcher32=True,
    )


def _chunks(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Whole rows of about a mebibyte; small datasets are one chunk."""
    row = max(int(np.prod(shape[1:], dtype=np.int64)) * itemsize, 1)
    return (max(1, min(shape[0], _CHUNK_BYTES // row)), *shape[1:])


def write_atomically(
    path: Path, content: bytes, *, force: bool, check: Callable[[Path], None] | None = None
) -> None:
    """Write a file so that a reader sees the whole of it or nothing, and a crash leaves the old one.

    Args:
        path: the target.
        content: all of it.
        force: replace what is there.
        check: called with the complete temporary file; what it raises keeps the target as it was.

    Raises:
        MachineError: the target exists and `force` is not set, or the disk, the folder or a permission is in the way.
    """
    if path.exists() and not force:
        raise MachineError(
            "the file exists already",
            where=str(path),
            remedy="choose another name, or pass --force to replace it",
        )
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".partial", dir=path.parent)
    except OSError as error:
        raise _cannot_write(path, error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if check is not None:
            check(Path(name))
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise _cannot_write(path, error) from None
    finally:
        with suppress(OSError):
            Path(name).unlink()


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _cannot_write(path: Path, error: OSError) -> MachineError:
    return MachineError(
        "the file cannot be written",
        where=str(path),
        found=os.strerror(error.errno) if error.errno else "an error of the file system",
        remedy="make room, or choose a folder that exists and may be written; nothing was left behind",
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


def structure_faults(file: h5py.File) -> list[str]:
    """Return what a bundle must not contain: links that are not hard, odd types and filters, bombs.

    Nothing but metadata is read.
    """
    faults: list[str] = []
    seen: set[int] = set()
    logical = 0

    def visit(group: h5py.Group, depth: int) -> None:
        nonlocal logical
        if depth > _DEEPEST:
            faults.append("groups lie too deep")
            return
        for name in group:
            place = f"{group.name.rstrip('/')}/{name}"
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                faults.append(f"{place}: only hard links are allowed")
                continue
            member = group[name]
            address = h5py.h5o.get_info(member.id).addr
            if address in seen:
                faults.append(f"{place}: the object is linked twice")
                continue
            seen.add(address)
            if isinstance(member, h5py.Group):
                _attribute_faults(member, {"encoding_type", "encoding_version"}, faults)
                visit(member, depth + 1)
            elif isinstance(member, h5py.Dataset):
                _dataset_faults(member, faults)
                logical += member.size * member.dtype.itemsize
            else:
                faults.append(f"{place}: neither group nor dataset")

    _attribute_faults(file, {"format", "format_version"}, faults)
    visit(file["/"], 0)
    if logical > _MOST_BYTES:
        faults.append("the datasets together are too large")
    if not faults:
        if bytes(file.attrs.get("format", b"")) != FORMAT.encode():
            faults.append("the root does not say format = synthrelease")
        if set(file) != {MANIFEST.strip("/"), OUTPUTS.strip("/")}:
            faults.append("the root holds something else than /manifest and /outputs")
    return faults


def _attribute_faults(item: h5py.HLObject, allowed: set[str], faults: list[str]) -> None:
    for name in item.attrs:
        if name not in allowed:
            faults.append(f"{item.name}: an attribute that does not belong to the format")
            continue
        kind = item.attrs.get_id(name).dtype
        if kind.kind not in "iS" or item.attrs.get_id(name).shape != ():
            faults.append(f"{item.name}: attribute '{name}' is neither an integer nor a fixed-length string")


def _dataset_faults(dataset: h5py.Dataset, faults: list[str]) -> None:
    _attribute_faults(dataset, set(), faults)
    creation = dataset.id.get_create_plist()
    if dataset.dtype.kind not in _TYPES:
        faults.append(f"{dataset.name}: a type that is neither integer nor floating-point")
        return
    if dataset.is_virtual or creation.get_external_count():
        faults.append(f"{dataset.name}: values stored outside the file")
        return
    filters = {creation.get_filter(i)[0] for i in range(creation.get_nfilters())}
    if not filters <= _FILTERS:
        faults.append(f"{dataset.name}: a filter that is not deflate, shuffle or Fletcher-32")
    logical = dataset.size * dataset.dtype.itemsize
    if logical > 4096 and logical > _LARGEST_RATIO * dataset.id.get_storage_size():
        faults.append(f"{dataset.name}: far larger than what is stored of it")


def dataset_paths(file: h5py.File) -> list[str]:
    """Return the paths of all datasets, the manifest's excepted, in sorted order."""
    paths: list[str] = []
    file.visititems(lambda name, item: paths.append("/" + name) if isinstance(item, h5py.Dataset) else None)
    return sorted(path for path in paths if path != MANIFEST)


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
        return manifest_text.from_bytes(raw.tobytes())
    except ValueError as error:
        raise BundleError(str(error), where=MANIFEST) from None


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
    state = hashlib.sha256()
    with path.open("rb") as file:
        block = file.read(USER_BLOCK)
        while piece := file.read(1 << 20):
            state.update(piece)
    return block, state.hexdigest()
