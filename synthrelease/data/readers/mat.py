"""MATLAB files of versions 5 to 7."""

from __future__ import annotations

import errno
import os
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from synthrelease.data.readers.mat_tags import check_tags
from synthrelease.data.readers.nested import NestedError, Node, scope_of, survey
from synthrelease.data.readers.nested_rows import INDEX, table_of
from synthrelease.data.readers.opening import opened
from synthrelease.data.readers.unpacking import WHOLE_TIMES, refuse_unpacked
from synthrelease.data.readers.whole import Whole
from synthrelease.data.source import Source
from synthrelease.errors import DataError, SynthReleaseError

_HDF5 = b"\x89HDF\r\n\x1a\n"
_REFUSED = {
    "function": ("function-handle", "a function handle"),
    "opaque": ("matlab-object", "an object"),
    "object": ("matlab-object", "an object"),
    "sparse": ("sparse-matrix", "a sparse matrix"),
}


class Mat(Whole):
    """Reader of a variable: a matrix, or cell arrays and structs in each other.

    `table` of the input names the variable, if there are several, and what rows are made of, if that could be several things:
    `table = "allImages.userdata.fixations.enc"`.
    """

    name = "mat"
    formats = ".mat"
    endings = (".mat",)
    uses: tuple[str, ...] = ("table", "header")

    def table(self, source: Source) -> pl.DataFrame:
        """Read a variable; texts and numbers as they are, indices from 1."""
        with opened(source.path) as file:
            name, chosen = _variable(source, file)
            value = _loaded(source.path, file, name)
        root = Node((name,))
        try:
            survey(value, root, chosen, name)
            _check_choice(root, chosen)
            return table_of(root, scope_of(root), value, source.header)
        except NestedError as error:
            where = f"{source.path}, {error.at}" if error.at else str(source.path)
            raise DataError(error.code, error.problem, where=where, **error.more) from None

    def place(self, source: Source, line: int) -> str:
        """Name the indices of a row."""
        frame = self._kept(source)
        own = [name for name, kind in frame.schema.items() if kind == INDEX]
        return ", ".join(f"{name} {frame[name][line]}" for name in own) or "its only row"


def _variable(source: Source, file: BinaryIO) -> tuple[str, tuple[str, ...]]:
    """The name of the variable to read, and of the fields chosen in it."""
    from scipy.io import whosmat  # noqa: PLC0415  slow, and few have such files

    head = file.read(520)
    if _HDF5 in (head[:8], head[512:]) or head.startswith(b"MATLAB 7.3"):
        raise DataError(
            "matlab-v73",
            "the file is of MATLAB's version 7.3",
            where=str(source.path),
            expected="version 5 to 7",
            remedy="save it anew: save('NEW.mat', '-struct', 'DATA', '-v7'), or arrays of numbers as .h5",
        )
    file.seek(0)
    packed = os.fstat(file.fileno()).st_size

    def unpacked(size: int) -> None:
        refuse_unpacked(source.path, packed=packed, unpacked=size, times=WHOLE_TIMES)

    _tried(source.path, file, partial(check_tags, unpacked=unpacked))
    found = [(str(name), str(kind)) for name, _, kind in _tried(source.path, file, whosmat)]
    names = [name for name, _ in found if not name.startswith("__")]
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
            remedy=f"table = '{names[0]}' in the plan; --table {names[0]} of init"
            if names
            else "save a matrix, a cell array or a struct in it",
        )
    kind = dict(found)[name]
    if kind in _REFUSED:
        code, found_kind = _REFUSED[kind]
        raise DataError(
            code,
            "the variable cannot be a table",
            where=f"{source.path}, {name}",
            found=found_kind,
            expected="a matrix, a cell array or a struct",
            remedy="save it as one: full(x), struct(x), table2struct(x)",
        )
    return name, tuple(chosen)


def _loaded(path: Path, file: BinaryIO, name: str) -> Any:
    from scipy.io import loadmat  # noqa: PLC0415  as above

    def load(file: Any) -> Any:
        return loadmat(file, variable_names=[name])[name]

    return _tried(path, file, load)


def _tried(path: Path, file: BinaryIO, read: Callable[[Any], Any]) -> Any:
    """What a function makes of a file; whatever the library says of a broken one is one error of ours."""
    file.seek(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return read(file)
    except SynthReleaseError:
        raise
    except Exception as error:
        # A place before the file's beginning is the file's fault, all else the machine's.
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        raise DataError(
            "bad-mat",
            "the file cannot be read as MATLAB's",
            where=str(path),
            expected="a complete .mat file of version 5 to 7",
            remedy="check that the file was copied completely; or save it anew: save('NEW.mat', '-v7')",
        ) from None


def _check_choice(root: Node, chosen: tuple[str, ...]) -> None:
    node = root
    for name in chosen:
        while node.inner is not None:
            node = node.inner
        if name not in node.fields:
            fields = list(node.fields)
            raise NestedError(
                "unknown-field",
                f"there is no field '{name}'",
                node.name,
                found=", ".join(fields[:20]) + (" and others" if len(fields) > 20 else "") or "no fields",
                expected="one of them in the input's `table`" if fields else "a shorter `table` in the input",
                remedy="correct the input's `table`",
            )
        node = node.fields[name]
