"""The first rows of a source, and what they tell of its columns."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import polars as pl

from synthrelease.data.readers import reader_for
from synthrelease.data.source import Source
from synthrelease.data.tables import in_natural_order, label_texts, read_slices, refuse_missing_columns
from synthrelease.errors import DataError
from synthrelease.proposal.missing_codes import TEXTS

ROWS = 200_000  # that are looked at
_NUMERIC = 0.95  # of cells that are there
_FEWEST_ROWS_EACH = 2  # of a label that may be a person's


@dataclass(frozen=True)
class Looked:
    """Some rows of a source.

    Attributes:
        source: how it is read.
        frame: its first rows, all columns.
    """

    source: Source
    frame: pl.DataFrame

    @property
    def numbers(self) -> list[str]:
        """Columns that hold numbers, whatever marks missing ones."""
        return [column for column in self.frame.columns if _is_numeric(self.frame[column])]

    @property
    def with_commas(self) -> list[str]:
        """Columns of numbers with a decimal comma."""
        return [column for column in self.frame.columns if _has_commas(self.frame[column])]

    @property
    def filled(self) -> list[str]:
        """Columns in which anything stands: Data Viewer, for one, leaves the averages of two eyes out where one was recorded."""
        return [column for column in self.frame.columns if _is_filled(self.frame[column])]

    def labels(self, column: str) -> list[str]:
        """Return the distinct labels of a column, of all rows, in natural order."""
        found: set[str] = set()
        for table in read_slices(self.source, [column], most=ROWS):
            found.update(label_texts(table.frame[column]).unique().drop_nulls().to_list())
        return in_natural_order(found - {""})

    def counts(self, person: str, group: str | None) -> dict[str, int]:
        """Return how many labels of another column each person has, of all rows; 1 of each if there is none."""
        columns = [person, group] if group else [person]
        pairs: set[tuple[str, ...]] = set()
        for table in read_slices(self.source, columns, most=ROWS):
            pairs.update(table.frame.select(label_texts(table.frame[one]) for one in columns).unique().rows())
        return dict(Counter(pair[0] for pair in pairs if all(pair)))

    @property
    def label_columns(self) -> list[str]:
        """Columns that could say whose rows are, or of what: each label has several rows, and there are several."""
        found = []
        for column in self.frame.columns:
            cells = self.frame[column]
            if cells.dtype.is_float() and not _whole_numbers(cells):
                continue
            count = cells.n_unique()
            if count >= 2 and count * _FEWEST_ROWS_EACH <= len(cells):
                found.append(column)
        return found


def looked_at(source: Source) -> Looked:
    """Read the first rows of a source, without columns whose cells are no single values: no plan can name those.

    Raises:
        DataError, MachineError: it cannot be read.
    """
    refuse_missing_columns(source, [])  # names that are there twice
    reader = reader_for(source)
    columns = reader.column_names(source)
    frames, rows = [], 0
    for frame, _ in reader.slices(source, columns, ROWS):
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
            remedy="check that it was copied, or exported, completely",
        )
    seen = pl.concat(frames, how="vertical_relaxed").head(ROWS)
    return Looked(source, seen.select(name for name, kind in seen.schema.items() if _is_single(kind)))


def _is_single(kind: pl.DataType) -> bool:
    """Whether a cell of a type is one value that a plan can name: no list, no structure, no bytes, no span of time."""
    return not kind.is_nested() and kind not in (pl.Binary, pl.Object, pl.Duration)


def _is_numeric(cells: pl.Series) -> bool:
    if cells.dtype.is_numeric():
        return True
    if cells.dtype != pl.String:
        return False
    there = cells.str.strip_chars().drop_nulls()
    there = there.filter((there != "") & ~there.is_in(list(TEXTS)))
    return (
        bool(there.len())
        and int(there.cast(pl.Float64, strict=False).is_not_null().sum()) >= _NUMERIC * there.len()
    )


def _is_filled(cells: pl.Series) -> bool:
    there = cells.drop_nulls()
    if there.dtype == pl.String:
        texts = there.str.strip_chars()
        return bool(((texts != "") & ~texts.is_in(list(TEXTS))).any())
    return bool((there.is_not_nan() if there.dtype.is_float() else there.is_not_null()).any())


def _has_commas(cells: pl.Series) -> bool:
    if cells.dtype != pl.String or not cells.str.contains(r"^\s*[-+]?\d+,\d+\s*$").any():
        return False
    return _is_numeric(cells.str.replace(",", ".", literal=True))


def _whole_numbers(cells: pl.Series) -> bool:
    there = cells.drop_nulls().drop_nans()
    return bool((there == there.round()).all())
