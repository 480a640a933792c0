"""Renewing the checksums of a file that was changed: for tests of forged content, and for forgers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle import manifest as manifest_text
from synthrelease.bundle.content import Attributes, Content
from synthrelease.bundle.layout import (
    MANIFEST,
    SIGNATURE,
    USER_BLOCK,
    digest,
    is_marked_test_seed,
    user_block,
)
from synthrelease.bundle.strict_hdf5.anatomy import Form
from synthrelease.bundle.strict_hdf5.library import is_laid_out
from synthrelease.bundle.strict_hdf5.messages import (
    DATASET_ATTRIBUTES,
    DIMENSION_LIST,
    REFERENCE_LIST,
    Message,
)
from synthrelease.bundle.writer import clear_gaps, store, stored_type, write_body
from synthrelease.errors import BundleError


def reseal(path: str | Path, manifest: Mapping[str, Any] | None = None) -> None:
    """Renew digests and checksum of a file whose content was changed: for tests of forged content.

    A library that changes a file leaves gaps in it. If there is nothing in it but what a bundle may have, it is
    written anew without them; whatever else is there stays as it is, bytes behind the end of HDF5 included.

    Args:
        path: the bundle, changed in place.
        manifest: what to write as its manifest; default the one that is there. Its digests are computed anew.
    """
    path = Path(path)
    before = path.read_bytes()
    marked = is_marked_test_seed(before[:USER_BLOCK])
    end = int.from_bytes(before[USER_BLOCK + 40 : USER_BLOCK + 48], "little")
    with h5py.File(path, "r", locking=False) as file:
        content, arrays, plain = _content(file)
        old = arrays.pop(MANIFEST).tobytes()
        signature = arrays.pop(SIGNATURE, np.zeros(0, dtype=np.uint8)).tobytes()
    renewed = dict(manifest if manifest is not None else manifest_text.from_bytes(old))
    renewed["digests"] = {name: digest(array) for name, array in sorted(arrays.items())}
    if plain:
        with path.open("w+b") as new:
            write_body(new, content, lambda _: renewed, signature)
            with suppress(BundleError):  # what no bundle may have, a forgery may
                clear_gaps(new)
            new.seek(0, os.SEEK_END)
            new.write(before[end:])
    else:
        with h5py.File(path, "r+", locking=False) as file:
            del file[MANIFEST]
            store(file, MANIFEST, np.frombuffer(manifest_text.to_bytes(renewed), dtype=np.uint8))
    body = path.read_bytes()[USER_BLOCK:]
    path.write_bytes(user_block(body, test_seed=marked) + body)


def _content(file: h5py.File) -> tuple[Content, dict[str, NDArray[Any]], bool]:
    """Return what is to be written anew, all arrays, and whether that is all there is."""
    groups = {"/": _attributes(file["/"])}
    arrays: dict[str, NDArray[Any]] = {}
    forms: dict[str, Form] = {}
    plain = _is_plain_group(file["/"])
    for path, item in _objects(file["/"], {h5py.h5o.get_info(file.id).addr}):
        if isinstance(item, h5py.Dataset):
            arrays[path] = item[()]
            form = _form(item)
            plain = plain and form is not None and _is_plain_dataset(item)
            if form is not None and path not in (MANIFEST, SIGNATURE):
                forms[path] = form
        elif isinstance(item, h5py.Group):
            groups[path] = _attributes(item)
            plain = plain and _is_plain_group(item)
        else:
            plain = False
    ordered = {path: forms[path] for path in sorted(forms, key=lambda path: not forms[path].axis)}
    return Content(groups, ordered, [(path, arrays[path]) for path in ordered]), arrays, plain


def _objects(group: h5py.Group, visited: set[int]) -> Iterator[tuple[str, h5py.HLObject | None]]:
    """Yield path and object of all that is below a group; None in place of what is no hard link, or a second one to an object."""
    for name in group:
        path = f"{group.name.rstrip('/')}/{name}"
        is_hard_link = isinstance(group.get(name, getlink=True), h5py.HardLink)
        item = group[name] if is_hard_link else None
        if item is None or h5py.h5o.get_info(item.id).addr in visited:
            yield path, None
            continue
        visited.add(h5py.h5o.get_info(item.id).addr)
        yield path, item
        if isinstance(item, h5py.Group):
            yield from _objects(item, visited)


def _form(dataset: h5py.Dataset) -> Form | None:
    """What a dataset is, if it has no attributes but those that one of a bundle may have."""
    attributes = dict(dataset.attrs)
    attributes.pop(REFERENCE_LIST, None)
    scales = attributes.pop(DIMENSION_LIST, ())
    if not all(isinstance(value, bytes) and value.isascii() for value in attributes.values()):
        return None
    if set(attributes) - set(DATASET_ATTRIBUTES) or any(len(axis) != 1 for axis in scales):
        return None
    texts = {name: value.decode("ascii") for name, value in attributes.items()}
    is_scale = texts.pop("CLASS", "") == "DIMENSION_SCALE"
    return Form(
        dtype=dataset.dtype,
        shape=dataset.shape,
        axis=texts.pop("NAME", "") if is_scale else "",
        scales=tuple(dataset.file[axis[0]].name for axis in scales),
        attributes=texts,
    )


def _attributes(group: h5py.Group) -> Attributes:
    """Those that a bundle may have; if there are others, the group is not plain."""
    return {
        name: int(value) if isinstance(value, np.integer) else bytes(value)
        for name, value in group.attrs.items()
        if isinstance(value, np.integer | bytes)
    }


def _is_plain_group(group: h5py.Group) -> bool:
    for name, value in group.attrs.items():
        kind = group.attrs.get_id(name).get_type()
        expected = np.dtype("<i8") if isinstance(value, np.integer) else np.asarray(value).dtype
        if np.ndim(value) or expected.kind not in "iS" or not kind.equal(h5py.h5t.py_create(expected)):
            return False
        if expected.kind == "S" and kind.get_size() != len(value):
            return False
    return _has_only(group, Message.NIL, Message.ATTRIBUTE, Message.CONTINUATION, Message.SYMBOL_TABLE)


def _is_plain_dataset(dataset: h5py.Dataset) -> bool:
    stored = dataset.dtype if dataset.dtype.kind == "S" else dataset.dtype.newbyteorder("<")
    return (
        dataset.dtype.kind in "iufS"
        and dataset.id.get_type().equal(stored_type(stored))
        and dataset.size > 0
        and dataset.maxshape == dataset.shape
        and is_laid_out(dataset.id)
        and _has_only(
            dataset,
            Message.NIL,
            Message.ATTRIBUTE,
            Message.DATASPACE,
            Message.DATATYPE,
            Message.FILL_VALUE,
            Message.LAYOUT,
            Message.PIPELINE,
            Message.CONTINUATION,
        )
    )


def _has_only(item: h5py.HLObject, *allowed: Message) -> bool:
    """Whether the header has no other messages: no comment, no time of change."""
    present = int(h5py.h5o.get_info(item.id).hdr.mesg.present)
    return not present & ~sum(1 << kind for kind in allowed)
