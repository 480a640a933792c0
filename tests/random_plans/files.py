"""A study in files, of each format as people write it: what a reader makes of a person must not depend on who else is in the file."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np
import polars as pl
from scipy.io import savemat

from random_plans.study import CODE, RECORDINGS, STIMULI, Person, Row, Study

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

Keys = dict[str, Any]  # of an input of a plan
Columns = dict[str, "NDArray[Any]"]
MOST_ROWS = 18  # of a person in an array
_FIRST: dict[str, Row] = {
    "gaze": {"picture": STIMULI[0], "x": CODE, "y": 0.0, "t": 0.0, "ms": 0.0, "kind": "", "good": 0.0},
    "features": {
        "task": RECORDINGS[0],
        "t": 0.0,
        "size_mm": CODE,
        "open": CODE,
        "mood": "",
        "kind": "",
        "good": 0.0,
    },
}


@dataclass(frozen=True)
class Format:
    """A way to write a study.

    Attributes:
        name: of it.
        write: writes the rows of a kind of input into a folder, and returns what a plan says of them.
        first: the number of the first person, where people have no labels in the file; None where they have.
        everyone: whether people without rows of an input are there.
    """

    name: str
    write: Callable[[Path, str, Study], Keys]
    first: int | None = None
    everyone: bool = False

    def labels(self, study: Study) -> tuple[str, ...]:
        """Return the labels of those who have features, as a reader has them, in the order of the study."""
        in_file = study.in_file()
        return tuple(
            person.label if self.first is None else str(self.first + in_file.index(person))
            for person in study.people
            if person.features or self.everyone
        )


def _csv(folder: Path, kind: str, study: Study) -> Keys:
    study.tables()[kind].write_csv(folder / f"{kind}.csv")
    return {"path": f"{kind}.csv"}


def _parquet(folder: Path, kind: str, study: Study) -> Keys:
    study.tables()[kind].write_parquet(folder / f"{kind}.parquet")
    return {"path": f"{kind}.parquet"}


def _file_each(folder: Path, kind: str, study: Study) -> Keys:
    _emptied(folder / kind)
    for person in study.in_file():
        if getattr(person, kind):
            pl.DataFrame(getattr(person, kind)).write_csv(folder / kind / f"of {person.label}.csv")
    return {"path": kind, "pattern": "of {who}.csv"}


def _archive_each(folder: Path, kind: str, study: Study) -> Keys:
    _emptied(folder / kind)
    for person in study.in_file():
        if getattr(person, kind):
            np.savez(folder / kind / f"{person.label}.npz", **_columns(getattr(person, kind)))
    return {"path": kind, "pattern": "{who}.npz", "axes": ["n"]}


def _struct_each(folder: Path, kind: str, study: Study) -> Keys:
    _emptied(folder / kind)
    for person in study.in_file():
        if getattr(person, kind):
            savemat(folder / kind / f"{person.label}.mat", {"data": _fields(getattr(person, kind), kind)})
    return {"path": kind, "pattern": "{who}.mat"}


def _npz(folder: Path, kind: str, study: Study, *, labels: bool) -> Keys:
    np.savez(folder / f"{kind}.npz", **_arrays(kind, study, labels=labels))
    return {"path": f"{kind}.npz", "axes": ["who", "n"]}


def _h5(folder: Path, kind: str, study: Study, *, labels: bool) -> Keys:
    with h5py.File(folder / f"{kind}.h5", "w") as file:
        for name, array in _arrays(kind, study, labels=labels).items():
            file[name] = np.char.encode(array, "utf-8") if array.dtype.kind == "U" else array
    return {"path": f"{kind}.h5", "axes": ["who", "n"]}


def _mat(folder: Path, kind: str, study: Study, *, labels: bool) -> Keys:
    """A cell for each person, empty or not."""
    people = np.empty(len(study.people), dtype=object)
    for number, person in enumerate(study.in_file()):
        people[number] = _fields(getattr(person, kind), kind) | ({"label": person.label} if labels else {})
    savemat(folder / f"{kind}.mat", {"who": people})
    return {"path": f"{kind}.mat"}


def _mat_of_labels(folder: Path, kind: str, study: Study) -> Keys:
    return {**_mat(folder, kind, study, labels=True), "person": "label"}


def _arrays(kind: str, study: Study, *, labels: bool) -> Columns:
    """An array of each column, shape (people, MOST_ROWS), with the labels or without: rows without a measurement at the end of everyone's."""
    people = study.in_file()
    columns = [_columns(_filled(kind, person)) for person in people]
    arrays = {name: np.stack([of_person[name] for of_person in columns]) for name in columns[0]}
    return {**arrays, **({"who": np.array([person.label for person in people])} if labels else {})}


def _filled(kind: str, person: Person) -> Sequence[Row]:
    rows = list(getattr(person, kind)) or [_FIRST[kind]]
    nothing = {key: value for key, value in _FIRST[kind].items() if key not in ("picture", "task")}
    return rows + [{**rows[-1], **nothing, "t": 1000.0 + n} for n in range(MOST_ROWS - len(rows))]


def _fields(rows: Sequence[Row], kind: str) -> Columns:
    """Fields of a struct: texts are cells."""
    columns = _columns(rows) or dict.fromkeys(_FIRST[kind], np.zeros(0))
    return {
        name: column.astype(object) if column.dtype.kind == "U" else column
        for name, column in columns.items()
    }


def _columns(rows: Sequence[Row]) -> Columns:
    return {name: np.array([row[name] for row in rows]) for name in (rows[0] if rows else ())}


def _emptied(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()


FRAME = Format("frame", lambda *_: {})  # in memory
FORMATS = (
    Format("text", _csv),
    Format("Parquet", _parquet),
    Format("a text for each person", _file_each),
    Format("an archive for each person", _archive_each),
    Format("a struct for each person", _struct_each),
    Format("npz with labels", lambda *of: _npz(*of, labels=True), everyone=True),
    Format("npz", lambda *of: _npz(*of, labels=False), first=0, everyone=True),
    Format("h5 with labels", lambda *of: _h5(*of, labels=True), everyone=True),
    Format("h5", lambda *of: _h5(*of, labels=False), first=0, everyone=True),
    Format("mat with labels", _mat_of_labels),
    Format("mat", lambda *of: _mat(*of, labels=False), first=1),
)
