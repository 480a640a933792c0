"""The rows of nested cell arrays, structs and arrays.

Levels become columns of indices, counted from 1; fields become columns, called by their name and as much of the path before it as
distinguishes them. Below the innermost level vectors of one length, or the rows of a matrix, are rows; what is one text or number is repeated over
them. A record of which more is there than a label, but no elements, is one row: whether its participant has a row must not depend on whether others have
vectors or single numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import polars as pl

from synthrelease.data.one_type import LARGEST_EXACT
from synthrelease.data.readers.nested import INDEX, Array, Column, Names, RecordLocation, RecordValues
from synthrelease.errors import DataError


def table_of(
    file: str, name: str, value: Array, chosen_fields: Names = (), header: tuple[str, ...] = ()
) -> pl.DataFrame:
    """Return a variable as a table: indices, then texts and numbers, then vectors.

    Args:
        file: for messages.
        name: of the variable.
        value: of it, as `scipy.io.loadmat` has it.
        chosen_fields: fields that lead to what is to be read.
        header: names of a matrix's columns, if the plan has any.

    Raises:
        DataError: what is there makes no table, or several; vectors of several lengths next to each other, no matrix of so many columns, a name twice.
    """
    place, scalars = RecordLocation(file), list[Column]()
    branches = [RecordValues(place, (name,), [value], chosen_fields)]
    while True:
        leaves, level = _leaves_and_level(branches)
        scalars += [(_column_path(leaf), _scalars(leaf)) for leaf in leaves if leaf.longest <= 1]
        if level is None:
            break
        scalars = [(path, series[level.owner]) for path, series in scalars]
        place = level.elements.place
        branches = [level.elements] if level.kind == "cell" else level.elements.fields()
    indices = [column for level_above in place.levels for column in level_above.columns()]
    vectors, counts = _vectors([leaf for leaf in leaves if leaf.longest > 1])
    heights = np.maximum(counts, _filled(leaves)) if leaves else counts
    owner = np.repeat(np.arange(heights.size), heights)
    indices = [(path, series[owner]) for path, series in indices]
    scalars = [(path, series[owner]) for path, series in scalars]
    rows: list[Column] = []
    if vectors:
        row = np.arange(owner.size) - (np.cumsum(heights) - heights)[owner]
        indices.append(((name, "row"), pl.Series(row + 1, dtype=INDEX)))
        element = np.where(row < counts[owner], (np.cumsum(counts) - counts)[owner] + row, counts.sum())
        rows = [
            (path, series.extend_constant(None, 1)[element])
            for leaf in vectors
            for path, series in _columns(leaf, header)
        ]
    return _frame_of([*indices, *scalars, *rows], header, place.of((name,)))


def _leaves_and_level(branches: Sequence[RecordValues]) -> tuple[list[RecordValues], RecordValues | None]:
    """Texts, numbers and vectors below single structs, and the level, if there is one.

    Raises:
        DataError: rows could be made of several things.
    """
    flat = [leaf for branch in branches for leaf in _flattened(branch)]
    levels = [branch for branch in flat if branch.is_level and not branch.unchosen]
    leaves = [branch for branch in flat if not branch.is_level]
    rows = [leaf for leaf in leaves if leaf.longest > 1 and not leaf.unchosen]
    candidates = [*levels, *rows]
    if len(candidates) > 1 and levels:
        names = [branch.name for branch in candidates]
        raise DataError(
            "several-tables",
            "rows can be made of more than one thing",
            where=candidates[0].place.of(candidates[0].path[:-1]),
            found=", ".join(f"'{name}'" for name in names[:10]) + (" and others" if len(names) > 10 else ""),
            expected="cells, structs or vectors of one length, once",
            remedy=f"name one: table = '{names[0]}' in the plan, or --table {names[0]}",
        )
    return leaves, levels[0] if levels else None


def _flattened(branch: RecordValues) -> Iterator[RecordValues]:
    if branch.kind == "struct" and not branch.is_level:
        for inner in branch.fields():
            yield from _flattened(inner)
    elif branch.kind != "unread":
        if not branch.is_level:
            branch.check_choice()
        yield branch


def _vectors(vectors: Sequence[RecordValues]) -> tuple[list[RecordValues], Array]:
    """The vectors whose elements are rows, and their length in each record; unchosen ones are included where they always have the same length.

    Raises:
        DataError: several lengths in one record.
    """
    first = next((leaf for leaf in vectors if not leaf.unchosen), None)
    if first is None:
        return [], np.zeros(1, dtype=np.int64)
    counts, chosen = _lengths(first), []
    for leaf in vectors:
        different = np.flatnonzero(_lengths(leaf) != counts)
        if different.size and not leaf.unchosen:
            record = different[0]
            raise DataError(
                "lengths-differ",
                "vectors of one struct have several lengths",
                where=leaf.place.of(leaf.path, record),
                found=f"{_lengths(leaf)[record]} elements next to {counts[record]} of '{first.path[-1]}'",
                expected="one length",
                remedy=f"name one of them: table = '{leaf.name}' in the plan, or --table {leaf.name}",
            )
        if not different.size:
            chosen.append(leaf)
    return chosen, counts


def _filled(leaves: Sequence[RecordValues]) -> Array:
    """Whether each record is a row even without elements: if it has more than a label, or has what the plan names, where that is one thing."""
    chosen = [leaf for leaf in leaves if not leaf.unchosen]
    looked_at = chosen if len(chosen) == 1 else leaves
    has = np.asarray([[value.size > 0 for value in leaf.values] for leaf in looked_at])
    filled: Array = has.sum(axis=0) >= min(2, len(looked_at))
    return filled


def _lengths(leaf: RecordValues) -> Array:
    return np.asarray([len(piece) for piece in leaf.pieces()], dtype=np.int64)


def _column_path(leaf: RecordValues) -> Names:
    """Values in cells are no fields: their column cannot have the name of the cells' indices."""
    return (*leaf.path, "value") if leaf.depth else leaf.path


def _scalars(leaf: RecordValues) -> pl.Series:
    """One cell a record; empty where there is nothing."""
    pieces = leaf.pieces()
    present = np.asarray([piece.size > 0 for piece in pieces], dtype=bool)
    series = _elements(leaf).extend_constant(None, 1)
    return series[np.where(present, np.cumsum(present) - 1, len(series) - 1)]


def _elements(leaf: RecordValues) -> pl.Series:
    """All elements, one after the other; a cell with nothing in it is empty."""
    series = column_of(leaf.pieces(), as_text=leaf.is_text, where=leaf.place.of(leaf.path))
    if leaf.kind != "cell":
        return series
    is_there = pl.Series([cell.size > 0 for cells in leaf.values for cell in cells.ravel(order="F")])
    return pl.select(pl.when(is_there.cast(pl.Boolean)).then(series).alias("")).to_series()


def _columns(leaf: RecordValues, header: tuple[str, ...]) -> list[Column]:
    """A column of vectors, or the columns of matrices.

    Raises:
        DataError: matrices are of several widths, or of another than the plan says.
    """
    pieces, where = leaf.pieces(), leaf.place.of(leaf.path)
    if not leaf.is_matrix:
        return [(_column_path(leaf), _elements(leaf))]
    if len(leaf.widths) > 1:
        raise DataError(
            "widths-differ",
            "matrices of the same name have several numbers of columns",
            where=where,
            found=", ".join(map(str, leaf.widths[:5])),
            expected="one number",
            remedy="give all of them the same columns, or name another field in the input's `table`",
        )
    width = leaf.widths[0]
    if header and len(header) != width:
        raise DataError(
            "header-does-not-fit",
            "the plan names another number of columns than the matrix has",
            where=where,
            found=f"{len(header)} names, and {width} columns",
            expected="a name for every column",
            remedy="correct the input's `header`",
        )
    names = header or [f"column {number + 1}" for number in range(width)]
    return [
        (
            (*leaf.path, name),
            column_of([piece[:, column] for piece in pieces], as_text=leaf.is_text, where=where),
        )
        for column, name in enumerate(names)
    ]


def _frame_of(columns: Sequence[Column], header: tuple[str, ...], where: str) -> pl.DataFrame:
    names = unique_names(path for path, _ in columns)
    if header and not set(header) <= set(names):
        raise DataError(
            "header-without-matrix",
            "the plan names columns of a matrix, and there is none",
            where=where,
            remedy="leave the input's `header` out",
        )
    if len(set(names)) < len(names):
        raise DataError(
            "duplicate-column",
            "two columns have the same name",
            where=where,
            remedy="name them otherwise in the file",
        )
    return pl.DataFrame([series.rename(name) for name, (_, series) in zip(names, columns, strict=True)])


def unique_names(paths: Iterable[tuple[str, ...]]) -> list[str]:
    """Return the last part of each path, with as many parts before it as make it unique."""
    paths = list(paths)
    lengths = [1] * len(paths)
    while True:
        names = [".".join(path[-length:]) for path, length in zip(paths, lengths, strict=True)]
        longer = [
            min(length + 1, len(path)) if names.count(name) > 1 else length
            for name, path, length in zip(names, paths, lengths, strict=True)
        ]
        if longer == lengths:
            return names
        lengths = longer


def column_of(pieces: Sequence[Array], *, as_text: bool, where: str) -> pl.Series:
    """Return arrays one after the other, as text or as numbers.

    Raises:
        DataError: whole numbers too large to stand in one column with fractions.
    """
    if as_text:
        return pl.Series([str(cell) or None for piece in pieces for cell in piece], dtype=pl.String)
    filled = [piece for piece in pieces if piece.size]
    if not filled:
        return pl.Series([], dtype=pl.Float64)
    values = np.concatenate(filled)
    values = values.astype(values.dtype.newbyteorder("="), copy=False)
    if values.dtype.kind == "f" and any(
        piece.dtype.kind in "iu"
        and piece.dtype.itemsize == 8
        and (abs(piece.astype(float)) > LARGEST_EXACT).any()
        for piece in filled
    ):
        raise DataError(
            "integers-too-large",
            "whole numbers are too large to stand in one column with fractions",
            where=where,
            found="numbers of several types",
            expected="one type",
            remedy="save them as one type: double(x)",
        )
    return pl.Series(values.astype(np.int64) if values.dtype == np.uint32 else values)
