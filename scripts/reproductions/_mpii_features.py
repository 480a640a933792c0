"""The feature files of MPIIDPEye and MPIIPrivacEye, as their authors publish them.

One file a recording, without a header, a row a window, cells apart by commas or semicolons: `Data_P<p>_R<r>_Pami_Features_52.csv`
with 52 columns, or `P<p>_R<r>_data.csv` (MPIIPrivacEye) whose first 52 are features and whose others are not read. Cells that
are empty or NaN are missing. Messages name places and never repeat a cell.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import FeatureData
from synthrelease.errors import DataError

COLUMNS = 52
_NAME = re.compile(r"Data_P(\d+)_R(\d+)_Pami_Features_52\.csv|P(\d+)_R(\d+)_data\.csv")
_WIDE = (-1e12, 1e12)  # the paper clips nothing


def feature_files(folder: Path) -> dict[tuple[int, int], Path]:
    """Return the file of every (participant, recording) in a folder, in order; none if it has no such files.

    Raises:
        DataError: two files of one recording.
    """
    files: dict[tuple[int, int], Path] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        named = _NAME.fullmatch(path.name)
        if named is None:
            continue
        participant, recording = (int(number) for number in named.groups() if number is not None)
        if (participant, recording) in files:
            raise DataError(
                "duplicate-recording",
                "two files are of one recording",
                where=str(path),
                found=f"participant {participant}, recording {recording} also in {files[participant, recording].name}",
                remedy="take one of them out of the folder",
            )
        files[participant, recording] = path
    return dict(sorted(files.items()))


def load_feature_files(folder: Path) -> FeatureData:
    """Read all recordings of a folder; columns that are constant throughout are left out.

    Features are called after their column, counted from 1, recordings R1, R2, …

    Raises:
        DataError: no such files, or one that is not of this form.
    """
    files = feature_files(folder)
    if not files:
        raise DataError(
            "no-file-fits",
            "the folder has no feature files",
            where=str(folder),
            expected="Data_P<p>_R<r>_Pami_Features_52.csv",
        )
    participants = sorted({participant for participant, _ in files})
    recordings = sorted({recording for _, recording in files})
    tables = [_table(path, exact=path.name.startswith("Data_")) for path in files.values()]
    counts = [len(table) for table in tables]
    values = np.concatenate(tables)
    varied = [column for column in range(COLUMNS) if np.unique(_present(values[:, column])).size > 1]
    if not varied:
        raise DataError("constant-features", "all features are constant", where=str(folder))
    return FeatureData(
        features=tuple(f"column {column + 1}" for column in varied),
        bounds=np.tile(_WIDE, (len(varied), 1)),
        recordings=tuple(f"R{recording}" for recording in recordings),
        people=len(participants),
        person=np.repeat([participants.index(p) for p, _ in files], counts),
        recording=np.repeat([recordings.index(r) for _, r in files], counts),
        values=values[:, varied],
        identities=tuple(str(p) for p in participants),
    )


def _present(column: NDArray[np.float64]) -> NDArray[np.float64]:
    return column[~np.isnan(column)]


def _table(path: Path, *, exact: bool) -> NDArray[np.float64]:
    """One file as numbers, NaN where missing, shape (windows, 52)."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise DataError("not-utf8", "the file is not UTF-8 text", where=str(path)) from None
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise DataError("empty-file", "the file is empty", where=str(path), expected="a row for every window")
    separator = ";" if lines[0].count(";") > lines[0].count(",") else ","
    rows = []
    for number, line in enumerate(lines, start=1):
        cells = line.split(separator)
        if len(cells) != COLUMNS if exact else len(cells) < COLUMNS:
            raise DataError(
                "wrong-field-count",
                "a row has not as many columns as there are features",
                where=f"{path}, line {number}",
                found=f"{len(cells)} columns apart by '{separator}'",
                expected=f"{COLUMNS}" if exact else f"{COLUMNS} or more",
            )
        rows.append([_number(path, number, place, cells[place]) for place in range(COLUMNS)])
    return np.array(rows)


def _number(path: Path, line: int, column: int, cell: str) -> float:
    text = cell.strip()
    try:
        value = float(text) if text else math.nan
    except ValueError:
        raise DataError(
            "bad-number",
            "a cell is not a number",
            where=f"{path}, line {line}, column {column + 1}",
            found="text",
            expected="a number, or an empty cell if it is missing; these files have no header",
        ) from None
    if math.isinf(value):
        raise DataError(
            "infinite-number",
            "a cell is not a number that can be used",
            where=f"{path}, line {line}, column {column + 1}",
            found="an infinite number",
        )
    return value
