"""Files that someone made to harm whoever reads them: each a function that writes one, beside a bundle that it may change.

All are sealed, so that it is not the seal that refuses them, but those that are no regular files.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import h5py
import numpy as np
from forging import output, parameters
from layouts import layout
from mutants import sealed, text_of, written

from synthrelease.bundle import writer
from synthrelease.bundle.layout import USER_BLOCK, block_of
from synthrelease.bundle.strict_hdf5.anatomy import Form, Structure
from synthrelease.bundle.strict_hdf5.bundle_file import _fletcher32

SYSTEM_FILE = "/etc/passwd"  # what a reader could be talked into opening
_BUNDLE = "maps"
GROUP = "/outputs/still"
DATASET = f"{GROUP}/heatmap"  # one in chunks
SCALE = f"{GROUP}/stimulus"  # what its first axis refers to
_FILTERS = {"compression": "gzip", "compression_opts": 4, "shuffle": True, "fletcher32": True}

Write = Callable[[Path], object]


def seal(path: Path, body: bytes) -> None:
    """Write a file whose text block fits the rest."""
    path.write_bytes(sealed(body, marked=False))


def _raw() -> bytes:
    return layout(_BUNDLE).raw


def _within(change: Callable[[h5py.File], object], **options: Any) -> Write:
    """A bundle that the library changed."""

    def write(path: Path) -> None:
        path.write_bytes(_raw())
        with h5py.File(path, "r+", locking=False, **options) as file:
            change(file)
        seal(path, path.read_bytes()[USER_BLOCK:])

    return write


def _file(fill: Callable[[h5py.File], object], *, userblock: int = USER_BLOCK, **options: Any) -> Write:
    """A file that the library wrote, with what every bundle has in it, and something else."""

    def write(path: Path) -> None:
        with h5py.File(path, "w", userblock_size=userblock, **options) as file:
            file.attrs["format"], file.attrs["format_version"] = np.bytes_(b"synthrelease"), np.int64(1)
            file["manifest"] = np.frombuffer(text_of(layout(_BUNDLE).manifest), dtype=np.uint8)
            file.create_group("outputs")
            fill(file)
        seal(path, path.read_bytes()[USER_BLOCK:])

    return write


# --- what HDF5 can do and a bundle must not


def _virtual(file: h5py.File) -> None:
    of = h5py.VirtualLayout(shape=(4,), dtype="u1")
    of[:] = h5py.VirtualSource(SYSTEM_FILE, "data", shape=(4,))
    file.create_virtual_dataset(f"{GROUP}/virtual", of)


def _virtual_of_bundle(file: h5py.File) -> None:
    """The values of a listed dataset, from elsewhere."""
    array = file[DATASET][()]
    del file[DATASET]
    of = h5py.VirtualLayout(shape=array.shape, dtype=array.dtype)
    of[:] = h5py.VirtualSource("/tmp/elsewhere.h5", "noisy", shape=array.shape)  # noqa: S108  never read
    file.create_virtual_dataset(DATASET, of)


def _external_storage(file: h5py.File) -> None:
    array = file[DATASET][()]
    del file[DATASET]
    file.create_dataset(DATASET, array.shape, array.dtype, external=[(SYSTEM_FILE, 0, array.nbytes)])


def _terabyte(file: h5py.File) -> None:
    file.create_dataset(f"{GROUP}/huge", (1 << 37,), "<i8", chunks=(1 << 17,), compression="gzip")


def _terabyte_in_its_place(file: h5py.File) -> None:
    del file[DATASET]
    file.create_dataset(
        DATASET,
        (1 << 20, 1 << 17),
        "<i8",
        chunks=(1, 1 << 17),
        compression="gzip",
        shuffle=True,
        fletcher32=True,
    )


def _link_cycle(file: h5py.File) -> None:
    file[f"{GROUP}/up"] = file["/outputs"]


def _group_in_itself(file: h5py.File) -> None:
    file["/outputs/still/itself"] = file["/outputs/still"]


def _deep(file: h5py.File) -> None:
    group = file["/outputs"]
    for _ in range(3000):
        group = group.create_group("x")


def _attribute(name: str, value: Any) -> Callable[[h5py.File], None]:
    def write(file: h5py.File) -> None:
        file["/outputs/still"].attrs[name] = value

    return write


def _many_attributes(file: h5py.File) -> None:
    for number in range(2000):
        file["/outputs/still"].attrs[f"a{number}"] = number


def _of_type(dtype: Any, values: Any = None) -> Callable[[h5py.File], None]:
    def write(file: h5py.File) -> None:
        file.create_dataset(f"{GROUP}/other", shape=(3,), dtype=dtype)
        if values is not None:
            file[f"{GROUP}/other"][...] = values

    return write


def _references(file: h5py.File) -> None:
    references = file.create_dataset(f"{GROUP}/references", (2,), h5py.ref_dtype)
    references[0] = file[DATASET].ref


def _region_references(file: h5py.File) -> None:
    references = file.create_dataset(f"{GROUP}/regions", (1,), h5py.regionref_dtype)
    references[0] = file[DATASET].regionref[0:1]


def _stored(**options: Any) -> Callable[[h5py.File], None]:
    """A listed dataset that is stored in another form."""

    def write(file: h5py.File) -> None:
        array = file[DATASET][()]
        del file[DATASET]
        file.create_dataset(DATASET, data=array, chunks=array.shape, **options)

    return write


def _unknown_filter(number: int) -> Callable[[h5py.File], None]:
    """Bytes that only a plug-in could read, which the library would look for in files."""

    def write(file: h5py.File) -> None:
        array = np.ascontiguousarray(file[DATASET][()])
        del file[DATASET]
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_chunk(array.shape)
        creation.set_filter(number, h5py.h5z.FLAG_OPTIONAL, (1, 2, 3))
        space = h5py.h5s.create_simple(array.shape)
        made = h5py.h5d.create(file.id, DATASET.encode(), h5py.h5t.py_create(array.dtype), space, creation)
        made.write_direct_chunk((0,) * array.ndim, array.tobytes())

    return write


def _nbit(file: h5py.File) -> None:
    kind = h5py.h5t.STD_I32LE.copy()
    kind.set_precision(17)
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_chunk((8,))
    creation.set_filter(h5py.h5z.FILTER_NBIT)
    h5py.h5d.create(file[GROUP].id, b"nbit", kind, h5py.h5s.create_simple((8,)), creation)


def _space(shape: Any) -> Callable[[h5py.File], None]:
    def write(file: h5py.File) -> None:
        if shape is None:
            file[f"{GROUP}/other"] = h5py.Empty("<i4")
        else:
            file.create_dataset(f"{GROUP}/other", shape=shape, dtype="<i4")

    return write


def _many_chunks(file: h5py.File) -> None:
    file.create_dataset(f"{GROUP}/chunks", shape=(1 << 31,), dtype="u1", chunks=(1,), compression="gzip")
    file[f"{GROUP}/chunks"][:3000] = 1


def _comment(file: h5py.File) -> None:
    h5py.h5o.set_comment(file[GROUP].id, b"patient 17 was left-handed")


def _creation_order(file: h5py.File) -> None:
    file.create_group("/outputs/ordered", track_order=True)


# --- attributes, references and dimension scales


def _anew(**patched: Any) -> Write:
    """A bundle written anew by the library, with something of the writer exchanged: nothing old is left in it."""

    def write(path: Path) -> None:
        original = layout(_BUNDLE)
        with patch.multiple(writer, **patched):
            path.write_bytes(written(original, dict(original.arrays), text_of(original.manifest)))

    return write


def _described(
    place: str, change: Callable[[h5py.Dataset], object] = lambda _: None, *, without: str = ""
) -> Write:
    """A dataset says something else of itself, in place of one of its attributes or beside them."""
    honest = writer._describe

    def describe(file: h5py.File, dataset: h5py.Dataset, form: Form) -> None:
        if dataset.name == place:
            attributes = {name: value for name, value in form.attributes.items() if name != without}
            scales = () if without == "DIMENSION_LIST" else form.scales
            axis = "" if without in {"CLASS", "NAME"} else form.axis
            honest(file, dataset, replace(form, attributes=attributes, scales=scales, axis=axis))
            if without == "CLASS":
                _text_attribute(dataset, "NAME", _text_type(len(form.axis) + 1), form.axis.encode())
            elif without == "NAME":
                _text_attribute(dataset, "CLASS", _text_type(16), b"DIMENSION_SCALE")
            change(dataset)
        else:
            honest(file, dataset, form)

    return _anew(_describe=describe)


def _role(value: Any) -> Write:
    return _described(DATASET, lambda dataset: dataset.attrs.__setitem__("role", value), without="role")


def _role_of_type(kind: h5py.h5t.TypeID, value: bytes) -> Write:
    return _described(DATASET, lambda dataset: _text_attribute(dataset, "role", kind, value), without="role")


def _name_of_type(kind: h5py.h5t.TypeID, value: bytes) -> Write:
    return _described(SCALE, lambda dataset: _text_attribute(dataset, "NAME", kind, value), without="NAME")


def _text_attribute(dataset: h5py.Dataset, name: str, kind: h5py.h5t.TypeID, value: bytes) -> None:
    created = h5py.h5a.create(dataset.id, name.encode(), kind, h5py.h5s.create(h5py.h5s.SCALAR))
    created.write(np.array(value, dtype=f"S{kind.get_size()}"), mtype=kind)


def _text_type(
    size: int, padding: int = h5py.h5t.STR_NULLTERM, letters: int = h5py.h5t.CSET_ASCII
) -> h5py.h5t.TypeID:
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(size)
    kind.set_strpad(padding)
    kind.set_cset(letters)
    return kind


def _axes(*references: list[str]) -> Write:
    """The axes of a dataset refer to something else, each to so many things; what is referred to says so."""

    def refer(dataset: h5py.Dataset) -> None:
        stored = np.empty(len(references), dtype=object)
        for axis, paths in enumerate(references):
            led_to = [dataset.file[path].ref if path else h5py.Reference() for path in paths]
            stored[axis] = np.array(led_to, dtype=h5py.ref_dtype)
        dataset.attrs.create("DIMENSION_LIST", stored, dtype=h5py.vlen_dtype(h5py.ref_dtype))

    write = _described(DATASET, refer, without="DIMENSION_LIST")
    honest, led_to = writer._refer_back, tuple(paths[0] if paths else "" for paths in references)

    def refer_back(file: h5py.File, forms: Mapping[str, Form]) -> None:
        named = replace(forms[DATASET], scales=tuple(path for path in led_to if path in forms))
        honest(file, {**forms, DATASET: named})

    def both(path: Path) -> None:
        with patch.object(writer, "_refer_back", refer_back):
            write(path)

    return both


def _users(change: Callable[[list[Any], h5py.File], list[Any]]) -> Write:
    """A scale says that it stands along something else."""
    honest = writer._refer_back

    def refer_back(file: h5py.File, forms: Mapping[str, Form]) -> None:
        others = {
            path: replace(form, scales=tuple(one for one in form.scales if one != SCALE))
            for path, form in forms.items()
        }
        honest(file, {path: form for path, form in others.items() if not path.startswith(GROUP)})
        users: dict[str, list[Any]] = {}
        for path in sorted(forms, key=lambda path: h5py.h5o.get_info(file[path].id).addr):
            if path.startswith(GROUP):
                for axis, scale in enumerate(forms[path].scales):
                    users.setdefault(scale, []).append((file[path].ref, axis))
        pair = np.dtype([("dataset", h5py.ref_dtype), ("dimension", "<i4")], align=True)
        for scale, pairs in users.items():
            stated = change(pairs, file) if scale == SCALE else pairs
            if stated:
                file[scale].attrs.create("REFERENCE_LIST", np.array(stated, dtype=pair), dtype=pair)

    return _anew(_refer_back=refer_back)


def _labels(padding: int, letters: int, *, more: int = 0) -> Write:
    """Lists of labels of another type of texts, so many bytes longer."""
    honest = writer.stored_type

    def kind(dtype: np.dtype[Any]) -> h5py.h5t.TypeID:
        return _text_type(dtype.itemsize + more, padding, letters) if dtype.kind == "S" else honest(dtype)

    return _anew(stored_type=kind)


def _itself(dataset: h5py.Dataset) -> None:
    """Along its one axis a scale has itself."""
    references = np.empty(1, dtype=object)
    references[0] = np.array([dataset.ref], dtype=h5py.ref_dtype)
    dataset.attrs.create("DIMENSION_LIST", references, dtype=h5py.vlen_dtype(h5py.ref_dtype))


def _described_outside(name: str, **form: Any) -> Write:
    """Manifest or signature say something of themselves."""

    def write(path: Path) -> None:
        original = layout("maps" if name == "manifest" else "signed")
        known = original.anatomy.datasets[f"/{name}"]
        changed = {**original.anatomy.datasets, f"/{name}": replace(known, **form)}
        described = replace(original, anatomy=replace(original.anatomy, datasets=changed))
        path.write_bytes(written(described, dict(original.arrays), text_of(original.manifest)))

    return write


_NULL_PADDED, _NULL_ENDED, _SPACES = h5py.h5t.STR_NULLPAD, h5py.h5t.STR_NULLTERM, h5py.h5t.STR_SPACEPAD
_ASCII, _UTF_8 = h5py.h5t.CSET_ASCII, h5py.h5t.CSET_UTF8
_Y, _X = [f"{GROUP}/y_px"], [f"{GROUP}/x_px"]


DIMENSIONS: dict[str, Write] = {
    "an attribute of a dataset that there is not": _described(
        DATASET, lambda d: d.attrs.__setitem__("note", np.bytes_(b"left-handed"))
    ),
    "a number as an attribute of a dataset": _described(
        DATASET, lambda d: d.attrs.__setitem__("format_version", np.int64(1))
    ),
    "an attribute of a group on a dataset": _described(
        DATASET, lambda d: d.attrs.__setitem__("encoding_type", np.bytes_(b"heatmap"))
    ),
    "an attribute of a dataset on a group": _within(
        lambda f: f[GROUP].attrs.__setitem__("role", np.bytes_(b"estimate"))
    ),
    "an attribute of a scale on a group": _within(
        lambda f: _text_attribute(f[GROUP], "CLASS", _text_type(16), b"DIMENSION_SCALE")
    ),
    "a role of 60 KB": _role(np.bytes_(b"x" * 60_000)),
    "a role that is empty": _role_of_type(_text_type(1, _NULL_PADDED), b""),
    "a role with room behind it": _role_of_type(_text_type(40, _NULL_PADDED), b"estimate"),
    "a role with words behind its end": _role_of_type(
        _text_type(40, _NULL_PADDED), b"estimate\0patient 17 was left-handed"
    ),
    "a role of several words": _role(np.bytes_(b"left handed")),
    "a role that steers a terminal": _role(np.bytes_(b"\x1b[2J")),
    "a role that is not ASCII": _role(np.bytes_("é".encode())),
    "a role in UTF-8": _role_of_type(_text_type(8, _NULL_PADDED, _UTF_8), b"estimate"),
    "a role that ends with a zero": _role_of_type(_text_type(9, _NULL_ENDED), b"estimate"),
    "a role that ends with spaces": _role_of_type(_text_type(8, _SPACES), b"estimate"),
    "a role of variable length": _role("estimate"),
    "roles, a list of them": _role(np.array([b"estimate"])),
    "a role that is a number": _role(np.int64(1)),
    "a role of another output's": _role(np.bytes_(b"noisy")),
    "no role": _described(DATASET, without="role"),
    "another name in words": _described(
        DATASET,
        lambda d: d.attrs.__setitem__("long_name", np.bytes_(b"patient 17 was left-handed")),
        without="long_name",
    ),
    "a name in words with a line of its own": _described(
        DATASET, lambda d: d.attrs.__setitem__("long_name", np.bytes_(b"a map\n")), without="long_name"
    ),
    "no name in words": _described(DATASET, without="long_name"),
    "no class of a scale": _described(SCALE, without="CLASS"),
    "another class of a scale": _described(
        SCALE, lambda d: _text_attribute(d, "CLASS", _text_type(6), b"IMAGE"), without="CLASS"
    ),
    "no name of a scale": _described(SCALE, without="NAME"),
    "a name of a scale with words behind its end": _name_of_type(_text_type(40), b"stimulus\0patient 17"),
    "a name of a scale with room behind it": _name_of_type(_text_type(40), b"stimulus"),
    "a name of a scale that does not end": _name_of_type(_text_type(8, _NULL_PADDED), b"stimulus"),
    "another name of a scale": _name_of_type(_text_type(9), b"patient1"),
    "a name of what is no scale": _described(
        DATASET, lambda d: _text_attribute(d, "NAME", _text_type(9), b"stimulus")
    ),
    "labels of axes": _within(lambda f: f[DATASET].dims[0].__setattr__("label", "patient 17")),
    "an axis without a reference": _axes([SCALE], [], _X),
    "an axis with two scales": _axes([SCALE, SCALE], _Y, _X),
    "an axis that refers to nothing": _axes([SCALE], [""], _X),
    "an axis that refers to a group": _axes([GROUP], _Y, _X),
    "an axis that refers to the root": _axes(["/"], _Y, _X),
    "an axis that refers to its dataset": _axes([DATASET], _Y, _X),
    "an axis that refers to what is no scale": _axes(["/outputs/pixels/noisy"], _Y, _X),
    "an axis that refers to another output": _axes(["/outputs/pixels/stimulus"], _Y, _X),
    "axes in another order": _axes([SCALE], _X, _Y),
    "fewer axes than the dataset has": _axes([SCALE], _Y),
    "axes that the dataset does not have": _axes([SCALE], _Y, _X, _X),
    "a thousand axes": _axes(*[[SCALE]] * 1000),
    "no axes": _axes(),
    "a scale of itself": _described(SCALE, _itself),
    "a scale that stands along nothing": _users(lambda _pairs, _file: []),
    "a scale that leaves a dataset out": _users(lambda pairs, _file: pairs[:-1]),
    "a scale that names a dataset twice": _users(lambda pairs, _file: [*pairs, pairs[0]]),
    "a scale that names datasets in another order": _users(lambda pairs, _file: pairs[::-1]),
    "a scale that names another axis": _users(lambda pairs, _file: [(pairs[0][0], 2), *pairs[1:]]),
    "a scale that names an axis before the first": _users(
        lambda pairs, _file: [(pairs[0][0], -1), *pairs[1:]]
    ),
    "a scale that names what it does not stand along": _users(
        lambda pairs, file: [*pairs, (file["/outputs/pixels/noisy"].ref, 0)]
    ),
    "a scale that names a group": _users(lambda pairs, file: [*pairs, (file["/outputs"].ref, 0)]),
    "a scale that names nothing": _users(lambda pairs, _file: [*pairs, (h5py.Reference(), 0)]),
    "a scale that names 3000 axes": _users(lambda pairs, _file: pairs * 1000),
    "labels that end with a zero": _labels(_NULL_ENDED, _UTF_8, more=1),
    "labels that end with spaces": _labels(_SPACES, _UTF_8),
    "labels in ASCII": _labels(_NULL_PADDED, _ASCII),
    "labels of 5000 bytes": _labels(_NULL_PADDED, _UTF_8, more=5000),
    "labels with room behind them": _labels(_NULL_PADDED, _UTF_8, more=1),
    "labels of variable length": _within(
        lambda f: (f.__delitem__(SCALE), f.create_dataset(SCALE, data=["garden", "a/b"]))
    ),
    **{
        f"{what} of the {one}": _described_outside(one, **{form: value})
        for one in ("manifest", "signature")
        for what, form, value in (
            ("a role", "attributes", {"role": "left-handed"}),
            ("a unit", "attributes", {"units": "patient17"}),
            ("an axis", "axis", "patient17"),
        )
    },
}


def _user_defined_link(path: Path) -> None:
    """A link of a class that no one knows: an external one with its class changed."""
    _within(lambda file: file.__setitem__(f"{GROUP}/link", h5py.ExternalLink("marker-of-a-file", "/x")))(path)
    raw = path.read_bytes()
    seal(path, raw[USER_BLOCK:].replace(b"marker-of-a-file", b"\xff" * 16))


def _small_sizes(path: Path) -> None:
    creation = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    creation.set_userblock(USER_BLOCK)
    creation.set_sizes(4, 4)
    with h5py.File(h5py.h5f.create(os.fsencode(path), h5py.h5f.ACC_TRUNC, fcpl=creation)) as file:
        file.create_group("outputs")
        file["manifest"] = np.zeros(3, dtype=np.uint8)
    seal(path, path.read_bytes()[USER_BLOCK:])


HDF5: dict[str, Write] = {
    "an external link to a system file": _within(
        lambda f: f.__setitem__(f"{GROUP}/x", h5py.ExternalLink(SYSTEM_FILE, "/"))
    ),
    "an external link in the place of a dataset": _within(
        lambda f: (
            f.__delitem__(DATASET),
            f.__setitem__(DATASET, h5py.ExternalLink("elsewhere.h5", "/noisy")),
        )
    ),
    "an external link to itself": _within(
        lambda f: f.__setitem__(f"{GROUP}/x", h5py.ExternalLink("r.h5", GROUP))
    ),
    "an external link of broken words": _user_defined_link,
    "a soft link": _within(lambda f: f.__setitem__(f"{GROUP}/x", h5py.SoftLink("/manifest"))),
    "a soft link to nothing": _within(lambda f: f.__setitem__(f"{GROUP}/x", h5py.SoftLink("/nothing"))),
    "a soft link to itself": _within(lambda f: f.__setitem__(f"{GROUP}/x", h5py.SoftLink(f"{GROUP}/x"))),
    "a virtual dataset of a system file": _within(_virtual),
    "a listed dataset that is virtual": _within(_virtual_of_bundle),
    "a listed dataset that lies in a system file": _within(_external_storage),
    "a tebibyte that is not there": _within(_terabyte),
    "a tebibyte in the place of a dataset": _within(_terabyte_in_its_place),
    "a cycle of hard links": _within(_link_cycle),
    "a group within itself": _within(_group_in_itself),
    "3000 groups deep": _within(_deep),
    "a dataset under two names": _within(lambda f: f.__setitem__(f"{GROUP}/twice", f[DATASET])),
    "strings of variable length": _within(_of_type(h5py.string_dtype(), "canary")),
    "sequences of variable length": _within(_of_type(h5py.vlen_dtype(np.int32))),
    "an attribute of variable length": _within(_attribute("note", "canary")),
    "an attribute of 60 KB": _within(_attribute("note", np.bytes_(b"x" * 60_000))),
    "an attribute of many numbers": _within(_attribute("note", np.arange(7000))),
    "2000 attributes": _within(_many_attributes),
    "a reference as an attribute": _within(lambda f: f[GROUP].attrs.__setitem__("note", f[DATASET].ref)),
    "references to objects": _within(_references),
    "references to regions": _within(_region_references),
    "a committed type": _within(lambda f: f.__setitem__("/outputs/type", np.dtype("<i4"))),
    "a compound type": _within(_of_type([("a", "<i4"), ("b", "<f8")])),
    "a compound of compounds": _within(_of_type([("a", [("b", [("c", "<i4")])])])),
    "an opaque type": _within(_of_type("V7")),
    "an array type": _within(_of_type(np.dtype((np.int32, (3, 4))))),
    "an enumeration": _within(_of_type(h5py.enum_dtype({"a": 0, "b": 1}))),
    "booleans": _within(_of_type(bool)),
    "complex numbers": _within(_of_type("c16")),
    "half floats": _within(_of_type("<f2")),
    "long doubles": _within(_of_type(np.longdouble)),
    "big-endian numbers": _within(_of_type(">i4")),
    "fixed strings": _within(_of_type("S7")),
    "the filter lzf": _within(_stored(compression="lzf")),
    "the filter of scales and offsets": _within(_stored(scaleoffset=0)),
    "no filters": _within(_stored()),
    "the filters without a checksum": _within(_stored(compression="gzip", compression_opts=4, shuffle=True)),
    "another level of compression": _within(
        _stored(compression="gzip", compression_opts=9, shuffle=True, fletcher32=True)
    ),
    "the filter szip, by its number": _within(_unknown_filter(4)),
    "the filter zstd, by its number": _within(_unknown_filter(32015)),
    "the last filter there could be": _within(_unknown_filter(65535)),
    "a filter of a few bits": _within(_nbit),
    "a dataset without values": _within(_space((0, 3))),
    "a scalar": _within(_space(())),
    "no space at all": _within(_space(None)),
    "a dataset of 32 dimensions": _within(_space((1,) * 32)),
    "a dataset that may grow": _within(
        lambda f: f.create_dataset(f"{GROUP}/g", (4,), "<i4", maxshape=(None,))
    ),
    "another fill value": _within(_stored(**_FILTERS, fillvalue=17)),
    "two milliard chunks": _within(_many_chunks),
    "a comment": _within(_comment),
    "times of change": _within(_stored(**_FILTERS, track_times=True)),
    "a group that knows its order": _within(_creation_order),
    "a name of 60 000 letters": _within(lambda f: f.create_group("/outputs/" + "x" * 60_000)),
    "a name that is not ASCII": _within(lambda f: f.create_group("/outputs/é")),
    "a name with an escape sequence": _within(lambda f: f.create_group("/outputs/\x1b[2J")),
    "3000 groups": _within(lambda f: [f.create_group(f"/outputs/still/g{n}") for n in range(3000)]),
    "the newest format": _file(lambda f: f.create_dataset("outputs/x", data=np.arange(9)), libver="latest"),
    "the newest format, with fractal heaps": _file(
        lambda f: [f["outputs"].attrs.__setitem__(f"a{n}", n) for n in range(200)], libver="latest"
    ),
    "the newest format, with many links": _file(
        lambda f: [f.create_group(f"outputs/g{n}") for n in range(500)], libver="latest"
    ),
    "the newest format, with extensible arrays": _file(
        lambda f: f.create_dataset("outputs/x", (9, 9), "<i4", maxshape=(None, 9), chunks=(1, 9)),
        libver="latest",
    ),
    "the newest format, with 2-D trees of chunks": _file(
        lambda f: f.create_dataset("outputs/x", (9, 9), "<i4", maxshape=(None, None), chunks=(1, 9)),
        libver="latest",
    ),
    "managed free space": _file(
        lambda f: f.create_dataset("outputs/x", data=np.arange(9)), fs_strategy="fsm", fs_persist=True
    ),
    "paged space": _file(
        lambda f: f.create_dataset("outputs/x", data=np.arange(9)),
        fs_strategy="page",
        fs_page_size=4096,
        userblock=8192,
    ),
    "a user block of another size": _file(
        lambda f: f.create_dataset("outputs/x", data=np.arange(9)), userblock=1024
    ),
    "sizes of four bytes": _small_sizes,
}


# --- what no library writes


def _body(change: Callable[[bytearray], object]) -> Write:
    def write(path: Path) -> None:
        body = bytearray(_raw()[USER_BLOCK:])
        change(body)
        seal(path, bytes(body))

    return write


def _superblock(version: int) -> Callable[[bytearray], None]:
    def change(body: bytearray) -> None:
        body[8] = version

    return change


def _driver_block(body: bytearray) -> None:
    """A driver that keeps its data in files of other names."""
    struct.pack_into("<Q", body, 48, len(body))
    body += (
        struct.pack("<B3xI8s", 0, 40, b"NCSAmult")
        + b"\1\1\1\1\1\1\0\0"
        + SYSTEM_FILE.encode().ljust(32, b"\0")
    )
    struct.pack_into("<Q", body, 40, len(body) + USER_BLOCK)


def _region(kind: str, path: str) -> tuple[int, int]:
    region = next(one for one in layout(_BUNDLE).anatomy.regions if one.structure == Structure(kind, path))
    return region.start - USER_BLOCK, region.stop - USER_BLOCK


def continued_in_itself(body: bytearray) -> None:
    start, _ = _region("header", "/outputs/still")
    struct.pack_into("<HHB3xQQ", body, start + 16, 0x10, 16, 0, start + 16, 24)


def _endless_header(body: bytearray) -> None:
    """Headers that continue in headers, each a message long."""
    start, _ = _region("header", "/outputs/still")
    struct.pack_into("<HHB3xQQ", body, start + 16, 0x10, 16, 0, len(body), 24)
    for _ in range(50_000):
        body += struct.pack("<HHB3xQQ", 0x10, 16, 0, len(body) + 24, 24)
    struct.pack_into("<Q", body, 40, len(body) + USER_BLOCK)


def _tree_of_itself(body: bytearray) -> None:
    start, _ = _region("index", "/outputs")
    body[start + 5] = 1  # a level higher
    struct.pack_into("<Q", body, start + 32, start)


def _tower_of_trees(body: bytearray) -> None:
    """Nodes of 255 levels, each the only child of the one above."""
    start, stop = _region("index", "/outputs")
    node = bytes(body[start:stop])
    body[start + 5] = 255
    struct.pack_into("<Q", body, start + 32, len(body))
    for level in range(254, -1, -1):
        one = bytearray(node)
        one[5] = level
        struct.pack_into("<Q", one, 32, len(body) + len(node))
        body += one
    struct.pack_into("<Q", body, 40, len(body) + USER_BLOCK)


def _chunk_of(size: int) -> Callable[[bytearray], None]:
    def change(body: bytearray) -> None:
        start, _ = _region("chunk-index", DATASET)
        struct.pack_into("<I", body, start + 24, size)

    return change


def _name_of_nothing(body: bytearray) -> None:
    """In a list of names, where there is room for more."""
    (start, stop), (place, _) = (
        (one.start - USER_BLOCK, one.stop - USER_BLOCK)
        for one in layout(_BUNDLE).anatomy.regions
        if one.structure == Structure("names", "/outputs")
    )
    if stop - start != 32:  # the head of the list
        start, place = place, start
    size, free = struct.unpack_from("<QQ", body, start + 8)
    assert size - free >= 32
    struct.pack_into("<Q", body, start + 16, free + 16)
    struct.pack_into("<16sQQ", body, place + free, b"patient17", 1, size - free - 16)


def _moved(between: bytes) -> Callable[[bytearray], None]:
    """Values at the end of the file, and something else before them that belongs to nothing."""

    def change(body: bytearray) -> None:
        place, size = layout(_BUNDLE).anatomy.datasets[DATASET].chunks[0]
        chunk = bytes(body[place - USER_BLOCK : place - USER_BLOCK + size])
        body[place - USER_BLOCK : place - USER_BLOCK + size] = bytes(size)
        body += between
        start, _ = _region("chunk-index", DATASET)
        rank = len(layout(_BUNDLE).anatomy.datasets[DATASET].shape)
        struct.pack_into("<Q", body, start + 24 + 8 * (rank + 2), len(body))
        body += chunk
        struct.pack_into("<Q", body, 40, len(body) + USER_BLOCK)

    return change


def _bomb(body: bytearray) -> None:
    """A chunk that unpacks to a quarter of a gigabyte, where some hundred bytes are due."""
    stream = zlib.compressobj(9)
    packed = b"".join(stream.compress(bytes(1 << 22)) for _ in range(64)) + stream.flush()
    chunk = packed + _fletcher32(packed).to_bytes(4, "little")
    place, size = layout(_BUNDLE).anatomy.datasets[DATASET].chunks[0]
    start, _ = _region("chunk-index", DATASET)
    rank = len(layout(_BUNDLE).anatomy.datasets[DATASET].shape)
    body[place - USER_BLOCK : place - USER_BLOCK + size] = bytes(size)
    struct.pack_into("<I", body, start + 24, len(chunk))
    struct.pack_into("<Q", body, start + 24 + 8 * (rank + 2), len(body))
    body += chunk
    struct.pack_into("<Q", body, 40, len(body) + USER_BLOCK)


# --- heaps of references, and headers


def _heap() -> tuple[int, int]:
    """Where the references are: they are as long as a heap of the library's is."""
    (region,) = (one for one in layout(_BUNDLE).anatomy.regions if one.structure.kind == "references")
    return region.start - USER_BLOCK, region.stop - USER_BLOCK


def _heap_with(place: int, form: str, *values: int) -> Callable[[bytearray], None]:
    return lambda body: struct.pack_into(form, body, _heap()[0] + place, *values)


def _reference_twice(body: bytearray) -> None:
    """The first two references lead to the same."""
    start, _ = _heap()
    body[start + 32 : start + 40] = body[start + 56 : start + 64]


def _words_in_the_heap(body: bytearray) -> None:
    """Behind the last of the references, where nothing is."""
    _, stop = _heap()
    body[stop - 27 : stop - 1] = b"patient 17 was left-handed"


def _reference_too_many(body: bytearray) -> None:
    """One that no axis has, behind the last, and less room behind it."""
    start, stop = _heap()
    end = start + 16
    while body[end] or body[end + 1]:
        end += 24
    (header,) = struct.unpack_from("<Q", body, end - 8)
    number = (end - start - 16) // 24 + 1
    struct.pack_into("<HH4xQQ", body, end, number, 0, 8, header)
    struct.pack_into("<HH4xQ", body, end + 24, 0, 0, stop - end - 24)


def large_heap(body: bytearray, size: int) -> int:
    """References at the end of the file, in a heap of so many bytes, all of which but the first are missing; return how many."""
    start, stop = _heap()
    heap, place = bytearray(body[start:stop]), len(body)
    end = 16
    while heap[end] or heap[end + 1]:
        end += 24
    struct.pack_into("<Q", heap, 8, size)
    struct.pack_into("<HH4xQ", heap, end, 0, 0, size - end)
    body[start:stop] = bytes(stop - start)
    body[:] = body.replace(struct.pack("<IQ", 1, start), struct.pack("<IQ", 1, place))
    body += heap[: end + 16]
    struct.pack_into("<Q", body, 40, place + size + USER_BLOCK)
    return place + size - len(body)


def _heap_of(size: int) -> Callable[[bytearray], None]:
    """A heap of references that is as good as empty."""

    def change(body: bytearray) -> None:
        body += bytes(large_heap(body, size))

    return change


def _heap_of_a_tebibyte(path: Path) -> None:
    """Nearly all of it is a hole."""
    body = bytearray(_raw()[USER_BLOCK:])
    missing = large_heap(body, 1 << 40)
    seal(path, bytes(body))
    os.truncate(path, path.stat().st_size + missing)


def _longer_header(more: Callable[[int], bytes], number: int) -> Callable[[bytearray], None]:
    """A header that continues at the end of the file, with so many messages more."""

    def change(body: bytearray) -> None:
        start, _ = _region("header", SCALE)
        stated, size = struct.unpack_from("<2xH4xI", body, start)
        place = next(
            at
            for at in _messages(bytes(body), start + 16, size)
            if struct.unpack_from("<H", body, at)[0] == 0x10
        )
        old = struct.unpack_from("<QQ", body, place + 8)
        block = bytes(body[old[0] : old[0] + old[1]]) + more(len(body) + old[1])
        struct.pack_into("<H", body, start + 2, stated + number)
        struct.pack_into("<QQ", body, place + 8, len(body), len(block))
        body[old[0] : old[0] + old[1]] = bytes(old[1])
        body += block
        struct.pack_into("<Q", body, 40, len(body) + USER_BLOCK)

    return change


def _messages(body: bytes, start: int, size: int) -> Iterator[int]:
    at = start
    while at < start + size:
        yield at
        at += 8 + struct.unpack_from("<H", body, at + 2)[0]


def _continued_often(place: int) -> bytes:
    """Blocks of a header that hold nothing but where the next one is."""
    blocks = [struct.pack("<HHB3xQQ", 0x10, 16, 0, place + 24 * (n + 1), 24) for n in range(1000)]
    return b"".join([*blocks, struct.pack("<HHB3x16x", 0, 16, 0)])


def _signature_elsewhere(path: Path) -> None:
    seal(path, bytes(1536) + _raw()[USER_BLOCK:])


def _two_superblocks(path: Path) -> None:
    seal(path, _raw()[USER_BLOCK : USER_BLOCK + 512] + _raw()[USER_BLOCK:])


def _a_bundle_in_a_bundle(path: Path) -> None:
    seal(path, _raw())


def _sparse(path: Path) -> None:
    """A tebibyte of nothing, which takes hours to hash: how long it is, is told before."""
    path.write_bytes(_raw())
    os.truncate(path, 1 << 40)


def _block(text: bytes) -> Write:
    return lambda path: path.write_bytes(text.ljust(USER_BLOCK)[:USER_BLOCK] + _raw()[USER_BLOCK:])


BYTES: dict[str, Write] = {
    **{f"a heap of {size} bytes": _body(_heap_with(8, "<Q", size)) for size in (0, 16, 4095, 4104, 2**63)},
    "a heap of another version": _body(_heap_with(4, "<B", 2)),
    "a heap whose references begin with the second": _body(_heap_with(16, "<H", 2)),
    "a reference that is counted": _body(_heap_with(18, "<H", 1)),
    "a reference of 16 bytes": _body(_heap_with(24, "<Q", 16)),
    "a reference to the first byte": _body(_heap_with(32, "<Q", 0)),
    "a reference into values": _body(_heap_with(32, "<Q", 1001)),
    "a reference beyond the end": _body(_heap_with(32, "<Q", 2**63)),
    "two references to one scale": _body(_reference_twice),
    "words in a heap": _body(_words_in_the_heap),
    "a reference too many": _body(_reference_too_many),
    "a heap of 16 kibibytes": _body(_heap_of(1 << 14)),
    "a heap of 72 kibibytes": _body(_heap_of(72 << 10)),
    "a heap of a mebibyte": _body(_heap_of(1 << 20)),
    "a heap of a tebibyte": _heap_of_a_tebibyte,
    "a header of a thousand messages that say nothing": _body(
        _longer_header(lambda _: struct.pack("<HHB3x", 0, 0, 0) * 1000, 1000)
    ),
    "a header of messages that say nothing at length": _body(
        _longer_header(lambda _: struct.pack("<HHB3x60000x", 0, 60_000, 0), 1)
    ),
    "a header of a thousand parts": _body(_longer_header(_continued_often, 1001)),
    "nothing behind the text block": lambda path: seal(path, b""),
    "noise": lambda path: seal(path, np.random.default_rng(1).bytes(100_000)),
    "the signature alone": lambda path: seal(path, b"\x89HDF\r\n\x1a\n"),
    **{f"superblock {version}": _body(_superblock(version)) for version in (1, 2, 3, 4, 255)},
    "a file that is being written": _body(lambda body: body.__setitem__(slice(20, 24), b"\3\0\0\0")),
    "another base address": _body(lambda body: struct.pack_into("<Q", body, 24, 0)),
    "a driver that opens other files": _body(_driver_block),
    "a header that continues in itself": _body(continued_in_itself),
    "a header of 50 000 parts": _body(_endless_header),
    "an index that is its own child": _body(_tree_of_itself),
    "an index of 255 levels": _body(_tower_of_trees),
    **{f"a chunk of {size} bytes": _body(_chunk_of(size)) for size in (0, 1, 4, 11, 2**31, 2**32 - 1)},
    "a chunk that unpacks to a quarter of a gigabyte": _body(_bomb),
    "a hole of a mebibyte": _body(_moved(bytes(1 << 20))),
    "a name that nothing has": _body(_name_of_nothing),
    "words that belong to nothing": _body(_moved(b"patient 17 was left-handed")),
    "the signature at another place": _signature_elsewhere,
    "two superblocks": _two_superblocks,
    "a bundle behind a text block": _a_bundle_in_a_bundle,
    "a block that seals itself": _block(block_of("0" * 64, test_seed=False).replace(b"0" * 64, b"0" * 64)),
    "a block of another language": _block(b"\xff\xfe" * 300),
    "a block of a version to come": _block(b"synthrelease bundle 999999999\n"),
    "a block of a version without end": _block(b"synthrelease bundle " + b"9" * 400),
    "an empty file": lambda path: path.write_bytes(b""),
    "a tebibyte of nothing behind a bundle": _sparse,
}


# --- what is no file, or no file that can be read


def _socket(path: Path) -> None:
    one = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(path.parent)  # names of sockets are short
    try:
        one.bind(path.name)
    finally:
        os.chdir(here)
        one.close()


def _linked_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


def _unreadable(path: Path) -> None:
    path.write_bytes(_raw())
    path.chmod(0)


NO_FILES: dict[str, Write] = {
    "nothing": lambda _: None,
    "a folder": lambda path: path.mkdir(),
    "a pipe": os.mkfifo,
    "a socket": _socket,
    "a link to a pipe": _linked_pipe,
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to nothing": lambda path: path.symlink_to("nothing"),
    "zeros without end": lambda path: path.symlink_to("/dev/zero"),
    "noise without end": lambda path: path.symlink_to("/dev/urandom"),
    "a terminal": lambda path: path.symlink_to("/dev/tty"),
    "standard input": lambda path: path.symlink_to("/dev/stdin"),
    "a file of the kernel": lambda path: path.symlink_to("/proc/self/mem"),
    "a file of the kernel without a size": lambda path: path.symlink_to("/proc/cpuinfo"),
    **({} if os.geteuid() == 0 else {"a file that may not be read": _unreadable}),
}


# --- manifests


def _text(text: bytes) -> Write:
    return lambda path: path.write_bytes(written(layout(_BUNDLE), dict(layout(_BUNDLE).arrays), text))


def _told(change: Callable[[dict[str, Any]], object], name: str = _BUNDLE) -> Write:
    """The manifest of a bundle with something changed, written as it must be."""

    def write(path: Path) -> None:
        manifest = json.loads(text_of(layout(name).manifest))
        change(manifest)
        path.write_bytes(written(layout(name), dict(layout(name).arrays), text_of(manifest)))

    return write


def _a_million_keys(path: Path) -> None:
    _text(b"{" + b",".join(b'"%d":1' % n for n in range(1_000_000)) + b"}")(path)


MANIFESTS: dict[str, Write] = {
    "no JSON": _text(b"\0"),
    "an empty object": _text(b"{}\n"),
    "lists without end": _text(b"[" * 1_000_000),
    "objects without end": _text(b'{"a":' * 500_000 + b"1" + b"}" * 500_000),
    "a number of 16 million digits": _text(b"1" * 16_000_000),
    "a manifest of 15 MB of digits": _text(b'{"manifest_version": ' + b"1" * 15_000_000 + b"}\n"),
    "a fraction of many digits": _text(b'{"manifest_version": 1.' + b"0" * 1_000_000 + b"1}\n"),
    "an exponent of many digits": _text(b'{"manifest_version": 1e' + b"9" * 1_000_000 + b"}\n"),
    "a million keys": _a_million_keys,
    "a million warnings": _told(lambda m: m.update(warnings=["x"] * 1_000_000)),
    "a key twice": _text(b'{"manifest_version": 1, "manifest_version": 1}\n'),
    "not a number": _text(b'{"manifest_version": NaN}\n'),
    "infinity": _text(b'{"manifest_version": -Infinity}\n'),
    "a lone surrogate": _text(b'{"manifest_version": "\\ud800"}\n'),
    "a lone surrogate in its bytes": _text(b'{"manifest_version": "\xed\xa0\x80"}\n'),
    "a manifest of 20 MB": _text(b" " * 20_000_000),
    "zero bytes": _text(bytes(100)),
    "a version to come": _told(lambda m: m.update(manifest_version=10**18)),
    "a warning of a million letters": _told(lambda m: m.update(warnings=["x" * 1_000_000])),
}


# --- manifests that fit the schema, and call for more than there is


def _parameters(name: str, **values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda manifest: parameters(manifest, name).update(values)


def _many_outputs(manifest: dict[str, Any]) -> None:
    """Of unlike noise each, which takes a second to add up."""
    entry = manifest["outputs"][0]
    choice = {"type": "exponential", "epsilon": "0.5", "candidates": 2}
    manifest["outputs"] = [
        {
            **entry,
            "name": f"o{n}",
            "event": {"type": "composed", "events": [entry["event"], {**choice, "epsilon": f"0.{n + 1}"}]},
        }
        for n in range(300)
    ]


def _many_attributes_in_pairs(manifest: dict[str, Any]) -> None:
    p = parameters(manifest, "tree")
    one = {"categories": 1_000_000, "labels": None, "low": 0.0, "high": 1.0, "missing": False}
    p["attributes"] = [{**one, "name": f"a{n}"} for n in range(10_000)]
    p["order"] = list(range(10_000))


def _many_statistics(manifest: dict[str, Any]) -> None:
    p = parameters(manifest, "all")
    p["statistics"] = [f"quantile:0.{n:04}1" for n in range(1000)]
    p["features"] = [{"name": f"f{n}", "low": 0.0, "high": 1.0} for n in range(1000)]
    p["by"], p["groups"] = "mood", [f"g{n}" for n in range(5000)]
    p["max_groups_per_person"] = 5000


def _many_events(manifest: dict[str, Any]) -> None:
    choice = {"type": "exponential", "candidates": 65536}
    event = output(manifest, "moods")["event"]
    many = [{**choice, "epsilon": f"1.{n}1"} for n in range(4095)]
    output(manifest, "moods")["event"] = {"type": "composed", "events": [event, *many]}


def _test_event(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda manifest: output(manifest, "randomized")["event"]["events"][1].update(values)


CLAIMS: dict[str, Write] = {
    "maps of 400 million cells": _told(_parameters("pixels", rows=20_000, columns=20_000)),
    "4 milliard times 10 000 frames": _told(
        _parameters("moving", rows=20_000, columns=20_000, frames=10_000)
    ),
    "a blur of nothing": _told(_parameters("still", blur_px=5e-324)),
    "a blur of a millionth": _told(_parameters("still", blur_px=1e-6)),
    "a blur over no time": _told(_parameters("moving", blur_time=1e-300)),
    "a window without end": _told(_parameters("moving", window=[-1e308, 1e308])),
    "a screen of 2⁶² pixels": _told(
        lambda m: parameters(m, "still")["screen"].update(width_px=2**62, height_px=1)
    ),
    "100 000 stimuli": _told(_parameters("still", stimuli=[str(n) for n in range(100_000)])),
    "a cap of 2⁶²": _told(_parameters("pixels", cap=2**62, max_samples_per_stimulus=2**62)),
    "300 outputs of unlike noise": _told(_many_outputs),
    "a million steps": _told(
        _parameters("chunks", length=1_000_000, chunk=4096, coefficients=2048), "series"
    ),
    "a million steps that hardly change": _told(
        _parameters("changes", length=1_000_000, chunk=4096, coefficients=2049, max_change_grid_units=1),
        "each",
    ),
    "a million noised steps": _told(_parameters("steps", length=1_000_000), "each"),
    "a million cosines": _told(_parameters("course", length=1_000_000, cosines=512), "series"),
    "100 000 recordings": _told(_parameters("course", recordings=[str(n) for n in range(100_000)]), "series"),
    "a milliard milliards of people": _told(
        lambda m: [o["mechanism"]["public_inputs"].update(people=2**62) for o in m["outputs"]], "each"
    ),
    "10 milliard records": _told(_parameters("exact", rows=10_000_000_000), "records"),
    "10 000 attributes in pairs": _told(_many_attributes_in_pairs, "records"),
    "a million categories each": _told(
        lambda m: [a.update(categories=1_000_000, labels=None) for a in parameters(m, "tree")["attributes"]],
        "records",
    ),
    "a test of a million people": _told(_parameters("exact", k=1_000_000), "records"),
    "5 milliard quantiles": _told(_many_statistics, "statistics"),
    "10 000 bins": _told(_parameters("all", bins=10_000), "statistics"),
    "a quantile of 65 536 steps": _told(_parameters("all", quantile_steps=65_536), "statistics"),
    "2⁶² groups for each person": _told(_parameters("all", max_groups_per_person=2**62), "statistics"),
    "4096 unlike choices": _told(_many_events, "moods"),
    "10 milliard trials": _told(_test_event(trials=10_000_000_000), "seeded"),
    "a million plausible seeds": _told(_test_event(k=1_000_000, seeds=2**62), "seeded"),
    "a test of hardly any noise": _told(_test_event(epsilon0="1e+300", gamma="1e+300"), "seeded"),
    "a test of hardly anything but noise": _told(
        _test_event(epsilon0="5e-324", gamma="1.0000000001"), "seeded"
    ),
    **{
        f"noise of scale {scale}": _told(
            lambda m, scale=scale: [o["event"].update(scale=scale) for o in m["outputs"]]  # type: ignore[misc]
        )
        for scale in ("5e-324", "1e-300", "1e-09", "1e+300", "1.7e+308")
    },
    **{
        f"a sensitivity of {value}": _told(
            lambda m, value=value: [o["event"]["sensitivity"].update(value=value) for o in m["outputs"]]  # type: ignore[misc]
        )
        for value in ("5e-324", "1e-300", "1e+300", "1.7e+308", "0.0")
    },
}

HONEST: dict[str, Write] = {
    "nothing of a dataset": _described(DATASET),
    "the axes that a dataset has": _axes([SCALE], _Y, _X),
    "what a scale stands along": _users(lambda pairs, _file: pairs),
    "the type that labels have": _labels(_NULL_PADDED, _UTF_8),
    "the role that a dataset has": _role(np.bytes_(b"estimate")),
    "the name that a scale has": _name_of_type(_text_type(9), b"stimulus"),
    "a header that continues elsewhere": _body(_longer_header(lambda _: b"", 0)),
}
"""What is changed in the same ways as some of the corpus, and is the same afterwards: a control of what refuses those."""

CORPUS = {**HDF5, **DIMENSIONS, **BYTES, **NO_FILES, **MANIFESTS, **CLAIMS}
"""Every hostile file by what it is."""
