"""The first rows of a source, and what they say of its columns; and the labels of all rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

from synthrelease.data.cells import column_texts, in_natural_order
from synthrelease.data.readers import reader_for
from synthrelease.data.readers.folder import Folder
from synthrelease.data.source import Source
from synthrelease.data.tables import read_slices, refuse_missing_columns
from synthrelease.errors import DataError
from synthrelease.proposals.missing_codes import TEXTS

ROWS = 200_000  # that are looked at
_NUMERIC_FRACTION = 0.95  # of cells that are there
_FEWEST_ROWS_EACH = 2  # of a label that may be a person's


@dataclass(frozen=True)
class Excerpt:
    """Some rows of a source."""

    source: Source
    frame: pl.DataFrame  # its first rows, all columns
    is_cut: bool = False  # whether it may have more
    # of a folder: the columns of most files that others lack, by the names of these
    lacking: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @cached_property
    def numbers(self) -> list[str]:
        """Columns that hold numbers, whatever marks missing ones."""
        return self._columns(_is_numeric)

    @cached_property
    def with_commas(self) -> list[str]:
        """Columns of numbers with a decimal comma."""
        return self._columns(_has_commas)

    @cached_property
    def filled(self) -> list[str]:
        """Columns in which anything stands: Data Viewer, for one, leaves the averages of two eyes out where one was recorded."""
        return self._columns(_is_filled)

    @cached_property
    def label_columns(self) -> list[str]:
        """Columns that could say whose rows are, or of what: each label has several rows, and there are several."""
        return self._columns(_may_be_labels)

    def _columns(self, fits: Callable[[pl.Series], bool]) -> list[str]:
        return [column for column in self.frame.columns if fits(self.frame[column])]


@dataclass(frozen=True)
class Labels:
    """Which labels of some columns occur together in a row, of all rows of a source."""

    rows: pl.DataFrame  # distinct, as text; null where there is none

    def of(self, column: str) -> list[str]:
        """Return the distinct labels of a column in natural order."""
        return in_natural_order(self.rows[column].unique().drop_nulls().to_list())

    def counts(self, person: str, column: str) -> list[int]:
        """Return how many labels of another column each person has, in no order."""
        pairs = self.rows.select(pl.col(person).alias("person"), pl.col(column).alias("other"))
        return pairs.drop_nulls().unique().group_by("person").len()["len"].to_list()


def excerpt_of(source: Source) -> Excerpt:
    """Read the first rows of a source, without columns that a file of a folder lacks, or whose cells are no single values: no plan can name those.

    Raises:
        DataError, MachineError: it cannot be read.
    """
    refuse_missing_columns(source, [])  # names that are there twice
    reader = reader_for(source)
    names: Sequence[str] = reader.column_names(source)
    lacking: Mapping[str, Sequence[str]] = {}
    if isinstance(reader, Folder) and not source.format:
        names, lacking = reader.columns_of_all(source)
    frames, rows = [], 0
    for frame, _ in reader.slices(source, list(names), ROWS):
        frames.append(frame)
        rows += frame.height
        if rows >= ROWS:
            break
    if not rows:
        raise DataError(
            "no-rows",
            "the file has no rows",
            where=str(source.path),
            expected="at least one row",
            remedy="check that the copy or export completed",
        )
    first = pl.concat(frames, how="vertical_relaxed").head(ROWS)
    columns = [name for name, kind in first.schema.items() if _is_single(kind)]
    return Excerpt(source, first.select(columns), rows > ROWS or first.height == ROWS, lacking)


def labels_of(source: Source, columns: Sequence[str]) -> Labels:
    """Read the labels of some columns, of all rows.

    Raises:
        DataError, MachineError: the source cannot be read, or cells are no labels.
    """
    slices = [
        table.frame.select(
            column_texts(table, column, table.frame[column]).replace("", None) for column in columns
        ).unique()
        for table in read_slices(source, columns, most_rows=ROWS)
    ]
    return Labels(pl.concat(slices).unique())


def _is_single(kind: pl.DataType) -> bool:
    """Whether a cell of a type is one value that a plan can name: no list, no structure, no bytes, no span of time."""
    return not kind.is_nested() and kind not in (pl.Binary, pl.Object, pl.Duration)


def _is_numeric(cells: pl.Series) -> bool:
    if cells.dtype.is_numeric():
        return True
    if cells.dtype != pl.String:
        return False
    texts = _texts(cells)
    numbers = int(texts.cast(pl.Float64, strict=False).is_not_null().sum())
    return bool(texts.len()) and numbers >= _NUMERIC_FRACTION * texts.len()


def _is_filled(cells: pl.Series) -> bool:
    cells = cells.drop_nulls()
    if cells.dtype == pl.String:
        return bool(_texts(cells).len())
    return bool((cells.is_not_nan() if cells.dtype.is_float() else cells.is_not_null()).any())


def _has_commas(cells: pl.Series) -> bool:
    if cells.dtype != pl.String or not cells.str.contains(r"^\s*[-+]?\d+,\d+\s*$").any():
        return False
    return _is_numeric(cells.str.replace(",", ".", literal=True))


def _may_be_labels(cells: pl.Series) -> bool:
    if cells.dtype.is_float():
        numbers = cells.drop_nulls().drop_nans()
        if (numbers != numbers.round()).any():
            return False
    count = cells.n_unique()
    return count >= 2 and count * _FEWEST_ROWS_EACH <= len(cells)


def _texts(cells: pl.Series) -> pl.Series:
    """Cells that are there, and mark nothing missing."""
    texts = cells.str.strip_chars().drop_nulls()
    return texts.filter((texts != "") & ~texts.is_in(list(TEXTS)))
