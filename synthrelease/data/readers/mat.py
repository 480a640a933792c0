"""MATLAB files of versions 5 to 7."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from synthrelease.data.readers.mat_tags import check_tags
from synthrelease.data.readers.nested import INDEX
from synthrelease.data.readers.nested_rows import table_of
from synthrelease.data.readers.opening import library_faults_as, opened
from synthrelease.data.readers.whole import WholeFile
from synthrelease.data.source import Source
from synthrelease.errors import DataError

_HDF5 = b"\x89HDF\r\n\x1a\n"


class Mat(WholeFile):
    """Reader of a variable: a matrix, or cell arrays and structs in each other.

    `table` of the input names the variable, if there are several, and what rows are made of, if that could be several things:
    `table = "allImages.userdata.fixations.enc"`.
    """

    name = "mat"
    formats = ".mat"
    endings = (".mat",)
    uses: tuple[str, ...] = ("table", "header")
    slow = True

    def table(self, source: Source) -> pl.DataFrame:
        """Read a variable; texts and numbers as they are, indices from 1."""
        with opened(source.path) as file:
            _refuse_v73(source.path, file)
            with library_faults_as(_broken(source.path)):
                name, chosen, value = _variable(source, file)
        return table_of(str(source.path), name, value, chosen, source.header)

    def place(self, source: Source, line: int) -> str:
        """Name the indices of a row."""
        frame = self._kept(source)
        indices = [name for name, kind in frame.schema.items() if kind == INDEX]
        return ", ".join(f"{name} {frame[name][line]}" for name in indices) or "its only row"

    def counts(self, source: Source, column: str) -> bool:
        """Whether a column is of indices."""
        return self._kept(source).schema.get(column) == INDEX


def _refuse_v73(path: Path, file: BinaryIO) -> None:
    head = file.read(520)
    if _HDF5 in (head[:8], head[512:]) or head.startswith(b"MATLAB 7.3"):
        raise DataError(
            "matlab-v73",
            "the file is of MATLAB's version 7.3",
            where=str(path),
            expected="version 5 to 7",
            remedy="save it anew: save('NEW.mat', '-struct', 'DATA', '-v7'), or arrays of numbers as .h5",
        )
    file.seek(0)


def _variable(source: Source, file: Any) -> tuple[str, tuple[str, ...], Any]:
    """The name of the variable to read, the fields chosen in it, and its value."""
    from scipy.io import loadmat, whosmat  # noqa: PLC0415  slow, and few have such files

    check_tags(source.path, file)
    file.seek(0)
    names = [name for name, *_ in whosmat(file) if not name.startswith("__")]
    if len(set(names)) < len(names):
        raise DataError(
            "duplicate-variable",
            "two variables of the file have the same name",
            where=str(source.path),
            expected="names of their own",
            remedy="save it anew: load it in MATLAB, and save it under another name",
        )
    name, *chosen = source.table.split(".") if source.table else names if len(names) == 1 else [""]
    if name not in names:
        raise DataError(
            "unknown-variable" if name else "several-variables" if names else "no-variable",
            f"there is no variable '{name}'" if name else "the file holds several variables, or none",
            where=str(source.path),
            found=", ".join(names[:20]) + (" and others" if len(names) > 20 else "") or "no variable",
            expected="one of them, named in the input" if names else "a variable",
            remedy=f"table = '{names[0]}' in the plan, or --table {names[0]}"
            if names
            else "save a matrix, a cell array or a struct in it",
        )
    file.seek(0)
    return name, tuple(chosen), loadmat(file, variable_names=[name])[name]


def _broken(path: Path) -> DataError:
    return DataError(
        "bad-mat",
        "the file cannot be read as MATLAB's",
        where=str(path),
        expected="a complete .mat file of version 5 to 7",
        remedy="check that the file was copied completely; or save it anew: save('NEW.mat', '-v7')",
    )
