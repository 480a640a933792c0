"""NumPy's archives and HDF5 files that are not as a plan has them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from malformed.case import (
    GAZE,
    PEOPLE,
    PERSON,
    PICTURES,
    STEPS,
    VALUE,
    Case,
    Family,
    Write,
    bytewise,
    cut,
    put,
)

NPZ, HDF5 = "gaze.npz", "gaze.h5"
AXES = ["person", "picture", "step"]
SHAPE = (len(PEOPLE), len(PICTURES), STEPS)
INPUT = {
    **GAZE,
    "axes": AXES,
    "columns": {"person": "person", "stimulus": "picture", "x": "x", "y": "y", "time": "step"},
}
Values = dict[str, Any]


def values() -> Values:
    """Return arrays and labels."""
    x = np.full(SHAPE, 40.5)
    x[PEOPLE.index(PERSON)] = VALUE
    y = np.broadcast_to(100.25 + np.arange(STEPS), SHAPE).copy()
    return {"x": x, "y": y, "person": np.array(PEOPLE, "S"), "picture": np.array(PICTURES, "S")}


def _npz(folder: Path, arrays: Values) -> None:
    np.savez_compressed(folder / NPZ, **arrays)


def _hdf5(folder: Path, arrays: Values) -> None:
    with h5py.File(folder / HDF5, "w") as file:
        for name, array in arrays.items():
            file[name] = array


ARCHIVE = Family("npz", "npz", lambda folder: _npz(folder, values()), {**INPUT, "path": NPZ}, NPZ)
TREE = Family("HDF5", "h5", lambda folder: _hdf5(folder, values()), {**INPUT, "path": HDF5}, HDF5)
_SAVE = {ARCHIVE.name: _npz, TREE.name: _hdf5}


def _changed(family: Family, change: Callable[[Values], object]) -> Write:
    def damage(folder: Path) -> None:
        arrays = values()
        change(arrays)
        _SAVE[family.name](folder, arrays)

    return damage


def _with(**more: Any) -> Callable[[Values], object]:
    return lambda arrays: arrays.update(more)


def _cell(name: str, value: float) -> Callable[[Values], object]:
    def change(arrays: Values) -> None:
        arrays[name][1, 0, 2] = value

    return change


_PLACE = "at [1, 0, 2]"
_COMPLEX = np.full(SHAPE, VALUE + 1j)
_RECORDS = np.zeros(SHAPE, dtype=[("a", "f8"), ("b", "f8")])
# Of both kinds of files.
_VALUES = [
    ("a missing array", lambda arrays: arrays.pop("x"), "unknown-column", "'x'"),
    ("no arrays", lambda arrays: arrays.clear(), "axes-do-not-fit", ""),
    ("an axis less", lambda arrays: arrays.update(x=arrays["x"][0], y=arrays["y"][0]), "axes-do-not-fit", ""),
    ("arrays of several shapes", lambda arrays: [arrays.pop("person"), arrays.update(y=arrays["y"][:2])], "several-shapes", ""),
    ("too few labels", lambda arrays: arrays.update(person=arrays["person"][:2]), "axes-do-not-fit", ""),
    ("a matrix of labels", lambda arrays: arrays.update(person=arrays["person"].reshape(1, -1)), "axis-not-labels", "'person'"),
    ("complex numbers", _with(x=_COMPLEX), "complex-numbers", "'x'"),
    ("records", _with(x=_RECORDS), "values-of-other-type", "'x'"),
    ("labels that are not UTF-8", _with(person=np.array([b"\xff", PERSON.encode(), b"Bo"])), "not-utf8", "'person'"),
    ("a person without a name", _with(person=np.array([b"Ada", b"", b"Bo"])), "missing-label", "at [1, 0, 0], column 'person'"),
    ("text where numbers belong", _with(x=np.full(SHAPE, PERSON.encode())), "bad-number", "at [0, 0, 0]"),
    ("truth values", _with(x=np.ones(SHAPE, dtype=bool)), "bad-column", "column 'x'"),
    ("NaN", _cell("y", np.nan), "nan", f"{_PLACE}, column 'y'"),
    ("an infinite number", _cell("y", -np.inf), "infinite-number", f"{_PLACE}, column 'y'"),
    ("a point off the screen", _cell("y", 8281.0), "point-off-screen", f"{_PLACE}, column 'x' or 'y'"),
    ("no people", lambda arrays: arrays.update({key: array[:0] for key, array in arrays.items() if key != "picture"}), "no-rows", ""),
]  # fmt: skip


def _broken(file: str, code: str) -> list[tuple[str, Write, str, str]]:
    return [
        ("cut off", cut(file), code, ""),
        ("cut off before its end", bytewise(file, lambda content: content[:-10]), code, ""),
        ("no bytes", put(file, b""), code, ""),
        ("text", put(file, f"who,x\n{PERSON},{VALUE}\n"), code, ""),
    ]


# NumPy's archives alone


def _members(folder: Path, change: Callable[[str, bytes], bytes]) -> None:
    """Members of the archive that are changed before they are packed."""
    with zipfile.ZipFile(folder / NPZ) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(folder / NPZ, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, change(name, content))


def _of_x(change: Callable[[bytes], bytes]) -> Write:
    return lambda folder: _members(
        folder, lambda name, content: change(content) if name == "x.npy" else content
    )


def _workbook(folder: Path) -> None:
    with zipfile.ZipFile(folder / NPZ, "w") as archive:
        archive.writestr("xl/workbook.xml", f"<workbook>{PERSON}</workbook>")


def _twice(folder: Path) -> None:
    content = io.BytesIO()
    np.save(content, values()["x"])
    with zipfile.ZipFile(folder / NPZ, "w") as archive:
        for name in ("x.npy", "X.npy"):
            archive.writestr(name, content.getvalue())
    put(NPZ, (folder / NPZ).read_bytes().replace(b"X.npy", b"x.npy"))(folder)


_ARCHIVES = [
    *_broken(NPZ, "bad-npz"),
    ("bytes overwritten", bytewise(NPZ, lambda content: content[:60] + b"\xff" * 30 + content[90:]), "bad-npz", ""),
    ("pickled objects", _changed(ARCHIVE, _with(x=np.full(SHAPE, PERSON, dtype=object))), "python-objects", "'x'"),
    ("pickled labels", _changed(ARCHIVE, _with(person=np.array(PEOPLE, dtype=object))), "python-objects", "'person'"),
    ("dates", _changed(ARCHIVE, _with(x=np.full(SHAPE, np.datetime64("2026-01-01")))), "values-of-other-type", "'x'"),
    ("fewer values than declared", _of_x(lambda content: content[:-8]), "values-missing", "'x'"),
    ("an array without a head", _of_x(lambda content: b"x" + content[1:]), "bad-npz", ""),
    ("two arrays of one name", _twice, "duplicate-variable", ""),
    ("a workbook", _workbook, "axes-do-not-fit", ""),
]  # fmt: skip

# HDF5 alone


def _tree(change: Callable[[h5py.File], object]) -> Write:
    """The file, changed by its library."""

    def damage(folder: Path) -> None:
        with h5py.File(folder / HDF5, "r+") as file:
            change(file)

    return damage


def _replaced(file: h5py.File, name: str, **options: Any) -> None:
    del file[name]
    file.create_dataset(name, **options)


def _link(file: h5py.File) -> None:
    del file["x"]
    file["x"] = h5py.ExternalLink("/etc/passwd", "x")


def _virtual(file: h5py.File) -> None:
    del file["x"]
    layout = h5py.VirtualLayout(SHAPE, dtype="f8")
    layout[:] = h5py.VirtualSource("other.h5", "x", SHAPE)
    file.create_virtual_dataset("x", layout)


def _soft(file: h5py.File) -> None:
    del file["x"]
    file["x"] = h5py.SoftLink("/nowhere")


def _packed(folder: Path) -> None:
    """A compressed dataset whose bytes are overwritten."""
    with h5py.File(folder / HDF5, "r+") as file:
        _replaced(file, "x", data=values()["x"], compression="gzip")
        about = file["x"].id.get_chunk_info(0)
    with (folder / HDF5).open("r+b") as body:
        body.seek(about.byte_offset)
        body.write(bytes(about.size))


_OUTSIDE = [("x.raw", 0, h5py.h5f.UNLIMITED)]
_TEXTS = h5py.string_dtype()
_TREES = [
    *_broken(HDF5, "bad-hdf5"),
    ("another first byte", bytewise(HDF5, lambda content: b"\x88" + content[1:]), "bad-hdf5", ""),
    ("a compressed array overwritten", _packed, "bad-hdf5", ""),
    ("a link out of the file", _tree(_link), "external-link", "gaze.h5, x"),
    ("values in another file", _tree(lambda file: _replaced(file, "x", shape=SHAPE, dtype="f8", external=_OUTSIDE)), "values-in-other-files", "'x'"),
    ("values of another file", _tree(_virtual), "values-in-other-files", "'x'"),
    ("a link to nothing", _tree(_soft), "unknown-column", "'x'"),
    ("texts of any length", _tree(lambda file: _replaced(file, "person", data=list(PEOPLE), dtype=_TEXTS)), "texts-of-any-length", "'person'"),
    ("lists of any length", _tree(lambda file: _replaced(file, "x", shape=SHAPE, dtype=h5py.vlen_dtype(float))), "python-objects", "'x'"),
    ("no values", _tree(lambda file: _replaced(file, "x", data=h5py.Empty("f8"))), "unknown-column", "'x'"),
    ("values that were never written", _tree(lambda file: _replaced(file, "x", shape=SHAPE, dtype="f8", chunks=SHAPE)), "values-missing", "'x'"),
]  # fmt: skip

_PLANS = [
    ("no axes", {"axes": None}, "axes-missing", ""),
    ("axes of another file", {"axes": ["person", "step"]}, "axes-do-not-fit", ""),
    ("names of columns in the plan", {"header": AXES}, "key-not-for-format", "`header`"),
]
CASES = [
    *(
        Case(name, family, _changed(family, change), code, place)
        for family in (ARCHIVE, TREE)
        for name, change, code, place in _VALUES
    ),
    *(
        Case(name, family, lambda _: None, code, place, input=more)
        for family in (ARCHIVE, TREE)
        for name, more, code, place in _PLANS
    ),
    *(Case(name, ARCHIVE, damage, code, place) for name, damage, code, place in _ARCHIVES),
    *(Case(name, TREE, damage, code, place) for name, damage, code, place in _TREES),
]
