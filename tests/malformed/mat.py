"""MATLAB files that are not as a plan has them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import scipy.io
import scipy.sparse

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

FILE = "gaze.mat"
Trial = dict[str, Any]
_AT = 2  # the person's first trial, from 0


def _vector(*values: float) -> Any:
    return np.asarray(values, dtype=float).reshape(1, -1)


def trials() -> list[Trial]:
    """Return a struct for each person and picture, with vectors of samples."""
    return [
        {
            "who": person,
            "picture": picture,
            "x": _vector(*[VALUE if person == PERSON else 40.5 + number] * STEPS),
            "y": _vector(*(100.25 + step for step in range(STEPS))),
            "t": _vector(*range(STEPS)),
        }
        for number, person in enumerate(PEOPLE)
        for picture in PICTURES
    ]


def _struct(fields: Trial) -> Any:
    out = np.empty((1, 1), dtype=[(name, object) for name in fields])
    out[0, 0] = tuple(fields.values())
    return out


def _cells(structs: list[Trial]) -> Any:
    out = np.empty((len(structs), 1), dtype=object)
    for number, one in enumerate(structs):
        out[number, 0] = _struct(one)
    return out


def _saved(folder: Path, variables: dict[str, Any], **options: Any) -> None:
    scipy.io.savemat(folder / FILE, variables, do_compression=True, **options)


FAMILY = Family(
    "MATLAB",
    "mat",
    lambda folder: _saved(folder, {"data": _cells(trials())}),
    {**GAZE, "path": FILE},
    FILE,
)


def _changed(change: Callable[[Trial], object]) -> Write:
    """Another trial of the person."""

    def damage(folder: Path) -> None:
        structs = trials()
        change(structs[_AT])
        _saved(folder, {"data": _cells(structs)})

    return damage


def _field(name: str, value: Any) -> Write:
    return _changed(lambda trial: trial.update({name: value}))


def _all(change: Callable[[Trial], object]) -> Write:
    def damage(folder: Path) -> None:
        structs = trials()
        for one in structs:
            change(one)
        _saved(folder, {"data": _cells(structs)})

    return damage


def _variables(**variables: Any) -> Write:
    return lambda folder: _saved(folder, variables)


def _version_7_3(folder: Path) -> None:
    with h5py.File(folder / FILE, "w", userblock_size=512) as file:
        file["x"] = np.full(3, VALUE)
    head = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\0\2IM"
    content = (folder / FILE).read_bytes()
    (folder / FILE).write_bytes(head + content[len(head) :])


def _version_4(folder: Path) -> None:
    scipy.io.savemat(folder / FILE, {"x": np.full((3, 1), VALUE)}, format="4")


def _object(folder: Path) -> None:
    value = scipy.io.matlab.MatlabObject(_struct({"who": PERSON}), "table")
    _saved(folder, {"data": value})


_PLACE = "data{3}."
_ROW = "data 3, row 2"
_CASES = [
    ("version 7.3", _version_7_3, "matlab-v73", ""),
    ("version 4", _version_4, "bad-mat", ""),
    ("cut off", cut(FILE), "bad-mat", ""),
    ("its head only", bytewise(FILE, lambda content: content[:100]), "bad-mat", ""),
    ("no bytes", put(FILE, b""), "bad-mat", ""),
    ("text", put(FILE, f"who,x\n{PERSON},{VALUE}\n"), "bad-mat", ""),
    ("bytes overwritten", bytewise(FILE, lambda content: content[:200] + bytes(40) + content[240:]), "bad-mat", ""),
    ("no variable", bytewise(FILE, lambda content: content[:128]), "no-variable", ""),
    ("two variables", _variables(data=_cells(trials()), more=np.ones(3)), "several-variables", ""),
    ("a sparse matrix", _variables(data=scipy.sparse.csc_matrix([[VALUE, 0.0]])), "sparse-matrix", "data"),
    ("an object", _object, "matlab-object", "data"),
    ("vectors of several lengths", _field("x", _vector(VALUE, 1.0)), "lengths-differ", _PLACE),
    ("complex numbers", _field("x", np.full((1, STEPS), VALUE + 1j)), "complex-numbers", _PLACE + "x"),
    ("three dimensions", _field("x", np.full((2, 2, STEPS), VALUE)), "too-many-dimensions", _PLACE + "x"),
    ("text after numbers", _field("x", PERSON), "mixed-kinds", _PLACE + "x"),
    ("a struct after numbers", _field("x", _struct({"who": PERSON})), "mixed-kinds", _PLACE + "x"),
    ("text where numbers belong", _all(lambda trial: trial.update(x=PERSON, y=_vector(1.0), t=_vector(1.0))), "bad-number", "data 1, column 'x'"),
    ("cells beside vectors", _all(lambda trial: trial.update(more=_cells([{"a": VALUE}]))), "several-tables", ""),
    ("a missing field", _all(lambda trial: trial.pop("x")), "unknown-column", "'x'"),
    ("a person without a name", _field("who", ""), "missing-label", "data 3, row 1, column 'who'"),
    ("NaN", _field("y", _vector(1.0, np.nan, 1.0, 1.0)), "nan", f"{_ROW}, column 'y'"),
    ("an infinite number", _field("y", _vector(1.0, np.inf, 1.0, 1.0)), "infinite-number", f"{_ROW}, column 'y'"),
    ("a point off the screen", _field("y", _vector(1.0, 8281.0, 1.0, 1.0)), "point-off-screen", f"{_ROW}, column 'x' or 'y'"),
    ("a time twice", _field("t", _vector(1.0, 1.0, 3.0, 4.0)), "duplicate-time", f"{_ROW}, column 't'"),
    ("an empty cell array", _variables(data=np.empty((0, 0), dtype=object)), "unknown-column", "'who'"),
    ("a matrix without names", _variables(data=np.full((3, 5), VALUE)), "unknown-column", "'who'"),
]  # fmt: skip
_CHOICES = [
    ("a variable that is not there", {"table": "gaze"}, "unknown-variable", "'gaze'"),
    ("a field that is not there", {"table": "data.gaze"}, "unknown-field", "data; 'gaze'"),
    ("names for a matrix", {"header": ["who", "pupil"]}, "header-without-matrix", ""),
]
CASES = [
    *(Case(name, FAMILY, damage, code, place) for name, damage, code, place in _CASES),
    *(Case(name, FAMILY, lambda _: None, code, place, input=more) for name, more, code, place in _CHOICES),
    Case(
        "too few names for a matrix",
        FAMILY,
        _variables(data=np.full((3, 5), VALUE)),
        "header-does-not-fit",
        "data",
        input={"header": ["who", "x"]},
    ),
]
