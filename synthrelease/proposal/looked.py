"""The first rows of a source, and what they tell of its columns."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from synthrelease.data.readers import reader_for
from synthrelease.data.source import Source
from synthrelease.data.tables import in_natural_order, label_texts, read_slices
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

    def labels(self, column: str) -> list[str]:
        """Return the distinct labels of a column, of all rows, in natural order."""
        found: set[str] = set()
        for table in read_slices(self.source, [column], most=ROWS):
            found.update(label_texts(table.frame[column]).unique().drop_nulls().to_list())
        return in_natural_order(found - {""})

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
    """Read the first rows of a source.

    Raises:
        DataError, MachineError: it cannot be read.
    """
    reader = reader_for(source)
    columns = reader.column_names(source)
    frames, rows = [], 0
    for frame, _ in reader.slices(source, columns, ROWS):
        frames.append(frame)
        rows += frame.height
        if rows >= ROWS:
            break
    if not rows:
        raise DataError("the file has no rows", where=str(source.path), expected="at least one row")
    return Looked(source, pl.concat(frames, how="vertical_relaxed").head(ROWS))


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


def _whole_numbers(cells: pl.Series) -> bool:
    there = cells.drop_nulls().drop_nans()
    return bool((there == there.round()).all())
